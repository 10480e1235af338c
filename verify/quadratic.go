package verify

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// quadratic is c + slope·z and a quadratic form in the distance from a point.
type quadratic struct {
	slope   map[int]span
	c       span
	form    map[[2]int]span // of products
	squares map[[2]int]span // of squares of functions of variables without bounds; it is positive semidefinite
	second  map[int]span    // the diagonal of the Hessian of the rest, as far as arguments are affine
	curved  string          // why it is not convex
}

func (q *quadratic) bent(why string) { q.curved = cmp.Or(q.curved, why) }

// add adds t·o.
func (q *quadratic) add(o *quadratic, t span) {
	if t == (span{}) {
		return
	}
	q.c = q.c.plus(t.times(o.c))
	merge(&q.slope, o.slope, t)
	merge(&q.form, o.form, t)
	merge(&q.squares, o.squares, t)
	merge(&q.second, o.second, t)
	q.bent(o.curved)
}

// merge adds t·b to a, by keys.
func merge[K comparable](a *map[K]span, b map[K]span, t span) {
	for k, v := range b {
		increase(a, k, t.times(v))
	}
}

func increase[K comparable](m *map[K]span, k K, by span) {
	if *m == nil {
		*m = map[K]span{}
	}
	(*m)[k] = (*m)[k].plus(by)
}

// remainder bounds the remainder of the quadratic form over the region: 0 where it is positive
// semidefinite, and −δ‖z − x‖² where it is up to δ. Of variables without bounds the form is at
// least the sum of curvature·(z − x)² beside that.
func (l *lagrangian) remainder(q *quadratic) (curvature []float64, least float64) {
	curvature = make([]float64, l.p.n)
	all := maps.Clone(q.squares)
	merge(&all, q.form, just(1))
	free := func(j int) bool { return !l.region[j].finite() }
	if f := matrixOf(all); f.m != nil && slices.ContainsFunc(f.vars, free) {
		for less := f.size; less > 1e-12*f.size; less /= 4 {
			if d := f.definite(free, less, f.noise); d >= 0 && less > 2*d {
				for _, j := range f.vars {
					curvature[j] = below(less, -d)
				}
				return curvature, -aboveProduct(d, l.square(f.vars))
			}
		}
	}
	f := matrixOf(q.form)
	if len(f.vars) == 0 {
		return curvature, 0
	}
	if f.m == nil {
		q.bent(fmt.Sprintf("a quadratic form of %d variables is too large", len(f.vars)))
	} else if d := f.definite(free, 0, 1e-6*f.size); d < 0 {
		q.bent("a quadratic form that is not positive semidefinite")
	} else if !slices.ContainsFunc(f.vars, free) {
		return curvature, -aboveProduct(d, l.square(f.vars))
	}
	return curvature, math.Inf(-1)
}

// square is the largest ‖z − x‖² of variables within the region, of those that have bounds.
func (l *lagrangian) square(vars []int) float64 {
	var sum span
	for _, j := range vars {
		if l.region[j].finite() {
			r := l.region[j].less(just(l.x[j])).magnitude()
			sum = sum.plus(r.times(r))
		}
	}
	return sum.hi
}

// quadraticForm is the matrix of a form.
type quadraticForm struct {
	vars               []int
	m                  *mat.SymDense
	size, loose, noise float64 // the largest entry; bounds of the errors of entries and of a sum on the diagonal
}

// mostForm bounds the variables of a quadratic form. Source: a limit of time, a second.
const mostForm = 1000

// matrixOf is the matrix of a form, nil of one without variables or with too many.
func matrixOf(form map[[2]int]span) *quadraticForm {
	at := map[int]int{}
	for k, v := range form {
		if v != (span{}) {
			at[k[0]], at[k[1]] = 0, 0
		}
	}
	f := &quadraticForm{vars: slices.Sorted(maps.Keys(at))}
	n := len(f.vars)
	if n == 0 || n > mostForm {
		return f
	}
	for i, j := range f.vars {
		at[j] = i
	}
	f.m = mat.NewSymDense(n, nil)
	for k, v := range form {
		if v == (span{}) {
			continue
		}
		mid := v.mid()
		if k[0] != k[1] {
			mid /= 2
		}
		f.m.SetSym(at[k[0]], at[k[1]], mid)
		f.loose = above(f.loose, 2*v.less(just(v.mid())).magnitude().hi)
		f.size = max(f.size, math.Abs(mid))
	}
	f.noise = 0x1p-50 * f.size * float64(n)
	return f
}

// definite is δ for which the form, less so much of the squares of the free variables, is at least
// −δ‖z − x‖²; −1: no shift up to most shows one. A shift counts twice, as the diagonal is rounded.
func (f *quadraticForm) definite(free func(j int) bool, less, most float64) float64 {
	s := mat.NewSymDense(len(f.vars), nil)
	s.CopySym(f.m)
	for i, j := range f.vars {
		if free(j) {
			s.SetSym(i, i, s.At(i, i)-less)
		}
	}
	if _, shift, e := shifted(s, f.noise, most); e >= 0 {
		return above(above(2*shift, e), f.loose)
	}
	return -1
}

// semidefinite is a matrix that is positive semidefinite, a little beside a given one. more is
// added to the diagonal.
func semidefinite(m *mat.SymDense) (out *mat.SymDense, more float64) {
	size := 0.0
	for i := range m.SymmetricDim() {
		size = max(size, math.Abs(m.At(i, i)))
	}
	out, shift, e := shifted(m, 1e-14*max(size, 1e-300)*float64(m.SymmetricDim()), math.MaxFloat64)
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

// shifted adds a shift between from and most to the diagonal of a matrix, so that the elimination
// of Cholesky ends. The matrix plus its rounding errors is then positive semidefinite (Rump 2006,
// Verification of positive definiteness): with e on the diagonal, twice (n + 2)·2⁻⁵² times the
// trace. −1: there is no such shift.
func shifted(m *mat.SymDense, from, most float64) (out *mat.SymDense, shift, e float64) {
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
