package implied

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// beyond is how many of its units a column without bounds is taken to be from 0 at
// most where a proof leaves a remainder of it, which no floating-point proof is without.
// Source: docs/lab/ccp.md, Constants.
const beyond = 1e6

// remainder is how large, relative to the sum of the sizes of the terms, a sum of multipliers
// is that may be one of terms that cancel each other. A larger one
// is a multiplier of the column, which may be of any size where it has no bounds.
// Source: derived: half the digits of float64.
const remainder = 0x1p-26

// coneRemainder is the same relative to the multipliers of whole cones, of which each is known
// to the rounding of the largest, and to outward. Source: derived: some hundred times outward.
const coneRemainder = 0x1p-40

// Sweeps of Tighten: bounds go from the variables through an epigraph in an epigraph.
// Source: docs/lab/ccp.md, Constants.
const Sweeps = 10

// Infeasible reports whether the multipliers y, a proof of a backend, prove p
// infeasible: whether with x within its bounds and those that the rows imply, and y made
// one of the dual cones, the least value of yᵀAx is above the largest that the rows
// leave it, by more than the errors of the sums and of the data. Columns without such
// bounds are taken to be within beyond of their units where the terms of their sum
// cancel each other up to remainder; there is no proof where they do not.
func Infeasible(p *qpbackend.Problem, y, units []float64) bool {
	n, m := p.Dims()
	if len(y) != m {
		return false
	}
	lo, hi := make([]float64, n), make([]float64, n)
	for j := range n {
		lo[j], hi[j] = p.Bounds(j)
	}
	if !Tighten(p, lo, hi, Sweeps) {
		return true
	}
	y = slices.Clone(y)
	dropAlone(p, y, lo, hi)
	inside := InCones(p)
	if !intoDuals(p, y, inside) {
		return false
	}
	most, err := leaves(p, y, inside)
	least := 0.0
	w, size, count := make([]float64, n), make([]float64, n), make([]float64, n)
	conic, whole := make([]float64, n), coneNorms(p, y)
	each(p.A, func(i, j int, v float64) {
		w[j] += v * y[i]
		size[j] += math.Abs(v * y[i])
		conic[j] += math.Abs(v * whole[i])
		count[j]++
	})
	for j := range n {
		e := (count[j] + dataErrors + 1) * unit * size[j]
		far := beyond * max(units[j], 1) // the unit of e^-50 is no bound of it
		if endless(w[j], lo[j], hi[j]) && math.Abs(w[j]) > remainder*size[j]+coneRemainder*conic[j] {
			return false
		}
		from, to := max(lo[j], -far), min(hi[j], far)
		least += min((w[j]-e)*from, (w[j]-e)*to, (w[j]+e)*from, (w[j]+e)*to)
		err += 4 * unit * (math.Abs(w[j]) + e) * max(math.Abs(from), math.Abs(to))
	}
	err += float64(n) * unit * math.Abs(least)
	return least-most > 2*err
}

// coneNorms are by row the largest multipliers of their cones, 0 outside.
func coneNorms(p *qpbackend.Problem, y []float64) []float64 {
	out := make([]float64, len(y))
	for _, c := range p.Cones {
		top := num.NormInf(y[c.Start : c.Start+c.Len])
		for i := range c.Len {
			out[c.Start+i] = top
		}
	}
	return out
}

// endless reports whether w times a column within its bounds has no least value.
func endless(w, lo, hi float64) bool {
	return w > 0 && math.IsInf(lo, -1) || w < 0 && math.IsInf(hi, 1)
}

// dropAlone makes 0 the multipliers of a column without a bound whose terms all have one
// sign: they cancel nothing, and those of a proof are 0.
func dropAlone(p *qpbackend.Problem, y, lo, hi []float64) {
	w, size := make([]float64, len(lo)), make([]float64, len(lo))
	each(p.A, func(i, j int, v float64) {
		w[j] += v * y[i]
		size[j] += math.Abs(v * y[i])
	})
	each(p.A, func(i, j int, v float64) {
		if v != 0 && math.Abs(w[j]) == size[j] && endless(w[j], lo[j], hi[j]) {
			y[i] = 0
		}
	})
}

