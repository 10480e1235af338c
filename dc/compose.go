package dc

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// applyTo is a row of the table of functions of an operand.
func applyTo(name string, u Operand) Expr { return applyCurve(rowOf(name), ToExpr(u)) }

// applyCurve is f of e: by cones of f or of −f, by other functions, else by bounds of the second
// derivative.
func applyCurve(f curve, e Expr) Expr {
	switch {
	case f.represented():
		return apply(f, e)
	case f.neg().represented():
		return apply(f.neg(), e).Neg()
	case e.err != nil:
		return e
	case e.IsConst():
		return f.ofConstant(e.split().lin.Const)
	}
	return f.bounded(e)
}

func (f curve) ofConstant(u float64) Expr {
	v := f.value(u)
	if !finite(v) {
		return badExpr("%s at %g, outside its domain", f, u)
	}
	return constantExpr(v)
}

// by is a row of the table of an operand with the split of another expression that has the same
// values.
func by(name string, u Operand, same func(e Expr) Expr) Expr {
	f, e := rowOf(name), ToExpr(u)
	switch {
	case e.err != nil:
		return e
	case e.IsConst():
		return f.ofConstant(e.split().lin.Const)
	}
	as, of := same(e), func(p parted) written { return &composition{p, f, e, false} }
	switch {
	case as.err != nil:
		return Expr{err: fmt.Errorf("%w (it is a part of %s)", as.err, f)}
	case as.withTangents():
		return linearised(of, fmt.Errorf("dc: no DC split for %s of this", f), e)
	}
	return made(of, *as.split(), e)
}

// apply composes: a convex f of an affine e; a nondecreasing one of a convex e,
// a nonincreasing one of a concave e (Grant, Boyd and Ye 2006); of other e a
// difference, see lifted.
func apply(f curve, e Expr) Expr {
	switch {
	case e.err != nil:
		return e
	case e.IsConst():
		return f.ofConstant(e.split().lin.Const)
	}
	if e.withTangents() {
		of := func(p parted) written { return &composition{p, f, e, true} }
		return linearised(of, fmt.Errorf("dc: no DC split for %s of this", f), e)
	}
	s, err := curveSplit(f, e.split(), e.Range())
	if err != nil {
		return Expr{err: err}
	}
	return made(func(p parted) written { return &composition{p, f, e, false} }, s, e)
}

// curveSplit is the split of f of a function with split s and the given range.
func curveSplit(f curve, s *split, r Interval) (split, error) {
	switch neg := s.scale(-1); {
	case s.isAffine():
		return convexSplit(&along{f, s.lin, 1}), nil
	case f.direction() > 0 && s.isConvex() && r.Lo >= f.least():
		return convexSplit(&along{f, s.function(), 1}), nil
	case f.direction() < 0 && s.isConcave():
		return convexSplit(&along{f, neg.function(), -1}), nil
	}
	return liftedSplit(f, s, r)
}

// bounded is f of e, a function without cones: its second derivative has bounds, by which it is
// split, see bent. Such functions and functions of them are linearised.
func (f curve) bounded(e Expr) Expr {
	i := f.in(e.Range())
	if b := f.bends(i); !b.IsFinite() {
		return badExpr("no DC split for %s of this: its second derivative has no bound where the argument is "+
			"%g to %g; give the variables bounds%s", f, i.Lo, i.Hi, f.hint())
	}
	return linearised(func(p parted) written { return &composition{p, f, e, false} },
		fmt.Errorf("dc: no DC split for %s of this: the argument has kinks and no bounds", f), e)
}

// composition is f(e) of an expression e that is not affine.
type composition struct {
	parted
	f    curve
	e    Expr
	open bool // no row keeps points within the domain: the value outside is NaN
}

func (c *composition) Smooth() bool { return c.e.smooth() }

func (c *composition) Value(x []float64) float64 {
	u := c.e.Value(x)
	v := c.f.value(u)
	if c.open && (u < c.f.least() || math.IsInf(v, 0)) {
		return math.NaN()
	}
	return v
}

