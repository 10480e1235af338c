package boxqp

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/program"
)

// Quadratic is linear·x + ½xᵀHx over lo ≤ x ≤ hi.
type Quadratic struct {
	lo, hi []float64
	linear []float64
	diag   []float64 // of H
	rows   [][]entry // of H, without the diagonal
}

// entry is an entry of a row.
type entry struct {
	col int
	val float64
}

// Of is the objective of p, or nil where p has constraints, a variable without bounds or an
// objective that is not quadratic, as far as its Hessians at three points tell.
func Of(p *program.Problem) *Quadratic {
	n := p.NumVars()
	f := &p.Objective
	times, ok := convex.HessianOf(f)
	if !ok || len(p.Constraints) > 0 || float64(n*family.Coefficients(*f)) > mostWork {
		return nil
	}
	q := &Quadratic{linear: make([]float64, n), diag: make([]float64, n), rows: make([][]entry, n)}
	q.lo, q.hi = p.Box()
	v, mid := make([]float64, n), make([]float64, n)
	for j, hi := range q.hi {
		v[j], mid[j] = 1+math.Sqrt(float64(j)), q.lo[j]+(hi-q.lo[j])/2
		if math.IsInf(hi-q.lo[j], 1) {
			return nil
		}
	}
	product := func(x []float64) []float64 {
		out := make([]float64, n)
		times(out, 1, x, v)
		return out
	}
	low, high, between := product(q.lo), product(q.hi), product(mid)
	clear(v)
	size := 0.0
	for _, h := range between {
		size = max(size, rounding*math.Abs(h))
	}
	for j, h := range between {
		if !(math.Abs(low[j]-h) <= size && math.Abs(high[j]-h) <= size) {
			return nil
		}
		v[j] = 1
		for i, h := range product(mid) {
			switch {
			case i == j:
				q.diag[j] = h
			case h != 0:
				q.rows[j] = append(q.rows[j], entry{i, h})
			}
		}
		v[j] = 0
	}
	p.Objective.AddGradient(q.linear, 1, make([]float64, n))
	return q
}