// leaves is the largest value of yᵀAx that rows and cones allow, with a bound of its
// error. conic marks the rows of cones.
func leaves(p *qpbackend.Problem, y []float64, conic []bool) (most, err float64) {
	for i, v := range y {
		if v == 0 {
			continue
		}
		b := p.U[i]
		if conic[i] || v < 0 {
			b = p.L[i]
		}
		most += v * b
		err += (dataErrors + float64(len(y))) * unit * math.Abs(v*b)
	}
	return most, err
}

// intoDuals moves y to multipliers that may prove something: those of absent bounds become 0,
// those of a cone minus a point of its dual. It returns false where y is no number.
func intoDuals(p *qpbackend.Problem, y []float64, conic []bool) bool {
	for _, c := range p.Cones {
		z := y[c.Start : c.Start+c.Len]
		for i := range z {
			z[i] = -z[i]
		}
		intoDual(c, z)
		for i := range z {
			z[i] = -z[i]
		}
	}
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
		if !conic[i] && (v > 0 && math.IsInf(p.U[i], 1) || v < 0 && math.IsInf(p.L[i], -1)) {
			y[i] = 0
		}
	}
	return true
}

// outward is by how much a number that makes a point one of a dual cone is made larger
// still, for rounding.
// Source: derived: some ninety unit roundoffs, beyond those of a sum of squares or an exponential.
const outward = 1e-14

// intoDual moves z into the dual of the cone by making one entry, or all of a diagonal,
// larger.
func intoDual(c qpbackend.Cone, z []float64) {
	switch c.Kind {
	case qpbackend.SecondOrder:
		z[0] = max(z[0], num.Norm2(z[1:])*(1+outward*float64(c.Len)))
	case qpbackend.Exponential: // −z₀·exp(z₁/z₀ − 1) ≤ z₂, z₀ < 0
		z[0], z[2] = min(z[0], 0), max(z[2], 0)
		if least := -z[0] * math.Exp(z[1]/z[0]-1) * (1 + 1e-12); z[0] < 0 && least < math.Inf(1) {
			z[2] = max(z[2], least)
		} else {
			z[0], z[1] = 0, max(z[1], 0)
		}
	case qpbackend.Power: // (z₀/α)^α·(z₁/(1−α))^(1−α) ≥ |z₂|
		z[0], z[1] = max(z[0], 0), max(z[1], 0)
		if z[0] == 0 || z[1] == 0 {
			z[2] = 0
			return
		}
		α := c.Alpha
		least := α * math.Pow(math.Abs(z[2])/math.Pow(z[1]/(1-α), 1-α), 1/α) * (1 + 1e-12/α)
		if z[0] = max(z[0], least); math.IsInf(z[0], 1) {
			clear(z)
		}
	case qpbackend.Semidefinite:
		intoSemidefinite(z)
	}
}

// intoSemidefinite adds the least to the diagonal that makes all eigenvalues of the matrix at
// least the error with which they are computed.
func intoSemidefinite(z []float64) {
	var eig dense.EigenSym
	if !eig.Factorize(Matrix(z, 1), false) {
		clear(z)
		return
	}
	λ := eig.Values(nil)
	n := len(λ)
	least, top := λ[0], math.Max(math.Abs(λ[0]), math.Abs(λ[n-1]))
	add := max(0, float64(8*n)*unit*top-least)
	for k, j := 0, 0; j < n; k, j = k+j+2, j+1 {
		z[k] += add
	}
}

// Matrix is w times the symmetric matrix of the rows z of a semidefinite cone: the entries of its
// columns down to the diagonal, those beside it times √2.
func Matrix(z []float64, w float64) *mat.SymDense {
	n := int(math.Sqrt(2 * float64(len(z))))
	a := mat.NewSymDense(n, nil)
	for j := range n {
		for i, v := range z[j*(j+1)/2:][:j+1] {
			if v *= w; i < j {
				v /= math.Sqrt2
			}
			a.SetSym(i, j, v)
		}
	}
	return a
}
