package lang

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestExplainAll: the objective, lets and constraints are explained with all expressions in them
// that have variables, those in loops for the first member; statements with mistakes are left out.
func TestExplainAll(t *testing.T) {
	f, _ := Parse("t.dc", []byte(`param a = 3
var x[3] in [0, 2]
var y >= 0
let z = a*y + 1
let bad = nosuch(y)
minimize exp(y) - sum(i in 1..3) x[i]^2
subject to
  far[i in 2..3]: abs(x[i] - x[1]) >= 0.1*i
  cap: y <= a
`))
	all, err := ExplainAll(context.Background(), f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, s := range all {
		for _, e := range s.Parts {
			fmt.Fprintf(&got, "%s %d %s | %v %.4g %.4g %s\n", s.Name, e.Depth, e.Text, e.Curvature, e.Lo, e.Hi, e.Indices)
		}
	}
	want := `z 0 a*y + 1 | affine 1 10 
z 1 a*y | affine 0 9 
z 2 y | affine 0 3 
objective 0 exp(y) - sum(i in 1..3) x[i]^2 | DC -11 20.09 
objective 1 exp(y) | convex 1 20.09 
objective 2 y | affine 0 3 
objective 1 sum(i in 1..3) x[i]^2 | convex 0 12 
objective 2 x[i]^2 | convex 0 4 i = 1
objective 3 x[i] | affine 0 2 i = 1
far 0 abs(x[i] - x[1]) | convex 0 2 i = 2
far 1 x[i] - x[1] | affine -2 2 i = 2
far 2 x[i] | affine 0 2 i = 2
far 2 x[1] | affine 0 2 i = 2
cap 0 y | affine 0 3 
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
