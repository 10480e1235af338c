package decode

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/page"
	"github.com/dcopt/dcopt/internal/wire"
)

func ptr[T any](v T) *T { return &v }

// use is one use of an operation on x, four entries, at points in its domain, with its
// value in plain arithmetic.
type use struct {
	op    string
	args  []int // 0: x; 1: y = (1, 2, 3, 4) + x; 2: a parameter, 5
	shape []int
	attrs *wire.Attrs
	want  func(x, y []float64) []float64
	at    []float64
}

func each(f func(v float64) float64) func(x, y []float64) []float64 {
	return func(x, _ []float64) []float64 {
		out := make([]float64, len(x))
		for k, v := range x {
			out[k] = f(v)
		}
		return out
	}
}

func one(f func(x []float64) float64) func(x, y []float64) []float64 {
	return func(x, _ []float64) []float64 { return []float64{f(x)} }
}

func sumOf(x []float64, f func(v float64) float64) float64 {
	s := 0.0
	for _, v := range x {
		s += f(v)
	}
	return s
}

var (
	anyPoint  = []float64{-1.5, 0.25, 2, -0.75}
	small     = []float64{0.5, 0.25, 0.75, 0.125}
	positive  = []float64{1.5, 0.25, 2, 0.75}
	symmetric = []float64{2, 0.5, 0.5, 1}
	four      = []int{4}
)

// eigen are the eigenvalues of a symmetric 2 x 2 matrix, ascending.
func eigen(x []float64) (lo, hi float64) {
	mean, d := (x[0]+x[3])/2, math.Hypot((x[0]-x[3])/2, x[1])
	return mean - d, mean + d
}

// singular are the singular values of a 2 x 2 matrix in column-major order.
func singular(x []float64) (lo, hi float64) {
	l, h := eigen([]float64{x[0]*x[0] + x[1]*x[1], x[0]*x[2] + x[1]*x[3], 0, x[2]*x[2] + x[3]*x[3]})
	return math.Sqrt(max(l, 0)), math.Sqrt(h)
}

