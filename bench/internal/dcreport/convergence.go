package dcreport

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/bench/internal/chart"
	"github.com/dcopt/dcopt/bench/internal/dcrun"
)

// Convergence are the runs on a problem, by iteration.
type Convergence struct {
	Problem string
	Lines   []chart.Line // of all parts
}

// Convergence sorts the histories by the group's problems; histories of solvers
// without a row are left out.
func (g *Group) Convergence(histories []dcrun.History) []Convergence {
	var all []Convergence
	for _, problem := range g.Problems {
		c := Convergence{Problem: problem}
		for _, h := range histories {
			if h.Group != g.Name || h.Problem != problem || !slices.Contains(g.Solvers, h.Solver) {
				continue
			}
			best, ok := g.best[[2]string{problem, h.Part}]
			if !ok {
				best = math.NaN()
			}
			l := chart.Line{Name: h.Solver, Violation: h.Violations}
			for _, v := range h.Objectives {
				l.Gap = append(l.Gap, math.Abs(v-best)/max(1, math.Abs(best)))
			}
			c.Lines = append(c.Lines, l)
		}
		if len(c.Lines) > 0 {
			all = append(all, c)
		}
	}
	return all
}

// Plot draws them to each path, in the format of its ending.
func (c Convergence) Plot(paths ...string) error {
	return chart.Convergence(c.Problem+": convergence", c.Lines, paths...)
}
