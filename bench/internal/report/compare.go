package report

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/bench/internal/result"
	"github.com/dcopt/dcopt/bench/internal/stats"
)

// Ratio is how long a contender took, in times of another.
type Ratio struct {
	Instance   string
	Own, Other *result.Row
	// Ratio is +Inf where only Own failed, 0 where only Other did, NaN where
	// both did.
	Ratio float64
}

// Compare returns the ratios on all problems that both were measured on, the
// worst first, those that both failed last.
func (g *Group) Compare(own, other string, opt Options) []Ratio {
	var all []Ratio
	for _, in := range g.Instances {
		a, b := g.Row(own, in), g.Row(other, in)
		if a == nil || b == nil {
			continue
		}
		r := Ratio{in, a, b, math.NaN()}
		mine, others := a.Solved(opt.Level, opt.Clock), b.Solved(opt.Level, opt.Clock)
		switch {
		case mine && others:
			r.Ratio = a.Seconds(opt.Clock) / b.Seconds(opt.Clock)
		case others:
			r.Ratio = math.Inf(1)
		case mine:
			r.Ratio = 0
		}
		all = append(all, r)
	}
	key := func(r Ratio) float64 {
		if math.IsNaN(r.Ratio) {
			return -1
		}
		return r.Ratio
	}
	slices.SortStableFunc(all, func(a, b Ratio) int {
		switch {
		case key(a) > key(b):
			return -1
		case key(a) < key(b):
			return 1
		}
		return 0
	})
	return all
}

func (p *printer) ratios(g *Group, own string, opt Options) {
	if opt.Against == "" || own == opt.Against {
		return
	}
	all := g.Compare(own, opt.Against, opt)
	if len(all) == 0 {
		return
	}
	faster, both := 0, []float64{}
	for _, r := range all {
		if r.Ratio < 1 {
			faster++
		}
		if r.Ratio > 0 && !math.IsInf(r.Ratio, 1) {
			both = append(both, r.Ratio)
		}
	}
	p.Printf("\n### %s against %s\n\nTimes at %s, the ratio above 1 where %s is slower; it is faster on %d of %d. "+
		"The geometric mean of the ratio "+
		"where both solve is %s. The last two columns are the ratios of CPU time in the set-up and, behind it, an "+
		"iteration.\n\n", own, opt.Against, short(opt.Level), own, faster, len(all),
		number(stats.ShiftedGeometricMean(both, 0), "%.2f"))
	if worst, where := disagreement(all); where != "" {
		p.Printf("Where both solve, the objectives differ by at most %.1e, relative to max(1, |objective|), on %s.\n\n",
			worst, where)
	}
	p.Printf("| problem | n | m | nnz | %s, ms | iterations | %s, ms | iterations | ratio | set-up | iteration "+
		"|\n|---|---|---|---|---|---|---|---|---|---|---|\n", own, opt.Against)
	for _, r := range all {
		ratio := number(r.Ratio, "%.2f")
		switch {
		case math.IsNaN(r.Ratio):
			ratio = "both fail"
		case math.IsInf(r.Ratio, 1):
			ratio = own + " fails"
		case r.Ratio == 0:
			ratio = opt.Against + " fails"
		}
		p.Printf("| %s | %d | %d | %d | %s | %d | %s | %d | %s | %s | %s |\n", r.Instance, r.Own.N, r.Own.M, r.Own.NNZ,
			cell(r.Own, opt), r.Own.Iterations, cell(r.Other, opt), r.Other.Iterations, ratio,
			number(r.Own.Setup/r.Other.Setup, "%.2f"), number(perIteration(r.Own)/perIteration(r.Other), "%.2f"))
	}
}

// disagreement is the largest difference of two objectives where both solve, and
// the problem that has it; "" where there is none.
func disagreement(all []Ratio) (worst float64, where string) {
	for _, r := range all {
		a, b := r.Own.Objective, r.Other.Objective
		if !(r.Ratio > 0) || math.IsInf(r.Ratio, 1) || math.IsInf(a, 0) {
			continue
		}
		if d := math.Abs(a-b) / max(1, math.Abs(b)); where == "" || d > worst {
			worst, where = d, r.Instance
		}
	}
	return worst, where
}

// perIteration is the CPU time of an iteration; a solver may say that it needed
// none.
func perIteration(r *result.Row) float64 {
	return (r.CPU - r.Setup) / float64(max(1, r.Iterations))
}
