package dc_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }

// TestCalculus compares expressions with the same formula in plain Go.
func TestCalculus(t *testing.T) {
	m := dc.NewModel()
	v := m.Var("v", []int{3})
	x, y, z := v.At(0), v.At(1), v.At(2)
	abs := math.Abs
	for name, c := range map[string]struct {
		e    dc.Expr
		want func(x, y, z float64) float64
	}{
		"product":         {dc.Mul(x.Add(dc.Num(1)), y), func(x, y, z float64) float64 { return (x + 1) * y }},
		"square":          {dc.Mul(x, x), func(x, y, z float64) float64 { return x * x }},
		"constant factor": {dc.Mul(dc.Num(-2), dc.Abs(x)), func(x, y, z float64) float64 { return -2 * abs(x) }},
		"convex product":  {dc.Mul(dc.Abs(x), dc.Norm1(v)), func(x, y, z float64) float64 { return abs(x) * (abs(x) + abs(y) + abs(z)) }},
		"of either sign":  {dc.Mul(dc.Abs(x).Neg(), dc.Abs(z)), func(x, y, z float64) float64 { return -abs(x) * abs(z) }},
		"fourth power":    {dc.Square(dc.Square(x)), func(x, y, z float64) float64 { return x * x * x * x }},
		"max of DC":       {dc.Max(dc.Abs(x).Sub(dc.Abs(y)), z, dc.Abs(z).Neg().Add(x)), func(x, y, z float64) float64 { return max(abs(x)-abs(y), z, x-abs(z)) }},
		"min of DC":       {dc.Min(dc.Abs(x), dc.Abs(y).Scale(2).Sub(dc.Num(1))), func(x, y, z float64) float64 { return min(abs(x), 2*abs(y)-1) }},
		"abs of DC":       {dc.Abs(dc.Max(x, y).Sub(dc.Abs(z))), func(x, y, z float64) float64 { return abs(max(x, y) - abs(z)) }},
		"abs of a norm":   {dc.Abs(dc.Norm1(v).Neg()), func(x, y, z float64) float64 { return abs(x) + abs(y) + abs(z) }},
		"nested":          {dc.Abs(dc.Min(dc.Abs(dc.Max(x, y.Neg()).Sub(dc.Num(1))), dc.Pos(z))), func(x, y, z float64) float64 { return abs(min(abs(max(x, -y)-1), max(z, 0))) }},
		"single max":      {dc.Max(dc.Abs(x).Neg()), func(x, y, z float64) float64 { return -abs(x) }},
		"cube":            {dc.Power(x, 3), func(x, y, z float64) float64 { return x * x * x }},
		"sixth power":     {dc.Power(y, 6), func(x, y, z float64) float64 { return math.Pow(y, 6) }},
		"of a norm":       {dc.Power(dc.Norm1(v), 1.5), func(x, y, z float64) float64 { return math.Pow(abs(x)+abs(y)+abs(z), 1.5) }},
		"of a negative":   {dc.Power(dc.Abs(x).Neg(), 3), func(x, y, z float64) float64 { return -abs(x * x * x) }},
		"exp of convex":   {dc.Exp(dc.Abs(x).Sub(dc.Num(1))), func(x, y, z float64) float64 { return math.Exp(abs(x) - 1) }},
		"soft plus":       {dc.Logistic(y), func(x, y, z float64) float64 { return math.Log(1 + math.Exp(y)) }},
		"norm of norms":   {dc.Norm2(dc.Stack([]dc.Expr{dc.Abs(x), dc.Norm1(v)}...)), func(x, y, z float64) float64 { return math.Hypot(x, abs(x)+abs(y)+abs(z)) }},
		"huber of norms": {dc.Huber(dc.Stack([]dc.Expr{dc.Abs(x)}...), 1), func(x, y, z float64) float64 {
			if abs(x) <= 1 {
				return x * x
			}
			return 2*abs(x) - 1
		}},
		"largest of DC": {dc.SumLargest(dc.Stack([]dc.Expr{dc.Abs(x).Sub(dc.Abs(y)), z}...), 1), func(x, y, z float64) float64 { return max(abs(x)-abs(y), z) }},
		"lse of convex": {dc.LogSumExp(dc.Stack([]dc.Expr{dc.Abs(x), y}...)), func(x, y, z float64) float64 { return math.Log(math.Exp(abs(x)) + math.Exp(y)) }},
		"quad over lin": {dc.QuadOverLin(v, dc.Num(2)), func(x, y, z float64) float64 { return (x*x + y*y + z*z) / 2 }},
		"constants fold": {dc.Sum(dc.Norm2(dc.Vec([]float64{3, 4})), dc.Max(dc.Num(2), dc.Num(7)), dc.NormInf(dc.Vec([]float64{-9, 1})), dc.Exp(dc.Num(0)), dc.Sqrt(dc.Num(4)), dc.Huber(dc.Num(2), 1), dc.LogSumExp(dc.Vec([]float64{0, 0})), dc.SumLargest(dc.Vec([]float64{1, 5, 3}), 2), dc.Abs(dc.Num(-1)), dc.Norm1(dc.Vec([]float64{1, -1})), dc.SumSquares(dc.Vec([]float64{1, 2})), dc.Quad(context.Background(), dc.Vec([]float64{1, 1}), sym([]float64{1, 1}, []float64{1, 1})), dc.Log(dc.Num(2)), dc.Entropy(dc.Num(2)), dc.KL(dc.Num(1), dc.Num(2)), dc.InvPos(dc.Num(4)), dc.GeoMean(dc.Vec([]float64{2, 8})), dc.QuadOverLin(dc.Num(3), dc.Num(2))), func(_, _, _ float64) float64 {
			return 5 + 7 + 9 + 1 + 2 + 3 + math.Log(2) + 8 + 1 + 2 + 5 + 4 + math.Log(2) - 2*math.Log(2) + math.Log(0.5) + 1 + 0.25 + 4 + 4.5
		}},
		"one-element norm": {dc.Norm2(v.Slice(1, 2)), func(x, y, z float64) float64 { return abs(y) }},
		"all largest":      {dc.SumLargest(v, 3), func(x, y, z float64) float64 { return x + y + z }},
	} {
		e := c.e
		if err := e.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rng := rand.New(rand.NewPCG(8, 8))
		for range 200 {
			p := []float64{3 * rng.NormFloat64(), 3 * rng.NormFloat64(), 3 * rng.NormFloat64()}
			if got, want := e.Value(p), c.want(p[0], p[1], p[2]); !near(got, want) {
				t.Errorf("%s at %v: %g, want %g", name, p, got, want)
				break
			}
		}
		if name == "constants fold" && !e.IsConst() {
			t.Error("an expression of constants is not constant")
		}
	}
}

