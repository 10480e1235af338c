package verify

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

// lagrangian replaces a weighted sum of expressions by an affine function of the variables
// that touches it at a point: a tangent where a function is smooth, a subgradient at a
// kink. Where each function is convex times a weight ≥ 0, or concave times one ≤ 0, the
// affine function is a minorant (Rockafellar 1970, Convex Analysis, section 25); products are
// one quadratic form, which is a minorant's remainder where it is positive semidefinite.
//
// All of it is linear in the weights of the vertices of subdifferentials: the expressions give
// one quadratic function for each weight, and choose takes the weights whose sum has the smallest
// slope.
type lagrangian struct {
	p      *Problem
	x      []float64
	exact  *values // at x
	sum    *expr
	duals  map[*expr]*mat.SymDense // of the largest eigenvalue, of trace 1
	bounds []float64               // wanted slopes, negated: multipliers of bounds
	region []safe.Span             // over which the bound is to hold
	blocks []block
	shares []*quadratic // by the number of the weight; 0 is the constant 1
	parts  []float64    // by variables the largest slope of a part
	steps  int
}

// near is the distance of values that count as equal at a kink, relative to their size.
// Source: the tolerance of feasible points.
const near = 1e-6

// mostDescent bounds the steps over shared expressions. Source: a limit of time.
const mostDescent = 2_000_000

// errUnchecked says that multipliers are not checked.
var errUnchecked = errors.New("multipliers are not checked")

func (l *lagrangian) refuse(format string, args ...any) {
	safe.Raise(fmt.Errorf("%w: %s", errUnchecked, fmt.Sprintf(format, args...)))
}

// begin goes over all expressions.
func (l *lagrangian) begin() {
	l.shares, l.parts = []*quadratic{{}}, make([]float64, l.p.n)
	l.descend(l.sum, safe.Just(1), 0)
}

// run is the sum of the shares, with the weights that leave the smallest slope.
func (l *lagrangian) run() *quadratic {
	l.begin()
	out := &quadratic{}
	for w, t := range l.enclosed(l.choose()) {
		out.add(l.shares[w], t)
	}
	return out
}

func (l *lagrangian) value(e *expr) float64 {
	v := l.exact.mid(e)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		l.refuse("a value is not finite")
	}
	return v
}

// names of operations for people.
func (e *expr) String() string {
	if s := e.name(); s != "" {
		return s
	}
	return "a function of a matrix"
}

// descend adds a·e to the share of the weight w.
func (l *lagrangian) descend(e *expr, a safe.Span, w int) {
	if l.steps++; l.steps > mostDescent {
		l.refuse("the problem is too large")
	}
	share := l.shares[w]
	if e.op == opPower && e.args[0].isConst() { // see lengths
		v, _ := e.fixed()
		share.c = share.c.Plus(a.Times(v))
		return
	}
	if b := l.bends(e); e.op > opMul && (a.Lo < 0 && b >= 0 || a.Hi > 0 && b <= 0) {
		share.bent(e.String() + " with the other sign")
	}
	switch e.op {
	case opConst:
		share.c = share.c.Plus(a.Times(safe.Just(e.num)))
	case opVar:
		l.slope(e.k, a, w)
	case opSum:
		for k, c := range e.args {
			l.descend(c, a.Times(safe.Just(e.weights[k])), w)
		}
	case opMul:
		l.multiply(e, a, w)
	case opMax:
		l.maximum(a, w, each(e.args), math.Abs(l.value(e)))
	case opNorm:
		l.norm(e, a, w)
	case opLSE, opQuadOver, opKL, opGeo:
		l.smooth(e, a, w)
	case opLargest:
		l.largest(e, a, w)
	case opEigen:
		l.eigen(e, a, w)
	case opLogDet:
		l.logdet(e, a, w)
	case opRoots, opMatFrac:
		l.refuse("functions of singular values and matfrac have no slopes here")
	default:
		if u := e.args[0]; e.is(safe.Abs) {
			_, most := l.exact.sizes(u)
			pieces := []weighted{{u, safe.Just(1)}, {u, safe.Just(-1)}}
			l.maximum(a, w, pieces, 2*max(most, u.summands().c.Magnitude().Hi))
			return
		}
		l.curve(e, a, w)
	}
}

// bends is 1 for a convex function, −1 for a concave one, 0 for one that is neither where its
// argument may be.
func (l *lagrangian) bends(e *expr) int {
	switch e.op {
	case opGeo, opLogDet:
		return -1
	case opPower, opCurve:
		c, _, odd := functionOf(e)
		s := c.Second(c.Domain())
		if odd || s == safe.Whole() || s.Lo < 0 && s.Hi > 0 { // by the range of the argument
			coefs, u, ok := affine(e.args[0])
			for j, b := range coefs {
				u = u.Plus(b.Times(l.region[j]))
			}
			if !ok {
				u = safe.Whole()
			}
			if s = c.Second(u.Meet(c.Domain())); odd {
				s = u
			}
		}
		switch {
		case s.Lo >= 0:
		case s.Hi <= 0:
			return -1
		default:
			return 0
		}
	}
	return 1
}

// kink adds a times the largest of the pieces.
func (l *lagrangian) kink(a safe.Span, w int, pieces []weighted) {
	if len(pieces) > 1 {
		w = l.block(block{parent: w, count: len(pieces)})
	}
	for k, p := range pieces {
		l.descend(p.e, a.Times(p.w), w+k)
	}
}

