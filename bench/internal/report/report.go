package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/chart"
	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/internal/result"
	"github.com/dcopt/dcopt/bench/internal/stats"
)

// Options say how to look at the rows.
type Options struct {
	Clock string  // "cpu" or "wall"
	Level float64 // accuracy at which times are compared
	// Against is the contender that others are compared with, problem by
	// problem; "" for none.
	Against string
	// Own are the contenders that are compared with it.
	Own []string
}

// Levels are the accuracies at which solved problems are counted.
var Levels = []float64{1e-3, 1e-6, 1e-9}

// shift of the geometric means, in seconds.
const shift = 0.01

// Group has the measurements on problems of one kind: a row for each contender
// and problem, nil where there is none.
type Group struct {
	Name       string
	Instances  []string
	Contenders []string
	rows       map[[2]string]*result.Row // by contender and instance
	limit      float64
}

// Groups sorts the rows; of several at one place the last counts. Rows of a mode
// that a solver lacks are left out.
func Groups(rows []result.Row) []*Group {
	var groups []*Group
	for _, r := range csvtable.Latest(rows) {
		if r.Status == "unsupported" {
			continue
		}
		k := slices.IndexFunc(groups, func(g *Group) bool { return g.Name == r.Group })
		if k < 0 {
			k = len(groups)
			groups = append(groups, &Group{Name: r.Group, rows: map[[2]string]*result.Row{}})
		}
		g := groups[k]
		g.Instances = page.AddOnce(g.Instances, r.Instance)
		g.Contenders = page.AddOnce(g.Contenders, r.Contender())
		g.rows[[2]string{r.Contender(), r.Instance}] = &r
		g.limit = max(g.limit, r.Limit)
	}
	for _, g := range groups {
		if g.Name == "files" {
			slices.Sort(g.Instances)
		}
	}
	return groups
}

// Row is the row of a contender on a problem, nil if it was not measured.
func (g *Group) Row(contender, instance string) *result.Row {
	return g.rows[[2]string{contender, instance}]
}

// measured are all rows, in order.
func (g *Group) measured() []*result.Row {
	var all []*result.Row
	for _, in := range g.Instances {
		for _, c := range g.Contenders {
			if r := g.Row(c, in); r != nil {
				all = append(all, r)
			}
		}
	}
	return all
}

// complete are the problems that all contenders were measured on.
func (g *Group) complete() []string {
	var all []string
	for _, in := range g.Instances {
		if !slices.ContainsFunc(g.Contenders, func(c string) bool { return g.Row(c, in) == nil }) {
			all = append(all, in)
		}
	}
	return all
}

// Times of the contenders on the problems that all were measured on; +Inf where
// the level was not reached.
func (g *Group) Times(level float64, clock string) [][]float64 {
	instances := g.complete()
	times := make([][]float64, len(g.Contenders))
	for s, c := range g.Contenders {
		for _, in := range instances {
			t := math.Inf(1)
			if r := g.Row(c, in); r.Solved(level, clock) {
				t = r.Seconds(clock)
			}
			times[s] = append(times[s], t)
		}
	}
	return times
}

// Write adds all tables to the report; images names the file of each group's profile, "" for
// none.
func Write(r *page.Report, groups []*Group, opt Options, images func(group string) string) {
	for _, g := range groups {
		r.Heading(2, strings.ToUpper(g.Name[:1])+g.Name[1:])
		g.summary(r, opt)
		if image := images(g.Name); image != "" && g.HasProfile() {
			r.Picture("Performance profile of "+g.Name, image)
		}
		g.times(r, opt)
		for _, own := range opt.Own {
			if len(g.Instances) > 1 {
				g.ratios(r, own, opt)
			}
		}
		g.trouble(r, opt)
	}
	versions(r, groups)
}