var uses = withRowsUsed([]use{
	{"const", nil, four, &wire.Attrs{Data: wire.F([]float64{1, 2, 3, 4})}, func(_, _ []float64) []float64 { return []float64{1, 2, 3, 4} }, anyPoint},
	{"const", nil, []int{2}, &wire.Attrs{Value: ptr(3.0)}, func(_, _ []float64) []float64 { return []float64{3, 3} }, anyPoint},
	{"affine", []int{0, 1}, []int{2}, &wire.Attrs{
		Indptr: wire.I([]int{0, 3, 3}), Indices: wire.I([]int{7, 0, 7}), Data: wire.F([]float64{1, 2, 0.5}), Constant: wire.F([]float64{1, -1}),
	}, func(x, y []float64) []float64 { return []float64{2*x[0] + 1.5*y[3] + 1, -1} }, anyPoint},
	{"sum", []int{0, 1, 2}, four, &wire.Attrs{Factors: []float64{2, -1, 1}}, func(x, y []float64) []float64 {
		return []float64{2*x[0] - y[0] + 5, 2*x[1] - y[1] + 5, 2*x[2] - y[2] + 5, 2*x[3] - y[3] + 5}
	}, anyPoint},
	{"mul", []int{0, 1}, four, nil, func(x, y []float64) []float64 {
		return []float64{x[0] * y[0], x[1] * y[1], x[2] * y[2], x[3] * y[3]}
	}, anyPoint},
	{"mul", []int{0, 2}, four, nil, each(func(v float64) float64 { return 5 * v }), anyPoint},
	{"matmul", []int{0, 1}, nil, nil, func(x, y []float64) []float64 {
		return []float64{x[0]*y[0] + x[1]*y[1] + x[2]*y[2] + x[3]*y[3]}
	}, anyPoint},
	{"cumsum", []int{0}, four, &wire.Attrs{Groups: ptr(2)}, func(x, _ []float64) []float64 {
		return []float64{x[0], x[0] + x[1], x[2], x[2] + x[3]}
	}, anyPoint},
	{"div", []int{0, 2}, four, nil, each(func(v float64) float64 { return v / 5 }), anyPoint},
	{"div", []int{2, 0}, four, nil, each(func(v float64) float64 { return 5 / v }), positive},
	{"div", []int{1, 0}, four, nil, func(x, y []float64) []float64 {
		return []float64{y[0] / x[0], y[1] / x[1], y[2] / x[2], y[3] / x[3]}
	}, positive},
	{"abs", []int{0}, four, nil, each(math.Abs), anyPoint},
	{"pos", []int{0}, four, nil, each(func(v float64) float64 { return max(v, 0) }), anyPoint},
	{"square", []int{0}, four, nil, each(func(v float64) float64 { return v * v }), anyPoint},
	{"power", []int{0}, four, &wire.Attrs{P: ptr(3.0)}, each(func(v float64) float64 { return v * v * v }), anyPoint},
	{"power", []int{0}, four, &wire.Attrs{P: ptr(0.5)}, each(math.Sqrt), positive},
	{"power", []int{0}, four, &wire.Attrs{P: ptr(0.0)}, each(func(float64) float64 { return 1 }), anyPoint},
	{"power", []int{0}, four, &wire.Attrs{P: ptr(1.0)}, each(func(v float64) float64 { return v }), anyPoint},
	{"power", []int{0}, four, &wire.Attrs{P: ptr(-1.5)}, each(func(v float64) float64 { return math.Pow(v, -1.5) }), positive},
	{"sqrt", []int{0}, four, nil, each(math.Sqrt), positive},
	{"exp", []int{0}, four, nil, each(math.Exp), anyPoint},
	{"log", []int{0}, four, nil, each(math.Log), positive},
	{"entr", []int{0}, four, nil, each(func(v float64) float64 { return -v * math.Log(v) }), positive},
	{"logistic", []int{0}, four, nil, each(func(v float64) float64 { return math.Log1p(math.Exp(v)) }), anyPoint},
	{"invpos", []int{0}, four, nil, each(func(v float64) float64 { return 1 / v }), positive},
	{"xexp", []int{0}, four, nil, each(func(v float64) float64 { return v * math.Exp(v) }), positive},
	{"pow", []int{0, 1}, four, nil, func(x, y []float64) []float64 {
		out := make([]float64, len(x))
		for k := range x {
			out[k] = math.Pow(x[k], y[k])
		}
		return out
	}, small},
	{"huber", []int{0}, four, &wire.Attrs{M: ptr(0.5)}, each(func(v float64) float64 {
		if math.Abs(v) <= 0.5 {
			return v * v
		}
		return math.Abs(v) - 0.25
	}), anyPoint},
	{"kl", []int{0, 1}, four, nil, func(x, y []float64) []float64 {
		out := make([]float64, 4)
		for k := range x {
			out[k] = x[k]*math.Log(x[k]/y[k]) - x[k] + y[k]
		}
		return out
	}, positive},
	{"rel_entr", []int{0, 1}, four, nil, func(x, y []float64) []float64 {
		out := make([]float64, 4)
		for k := range x {
			out[k] = x[k] * math.Log(x[k]/y[k])
		}
		return out
	}, positive},
	{"max", []int{0, 1, 2}, four, nil, func(x, y []float64) []float64 {
		return []float64{max(x[0], y[0], 5), max(x[1], y[1], 5), max(x[2], y[2], 5), max(x[3], y[3], 5)}
	}, anyPoint},
	{"max", []int{0}, []int{2}, &wire.Attrs{Groups: ptr(2)}, func(x, _ []float64) []float64 { return []float64{max(x[0], x[1]), max(x[2], x[3])} }, anyPoint},
	{"min", []int{0, 2}, four, nil, each(func(v float64) float64 { return min(v, 5) }), anyPoint},
	{"min", []int{0}, []int{}, nil, one(func(x []float64) float64 { return slices.Min(x) }), anyPoint},
	{"norm1", []int{0}, []int{2}, &wire.Attrs{Groups: ptr(2)}, func(x, _ []float64) []float64 {
		return []float64{math.Abs(x[0]) + math.Abs(x[1]), math.Abs(x[2]) + math.Abs(x[3])}
	}, anyPoint},
	{"norm2", []int{0}, []int{}, nil, one(func(x []float64) float64 { return math.Sqrt(sumOf(x, func(v float64) float64 { return v * v })) }), anyPoint},
	{"norminf", []int{0}, []int{}, nil, one(func(x []float64) float64 { return 2 }), anyPoint},
	{"norm", []int{0}, []int{}, &wire.Attrs{P: ptr(3.0)}, one(func(x []float64) float64 {
		return math.Cbrt(sumOf(x, func(v float64) float64 { return math.Abs(v * v * v) }))
	}), anyPoint},
	{"sumsq", []int{0}, []int{}, nil, one(func(x []float64) float64 { return sumOf(x, func(v float64) float64 { return v * v }) }), anyPoint},
	{"sumlargest", []int{0}, []int{}, &wire.Attrs{K: ptr(2)}, one(func(x []float64) float64 { return 2.25 }), anyPoint},
	{"dotsort", []int{0}, []int{}, &wire.Attrs{Weights: wire.F([]float64{3, -1, 0, 0.5})}, one(func(x []float64) float64 {
		return 1.5 + 0*-0.75 + 0.5*0.25 + 3*2
	}), anyPoint},
	{"lse", []int{0}, []int{}, nil, one(func(x []float64) float64 { return math.Log(sumOf(x, math.Exp)) }), anyPoint},
	{"geomean", []int{0}, []int{}, nil, one(func(x []float64) float64 { return math.Pow(1.5*0.25*2*0.75, 0.25) }), positive},
	{"wgeomean", []int{0}, []int{2}, &wire.Attrs{Weights: wire.F([]float64{1, 3}), Groups: ptr(2)}, func(x, _ []float64) []float64 {
		return []float64{math.Pow(x[0]*x[1]*x[1]*x[1], 0.25), math.Pow(x[2]*x[3]*x[3]*x[3], 0.25)}
	}, positive},
	{"quadoverlin", []int{0, 2}, []int{2}, &wire.Attrs{Groups: ptr(2)}, func(x, _ []float64) []float64 {
		return []float64{(x[0]*x[0] + x[1]*x[1]) / 5, (x[2]*x[2] + x[3]*x[3]) / 5}
	}, anyPoint},
	{"quad", []int{0}, []int{}, &wire.Attrs{Matrix: wire.F([]float64{1, 2, 0, 0, 2, -3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})}, one(func(x []float64) float64 {
		return x[0]*x[0] + 4*x[0]*x[1] - 3*x[1]*x[1] + x[3]*x[3]
	}), anyPoint},
	{"quad", []int{0}, []int{}, &wire.Attrs{Indptr: wire.I([]int{0, 1, 2, 2, 2}), Indices: wire.I([]int{1, 0}), Data: wire.F([]float64{2, 2})}, one(func(x []float64) float64 { return 4 * x[0] * x[1] }), anyPoint},
	{"logdet", []int{0}, []int{}, nil, one(func(x []float64) float64 { return math.Log(x[0]*x[3] - x[1]*x[2]) }), symmetric},
	{"lambda_max", []int{0}, []int{}, nil, one(func(x []float64) float64 { _, hi := eigen(x); return hi }), symmetric},
	{"lambda_min", []int{0}, []int{}, nil, one(func(x []float64) float64 { lo, _ := eigen(x); return lo }), symmetric},
	{"lambda_sumlargest", []int{0}, []int{}, &wire.Attrs{K: ptr(2)}, one(func(x []float64) float64 { return x[0] + x[3] }), symmetric},
	{"sigma_max", []int{0}, []int{}, nil, one(func(x []float64) float64 { _, hi := singular(x); return hi }), anyPoint},
	{"normnuc", []int{0}, []int{}, nil, one(func(x []float64) float64 { lo, hi := singular(x); return lo + hi }), anyPoint},
	{"matfrac", []int{1, 0}, []int{}, nil, func(x, y []float64) []float64 { // y' X^-1 y by columns
		det := x[0]*x[3] - x[1]*x[1]
		q := func(a, b float64) float64 { return (a*a*x[3] - 2*a*b*x[1] + b*b*x[0]) / det }
		return []float64{q(y[0], y[1]) + q(y[2], y[3])}
	}, symmetric},
	{"tr_inv", []int{0}, []int{}, nil, one(func(x []float64) float64 { return (x[0] + x[3]) / (x[0]*x[3] - x[1]*x[1]) }), symmetric},
})