func (c *composition) AddSubgrad(dst []float64, scale float64, x []float64) {
	c.e.AddGradient(dst, scale*c.f.slope(c.e.Value(x)), x)
}

func (c *composition) partial() bool { return !c.f.total() }

// bends: see bends.
func (c *composition) bends() (bends, bool) { return c.f.along(bendsOf(&c.e)) }

func (c *composition) approx(x []float64) approx { return c.f.approx(c.e.approx(x)) }
func (c *composition) over() Interval            { return c.f.over(c.e.Range()) }
func (c *composition) String() string            { return c.f.String() }

func (c *composition) node() Node { return c.f.node(exprArgs(c.e)) }

// along is f(sign·arg).
type along struct {
	f    curve
	arg  Representer
	sign float64
}

func (a *along) at(x []float64) float64 { return a.sign * a.arg.Value(x) }

func (a *along) Value(x []float64) float64 { return a.f.value(a.at(x)) }

func (a *along) AddSubgrad(dst []float64, scale float64, x []float64) {
	a.arg.AddSubgrad(dst, scale*a.sign*a.f.slope(a.at(x)), x)
}

func (a *along) Smooth() bool { return smooth(a.arg) }

func (a *along) Support() []int { return a.arg.Support() }

func (a *along) Represent(c Canon) Form { return a.f.represent(c, c.Bound(a.arg).Scale(a.sign)) }

func (a *along) Domain() []Representer {
	var out []Representer
	if r, ok := a.arg.(Restricted); ok {
		out = r.Domain()
	}
	if least := a.f.least(); !math.IsInf(least, -1) {
		s := split{lin: Linear{Const: least}}
		if l, ok := a.arg.(Linear); ok {
			s.lin = s.lin.AddScaled(-a.sign, l)
		} else { // nonincreasing of −arg
			s.g = []term{{1, a.arg}}
		}
		out = append(out, s.function())
	}
	return out
}

func (a *along) Inside(x []float64) bool {
	if r, ok := a.arg.(Restricted); ok && !r.Inside(x) {
		return false
	}
	return a.f.inside(a.at(x))
}

// Line: of an affine function and a constant b.
func (a *along) Line(b Linear) (row Linear, lo, hi, share float64, ok bool) {
	arg, ok := a.arg.(Linear)
	if !ok || !b.IsConst() {
		return Linear{}, 0, 0, 0, false
	}
	u, ok := a.f.solve(b.Const)
	slope := math.Abs(a.f.slope(u))
	if !ok || !(slope > 0) || math.IsInf(slope, 1) {
		return Linear{}, 0, 0, 0, false
	}
	sign := float64(a.f.direction())
	row = Linear{Const: sign * u}.AddScaled(-sign*a.sign, arg)
	return row, 0, math.Inf(1), -1 / slope, true
}

func (a *along) approx(x []float64) approx {
	arg := approximate(a.arg, x)
	arg.v *= a.sign
	return a.f.approx(arg)
}

func (a *along) bends() (bends, bool) {
	of, ok := bendsOfFunction(a.arg)
	if a.sign < 0 {
		of = of.neg()
	}
	return a.f.along(of, ok)
}

func (a *along) over() Interval  { return a.f.over(rangeOf(a.arg).Scale(a.sign)) }
func (a *along) node() Node      { return a.f.node(funcArg(a.arg, a.sign)) }
func (a *along) parts() []Convex { return []Convex{a.arg} }
func (a *along) String() string  { return a.f.String() }

// besides makes functions with a new column t, the last one there is, in one
// piece of memory.
type besides struct {
	t   int
	idx []int
	val []float64
}

// beside has room for functions with so many coefficients in all.
func beside(t, coefficients, functions int) besides {
	n := coefficients + functions + 1
	return besides{t, make([]int, 0, n), make([]float64, 0, n)}
}

