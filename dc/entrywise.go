package dc

import (
	"slices"
	"sync"
)

// Convex functions of a vector whose slopes are bounded, such as norms, may be taken of
// any DC functions eₖ = gₖ − hₖ: where each entry of a subgradient of f lies in [−a, b],
// f(g − h) + a·Σ gₖ + b·Σ hₖ is convex, as lifted is of one number (Hartman 1959).

// slopes are such bounds. even says that f is one of the absolute values of its entries
// that does not decrease in them; else it does not decrease in the entries.
type slopes struct {
	a, b float64
	even bool
}

// atomOfAny is atomOf, also of DC functions that break the rule.
func atomOfAny[T Operand](name string, make func(Affine) Expr, us []T, rule entryRule, s slopes) Expr {
	es := exprs(us)
	fits := true
	for _, e := range es {
		if e.err != nil {
			return e
		}
		fits = fits && (e.IsAffine() || e.IsConvex() && (rule == convexEntry || e.split().nonnegative()))
	}
	if fits {
		return atomOf(name, make, es, everyEntry(rule))
	}
	return newApplied(name, make, es, s)
}

// applied is f(e₁, …) of expressions.
type applied struct {
	parted
	c     *composed // with the expressions as its arguments
	items []Expr
	even  bool
}

// newApplied is f of DC functions.
func newApplied(name string, make func(Affine) Expr, es []Expr, s slopes) Expr {
	outer, err := outerOf(make, len(es))
	if err != nil {
		return Expr{err: err}
	}
	l := &liftedArray{name: name, make: make, outer: outer, s: s}
	l.pool.New = func() any { return &oracleWork{l.blank(), l.blank()} }
	var lists [][]int
	parts, weights := []split{convexSplit(l)}, []float64{1}
	for k := range es {
		t := es[k].split()
		up, down := t.convexPart(), t.concavePart()
		parts, weights = append(parts, up, down), append(weights, -s.a, -s.b)
		l.g, l.h = append(l.g, up.function()), append(l.h, down.function())
		lists = append(lists, l.g[k].Support(), l.h[k].Support())
	}
	l.indices = union(lists...)
	p := newParted(addSplits(parts, weights...))
	c := &composed{name: name, make: make, outer: outer, indices: p.indices}
	for k := range es {
		c.args, c.signs = append(c.args, expression{&es[k], p.indices}), append(c.signs, 1)
	}
	c.pool.New = func() any { return &oracleWork{c.blank(), c.blank()} }
	return node(&applied{p, c, es, s.even}, ownerOf(es...))
}

func (f *applied) Smooth() bool {
	return smooth(f.c.outer) && !slices.ContainsFunc(f.items, func(e Expr) bool { return !e.smooth() })
}

func (f *applied) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.c.AddSubgrad(dst, scale, x)
}

func (f *applied) Value(x []float64) float64 { return f.c.Value(x) }
func (f *applied) approx(x []float64) approx { return f.c.approx(x) }
func (f *applied) over() Interval            { return rangeOf(f.c.outer) }
func (f *applied) String() string            { return f.c.name }

func (f *applied) node() Node {
	n := nodeOf(f.c.outer)
	n.args = exprArgs(f.items...)
	return n
}

// expression is one where a convex function is computed, which it need not be.
type expression struct {
	*Expr
	indices []int
}

func (e expression) Support() []int            { return e.indices }
func (e expression) Represent(Canon) Form      { return Form{} } // nobody asks
func (e expression) approx(x []float64) approx { return e.Expr.approx(x) }

func (e expression) AddSubgrad(dst []float64, scale float64, x []float64) {
	e.AddGradient(dst, scale, x)
}

// liftedArray is f(g − h) + a·Σ gₖ + b·Σ hₖ.
type liftedArray struct {
	name    string
	make    func(Affine) Expr
	outer   Representer
	g, h    []Representer
	s       slopes
	indices []int
	pool    sync.Pool // of *oracleWork
}

func (l *liftedArray) blank() []float64 { return make([]float64, len(l.g)) }

func (l *liftedArray) Value(x []float64) float64 {
	w := l.pool.Get().(*oracleWork)
	defer l.pool.Put(w)
	sum := 0.0
	for k := range l.g {
		g, h := l.g[k].Value(x), l.h[k].Value(x)
		w.u[k] = g - h
		sum += l.s.a*g + l.s.b*h
	}
	return l.outer.Value(w.u) + sum
}

func (l *liftedArray) AddSubgrad(dst []float64, scale float64, x []float64) {
	w := l.pool.Get().(*oracleWork)
	defer l.pool.Put(w)
	for k := range l.g {
		w.u[k] = l.g[k].Value(x) - l.h[k].Value(x)
	}
	clear(w.grad)
	l.outer.AddSubgrad(w.grad, 1, w.u)
	for k, v := range w.grad {
		v = min(max(v, -l.s.a), l.s.b)
		l.g[k].AddSubgrad(dst, scale*(v+l.s.a), x)
		l.h[k].AddSubgrad(dst, scale*(l.s.b-v), x)
	}
}

func (l *liftedArray) Smooth() bool {
	return smooth(l.outer) && !slices.ContainsFunc(l.parts(), func(p Convex) bool { return !smooth(p) })
}

func (l *liftedArray) Support() []int          { return l.indices }
func (l *liftedArray) Domain() []Representer   { return l.all().Domain() }
func (l *liftedArray) Inside(x []float64) bool { return l.all().Inside(x) }
func (l *liftedArray) parts() []Convex         { return l.all().parts() }
func (l *liftedArray) String() string          { return l.name }

// all is the sum of the gₖ and hₖ.
func (l *liftedArray) all() *sum {
	s := &sum{}
	for k := range l.g {
		s.terms = append(s.terms, term{1, l.g[k]}, term{1, l.h[k]})
	}
	return s
}

// Represent: the least f(v − w) + a·Σ v + b·Σ w over v ≥ g, w ≥ h, as of lifted.
func (l *liftedArray) Represent(c Canon) Form {
	rows, sum := make([]Linear, len(l.g)), Linear{}
	for k := range rows {
		v, w := c.Bound(l.g[k]), c.Bound(l.h[k])
		rows[k] = v.AddScaled(-1, w)
		sum = sum.AddScaled(l.s.a, v).AddScaled(l.s.b, w)
	}
	return c.Form(l.make(Entries(rows...)).G()).AddScaled(1, Form{Linear: sum})
}

func (l *liftedArray) node() Node {
	n := nodeOf(l.outer)
	n.op = "lifted " + n.Op()
	n.nums = []float64{l.s.a, l.s.b}
	n.args = funcArgs(append(append([]Representer(nil), l.g...), l.h...), nil)
	return n
}