// withRowsUsed adds a use of each row that no other use has.
func withRowsUsed(uses []use) []use {
	for _, c := range atom.Curves() {
		if !c.HasParameter && !slices.ContainsFunc(uses, func(u use) bool { return u.op == c.Name }) {
			value := func(u float64) float64 { return c.Value.At(u, 0) }
			uses = append(uses, use{c.Name, []int{0}, four, nil, each(value), small})
		}
	}
	for _, f := range atom.Reduces() {
		if f.Plain() && !slices.ContainsFunc(uses, func(u use) bool { return u.op == f.Name }) {
			value := func(x []float64) float64 {
				v, columns := []float64{0}, make([][]float64, len(x))
				for k := range x {
					columns[k] = x[k : k+1]
				}
				f.Value(v, columns, nil)
				return v[0]
			}
			uses = append(uses, use{f.Name, []int{0}, []int{}, nil, one(value), small})
		}
	}
	return uses
}

// matrixOps want a symmetric variable, or one with two columns.
var matrixOps = []string{"logdet", "lambda_max", "lambda_min", "lambda_sumlargest", "sigma_max", "normnuc", "matfrac", "tr_inv"}

func (u *use) graph() *wire.Graph {
	shape, symmetric := four, false
	if slices.Contains(matrixOps, u.op) {
		shape = []int{2, 2}
		symmetric = u.op != "sigma_max" && u.op != "normnuc"
	}
	g := &wire.Graph{
		Variables:  []wire.Variable{{Name: "x", Shape: shape, Symmetric: symmetric, Lo: wire.F([]float64{-3}), Hi: wire.F([]float64{3})}},
		Parameters: []wire.Parameter{{Name: "p", Shape: []int{}, Value: wire.F([]float64{5})}},
	}
	if slices.Equal(u.at, positive) && slices.Equal(shape, four) {
		g.Variables[0].Lo = wire.F([]float64{0.125})
	}
	if slices.Equal(u.at, small) {
		g.Variables[0].Lo, g.Variables[0].Hi = wire.F([]float64{0.0625}), wire.F([]float64{0.875})
	}
	c := g.Add(wire.Node{Op: "const", Shape: shape, Attrs: &wire.Attrs{Data: wire.F([]float64{1, 2, 3, 4})}})
	y := g.Add(wire.Node{Op: "sum", Args: []int{0, c}, Shape: shape})
	args := make([]int, len(u.args))
	for k, a := range u.args {
		args[k] = []int{0, y, 1}[a]
	}
	g.Add(wire.Node{Op: u.op, Args: args, Shape: u.shape, Attrs: u.attrs, Name: "tested"})
	return g
}

