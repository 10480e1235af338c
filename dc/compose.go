package dc

import (
	"math"
	"sync"
)

// curve is a convex function of one number: the outer part of a composition.
type curve interface {
	value(u float64) float64 // +Inf outside the domain
	slope(u float64) float64
	// represent adds what a bound t ≥ curve(u) needs, and returns it.
	represent(c Canon, u Linear) Form
	// direction is +1 for nondecreasing, −1 for nonincreasing, 0 for neither.
	direction() int
	// least is the left end of the domain, −Inf for none.
	least() float64
	// inside reports whether the curve has a tangent at u.
	inside(u float64) bool
	nonnegative() bool
	String() string
}

// apply composes by the rules of disciplined convex programming (Grant, Boyd
// and Ye 2006): a convex f of an affine e, a nondecreasing one of a convex e, a
// nonincreasing one of a concave e.
func apply(f curve, e Expr) Expr {
	switch {
	case e.err != nil:
		return e
	case e.IsConst():
		v := f.value(e.lin.Const)
		if math.IsInf(v, 1) || math.IsNaN(v) {
			return badExpr("%s at %g, outside its domain", f, e.lin.Const)
		}
		return Expr{lin: Linear{Const: v}}
	case e.IsAffine():
		return convex(&along{f, e.lin, 1})
	case f.direction() > 0 && e.IsConvex():
		return convex(&along{f, e.G(), 1})
	case f.direction() < 0 && e.IsConcave():
		return convex(&along{f, e.Neg().G(), -1})
	case f.direction() > 0:
		return badExpr("no DC split for %s of this: it needs a convex argument", f)
	case f.direction() < 0:
		return badExpr("no DC split for %s of this: it needs a concave argument", f)
	}
	return badExpr("no DC split for %s of this: it needs an affine argument", f)
}

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

func (a *along) Support() []int { return a.arg.Support() }

func (a *along) Represent(c Canon) Form { return a.f.represent(c, c.Bound(a.arg).Scale(a.sign)) }

func (a *along) Domain() []Representer {
	var out []Representer
	if r, ok := a.arg.(Restricted); ok {
		out = r.Domain()
	}
	if least := a.f.least(); !math.IsInf(least, -1) {
		e := Expr{lin: Linear{Const: least}}
		if l, ok := a.arg.(Linear); ok {
			e.lin = e.lin.Plus(-a.sign, l)
		} else { // nonincreasing of −arg
			e.g = []term{{1, a.arg}}
		}
		out = append(out, e.G())
	}
	return out
}

func (a *along) Inside(x []float64) bool {
	if r, ok := a.arg.(Restricted); ok && !r.Inside(x) {
		return false
	}
	return a.f.inside(a.at(x))
}

func (a *along) nonnegative() bool { return a.f.nonnegative() }
func (a *along) parts() []Convex   { return []Convex{a.arg} }
func (a *along) String() string    { return a.f.String() }

// everywhere is embedded by curves whose domain is the whole line.
type everywhere struct{}

func (everywhere) least() float64      { return math.Inf(-1) }
func (everywhere) inside(float64) bool { return true }

// positive is embedded by curves whose domain ends at 0, with an infinite slope
// or none there.
type positive struct{}

func (positive) least() float64        { return 0 }
func (positive) inside(u float64) bool { return u > steepest }

// domainTol is how far a solver's point may lie outside a domain and still be
// evaluated at its border. Problem.Violation counts the distance all the same.
const domainTol = 1e-4

// steepest is the argument below which a slope is kept from growing.
const steepest = 1e-20

// onDomain moves an argument that is outside by no more than rounding to the
// border; ok is false where it is farther out.
func onDomain(u float64) (v float64, ok bool) { return max(u, 0), u >= -domainTol }

// column is a new variable.
func column(c Canon) Linear { return Linear{Idx: []int{c.Var()}, Val: []float64{1}} }

// atomOf applies a function of a vector to expressions. Affine ones go straight
// in. Convex ones may, where the function is nondecreasing in each entry (from
// 0 on, if the entries must be nonnegative).
func atomOf(name string, make func(Affine) Expr, ops []Operand, nonnegative bool) Expr {
	es, lins := toExprs(ops)
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
		switch {
		case !e.IsConvex():
			return badExpr("no DC split for %s of this: entry %d of it is not convex", name, k+1)
		case nonnegative && !e.nonnegative():
			return badExpr("no DC split for %s of this: entry %d of it is not known to be nonnegative", name, k+1)
		}
	}
	// The function itself, of plain variables.
	m := NewModel()
	outer := make(m.Var("u", []int{len(es)}))
	if outer.err != nil {
		return outer
	}
	f := &composed{name: name, make: make, outer: outer.G()}
	var lists [][]int
	for _, e := range es {
		g := e.G()
		f.args = append(f.args, g)
		lists = append(lists, g.Support())
	}
	f.indices = union(lists...)
	f.pool.New = func() any {
		return &oracleWork{u: append([]float64(nil), f.blank()...), grad: f.blank()}
	}
	return convex(f)
}

func toExprs(ops []Operand) (es []Expr, lins []Linear) {
	for _, o := range ops {
		e := o.expr()
		es, lins = append(es, e), append(lins, e.lin)
	}
	return es, lins
}

// composed is outer(args).
type composed struct {
	name    string
	make    func(Affine) Expr
	outer   Representer
	args    []Representer
	indices []int
	pool    sync.Pool // of *oracleWork
}

func (f *composed) blank() []float64 { return make([]float64, len(f.args)) }

func (f *composed) arguments(x []float64) *oracleWork {
	w := f.pool.Get().(*oracleWork)
	for k, a := range f.args {
		w.u[k] = a.Value(x)
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
		a.AddSubgrad(dst, scale*w.grad[k], x)
	}
}

func (f *composed) Support() []int { return f.indices }

func (f *composed) Represent(c Canon) Form {
	rows := make([]Linear, len(f.args))
	for k, a := range f.args {
		rows[k] = c.Bound(a)
	}
	return c.Form(f.make(Entries(rows...)).G())
}

func (f *composed) Domain() []Representer {
	var out []Representer
	for _, a := range f.args {
		if r, ok := a.(Restricted); ok {
			out = append(out, r.Domain()...)
		}
	}
	return out
}

func (f *composed) Inside(x []float64) bool {
	for _, a := range f.args {
		if r, ok := a.(Restricted); ok && !r.Inside(x) {
			return false
		}
	}
	return true
}

func (f *composed) nonnegative() bool {
	n, ok := f.outer.(signed)
	return ok && n.nonnegative()
}

func (f *composed) parts() []Convex {
	out := make([]Convex, len(f.args))
	for k, a := range f.args {
		out[k] = a
	}
	return out
}

func (f *composed) String() string { return f.name }
