package verify

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/verify/internal/leastsq"
	"github.com/dcopt/dcopt/verify/internal/safe"
)

// quadratic is c + slope·z and a quadratic form in the distance from a point.
type quadratic struct {
	slope   map[int]safe.Span
	c       safe.Span
	form    map[[2]int]safe.Span // of products
	squares map[[2]int]safe.Span // of squares of functions of variables without bounds; it is positive semidefinite
	second  map[int]safe.Span    // the diagonal of the Hessian of the rest, as far as arguments are affine
	curved  string               // why it is not convex
}

func (q *quadratic) bent(why string) { q.curved = cmp.Or(q.curved, why) }

// add adds t·o.
func (q *quadratic) add(o *quadratic, t safe.Span) {
	if t == (safe.Span{}) {
		return
	}
	q.c = q.c.Plus(t.Times(o.c))
	merge(&q.slope, o.slope, t)
	merge(&q.form, o.form, t)
	merge(&q.squares, o.squares, t)
	merge(&q.second, o.second, t)
	q.bent(o.curved)
}

// merge adds t·b to a, by keys.
func merge[K comparable](a *map[K]safe.Span, b map[K]safe.Span, t safe.Span) {
	for k, v := range b {
		increase(a, k, t.Times(v))
	}
}

func increase[K comparable](m *map[K]safe.Span, k K, by safe.Span) {
	if *m == nil {
		*m = map[K]safe.Span{}
	}
	(*m)[k] = (*m)[k].Plus(by)
}

