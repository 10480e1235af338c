package dc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/program"
)

// templates are functions of random rows, one a member of a family each.
var templates = map[string]func(row func(n int) Expr) Expr{
	"abs":           func(row func(int) Expr) Expr { return Abs(row(1).At(0)) },
	"hinge":         func(row func(int) Expr) Expr { return Pos(row(1).At(0)) },
	"square":        func(row func(int) Expr) Expr { return Square(row(1).At(0)) },
	"squares":       func(row func(int) Expr) Expr { return SumSquares(row(3)) },
	"norm1":         func(row func(int) Expr) Expr { return Norm1(row(3)) },
	"norm2":         func(row func(int) Expr) Expr { return Norm2(row(2)) },
	"huber":         func(row func(int) Expr) Expr { return Huber(row(2), 0.75) },
	"logistic":      func(row func(int) Expr) Expr { return Logistic(row(1).At(0)) },
	"exp of norm":   func(row func(int) Expr) Expr { return Exp(Norm1(row(2)).Scale(0.1)) },
	"max of affine": func(row func(int) Expr) Expr { return Max(row(4)) },
	"max of norms":  func(row func(int) Expr) Expr { return Max(Norm1(row(2)), Norm2(row(2)).Scale(1.5), row(1).At(0)) },
	"min of squares": func(row func(int) Expr) Expr {
		return Min(SumSquares(row(2)), SumSquares(row(2)), SumSquares(row(2)))
	},
	"abs of maxima":   func(row func(int) Expr) Expr { return Abs(Max(row(2)).Sub(Max(row(2))).Sub(row(1).At(0))) },
	"product":         func(row func(int) Expr) Expr { return Mul(row(1).At(0), row(1).At(0)) },
	"inner product":   func(row func(int) Expr) Expr { return Inner(row(3), row(3)) },
	"square of DC":    func(row func(int) Expr) Expr { return Square(Abs(row(1).At(0)).Sub(Norm1(row(2)))) },
	"product of norm": func(row func(int) Expr) Expr { return Mul(Norm2(row(2)), Abs(row(1).At(0))) },
	"log-sum-exp":     func(row func(int) Expr) Expr { return LogSumExp(row(3)) },
	"norm of order 3": func(row func(int) Expr) Expr { return NormP(row(3), 3) },
	"largest two": func(row func(int) Expr) Expr { // without ties, which roundings decide
		return SumLargest(row(4).Add(Vec([]float64{0, 0.0625, 0.015625, 0.0078125})), 2)
	},
	"smallest two": func(row func(int) Expr) Expr {
		a := row(3)
		sizes := []Expr{Abs(a.At(0)), Abs(a.At(1)), Abs(a.At(2))}
		return Sum(append(slices.Clone(sizes), SumLargest(Stack(sizes...), 1).Neg())...)
	},
	"softmax of DC": func(row func(int) Expr) Expr {
		return LogSumExp(Stack([]Expr{Abs(row(1).At(0)).Neg(), Norm1(row(2))}...))
	},
	"cube": func(row func(int) Expr) Expr { return Power(Norm1(row(2)), 1.5) },
}

// randomRows draws arrays of affine functions of n variables, with as many
// coefficients as the bits of kind say, and which of them all members share.
func randomRows(r *rand.Rand, x Expr, kind int) func(m int) Expr {
	fixed := rand.New(rand.NewPCG(uint64(kind), 9))
	pick := func(bit int) *rand.Rand {
		if kind&bit != 0 {
			return fixed
		}
		return r
	}
	return func(m int) Expr {
		rows := make([]convex.Linear, m)
		for k := range rows {
			first := pick(1).IntN(x.Len() - 3)
			l := convex.Linear{Const: float64(pick(4).IntN(9)-4) / 4, Of: x.arr.Of}
			for t := range 1 + k%3 {
				l.Idx, l.Val = append(l.Idx, first+t), append(l.Val, float64(1+pick(2).IntN(8))/4*float64(1-2*(t%2)))
			}
			rows[k] = l
		}
		return FromAffine(convex.Entries(rows...))
	}
}

