package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/dcopt/dcopt/bench/internal/page"
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
	// A NaN is less than all numbers.
	slices.SortStableFunc(all, func(a, b Ratio) int { return cmp.Compare(b.Ratio, a.Ratio) })
	return all
}

func (g *Group) ratios(to *page.Report, own string, opt Options) {
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
	to.Heading(3, own+" against "+opt.Against)
	to.Text("Times at %s, the ratio above 1 where %s is slower; it is faster on %d of %d. The geometric mean of the "+
		"ratio where both solve is %s. The last two columns are the ratios of CPU time in the set-up and, behind it, "+
		"an iteration.", short(opt.Level), own, faster, len(all), number(stats.ShiftedGeometricMean(both, 0), "%.2f"))
	if worst, where := disagreement(all); where != "" {
		to.Text("Where both solve, the objectives differ by at most %.1e, relative to max(1, |objective|), on %s.",
			worst, where)
	}
	to.Table("problem", "n", "m", "nnz", own+", ms", "iterations", opt.Against+", ms", "iterations", "ratio", "set-up",
		"iteration")
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
		to.Row(append(sizes(r.Own), cell(r.Own, opt), strconv.Itoa(r.Own.Iterations), cell(r.Other, opt),
			strconv.Itoa(r.Other.Iterations), ratio, number(r.Own.Setup/r.Other.Setup, "%.2f"),
			number(perIteration(r.Own)/perIteration(r.Other), "%.2f"))...)
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
