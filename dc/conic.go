package dc

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
)

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
		return refused(badExpr("a %v cone needs affine entries", kind).err)
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
		return refused(badExpr("a power cone with α = %g, want 0 < α < 1", alpha).err)
	default:
		return refused(badExpr("no %v cone has %d entries", kind, n).err)
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
	return stated(Common{e: e.one(), DC: true, cone: &k})
}

// Cone is the cone of a constraint that InCone has made; ok is false for any other.
func (c *Constraint) Cone() (k convex.Cone, ok bool) {
	if c.cone == nil {
		return convex.Cone{}, false
	}
	return *c.cone, true
}

// checkCone refuses rows with coefficients that are no numbers, or of another model.
func checkCone(k *convex.Cone, of *convex.Space) error {
	if slices.ContainsFunc(k.Rows, convex.NotFinite) || math.IsNaN(k.Alpha) {
		return badExpr("a coefficient of a cone is not finite").err
	}
	for _, l := range k.Rows {
		if err := l.Of.Check(of); err != nil {
			return err
		}
	}
	return nil
}
