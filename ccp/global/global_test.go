package global_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc"
)

// choices is a random problem over maxima of affine functions, and the convex
// problem for each choice of a piece for every maximum. Its optimum is the least
// of theirs, since a maximum is at least each of its pieces.
type choices struct {
	whole  *dc.Problem
	pieces []*dc.Problem
}

func drawChoices(t *testing.T, seed uint64) choices {
	rng := rand.New(rand.NewPCG(seed, 31))
	const n = 3
	draw := func() []float64 {
		w := make([]float64, n)
		for j := range w {
			w[j] = rng.NormFloat64()
		}
		return w
	}
	type affine struct {
		w []float64
		c float64
	}
	maxima := make([][]affine, 4)
	for k := range maxima {
		for range 2 + k%2 {
			maxima[k] = append(maxima[k], affine{draw(), rng.NormFloat64()})
		}
	}
	target, kind := draw(), seed%3
	// state builds the problem; piece[k] < 0 keeps maximum k.
	state := func(piece []int) *dc.Problem {
		m := dc.NewModel()
		var x dc.Expr
		if kind == 1 { // bounded: chords; else hulls or plain enumeration
			x = m.Var("x", []int{n}, dc.AtLeast(-3), dc.AtMost(3), dc.StartAt(0.1))
		} else {
			x = m.Var("x", []int{n}, dc.StartAt(0.1))
		}
		var subtracted []dc.Expr
		for k, pieces := range maxima {
			var all []dc.Expr
			for i, p := range pieces {
				if piece[k] < 0 || piece[k] == i {
					all = append(all, x.Dot(p.w).Add(dc.Num(p.c)))
				}
			}
			subtracted = append(subtracted, dc.Max(all...))
		}
		if kind == 2 { // the last maximum in a constraint
			m.SubjectTo(dc.GE(subtracted[3], dc.Num(2)).Named("reach"))
			subtracted = subtracted[:3]
		}
		g := dc.SumSquares(x.Sub(dc.Vec(target)))
		if kind == 1 {
			g = dc.NormInf(x.Sub(dc.Vec(target))).Scale(2)
		}
		m.Minimize(g.Sub(dc.Sum(subtracted...)))
		return build(t, m)
	}
	c := choices{whole: state([]int{-1, -1, -1, -1})}
	for code := range 2 * 3 * 2 * 3 {
		c.pieces = append(c.pieces, state([]int{code % 2, code / 2 % 3, code / 6 % 2, code / 12}))
	}
	return c
}

// fit is the least-squares fit of a difference of two maxima of two affine
// functions to m points.
func fit(t testing.TB, m int, seed uint64) *dc.Problem {
	rng := rand.New(rand.NewPCG(seed, 21))
	rows, y := mat.NewDense(m, 2, nil), make([]float64, m)
	for i := range y {
		x := 4*rng.Float64() - 2
		rows.SetRow(i, []float64{x, 1})
		y[i] = max(x, -x) - max(0, 2*x-1) + 0.2*rng.NormFloat64()
	}
	model := dc.NewModel()
	w := model.Var("W", []int{2, 2}, dc.StartNormal(0, 1))
	v := model.Var("M", []int{2, 2}, dc.StartNormal(0, 1))
	ξ := model.Var("xi", []int{m}, dc.StartAt(0))
	wx, mx := dc.MatMul(dc.Mat(rows), w.T()), dc.MatMul(dc.Mat(rows), v.T())
	for i := range y {
		left, right := dc.Sum(dc.Max(wx.Row(i)), ξ.At(i)), dc.Sum(dc.Max(mx.Row(i)), dc.Num(y[i]))
		model.SubjectTo(dc.EQ(left, right).Named("fit", i+1))
	}
	model.Minimize(dc.SumSquares(ξ).Scale(1 / float64(m)))
	return build(t, model)
}

func TestGlobalProvesInfeasibility(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-1), dc.AtMost(1))
	m.Minimize(x.Sum())
	m.SubjectTo(dc.LE(dc.Norm2(x), dc.Num(1.2)), dc.GE(dc.Norm1(x), dc.Num(1.9)).Named("far")) // the box alone lets 2 be
	res, err := global.Solve(context.Background(), build(t, m), nil, 2, ccp.DefaultSettings())
	if err != nil || res.Status != ccp.Infeasible || !res.Proved || !math.IsInf(res.Objective, 1) || res.Nodes == 0 {
		t.Errorf("error %v, %+v", err, res)
	}
}

