package dc

import (
	"errors"
	"fmt"
	"math"
)

// Operand is what expressions are built from: an Affine, a Linear or an Expr.
// Where a scalar is wanted, an Affine must have one entry.
type Operand interface {
	expr() Expr
}

// Expr is a scalar function with a split g − h, g and h convex. The split is
// kept in normal form: one affine part, which belongs to g, and two lists of
// weighted convex functions. The zero value is the constant 0.
type Expr struct {
	lin  Linear
	g, h []term
	err  error
}

// term is w·f with w > 0.
type term struct {
	w float64
	f Convex
}

func badExpr(format string, args ...any) Expr {
	return Expr{err: fmt.Errorf("dc: "+format, args...)}
}

func (e Expr) expr() Expr { return e }

func (a Affine) expr() Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if a.Len() != 1 {
		return badExpr("a scalar is wanted, not shape %v", a.shape)
	}
	return Expr{lin: a.Entry(0)}
}

// ToExpr is the operand as an expression.
func ToExpr(o Operand) Expr { return o.expr() }

func convex(f Convex) Expr  { return Expr{g: []term{{1, f}}} }
func concave(f Convex) Expr { return Expr{h: []term{{1, f}}} }

// Err is the first mistake made on the way to e, or nil.
func (e Expr) Err() error { return e.err }

// IsConst, IsAffine, IsConvex and IsConcave say what the split shows; a
// function may be convex although its split does not show it.
func (e Expr) IsConst() bool { return e.IsAffine() && e.lin.IsConst() }

// IsAffine reports whether both lists of the split are empty.
func (e Expr) IsAffine() bool { return len(e.g) == 0 && len(e.h) == 0 }

// IsConvex reports whether h is zero.
func (e Expr) IsConvex() bool { return len(e.h) == 0 }

// IsConcave reports whether g is affine.
func (e Expr) IsConcave() bool { return len(e.g) == 0 }

// Value is the function at x; NaN where g and h are both infinite.
func (e Expr) Value(x []float64) float64 {
	s := e.lin.Value(x)
	for _, t := range e.g {
		s += t.w * t.f.Value(x)
	}
	for _, t := range e.h {
		s -= t.w * t.f.Value(x)
	}
	return s
}

// G is the convex part, the affine part included. It is a Representer unless
// an Oracle or another function without representation is in it; see
// Unrepresentable.
func (e Expr) G() Representer { return newSum(e.lin, e.g) }

// H is the part that is subtracted.
func (e Expr) H() Convex { return newSum(Linear{}, e.h) }

// Unrepresentable returns a function in g that has values and subgradients
// only, so that it could only be an h; nil if there is none.
func (e Expr) Unrepresentable() Convex {
	for _, t := range e.g {
		if !representable(t.f) {
			return t.f
		}
	}
	return nil
}

// Plus returns e + o.
func (e Expr) Plus(o Operand) Expr { return SumExprs([]Expr{e, o.expr()}) }

// Minus returns e − o.
func (e Expr) Minus(o Operand) Expr { return SumExprs([]Expr{e, o.expr().Scale(-1)}) }

// Neg returns −e.
func (e Expr) Neg() Expr { return e.Scale(-1) }

// Scale returns w·e; a negative w swaps g and h.
func (e Expr) Scale(w float64) Expr {
	switch {
	case e.err != nil || w == 1:
		return e
	case w == 0:
		return Expr{}
	}
	out := Expr{lin: e.lin.Scale(w)}
	if w > 0 {
		out.g, out.h = scaleTerms(e.g, w), scaleTerms(e.h, w)
	} else {
		out.g, out.h = scaleTerms(e.h, -w), scaleTerms(e.g, -w)
	}
	return out
}

func scaleTerms(ts []term, w float64) []term {
	if len(ts) == 0 {
		return nil
	}
	out := make([]term, len(ts))
	for k, t := range ts {
		out[k] = term{w * t.w, t.f}
	}
	return out
}

// Sum adds the operands in one go. A function that occurs in several of them
// is kept once, and what is in both g and h cancels.
func Sum(ops ...Operand) Expr {
	es := make([]Expr, len(ops))
	for k, o := range ops {
		es[k] = o.expr()
	}
	return SumExprs(es)
}

// Mul returns a·b where that has a DC split: a factor is constant, both are
// affine, or each is a convex or concave function of known sign.
// Products of affine functions by polarisation: uv = ((u+v)² − (u−v)²)/4.
func Mul(x, y Operand) Expr {
	a, b := x.expr(), y.expr()
	if err := errors.Join(a.err, b.err); err != nil {
		return Expr{err: err}
	}
	switch {
	case a.IsConst():
		return b.Scale(a.lin.Const)
	case b.IsConst():
		return a.Scale(b.lin.Const)
	case a.IsAffine() && b.IsAffine():
		if w, ok := a.lin.multipleOf(b.lin); ok {
			return Square(b).Scale(w)
		}
		return Square(Sum(a, b)).Scale(0.25).Minus(Square(a.Minus(b)).Scale(0.25))
	}
	sa, sb := 1.0, 1.0
	if a.Neg().nonnegative() {
		a, sa = a.Neg(), -1
	}
	if b.Neg().nonnegative() {
		b, sb = b.Neg(), -1
	}
	if a.IsConvex() && a.nonnegative() && b.IsConvex() && b.nonnegative() {
		ab := Square(Sum(a, b)).Minus(Square(a)).Minus(Square(b))
		return ab.Scale(sa * sb / 2)
	}
	return badExpr("no DC split for a product of two functions that are not affine, nor convex and nonnegative")
}