func TestSplitStaysSmall(t *testing.T) {
	m := dc.NewModel()
	v := m.Var("v", []int{3})
	norm := dc.Norm1(v)
	same := norm.Add(norm).Sub(norm.Scale(2)).Add(v.At(0))
	if !same.IsAffine() {
		t.Error("what is added and taken away does not cancel")
	}
	if e := dc.Norm1(v).Add(v.Sum()); !e.IsConvex() || e.IsConcave() {
		t.Error("an affine term makes a convex function not convex")
	}
	if e := dc.Norm1(v).Neg(); !e.IsConcave() || e.IsConvex() {
		t.Error("the negative of a norm is not known as concave")
	}
	if e := dc.Max(norm, v.At(0)); !e.IsConvex() {
		t.Error("the max of convex functions is not convex")
	}
	if e := dc.Abs(dc.Norm1(v)); len(e.Scalar().H().Support()) != 0 {
		t.Error("the absolute value of a norm has an h")
	}
}

// TestAffineMaps compares the array operations with dense arithmetic.
func TestAffineMaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	m := dc.NewModel()
	x := m.Var("x", []int{2, 3})
	at := make([]float64, 6)
	for j := range at {
		at[j] = rng.NormFloat64()
	}
	X := mat.NewDense(2, 3, at)
	left := mat.NewDense(4, 2, []float64{1, 2, 0, -1, 3, 0, 0, 0})
	right := mat.NewDense(3, 2, []float64{1, 0, 2, -2, 0, 5})
	var lx, xr mat.Dense
	lx.Mul(left, X)
	xr.Mul(X, right)
	y := x.Row(1).Sub(dc.Vec([]float64{1, 2, 3}))
	ly := mat.NewDense(2, 3, []float64{1, 0, -1, 2, 2, 0})
	var lyv mat.VecDense
	lyv.MulVec(ly, mat.NewVecDense(3, y.Values(at)))
	for name, c := range map[string]struct {
		a     dc.Expr
		shape []int
		want  []float64
	}{
		"matrix times variable": {dc.MatMul(dc.Mat(left), x), []int{4, 3}, lx.RawMatrix().Data},
		"variable times matrix": {dc.MatMul(x, dc.Mat(right)), []int{2, 2}, xr.RawMatrix().Data},
		"matrix times vector":   {dc.MatMul(dc.Mat(ly), y), []int{2}, lyv.RawVector().Data},
		"plain vector":          {dc.MatMul(dc.Mat(ly), x.Row(0)), []int{2}, []float64{at[0] - at[2], 2*at[0] + 2*at[1]}},
		"vector times matrix":   {dc.MatMul(x.Row(0), dc.Mat(right)), []int{2}, []float64{at[0] + 2*at[1], -2*at[1] + 5*at[2]}},
		"row times vector":      {dc.MatMul(x.Row(0), dc.Vec([]float64{1, -1, 2})), nil, []float64{at[0] - at[1] + 2*at[2]}},
		"variable times vector": {dc.MatMul(x, dc.Vec([]float64{1, 0, -1})), []int{2}, []float64{at[0] - at[2], at[3] - at[5]}},
		"vector times variable": {dc.MatMul(dc.Vec([]float64{1, -1}), x), []int{3}, []float64{at[0] - at[3], at[1] - at[4], at[2] - at[5]}},
		"constant times itself": {dc.MatMul(dc.Mat(ly), dc.Mat(right)), []int{2, 2}, []float64{1, -5, 6, -4}},
		"row":                   {x.Row(1), []int{3}, at[3:]},
		"column":                {x.Col(1), []int{2}, []float64{at[1], at[4]}},
		"transpose":             {x.T(), []int{3, 2}, []float64{at[0], at[3], at[1], at[4], at[2], at[5]}},
		"entry":                 {x.At(1, 2), nil, at[5:]},
		"reshape":               {x.Reshape(6), []int{6}, at},
		"sum":                   {x.Sum(), nil, []float64{at[0] + at[1] + at[2] + at[3] + at[4] + at[5]}},
		"scalar spreads":        {dc.Num(1).Sub(x.Row(0)), []int{3}, []float64{1 - at[0], 1 - at[1], 1 - at[2]}},
		"scalar spreads right":  {x.Row(0).Sub(x.At(0, 0)), []int{3}, []float64{0, at[1] - at[0], at[2] - at[0]}},
		"scale each":            {x.Row(0).ScaleEach([]float64{0, 2, -1}), []int{3}, []float64{0, 2 * at[1], -at[2]}},
		"scale by zero":         {x.Row(0).Scale(0), []int{3}, []float64{0, 0, 0}},
		"stack":                 {dc.Stack(x.At(0, 0), x.Row(1)), []int{4}, []float64{at[0], at[3], at[4], at[5]}},
		"inner product":         {x.Row(0).Dot([]float64{1, -1, 2}), nil, []float64{at[0] - at[1] + 2*at[2]}},
	} {
		if err := c.a.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := c.a.Values(at)
		if len(got) != len(c.want) || len(c.a.Shape()) != len(c.shape) {
			t.Errorf("%s: shape %v with %d entries, want %v", name, c.a.Shape(), len(got), c.shape)
			continue
		}
		for k := range got {
			if !near(got[k], c.want[k]) {
				t.Errorf("%s: entry %d is %g, want %g", name, k, got[k], c.want[k])
			}
		}
	}
}

