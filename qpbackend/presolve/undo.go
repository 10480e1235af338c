package presolve

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/reduce"
)

// undo takes the solution of the reduced problem, nil where there is none, back to the
// problem as stated, reusing the slices of dst. Of a ray nothing constant remains.
func (r *reduction) undo(dst, from *qpbackend.Result, ray bool) {
	x, y, z := append(dst.X[:0], r.x...), append(dst.Y[:0], r.y...), append(dst.Z[:0], make([]float64, len(r.x))...)
	if ray {
		clear(x)
		clear(y)
	}
	if from != nil {
		reduce.Spread(x, from.X, r.cols)
		reduce.Spread(z, from.Z, r.cols)
		reduce.Spread(y, from.Y, r.rows)
	}
	for _, v := range r.proof {
		y[v.row] = v.y
		z[v.col] += v.z
	}
	for k := len(r.stack) - 1; k >= 0; k-- {
		s := r.stack[k]
		switch s.kind {
		case fixed:
			z[s.col] = -r.gradient(s.col, x, y, ray)
		case bound:
			s.share(y, &z[s.col])
		case multiple:
			s.share(y, &y[s.other])
		case singleton:
			x[s.col] = r.solveRow(s, x, ray)
		}
	}
	dst.X, dst.Y, dst.Z = x, y, z
}

// gradient is (Px + q + Aᵀy)_j; of a ray, (Aᵀy)_j.
func (r *reduction) gradient(j int, x, y []float64, ray bool) float64 {
	g := 0.0
	if !ray {
		g = r.p.Q[j]
		for k := r.pFull.ColPtr[j]; k < r.pFull.ColPtr[j+1]; k++ {
			g += r.pFull.Val[k] * x[r.pFull.RowIdx[k]]
		}
	}
	for k := r.p.A.ColPtr[j]; k < r.p.A.ColPtr[j+1]; k++ {
		g += r.p.A.Val[k] * y[r.p.A.RowIdx[k]]
	}
	return g
}

// share gives the multiplier of a bound or of the row kept to the step's row, whose side it was.
func (s step) share(y []float64, of *float64) {
	if *of > 0 && s.upper || *of < 0 && s.lower {
		y[s.row], *of = *of/s.a, 0
	}
}

// solveRow is the value of a singleton's column that makes its row hold.
func (r *reduction) solveRow(s step, x []float64, ray bool) float64 {
	t := r.byRow
	rest := 0.0
	for k := t.ColPtr[s.row]; k < t.ColPtr[s.row+1]; k++ {
		if j := t.RowIdx[k]; j != s.col {
			rest += t.Val[k] * x[j]
		}
	}
	switch {
	case ray:
		return -rest / s.a
	case math.IsNaN(s.b):
		return (min(max(rest, s.lo), s.hi) - rest) / s.a
	}
	return (s.b - rest) / s.a
}