// plus is l + w·t.
func (b *besides) plus(l Linear, w float64) Linear {
	from := len(b.idx)
	b.idx, b.val = append(append(b.idx, l.Idx...), b.t), append(append(b.val, l.Val...), w)
	to := len(b.idx)
	return Linear{b.idx[from:to:to], b.val[from:to:to], l.Const, l.of, l.lost}
}

// alone is t.
func (b *besides) alone() Linear { return b.plus(Linear{}, 1) }

// entryRule says of what an atom of a vector may be taken in an entry, besides
// affine functions: it is nondecreasing there, or from 0 on, or nonincreasing.
type entryRule uint8

const (
	convexEntry entryRule = iota
	positiveEntry
	concaveEntry
)

// atomOf applies a convex function of a vector to expressions. Affine ones go
// straight in.
func atomOf[T Operand](name string, make func(Affine) Expr, us []T, rule func(k int) entryRule) Expr {
	es, lins := toExprs(us)
	affine := true
	for _, e := range es {
		if e.err != nil {
			return e
		}
		affine = affine && e.IsAffine()
	}
	if affine {
		return make(Entries(lins...))
	}
	for k, e := range es {
		switch r := rule(k); {
		case e.IsAffine():
		case r == concaveEntry && !e.IsConcave():
			return badExpr("no DC split for %s of this: entry %d of it is not concave", name, k+1)
		case r != concaveEntry && !e.IsConvex():
			return badExpr("no DC split for %s of this: entry %d of it is not convex", name, k+1)
		case r == positiveEntry && !e.split().nonnegative():
			return badExpr("no DC split for %s of this: entry %d of it is not known to be nonnegative", name, k+1)
		}
	}
	var parts []split
	for _, e := range es {
		parts = append(parts, *e.split())
	}
	f, err := newComposed(name, make, parts)
	if err != nil {
		return Expr{err: err}
	}
	return convex(f, ownerOf(es...))
}

// outerOf is the function itself, of n plain variables.
func outerOf(make func(Affine) Expr, n int) (Representer, error) {
	e := make(NewModel().Var("u", []int{n}))
	if e.err != nil {
		return nil, e.err
	}
	return e.G(), nil
}

// newComposed is make of convex or concave splits.
func newComposed(name string, make func(Affine) Expr, parts []split) (*composed, error) {
	outer, err := outerOf(make, len(parts))
	if err != nil {
		return nil, err
	}
	f := &composed{name: name, make: make, outer: outer}
	var lists [][]int
	for k := range parts {
		s, sign := &parts[k], 1.0
		if len(s.h) > 0 {
			neg := s.scale(-1)
			s, sign = &neg, -1
		}
		g := s.function()
		f.args, f.signs = append(f.args, g), append(f.signs, sign)
		lists = append(lists, g.Support())
	}
	f.indices = union(lists...)
	f.pool.New = func() any { return &oracleWork{f.blank(), f.blank()} }
	return f, nil
}

// everyEntry is the same rule for all.
func everyEntry(r entryRule) func(int) entryRule { return func(int) entryRule { return r } }

// toExprs are the operands as expressions, and their affine parts.
func toExprs[T Operand](us []T) (es []Expr, lins []Linear) {
	es = exprs(us)
	for _, e := range es {
		if e.err == nil {
			lins = append(lins, e.split().lin)
		}
	}
	return es, lins
}

// composed is outer(signs·args).
type composed struct {
	name    string
	make    func(Affine) Expr
	outer   Representer
	args    []Representer
	signs   []float64
	indices []int
	largest *largestOf // the same as it is written, of a sum of the largest
	pool    sync.Pool  // of *oracleWork
}

func (f *composed) blank() []float64 { return make([]float64, len(f.args)) }

func (f *composed) arguments(x []float64) *oracleWork {
	w := f.pool.Get().(*oracleWork)
	for k, a := range f.args {
		w.u[k] = f.signs[k] * a.Value(x)
	}
	return w
}