// remainder bounds the remainder of the quadratic form over the region: 0 where it is positive
// semidefinite, and −δ‖z − x‖² where it is up to δ. Of variables without bounds the form is at
// least the sum of curvature·(z − x)² beside that.
func (l *lagrangian) remainder(q *quadratic) (curvature []float64, least float64) {
	curvature = make([]float64, l.p.n)
	all := maps.Clone(q.squares)
	merge(&all, q.form, safe.Just(1))
	free := func(j int) bool { return !l.region[j].Finite() }
	if f := matrixOf(all); f.m != nil && slices.ContainsFunc(f.vars, free) {
		for less := f.size; less > 1e-12*f.size; less /= 4 {
			if d := f.definite(free, less, f.noise); d >= 0 && less > 2*d {
				for _, j := range f.vars {
					curvature[j] = safe.Below(less, -d)
				}
				return curvature, -safe.AboveProduct(d, l.square(f.vars))
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
		return curvature, -safe.AboveProduct(d, l.square(f.vars))
	}
	return curvature, math.Inf(-1)
}

// square is the largest ‖z − x‖² of variables within the region, of those that have bounds.
func (l *lagrangian) square(vars []int) float64 {
	var sum safe.Span
	for _, j := range vars {
		if l.region[j].Finite() {
			r := l.region[j].Less(safe.Just(l.x[j])).Magnitude()
			sum = sum.Plus(r.Times(r))
		}
	}
	return sum.Hi
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
func matrixOf(form map[[2]int]safe.Span) *quadraticForm {
	at := map[int]int{}
	for k, v := range form {
		if v != (safe.Span{}) {
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
		if v == (safe.Span{}) {
			continue
		}
		mid := v.Mid()
		if k[0] != k[1] {
			mid /= 2
		}
		f.m.SetSym(at[k[0]], at[k[1]], mid)
		f.loose = safe.Above(f.loose, 2*v.Less(safe.Just(v.Mid())).Magnitude().Hi)
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
	if _, shift, e := safe.Shifted(s, f.noise, most); e >= 0 {
		return safe.Above(safe.Above(2*shift, e), f.loose)
	}
	return -1
}

// block is a kink: its weights are not negative and add up to the parent's. The sum of a ray is any
// number: it is a multiplier that is looked for. A norm has two weights for each entry with a kink,
// and one share more, of the others.
type block struct {
	parent, first, count int
	ray                  bool
	dual                 float64   // the exponent of the dual norm, 0 for no norm
	known                safe.Ball // the sum of the others' slopes to that power
}

// block begins a block. It returns the number of its first weight.
func (l *lagrangian) block(b block) (first int) {
	b.first = len(l.shares)
	l.blocks = append(l.blocks, b)
	shares := b.count
	if b.dual > 0 {
		shares++
	}
	for range shares {
		l.shares = append(l.shares, &quadratic{})
	}
	return b.first
}

// mostWeights bounds the weights at kinks that are fitted.
// Source: a limit of time, seconds for the dense factorisations.
const mostWeights = 500

// choose takes weights at the kinks that leave a slope near minus the multipliers of the
// bounds, by least squares in numbers that are not negative (Lawson and Hanson 1974, Solving
// Least Squares Problems, chapter 23), each block's sum as a heavy row. The weights are
// hints: whatever they are, the enclosure of the slope holds. Too many are equal.
func (l *lagrangian) choose() []float64 {
	k := len(l.shares) - 1
	t := slices.Repeat([]float64{1}, k+1)
	owner, m := make([]int, k+1), 0 // of the weight that a share goes with; rows
	for w := range owner {
		owner[w] = w
	}
	for _, b := range l.blocks {
		switch {
		case b.ray:
			clear(t[b.first : b.first+b.count])
		case b.dual > 0:
			owner[b.first+b.count] = owner[b.parent]
			m += b.count
		default:
			m++
		}
	}
	if k == 0 || k > mostWeights {
		return t
	}
	rows := map[int]int{} // of variables
	for _, s := range l.shares {
		for j := range s.slope {
			rows[j] = 0
		}
	}
	l.steps += k * k * k / 100 // as expensive as so many
	n := 0
	for _, j := range slices.Sorted(maps.Keys(rows)) {
		rows[j] = n
		n++
	}
	if n+m == 0 { // rays alone, along which nothing changes
		return t
	}
	a, b, scale := mat.NewDense(n+m, k, nil), make([]float64, n+m), 0.0
	for j, i := range rows {
		b[i] = -l.bounds[j]
	}
	put := func(i, w int, v float64) { // the constant is on the other side
		if w == 0 {
			b[i] -= v
		} else {
			a.Set(i, w-1, a.At(i, w-1)+v)
		}
	}
	for w, s := range l.shares {
		for j, v := range s.slope {
			if put(rows[j], owner[w], v.Mid()); owner[w] > 0 {
				scale = max(scale, math.Abs(v.Mid()))
			}
		}
	}
	heavy, light := 1e3*scale, 1e-4*scale // in the units of the slopes
	i := n
	for _, bl := range l.blocks {
		if bl.ray {
			continue
		}
		for q := range bl.count {
			if bl.dual > 0 { // of several slopes the least one
				put(i, bl.first+q, light)
				i++
			} else {
				put(i, bl.first+q, heavy)
			}
		}
		if bl.dual == 0 {
			put(i, owner[bl.parent], -heavy)
			i++
		}
	}
	return append([]float64{1}, leastsq.NonNegative(a, b)...)
}

// enclosed is the weights by their numbers, with the sums that they are to have.
func (l *lagrangian) enclosed(t []float64) []safe.Span {
	out := make([]safe.Span, len(t))
	out[0] = safe.Just(1)
	for _, b := range l.blocks {
		of, own, to := out[b.parent], t[b.first:b.first+b.count], out[b.first:]
		sum := safe.Span{}
		for k, v := range own {
			to[k] = safe.Just(v)
			sum = sum.Plus(to[k])
		}
		switch {
		case b.ray:
		case b.dual > 0:
			to[b.count] = b.within(of, to[:b.count])
		case !(sum.Lo > 0): // a sum of zero has no shares
			clear(to[:b.count])
			to[0] = of
		default:
			for k := range own {
				to[k] = of.Times(to[k].Over(sum))
			}
		}
	}
	return out
}

// within scales the slopes of a norm, the differences of two weights each, to a dual norm of at
// most 1. It returns the weight of the others.
func (b *block) within(of safe.Span, to []safe.Span) safe.Span {
	sum, slopes := b.known, make([]safe.Span, len(to)/2)
	for k := range slopes {
		if of.Lo > 0 {
			slopes[k] = to[2*k].Less(to[2*k+1]).Over(of)
		}
		sum = sum.Add(safe.Exactly(slopes[k].Magnitude().Hi).Power(b.dual))
	}
	_, norm := sum.Root(b.dual).Floats()
	of = of.Over(safe.Just(max(1, norm)))
	for k, s := range slopes {
		to[2*k], to[2*k+1] = of.Times(s.Positive()), of.Times(s.Minus().Positive())
	}
	return of
}