// maximum adds a times the largest of the pieces, of those that tie beside a size.
func (l *lagrangian) maximum(a safe.Span, w int, pieces []weighted, size float64) {
	value := func(p weighted) float64 { return p.w.Mid() * l.value(p.e) }
	top := math.Inf(-1)
	for _, p := range pieces {
		top = max(top, value(p))
	}
	l.kink(a, w, slices.DeleteFunc(pieces, func(p weighted) bool { return value(p) < top-near*max(1, size) }))
}

// each is expressions with the weight 1.
func each(es []*expr) []weighted {
	out := make([]weighted, len(es))
	for k, e := range es {
		out[k] = weighted{e, safe.Just(1)}
	}
	return out
}

// largest takes the entries that are larger than the last one taken. Each of the entries that tie
// with it has the same part, and the rest is a maximum: the weights are at most 1 and have the
// right sum.
func (l *lagrangian) largest(e *expr, a safe.Span, w int) {
	args := slices.Clone(e.args)
	slices.SortStableFunc(args, func(c, d *expr) int { return cmp.Compare(l.value(d), l.value(c)) })
	last := l.value(args[e.k-1])
	tol := near * max(1, math.Abs(last))
	from := slices.IndexFunc(args, func(c *expr) bool { return l.value(c) <= last+tol })
	to := from
	for to < len(args) && l.value(args[to]) >= last-tol {
		to++
	}
	if to == e.k { // all that tie are taken
		from = to
	}
	for _, c := range args[:from] {
		l.descend(c, a, w)
	}
	if from == to {
		return
	}
	ties := args[from:to]
	part := safe.Just(float64(e.k - from - 1)).Over(safe.Just(float64(len(ties) - 1)))
	for _, c := range ties {
		l.descend(c, a.Times(part), w)
	}
	l.kink(a.Times(safe.Just(1).Less(part)), w, each(ties))
}

// norm is at least s·args for every s whose dual norm is at most 1: the slopes at the point. The
// slope of an entry near 0 is a weight if the slopes at numbers near 0 are not all small.
func (l *lagrangian) norm(e *expr, a safe.Span, w int) {
	size, b := l.value(e), block{parent: w, dual: e.num / (e.num - 1), known: safe.Exactly(0)}
	s, kinks := make([]safe.Span, len(e.args)), []*expr{}
	for k, c := range e.args {
		v, zero := l.value(c), near*max(1, size)
		if math.Abs(v) <= zero && math.Pow(zero/size, e.num-1) > localTol {
			kinks = append(kinks, c)
			continue
		}
		s[k] = safe.Just(math.Copysign(math.Pow(math.Abs(v)/size, e.num-1), v))
		b.known = b.known.Add(safe.Exactly(s[k].Magnitude().Hi).Power(b.dual))
	}
	if b.count = 2 * len(kinks); b.count > 0 {
		first := l.block(b)
		for k, c := range kinks {
			l.descend(c, a, first+2*k)
			l.descend(c, a.Minus(), first+2*k+1)
		}
		w = first + b.count
	} else {
		a = b.within(a, nil)
	}
	for k, c := range e.args {
		if s[k] != (safe.Span{}) {
			r := math.Abs(l.value(c)) / size
			l.bend(c, a.Mid()*(e.num-1)*math.Pow(r, e.num-2)*(1-math.Pow(r, e.num))/size, w)
			l.descend(c, a.Times(s[k]), w)
		}
	}
}

// multiply is a product: of affine functions, a part of the quadratic form.
func (l *lagrangian) multiply(e *expr, a safe.Span, w int) {
	u, v := e.args[0], e.args[1]
	for k, c := range e.args {
		if f, ok := c.fixed(); ok {
			l.descend(e.args[1-k], a.Times(f), w)
			return
		}
	}
	p, _, ok1 := affine(u)
	q, _, ok2 := affine(v)
	x, y := l.around(u), l.around(v)
	if ok1 && ok2 {
		l.product(&l.shares[w].form, a, x, y, p, q, w)
		return
	}
	share := l.shares[w]
	share.bent("a product")
	share.c = share.c.Less(a.Times(x).Times(y))
	l.descend(u, a.Times(y), w)
	l.descend(v, a.Times(x), w)
}

// around encloses a value at the point.
func (l *lagrangian) around(e *expr) safe.Span {
	l.value(e)
	return l.exact.of(e).Span()
}

// product adds a·(x + p·d)·(y + q·d), of the distance d from the point, with the products in a
// form.
func (l *lagrangian) product(form *map[[2]int]safe.Span, a, x, y safe.Span, p, q map[int]safe.Span, w int) {
	share := l.shares[w]
	share.c = share.c.Plus(a.Times(x).Times(y))
	slopes := func(p map[int]safe.Span, y safe.Span) {
		for _, j := range slices.Sorted(maps.Keys(p)) {
			s := a.Times(y).Times(p[j])
			l.slope(j, s, w)
			share.c = share.c.Less(s.Times(safe.Just(l.x[j])))
		}
	}
	slopes(p, y)
	slopes(q, x)
	for i, b := range p {
		for j, d := range q {
			increase(form, [2]int{min(i, j), max(i, j)}, a.Times(b).Times(d))
		}
	}
}

// slope adds to the slope by variable j.
func (l *lagrangian) slope(j int, a safe.Span, w int) {
	increase(&l.shares[w].slope, j, a)
	l.parts[j] = max(l.parts[j], math.Abs(a.Mid()))
}