func TestModelReportsAllMistakes(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(1), dc.AtMost(0))
	m.Var("x", nil)
	m.Var("y", []int{3}, dc.StartAt(1, 2))
	m.Var("z", nil, dc.StartNormal(0, -1))
	m.Var("u", nil, dc.StartUniform(2, 1))
	m.Var("w", []int{-1})
	m.Minimize(dc.Abs(x))
	m.SubjectTo(dc.LE(x, dc.Vec([]float64{1, 2, 3})).Named("shapes", 4))
	m.SubjectTo(dc.LE(dc.BlackBox("mine", cubes{}, x), dc.Num(1)).Named("box"))
	m.SubjectTo(dc.LE(x.Scale(math.NaN()), dc.Num(1)).Named("nan"))
	_, err := m.Problem(context.Background())
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"bounds 1 and 0", "declared twice", "start has 2 numbers, want 1 or 3", "normal(0, -1)", "uniform(2, 1)",
		"shape [-1]", "objective: dc: a number", "constraint shapes[4]", "shape [2] on the left of ≤ and [3]",
		"constraint box: dc: mine has no representation", "constraint nan",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
}

func TestConstraints(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-10, math.Inf(-1)))
	m.SubjectTo(
		dc.Between(dc.Num(-1), x, dc.Vec([]float64{1, 2})).Named("chain"),
		dc.EQ(dc.Norm2(x), dc.Num(5)).Named("circle", 1, 2),
		dc.Between(dc.Num(1), dc.Norm1(x), dc.Num(9)).Named("ring"),
		dc.GE(x.At(0), dc.Num(-20)),
	)
	m.Maximize(x.Sum())
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range p.Program().Constraints {
		names = append(names, p.Program().Constraints[i].Name())
	}
	if got := strings.Join(names, " "); got != "chain circle[1,2] circle[1,2] ring ring " {
		t.Fatalf("constraints %q", got)
	}
	for _, c := range []struct {
		x     []float64
		worst float64
		where string
	}{
		{[]float64{3, 4}, 2, "chain"},
		{[]float64{0, 0}, 5, "circle[1,2]"},
		{[]float64{-20, 0}, 19, "chain"},
		{[]float64{-35, 0}, 34, "chain"},
		{[]float64{math.NaN(), 0}, math.Inf(1), "x"},
	} {
		v, where := p.Violation(c.x)
		if !(v == c.worst || near(v, c.worst)) || where != c.where {
			t.Errorf("violation at %v: %g in %q, want %g in %q", c.x, v, where, c.worst, c.where)
		}
	}
	if v := p.Value([]float64{1, 2}); v != 3 {
		t.Errorf("maximised objective %g, want 3", v)
	}
	if all := p.Program().Constraints; !all[0].Convex() || all[1].Convex() == all[2].Convex() {
		t.Error("of a circle, one half is convex")
	}
}

