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
	"github.com/dcopt/dcopt/internal/shared"
)

// TestValues holds each operation against a value worked out by hand, and one
// outside its domain.
func TestValues(t *testing.T) {
	x := []float64{3, -4, 0.5}
	u, v, w := Var(0), Var(1), Var(2)
	for _, c := range []struct {
		n    *Node
		want float64
	}{
		{Add(u, v, Const(1)), 0}, {Mul(u, v), -12}, {Scale(2, w), 1}, {Div(u, w), 6}, {Apply(OpMax, u, v, w), 3}, {Apply(OpMin, u, v, w), -4},
		{Apply(OpAbs, v), 4}, {Apply(OpPos, v), 0}, {Apply(OpPos, u), 3}, {Apply(OpSquare, v), 16}, {Pow(v, 3), -64}, {Pow(v, 2), 16},
		{Pow(w, -2), 4}, {Pow(u, 1.5), 3 * math.Sqrt(3)}, {Apply(OpSqrt, Scale(3, u)), 3}, {Apply(OpExp, v), math.Exp(-4)},
		{Apply(OpLog, w), -math.Ln2}, {Apply(OpEntr, w), math.Ln2 / 2}, {Apply(OpEntr, Const(0)), 0}, {Apply(OpLogistic, Const(0)), math.Ln2},
		{Apply(OpInvPos, w), 2}, {Huber(v, 1), 7}, {Huber(w, 1), 0.25}, {Apply(OpKL, u, w), 3*math.Log(6) - 2.5},
		{Apply(OpKL, Const(0), w), 0.5}, {Apply(OpNorm1, u, v), 7}, {Apply(OpNorm2, u, v), 5}, {Apply(OpNormInf, u, v), 4},
		{Apply(OpSumSq, u, v, w), 25.25}, {SumLargest(2, u, v, w), 3.5}, {Apply(OpLSE, Const(0), Const(0)), math.Ln2},
		{Quad([][]float64{{1, 2}, {2, -1}}, u, v), 9 - 48 - 16}, {Apply(OpQuadOverLin, u, v, w), 50}, {Apply(OpGeoMean, u, Const(12)), 6},
		{Apply(OpGeoMean, Const(0), u), 0}, {Affine([]float64{1, 0, 2}, 1), 5},
		// Of [3 -4; -4 3] the eigenvalues are 7 and -1, of [3 1; 1 3] 4 and 2.
		{matrixNode(OpLambdaMax, u, v, v, u), 7}, {matrixNode(OpLambdaMin, u, v, v, u), -1}, {matrixNode(OpLambdaLargest2, u, v, v, u), 6},
		{matrixNode(OpSigmaMax, u, v, v, u), 7}, {matrixNode(OpNormNuc, u, v, v, u), 8},
		{matrixNode(OpLogDet, u, Const(1), Const(1), u), math.Log(8)}, {matrixNode(OpMatFrac, u, Const(1), Const(1), u, u, v), 12.375},
	} {
		ev := newEvaluator(newArith(Precision), x)
		got, err := ev.eval(c.n)
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
	for _, n := range []*Node{Apply(OpSqrt, v), Apply(OpLog, v), Apply(OpLog, Const(0)), Apply(OpEntr, v), Pow(v, 1.5), Pow(v, -2), Apply(OpInvPos, v),
		Apply(OpKL, v, u), Apply(OpKL, u, v), Apply(OpQuadOverLin, u, v), Apply(OpGeoMean, u, v), Div(u, Const(0)),
		matrixNode(OpLogDet, u, v, v, u), matrixNode(OpMatFrac, u, v, v, u, u, u)} {
		if _, err := newEvaluator(newArith(Precision), x).eval(n); err == nil {
			t.Errorf("%s has a value outside its domain", n)
		}
	}
}

func matrixNode(op Op, args ...*Node) *Node { return &Node{Op: op, K: 2, Args: args} }

// TestRunningError: the error bound covers what float64 makes of the same
// expression, and is not far above it where terms cancel.
func TestRunningError(t *testing.T) {
	x := []float64{1e8 + 1.0/3}
	difference := Add(Pow(Var(0), 2), Scale(-1, Mul(Var(0), Add(Var(0), Const(1e-7)))))
	got, err := newEvaluator(newArith(Precision), x).eval(difference)
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
			params := append(slices.Clone(p.Params), "param x = "+Vector(x), "var t")
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