// Each operation has the value that its line in docs/protocol.md says, of a variable
// and of data.
func TestOperations(t *testing.T) {
	seen := map[string]bool{}
	for _, u := range uses {
		seen[u.op] = true
		g := u.graph()
		p, err := Build(context.Background(), g, [][]float64{{5}}, DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", u.op, err)
			continue
		}
		x, bad := p.Point(u.at)
		if bad != nil {
			t.Fatal(bad)
		}
		y := []float64{1 + u.at[0], 2 + u.at[1], 3 + u.at[2], 4 + u.at[3]}
		want := u.want(u.at, y)
		check := func(what string, got []float64) {
			if len(got) != len(want) {
				t.Errorf("%s of %s: %v, want %v", u.op, what, got, want)
				return
			}
			for k := range got {
				if !(math.Abs(got[k]-want[k]) <= 1e-12*max(1, math.Abs(want[k]))) {
					t.Errorf("%s of %s, entry %d: %g, want %g", u.op, what, k, got[k], want[k])
				}
			}
		}
		got, bad := p.ValueAt(len(p.values)-1, x)
		if bad != nil {
			t.Fatal(bad)
		}
		check("a variable", got)

		// The same of data: x fixed as a parameter.
		shape := g.Variables[0].Shape
		g.Parameters = append([]wire.Parameter{{Name: "x", Shape: shape, Value: wire.F(u.at)}}, g.Parameters...)
		g.Variables = nil
		p, err = Build(context.Background(), g, [][]float64{u.at, {5}}, DefaultLimits())
		if err != nil {
			t.Errorf("%s of data: %v", u.op, err)
			continue
		}
		if got, bad = p.ValueAt(len(p.values)-1, nil); bad != nil {
			t.Fatal(bad)
		}
		check("data", got)
	}
	for _, name := range OpNames() {
		if !seen[name] {
			t.Errorf("operation %s has no sample in uses", name)
		}
	}
}