// summary counts and averages over the problems that all were measured on.
func (g *Group) summary(r *page.Report, opt Options) {
	total, more := len(g.complete()), ""
	if left := len(g.Instances) - total; left > 0 {
		more = fmt.Sprintf(" (%d more, not yet measured with all solvers, are left out here)", left)
	}
	r.Text("Problems: %d%s, at most %g s each of %s time. A problem is solved at an accuracy if the primal residual, "+
		"the dual residual and the gap, relative and recomputed on the problem as stated, are at most twice that; an "+
		"infeasible one if the worth of the proof is. SGM is the geometric mean of the time, shifted by 10 ms, "+
		"a failure counted as the limit; wall/CPU is the median ratio of the two times, above 1 where the machine "+
		"was busy.", total, more, g.limit, chart.ClockName(opt.Clock))
	var counts, means []string
	for _, l := range Levels {
		counts, means = append(counts, short(l)), append(means, "SGM "+short(l)+", ms")
	}
	r.Table(slices.Concat([]string{"solver", `own "solved"`}, counts, means, []string{"wall/CPU"})...)
	for s, c := range g.Contenders {
		own := 0
		var busy []float64
		for _, in := range g.complete() {
			r := g.Row(c, in)
			if r.Claims() {
				own++
			}
			if r.CPU > 0.001 {
				busy = append(busy, r.Wall/r.CPU)
			}
		}
		for k, l := range Levels {
			times := g.Times(l, opt.Clock)[s]
			solved := 0
			for k, t := range times {
				if math.IsInf(t, 1) {
					times[k] = g.limit
				} else {
					solved++
				}
			}
			counts[k], means[k] = strconv.Itoa(solved), millis(stats.ShiftedGeometricMean(times, shift))
		}
		r.Row(slices.Concat([]string{c, strconv.Itoa(own)}, counts, means,
			[]string{number(stats.Median(busy), "%.2f")})...)
	}
}

// times are by problem, in milliseconds; those that missed the level in
// brackets.
func (g *Group) times(r *page.Report, opt Options) {
	step := ""
	if g.Name == "sequence" {
		step = " a step, the first left out"
	}
	r.Text("Milliseconds of %s time%s; in brackets where %s was not reached.", chart.ClockName(opt.Clock), step,
		short(opt.Level))
	r.Table(append([]string{"problem", "n", "m", "nnz"}, g.Contenders...)...)
	for _, in := range g.Instances {
		var head, cells []string
		for _, c := range g.Contenders {
			row := g.Row(c, in)
			if row != nil {
				head = sizes(row)
			}
			cells = append(cells, cell(row, opt))
		}
		r.Row(append(head, cells...)...)
	}
}

// sizes are the first cells of a problem.
func sizes(r *result.Row) []string {
	return []string{r.Instance, strconv.Itoa(r.N), strconv.Itoa(r.M), strconv.Itoa(r.NNZ)}
}

func cell(r *result.Row, opt Options) string {
	switch {
	case r == nil:
		return ""
	case r.Solved(opt.Level, opt.Clock):
		return millis(r.Seconds(opt.Clock))
	case math.IsNaN(r.Seconds(opt.Clock)):
		return "(" + r.Status + ")"
	default:
		return "(" + millis(r.Seconds(opt.Clock)) + ")"
	}
}

// trouble lists the failures: no point, a wrong claim, or the level missed.
func (g *Group) trouble(r *page.Report, opt Options) {
	first := true
	for _, row := range g.measured() {
		if row.Solved(opt.Level, opt.Clock) {
			continue
		}
		if first {
			r.Text("Not solved at %s:", short(opt.Level))
			r.Table("problem", "solver", "its status", "residual", "seconds", "message")
			first = false
		}
		r.Row(row.Instance, row.Contender(), row.Status, number(row.Residual(), "%.1e"),
			number(row.Seconds(opt.Clock), "%.2f"), row.Message)
	}
}

func versions(r *page.Report, groups []*Group) {
	seen := map[string][]string{}
	for _, g := range groups {
		for _, row := range g.measured() {
			seen[row.Solver] = page.AddOnce(seen[row.Solver], row.Version)
		}
	}
	var lines []string
	for _, n := range slices.Sorted(maps.Keys(seen)) {
		lines = append(lines, n+": "+strings.Join(seen[n], ", "))
	}
	r.Heading(2, "Versions")
	r.List(lines...)
}

// millis prints seconds as milliseconds with three digits.
func millis(s float64) string {
	ms := 1000 * s
	if math.IsNaN(ms) {
		return "-"
	}
	return page.Digits(ms, 3)
}

// short prints a tolerance as people write it: 1e-6.
func short(v float64) string {
	return strings.Replace(strconv.FormatFloat(v, 'e', -1, 64), "e-0", "e-", 1)
}

// number prints v, or a dash if it is none.
func number(v float64, format string) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}
