package leastsq

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// NonNegative is the least squares solution t ≥ 0 of a·t = b, a of len(b) rows: by the active sets
// of Lawson and Hanson. Of columns that depend on each other some are left out, so that the point
// may not be the best.
func NonNegative(a *mat.Dense, b []float64) []float64 {
	m, n := a.Dims()
	t := make([]float64, n)
	in, dependent := make([]bool, n), make([]bool, n)
	residual, gradient := make([]float64, m), make([]float64, n)
	rv, gv := mat.NewVecDense(m, residual), mat.NewVecDense(n, gradient)
	down := func(t []float64) { // sets the gradient, negated
		rv.MulVec(a, mat.NewVecDense(n, t))
		for i := range residual {
			residual[i] = b[i] - residual[i]
		}
		gv.MulVec(a.T(), rv)
	}
	gram := mat.NewSymDense(n, nil)
	gram.SymOuterK(1, a.T())
	tol := 0.0
	for range 3 * n {
		down(t)
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
			s, ok := fitted(gram, in, gradient, down)
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
					t[j] = max(0, t[j]+step*(s[j]-t[j]))
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

// fitted is the least squares solution in the columns of a set, by the matrix of products of
// columns of length 1. As that squares the condition of the problem, the solution is refined by
// gradients, which down sets.
func fitted(gram *mat.SymDense, in []bool, gradient []float64, down func(t []float64)) ([]float64, bool) {
	var cols []int
	for j := range in {
		if in[j] {
			cols = append(cols, j)
		}
	}
	length := func(j int) float64 { return max(math.Sqrt(gram.At(j, j)), math.SmallestNonzeroFloat64) }
	unit := mat.NewSymDense(len(cols), nil)
	for i, j := range cols {
		for q, k := range cols[:i+1] {
			unit.SetSym(i, q, gram.At(j, k)/length(j)/length(k))
		}
	}
	var c mat.Cholesky
	if !c.Factorize(unit) || c.Cond() > 1e13 {
		return nil, false
	}
	s, rest := make([]float64, len(in)), mat.NewVecDense(len(cols), nil)
	for range 3 {
		down(s)
		for i, j := range cols {
			rest.SetVec(i, gradient[j]/length(j))
		}
		if c.SolveVecTo(rest, rest) != nil {
			return nil, false
		}
		for i, j := range cols {
			s[j] += rest.AtVec(i) / length(j)
		}
	}
	return s, true
}
