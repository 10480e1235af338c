package matrix

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/simd"
)

// Eigen overwrites the symmetric a, n × n, by its eigenvectors as columns, in the order of
// ascending eigenvalues λ: Householder's reduction and the implicit QL method (Bowdler, Martin,
// Reinsch and Wilkinson, Numer. Math. 11 (1968) 293-306). It returns false where they cannot be
// computed, or ctx ends before.
func Eigen(ctx context.Context, a []float64, n int) (λ []float64, ok bool) {
	for _, v := range a[:n*n] {
		if v-v != 0 {
			return nil, false
		}
	}
	mul := NewProduct()
	mul.Within(ctx)
	t := NewTridiagonal(n)
	z := make([]float64, n*n) // eigenvectors as rows
	for i := range n {
		z[i*n+i] = 1
	}
	if !t.reduce(a, mul.Ends) || !t.diagonalise(z, mul.Ends) || !t.turnBack(z, a, mul.Ends) {
		return nil, false
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		switch {
		case t.d[i] < t.d[j]:
			return -1
		case t.d[i] > t.d[j]:
			return 1
		}
		return i - j
	})
	λ = make([]float64, n)
	for j, from := range order {
		λ[j] = t.d[from]
		copy(a[j*n:][:n], z[from*n:][:n])
	}
	Transpose(z, a, n)
	copy(a, z)
	return λ, true
}

// mostSteps are the QL steps for each row, in the mean. Source: LAPACK's dsteqr.
const mostSteps = 30

// diagonalise sets d to the eigenvalues and turns the rows of z with them.
func (t *Tridiagonal) diagonalise(z []float64, ends func(work int) bool) bool {
	n, d, e := t.n, t.d, t.e
	sign := make([]float64, n) // of the rows of z, which are not turned back
	for i := range sign {
		sign[i] = 1
	}
	top, step := 0.0, 0
	for l := range n {
		top = max(top, math.Abs(d[l])+math.Abs(e[l]))
		for ; ; step++ {
			m := l
			for m+1 < n && math.Abs(e[m]) > 0x1p-53*max(top, math.Abs(d[m])+math.Abs(d[m+1])) {
				m++
			}
			if m == l {
				break
			}
			if step == mostSteps*n || ends(6*n*(m-l)) {
				return false
			}
			// Wilkinson's shift.
			g := (d[l+1] - d[l]) / (2 * e[l])
			g = d[m] - d[l] + e[l]/(g+math.Copysign(math.Hypot(g, 1), g))
			s, c, p := 1.0, 1.0, 0.0
			i := m - 1
			for ; i >= l; i-- {
				f, b := s*e[i], c*e[i]
				r := math.Hypot(f, g)
				e[i+1] = r
				if r == 0 {
					d[i+1] -= p
					e[m] = 0
					break
				}
				s, c = f/r, g/r
				g = d[i+1] - p
				r = (d[i]-g)*s + 2*c*b
				p = s * r
				d[i+1] = g + p
				g = c*r - b
				t.rotate(z, i, c, s, sign)
			}
			if i >= l {
				continue
			}
			d[l] -= p
			e[l], e[m] = g, 0
		}
	}
	return true
}

// rotate turns rows i and i+1 of z, (x, y) to (cx − sy, sx + cy), by three shears, which are
// one kernel. A turn by more than a right angle is one by less, and two signs.
func (t *Tridiagonal) rotate(z []float64, i int, c, s float64, sign []float64) {
	if c < 0 {
		c, s = -c, -s
		sign[i], sign[i+1] = -sign[i], -sign[i+1]
	}
	s *= sign[i] * sign[i+1]
	x, y, tan := z[i*t.n:][:t.n], z[(i+1)*t.n:][:t.n], s/(1+c)
	t.axpy(x, -tan, y)
	t.axpy(y, s, x)
	t.axpy(x, -tan, y)
}

func (t *Tridiagonal) axpy(dst []float64, α float64, x []float64) {
	if t.wide && len(dst) >= leastWide {
		simd.Axpy(&dst[0], &x[0], α, len(dst))
		return
	}
	num.Axpy(dst, α, x)
}

// together is how many rows turnBack turns by one reflection after the other.
// Source: derived: 16 rows of order 1000 have 128 kB and stay in a second level of cache.
const together = 16

// turnBack applies the reflections of reduce, whose vectors a holds, to the rows of z.
func (t *Tridiagonal) turnBack(z, a []float64, ends func(work int) bool) bool {
	n := t.n
	for from := 0; from < n; from += together {
		if ends(2 * n * n * together) {
			return false
		}
		for k := n - 2; k >= 0; k-- {
			if t.β[k] == 0 {
				continue
			}
			v := a[k*n+k+1 : (k+1)*n]
			for i := from; i < min(from+together, n); i++ {
				row := z[i*n+k+1 : (i+1)*n]
				s := 0.0
				if t.wide && len(v) >= leastWide {
					s = simd.Dot(&v[0], &row[0], len(v))
				} else {
					s = num.Dot(v, row)
				}
				t.axpy(row, -t.β[k]*s, v)
			}
		}
	}
	return true
}