// TestGlobalFindsWhatNoDescentFinds: the corner (2, 2, 2, 2) of a box is all that
// is feasible, and the one run is not given the time to get there.
func TestGlobalFindsWhatNoDescentFinds(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{4}, dc.AtLeast(-1), dc.AtMost(2), dc.StartAt(-0.9))
	m.Minimize(x.Sum())
	m.SubjectTo(dc.GE(dc.Norm1(x), dc.Num(8)).Named("far"))
	set := ccp.DefaultSettings()
	set.MaxIter = 1
	p := build(t, m)
	if one := solve(t, p, nil, func(s *ccp.Settings) { *s = set }); one.Status == ccp.Converged {
		t.Fatal("the one run gets there: the test tests nothing")
	}
	res, err := global.Solve(context.Background(), p, nil, 1, set)
	if err != nil || res.Status != ccp.Converged || !res.Proved || math.Abs(res.Objective-8) > 1e-5 {
		t.Errorf("error %v, %v, %g with bound %g", err, res.Status, res.Objective, res.Bound)
	}
}

func TestGlobalMaximum(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{4}, dc.AtLeast(-1, -2, -3, -1), dc.AtMost(2, 1, 1, 1))
	m.Maximize(dc.Sum(dc.Norm1(x), dc.SumLargest(x, 2), x.Sum().Scale(0.1)))
	m.SubjectTo(dc.LE(dc.NormInf(x), dc.Num(2.5)).Named("ball"))
	res, err := global.Solve(context.Background(), build(t, m), nil, 1, ccp.DefaultSettings())
	// x = (2, −2, −2.5, 1) has 7.5 + 3 − 0.15, and (2, 1, −2.5, 1) 6.5 + 3 + 0.15.
	if err != nil || !res.Proved || math.Abs(res.Objective-10.35) > 1e-6 || math.Abs(res.Bound-10.35) > 2e-5 {
		t.Errorf("error %v, %+v", err, res)
	}
}

func TestGlobalRefusals(t *testing.T) {
	matrix := dc.NewModel()
	z := matrix.Var("Z", []int{2, 2}, dc.Symmetric(), dc.AtLeast(-1), dc.AtMost(1))
	matrix.Minimize(dc.LambdaMax(z).Neg())
	own := dc.NewModel()
	u := own.Var("u", []int{2}, dc.AtLeast(-1), dc.AtMost(1))
	own.Minimize(dc.SumSquares(u).Sub(dc.BlackBox("far", far{}, u)))
	free := dc.NewModel()
	v := free.Var("v", []int{3}, dc.AtLeast(math.Inf(-1), math.Inf(-1), 0), dc.AtMost(math.Inf(1), math.Inf(1), 1))
	free.Minimize(dc.Power(v.At(0), 4).Add(dc.Power(v.At(1), 4)).Add(dc.Mul(v.At(0), v.At(1))).Sub(dc.Square(v.At(1)).Scale(2)))
	for want, m := range map[string]*dc.Model{"lambda_max": matrix, "known by its values": own, "2 entries of v": free} {
		res, err := global.Solve(context.Background(), build(t, m), nil, 1, ccp.DefaultSettings())
		if err != nil || !strings.Contains(res.NoBound, want) || !math.IsInf(res.Bound, -1) || !res.Feasible {
			t.Errorf("%v, %+v, want a point without a bound as %q", err, res, want)
		}
	}
}

// TestUnboundedVariables: a variable without bounds is split as others are, and bounded by the
// convex problem where that is possible.
func TestUnboundedVariables(t *testing.T) {
	split := dc.NewModel()
	v := split.Var("v", []int{2}, dc.AtLeast(math.Inf(-1), 0), dc.AtMost(math.Inf(1), 1))
	split.Minimize(dc.Square(v.At(0)).Sub(v.At(0).Scale(3)).Sub(dc.Square(v.At(1)))) // at (1.5, 1)
	rows := dc.NewModel()
	x := rows.Var("x", []int{2}, dc.AtLeast(0))
	// st_qpc-m0 of MINLPLib, at (4, 3)
	rows.Minimize(dc.Sum(x.At(0).Scale(2).Add(x.At(1).Scale(4)), dc.SumSquares(x).Neg()))
	rows.SubjectTo(dc.GE(x.At(0).Sub(x.At(1).Scale(4)), dc.Num(-8)), dc.LE(x.At(0).Scale(3).Sub(x.At(1)), dc.Num(9)))
	for want, m := range map[float64]*dc.Model{-3.25: split, -5: rows} {
		res, err := global.Best(context.Background(), build(t, m), ccp.DefaultSettings())
		if err != nil || !res.Proved || math.Abs(res.Objective-want) > 1e-5 || math.Abs(res.Bound-want) > 1e-5 {
			t.Errorf("%v, %+v, want %g", err, res, want)
		}
	}
}