// nonnegative reports whether the terms show that e ≥ 0.
func (e Expr) nonnegative() bool {
	if len(e.h) > 0 || !e.lin.IsConst() || e.lin.Const < 0 {
		return false
	}
	return (&sum{terms: e.g}).nonnegative()
}

// sum is an affine function plus weighted convex functions.
type sum struct {
	lin     Linear
	terms   []term
	indices []int
}

// newSum returns the sum, or the one function it consists of.
func newSum(lin Linear, terms []term) Representer {
	if len(terms) == 0 {
		return lin
	}
	if f, ok := terms[0].f.(Representer); ok && len(terms) == 1 && terms[0].w == 1 && lin.isZero() {
		return f
	}
	lists := [][]int{lin.Idx}
	for _, t := range terms {
		lists = append(lists, t.f.Support())
	}
	return &sum{lin, terms, union(lists...)}
}

func (s *sum) Value(x []float64) float64 {
	v := s.lin.Value(x)
	for _, t := range s.terms {
		v += t.w * t.f.Value(x)
	}
	return v
}

func (s *sum) AddSubgrad(dst []float64, scale float64, x []float64) {
	s.lin.AddSubgrad(dst, scale, x)
	for _, t := range s.terms {
		t.f.AddSubgrad(dst, scale*t.w, x)
	}
}

func (s *sum) Support() []int { return s.indices }

func (s *sum) Represent(c Canon) Form {
	out := Form{}
	lins, w := make([]Linear, 0, len(s.terms)+1), make([]float64, 0, len(s.terms)+1)
	for _, t := range s.terms {
		form := c.Form(t.f.(Representer))
		lins, w = append(lins, form.Linear), append(w, t.w)
		for _, q := range form.Quad {
			q.Weight *= t.w
			out.Quad = append(out.Quad, q)
		}
	}
	out.Linear = sumLinear(append(lins, s.lin), append(w, 1))
	return out
}

// Pieces: those of a single term, shifted by the affine part.
func (s *sum) Pieces() []Linear {
	if len(s.terms) == 0 {
		return []Linear{s.lin}
	}
	p, ok := s.terms[0].f.(Polyhedral)
	if !ok || len(s.terms) > 1 {
		return nil
	}
	var out []Linear
	for _, l := range p.Pieces() {
		out = append(out, s.lin.Plus(s.terms[0].w, l))
	}
	return out
}

// Below: with a single term, that of f ≤ (b − l)/w; squares are one term.
func (s *sum) Below(b Linear) (k Cone, share []float64, ok bool) {
	if q := s.squares(); q != nil {
		return q.Below(b.Plus(-1, s.lin))
	}
	if len(s.terms) != 1 {
		return Cone{}, nil, false
	}
	f, ok := s.terms[0].f.(Sublevel)
	if !ok {
		return Cone{}, nil, false
	}
	w := s.terms[0].w
	k, share, ok = f.Below(b.Plus(-1, s.lin).Scale(1 / w))
	for i := range share {
		share[i] /= w
	}
	return k, share, ok
}

// squares is the sum without l where all terms are sums of squares, else nil.
func (s *sum) squares() *sumSquares {
	parts := make([]Affine, len(s.terms))
	for k, t := range s.terms {
		q, ok := t.f.(*sumSquares)
		if !ok {
			return nil
		}
		parts[k] = q.a.Scale(math.Sqrt(t.w))
	}
	if len(parts) == 0 {
		return nil
	}
	return &sumSquares{a: Stack(parts...)}
}

func (s *sum) Domain() []Representer {
	var out []Representer
	for _, t := range s.terms {
		if r, ok := t.f.(Restricted); ok {
			out = append(out, r.Domain()...)
		}
	}
	return out
}

func (s *sum) Inside(x []float64) bool {
	for _, t := range s.terms {
		if r, ok := t.f.(Restricted); ok && !r.Inside(x) {
			return false
		}
	}
	return true
}

func (s *sum) nonnegative() bool {
	if !s.lin.IsConst() || s.lin.Const < 0 {
		return false
	}
	for _, t := range s.terms {
		if n, ok := t.f.(signed); !ok || !n.nonnegative() {
			return false
		}
	}
	return true
}

// signed is implemented by functions that can be known to be ≥ 0.
type signed interface{ nonnegative() bool }

// representable looks into sums and compositions, at each function once.
func representable(f Convex) bool {
	if _, ok := f.(parts); !ok {
		_, ok := f.(Representer)
		return ok
	}
	return representableIn(f, map[Convex]bool{})
}

func representableIn(f Convex, seen map[Convex]bool) bool {
	if _, ok := f.(Linear); ok {
		return true // and no key for a map
	}
	if seen[f] {
		return true // or reported where it was seen first
	}
	seen[f] = true
	if p, ok := f.(parts); ok {
		for _, q := range p.parts() {
			if !representableIn(q, seen) {
				return false
			}
		}
	}
	_, ok := f.(Representer)
	return ok
}

// parts is implemented by functions of convex functions.
type parts interface{ parts() []Convex }

func (s *sum) parts() []Convex {
	out := make([]Convex, len(s.terms))
	for k, t := range s.terms {
		out[k] = t.f
	}
	return out
}
