package dcreport

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/dcrun"
	"github.com/dcopt/dcopt/bench/internal/page"
)

// Options say how to look at the rows.
type Options struct {
	Clock string // "cpu" or "wall"
	// Feasible is the violation up to which a point counts as feasible.
	Feasible float64
	// Against is the solver that the others' times are divided by.
	Against string
}

// Group has the measurements on problems of one kind.
type Group struct {
	Name     string
	Problems []string
	Solvers  []string
	parts    map[string][]string      // of a problem
	rows     map[[3]string]*dcrun.Row // by solver, problem, part
	best     map[[2]string]float64    // least objective of a feasible point, by problem and part
	limit    float64
	cells    map[[2]string]*cell // by solver and problem
}

// cell sums up a solver's results on the parts of a problem.
type cell struct {
	parts     int     // that were measured
	timed     int     // that have a time
	feasible  int     // that ended at a feasible point
	good      int     // of these, that are Group.good
	seconds   float64 // of those that have a time
	excess    float64 // largest relative excess over the best objective, of the feasible ones; NaN if there is none
	violation float64 // largest; NaN without a point
	objective float64 // of the only part
	recovered int     // parts whose planted vector was found
	sought    int     // parts that have one
	status    []string
}

// success: every part is good.
func (c *cell) success() bool { return c != nil && c.parts > 0 && c.good == c.parts }

// complete: every part has a time.
func (c *cell) complete() bool { return c != nil && c.parts > 0 && c.timed == c.parts }

// found is the relative distance at which a planted vector counts as found.
const found = 1e-2

// Groups sorts the rows; of several at one place the last counts. Problems that a solver
// cannot state are left out.
func Groups(rows []dcrun.Row, opt Options) []*Group {
	var groups []*Group
	for _, r := range csvtable.Latest(rows) {
		if r.Status == dcrun.Unsupported {
			continue
		}
		k := slices.IndexFunc(groups, func(g *Group) bool { return g.Name == r.Group })
		if k < 0 {
			k = len(groups)
			groups = append(groups, &Group{
				Name: r.Group, parts: map[string][]string{}, rows: map[[3]string]*dcrun.Row{},
				best: map[[2]string]float64{}, cells: map[[2]string]*cell{},
			})
		}
		g := groups[k]
		g.Problems, g.Solvers = page.AddOnce(g.Problems, r.Problem), page.AddOnce(g.Solvers, r.Solver)
		g.parts[r.Problem] = page.AddOnce(g.parts[r.Problem], r.Part)
		g.rows[[3]string{r.Solver, r.Problem, r.Part}] = &r
		g.limit = max(g.limit, r.Limit)
		if r.Feasible(opt.Feasible) {
			at := [2]string{r.Problem, r.Part}
			if v, ok := g.best[at]; !ok || r.Objective < v {
				g.best[at] = r.Objective
			}
		}
	}
	for _, g := range groups {
		for _, s := range g.Solvers {
			for _, p := range g.Problems {
				g.cells[[2]string{s, p}] = g.sum(s, p, opt)
			}
		}
	}
	return groups
}

// sum makes the cell; nil if a part was not measured.
func (g *Group) sum(solver, problem string, opt Options) *cell {
	c := &cell{excess: math.NaN(), violation: math.NaN(), objective: math.NaN()}
	for _, part := range g.parts[problem] {
		r := g.rows[[3]string{solver, problem, part}]
		if r == nil {
			return nil
		}
		c.parts++
		c.objective = r.Objective
		c.status = page.AddOnce(c.status, r.Status)
		if t := r.Seconds(opt.Clock); t > 0 {
			c.timed++
			c.seconds += t
		}
		c.violation = larger(c.violation, r.Violation)
		if r.Feasible(opt.Feasible) {
			c.feasible++
			if g.good(r, opt) {
				c.good++
			}
			best := g.best[[2]string{problem, part}]
			c.excess = larger(c.excess, (r.Objective-best)/max(1, math.Abs(best)))
		}
		if !math.IsNaN(r.Missed) {
			c.sought++
			if r.Missed <= found {
				c.recovered++
			}
		}
	}
	return c
}

// larger of two, a NaN counting as nothing.
func larger(a, b float64) float64 {
	if math.IsNaN(a) || b > a {
		return b
	}
	return a
}

// Ratio is how many times as long as opt.Against a solver took on a problem.
type Ratio struct {
	Value float64 // NaN if there is no part that both have a time for
	Parts int     // that it is of
	Fair  bool    // both succeeded on these parts; else neither of any part is so
}

// Ratio compares the times summed over the parts on which both succeeded, or if
// there are none, over those that both have a time for.
func (g *Group) Ratio(solver, problem string, opt Options) Ratio {
	var sums [2][2]float64 // of fair parts and of timed ones, of the solver and of Against
	var counts [2]int
	for _, part := range g.parts[problem] {
		a, b := g.rows[[3]string{solver, problem, part}], g.rows[[3]string{opt.Against, problem, part}]
		if a == nil || b == nil || !(a.Seconds(opt.Clock) > 0 && b.Seconds(opt.Clock) > 0) {
			continue
		}
		for k := range counts {
			if k == 1 || g.good(a, opt) && g.good(b, opt) {
				counts[k]++
				sums[k][0] += a.Seconds(opt.Clock)
				sums[k][1] += b.Seconds(opt.Clock)
			}
		}
	}
	for k, n := range counts {
		if n > 0 {
			return Ratio{sums[k][0] / sums[k][1], n, k == 0}
		}
	}
	return Ratio{Value: math.NaN()}
}

// behind counts the parts of a problem on which opt.Against ends worse than a solver, of
// those on which that ends at a feasible point, and the largest distance.
func (g *Group) behind(solver, problem string, opt Options) (worse, of int, most float64) {
	for _, part := range g.parts[problem] {
		a, b := g.rows[[3]string{solver, problem, part}], g.rows[[3]string{opt.Against, problem, part}]
		if a == nil || b == nil || !a.Feasible(opt.Feasible) {
			continue
		}
		of++
		above := math.Inf(1)
		if b.Feasible(opt.Feasible) {
			above = (b.Objective - a.Objective) / math.Abs(a.Objective)
		}
		if above > noWorse {
			worse, most = worse+1, max(most, above)
		}
	}
	return worse, of, most
}

// good: it converged to a feasible point that is not far above the best.
func (g *Group) good(r *dcrun.Row, opt Options) bool {
	return r.Status == "converged" && g.within(r, acceptable, opt)
}

// within: a feasible point that lies above the best by at most gap, relative to
// max(1, |best|).
func (g *Group) within(r *dcrun.Row, gap float64, opt Options) bool {
	best := g.best[[2]string{r.Problem, r.Part}]
	return r.Feasible(opt.Feasible) && r.Objective-best <= gap*max(1, math.Abs(best))
}

// acceptable is the excess over the best objective beyond which a run is no
// success: its time says nothing. near is that in the profiles.
const (
	acceptable = 0.1
	near       = 0.01
)

// times of each solver on each part that all solvers with a row in this group
// could state; +Inf where no feasible point as good as the best was found.
func (g *Group) times(opt Options) [][]float64 {
	all := make([][]float64, len(g.Solvers))
	for _, p := range g.Problems {
		for _, part := range g.parts[p] {
			for s, solver := range g.Solvers {
				t := math.Inf(1)
				if r := g.rows[[3]string{solver, p, part}]; r != nil && g.within(r, near, opt) {
					t = r.Seconds(opt.Clock)
				}
				all[s] = append(all[s], t)
			}
		}
	}
	return all
}