func (f *composed) Value(x []float64) float64 {
	w := f.arguments(x)
	defer f.pool.Put(w)
	return f.outer.Value(w.u)
}

func (f *composed) AddSubgrad(dst []float64, scale float64, x []float64) {
	w := f.arguments(x)
	defer f.pool.Put(w)
	clear(w.grad)
	f.outer.AddSubgrad(w.grad, 1, w.u)
	for k, a := range f.args {
		a.AddSubgrad(dst, scale*w.grad[k]*f.signs[k], x)
	}
}

func (f *composed) Smooth() bool {
	return smooth(f.outer) && !slices.ContainsFunc(f.args, func(a Representer) bool { return !smooth(a) })
}

func (f *composed) Support() []int { return f.indices }

func (f *composed) Represent(c Canon) Form {
	rows := make([]Linear, len(f.args))
	for k, a := range f.args {
		rows[k] = c.Bound(a).Scale(f.signs[k])
	}
	return c.Form(f.make(Entries(rows...)).G())
}

// Domain: those of the arguments, and where the outer function says that an
// entry is ≥ 0, as all do, that it is.
func (f *composed) Domain() []Representer {
	var out []Representer
	for _, a := range f.args {
		if r, ok := a.(Restricted); ok {
			out = append(out, r.Domain()...)
		}
	}
	r, ok := f.outer.(Restricted)
	if !ok {
		return out
	}
	for _, d := range r.Domain() {
		l, ok := d.(Linear)
		if !ok {
			continue
		}
		e := split{lin: Linear{Const: l.Const}}
		for i, k := range l.Idx {
			w := l.Val[i] * f.signs[k]
			if a, ok := f.args[k].(Linear); ok {
				e.lin = e.lin.AddScaled(w, a)
			} else {
				e.g = append(e.g, term{w, f.args[k]})
			}
		}
		out = append(out, e.function())
	}
	return out
}

func (f *composed) Inside(x []float64) bool {
	for _, a := range f.args {
		if r, ok := a.(Restricted); ok && !r.Inside(x) {
			return false
		}
	}
	r, ok := f.outer.(Restricted)
	if !ok {
		return true
	}
	w := f.arguments(x)
	defer f.pool.Put(w)
	return r.Inside(w.u)
}

// over is the range of the function of any numbers.
func (f *composed) over() Interval { return rangeOf(f.outer) }

// approx adds, to the error of the function itself, the slopes by the entries
// times the errors of the arguments.
func (f *composed) approx(x []float64) approx {
	w := f.pool.Get().(*oracleWork)
	defer f.pool.Put(w)
	errs := make([]float64, len(f.args))
	for k, a := range f.args {
		v := approximate(a, x)
		w.u[k], errs[k] = f.signs[k]*v.v, v.e
	}
	out := approximate(f.outer, w.u)
	// The slopes are taken where the errors would lead to, on either side.
	for _, side := range []float64{-1, 1} {
		for k, e := range errs {
			w.u[k] += side * e
		}
		clear(w.grad)
		f.outer.AddSubgrad(w.grad, 1, w.u)
		e := 0.0
		for k := range errs {
			e += math.Abs(w.grad[k]) * errs[k]
			w.u[k] -= side * errs[k]
		}
		out.e = max(out.e, approximate(f.outer, w.u).e+e)
	}
	return out
}

func (f *composed) node() Node {
	if l, ok := f.outer.(Linear); ok { // of one entry
		return Node{op: "sum", args: funcArgs(f.args, []float64{l.Val[0] * f.signs[0]})}
	}
	n := nodeOf(f.outer)
	n.args = funcArgs(f.args, f.signs)
	return n
}

func (f *composed) parts() []Convex {
	out := make([]Convex, len(f.args))
	for k, a := range f.args {
		out[k] = a
	}
	return out
}

func (f *composed) String() string { return f.name }

func (a *along) represented() bool { return a.f.represented() }
