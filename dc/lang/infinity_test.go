package lang

import (
	"math"
	"testing"
)

// TestInfinity: infinite data are bounds that are none, and sides of constraints
// that always hold or never.
func TestInfinity(t *testing.T) {
	const head = `
param u = [1, inf, 3], l[i in 1..3] = if(i == 2, -inf, -i), one = inf, m = [1 inf; 2 3]
param cap = min(u, 2), big = max(u), neg = -u
var x[3] <= u, y in [-inf, 5], z >= -one, s[2,2] symmetric <= m
`
	for _, tt := range []struct {
		expr string
		want float64
	}{
		{"if(u[2] > 1e300 and -u[2] < l[1] and u[2] == inf, 1, 2)", 1}, {"sum(cap)", 5}, {"if(big == inf, 1, 2)", 1}, {"if(neg[2] < -1e300 and neg[3] == -3, 4, 5)", 4},
		{"exp(-1)*0 + if(m[1,2] == one, 6, 7)", 6}, {"sum(i in 1..3 if u[i] < inf) u[i]", 4}, {"min(u[2..3])", 3}, {"norm([3, -4], inf)", 4}, {"if(abs(l[2]) == inf, 1, 0)", 1}, {"1/one", 0}, {"sort(u)[2]", 3},
		{"if(reshape(m, 4)[2] == inf, 8, 9)", 8}, {"if([u; neg][2,2] == -inf, 1, 0)", 1},
	} {
		p := mustCompile(t, head+"minimize z + "+tt.expr, Options{})
		if got := p.Problem.Value(make([]float64, p.Problem.NumVars())); !(math.Abs(got-tt.want) <= 1e-12*max(1, tt.want)) {
			t.Errorf("%s = %g, want %g", tt.expr, got, tt.want)
		}
	}
	p := mustCompile(t, head+`
minimize sum(x)
subject to
  a: 2*x <= u
  b: l <= x <= u
  c: u >= norm2(x)*[1, 1, 1]
  d[i in 1..3]: abs(x[i]) <= u[i]
  e: x[1] <= inf
  f: -inf <= x[1] + y <= 7
  g: u >= l
`, Options{})
	rows := map[string][]float64{}
	for _, c := range p.Problem.Program().Constraints {
		if c.DC {
			rows[c.Family] = append(rows[c.Family], 0)
			continue
		}
		rows[c.Family] = append(rows[c.Family], c.Hi...)
	}
	inf := math.Inf(1)
	for name, want := range map[string][]float64{"a": {0, inf, 0}, "b": {0, inf, 0, 0, inf, 0}, "c": {0, 0}, "d": {0, 0}, "f": {0}} {
		got := rows[name]
		if len(got) != len(want) {
			t.Errorf("%s has the bounds %v, want %v", name, got, want)
			continue
		}
		for k := range want {
			if math.IsInf(got[k], 1) != math.IsInf(want[k], 1) {
				t.Errorf("%s has the bounds %v, want %v", name, got, want)
			}
		}
	}
	if len(p.Warnings) != 0 || len(rows) != 5 {
		t.Errorf("families %v, warnings %v", rows, p.Warnings)
	}
	v := p.Problem.Program().Vars[0]
	if lo, hi := v.Bounds(1); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) || v.Hi[0] != 1 {
		t.Errorf("x has bounds up to %v", v.Hi)
	}
}
