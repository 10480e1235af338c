package decode

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/wire"
)

// solved builds the problem of least f with x in [lo, hi]ⁿ and solves it from the start at.
func solved(t *testing.T, n int, lo, hi float64, at []float64, nodes ...wire.Node) (*Program, *ccp.Result) {
	t.Helper()
	g := &wire.Graph{Variables: []wire.Variable{{Name: "x", Shape: []int{n}}}}
	if !math.IsInf(lo, -1) {
		g.Variables[0].Lo, g.Variables[0].Hi = wire.F([]float64{lo}), wire.F([]float64{hi})
	}
	for _, node := range nodes {
		g.Add(node)
	}
	g.Objective = &wire.Objective{Sense: "minimize", Node: len(nodes)}
	p, err := Build(context.Background(), g, nil, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	x, bad := p.Point(at)
	if bad != nil {
		t.Fatal(bad)
	}
	res, err := ccp.Solve(context.Background(), p.Problem, x, ccp.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	return p, res
}

// A function that has no split of its argument has one of a variable in its place: the least of
// √|x − 1| + √|x + 1| is √2, at ±1, and of |log x²| it is 0, at ±1.
func TestLifted(t *testing.T) {
	one := func(op string, shape []int, attrs *wire.Attrs, args ...int) wire.Node {
		return wire.Node{Op: op, Args: args, Shape: shape, Attrs: attrs}
	}
	apart := &wire.Attrs{
		Indptr: wire.I([]int{0, 1, 2}), Indices: wire.I([]int{0, 0}),
		Data: wire.F([]float64{1, 1}), Constant: wire.F([]float64{-1, 1}),
	}
	total := &wire.Attrs{Indptr: wire.I([]int{0, 2}), Indices: wire.I([]int{0, 1}), Data: wire.F([]float64{1, 1})}
	two := []int{2}
	p, res := solved(t, 1, math.Inf(-1), 0, []float64{0.75}, one("affine", two, apart, 0),
		one("abs", two, nil, 1), one("sqrt", two, nil, 2), one("affine", nil, total, 3))
	if x := p.X(res.X); len(x) != 1 || math.Abs(math.Abs(x[0])-1) > 1e-4 || math.Abs(res.Objective-math.Sqrt2) > 1e-3 {
		t.Errorf("%v: x = %v, %g", res.Status, x, res.Objective)
	}
	p, res = solved(t, 1, math.Inf(-1), 0, []float64{3}, one("square", []int{1}, nil, 0),
		one("log", []int{1}, nil, 1), one("abs", nil, nil, 2))
	if x := p.X(res.X); math.Abs(math.Abs(x[0])-1) > 1e-3 {
		t.Errorf("%v: x = %v, %g", res.Status, x, res.Objective)
	}
	// A kinked function of a quotient whose divisor has no bounds: |x/(x² + 1) − 1/2| is least at 1.
	p, res = solved(t, 1, math.Inf(-1), 0, []float64{0.3},
		one("const", []int{1}, &wire.Attrs{Value: ptr(1.0)}), one("square", []int{1}, nil, 0),
		one("sum", []int{1}, nil, 1, 2), one("div", []int{1}, nil, 0, 3),
		one("sum", []int{1}, &wire.Attrs{Factors: []float64{1, -0.5}}, 4, 1), one("abs", nil, nil, 5))
	if x := p.X(res.X); math.Abs(x[0]-1) > 1e-2 {
		t.Errorf("%v: x = %v, %g", res.Status, x, res.Objective)
	}
}

// Long sums of entries are variables, as many coefficients as entries, with the values of the sums.
func TestCumsum(t *testing.T) {
	const n = 40
	at := make([]float64, n)
	for k := range at {
		at[k] = float64(k%7) - 3
	}
	all := []int{n}
	p, res := solved(t, n, -10, 10, at, wire.Node{Op: "cumsum", Args: []int{0}, Shape: all},
		wire.Node{Op: "const", Shape: all, Attrs: &wire.Attrs{Value: ptr(1.0)}},
		wire.Node{Op: "sum", Args: []int{1, 2}, Shape: all, Attrs: &wire.Attrs{Factors: []float64{1, -1}}},
		wire.Node{Op: "sumsq", Args: []int{3}, Shape: []int{}})
	x := p.X(res.X)
	for k := range x {
		if want := map[bool]float64{true: 1}[k == 0]; math.Abs(x[k]-want) > 1e-6 {
			t.Fatalf("x[%d] = %g, want %g: %v", k, x[k], want, res.Status)
		}
	}
	if v := p.values[1].all; v.NNZ() != n {
		t.Errorf("%d coefficients for %d sums", v.NNZ(), n)
	}
	point, _ := p.Point(at)
	got, _ := p.ValueAt(1, point)
	for k, s := 0, 0.0; k < n; k++ {
		if s += at[k]; got[k] != s {
			t.Fatalf("sum %d is %g, want %g", k, got[k], s)
		}
	}
}

// The shape of sums has as many entries as their argument.
func TestCumsumShape(t *testing.T) {
	g := &wire.Graph{Variables: []wire.Variable{{Name: "x", Shape: []int{4}}}}
	g.Add(wire.Node{Op: "cumsum", Args: []int{0}, Shape: []int{2}})
	if _, err := Build(context.Background(), g, nil, DefaultLimits()); err == nil {
		t.Error("two sums of four entries are accepted")
	}
}

// The product of matrices has the entries of the product, in column-major order.
func TestMatMul(t *testing.T) {
	g := &wire.Graph{Variables: []wire.Variable{{Name: "x", Shape: []int{2, 3}}, {Name: "y", Shape: []int{3, 2}}}}
	g.Add(wire.Node{Op: "matmul", Args: []int{0, 1}, Shape: []int{2, 2}})
	p, err := Build(context.Background(), g, nil, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	x, bad := p.Point([]float64{1, 2, 3, 4, 5, 6, 1, 0, -1, 2, 1, 0})
	if bad != nil {
		t.Fatal(bad)
	}
	got, _ := p.ValueAt(2, x)
	want := []float64{-4, -4, 5, 8}
	for k := range want {
		if got[k] != want[k] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	g.Nodes[0].Args = []int{1, 1}
	if _, err := Build(context.Background(), g, nil, DefaultLimits()); err == nil {
		t.Error("the product of 3 x 2 and 3 x 2 is accepted")
	}
}
