package dc

import "math"

// Huber is the sum over the entries of aₖ² where |aₖ| ≤ m and 2m|aₖ| − m²
// beyond; m > 0. Huber 1964.
func Huber(a Affine, m float64) Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if !(m > 0) || math.IsInf(m, 1) {
		return badExpr("huber with threshold %g, want it positive and finite", m)
	}
	f := &huber{a, m, a.support()}
	if a.IsConst() {
		return Expr{lin: Linear{Const: f.Value(nil)}}
	}
	return convex(f)
}

// HuberOf is Huber of affine expressions, or of convex nonnegative ones.
func HuberOf(m float64, us ...Operand) Expr {
	return atomOf("huber", func(a Affine) Expr { return Huber(a, m) }, us, everyEntry(positiveEntry))
}

type huber struct {
	a       Affine
	m       float64
	indices []int
}

func (f *huber) Value(x []float64) float64 {
	s := 0.0
	vals := f.a.values(x)
	for k := range f.a.c {
		if v := math.Abs(vals.at(k)); v <= f.m {
			s += v * v
		} else {
			s += 2*f.m*v - f.m*f.m
		}
	}
	return s
}

func (f *huber) AddSubgrad(dst []float64, scale float64, x []float64) {
	vals := f.a.values(x)
	for k := range f.a.c {
		v := vals.at(k)
		f.a.addRow(dst, 2*scale*min(max(v, -f.m), f.m), k)
	}
}

func (f *huber) Support() []int { return f.indices }

// Represent: the least n² + 2m·t over a = n + s, t ≥ |s|.
func (f *huber) Represent(c Canon) Form {
	var inner, outer []Linear
	w := make([]float64, 0, f.a.Len())
	for k := range f.a.c {
		n := Linear{Idx: []int{c.Var()}, Val: []float64{1}}
		t := Linear{Idx: []int{c.Var()}, Val: []float64{1}}
		s := f.a.Entry(k).Plus(-1, n)
		c.Row(s.Plus(-1, t), math.Inf(-1), 0)
		c.Row(s.Plus(1, t), 0, math.Inf(1))
		inner, outer, w = append(inner, n), append(outer, t), append(w, 2*f.m)
	}
	return Form{Linear: sumLinear(outer, w), Quad: []Quadratic{{Weight: 1, Arg: Entries(inner...)}}}
}

func (f *huber) nonnegative() bool { return true }
func (f *huber) String() string    { return "huber" }