// sameAsMembers compares an expression with the same one after families were made.
func sameAsMembers(e, f expr.Scalar, r *rand.Rand) error {
	x, a, b := make([]float64, 7), make([]float64, 7), make([]float64, 7)
	close := func(u, v, size float64) bool { return math.Abs(u-v) <= 1e-11*(1+size) }
	for round := range 12 {
		for k := range x {
			x[k] = float64(r.IntN(25)-12) / 4
			if round > 5 {
				x[k] = 6*r.Float64() - 3
			}
		}
		v, bound := e.Evaluate(x)
		w, wide := f.Evaluate(x)
		if size := e.Size(x); !close(v, w, 140*size) || math.Abs(v-w) > bound+wide || wide > 2*bound+1e-13 {
			return fmt.Errorf("at %v: %g within %g, then %g within %g", x, v, bound, w, wide)
		}
		if u := f.Value(x); math.Abs(u-w) > wide {
			return fmt.Errorf("at %v: the value is %g, and with its error %g", x, u, w)
		}
		if s, u := e.Size(x), f.Size(x); !close(s, u, s) {
			return fmt.Errorf("at %v: the largest term is %g, then %g", x, s, u)
		}
		parts := [2][2]convex.Func{{e.H(), f.H()}, {e.G(), f.G()}}
		for k, p := range parts {
			clear(a)
			clear(b)
			p[0].AddSubgrad(a, 1.5, x)
			p[1].AddSubgrad(b, 1.5, x)
			u, v := p[0].Value(x), p[1].Value(x)
			for j := range a {
				if !close(a[j], b[j], 1e3) || !close(u, v, math.Abs(u)) {
					return fmt.Errorf("at %v: part %d has the value %g and the subgradient %v, then %g and %v", x, k, u, a, v, b)
				}
			}
		}
	}
	if e.IsConvex() != f.IsConvex() || e.IsConcave() != f.IsConcave() {
		return fmt.Errorf("the curvature differs")
	}
	if u, v := e.Over(), f.Over(); math.Abs(u.Lo-v.Lo) > 1e-9*math.Abs(u.Lo) || math.Abs(u.Hi-v.Hi) > 1e-9*math.Abs(u.Hi) {
		return fmt.Errorf("the range is %v, then %v", u, v)
	}
	_, terms := f.Written()
	back := []Expr{FromLinear(f.Lin)}
	for _, t := range terms {
		back = append(back, Apply(t.Node.Op(), t.Node.Data(), Args(&t.Node)...).Scale(t.Weight))
	}
	if d := number(e).Sub(Sum(back...)); !d.IsConst() || d.Value(nil) != 0 {
		return fmt.Errorf("the members are %d other functions", len(terms))
	}
	return nil
}