// TestFewNodes: causes that leave a search with a handful of nodes. Each took more than 1,000, or
// had no bound at all.
func TestFewNodes(t *testing.T) {
	simplex := dc.NewModel() // the largest clique of a graph, Motzkin and Straus 1965
	x := simplex.Var("x", []int{10}, dc.AtLeast(0))
	var edges []dc.Expr
	for i := range 10 {
		for j := range i {
			if (i*j+i+j)%3 > 0 {
				edges = append(edges, dc.Mul(x.At(i), x.At(j)).Neg())
			}
		}
	}
	simplex.Minimize(dc.Sum(edges...))
	simplex.SubjectTo(dc.EQ(x.Sum(), dc.Num(1)))

	either := dc.NewModel() // a linear program's conditions of complementarity
	y := either.Var("y", []int{2}, dc.AtLeast(0))
	z := either.Var("z", []int{2}, dc.AtLeast(0))
	either.Minimize(y.At(0).Neg().Sub(y.At(1).Scale(3)))
	either.SubjectTo(dc.LE(y.At(0).Add(y.At(1).Scale(2)), dc.Num(12)), dc.EQ(z.At(0), z.At(1).Add(dc.Num(1))))
	for k := range 2 {
		either.SubjectTo(dc.EQ(dc.Mul(y.At(k), z.At(k)), dc.Num(0)))
	}

	square := dc.NewModel() // hs62 of MINLPLib has such a constraint
	u := square.Var("u", []int{2}, dc.AtLeast(0))
	square.Minimize(dc.Log(u.At(0).Add(dc.Num(0.1))).Add(dc.Log(u.At(1).Scale(2).Add(dc.Num(0.1)))))
	square.SubjectTo(dc.EQ(dc.Square(u.Sum().Sub(dc.Num(1))), dc.Num(0)))
	for name, c := range map[string]struct {
		m    *dc.Model
		want float64
	}{
		"simplex": {simplex, -0.4}, "either": {either, -18}, "square": {square, math.Log(0.11)},
	} {
		res, err := global.Best(context.Background(), build(t, c.m), ccp.DefaultSettings())
		if err != nil || !res.Proved || res.Nodes > 60 || math.Abs(res.Objective-c.want) > 1e-4 {
			t.Errorf("%s: %v, %v, objective %.8g, bound %.8g, %d nodes; %s", name, err, res.Status, res.Objective, res.Bound,
				res.Nodes, res.NoBound)
		}
	}
}

// far is a convex function that is known by its values.
type far struct{}

func (far) Value(x []float64) float64 { return math.Hypot(x[0], x[1]) }
func (f far) AddSubgrad(dst []float64, scale float64, x []float64) {
	for k, v := range x {
		dst[k] += scale * v / max(f.Value(x), 1e-300)
	}
}

// 0.1x² − |x − y| has two local minima on a square; the one that is found is
// proved to be the lower one.
func ExampleSolve() {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-1), dc.AtMost(2))
	m.Minimize(dc.Square(x.At(0)).Scale(0.1).Sub(dc.Abs(x.At(0).Sub(x.At(1)))))
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := global.Solve(context.Background(), p, nil, 3, ccp.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: %.4f at (%.4f, %.4f), proved: %v\n", res.Status, res.Objective, res.X[0], res.X[1], res.Proved)
	// Output:
	// converged: -2.9000 at (-1.0000, 2.0000), proved: true
}

// bounds keeps the progress of a proof.
type bounds struct{ list []ccp.Bounds }

func (b *bounds) Record(ccp.Iteration) error { return nil }

func (b *bounds) RecordBounds(now ccp.Bounds) error {
	now.X = slices.Clone(now.X)
	b.list = append(b.list, now)
	return nil
}

