package judge

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/judge/exact"
	"github.com/dcopt/dcopt/internal/shared"
)

// TestValues holds each operation against a value worked out by hand, and one
// outside its domain.
func TestValues(t *testing.T) {
	x := []float64{3, -4, 0.5}
	u, v, w := exact.Var(0), exact.Var(1), exact.Var(2)
	for _, c := range []struct {
		n    *exact.Node
		want float64
	}{
		{exact.Add(u, v, exact.Const(1)), 0}, {exact.Mul(u, v), -12}, {exact.Scale(2, w), 1}, {exact.Div(u, w), 6}, {exact.Apply(exact.OpMax, u, v, w), 3}, {exact.Apply(exact.OpMin, u, v, w), -4},
		{exact.Apply(exact.OpAbs, v), 4}, {exact.Apply(exact.OpPos, v), 0}, {exact.Apply(exact.OpPos, u), 3}, {exact.Apply(exact.OpSquare, v), 16}, {exact.Pow(v, 3), -64}, {exact.Pow(v, 2), 16},
		{exact.Pow(w, -2), 4}, {exact.Pow(u, 1.5), 3 * math.Sqrt(3)}, {exact.Apply(exact.OpSqrt, exact.Scale(3, u)), 3}, {exact.Apply(exact.OpExp, v), math.Exp(-4)},
		{exact.Apply(exact.OpLog, w), -math.Ln2}, {exact.Apply(exact.OpEntr, w), math.Ln2 / 2}, {exact.Apply(exact.OpEntr, exact.Const(0)), 0}, {exact.Apply(exact.OpLogistic, exact.Const(0)), math.Ln2},
		{exact.Apply(exact.OpInvPos, w), 2}, {exact.Huber(v, 1), 7}, {exact.Huber(w, 1), 0.25}, {exact.Apply(exact.OpKL, u, w), 3*math.Log(6) - 2.5},
		{exact.Apply(exact.OpKL, exact.Const(0), w), 0.5}, {exact.Apply(exact.OpNorm1, u, v), 7}, {exact.Apply(exact.OpNorm2, u, v), 5}, {exact.Apply(exact.OpNormInf, u, v), 4},
		{exact.Apply(exact.OpSumSq, u, v, w), 25.25}, {exact.SumLargest(2, u, v, w), 3.5}, {exact.Apply(exact.OpLSE, exact.Const(0), exact.Const(0)), math.Ln2},
		{exact.Quad([][]float64{{1, 2}, {2, -1}}, u, v), 9 - 48 - 16}, {exact.Apply(exact.OpQuadOverLin, u, v, w), 50}, {exact.Apply(exact.OpGeoMean, u, exact.Const(12)), 6},
		{exact.Apply(exact.OpGeoMean, exact.Const(0), u), 0}, {exact.Affine([]float64{1, 0, 2}, 1), 5},
		// Of [3 -4; -4 3] the eigenvalues are 7 and -1, of [3 1; 1 3] 4 and 2.
		{matrixNode(exact.OpLambdaMax, u, v, v, u), 7}, {matrixNode(exact.OpLambdaMin, u, v, v, u), -1}, {matrixNode(exact.OpLambdaLargest2, u, v, v, u), 6},
		{matrixNode(exact.OpSigmaMax, u, v, v, u), 7}, {matrixNode(exact.OpNormNuc, u, v, v, u), 8},
		{matrixNode(exact.OpLogDet, u, exact.Const(1), exact.Const(1), u), math.Log(8)}, {matrixNode(exact.OpMatFrac, u, exact.Const(1), exact.Const(1), u, u, v), 12.375},
	} {
		ev := exact.NewEvaluator(exact.NewArith(exact.Precision), x)
		got, err := ev.Eval(c.n)
		if err != nil {
			t.Errorf("%s: %v", c.n, err)
			continue
		}
		if f, _ := got.V.Float64(); math.Abs(f-c.want) > 4e-16*max(1, math.Abs(c.want)) {
			t.Errorf("%s = %.17g, want %.17g", c.n, f, c.want)
		}
		if e := up(got.Err); e > 1e-13 {
			t.Errorf("%s has the error %g", c.n, e)
		}
	}
	for _, n := range []*exact.Node{exact.Apply(exact.OpSqrt, v), exact.Apply(exact.OpLog, v), exact.Apply(exact.OpLog, exact.Const(0)), exact.Apply(exact.OpEntr, v), exact.Pow(v, 1.5), exact.Pow(v, -2), exact.Apply(exact.OpInvPos, v),
		exact.Apply(exact.OpKL, v, u), exact.Apply(exact.OpKL, u, v), exact.Apply(exact.OpQuadOverLin, u, v), exact.Apply(exact.OpGeoMean, u, v), exact.Div(u, exact.Const(0)),
		matrixNode(exact.OpLogDet, u, v, v, u), matrixNode(exact.OpMatFrac, u, v, v, u, u, u)} {
		if _, err := exact.NewEvaluator(exact.NewArith(exact.Precision), x).Eval(n); err == nil {
			t.Errorf("%s has a value outside its domain", n)
		}
	}
}

