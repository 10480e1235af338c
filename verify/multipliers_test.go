package verify_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/verify"
)

// findings are what a check says of the claims that are not shown, and the verdict.
func findings(t *testing.T, src, result string) (text string, verdict verify.Verdict) {
	t.Helper()
	rs, err := verify.ParseResults([]byte(result))
	if err != nil {
		t.Fatal(err)
	}
	report := read(t, src).Check(rs[0], nil)
	for _, f := range report.Findings {
		text += fmt.Sprintf("%v %s: %s\n", f.Verdict, f.Claim, f.Text)
	}
	return text, report.Verdict()
}

// TestMultipliers: right ones show the optimum as a bound, wrong ones are refused. The optima
// and multipliers are by hand.
func TestMultipliers(t *testing.T) {
	for _, c := range []struct {
		name, src, x, duals, bounds string
		objective                   float64
		want                        string // "" where all must hold
	}{
		{"qp", "var x[2]\nminimize sumsq(x)\nsubject to\n  a: x[1] + x[2] >= 2\n", `{"x":[1,1]}`, `{"a":2}`, `{}`, 2, ""},
		{"sign", "var x[2]\nminimize sumsq(x)\nsubject to\n  a: x[1] + x[2] >= 2\n", `{"x":[1,1]}`, `{"a":-2}`, `{}`, 2, "wrong sign"},
		{
			"size", "var x[2]\nminimize sumsq(x)\nsubject to\n  a: x[1] + x[2] >= 2\n", `{"x":[1,1]}`, `{"a":1}`,
			`{}`, 2,
			"refused duals: slope of the Lagrangian at most 0.25",
		},
		{"not optimal", "var x in [0, 4]\nminimize exp(x)\n", `{"x":1}`, `{}`, `{"x":-1}`, math.E, "refused status: a feasible point near"},
		{"count", "var x[2]\nminimize sumsq(x)\nsubject to\n  a: x[1] + x[2] >= 2\n", `{"x":[1,1]}`, `{"a":[1,2]}`, `{}`, 2, "do not fit"},
		{"missing", "var x[2]\nminimize sumsq(x)\nsubject to\n  a: x[1] + x[2] >= 2\n", `{"x":[1,1]}`, `{"b":1}`, `{}`, 2, "no constraint b"},
		{"kinks", "var x[2], y in [0, 3]\nminimize abs(x[1] - 1) + max(x[2], 2*y, x[1] - y) + norm2(x - 1)\n", `{"x":[1,1],"y":0.5}`, `{}`, `{}`, 1, ""},
		{"chain", "var x[2]\nminimize x[1] - 3*x[2]\nsubject to\n  a: -1 <= x <= 2\n", `{"x":[-1,2]}`, `{"a":[-1,3]}`, `{}`, -7, ""},
		{"turned", "var x\nminimize x^2\nsubject to\n  3 == x\n", `{"x":3}`, `{"c1":6}`, `{}`, 9, ""},
		{"family", "var x[2] in [0, 4]\nmaximize -quad(x, [2 1; 1 2])\nsubject to\n  f[i in 1..2]: x[i] >= i\n", `{"x":[1,2]}`, `{"f":[8,10]}`, `{}`, -14, ""},
		{"form", "var x[2] in [-1, 1]\nminimize quad(x, [1 2; 2 1])\n", `{"x":[0,0]}`, `{}`, `{}`, 0, "not convex"},
		{"matrix", "var X[2,2] psd\nminimize X[1,1] + X[2,2]\nsubject to\n  X[1,2] == 1\n", `{"X":[[1,1],[1,1]]}`, `{"psd(X)":[[1,-1],[-1,1]],"c1":-2}`, `{}`, 2, "incomplete status: no feasible point within 10 times"},
		{"logdet", "var X[2,2] symmetric\nminimize X[1,1] + X[2,2] - logdet(X)\n", `{"X":[[1,0],[0,1]]}`, `{}`, `{}`, 2, ""},
		{"nonconvex", "var x in [-1, 2]\nminimize -x^2\n", `{"x":2}`, `{}`, `{"x":4}`, -4, ""},
		{"no stationary point", "var x in [-1, 2], y in [-3, 3]\nminimize -x^2 + y\n", `{"x":2,"y":0}`, `{}`, `{"x":4,"y":0}`, -4, "refused status: a feasible point near"},
		{"atoms", "var x[3] in [0.5, 4]\nminimize lse(x) + quadoverlin(x[1], x[2]) + kl(x[2], x[3]) - geomean(x) - log(x[1]) + huber(x[3], 1) - sqrt(x[2]) + logistic(x[1]) + invpos(x[2]) - entr(x[3]) + norm(x, 3)\nsubject to\n  a: x == [1, 1, 1]\n",
			`{"x":[1,1,1]}`, `{"a":[0,0,0]}`, `{}`, math.Log(3) + 1 + 1 + 1 - 1 + math.Log(1+math.E) + math.Cbrt(3) - 1 + 1 - 1, "accepted status: no feasible point has"},
	} {
		result := fmt.Sprintf(`{"status":"converged","objective":%.17g,"max_violation":0,"feasible":true,"variables":%s,"duals":%s,"bound_duals":%s}`, c.objective, c.x, c.duals, c.bounds)
		if c.name == "atoms" { // any multipliers show a bound
			result = strings.Replace(result, `"objective":`+fmt.Sprintf("%.17g", c.objective)+",", "", 1)
		}
		text, verdict := findings(t, c.src, result)
		ok := verdict == verify.Accepted
		if ok != (c.want == "" || c.name == "form") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %v, want %q in\n%s", c.name, ok, c.want, text)
		}
	}
}

// TestFarkas: multipliers that show a problem to be infeasible, and others.
func TestFarkas(t *testing.T) {
	for _, c := range []struct {
		src, x, duals string
		want          bool
	}{
		{"var x[2]\nminimize x[1]\nsubject to\n  a: x[1] + x[2] <= 1\n  b: x[1] >= 1\n  c: x[2] >= 0.5\n", "[0,0]", `{"a":1,"b":1,"c":1}`, true},
		{"var x[2]\nminimize x[1]\nsubject to\n  a: x[1] + x[2] <= 1\n  b: x[1] >= 1\n  c: x[2] >= -0.5\n", "[0,0]", `{"a":1,"b":1,"c":1}`, false},
		{"var x[2]\nminimize x[1]\nsubject to\n  a: x[1]^2 <= x[2]\n  b: x[1] >= 2\n  c: x[2] <= 3\n", "[0.9,-1.4]", `{"a":3.434,"b":9.282,"c":3.434}`, true},
		{"var x[2]\nminimize x[1]\nsubject to\n  a: x[1]*x[2] <= -1\n  b: x[1] == x[2]\n", "[0,0]", `{"a":1,"b":0}`, false},
	} {
		text, verdict := findings(t, c.src, fmt.Sprintf(`{"status":"infeasible","variables":{"x":%s},"duals":%s}`, c.x, c.duals))
		if ok := verdict == verify.Accepted; ok != c.want || c.want && !strings.Contains(text, "no point is feasible") {
			t.Errorf("%s%s: %v, %s", c.src, c.duals, ok, text)
		}
	}
}