// TestDefinedVariables: a variable that an equation defines, with bounds of its own and without.
func TestDefinedVariables(t *testing.T) {
	for _, free := range []bool{false, true} {
		m := dc.NewModel()
		x := m.Var("x", []int{2}, dc.AtLeast(-1), dc.AtMost(2))
		least, most := 0.0, 3.0
		if free {
			least, most = math.Inf(-1), math.Inf(1)
		}
		y := m.Var("y", nil, dc.AtLeast(least), dc.AtMost(most))
		m.Minimize(x.At(0).Sub(y).Sub(x.At(1).Scale(0.1)))
		m.SubjectTo(dc.EQ(y, dc.Square(x.At(0)).Sub(dc.Square(x.At(1)))))
		p := build(t, m)
		if !slices.Contains(p.Program().Defined(), true) {
			t.Fatal("no variable is defined")
		}
		res, err := global.Solve(context.Background(), p, nil, 1, ccp.DefaultSettings())
		const want = -2.0025 // at x = (−1, 0.05); the other end of x₀ gives as much, and y = 4
		if err != nil || !res.Proved || math.Abs(res.Objective-want) > 1e-5 {
			t.Errorf("free: %v: %v, objective %.8g, bound %.8g, proved %v", free, err, res.Objective, res.Bound,
				res.Proved)
		}
	}
}

// TestProgressHasThePoint: the first report has the point of the starts before there is a bound,
// and all have the best point.
func TestProgressHasThePoint(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{4}, dc.AtLeast(-1), dc.AtMost(2))
	cost := dc.Sum(dc.Num(0))
	for i := range 4 {
		cost = cost.Sub(dc.Square(dc.FromLinear(x.Linear(i))))
		for j := range i {
			cost = cost.Add(dc.Mul(dc.FromLinear(x.Linear(i)), dc.FromLinear(x.Linear(j))).Scale(float64(i+j) - 2.5))
		}
	}
	m.Minimize(cost)
	p := build(t, m)
	rec := &bounds{}
	set := ccp.DefaultSettings()
	set.Recorder = rec
	if _, err := global.Solve(context.Background(), p, nil, 1, set); err != nil {
		t.Fatal(err)
	}
	if len(rec.list) < 2 || rec.list[1].Nodes != 0 {
		t.Fatalf("reports: %+v", rec.list)
	}
	if b := rec.list[0]; !math.IsInf(b.Bound, -1) || b.Safe {
		t.Errorf("the first report is %+v", b)
	}
	for _, b := range rec.list {
		if len(b.X) != 4 || math.Abs(p.Value(b.X)-b.Objective) > 1e-12 {
			t.Errorf("after %d nodes the point %v has the value %g, want %g", b.Nodes, b.X, p.Value(b.X), b.Objective)
		}
	}
}

// TestFunctionsOfUsers: a function of the library's user has no bound, whatever its name is.
func TestFunctionsOfUsers(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", nil, dc.AtLeast(0), dc.AtMost(6), dc.StartAt(1))
	minusSin := func(u float64) float64 { return -math.Sin(u) }
	minusCos := func(u float64) float64 { return -math.Cos(u) }
	bends := func(dc.Interval) dc.Interval { return dc.Interval{Lo: -1, Hi: 1} }
	m.Minimize(dc.Smooth("sin", minusSin, minusCos, math.Sin, bends)(x))
	set := ccp.DefaultSettings()
	set.Global.Proof = true
	res, err := global.Solve(context.Background(), build(t, m), nil, 1, set)
	if err != nil || res.Proved || !strings.Contains(res.NoBound, "by its values alone") {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestNoBoundOfFunctions: where functions have no bound on some boxes, the result says so. Three
// atoms of Lennard and Jones have the energy −3 at least.
func TestNoBoundOfFunctions(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{3, 3}, dc.AtLeast(-2), dc.AtMost(2))
	i, j := dc.Pairs(3)
	d := dc.SumSquares(x.Rows(i).Sub(x.Rows(j)).Along(1))
	m.Minimize(dc.Power(d, -6).Sub(dc.Power(d, -3)).Scale(4).Sum())
	set := ccp.DefaultSettings()
	for k, best := range []func() (*global.Result, error){
		func() (*global.Result, error) { return global.Best(context.Background(), build(t, m), set) },
		func() (*global.Result, error) {
			set.Global.Proof, set.Global.MaxNodes = true, 50
			return global.Solve(context.Background(), build(t, m), nil, 1, set)
		},
	} {
		res, err := best()
		const why = "the objective has none on some boxes of the search"
		if err != nil || !math.IsInf(res.Bound, -1) || res.NoBound != why {
			t.Errorf("%d: %v, bound %g, %q", k, err, res.Bound, res.NoBound)
		}
		if math.Abs(res.Objective+3) > 1e-6 {
			t.Errorf("%d: objective %g", k, res.Objective)
		}
	}
}
