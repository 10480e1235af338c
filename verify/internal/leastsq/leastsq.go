package leastsq

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// NonNegative is the least squares solution t ≥ 0 of a·t = b, a of len(b) rows: by the active sets
// of Lawson and Hanson. Of columns that depend on each other some are left out, so that the point may not be the best.
func NonNegative(a *mat.Dense, b []float64) []float64 {
	m, n := a.Dims()
	t := make([]float64, n)
	in, dependent := make([]bool, n), make([]bool, n)
	residual, gradient := make([]float64, m), make([]float64, n)
	rv, gv := mat.NewVecDense(m, residual), mat.NewVecDense(n, gradient)
	tol := 0.0
	for range 3 * n {
		rv.MulVec(a, mat.NewVecDense(n, t))
		for i := range residual {
			residual[i] = b[i] - residual[i]
		}
		gv.MulVec(a.T(), rv)
		best := -1
		for j := range n {
			tol = max(tol, 1e-13*math.Abs(gradient[j]))
			if !in[j] && !dependent[j] && gradient[j] > tol && (best < 0 || gradient[j] > gradient[best]) {
				best = j
			}
		}
		if best < 0 {
			return t
		}
		in[best] = true
		for {
			s, ok := fitted(a, b, in)
			if !ok { // leave the newest out
				in[best], dependent[best] = false, true
				break
			}
			step, out := 1.0, -1
			for j := range n {
				if in[j] && s[j] <= 0 {
					if f := t[j] / (t[j] - s[j]); t[j] == s[j] || f < step {
						step, out = max(0, f), j
						if t[j] == s[j] {
							step = 0
						}
					}
				}
			}
			if out < 0 {
				copy(t, s)
				break
			}
			for j := range n {
				if in[j] {
					t[j] += step * (s[j] - t[j])
				}
			}
			t[out], in[out] = 0, false
			if !slices.Contains(in, true) {
				return t
			}
		}
	}
	return t
}

// fitted is the least squares solution in the columns of a set.
func fitted(a *mat.Dense, b []float64, in []bool) ([]float64, bool) {
	m, n := a.Dims()
	var cols []int
	for j := range n {
		if in[j] {
			cols = append(cols, j)
		}
	}
	if len(cols) > m {
		return nil, false
	}
	sub := mat.NewDense(m, len(cols), nil)
	for k, j := range cols {
		for i := range m {
			sub.Set(i, k, a.At(i, j))
		}
	}
	var qr mat.QR
	qr.Factorize(sub)
	if qr.Cond() > 1e13 {
		return nil, false
	}
	x := mat.NewVecDense(len(cols), nil)
	if err := qr.SolveVecTo(x, false, mat.NewVecDense(m, slices.Clone(b))); err != nil {
		return nil, false
	}
	s := make([]float64, n)
	for k, j := range cols {
		s[j] = x.AtVec(k)
	}
	return s, true
}
