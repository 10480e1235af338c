package safe

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Semidefinite is a matrix that is positive semidefinite, a little beside a given one. more is
// added to the diagonal.
func Semidefinite(m *mat.SymDense) (out *mat.SymDense, more float64) {
	size := 0.0
	for i := range m.SymmetricDim() {
		size = max(size, math.Abs(m.At(i, i)))
	}
	out, shift, e := Shifted(m, 1e-14*max(size, 1e-300)*float64(m.SymmetricDim()), math.MaxFloat64)
	if e < 0 { // an entry is not finite: no bound comes of it
		return out, math.Inf(1)
	}
	raise(out, e)
	return out, shift + e
}

func raise(m *mat.SymDense, by float64) {
	for i := range m.SymmetricDim() {
		m.SetSym(i, i, m.At(i, i)+by)
	}
}

// Shifted adds a shift between from and most to the diagonal of a matrix, so that the elimination
// of Cholesky ends. The matrix plus its rounding errors is then positive semidefinite (Rump 2006,
// Verification of positive definiteness): with e on the diagonal, twice (n + 2)·2⁻⁵² times the
// trace. −1: there is no such shift.
func Shifted(m *mat.SymDense, from, most float64) (out *mat.SymDense, shift, e float64) {
	n := m.SymmetricDim()
	out = mat.NewSymDense(n, nil)
	for shift = from; shift <= most; shift = max(4*shift, math.SmallestNonzeroFloat64) {
		out.CopySym(m)
		raise(out, shift)
		var c mat.Cholesky
		if c.Factorize(out) {
			return out, shift, 2 * float64(n+2) * 0x1p-52 * mat.Trace(out) // its diagonal is positive
		}
	}
	return out, shift, -1
}
