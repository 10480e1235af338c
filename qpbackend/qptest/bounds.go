package qptest

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// boxed states c with bounds of variables in the place of rows with one entry,
// the first such row of each variable. It reports whether there is any.
func boxed(c Case) (Case, bool) {
	p := c.Problem
	n, m := p.Dims()
	if p.A == nil {
		return c, false
	}
	byRow, _ := p.A.Transpose()
	q := p.Clone()
	q.Lo, q.Hi = fill(n, -inf()), fill(n, inf())
	z, gone := make([]float64, n), make([]bool, m)
	bounded := make([]bool, n)
	for i := range m {
		k := byRow.ColPtr[i]
		if byRow.ColPtr[i+1] != k+1 || byRow.Val[k] == 0 || bounded[byRow.RowIdx[k]] || inCone(p, i) {
			continue
		}
		j, a := byRow.RowIdx[k], byRow.Val[k]
		lo, hi := p.Sides(i)
		if lo, hi = lo/a, hi/a; a < 0 {
			lo, hi = hi, lo
		}
		q.Lo[j], q.Hi[j], bounded[j], gone[i] = lo, hi, true, true
		if c.Y != nil {
			z[j] = c.Y[i] * a
		}
	}
	if !slices.Contains(gone, true) {
		return c, false
	}
	withoutRows(q, gone)
	c.Name, c.Problem, c.Z = "bounds: "+c.Name, q, z
	c.Y = slices.Clone(c.Y)
	if c.Y != nil {
		c.Y = keep(c.Y, gone)
	}
	return c, true
}

// withBoxed appends the boxed cases.
func withBoxed(cases []Case) []Case {
	for _, c := range cases {
		if b, ok := boxed(c); ok {
			cases = append(cases, b)
		}
	}
	return cases
}

func inCone(p *qpbackend.Problem, i int) bool {
	return slices.ContainsFunc(p.Cones, func(c qpbackend.Cone) bool { return i >= c.Start && i < c.Start+c.Len })
}

// withoutRows takes rows, none of a cone, out of p.
func withoutRows(p *qpbackend.Problem, gone []bool) {
	place, rows := make([]int, len(gone)), 0
	for i, out := range gone {
		place[i] = rows
		if !out {
			rows++
		}
	}
	for k, c := range p.Cones {
		p.Cones[k].Start = place[c.Start]
	}
	var t sparse.Triplets
	for j := range p.A.Cols {
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			if i := p.A.RowIdx[k]; !gone[i] {
				t.Add(place[i], j, p.A.Val[k])
			}
		}
	}
	p.A, _ = t.CSC(rows, p.A.Cols)
	p.L, p.U = keep(p.L, gone), keep(p.U, gone)
}

func keep(v []float64, gone []bool) []float64 {
	var out []float64
	for i, e := range v {
		if !gone[i] {
			out = append(out, e)
		}
	}
	return out
}

// boundCases are problems with bounds of variables and no other rows, and kinds
// of bounds that rows of one entry do not have.
func boundCases() []Case {
	p := func() *qpbackend.Problem {
		return &qpbackend.Problem{P: diag(1, 1), Q: []float64{-3, 1}, Lo: []float64{0, 0}, Hi: []float64{2, inf()}}
	}
	lower, upper, wide, row := p(), p(), p(), p()
	lower.Q, lower.Hi = []float64{3, 1}, nil
	upper.Lo = nil
	wide.Lo, wide.Hi = []float64{-1e20, -1e30}, []float64{1e20, inf()}
	row.A, row.L, row.U = matrix(2, []float64{1, 1}), []float64{-inf()}, []float64{1}
	equal := p()
	equal.Lo, equal.Hi = []float64{0.5, -1}, []float64{0.5, -1}
	at := func(name string, p *qpbackend.Problem, x, y, z []float64) Case {
		c := solved("bounds alone: "+name, p, x, y, true, true)
		c.Z = z
		return c
	}
	return []Case{
		at("both sides", p(), []float64{2, 0}, nil, []float64{1, -1}),
		at("no upper ones", lower, []float64{0, 0}, nil, []float64{-3, -1}),
		at("no lower ones", upper, []float64{2, -1}, nil, []float64{1, 0}),
		at("as good as infinite", wide, []float64{3, -1}, nil, []float64{0, 0}),
		at("equal", equal, []float64{0.5, -1}, nil, []float64{2.5, 0}),
		at("beside a row", row, []float64{1, 0}, []float64{2}, []float64{0, -3}),
		{Name: "bounds alone: unbounded", Want: qpbackend.DualInfeasible, Problem: &qpbackend.Problem{
			Q: []float64{1, -1}, Lo: []float64{0, 0},
		}},
		{Name: "bounds alone: infeasible with a row", Want: qpbackend.PrimalInfeasible, Problem: &qpbackend.Problem{
			Q: []float64{0, 0}, A: matrix(2, []float64{1, 1}), L: []float64{3}, U: []float64{inf()}, Hi: []float64{1, 1},
		}},
	}
}

