package verify_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// TestTree: the tree of a problem has its bounds and rows, and its objective at a point is
// that of Evaluate.
func TestTree(t *testing.T) {
	const src = "var x[2] in [1, 2], y >= 0\nmaximize 3*x[1]*x[2] - exp(y)^2 + max(x[1], 2*y) - norm2(x)\nsubject to\n  a: x[1] + y <= 5\n  b: abs(y) == 1\n"
	p := read(t, src)
	var text strings.Builder
	if err := p.WriteTree(&text); err != nil {
		t.Fatal(err)
	}
	var tree struct {
		Maximize bool
		Nodes    []struct {
			Op      string
			Num     float64
			Var     int
			Args    []int
			Weights []float64
		}
		Objective int
		Lo, Hi    []*float64
		Rows      []struct {
			Node   int
			Lo, Hi *float64
		}
	}
	if err := json.Unmarshal([]byte(text.String()), &tree); err != nil {
		t.Fatal(err)
	}
	if !tree.Maximize || len(tree.Lo) != 3 || *tree.Hi[1] != 2 || tree.Hi[2] != nil || len(tree.Rows) != 2 || tree.Rows[0].Lo != nil || *tree.Rows[0].Hi != 5 || *tree.Rows[1].Lo != 1 {
		t.Errorf("%s", &text)
	}
	x := []float64{1.5, 1.25, 0.75}
	v := make([]float64, len(tree.Nodes))
	for k, n := range tree.Nodes {
		a := make([]float64, len(n.Args))
		for i, j := range n.Args {
			a[i] = v[j] // before k
		}
		switch n.Op {
		case "const":
			v[k] = n.Num
		case "var":
			v[k] = x[n.Var]
		case "sum":
			for i, w := range n.Weights {
				v[k] += w * a[i]
			}
		case "mul":
			v[k] = a[0] * a[1]
		case "power":
			v[k] = math.Pow(a[0], n.Num)
		case "exp":
			v[k] = math.Exp(a[0])
		case "abs":
			v[k] = math.Abs(a[0])
		case "max":
			v[k] = max(a[0], a[1])
		case "norm":
			v[k] = math.Hypot(a[0], a[1])
		default:
			t.Fatalf("operation %q", n.Op)
		}
	}
	pt, err := p.Evaluate(x)
	if got := v[tree.Objective]; err != nil || math.Abs(got-pt.Lo) > 1e-12 {
		t.Errorf("the tree has %.15g, Evaluate %.15g, %v", got, pt.Lo, err)
	}
	if err := read(t, "var X[2,2]\nminimize lambda_max(X)\n").WriteTree(&text); err == nil {
		t.Error("a function of a matrix has a tree")
	}
}
