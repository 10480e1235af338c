package dc

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// svdWork is the room for a singular value decomposition, row-major.
type svdWork struct {
	a, u, vt blas64.General
	σ, work  []float64
}

// mostSweeps bounds the sweeps of jacobi. Source: Golub and Van Loan 2013, section 8.6.3: convergence is quadratic, in some six to ten sweeps.
const mostSweeps = 60

// jacobi sets σ to the singular values of a, the largest first, u to the left vectors and vt to the right ones, by
// rotations of two columns of a at a time that make them orthogonal: the one-sided method of Hestenes (Golub and Van Loan 2013,
// section 8.6.3). It destroys a, and returns false where it does not converge.
func (w *svdWork) jacobi() bool {
	r, c := w.a.Rows, w.a.Cols
	a, v := w.a.Data, w.vt.Data
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
		w.σ[j] = s
	}
	for j := range c { // the largest first
		most := j
		for k := j + 1; k < c; k++ {
			if w.σ[k] > w.σ[most] {
				most = k
			}
		}
		if most == j {
			continue
		}
		w.σ[j], w.σ[most] = w.σ[most], w.σ[j]
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
	floats.Scale(size, w.σ)
	return true
}

// orthogonal rotates columns p and q of a, and rows p and q of vt, if the columns are not orthogonal to rounding,
// or one of them is a rounding error of the whole matrix.
func (w *svdWork) orthogonal(p, q int, whole float64) bool {
	r, c := w.a.Rows, w.a.Cols
	a, v := w.a.Data, w.vt.Data
	α, β, γ := 0.0, 0.0, 0.0
	for i := range r {
		x, y := a[i*c+p], a[i*c+q]
		α, β, γ = α+x*x, β+y*y, γ+x*y
	}
	tiny := float64(r) * unit
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

// left sets column j of u: that of a divided by its length or, where that is a rounding error beside the largest
// singular value, a unit vector orthogonal to those before.
func (w *svdWork) left(j int) {
	r, c := w.a.Rows, w.a.Cols
	u := w.u.Data
	if w.σ[j] > float64(r)*unit*w.σ[0] {
		for i := range r {
			u[i*c+j] = w.a.Data[i*c+j] / w.σ[j]
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
