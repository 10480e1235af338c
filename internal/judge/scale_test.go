package judge

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/heuristic"
	"github.com/dcopt/dcopt/internal/judge/exact"
)

// exponents of the powers of two by which problems are scaled: some 1e-9 and 1e9.
// A power of two changes no digit of a number, so that a method that
// has no scale of its own makes the same iterates, bit for bit.
var exponents = []int{-30, 30}

// rescaled is p with the objective times f, rows times g and variables in units
// of 1/v: x = z/v for a z in the place of x.
func rescaled(p *Problem, f, g, v float64) *Problem {
	q := *p
	q.Params = nil
	q.Objective = inUnits(p.Objective, v)
	if f != 1 {
		q.Objective = exact.Scale(f, q.Objective)
	}
	q.Lo, q.Hi, q.Start = times(p.Lo, v), times(p.Hi, v), times(p.Start, v)
	q.Constraints = nil
	for _, c := range p.Constraints {
		for _, r := range c.Rows {
			r.E = inUnits(r.E, v)
			if g != 1 {
				r.E, r.B = exact.Scale(g, r.E), g*r.B
			}
			q.Constraints = append(q.Constraints, Constraint{Rows: []Row{r}})
		}
	}
	return &q
}

func times(x []float64, f float64) []float64 {
	y := slices.Clone(x)
	for k := range y {
		y[k] *= f
	}
	return y
}

// inUnits writes x[k]/v for x[k].
func inUnits(n *exact.Node, v float64) *exact.Node {
	if n.Op == exact.OpVar {
		if v == 1 {
			return n
		}
		return exact.Scale(1/v, n)
	}
	m := *n
	m.Text, m.Args = "", nil
	for _, a := range n.Args {
		m.Args = append(m.Args, inUnits(a, v))
	}
	return &m
}

// iterates are the objectives of the procedure by itself, without what goes
// beyond a step or leaves a point; with those, whole is set and there is only the
// last.
func iterates(t *testing.T, p *Problem, whole bool) (status string, objectives []float64) {
	t.Helper()
	set := ccp.DefaultSettings()
	if !whole {
		set.Heuristics.Acceleration.LineSearch, set.Heuristics.Search = false, heuristic.Search{}
	}
	res, err := ccp.Solve(context.Background(), compiled(t, p.Text()).Problem, nil, set)
	if err != nil {
		return err.Error(), nil
	}
	if whole {
		return res.Status.String(), []float64{res.Objective}
	}
	for _, it := range res.History {
		objectives = append(objectives, it.Objective)
	}
	return res.Status.String(), objectives
}

// scaleProblems are of moderate size and converge.
func scaleProblems(a *Arith) []*Problem {
	var list []*Problem
	for seed := uint64(0); len(list) < 8; seed++ {
		for _, r := range AllSeries() {
			if r.Name != "box60" && r.Name != "linear" {
				continue
			}
			p := r.Draw(a, seed)
			if len(p.Constraints) > 0 && slices.Max(append(times(p.Hi, 1), 60)) <= 60 {
				s := Series{Name: "scale"}.source(a, seed)
				s.lo, s.hi = p.Lo, p.Hi
				p.Start = s.point()
				list = append(list, p)
			}
		}
	}
	return list
}

// scaleKnown are the kinds of scaling under which runs still differ, with how
// many of the runs do, an upper bound that may only fall.
var scaleKnown = map[string]int{
	"rows": 3,
}

// scaleTol is what objectives may differ by, relative to their size and range:
// the backend solves a convex problem to 1e-8, of which the errors add up.
const scaleTol = 1e-5

// differs says how two runs differ; "": not.
func differs(wantStatus, status string, want, got []float64) string {
	if status != wantStatus {
		return fmt.Sprintf("%s, unscaled %s", status, wantStatus)
	}
	size := 0.0
	for _, v := range want {
		size = max(size, math.Abs(v))
	}
	for k := range min(len(want), len(got)) {
		if math.Abs(got[k]-want[k]) > scaleTol*size {
			return fmt.Sprintf("objective %.10g in iteration %d, unscaled %.10g", got[k], k+1, want[k])
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d iterations, unscaled %d", len(got), len(want))
	}
	return ""
}
