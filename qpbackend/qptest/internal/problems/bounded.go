package problems

import (
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Boxed states c with bounds of variables in the place of rows with one entry,
// the first such row of each variable. It reports whether there is any.
func Boxed(c Case) (Case, bool) {
	p := c.Problem
	n, m := p.Dims()
	if p.A == nil {
		return c, false
	}
	byRow, _ := p.A.Transpose()
	q := p.Clone()
	q.Lo, q.Hi = Filled(n, -Inf()), Filled(n, Inf())
	z, gone := make([]float64, n), make([]bool, m)
	bounded := make([]bool, n)
	for i := range m {
		k := byRow.ColPtr[i]
		if byRow.ColPtr[i+1] != k+1 || byRow.Val[k] == 0 || bounded[byRow.RowIdx[k]] || InCone(p, i) {
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
		if b, ok := Boxed(c); ok {
			cases = append(cases, b)
		}
	}
	return cases
}

func InCone(p *qpbackend.Problem, i int) bool {
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

// Bounded are problems with bounds of variables and no other rows, and kinds
// of bounds that rows of one entry do not have.
func Bounded() []Case {
	p := func() *qpbackend.Problem {
		return &qpbackend.Problem{P: Diagonal(1, 1), Q: []float64{-3, 1}, Lo: []float64{0, 0}, Hi: []float64{2, Inf()}}
	}
	lower, upper, wide, row := p(), p(), p(), p()
	lower.Q, lower.Hi = []float64{3, 1}, nil
	upper.Lo = nil
	wide.Lo, wide.Hi = []float64{-1e20, -1e30}, []float64{1e20, Inf()}
	row.A, row.L, row.U = Matrix(2, []float64{1, 1}), []float64{-Inf()}, []float64{1}
	equal := p()
	equal.Lo, equal.Hi = []float64{0.5, -1}, []float64{0.5, -1}
	at := func(name string, p *qpbackend.Problem, x, y, z []float64) Case {
		c := Solved("bounds alone: "+name, p, x, y, true, true)
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
			Q: []float64{0, 0}, A: Matrix(2, []float64{1, 1}), L: []float64{3}, U: []float64{Inf()},
			Hi: []float64{1, 1},
		}},
	}
}
