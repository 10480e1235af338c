package chordal

import (
	"context"

	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/num"
)

// Source: derived: firstLift is a hundred unit roundoffs, some for the rounding of a factor of a
// clique; beyond lastLift the cliques were not semidefinite to any useful accuracy.
const (
	firstLift = 1e-14
	lastLift  = 1e-4
)

// Complete fills in the entries of m outside the cliques, so that m is positive semidefinite where
// its cliques are: m + lift·I is the completion of largest determinant, for a lift that is little
// more than makes all cliques positive definite. m is n × n and symmetric, by the new numbers; in
// cliques nothing changes. It returns false where no such lift is of use, or ctx has ended.
func (t *Tree) Complete(ctx context.Context, m []float64) bool {
	n, top := len(t.Order), 0.0
	for i := range n {
		top = max(top, m[i*n+i])
	}
	if !(top > 0) {
		return false
	}
	f := &factoring{m: m, n: n, product: matrix.NewProduct()}
	f.product.Within(ctx)
	lift := f.least(t) + firstLift*top
	for lift <= lastLift*top && !f.definite(t, lift) {
		lift *= 2
	}
	if !(lift <= lastLift*top) || ctx.Err() != nil {
		return false
	}
	for _, c := range t.Cliques {
		if f.factor(c, lift); f.product.Ends(n * len(c.Vertices)) {
			return false
		}
		f.extend(c)
	}
	return true
}

// factoring is the work of a completion.
type factoring struct {
	m       []float64
	n       int
	r       []float64 // RᵀR = the part of m that is the clique, lifted
	x       []float64
	product *matrix.Product
}

// least is how far the least eigenvalue of the cliques is below zero.
func (f *factoring) least(t *Tree) float64 {
	low := 0.0
	for _, c := range t.Cliques {
		f.load(c, 0)
		low = min(low, matrix.NewTridiagonal(len(c.Vertices)).Least(f.r, f.product.Ends))
	}
	return -low
}

func (f *factoring) definite(t *Tree, lift float64) bool {
	for _, c := range t.Cliques {
		if !f.factor(c, lift) {
			return false
		}
	}
	return true
}

// factor factors the part of m that is the clique, lifted.
func (f *factoring) factor(c Clique, lift float64) bool {
	f.load(c, lift)
	return f.product.Cholesky(f.r, len(c.Vertices))
}

func (f *factoring) load(c Clique, lift float64) {
	k := len(c.Vertices)
	if cap(f.r) < k*k {
		f.r, f.x = make([]float64, k*k), make([]float64, k)
	}
	f.r = f.r[:k*k]
	for i, v := range c.Vertices {
		for j, w := range c.Vertices {
			f.r[i*k+j] = f.m[int(v)*f.n+int(w)]
		}
		f.r[i*k+i] += lift
	}
}

// extend sets the entries between the vertices that are new with the clique, and those that are
// before it but not in it, by the factor of the clique: M_RN = M_RU·M_UU⁻¹·M_UN.
func (f *factoring) extend(c Clique) {
	k, n := len(c.Vertices), f.n
	if c.Outer == 0 {
		return
	}
	outer := c.Vertices[:c.Outer]
	first := int(c.Vertices[c.Outer]) // the vertices before it have been seen
	row := make([]float64, first)
	for _, v := range c.Vertices[c.Outer:] {
		x := f.x[:c.Outer]
		for i, u := range outer { // forward, with Rᵀ
			s := f.m[int(v)*n+int(u)]
			for p := range i {
				s -= f.r[p*k+i] * x[p]
			}
			x[i] = s / f.r[i*k+i]
		}
		for i := c.Outer - 1; i >= 0; i-- {
			x[i] = (x[i] - num.Dot(f.r[i*k+i+1:i*k+c.Outer], x[i+1:])) / f.r[i*k+i]
		}
		clear(row)
		for i, u := range outer {
			num.Axpy(row, x[i], f.m[int(u)*n:][:first])
		}
		for _, u := range outer {
			row[u] = f.m[int(v)*n+int(u)]
		}
		for w, e := range row {
			f.m[int(v)*n+w], f.m[w*n+int(v)] = e, e
		}
	}
}
