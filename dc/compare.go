package dc

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/program"
)

// Operand is a side of a constraint: an expression, a parameter, a number, or a vector of numbers.
type Operand interface {
	Expr | Param | float64 | int | []float64
}

func operand[T Operand](v T) Expr {
	switch v := any(v).(type) {
	case Expr:
		return v
	case Param:
		return v.Expr
	case float64:
		return Num(v)
	case int:
		return Num(float64(v))
	default:
		return Vec(v.([]float64))
	}
}

// LE states l ≤ r, entry by entry, of shapes as Expr.Add takes them. The constraints of the entries
// of an array are a family, see Constraint.ForEach.
func LE[L, R Operand](l L, r R) Constraint {
	return relate("≤", math.Inf(-1), operand(l), operand(r))
}

// GE states l ≥ r, as LE(r, l).
func GE[L, R Operand](l L, r R) Constraint { return LE(r, l) }

// EQ states l = r, as LE does. Entries that are not affine become l ≤ r and r ≤ l, two DC
// constraints of one name.
func EQ[L, R Operand](l L, r R) Constraint { return relate("=", 0, operand(l), operand(r)) }

// Between states lo ≤ e ≤ hi. With an affine e and constant lo and hi it is one
// constraint with two-sided rows.
func Between[L, E, H Operand](lo L, e E, hi H) Constraint {
	l, f, h := operand(lo), operand(e), operand(hi)
	below, above := LE(l, f), LE(f, h)
	if l.IsConst() && h.IsConst() && !f.bent() && errors.Join(below.Err(), above.Err()) == nil &&
		below.s.A.Len() == f.Len() && above.s.A.Len() == f.Len() {
		s := above.alone()
		s.A = f.arr.Array
		for k := range s.Lo {
			s.Lo[k], s.Hi[k] = l.constant(k), h.constant(k)
		}
		return stated(s)
	}
	if err := errors.Join(below.Err(), above.Err()); err != nil {
		return refused(err)
	}
	if below.isRows() && above.isRows() && below.s.A.Len() == above.s.A.Len() {
		below.s.other = &above.s.Common
		return below
	}
	first, second := below.entries(), above.entries()
	half := func(e *each, k int) Constraint { return e.one(min(k, e.n-1)) }
	both := *first
	if second.n > both.n || len(second.shape) > len(both.shape) {
		both = *second
	}
	both.columns, both.one = nil, func(k int) Constraint {
		c := half(first, k).alone()
		c.other = &half(second, k).s.Common
		return stated(c)
	}
	if both.n == 1 && len(both.shape) == 0 {
		return both.one(0)
	}
	return stated(statement{each: &both})
}

// constant of entry k of a constant array, or of a number.
func (a *Expr) constant(k int) float64 { return a.scalar(min(k, a.Len()-1)).Split().Lin.Const }

func relate(sign string, lo float64, l, r Expr) Constraint {
	switch {
	case l.Err() != nil || r.Err() != nil:
		return refused(errors.Join(l.Err(), r.Err()))
	case l.arr.IsNumber() && r.arr.IsNumber() && (l.bent() || r.bent()):
		return relateOne(expr.SumOf([]expr.Scalar{l.scalar(0), r.scalar(0).Scale(-1)}), lo)
	}
	switch d := l.Sub(r); {
	case d.err != nil && !errors.Is(d.err, convex.ErrOtherModel) && !slices.Equal(l.arr.Shape, r.arr.Shape):
		return refused(fmt.Errorf("dc: constraint with shape %v on the left of %s and %v on the right", l.arr.Shape,
			sign,
			r.arr.Shape))
	case d.err != nil:
		return refused(d.err)
	case !d.bent():
		return affineConstraint(d, lo)
	case d.Len() == 1:
		return relateOne(d.scalar(0), lo)
	default:
		out := &each{n: d.Len(), shape: d.arr.Shape, of: d.arr.Of, one: func(k int) Constraint {
			return relateOne(d.scalar(k), lo)
		}}
		if lo != 0 && d.g != nil {
			out.columns = d.g
		}
		return stated(statement{each: out})
	}
}

// relateOne states that e is at most 0, or 0 if lo is.
func relateOne(e expr.Scalar, lo float64) Constraint {
	switch {
	case e.Err != nil:
		return refused(e.Err)
	case e.IsAffine():
		// a product with a variable whose bounds are equal has a slope in it
		if l := e.Split().Lin; len(e.Support()) <= len(l.Idx) {
			return affineConstraint(FromLinear(l), lo)
		}
	}
	s := statement{Common: program.AtMostZero(e)}
	if lo == 0 {
		other := program.AtMostZero(e.Neg())
		s.other, s.Equation = &other, true
	}
	return stated(s)
}

func affineConstraint(d Expr, lo float64) Constraint {
	a := d.arr.Array
	a.Zero()
	return stated(statement{Common: program.Rows(a, slices.Repeat([]float64{lo}, a.Len()), make([]float64, a.Len()))})
}

// ConeKind is a kind of cone, see InCone.
type ConeKind = convex.ConeKind

// The cones of vectors s.
const (
	SecondOrderCone = convex.SecondOrderCone // s₀ ≥ ‖(s₁, …)‖₂
	ExponentialCone = convex.ExponentialCone // s₂ ≥ s₁·exp(s₀/s₁), s₁ > 0, and its closure
	PowerCone       = convex.PowerCone       // s₀^α·s₁^(1−α) ≥ |s₂|, s₀, s₁ ≥ 0
)

// InCone states that the entries of a, in order, lie in a cone; alpha is the exponent of
// the power cone, 0 < alpha < 1. An exponential or power cone has three entries, a
// second-order cone one at least. For matrices there is Semidefinite.
//
// The violation of such a constraint at a point is ‖(s₁, …)‖ − s₀, s₀ + s₁·log(s₁/s₂)
// and |s₂| − s₀^α·s₁^(1−α). Its multipliers belong to the entries, a point of
// the dual cone.
func InCone(kind ConeKind, alpha float64, a Expr) Constraint {
	if err := a.Err(); err != nil {
		return refused(err)
	}
	n := a.Len()
	if a.bent() {
		return refused(expr.Failed("a %v cone needs affine entries", kind).Err)
	}
	a = a.Reshape(n)
	var e Expr
	switch {
	case kind == SecondOrderCone && n > 0:
		e = Norm2(a.Slice(1, n)).Sub(a.At(0))
	case kind == ExponentialCone && n == 3:
		e = Sum(KL(a.At(1), a.At(2)), a.At(0), a.At(1), a.At(2).Neg())
	case kind == PowerCone && n == 3 && alpha > 0 && alpha < 1:
		e = Abs(a.At(2)).Sub(WeightedGeoMean(a.Slice(0, 2), []float64{alpha, 1 - alpha}))
	case kind == PowerCone && n == 3:
		return refused(expr.Failed("a power cone with α = %g, want 0 < α < 1", alpha).Err)
	default:
		return refused(expr.Failed("no %v cone has %d entries", kind, n).Err)
	}
	if e.err != nil {
		return refused(e.err)
	}
	rows := make([]convex.Linear, n)
	for k := range rows {
		rows[k] = a.Linear(k)
	}
	k := convex.Cone{Kind: kind, Rows: rows}
	if kind == PowerCone {
		k.Alpha = alpha
	}
	return stated(statement{Common: program.InCone(e.one(), &k)})
}