// An operation of arguments that are not affine has the right value as well, or says why
// it cannot be split.
func TestOperationsOfExpressions(t *testing.T) {
	plain, refused := 0, 0
	for _, u := range uses {
		if slices.Contains(matrixOps, u.op) || len(u.args) == 0 {
			continue
		}
		g := u.graph()
		// x becomes |x|, which is x at the points of positive.
		last := &g.Nodes[len(g.Nodes)-1]
		node := *last
		g.Nodes = g.Nodes[:len(g.Nodes)-1]
		abs := g.Add(wire.Node{Op: "abs", Args: []int{0}, Shape: four})
		for k, a := range node.Args {
			if a == 0 {
				node.Args[k] = abs
			}
		}
		g.Add(node)
		p, err := Build(context.Background(), g, [][]float64{{5}}, DefaultLimits())
		var list Errors
		if errors.As(err, &list) {
			if list[0].Kind != wire.ErrCurvature || list[0].Name != "tested" || len(list[0].Notes) == 0 {
				t.Errorf("%s: %+v", u.op, list[0])
			}
			refused++
			continue
		}
		x, bad := p.Point(positive)
		if bad != nil {
			t.Fatal(bad)
		}
		got, bad := p.ValueAt(len(p.values)-1, x)
		if bad != nil {
			t.Fatal(bad)
		}
		if slices.Equal(u.at, positive) {
			want := u.want(u.at, []float64{1 + u.at[0], 2 + u.at[1], 3 + u.at[2], 4 + u.at[3]})
			for k := range want {
				if !(math.Abs(got[k]-want[k]) <= 1e-12*max(1, math.Abs(want[k]))) {
					t.Errorf("%s, entry %d: %g, want %g", u.op, k, got[k], want[k])
				}
			}
		}
		plain++
	}
	if plain < 30 || refused > 6 {
		t.Errorf("%d operations of absolute values have a split, %d are refused", plain, refused)
	}
}

