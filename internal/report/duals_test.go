package report

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
)

// TestDuals: how the multipliers are nested.
func TestDuals(t *testing.T) {
	prog := compile(t, `var x[2], M[2,2], s
minimize s
subject to
  single: s >= 2
  vector: x >= [1, 2]
  matrix: M <= 1
  family[i in 1..2, j in 1..2]: M[i,j] + s <= 10
  vectors[i in 1..2]: M[i,:] == x
  ring: norm1(x) == 3
  rings[i in 1..2]: (x[i] + s)^2 == 1
  one[i in 1..1]: s <= 9
`)
	next := 0.0
	var duals [][]float64
	for _, c := range prog.Problem.Program().Constraints {
		n := 1
		if !c.DC {
			n = c.A.Len()
		}
		y := make([]float64, n)
		for k := range y {
			next++
			y[k] = next
		}
		duals = append(duals, y)
	}
	b, err := AppendJSON(nil, dualsOf(prog.Problem.Program(), duals))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"single":1,"vector":[2,3],"matrix":[[4,5],[6,7]],"family":[8,9,10,11],"vectors":[[12,13],[14,15]],` +
		`"ring":[16,17],"rings":[[18,19],[20,21]],"one":[22]}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}

// TestDualsOfProducts: the multiplier of a product is that of the constraint as it is written,
// not of the geometric mean that it is solved as.
func TestDualsOfProducts(t *testing.T) {
	for src, want := range map[string]float64{
		"var x in [0.1, 9], y in [0.1, 9]\nminimize x + y\nsubject to\n  a: x*y >= 4\n":                         0.5,
		"var x in [0.1, 9], y in [0.1, 9], z in [0.1, 9]\nminimize x + y + z\nsubject to\n  a: 2*x*y*z >= 16\n": 0.125,
	} {
		f, err := lang.Parse("d.dc", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		prog, err := lang.Compile(context.Background(), f, lang.Options{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := ccp.Solve(context.Background(), prog.Problem, nil, ccp.DefaultSettings())
		if err != nil || math.Abs(res.Duals[0][0]-want) > 1e-6 {
			t.Errorf("%s: multiplier %v, want %g, error %v", src, res.Duals, want, err)
		}
	}
}

// TestDualsOfSharedNames: constraints that share their arrays are nested as others are: by index,
// and both halves of an equation in one place.
func TestDualsOfSharedNames(t *testing.T) {
	prog := compile(t, `param n = 20
var x[n,2], y[n]
minimize sum(y)
subject to
  apart[i in 1..n, j in i+1..n]: norm2(x[i,:] - x[j,:]) >= 2
  equal[i in 1..n]: abs(x[i,1]) - abs(y[i]) == 0
  between[i in 1..n]: 1 <= abs(x[i,1]) - abs(x[i,2]) <= 2
`)
	var duals [][]float64
	shares := false
	for k := range prog.Problem.Program().Constraints {
		duals = append(duals, []float64{float64(k)})
		shares = shares || prog.Problem.Program().Constraints[k].Members() != nil
	}
	b, err := AppendJSON(nil, dualsOf(prog.Problem.Program(), duals))
	if err != nil {
		t.Fatal(err)
	}
	var apart, equal, between []string
	for k := range 190 {
		apart = append(apart, fmt.Sprint(k))
	}
	for k := 190; k < 230; k += 2 {
		equal = append(equal, fmt.Sprintf("[%d,%d]", k, k+1))
		between = append(between, fmt.Sprintf("[%d,%d]", k+40, k+41))
	}
	list := func(of []string) string { return "[" + strings.Join(of, ",") + "]" }
	want := `{"apart":` + list(apart) + `,"equal":` + list(equal) + `,"between":` + list(between) + "}"
	if string(b) != want || !shares {
		t.Errorf("got  %s\nwant %s; shared: %t", b, want, shares)
	}
}

func compile(t *testing.T, text string) *lang.Program {
	t.Helper()
	f, err := lang.Parse("d.dc", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := lang.Compile(context.Background(), f, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}
