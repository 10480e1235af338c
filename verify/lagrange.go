package verify

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/verify/internal/leastsq"
)

// lagrangian replaces a weighted sum of expressions by an affine function of the variables
// that touches it at a point: a tangent where a function is smooth, a subgradient at a
// kink. Where each function is convex times a weight ≥ 0, or concave times one ≤ 0, the
// affine function is a minorant (Rockafellar 1970, Convex Analysis, section 25); products are
// one quadratic form, which is a minorant's remainder where it is positive semidefinite.
//
// It goes over the expressions twice in the same order: first for the vertices of all
// subdifferentials, of which choose takes those that leave the smallest slope, then for
// the enclosure of slope and constant.
type lagrangian struct {
	p      *Problem
	x      []float64
	exact  *values // at x
	sum    *expr
	duals  map[*expr]*mat.SymDense // of the largest eigenvalue, of trace 1
	bounds []float64               // wanted slopes, negated: multipliers of bounds
	region []span                  // over which the bound is to hold
	// of the first pass
	blocks []block
	slopes []map[int]float64 // by the number of the weight; 0 is the constant 1
	parts  []float64         // by variables the largest slope of a part
	// of the second
	weights []float64 // empty in the first pass
	next    int       // block
	slope   []span
	c       span
	form    map[[2]int]span // of products
	squares map[[2]int]span // of squares of functions of variables without bounds; it is positive semidefinite
	convex  bool
	curved  string // why it is not convex
	steps   int
	second  []float64 // the diagonal of the Hessian, as far as arguments are affine
}

// block is a kink: its weights are not negative and add up to that of the parent. A ball has
// two for each direction and a norm of at most one. The sum of a ray is any number: it is a multiplier that is looked for.
type block struct {
	parent, first, count int
	ball, ray            bool
}

// near is the distance of values that count as equal at a kink, relative to their size.
// Source: the tolerance of feasible points.
const near = 1e-6

// mostDescent bounds the steps over shared expressions. Source: a limit of time.
const mostDescent = 2_000_000

// errUnchecked says that multipliers are not checked.
var errUnchecked = errors.New("multipliers are not checked")

func (l *lagrangian) refuse(format string, args ...any) {
	panic(fault{fmt.Errorf("%w: %s", errUnchecked, fmt.Sprintf(format, args...))})
}

// run goes over all parts twice.
func (l *lagrangian) run() {
	l.begin()
	l.descend(l.sum, just(1), 0)
	l.weights = l.choose()
	l.c, l.next, l.convex, l.curved = span{}, 0, true, ""
	l.form, l.squares = map[[2]int]span{}, map[[2]int]span{}
	l.descend(l.sum, just(1), 0)
}

func (l *lagrangian) begin() {
	l.weights, l.blocks = nil, nil
	l.slopes = []map[int]float64{{}}
	l.slope, l.parts = make([]span, l.p.n), make([]float64, l.p.n)
}

