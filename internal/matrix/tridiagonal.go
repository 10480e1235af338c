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
	v, w    []float64 // a panel of reflections, see reduce
	mul     *Product
}

// leastWide is the length from which a call of a kernel pays.
// Source: derived: four registers of four numbers.
const leastWide = 16

// NewTridiagonal is for matrices n × n.
func NewTridiagonal(n int) *Tridiagonal {
	vec := func() []float64 { return make([]float64, n) }
	t := &Tridiagonal{n: n, d: vec(), e: vec(), p: vec(), β: vec(), wide: cpu.Wide(), mul: NewProduct()}
	rows := 1
	if n >= leastPanel {
		rows = panel
	}
	t.v, t.w = make([]float64, rows*n), make([]float64, rows*n)
	return t
}

// Least is the least eigenvalue of the symmetric a, n × n, from below, or NaN where ends, which
// counts multiplications, says so. It overwrites a.
func (t *Tridiagonal) Least(a []float64, ends func(work int) bool) float64 {
	return t.leastBelow(a, math.Inf(1), 4e-16, ends)
}

// LeastBelow is Least to ten digits of the largest eigenvalue, and +Inf where no eigenvalue is
// below top.
func (t *Tridiagonal) LeastBelow(a []float64, top float64, ends func(work int) bool) float64 {
	return t.leastBelow(a, top, 1e-10, ends)
}

func (t *Tridiagonal) leastBelow(a []float64, top, share float64, ends func(work int) bool) float64 {
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
	if lo >= top || hi >= top && !t.below(top) {
		return math.Inf(1)
	}
	hi = min(hi, top)
	for hi-lo > share*size {
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

// Source: measured at the orders 60, 125, 250 and 500: panels of 16 and of 48 columns take as long,
// and where fewer rows than leastPanel are left it is no longer to take each reflection at once.
const (
	panel      = 32
	leastPanel = 96
)

// reduce sets d and e to the diagonals of a tridiagonal matrix that is similar to a, by
// Householder's reflections, whose vectors stay in the rows of a behind the diagonal. Of a it uses
// the upper triangle. The matrix after a panel of reflections is A − VWᵀ − WVᵀ (Dongarra,
// Hammarling and Sorensen, J. Comput. Appl. Math. 27 (1989) 215-227). It returns false where ends
// says so.
func (t *Tridiagonal) reduce(a []float64, ends func(work int) bool) bool {
	n := t.n
	for from := 0; from < n-1; {
		to := from + 1
		if n-from >= leastPanel {
			to = from + panel
		}
		for k := from; k < to; k++ {
			if ends(2 * (n - k) * (n - k)) {
				return false
			}
			t.reflect(a, from, k)
		}
		t.update(a, to, to-from)
		from = to
	}
	t.d[n-1], t.e[n-1] = a[n*n-1], 0
	return true
}

// reflect makes reflection k, which is in the panel that begins with from.
func (t *Tridiagonal) reflect(a []float64, from, k int) {
	n, pending := t.n, k-from
	row := a[k*n+k:][:n-k]
	vk := func(m []float64, j, first int) []float64 { return m[j*n+first : (j+1)*n] }
	for j := 0; j < pending; j++ { // of the rows of the panel those behind are in use
		t.mul.Axpy(row, -t.w[j*n+k], vk(t.v, j, k))
		t.mul.Axpy(row, -t.v[j*n+k], vk(t.w, j, k))
	}
	v, p := row[1:], t.w[pending*n+k+1:][:n-k-1]
	t.d[k], t.β[k] = row[0], 0
	own := vk(t.v, pending, 0)
	clear(own)
	clear(p)
	alpha := num.Norm2(v)
	if alpha == 0 || len(v) == 1 {
		t.e[k] = v[0]
		return
	}
	if v[0] > 0 {
		alpha = -alpha
	}
	t.e[k] = alpha
	v[0] -= alpha
	β := -1 / (alpha * v[0])
	t.β[k] = β
	copy(own[k+1:], v)
	for i, e := range v { // p = βAv
		row := a[(k+1+i)*n+k+1+i:][:len(v)-i]
		p[i] += row[0] * e
		if simd.Have && t.wide && len(row) > leastWide {
			p[i] += simd.DotAxpy(&row[1], &v[i+1], &p[i+1], e, len(row)-1)
			continue
		}
		p[i] += num.Dot(row[1:], v[i+1:])
		num.Axpy(p[i+1:], e, row[1:])
	}
	for j := 0; j < pending; j++ {
		vj, wj := vk(t.v, j, k+1), vk(t.w, j, k+1)
		x, y := t.dot(wj, v), t.dot(vj, v)
		t.mul.Axpy(p, -x, vj)
		t.mul.Axpy(p, -y, wj)
	}
	num.Scale(p, β)
	num.Axpy(p, -β/2*num.Dot(p, v), v)
}

// update takes VWᵀ and its transpose, of so many reflections, from the rows of a from the given one
// on.
func (t *Tridiagonal) update(a []float64, from, count int) {
	n, high := t.n, t.n-from
	if count > 1 {
		s := a[from*n+from:]
		t.mul.Subtract(s, n, t.v[from:], t.w[from:], count, high, high, n, n, true)
		t.mul.Subtract(s, n, t.w[from:], t.v[from:], count, high, high, n, n, true)
		return
	}
	v, w := t.v[from:n], t.w[from:n]
	for i := range v {
		row := a[(from+i)*n+from+i:][:high-i]
		t.mul.Axpy(row, -v[i], w[i:])
		t.mul.Axpy(row, -w[i], v[i:])
	}
}

func (t *Tridiagonal) dot(x, y []float64) float64 {
	if simd.Have && t.wide && len(x) >= leastWide {
		return simd.Dot(&x[0], &y[0], len(x))
	}
	return num.Dot(x, y)
}