func TestStartsFollowTheSeed(t *testing.T) {
	m := dc.NewModel()
	m.Var("a", []int{3}, dc.StartAt(1, math.NaN(), 3))
	m.Var("b", []int{50}, dc.StartUniform(4, 5))
	m.Var("c", []int{50}, dc.StartNormal(100, 1))
	m.Var("d", []int{50}, dc.AtLeast(7), dc.AtMost(8))
	m.Var("e", []int{50}, dc.AtLeast(2))
	m.Minimize(dc.Num(0))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	x, again, other := p.Start(1), p.Start(1), p.Start(2)
	same := true
	for j := range x {
		if x[j] != again[j] {
			t.Fatal("the same seed gives two starts")
		}
		same = same && x[j] == other[j]
	}
	if same || !p.Program().Random() {
		t.Error("another seed gives the same start")
	}
	if x[0] != 1 || x[2] != 3 || math.IsNaN(x[1]) {
		t.Errorf("start values %v", x[:3])
	}
	for k := range 50 {
		b, c, d, e := x[3+k], x[53+k], x[103+k], x[153+k]
		if b < 4 || b > 5 || c < 90 || c > 110 || d < 7 || d > 8 || e < 2 {
			t.Fatalf("entry %d starts at %g %g %g %g", k, b, c, d, e)
		}
	}
}

// TestNilModel: no method of a nil *Model panics, and its Problem is an error that names it.
func TestNilModel(t *testing.T) {
	var m *dc.Model
	x := m.Var("x", nil)
	m.Program().Own(x.Linear(0))
	m.AddCost(m.Param("p", nil, 1), x)
	m.ComplexVar("z", nil)
	m.HermitianVar("H", 2, dc.PSD())
	m.Minimize(x)
	m.Maximize(x)
	m.SubjectTo(dc.GE(x, x))
	if again, ok := m.Again(); again != nil || ok {
		t.Errorf("Again: %v, %v", again, ok)
	}
	if p, err := m.Problem(context.Background()); p != nil || err == nil || !strings.Contains(err.Error(), "model is nil") {
		t.Errorf("Problem: %v, %v", p, err)
	}
	var p *dc.Problem
	if _, err := p.With("p", 1); err == nil || !strings.Contains(err.Error(), "problem is nil") {
		t.Errorf("With: %v", err)
	}
}

// TestShapeOfFirstVariable: a wrong shape of the first variable is an error, of complex ones too.
func TestShapeOfFirstVariable(t *testing.T) {
	for _, declare := range []func(m *dc.Model){
		func(m *dc.Model) { m.Var("x", []int{-1}) },
		func(m *dc.Model) { m.ComplexVar("x", []int{-1}) },
		func(m *dc.Model) { m.HermitianVar("x", -1) },
	} {
		var m dc.Model
		declare(&m)
		if _, err := m.Problem(context.Background()); err == nil || !strings.Contains(err.Error(), "has shape [-1") {
			t.Error(err)
		}
	}
}