func (l *lagrangian) bent(why string) {
	if l.convex {
		l.convex, l.curved = false, why
	}
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

// descend adds a·e. w is the number of the weight that a is to be multiplied by in the first
// pass.
func (l *lagrangian) descend(e *expr, a span, w int) {
	if l.steps++; l.steps > mostDescent {
		l.refuse("the problem is too large")
	}
	if b := l.bends(e); e.op > opMul && (a.lo < 0 && b >= 0 || a.hi > 0 && b <= 0) {
		l.bent(e.String() + " with the other sign")
	}
	switch e.op {
	case opConst:
		l.c = l.c.plus(a.times(just(e.num)))
	case opVar:
		l.add(e.k, a, w)
	case opSum:
		for k, c := range e.args {
			l.descend(c, a.times(just(e.weights[k])), w)
		}
	case opMul:
		l.multiply(e, a, w)
	case opMax:
		l.maximum(a, w, e.args, slices.Repeat([]float64{1}, len(e.args)), math.Abs(l.value(e)))
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
		if u := e.args[0]; e.is(isAbs) {
			l.maximum(a, w, []*expr{u, u}, []float64{1, -1}, 2*largestTerm(u, l.exact))
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
		c, _, odd := columnOf(e)
		s := c.second(c.domain())
		if odd || s == whole() || s.lo < 0 && s.hi > 0 { // by the range of the argument
			coefs, u, ok := affine(e.args[0])
			for j, b := range coefs {
				u = u.plus(b.times(l.region[j]))
			}
			if !ok {
				u = whole()
			}
			if s = c.second(u.meet(c.domain())); odd {
				s = u
			}
		}
		switch {
		case s.lo >= 0:
		case s.hi <= 0:
			return -1
		default:
			return 0
		}
	}
	return 1
}

// kink adds a times the largest of the pieces, each an expression with a sign.
func (l *lagrangian) kink(a span, w int, es []*expr, signs []float64) {
	first := l.block(block{parent: w, count: len(es)})
	total := span{} // of the weights, which are to add up to 1
	for k := range es {
		if l.weights != nil {
			total = total.plus(just(l.weights[first+k]))
		}
	}
	for k, e := range es {
		b := a.times(just(signs[k]))
		if l.weights == nil {
			l.descend(e, b, first+k)
		} else if t := l.weights[first+k]; t > 0 {
			l.descend(e, b.times(just(t).over(total)), 0)
		}
	}
}

// maximum adds a times the largest of expressions with signs, of those that tie beside a size.
func (l *lagrangian) maximum(a span, w int, es []*expr, signs []float64, size float64) {
	top := math.Inf(-1)
	for k, e := range es {
		top = max(top, signs[k]*l.value(e))
	}
	var ties []*expr
	var theirs []float64
	for k, e := range es {
		if signs[k]*l.value(e) >= top-near*max(1, size) {
			ties, theirs = append(ties, e), append(theirs, signs[k])
		}
	}
	if len(ties) == 1 {
		l.descend(ties[0], a.times(just(theirs[0])), w)
		return
	}
	l.kink(a, w, ties, theirs)
}

// largest takes the entries that are larger than the last one taken. Of those that tie with it each has
// the same part, and the rest is a maximum: the weights are at most 1 and have the right sum.
func (l *lagrangian) largest(e *expr, a span, w int) {
	args := slices.Clone(e.args)
	slices.SortStableFunc(args, func(c, d *expr) int { return cmp.Compare(l.value(d), l.value(c)) })
	last := l.value(args[e.k-1])
	tol := near * max(1, math.Abs(last))
	from := slices.IndexFunc(args, func(c *expr) bool { return l.value(c) <= last+tol })
	to := from
	for to < len(args) && l.value(args[to]) >= last-tol {
		to++
	}
	ties, left := args[from:to], e.k-from
	for _, c := range args[:from] {
		l.descend(c, a, w)
	}
	if left == len(ties) {
		for _, c := range ties {
			l.descend(c, a, w)
		}
		return
	}
	part := just(float64(left - 1)).over(just(float64(len(ties) - 1)))
	for _, c := range ties {
		l.descend(c, a.times(part), w)
	}
	l.kink(a.times(just(1).less(part)), w, ties, slices.Repeat([]float64{1}, len(ties)))
}

// norm is at least s·args for every s whose dual norm is at most 1: the slopes at the point. The
// slope of an entry near 0 is a weight if the slopes at numbers near 0 are not all small.
func (l *lagrangian) norm(e *expr, a span, w int) {
	size := l.value(e)
	s := make([]span, len(e.args))
	var kinks []int
	for k, c := range e.args {
		v, zero := l.value(c), near*max(1, size)
		if math.Abs(v) <= zero && math.Pow(zero/size, e.num-1) > localTol {
			kinks = append(kinks, k)
			continue
		}
		r := math.Abs(v) / size
		s[k] = just(math.Copysign(math.Pow(r, e.num-1), v))
		if l.weights != nil && r > 0 {
			l.bend(c, a.mid()*(e.num-1)*math.Pow(r, e.num-2)*(1-math.Pow(r, e.num))/size)
		}
	}
	first := l.block(block{parent: w, count: 2 * len(kinks), ball: true})
	if l.weights != nil {
		for i, k := range kinks {
			if of := l.weights[l.blocks[l.next-1].parent]; of > 0 {
				s[k] = just(l.weights[first+2*i]).less(just(l.weights[first+2*i+1])).over(just(of))
			}
		}
		q, sum := e.num/(e.num-1), exactly(0)
		for _, v := range s {
			sum = sum.add(exactly(v.magnitude().hi).power(q))
		}
		if _, dual := sum.root(q).floats(); dual > 1 {
			for k := range s {
				s[k] = s[k].over(just(dual))
			}
		}
	}
	for k, c := range e.args {
		if l.weights == nil && slices.Contains(kinks, k) {
			i := first + 2*slices.Index(kinks, k)
			l.descend(c, a, i)
			l.descend(c, a.minus(), i+1)
			continue
		}
		l.descend(c, a.times(s[k]), w)
	}
}

// multiply is a product: of affine functions, a part of the quadratic form.
func (l *lagrangian) multiply(e *expr, a span, w int) {
	u, v := e.args[0], e.args[1]
	for k, c := range e.args {
		if f, ok := c.fixed(); ok {
			l.descend(e.args[1-k], a.times(f), w)
			return
		}
	}
	p, _, ok1 := affine(u)
	q, _, ok2 := affine(v)
	x, y := l.around(u), l.around(v)
	if ok1 && ok2 {
		l.quadratic(l.form, a, x, y, p, q, w)
		return
	}
	l.bent("a product")
	l.c = l.c.less(a.times(x).times(y))
	l.descend(u, a.times(y), w)
	l.descend(v, a.times(x), w)
}

// around encloses a value at the point.
func (l *lagrangian) around(e *expr) span {
	l.value(e)
	return l.exact.of(e).span()
}

// quadratic adds a·(x + p·d)·(y + q·d), of the distance d from the point, with the products in a form.
func (l *lagrangian) quadratic(form map[[2]int]span, a, x, y span, p, q map[int]span, w int) {
	l.c = l.c.plus(a.times(x).times(y))
	slopes := func(p map[int]span, y span) {
		for j, b := range p {
			s := a.times(y).times(b)
			l.add(j, s, w)
			l.c = l.c.less(s.times(just(l.x[j])))
		}
	}
	slopes(p, y)
	slopes(q, x)
	if l.weights == nil || a == (span{}) {
		return
	}
	for i, b := range p {
		for j, d := range q {
			k := [2]int{min(i, j), max(i, j)}
			form[k] = form[k].plus(a.times(b).times(d))
		}
	}
}

// add adds to the slope of variable j.
func (l *lagrangian) add(j int, a span, w int) {
	if l.weights != nil {
		l.slope[j] = l.slope[j].plus(a)
		return
	}
	l.slopes[w][j] += a.mid()
	l.parts[j] = max(l.parts[j], math.Abs(a.mid()))
}

// columnOf is the column of a function of one argument, and the least argument of the function. odd: it is an odd power, and
// the column one of the magnitude.
func columnOf(e *expr) (c *column, least float64, odd bool) {
	c = &column{kind: kind(e.k), p: e.num}
	if e.op == opPower {
		p := e.num
		whole := p == math.Trunc(p)
		switch {
		case p == 2:
			c.kind = isSquare
		case p > 1 && whole:
			c.kind, odd = isEven, math.Mod(p, 2) != 0
		case p > 1:
			c.kind = isPosPower
		default:
			c.kind = isPower
		}
	}
	if least = c.domain().lo; c.kind == isPosPower {
		least = 0
	}
	return c, least, odd
}

// curve is a smooth function of one argument.
func (l *lagrangian) curve(e *expr, a span, w int) {
	c, least, odd := columnOf(e)
	if c.kind == isSquare && a.lo >= 0 {
		coefs, _, ok := affine(e.args[0])
		for j := range coefs {
			if ok && !l.region[j].finite() {
				u := l.around(e.args[0])
				l.quadratic(l.squares, a, u, u, coefs, coefs, w)
				return
			}
		}
	}
	steep := 0.0
	if !c.slope(just(least)).finite() {
		steep = c.slope(just(least + near)).mid()
	}
	x := l.inside(e.args[0], least, a, steep)
	if d := near * max(1, math.Abs(x)); l.weights != nil {
		u, v := c.domain().clip(x-d), c.domain().clip(x+d)
		l.bend(e.args[0], a.mid()*(c.slope(just(v)).mid()-c.slope(just(u)).mid())/(v-u))
	}
	slope := c.slope(just(x))
	if odd {
		slope = slope.magnitude()
	}
	l.tangent(e, a, w, []float64{x}, []span{slope})
}

// inside is the value of an argument of a function, or a number next to the end of the domain if
// the slope there is infinite. At the end the domain is a row, argument ≥ end, whose multiplier is
// looked for. If the slope times a is +Inf, the end is a minimum, whatever the other slopes are.
// steep has the sign of an infinite slope, else 0.
func (l *lagrangian) inside(e *expr, end float64, a span, steep float64) float64 {
	v := l.value(e)
	if !(v <= end+near) {
		return v
	}
	signs := []float64{-1}
	if steep != 0 {
		v = end + near
		if a.lo > 0 && steep > 0 || a.hi < 0 && steep < 0 {
			signs = append(signs, 1)
		}
	}
	first := l.block(block{count: len(signs), ray: true})
	for k, s := range signs {
		if l.weights == nil {
			l.descend(e, just(s), first+k)
		} else if t := l.weights[first+k]; t > 0 {
			l.descend(e, just(s*t), 0)
			l.c = l.c.less(just(s * t).times(just(end)))
		}
	}
	return max(v, end)
}

// block begins a block in the first pass and finds it in the second. It returns the number of its
// first weight.
func (l *lagrangian) block(b block) (first int) {
	if l.weights != nil {
		l.next++
		return l.blocks[l.next-1].first
	}
	b.first = len(l.slopes)
	l.blocks = append(l.blocks, b)
	for range b.count {
		l.slopes = append(l.slopes, map[int]float64{})
	}
	return b.first
}

// bend adds a second derivative by an argument to the diagonal of the Hessian.
func (l *lagrangian) bend(e *expr, s float64) {
	if coefs, _, ok := affine(e); ok && s > 0 && !math.IsInf(s, 1) {
		for j, b := range coefs {
			l.second[j] += s * b.mid() * b.mid()
		}
	}
}

// tangent adds a·(f(x) + s·(args − x)).
func (l *lagrangian) tangent(e *expr, a span, w int, x []float64, s []span) {
	c := e.at(x)
	for k := range x {
		if !s[k].finite() {
			l.refuse("the slope of %v at the point is infinite", e)
		}
		c = c.less(s[k].times(just(x[k])))
	}
	l.c = l.c.plus(a.times(c))
	for k, d := range e.args {
		l.descend(d, a.times(s[k]), w)
	}
}

// at encloses the operation on numbers.
func (e *expr) at(x []float64) span {
	args := make([]ball, len(x))
	for k, v := range x {
		args[k] = exactly(v)
	}
	return e.combine(args).span()
}

// bundles of columns by operation.
var bundles = map[op]int{opLSE: bundleLogSumExp, opQuadOver: bundleSquareOver, opKL: bundleDivergence}

// smooth is a function of several arguments.
func (l *lagrangian) smooth(e *expr, a span, w int) {
	n := len(e.args)
	x, s := make([]float64, n), make([]span, n)
	for k, c := range e.args {
		switch {
		case e.op == opGeo || e.op == opKL || e.op == opQuadOver && k == n-1: // these have no slopes at 0
			x[k] = l.inside(c, 0, a, -float64(l.bends(e)))
		default:
			x[k] = l.value(c)
		}
	}
	if e.op != opGeo {
		s, _ = (&bundle{kind: bundles[e.op]}).gradient(x)
	} else {
		v := e.at(x)
		for k := range x {
			if e.weights[k] > 0 {
				s[k] = v.times(just(e.weights[k])).over(just(x[k]))
			}
		}
	}
	if e.op == opKL && l.weights != nil {
		l.bend(e.args[0], a.mid()/x[0])
		l.bend(e.args[1], a.mid()*x[0]/(x[1]*x[1]))
	}
	l.tangent(e, a, w, x, s)
}

// matrix is the symmetric part of a matrix of values.
func (l *lagrangian) matrix(e *expr) *mat.SymDense {
	m := mat.NewSymDense(e.k, nil)
	for i := range e.k {
		for j := range i + 1 {
			m.SetSym(i, j, (l.value(e.args[i*e.k+j])+l.value(e.args[j*e.k+i]))/2)
		}
	}
	return m
}

// eigen is the largest eigenvalue, at least ⟨W, A⟩ for W positive semidefinite of trace 1.
func (l *lagrangian) eigen(e *expr, a span, w int) {
	if e.num != 1 {
		l.refuse("sums of eigenvalues have no slopes here")
	}
	d := l.duals[e]
	if d == nil {
		var ev mat.EigenSym
		if !ev.Factorize(l.matrix(e), true) {
			l.refuse("eigenvalues are not found")
		}
		var vs mat.Dense
		ev.VectorsTo(&vs)
		d = mat.NewSymDense(e.k, nil)
		d.SymOuterK(1, vs.Slice(0, e.k, e.k-1, e.k))
		l.duals[e] = d
	}
	d, _ = semidefinite(d)
	trace := span{}
	for i := range e.k {
		trace = trace.plus(just(d.At(i, i)))
	}
	l.inner(e, d, a.over(trace), w)
}

// semidefinite is a matrix that is positive semidefinite, a little beside a given one: where
// the elimination of Cholesky ends, the matrix plus its rounding errors is (Rump 2006,
// Verification of positive definiteness). more is added to the diagonal.
func semidefinite(m *mat.SymDense) (out *mat.SymDense, more float64) {
	n := m.SymmetricDim()
	out = mat.NewSymDense(n, nil)
	size := 0.0
	for i := range n {
		size = max(size, math.Abs(m.At(i, i)))
	}
	raise := func(by float64) {
		for i := range n {
			out.SetSym(i, i, out.At(i, i)+by)
		}
	}
	for shift := 1e-14 * max(size, 1e-300) * float64(n); !math.IsInf(shift, 1); shift *= 4 {
		out.CopySym(m)
		raise(shift)
		if e := errorOfCholesky(out); e >= 0 {
			raise(e)
			return out, shift + e
		}
	}
	return out, math.Inf(1) // with an entry that is not finite: no bound comes of it
}

// errorOfCholesky is a number that added to the diagonal of a matrix makes it positive
// semidefinite, where the elimination of Cholesky ends, else −1: twice (n + 2)·2⁻⁵² times the
// trace.
func errorOfCholesky(m *mat.SymDense) float64 {
	n := m.SymmetricDim()
	var c mat.Cholesky
	if !c.Factorize(m) {
		return -1
	}
	return 2 * float64(n+2) * 0x1p-52 * mat.Trace(m) // its diagonal is positive
}

// logdet is concave: −log det X ≥ n + log det Y − ⟨Y, X⟩ for every Y positive definite.
func (l *lagrangian) logdet(e *expr, a span, w int) {
	n := e.k
	var c mat.Cholesky
	if !c.Factorize(l.matrix(e)) {
		l.refuse("a matrix in logdet is not positive definite")
	}
	var y mat.SymDense
	if c.InverseTo(&y) != nil {
		l.refuse("a matrix in logdet is nearly singular")
	}
	all := make([]float64, n*n)
	for k := range all {
		all[k] = y.At(k/n, k%n)
	}
	l.c = l.c.less(a.times(just(float64(n)).plus(e.at(all))))
	l.inner(e, &y, a, w)
}

// inner adds a·⟨y, A⟩ of the matrix A that a function is of.
func (l *lagrangian) inner(e *expr, y *mat.SymDense, a span, w int) {
	for k, c := range e.args {
		l.descend(c, a.times(just(y.At(k/e.k, k%e.k))), w)
	}
}

// remainder bounds the remainder of the quadratic form over the region: 0 where it is positive
// semidefinite, and −δ‖z − x‖² where it is up to δ. Of variables without bounds the form is at least the sum of
// curvature·(z − x)² beside that.
func (l *lagrangian) remainder() (curvature []float64, least float64) {
	curvature = make([]float64, l.p.n)
	all := maps.Clone(l.squares)
	for k, v := range l.form {
		all[k] = all[k].plus(v)
	}
	free := func(j int) bool { return !l.region[j].finite() }
	if f := l.matrixOf(all); f.m != nil && slices.ContainsFunc(f.vars, free) {
		for less := f.size; less > 1e-12*f.size; less /= 4 {
			if d := f.definite(free, less, f.noise()); d >= 0 && less > 2*d {
				for _, j := range f.vars {
					curvature[j] = below(less, -d)
				}
				return curvature, -aboveProduct(d, l.square(f.vars))
			}
		}
	}
	f := l.matrixOf(l.form)
	if len(f.vars) == 0 {
		return curvature, 0
	}
	if f.m == nil {
		l.bent(fmt.Sprintf("a quadratic form of %d variables is too large", len(f.vars)))
		return curvature, math.Inf(-1)
	}
	for shift := f.noise(); shift <= 1e-6*f.size; shift = max(4*shift, math.SmallestNonzeroFloat64) {
		if d := f.definite(nil, 0, shift); d >= 0 {
			if slices.ContainsFunc(f.vars, free) {
				return curvature, math.Inf(-1)
			}
			return curvature, -aboveProduct(d, l.square(f.vars))
		}
	}
	l.bent("a quadratic form that is not positive semidefinite")
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
	vars        []int
	m           *mat.SymDense
	size, loose float64 // the largest entry; a bound of the errors of entries
}

// matrixOf is the matrix of a form, nil of one without variables or with too many.
func (l *lagrangian) matrixOf(form map[[2]int]span) *quadraticForm {
	at := map[int]int{}
	f := &quadraticForm{}
	for k, v := range form {
		for _, j := range k {
			if _, ok := at[j]; !ok && v != (span{}) {
				at[j] = len(f.vars)
				f.vars = append(f.vars, j)
			}
		}
	}
	if len(f.vars) == 0 || len(f.vars) > mostForm {
		return f
	}
	f.m = mat.NewSymDense(len(f.vars), nil)
	for k, v := range form {
		if v == (span{}) {
			continue
		}
		i, j := at[k[0]], at[k[1]]
		mid := v.mid()
		if i != j {
			mid /= 2
		}
		f.m.SetSym(i, j, mid)
		f.loose = above(f.loose, 2*v.less(just(v.mid())).magnitude().hi)
		f.size = max(f.size, math.Abs(mid))
	}
	return f
}

// noise is more than the rounding errors of a sum on the diagonal.
func (f *quadraticForm) noise() float64 { return 0x1p-50 * f.size * float64(len(f.vars)) }

// definite is δ for which the form, less so much of the squares of some variables, is at least −δ‖z − x‖²; −1: none is found.
// The shift counts twice, as the diagonal is rounded.
func (f *quadraticForm) definite(some func(j int) bool, less, shift float64) float64 {
	s := mat.NewSymDense(len(f.vars), nil)
	s.CopySym(f.m)
	for i, j := range f.vars {
		d := f.m.At(i, i) + shift
		if some != nil && some(j) {
			d -= less
		}
		s.SetSym(i, i, d)
	}
	if e := errorOfCholesky(s); e >= 0 {
		return above(above(2*shift, e), f.loose)
	}
	return -1
}

// mostForm bounds the variables of a quadratic form. Source: a limit of time, a second.
const mostForm = 1000

// mostWeights bounds the weights at kinks that are fitted.
// Source: a limit of time, seconds for the dense factorisations.
const mostWeights = 500

// choose takes weights at the kinks that leave a slope near minus the multipliers of the
// bounds, by least squares in numbers that are not negative (Lawson and Hanson 1974, Solving
// Least Squares Problems, chapter 23), each block's sum as a heavy row. The weights are
// hints: whatever they are, the enclosure of the slope holds.
func (l *lagrangian) choose() []float64 {
	k := len(l.slopes) - 1
	equal := func() []float64 { // the weights at the middles
		t := make([]float64, k+1)
		t[0] = 1
		for _, b := range l.blocks {
			for i := range b.count {
				t[b.first+i] = t[b.parent] / float64(b.count)
			}
		}
		return t
	}
	if k == 0 || k > mostWeights {
		return equal()
	}
	rows := map[int]int{} // of variables
	for _, s := range l.slopes {
		for j := range s {
			if _, ok := rows[j]; !ok {
				rows[j] = len(rows)
			}
		}
	}
	l.steps += k * k * k / 100 // as expensive as so many
	n := len(rows)
	m := n
	for _, b := range l.blocks {
		switch {
		case b.ball:
			m += b.count
		case !b.ray:
			m++
		}
	}
	a, b := mat.NewDense(m, k, nil), make([]float64, m)
	scale := 0.0
	for j, i := range rows {
		b[i] = -l.slopes[0][j] - l.bounds[j]
		for w := 1; w <= k; w++ {
			a.Set(i, w-1, l.slopes[w][j])
			scale = max(scale, math.Abs(l.slopes[w][j]))
		}
	}
	heavy, light := 1e3*scale, 1e-4*scale // in the units of the slopes
	i := n
	for _, bl := range l.blocks {
		for q := range bl.count {
			switch {
			case bl.ball: // of several slopes the least one
				a.Set(i, bl.first+q-1, light)
				i++
			case !bl.ray:
				a.Set(i, bl.first+q-1, heavy)
			}
		}
		if bl.ball || bl.ray {
			continue
		}
		if bl.parent == 0 {
			b[i] = heavy
		} else {
			a.Set(i, bl.parent-1, -heavy)
		}
		i++
	}
	t := append([]float64{1}, leastsq.NonNegative(a, b)...)
	for _, bl := range l.blocks { // a sum of zero would have no shares
		sum := 0.0
		for q := range bl.count {
			sum += t[bl.first+q]
		}
		if !bl.ball && !bl.ray && !(sum > 0) {
			t[bl.first] = 1
		}
	}
	return t
}
