package fixed

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/reduce"
)

// Reduction leaves out the columns Cols, which ascend and have equal bounds, and those to which
// Equations give their values. With the values v of both and the other columns f the rest is
//
//	minimise    ½ x'P_ff x + (q_f + P_fc v)'x + r + q_c'v + ½ v'P_cc v
//	subject to  l − A_c v ≤ A_f x ≤ u − A_c v
//
// and likewise in cones. Multipliers of the columns' bounds, and of the equations, follow from
// Px + q + A'y + z = 0.
type Reduction struct {
	Cols      []int
	Equations []Equation
}

// reduced is the problem without the columns.
type reduced struct {
	pinned    []int
	equations []equation
	out       []int // all columns that are left out
	part      *reduce.Part
	values    []float64                 // by column: of those left out, else 0
	cost      []float64                 // room for the slopes of columns
	last      [reduce.Vectors][]float64 // the costs, bounds and sides of the part before
}

// New leaves a problem as it is where no column is to be left out.
func (r Reduction) New(_ context.Context, p *qpbackend.Problem, _ qpbackend.Settings) (reduce.Reduced, error) {
	if len(r.Cols)+len(r.Equations) == 0 {
		return nil, nil
	}
	n, m := p.Dims()
	out := slices.Clone(r.Cols)
	for _, e := range r.Equations {
		out = append(out, e.Col)
	}
	slices.Sort(out)
	var free []int
	for j := range n {
		if _, in := slices.BinarySearch(out, j); !in {
			free = append(free, j)
		}
	}
	rows := make([]int, m)
	for i := range rows {
		rows[i] = i
	}
	s := &reduced{pinned: r.Cols, out: out, values: make([]float64, n), cost: make([]float64, n)}
	s.locate(p.A, r.Equations)
	s.part = reduce.NewPart(p, rows, free, true)
	s.part.Problem.Cones = p.Cones
	return s, nil
}

// Apply passes on what has changed in the part.
func (s *reduced) Apply(_ context.Context, p *qpbackend.Problem, ask reduce.Ask) (reduce.Task, error) {
	now, free := s.part.Problem, s.part.Cols
	t := reduce.Task{Problem: now, Keep: true, Cols: free, Start: s.start(ask.Start), Early: reduce.Passed}
	if ask.Goal.At != nil {
		given, _ := slices.BinarySearch(free, len(ask.Goal.At))
		t.Goal = reduce.Goal{At: reduce.Pick(make([]float64, given), ask.Goal.At, free[:given]), Least: ask.Goal.Least}
	}
	if !ask.Changed() {
		return t, nil
	}
	s.fill(p)
	news := reduce.All(now)
	vectors := reduce.Values(&news)
	for k, v := range vectors[:reduce.Vectors] {
		if slices.Equal(*v, s.last[k]) {
			*v = nil
		} else {
			s.last[k] = append(s.last[k][:0], *v...)
		}
	}
	if ask.News.P == nil {
		news.P = nil
	}
	if ask.News.A == nil {
		news.A = nil
	}
	if t.News = news; ask.News.P != nil || ask.News.A != nil {
		s.part.Matrices(p)
	}
	return t, nil
}

// start is the part of a point; the rest lacks the multipliers of the equations.
func (s *reduced) start(of reduce.Point) reduce.Point {
	start := s.part.Start(of)
	for _, e := range s.equations {
		if start.Y != nil {
			start.Y[e.Row] = 0
		}
	}
	return start
}

// fill writes the costs, sides and bounds of the part.
func (s *reduced) fill(p *qpbackend.Problem) {
	now, free := s.part.Problem, s.part.Cols
	reduce.Pick(now.Q, p.Q, free)
	reduce.Pick(now.Lo, p.Lo, free)
	reduce.Pick(now.Hi, p.Hi, free)
	copy(now.L, p.L)
	copy(now.U, p.U)
	now.R = p.R
	s.known(p)
	clear(s.cost)
	p.P.AddSymMulVec(s.cost, 1, s.values)
	for f, j := range free {
		now.Q[f] += s.cost[j]
	}
	for _, j := range s.out {
		v := s.values[j]
		now.R += v * (p.Q[j] + s.cost[j]/2)
		for k := p.A.ColPtr[j]; v != 0 && k < p.A.ColPtr[j+1]; k++ {
			i, d := p.A.RowIdx[k], p.A.Val[k]*v
			now.L[i] -= d
			now.U[i] -= d
		}
	}
}

// Invert completes an answer.
func (s *reduced) Invert(
	_ context.Context, p *qpbackend.Problem, from, to *qpbackend.Result,
) (reduce.Verdict, error) {
	free := s.part.Cols
	proof, ray := to.Status == qpbackend.PrimalInfeasible, to.Status == qpbackend.DualInfeasible
	to.X, to.Z = append(to.X[:0], s.values...), append(to.Z[:0], s.values...)
	if ray {
		clear(to.X)
		clear(to.Z)
	}
	reduce.Spread(to.X, from.X, free)
	reduce.Spread(to.Z, from.Z, free)
	to.Y = append(to.Y[:0], from.Y...)
	if ray {
		return reduce.Measured, nil
	}
	slope := s.cost
	if clear(slope); !proof {
		copy(slope, p.Q)
		p.P.AddSymMulVec(slope, 1, to.X)
	}
	for _, j := range s.out {
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			slope[j] += p.A.Val[k] * to.Y[p.A.RowIdx[k]]
		}
		to.Z[j] = -slope[j]
	}
	s.shift(p.A, to.Y, to.Z, proof)
	return reduce.Final, nil
}
