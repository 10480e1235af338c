package matrix

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/simd"
)

// Eigen overwrites the symmetric a, n × n, by its eigenvectors as columns, in the order of
// ascending eigenvalues λ: Householder's reduction and the implicit QL method (Bowdler, Martin,
// Reinsch and Wilkinson, Numer. Math. 11 (1968) 293-306), with turns of rows that wait for each
// other, and products with several reflections at once (Schreiber and Van Loan, SIAM J. Sci. Stat.
// Comput. 10 (1989) 53-57). It returns false where they cannot be computed, or ctx ends before.
func Eigen(ctx context.Context, a []float64, n int) (λ []float64, ok bool) {
	for _, v := range a[:n*n] {
		if v-v != 0 {
			return nil, false
		}
	}
	mul := NewProduct()
	mul.Within(ctx)
	t := NewTridiagonal(n)
	z := newTurning(n, t.wide) // of eigenvectors as rows
	if !t.reduce(a, mul.Ends) || !t.diagonalise(z, mul.Ends) {
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
	columns := make([]float64, n*n)
	for j, from := range order {
		λ[j] = t.d[from]
		for i, v := range z.rows[from*z.ld:][:n] {
			columns[i*n+j] = v
		}
	}
	t.turnBack(columns, a, mul)
	copy(a, columns)
	return λ, !mul.Ends(0)
}

// turning is a matrix, from the identity on, the rows of which are turned in pairs, many turns at a
// time.
type turning struct {
	rows  []float64 // n × n, ld apart
	ld    int
	wide  bool
	turns []float64 // cosines and sines that wait
	first []int     // of each run of them, its first row and where it begins in turns
}

// Source: derived: strip is the width of the wider kernel; rows are an odd number of them apart, so
// that the rows of a strip are not all in one set of a cache; 2^15 numbers have 256 kB, which stay
// in a second level of cache with a strip of 32 columns and 1000 rows.
const (
	strip   = 32
	waiting = 1 << 15
)

func newTurning(n int, wide bool) *turning {
	z := &turning{ld: ((n+strip-1)/strip | 1) * strip, wide: wide}
	z.rows = make([]float64, n*z.ld)
	for i := range n {
		z.rows[i*z.ld+i] = 1
	}
	return z
}

// run begins a run of turns: of row last and the one before it, then of that and the one before.
func (z *turning) run(last int) {
	if len(z.turns) > waiting {
		z.flush()
	}
	z.first = append(z.first, last, len(z.turns))
}

// turn adds one to the run: x, the next row upwards, and y, the row after it, become cx − sy and sx
// + cy.
func (z *turning) turn(c, s float64) { z.turns = append(z.turns, c, s) }

func turn(x, y []float64, c, s float64) {
	for i, u := range x {
		x[i], y[i] = c*u-s*y[i], s*u+c*y[i]
	}
}

// flush makes all turns that wait.
func (z *turning) flush() {
	for j := 0; j < z.ld; j += strip {
		for k := 0; k < len(z.first); k += 2 {
			end := len(z.turns)
			if k+3 < len(z.first) {
				end = z.first[k+3]
			}
			if turns := z.turns[z.first[k+1]:end]; len(turns) > 0 {
				z.rotate(z.first[k]*z.ld+j, turns)
			}
		}
	}
	z.turns, z.first = z.turns[:0], z.first[:0]
}

// rotate makes a run of turns in a strip of columns, which begins at in the last row.
func (z *turning) rotate(at int, turns []float64) {
	count := len(turns) / 2
	if simd.Have && z.wide {
		_, _ = z.rows[at-count*z.ld], z.rows[at+strip-1] // the kernel checks no bounds
		if cpu.Wider() {
			simd.RotateWider(&z.rows[at], &turns[0], z.ld, count)
			return
		}
		for h := 0; h < strip; h += strip / 2 {
			simd.Rotate(&z.rows[at+h], &turns[0], z.ld, count)
		}
		return
	}
	for t := range count {
		turn(z.rows[at-z.ld:][:strip], z.rows[at:][:strip], turns[2*t], turns[2*t+1])
		at -= z.ld
	}
}

// mostSteps are the QL steps for each row, in the mean. Source: LAPACK's dsteqr.
const mostSteps = 30

// diagonalise sets d to the eigenvalues and turns the rows of z with them.
func (t *Tridiagonal) diagonalise(z *turning, ends func(work int) bool) bool {
	n, d, e := t.n, t.d, t.e
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
			z.run(m)
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
				z.turn(c, s)
			}
			if i >= l {
				continue
			}
			d[l] -= p
			e[l], e[m] = g, 0
		}
	}
	z.flush()
	return true
}

// together is how many reflections turnBack makes at once.
// Source: derived: as many rows of 1000 entries have 256 kB and stay in a second level of cache.
const together = 32

// turnBack multiplies columns, n × n, by the reflections of reduce, whose vectors are in the rows
// of a: by the last ones first, I − VTVᵀ.
func (t *Tridiagonal) turnBack(columns, a []float64, mul *Product) {
	n := t.n
	vt, v, tri := make([]float64, together*n), make([]float64, together*n), make([]float64, together*together)
	w, tw := make([]float64, together*n), make([]float64, together*n)
	for from := max(n-2, 0) / together * together; from >= 0; from -= together {
		count, first := min(together, n-1-from), from+1 // no reflection has an entry before first
		if count <= 0 {
			continue
		}
		high := n - first
		clear(vt[:count*high])
		for j := range count {
			if t.β[from+j] != 0 {
				copy(vt[j*high+j:(j+1)*high], a[(from+j)*n+first+j:][:high-j])
			}
			for i, e := range vt[j*high:][:high] {
				v[i*count+j] = e
			}
		}
		// Column j of T is β for the reflection and −βTVᵀv before.
		for j := range count {
			β, own := t.β[from+j], vt[j*high:][:high]
			for i := range j {
				w[i] = -β * t.dot(vt[i*high+j:(i+1)*high], own[j:])
			}
			for i := range j {
				tri[i*count+j] = num.Dot(tri[i*count+i:i*count+j], w[i:j])
			}
			tri[j*count+j] = β
		}
		part := columns[first*n:]
		clear(w[:count*n])
		mul.Subtract(w, n, v, part, high, count, n, count, n, false) // −VᵀE
		clear(tw[:count*n])
		for i := range count {
			for j := i; j < count; j++ {
				mul.Axpy(tw[i*n:][:n], -tri[i*count+j], w[j*n:][:n])
			}
		}
		mul.Subtract(part, n, vt, tw, count, high, n, high, n, false)
	}
}