// badBounds spoil the bounds of a problem with two variables.
var badBounds = []struct {
	name   string
	lo, hi []float64
}{
	{"crossed bounds of a variable", []float64{2, 0}, []float64{1, 1}},
	{"a lower bound of +inf for a variable", []float64{0, math.Inf(1)}, nil},
	{"an upper bound of -inf for a variable", nil, []float64{math.Inf(-1), 0}},
	{"a NaN in the bounds of a variable", []float64{0, math.NaN()}, nil},
	{"too few lower bounds", []float64{0}, nil},
	{"too many upper bounds", nil, []float64{1, 1, 1}},
}

// bounding checks the rules for bounds of variables.
func (s suite) bounding() []Check {
	var out []Check
	for _, bad := range badBounds {
		out = append(out, Check{"refuse/" + bad.name, func(t TB) {
			p := &qpbackend.Problem{P: diag(1, 1), Q: []float64{1, 1}, Lo: bad.lo, Hi: bad.hi}
			if solver, err := s.b.New(context.Background(), p, s.settings()); err == nil {
				solver.Close()
				t.Errorf("New accepts it")
			}
			s.refusesUpdate(t, bad.lo, bad.hi)
		}})
	}
	return append(out, Check{"update/first bounds of a variable", s.firstBounds})
}

// refusesUpdate sends bad bounds as an update, and solves again.
func (s suite) refusesUpdate(t TB, lo, hi []float64) {
	c := boundCases()[0]
	solver := s.make(t, c.Problem, s.settings())
	if solver == nil {
		return
	}
	defer solver.Close()
	if err := solver.Update(qpbackend.Update{Q: fill(2, 7), Lo: lo, Hi: hi}); err == nil {
		t.Errorf("Update accepts it")
		return
	}
	if res := run(t, solver); res != nil {
		s.optimal(t, c, res)
	}
}

// firstBounds gives bounds to a problem without any, and takes them away.
func (s suite) firstBounds(t TB) {
	c := boundCases()[0]
	free := c.Problem.Clone()
	free.Lo, free.Hi = nil, nil
	none := solved("", free, []float64{3, -1}, nil, true, true)
	solver := s.make(t, free, s.settings())
	if solver == nil {
		return
	}
	defer solver.Close()
	for _, step := range []struct {
		u    qpbackend.Update
		want Case
	}{
		{qpbackend.Update{}, none},
		{qpbackend.Update{Lo: c.Problem.Lo, Hi: c.Problem.Hi}, c},
		{qpbackend.Update{Lo: fill(2, -inf()), Hi: fill(2, inf())}, none},
		{qpbackend.Update{Lo: c.Problem.Lo, Hi: c.Problem.Hi}, c},
	} {
		if err := solver.Update(step.u); err != nil {
			t.Errorf("Update: %v", err)
			return
		}
		if res := run(t, solver); res != nil {
			s.optimal(t, step.want, res)
		}
	}
}
