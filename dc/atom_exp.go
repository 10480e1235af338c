package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Exp is eᵘ.
func Exp(u Operand) Expr { return applyTo("exp", u) }

// Logistic is log(1 + eᵘ).
func Logistic(u Operand) Expr { return applyTo("logistic", u) }

// LogSumExp is log Σ exp aₖ.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       any
//	monotone   a: nondecreasing
//	domain     all
//	takes      affine
//	refuses    an array without entries
//	form       exponential cones and rows
//	source     Chares 2009
func LogSumExp(a Affine) Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if a.Len() == 0 {
		return badExpr("lse of nothing")
	}
	f := &logSumExp{a, a.support()}
	switch {
	case a.IsConst():
		return constantExpr(f.Value(nil))
	case a.Len() == 1:
		return a.expr()
	}
	return convex(f, a.of)
}

// LogSumExpOf is LogSumExp of a slice of scalars.
//
//	as         LogSumExp
//	takes      any with a split
//	refuses    no scalars
func LogSumExpOf[T Operand](us []T) Expr {
	return atomOfAny("lse", LogSumExp, us, convexEntry, slopes{0, 1, false})
}

type logSumExp struct {
	a       Affine
	indices []int
}

// Value subtracts the largest entry first, so that nothing overflows.
func (f *logSumExp) Value(x []float64) float64 {
	top := f.top(x)
	if math.IsInf(top, 0) {
		return top
	}
	s := 0.0
	for k := range f.a.c {
		s += math.Exp(f.a.at(k, x) - top)
	}
	return top + math.Log(s)
}

func (f *logSumExp) top(x []float64) float64 {
	top := math.Inf(-1)
	for k := range f.a.c {
		top = max(top, f.a.at(k, x))
	}
	return top
}

func (f *logSumExp) AddSubgrad(dst []float64, scale float64, x []float64) {
	v := f.Value(x)
	for k := range f.a.c {
		f.a.addRow(dst, scale*math.Exp(f.a.at(k, x)-v), k)
	}
}

func (f *logSumExp) Smooth() bool { return true }

func (f *logSumExp) Support() []int { return f.indices }

// Represent: t with Σ uₖ ≤ 1, uₖ ≥ exp(aₖ − t).
func (f *logSumExp) Represent(c Canon) Form {
	t := column(c)
	total, ones := []Linear{}, []float64{}
	for k := range f.a.c {
		u := column(c)
		c.Cone(Cone{Kind: ExponentialCone, Rows: []Linear{f.a.Entry(k).AddScaled(-1, t), {Const: 1}, u}})
		total, ones = append(total, u), append(ones, 1)
	}
	c.Row(sumLinear(total, ones), math.Inf(-1), 1)
	return Form{Linear: t}
}

// approx: the function changes by no more than the largest error of an entry.
// The rounding errors are those of the differences in the exponents, of at most
// as many roundings of the sum as it has terms, and of two operations at the end.
func (f *logSumExp) approx(x []float64) approx {
	v, top, e := f.Value(x), 0.0, 0.0
	for k := range f.a.c {
		a := f.a.approx(k, x)
		top, e = max(top, math.Abs(a.v)), max(e, a.e)
	}
	return approx{v, e + unit*(4*top+2*math.Abs(v)+float64(len(f.a.c)+4))}
}

func (f *logSumExp) over() Interval {
	i := interval.New(math.Inf(-1), math.Inf(-1))
	for k := range f.a.c {
		i = i.Max(f.a.over(k))
	}
	return interval.New(i.Lo, num.AddUp(i.Hi, num.Up(math.Log(float64(len(f.a.c))))))
}

// bends: the gradient is a mean of those of the entries, the Hessian at most the mean of their
// squares.
func (f *logSumExp) bends() (bends, bool) {
	out := bends{over: f.over()}
	for k := range f.a.c {
		out.slope = plus(out.slope, 1, affineBends(f.a.Entry(k)).slope)
	}
	out.up = out.slope
	return out, true
}

func (f *logSumExp) node() Node     { return Node{op: "lse", args: affineArgs(&f.a)} }
func (f *logSumExp) String() string { return "lse" }

func expAtoms() []atom {
	return []atom{
		{op: "exp", args: 1, scalar: true, make: ofScalar(Exp)},
		{op: "logistic", args: 1, scalar: true, make: ofScalar(Logistic)},
		{op: "xexp", args: 1, scalar: true, make: ofScalar(XExp)},
		{op: "lse", args: 1, make: ofArray(LogSumExp, LogSumExpOf[Expr])},
	}
}