// TestFamiliesShareRows: hinges of the same samples at several places have the coefficients once.
func TestFamiliesShareRows(t *testing.T) {
	const samples = 158
	r := rand.New(rand.NewPCG(8, 3))
	m := NewModel()
	x := m.Var("x", []int{7})
	var es []Expr
	for i := range samples {
		row := x.Slice(i%4, i%4+3).Dot([]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
		es = append(es, Pos(row), Norm1(Stack(row.Add(Num(1)), row)).Scale(-0.5))
	}
	e := Sum(es...)
	m.Minimize(e)
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := sameAsMembers(e.one(), p.Exact().Program().Objective, r); err != nil {
		t.Error(err)
	}
	if n := len(p.Program().Objective.Terms); n != 1 {
		t.Fatalf("%d terms, not 1", n)
	}
	f := family.FamilyIn(p.Program().Objective.Terms[0].F)
	lists := map[*float64]bool{}
	for k := range f.Plan.Nodes {
		for _, row := range f.Plan.Nodes[k].Rows {
			for _, val := range row.Val {
				if len(val) > 1 {
					lists[&val[0]] = true
				}
			}
		}
	}
	if f.Plan.N != samples || len(lists) != 6 { // of each of two families, before they are one
		t.Errorf("%d members with %d lists", f.Plan.N, len(lists))
	}
}

// TestVariationOfFamilies: the variation of a sum of many members is its size at a point, or the
// width of its range where that is less.
func TestVariationOfFamilies(t *testing.T) {
	narrow := 0
	for _, width := range []float64{1e-9, 0.1, 1000, math.Inf(1)} {
		m := NewModel()
		x := m.Var("x", []int{2}, AtLeast(3), AtMost(3+width))
		var es []Expr
		for i := range 256 {
			es = append(es, Norm2(Stack(x.At(0).Sub(x.At(1).Scale(0.5)).Add(Num(float64(i))), x.At(1))))
		}
		m.Minimize(Sum(es...).Scale(3))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		f := p.Program().Objective.Terms[0]
		if _, ok := f.F.(*family.Family); !ok || len(p.Program().Objective.Terms) > 1 {
			t.Fatalf("the objective is a %T", f.F)
		}
		at := []float64{3, 3}
		size, wide := p.Program().ObjectiveSize(at), f.W*interval.Width(convex.RangeOf(f.F))
		if wide < size {
			narrow++
		}
		if got := p.Program().ObjectiveVariation(at); got != min(size, wide) {
			t.Errorf("width %g: the variation is %g, want the less of %g and %g", width, got, size, wide)
		}
	}
	if narrow != 2 {
		t.Errorf("%d of 4 ranges are narrow", narrow)
	}
}

// TestFamiliesAreFew: what has too few members, or is not finite everywhere, stays
// as it is, and the order of sums does not matter.
func TestFamiliesAreFew(t *testing.T) {
	m := NewModel()
	x := m.Var("x", []int{40}, AtLeast(1))
	var es []Expr
	for k := range 40 {
		es = append(es, Log(x.At(k)).Neg(), Abs(x.At(k).Sub(Num(2))), Square(x.At(k)))
		if k < family.FewestMembers-1 {
			es = append(es, Norm1(x.Slice(k, k+2).Sub(Num(3))))
		}
	}
	m.Minimize(Sum(es...))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, u := range p.Program().Objective.Terms {
		kinds[fmt.Sprintf("%T", u.F)]++
	}
	if kinds["*family.Family"] != 1 || kinds["*expr.VectorAtom"] != family.FewestMembers-1 || kinds["*expr.CurveAtom"] != 40 {
		t.Error(kinds)
	}
	if n := len(p.Program().Objective.Split().G); n != 1+40+40+family.FewestMembers-1 { // squares are one
		t.Errorf("g has %d terms", n)
	}
}

// TestLeastFamilies: a family of the least of some squares has the values, errors and
// gradients of its members.
func TestLeastFamilies(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 3))
	m := NewModel()
	x := m.Var("x", []int{7})
	var terms []expr.Term
	for range 140 {
		row := randomRows(r, x, 0)
		w, f := family.NewLeastOf(-0.5, Max(SumSquares(row(2)).Neg(), Square(row(1).At(0)).Scale(-2).Sub(row(1).At(0))).one().Terms[0].F)
		terms = append(terms, expr.Term{W: w, F: f})
	}
	joined := family.GatherLeast(terms, x.arr.Of)
	f, ok := joined[0].F.(*family.LeastFamily)
	if !ok || len(joined) != 1 {
		t.Fatalf("%d terms, the first of type %T", len(joined), joined[0].F)
	}
	for range 20 {
		at, a, b := make([]float64, 7), make([]float64, 7), make([]float64, 7)
		for k := range at {
			at[k] = r.NormFloat64()
		}
		one := &expr.Scalar{Terms: terms}
		one.AddSubgrad(a, 1, at)
		f.AddSubgrad(b, 1, at)
		u, v := one.Approx(at), f.Approx(at)
		if math.Abs(u.V-v.V) > u.E+v.E || v.E > 2*u.E || math.Abs(v.V-f.Value(at)) > v.E {
			t.Errorf("the value is %g within %g, that of the family %g within %g", u.V, u.E, v.V, v.E)
		}
		for k := range a {
			if math.Abs(a[k]-b[k]) > 1e-11*(1+math.Abs(a[k])) {
				t.Errorf("gradient %v, that of the family %v", a, b)
			}
		}
	}
}

// TestScaledColumns: entries of a graph times numbers, one by one or added up, have the values that
// they have without a graph; numbers that are 0 leave none.
func TestScaledColumns(t *testing.T) {
	n := program.FewestMembers + 7
	x := NewModel().Var("x", []int{n})
	a := Max(Stack(x, x.Neg()).Reshape(2, n).Along(0)).Add(x.Scale(0.5))
	if a.g == nil {
		t.Fatal("no graph")
	}
	at, w, signs := make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range at {
		at[k], w[k], signs[k] = math.Sin(float64(k)), 1+float64(k%5), float64(k%3-1)
	}
	for name, w := range map[string][]float64{"positive": w, "of three signs": signs, "alike": slices.Repeat([]float64{2}, n)} {
		scaled, total := a.ScaleEach(w), 0.0
		if (scaled.g != nil) == slices.Contains(w, 0) {
			t.Errorf("%s: a graph %v", name, scaled.g != nil)
		}
		for k, v := range scaled.Values(at) {
			want := w[k] * (math.Abs(at[k]) + at[k]/2)
			if total += want; math.Abs(v-want) > 1e-14 {
				t.Errorf("%s: entry %d is %g, want %g", name, k, v, want)
			}
		}
		if v := a.Dot(w).Value(at); math.Abs(v-total) > 1e-12 {
			t.Errorf("%s: the sum is %g, want %g", name, v, total)
		}
	}
}