// A change of a parameter gives the problem that building it anew gives.
func TestParameters(t *testing.T) {
	g := &wire.Graph{
		Variables: []wire.Variable{{Name: "x", Shape: []int{2}, Lo: wire.F([]float64{-9}), Hi: wire.F([]float64{9})}},
		Parameters: []wire.Parameter{
			{Name: "M", Shape: []int{2, 2}, Value: wire.F([]float64{1, 2, 3, 4})},
			{Name: "b", Shape: []int{2}, Value: wire.F([]float64{1, 1})},
			{Name: "w", Shape: []int{}, Value: wire.F([]float64{2})},
		},
	}
	// M x, M by columns: row i has M[i] x0 + M[2+i] x1.
	mx := g.Add(wire.Node{Op: "affine", Args: []int{0}, Shape: []int{2}, Attrs: &wire.Attrs{
		Indptr: wire.I([]int{0, 2, 4}), Indices: wire.I([]int{0, 1, 0, 1}), Data: wire.F(make([]float64, 4)),
		DataMap: &wire.Sparse{Indptr: wire.I([]int{0, 1, 2, 3, 4}), Indices: wire.I([]int{0, 2, 1, 3}), Data: wire.F([]float64{1, 1, 1, 1})},
	}})
	r := g.Add(wire.Node{Op: "sum", Args: []int{mx, 2}, Shape: []int{2}, Attrs: &wire.Attrs{Factors: []float64{1, -1}}})
	s := g.Add(wire.Node{Op: "sumsq", Args: []int{r}, Shape: []int{}})
	wx := g.Add(wire.Node{Op: "mul", Args: []int{3, 0}, Shape: []int{2}})
	n := g.Add(wire.Node{Op: "norm1", Args: []int{wx}, Shape: []int{}})
	f := g.Add(wire.Node{Op: "sum", Args: []int{s, n}, Shape: []int{}})
	g.Objective = &wire.Objective{Sense: "minimize", Node: f}
	p, err := Build(context.Background(), g, [][]float64{{1, 2, 3, 4}, {1, 1}, {2}}, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Structural, []bool{true, false, true}) || !slices.Equal(p.Inside, []bool{false, true, false}) {
		t.Errorf("structural %v, inside %v", p.Structural, p.Inside)
	}
	x, bad := p.Point([]float64{1, -1})
	if bad != nil {
		t.Fatal(bad)
	}
	if got, want := p.Problem.Value(x), 9+9+4.0; math.Abs(got-want) > 1e-12 {
		t.Errorf("the objective is %g, want %g", got, want)
	}
	res, err := ccp.Solve(context.Background(), p.Problem, nil, ccp.DefaultSettings())
	if err != nil || res.Status != ccp.Converged {
		t.Errorf("%v, %v", res, err)
	}
}

// A constraint of parameters alone follows their values: p ≤ 1 excludes p = 2.
func TestConstraintOfParameters(t *testing.T) {
	g := &wire.Graph{
		Variables:  []wire.Variable{{Name: "x", Shape: []int{}, Lo: wire.F([]float64{-1})}},
		Parameters: []wire.Parameter{{Name: "p", Shape: []int{}, Value: wire.F([]float64{0.5})}},
	}
	one := g.Add(wire.Node{Op: "const", Shape: []int{}, Attrs: &wire.Attrs{Value: ptr(1.0)}})
	g.Constraints = []wire.Constraint{{Kind: "le", Args: []int{1, one}}}
	p, err := Build(context.Background(), g, [][]float64{{0.5}}, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	for value, feasible := range map[float64]bool{0.5: true, 2: false} {
		q, err := p.Problem.With("p", value)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.Feasible(q.Start(0), 1e-6); got != feasible {
			t.Errorf("p = %g: feasible is %v", value, got)
		}
	}
}

// The table of docs/protocol.md has the operations that there are, and no other; functions of one
// number share a line.
func TestOperationsAreDescribed(t *testing.T) {
	described := map[string]bool{}
	for _, row := range strings.Split(page.Block(t, "../../../docs/protocol.md", "ops"), "\n") {
		name, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " |")
		for _, n := range strings.Split(name, ", ") {
			if strings.HasPrefix(n, "`") {
				described[strings.Trim(n, "`")] = true
			}
		}
	}
	for _, name := range OpNames() {
		if c := atom.Find(name); !described[name] && (c == nil || c.HasParameter) {
			t.Errorf("docs/protocol.md does not describe %s", name)
		}
		delete(described, name)
	}
	for name := range described {
		t.Errorf("docs/protocol.md describes %s, which is no operation", name)
	}
}