func matrixNode(op exact.Op, args ...*exact.Node) *exact.Node {
	return &exact.Node{Op: op, K: 2, Args: args}
}

// TestRunningError: the error bound covers what float64 makes of the same
// expression, and is not far above it where terms cancel.
func TestRunningError(t *testing.T) {
	x := []float64{1e8 + 1.0/3}
	difference := exact.Add(exact.Pow(exact.Var(0), 2), exact.Scale(-1, exact.Mul(exact.Var(0), exact.Add(exact.Var(0), exact.Const(1e-7)))))
	got, err := exact.NewEvaluator(exact.NewArith(exact.Precision), x).Eval(difference)
	if err != nil {
		t.Fatal(err)
	}
	honest := x[0]*x[0] - x[0]*(x[0]+1e-7)
	d, _ := new(big.Float).Sub(got.V, big.NewFloat(honest)).Float64()
	if e := up(got.Err); !(math.Abs(d) <= e) || e > 20 {
		t.Errorf("float64 is off by %g, the bound is %g", d, e)
	}
}

// TestTexts: the text of a problem says what its tree says, the compiler takes
// it, and the planted point is feasible. Values are compared with x as data,
// which the compiler computes without a split.
func TestTexts(t *testing.T) {
	a := NewArith()
	for _, r := range AllSeries() {
		for seed := range uint64(shared.Times(40, 8)) {
			p := r.Draw(a, seed)
			if p.Text() != r.Draw(a, seed).Text() {
				t.Fatalf("%s/%d is not the same twice", r.Name, seed)
			}
			prog := compiled(t, p.Text())
			if p.Planted != nil {
				if at := p.At(a, p.Planted); at.Least > 0 || at.Outside != nil || at.Bound > 0 {
					t.Errorf("%s/%d: the planted point breaks %s by %g, %v", r.Name, seed, at.Worst, at.Violation, at.Outside)
				}
			}
			s := r.source(a, seed)
			s.far = 3
			p = r.draw(s)
			x := make([]float64, len(p.Lo))
			for k := range x {
				x[k] = 0.3 / float64(k+1)
				if !math.IsInf(p.Lo[k], 0) {
					x[k] = p.Lo[k] + (0.2+x[k])*(p.Hi[k]-p.Lo[k])
				}
			}
			at := p.At(a, x)
			if at.Outside != nil || at.Overflow {
				continue
			}
			params := append(slices.Clone(p.Params), "param x = "+exact.Vector(x), "var t")
			data := compiled(t, fmt.Sprintf("%s\nminimize t + %s", strings.Join(params, "\n"), p.Objective))
			exact, _ := at.Objective.Float64()
			if got := data.Problem.Value([]float64{0}); math.Abs(got-exact) > at.ObjectiveErr+1e-8*at.ObjectiveSize {
				t.Errorf("%s/%d: value %.17g, exact %.17g of terms %g\n%s", r.Name, seed, got, exact, at.ObjectiveSize, p.Text())
			}
			if r.Name == "linear" {
				if got, _ := prog.Problem.Violation(x); got < at.Least || got > at.Most {
					t.Errorf("%s/%d: violation %.17g, exact in [%.17g, %.17g]\n%s", r.Name, seed, got, at.Least, at.Most, p.Text())
				}
			}
		}
	}
}

func compiled(t *testing.T, text string) *lang.Program {
	t.Helper()
	f, err := lang.Parse("x.dc", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	prog, err := lang.Compile(context.Background(), f, lang.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return prog
}

// TestShares: they add up to a hundred.
func TestShares(t *testing.T) {
	sum := 0
	for _, r := range AllSeries() {
		sum += r.Share
	}
	if sum != 100 {
		t.Errorf("the shares add up to %d", sum)
	}
}
