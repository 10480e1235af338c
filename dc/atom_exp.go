package dc

import "math"

// Exp is eᵃ for a scalar a.
func Exp(a Affine) Expr {
	e := a.expr()
	switch {
	case e.err != nil:
		return e
	case e.IsConst():
		return Expr{lin: Linear{Const: math.Exp(e.lin.Const)}}
	}
	return convex(&exponential{e.lin})
}

type exponential struct{ l Linear }

func (f *exponential) Value(x []float64) float64 { return math.Exp(f.l.Value(x)) }

func (f *exponential) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.l.AddSubgrad(dst, scale*f.Value(x), x)
}

func (f *exponential) Support() []int { return f.l.Idx }

func (f *exponential) Represent(c Canon) Form {
	t := Linear{Idx: []int{c.Var()}, Val: []float64{1}}
	c.Cone(Exponential, []Linear{f.l, {Const: 1}, t})
	return Form{Linear: t}
}

func (f *exponential) nonnegative() bool { return true }
func (f *exponential) String() string    { return "exp" }

// LogSumExp is log Σ exp aₖ.
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
		return Expr{lin: Linear{Const: f.Value(nil)}}
	case a.Len() == 1:
		return a.expr()
	}
	return convex(f)
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

func (f *logSumExp) Support() []int { return f.indices }

// Represent: t with Σ uₖ ≤ 1, uₖ ≥ exp(aₖ − t).
func (f *logSumExp) Represent(c Canon) Form {
	t := Linear{Idx: []int{c.Var()}, Val: []float64{1}}
	total, ones := []Linear{}, []float64{}
	for k := range f.a.c {
		u := Linear{Idx: []int{c.Var()}, Val: []float64{1}}
		c.Cone(Exponential, []Linear{f.a.Entry(k).Plus(-1, t), {Const: 1}, u})
		total, ones = append(total, u), append(ones, 1)
	}
	c.Row(sumLinear(total, ones), math.Inf(-1), 1)
	return Form{Linear: t}
}

func (f *logSumExp) String() string { return "lse" }
