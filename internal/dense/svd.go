package dense

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// SVD is the room for singular value decompositions A = U·diag(Values)·VT of matrices of one shape,
// row-major, with at least as many rows as columns.
type SVD struct {
	A, U, VT blas64.General
	Values   []float64 // the largest first
	work     []float64
}

// NewSVD has room for r × c matrices, r ≥ c.
func NewSVD(r, c int) *SVD {
	general := func(r, c int) blas64.General {
		return blas64.General{Rows: r, Cols: c, Stride: c, Data: make([]float64, r*c)}
	}
	w := &SVD{A: general(r, c), U: general(r, c), VT: general(c, c), Values: make([]float64, c)}
	w.reserve()
	return w
}

// mostSweeps bounds the sweeps of jacobi. Source: Golub and Van Loan 2013, section 8.6.3:
// convergence is quadratic, in some six to ten sweeps.
const mostSweeps = 60

// jacobi is Decompose with all vectors, by rotations of two columns of A at a time that make them
// orthogonal: the one-sided method of Hestenes (Golub and Van Loan 2013, section 8.6.3).
func (w *SVD) jacobi() bool {
	r, c := w.A.Rows, w.A.Cols
	a, v := w.A.Data, w.VT.Data
	clear(v)
	for j := range c {
		v[j*c+j] = 1
	}
	size := floats.Norm(a, math.Inf(1)) // squares stay finite, and do not vanish
	if size == 0 {
		size = 1
	}
	floats.Scale(1/size, a)
	whole := floats.Norm(a, 2)
	for sweep := 0; ; sweep++ {
		if sweep == mostSweeps {
			return false
		}
		rotated := false
		for p := range c {
			for q := p + 1; q < c; q++ {
				rotated = w.orthogonal(p, q, whole) || rotated
			}
		}
		if !rotated {
			break
		}
	}
	for j := range c {
		s := 0.0
		for i := range r {
			s = math.Hypot(s, a[i*c+j])
		}
		w.Values[j] = s
	}
	for j := range c { // the largest first
		most := j
		for k := j + 1; k < c; k++ {
			if w.Values[k] > w.Values[most] {
				most = k
			}
		}
		if most == j {
			continue
		}
		w.Values[j], w.Values[most] = w.Values[most], w.Values[j]
		for i := range r {
			a[i*c+j], a[i*c+most] = a[i*c+most], a[i*c+j]
		}
		for i := range c {
			v[j*c+i], v[most*c+i] = v[most*c+i], v[j*c+i]
		}
	}
	for j := range c {
		w.left(j)
	}
	floats.Scale(size, w.Values)
	return true
}

// orthogonal rotates columns p and q of a, and rows p and q of vt, if the columns are not
// orthogonal to rounding, or one of them is a rounding error of the whole matrix.
func (w *SVD) orthogonal(p, q int, whole float64) bool {
	r, c := w.A.Rows, w.A.Cols
	a, v := w.A.Data, w.VT.Data
	α, β, γ := 0.0, 0.0, 0.0
	for i := range r {
		x, y := a[i*c+p], a[i*c+q]
		α, β, γ = α+x*x, β+y*y, γ+x*y
	}
	tiny := float64(r) * epsilon / 2
	if math.Abs(γ) <= tiny*math.Sqrt(α*β) || math.Sqrt(min(α, β)) <= tiny*whole {
		return false
	}
	ζ := (β - α) / (2 * γ)
	t := math.Copysign(1/(math.Abs(ζ)+math.Hypot(1, ζ)), ζ)
	cos := 1 / math.Hypot(1, t)
	sin := cos * t
	for i := range r {
		x, y := a[i*c+p], a[i*c+q]
		a[i*c+p], a[i*c+q] = cos*x-sin*y, sin*x+cos*y
	}
	for i := range c {
		x, y := v[p*c+i], v[q*c+i]
		v[p*c+i], v[q*c+i] = cos*x-sin*y, sin*x+cos*y
	}
	return true
}

// left sets column j of u: column j of a divided by its length or, where that is a rounding error
// beside the largest singular value, a unit vector orthogonal to those before.
func (w *SVD) left(j int) {
	r, c := w.A.Rows, w.A.Cols
	u := w.U.Data
	if w.Values[j] > float64(r)*epsilon/2*w.Values[0] {
		for i := range r {
			u[i*c+j] = w.A.Data[i*c+j] / w.Values[j]
		}
		return
	}
	for e := range r { // one of the axes is far enough from the span of fewer than r vectors
		for i := range r {
			u[i*c+j] = 0
		}
		u[e*c+j] = 1
		for range 2 { // twice is enough for orthogonality to rounding (Kahan, in Parlett 1998, section 6.9)
			for k := range j {
				dot := 0.0
				for i := range r {
					dot += u[i*c+k] * u[i*c+j]
				}
				for i := range r {
					u[i*c+j] -= dot * u[i*c+k]
				}
			}
		}
		length := 0.0
		for i := range r {
			length = math.Hypot(length, u[i*c+j])
		}
		if length*length < 0.5/float64(r) {
			continue
		}
		for i := range r {
			u[i*c+j] /= length
		}
		return
	}
}
