package matrix

import (
	"math"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/simd"
)

// Tridiagonal finds eigenvalues of symmetric matrices of one order. It is for one goroutine.
type Tridiagonal struct {
	n       int
	d, e, p []float64
	β       []float64 // of the reflections I − βvvᵀ
	wide    bool      // the processor has the registers for the kernels
}

// leastWide is the length from which a call of a kernel pays.
// Source: derived: four registers of four numbers.
const leastWide = 16

// NewTridiagonal is for matrices n × n.
func NewTridiagonal(n int) *Tridiagonal {
	vec := func() []float64 { return make([]float64, n) }
	return &Tridiagonal{n: n, d: vec(), e: vec(), p: vec(), β: vec(), wide: cpu.Wide()}
}

// Least is the least eigenvalue of the symmetric a, n × n, from below, or NaN where ends, which counts
// multiplications, says so. It overwrites a.
func (t *Tridiagonal) Least(a []float64, ends func(work int) bool) float64 {
	if !t.reduce(a, ends) {
		return math.NaN()
	}
	// All eigenvalues are within the circles of Gershgorin.
	lo, hi := math.Inf(1), math.Inf(1)
	size := 0.0
	for i, d := range t.d {
		r := math.Abs(t.e[i])
		if i > 0 {
			r += math.Abs(t.e[i-1])
		}
		lo, hi = min(lo, d-r), min(hi, d)
		size = max(size, math.Abs(d)+r)
	}
	if !(size <= math.MaxFloat64) {
		return math.NaN()
	}
	for hi-lo > 4e-16*size {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if t.below(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}

// below reports whether an eigenvalue is below λ.
func (t *Tridiagonal) below(λ float64) bool {
	d := t.d[0] - λ
	if d < 0 {
		return true
	}
	for i := 1; i < t.n; i++ {
		e := t.e[i-1]
		if d == 0 {
			if e != 0 {
				return true
			}
			d = t.d[i] - λ
		} else {
			d = t.d[i] - λ - e*(e/d)
		}
		if d < 0 {
			return true
		}
	}
	return false
}

// reduce sets d and e to the diagonals of a tridiagonal matrix that is similar
// to a, by Householder's reflections, whose vectors stay in the rows of a behind the diagonal. It
// returns false where ends says so.
func (t *Tridiagonal) reduce(a []float64, ends func(work int) bool) bool {
	n := t.n
	for k := range n - 1 {
		if ends(2 * (n - k) * (n - k)) {
			return false
		}
		v := a[k*n+k+1:][:n-k-1] // column k below the diagonal, kept in row k
		for i := range v {
			v[i] = a[(k+1+i)*n+k]
		}
		t.d[k], t.β[k] = a[k*n+k], 0
		alpha := num.Norm2(v)
		if alpha == 0 || len(v) == 1 {
			t.e[k] = v[0]
			continue
		}
		if v[0] > 0 {
			alpha = -alpha
		}
		t.e[k] = alpha
		v[0] -= alpha
		β := -1 / (alpha * v[0])
		t.β[k] = β
		p := t.p[:len(v)]
		clear(p)
		for i, e := range v { // p = βAv, by the lower triangle
			row := a[(k+1+i)*n+k+1:][:i+1]
			if t.wide && i >= leastWide {
				p[i] += simd.DotAxpy(&row[0], &v[0], &p[0], e, i) + row[i]*e
				continue
			}
			p[i] += num.Dot(row, v)
			num.Axpy(p[:i], e, row)
		}
		num.Scale(p, β)
		num.Axpy(p, -β/2*num.Dot(p, v), v)
		for i, e := range v { // A −= vpᵀ + pvᵀ
			row, f := a[(k+1+i)*n+k+1:][:i+1], p[i]
			if t.wide && i >= leastWide {
				simd.Axpy(&row[0], &p[0], -e, i+1)
				simd.Axpy(&row[0], &v[0], -f, i+1)
				continue
			}
			for j := range row {
				row[j] -= e*p[j] + f*v[j]
			}
		}
	}
	t.d[n-1], t.e[n-1] = a[n*n-1], 0
	return true
}
