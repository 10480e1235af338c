package verify_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang/reader"
	"github.com/dcopt/dcopt/verify"
)

const (
	pair  = "var x in [0, 10], y in [0, 10]\nminimize (x - 3)^2 + (y - 2)^2\nsubject to\n  c: x + y <= 4\n"
	empty = "var x in [0, 1], y in [0, 1]\nminimize x\nsubject to\n  c: x + y >= 3\n"
	up    = "var x, y\nminimize -x\nsubject to\n  c: %s\n"
)

// at is a result of a status at a point, with more members.
func at(status, objective, variables, more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"status":%q,"objective":%s,"max_violation":0,"feasible":true,"variables":{%s}%s}`,
		status, objective, variables, more)
}

// along is a result that is unbounded along the first variable.
func along(more string) string {
	return `{"status":"unbounded","ray":{"x":1,"y":0},"variables":{"x":0,"y":0}` + more + `}`
}

// deep is a problem whose objective has 2^40 leaves, all the same variable.
func deep(step string) string {
	var b strings.Builder
	b.WriteString("var x in [0, 1]\nlet a0 = x\n")
	for k := range 40 {
		fmt.Fprintf(&b, "let a%d = %s\n", k+1, strings.ReplaceAll(step, "A", fmt.Sprintf("a%d", k)))
	}
	return b.String() + "minimize sqrt(a40) + x\n"
}

// TestFalseClaims: a claim that is false, or that nothing shows, is not accepted, and the finding
// says which.
func TestFalseClaims(t *testing.T) {
	for name, c := range map[string]struct{ src, result, want string }{
		// bounds
		"a square bounds no other variable": {
			"var x, y\nminimize x*x + 1e-6*y\nsubject to\n  c: x + y <= 5\n",
			at("converged", "0", `"x":0,"y":0`, `"bound":-1e-6,"gap":1e-6,"duals":{"c":0}`),
			"incomplete bound",
		},
		"a negative denominator bounds nothing": {
			"var x in [-5, -1], y in [0, 1]\nminimize 1/x\nsubject to\n  c: x + y <= 5\n",
			at("converged", "-0.2", `"x":-5,"y":0`,
				`"bound":-0.2,"gap":0,"duals":{"c":0},"bound_duals":{"x":0,"y":0}`),
			"refused status",
		},
		"a negative denominator is no contradiction": {
			"var x in [-5, -1], y in [0, 1]\nminimize y\nsubject to\n  c: y + 1/x <= 5\n",
			`{"status":"infeasible"}`,
			"incomplete status",
		},
		"a power of large exponent": {
			"var x in [0.9, 1.1]\nminimize x^12345 - 12345*x\n",
			at("converged", "-12344", `"x":1`, `"bound":-12343.9,"gap":1e-5`),
			"refused bound",
		},
		"an infinite objective": {
			"var x in [0, 1e6]\nminimize exp(x)\n",
			at("converged", "1.7976931348623157e308", `"x":1e6`, ""),
			"incomplete status",
		},
		// rays
		"a ray that leaves a square":         {fmt.Sprintf(up, "x^2 + y <= 5"), along(""), "refused status"},
		"a ray that leaves an exponential":   {fmt.Sprintf(up, "exp(x) + y <= 5"), along(""), "refused status"},
		"a ray that leaves an unknown slope": {fmt.Sprintf(up, "lse([x, y]) <= 5"), along(""), "incomplete status"},
		"a ray that leaves a domain": {
			"var x, y\nminimize -x + (5 - x)^1.5 + y\n", along(""), "incomplete status",
		},
		"a ray that leaves a hyperbolic sine": {fmt.Sprintf(up, "sinh(x) + y <= 5"), along(""), "refused status"},
		"a ray along which a wave decides":    {fmt.Sprintf(up, "y - 2*x + 3*sin(x) <= 5"), along(""), "incomplete status"},
		"a ray to a limit": {
			"var x, y\nminimize -atan(x) - tanh(x) + y - erf(x)\n", along(""), "incomplete status",
		},
		"a ray from a point that breaks rows": {
			"var x, y\nminimize -x\nsubject to\n  a: y <= 0\n  b: 2*y >= 1\n",
			along(""),
			"incomplete status",
		},
		"a ray of a result that is bounded": {
			pair,
			at("converged", "0.5", `"x":2.5,"y":1.5`, `"ray":{"x":1,"y":0}`),
			"refused ray",
		},
		"a ray of an infeasible problem": {empty, `{"status":"infeasible","ray":{"x":1,"y":0}}`, "refused ray"},
		// first-order conditions
		"slack beside a constant": {
			"var x, y in [-2, 2]\nminimize 1e6 + y^4 - y^2 - x\nsubject to\n  c: x <= 9e4\n",
			at("converged", "1e6", `"x":0,"y":0`, `"duals":{"c":1},"bound_duals":{"y":0}`),
			"status",
		},
		"parts that cancel": {
			"var x in [-9, 9], y in [-9, 9], z in [-2, 2]\nminimize z^4 - z^2 - x + 3\nsubject to\n" +
				"  a: x + y == 1\n  b: 2*x + 2*y == 2\n",
			at("converged", "3", `"x":0,"y":1,"z":0`,
				`"duals":{"a":2e6,"b":-1e6},"bound_duals":{"x":0,"y":0,"z":0}`),
			"refused status",
		},
		"a slope of a fiftieth": {
			"var x in [-2, 2]\nminimize x^4 - x^2\n",
			at("converged", "-0.249873999375", `"x":0.715`, `"objective_error":1e-12`),
			"incomplete status",
		},
		"a small slope and much room": {
			"var x, z in [-2, 2]\nminimize z^4 - z^2 + 1e-6*x + 1\nsubject to\n  a: x >= -1e9\n",
			at("converged", "1", `"x":0,"z":0`, `"duals":{"a":0},"bound_duals":{"z":0}`),
			"incomplete status",
		},
		"a maximum of a wave": {
			"var x in [0, 6]\nminimize sin(x)\n",
			at("converged", "1", `"x":1.5707963267948966`, `"objective_error":1e-15`),
			"refused status",
		},
		"a bound of a local minimum": {
			"var x in [0, 9]\nminimize sin(x) - x/10\n",
			at("converged", "-1.466183307", `"x":4.612234`, `"objective_error":1e-6,"bound":-1.4662,"gap":1e-5`),
			"bound",
		},
		"a saddle of a hyperbolic tangent": {
			"var x in [-2, 2]\nminimize tanh(x)^3 - x^2/100\n",
			at("converged", "0", `"x":0`, `"bound":0,"gap":0`),
			"bound",
		},
		"a range that a wave has": {
			"var x in [0, 9]\nminimize x\nsubject to\n  c: sin(x) + cos(2*x) >= 1.12\n",
			`{"status":"infeasible"}`,
			"incomplete status",
		},
		"a tangent at its pole": {
			"var x in [-1.5, 1.5]\nminimize -tan(x)\n",
			at("converged", "-14.2", `"x":1.5`, ""),
			"refused objective",
		},
		// words
		"a local minimum that is said to be one of a convex problem": {
			"var x in [-2, 3]\nminimize x^4 - 3*x^2 + 0.2*x\n",
			at("converged", "-2.0080604", `"x":1.2077`, `"objective_error":1e-3,"reason":"minimum"`),
			"incomplete reason",
		},
		"a point that runs off within bounds": {
			pair, at("converged", "0.5", `"x":2.5,"y":1.5`, `"duals":{"c":1},"reason":"not_attained"`), "refused reason",
		},
		"no multipliers beside some": {
			pair, at("converged", "0.5", `"x":2.5,"y":1.5`, `"duals":{"c":1},"reason":"no_better_step"`), "refused reason",
		},
		"a kink of smooth functions": {
			pair, at("converged", "0.5", `"x":2.5,"y":1.5`, `"no_multipliers":{},"reason":"no_better_step"`),
			"refused no_multipliers",
		},
		"an answer with words behind it": {
			pair, at("converged", "0.5", `"x":2.5,"y":1.5`, `"duals":{"c":1},"answer":"local minimum, the global one"`),
			"refused answer",
		},
		"an answer with a reason of its own": {
			pair,
			at("converged", "0.5", `"x":2.5,"y":1.5`,
				`"duals":{"c":1},"answer":"local minimum; no bound, as it is the best","no_bound":"it is late"`),
			"refused answer",
		},
		// rows
		"another row is broken most": {
			"var x in [0, 1]\nfind\nsubject to\n  c[i in 2..3]: x >= i\n",
			`{"status":"infeasible","max_violation":3,"worst":"c[2]","feasible":false,"variables":{"x":0}}`,
			"refused worst",
		},
		"a row that holds is broken most": {
			pair,
			at("converged", "0.5", `"x":2.5,"y":1.5`, `"duals":{"c":1},"worst":"y"`),
			"refused worst",
		},
		"a row that is none": {
			pair,
			at("converged", "0.5", `"x":2.5,"y":1.5`, `"duals":{"c":1},"worst":"c[1]"`),
			"refused worst",
		},
		"the domain of the objective is broken most": {
			empty,
			`{"status":"infeasible","max_violation":3,"worst":"domain of the objective","feasible":false,` +
				`"variables":{"x":0,"y":0}}`,
			"refused worst",
		},
		"rounded data beside a small error": {
			"var x in [0, 1]\nminimize x*kl(0.3, 0.3000001)\n",
			at("converged", "1.6653345369377348e-14", `"x":1`, `"objective_error":1e-30`),
			"incomplete objective",
		},
		// multipliers
		"multipliers beside a constant": {
			"var x\nminimize 1e6 + (x - 3)^2\nsubject to\n  c: x <= 2\n",
			at("converged", "1000001", `"x":2`, `"duals":{"c":5}`),
			"refused duals",
		},
		"multipliers of a variable that a row fixes": {
			"var x[2]\nminimize sumsq(x)\nsubject to\n  a: 2*x[1] == 1\n  b: x[2] >= 0\n",
			at("converged", "0.25", `"x":[0.5,0]`, `"duals":{"a":7,"b":0}`),
			"refused duals",
		},
		"multipliers off by a quarter": {
			"var x in [-2, 3]\nminimize x^4 - x^2 + 8*x\n",
			at("converged", "-4", `"x":-2`, `"bound_duals":{"x":25}`),
			"duals",
		},
		"an upper multiplier at a lower bound": {
			"var x in [0, 2]\nminimize abs(x) - abs(2*x - 3)\n",
			at("converged", "-3", `"x":0`, `"bound_duals":{"x":1}`),
			"refused",
		},
		"multipliers off by a hundredth": {
			pair,
			at("converged", "0.5", `"x":2.5,"y":1.5`, `"duals":{"c":1.01}`),
			"incomplete duals",
		},
		"multipliers of bounds off by a hundredth": {
			"var x in [-2, 3]\nminimize -x^2 + 40*x\n",
			at("converged", "-84", `"x":-2`, `"bound_duals":{"x":-44.44}`),
			"incomplete duals",
		},
		"a multiplier beside a large objective": {
			"var x, y in [1, 2]\nminimize 1e3*y + (x - 3)^2\nsubject to\n  c: x <= 2\n",
			at("converged", "1001", `"x":2,"y":1`, `"duals":{"c":5},"bound_duals":{"y":-1e3}`),
			"refused duals",
		},
		"no subgradient": {
			"var x in [0, 2]\nminimize x - 0.4*norm2([x, x])\n",
			at("converged", "0", `"x":0`, `"bound_duals":{"x":-1.8}`),
			"incomplete duals",
		},
		"a falling end of a domain": {
			"var x in [0, 2]\nminimize x - sqrt(x)\n",
			at("converged", "0", `"x":0`, `"bound_duals":{"x":-1}`),
			"refused status",
		},
		"a combination that is not positive": {
			"var x in [0, 3]\nminimize x\nsubject to\n  a: x <= 1\n  b: x >= 2\n",
			`{"status":"infeasible","variables":{"x":1},"duals":{"a":1,"b":0.1}}`,
			"incomplete duals",
		},
		"multipliers of unknown bounds": {
			pair,
			at("converged", "0.5", `"x":2.5,"y":1.5`, `"duals":{"c":1},"bound_duals":{"x":0,"y":0,"z":5}`),
			"no bounds of z",
		},
		"two multipliers of one bound": {
			"var X[2,2] symmetric in [0, 9]\nminimize sum(X)\n",
			at("converged", "0", `"X":[[0,0],[0,0]]`, `"bound_duals":{"X":[[-1,55],[-2,-1]]}`),
			"not symmetric",
		},
		"bounds of Hermitian matrices": {
			"var H[2,2] hermitian\nminimize trace(H)\nsubject to\n  c: trace(H) >= 1\n",
			at("converged", "1", `"H":{"re":[[0.5,0],[0,0.5]],"im":[[0,0],[0,0]]}`,
				`"duals":{"c":1},"bound_duals":{"im(H)":[[0,0],[0,0]]}`),
			"no bounds of im(H)",
		},
		"two parts of one multiplier": {
			"var z complex\nminimize abs(z)\nsubject to\n  c: z == 1\n",
			at("converged", "1", `"z":{"re":1,"im":0}`, `"duals":{"c":{"re":77,"im":0,"re":-1}}`),
			"incomplete duals",
		},
		"a matrix that is not semidefinite": {
			"var y in [-1, 1]\nmaximize y\nsubject to\n  c: lambda_max([y 0; 0 y]) <= 3\n",
			at("converged", "1", `"y":1`, `"duals":{"c":[[1e-12,-5],[-5,1e-12]]},"bound_duals":{"y":1}`),
			"do not fit",
		},
		"no certificate": {
			empty,
			`{"status":"infeasible","variables":{"x":0,"y":0},"duals":{"c":-5},"bound_duals":{"x":1,"y":1}}`,
			"incomplete duals",
		},
		"multipliers of unknown rows": {
			empty,
			`{"status":"infeasible","variables":{"x":0,"y":0},"duals":{"d":1}}`,
			"no constraint d",
		},
		// points and values
		"1/x of a negative x": {
			"var x in [-5, 5]\nminimize invpos(x)\n",
			at("stalled", "-1000", `"x":-0.001`, ""),
			"refused variables",
		},
		"a matrix that is not Hermitian": {
			"var H[2,2] hermitian\nminimize trace(H)\n",
			at("stalled", "1", `"H":{"re":[[0.5,0],[0,0.5]],"im":[[7,3],[3,7]]}`, ""),
			"not Hermitian",
		},
		"another shape": {
			"var x[2,3] in [0, 9]\nminimize sum(x)\n",
			at("stalled", "21", `"x":[[1,2],[3,4],[5,6]]`, ""),
			"of the shape [2 3]",
		},
		"an array for a number": {
			"var x in [0, 9]\nminimize x\n",
			at("stalled", "1", `"x":[[1],[]]`, ""),
			"refused variables",
		},
		"other indices": {
			"set C = {\"a\", \"b\"}\nvar x[C] in [0, 9]\nminimize x[\"a\"]\n",
			at("stalled", "1", `"x":[1,2]`, `"indices":{"x":[["b","a"]]}`),
			"refused indices",
		},
		"a real let of a complex value": {
			"var z complex\nlet w = 2*z\nminimize abs(z - (1+2i))\n",
			at("stalled", "0", `"z":{"re":1,"im":2}`, `"lets":{"w":2}`),
			"refused lets",
		},
		"a let outside its domain": {
			"var x in [0, 1]\nlet w = log(x)\nminimize x\n",
			at("converged", "0", `"x":0`, `"lets":{"w":5}`),
			"incomplete lets",
		},
		"multipliers off by 2e-5 of the objective": {
			"var x in [-1, 1], y in [-2, 2]\nminimize 4 + x + y^4 - y^2\n",
			at("stalled", "3", `"x":-1,"y":0`, `"bound":1,"gap":0.6666666666666666,"bound_duals":{"x":-1,"y":6e-5}`),
			"incomplete duals",
		},
		"multipliers off by 2e-3 of the objective": {
			"var x in [-1, 1], y in [-2, 2]\nminimize 4 + x + y^4 - y^2\n",
			at("converged", "3", `"x":-1,"y":0`, `"bound_duals":{"x":-1,"y":6e-3}`),
			"refused duals",
		},
		"multipliers of a point on the way": {
			"var x in [-1, 1], y in [-2, 2]\nminimize 4 + x + y^4 - y^2\n",
			at("stalled", "3", `"x":-1,"y":0`, `"bound":1,"gap":0.6666666666666666,"bound_duals":{"x":-1,"y":6e-3}`),
			"incomplete duals",
		},
		"an unbounded point without a value": {
			"var x >= 0\nminimize log(x)\n",
			`{"status":"unbounded","objective":null,"max_violation":0,"feasible":true,"variables":{"x":0}}`,
			"incomplete variables",
		},
		"an infeasible point without a value": {
			"var x in [0, 1]\nfind\nsubject to\n  c: matfrac([x, 1], [1 2; 2 1]) <= 1\n  d: x >= 2\n",
			`{"status":"infeasible","objective":null,"max_violation":1,"feasible":false,"variables":{"x":0}}`,
			"incomplete variables",
		},
		"a stated value outside the domain": {
			"var x >= 0\nminimize log(x)\n",
			`{"status":"unbounded","objective":-9,"max_violation":0,"feasible":true,"variables":{"x":0}}`,
			"refused variables",
		},
		"a row that nothing keeps, of a feasible point": {
			"var x in [0, 1]\nminimize x\nsubject to\n  c: x <= -inf\noption feas_tol = 2\n",
			`{"status":"stalled","objective":0,"max_violation":1,"feasible":true,"variables":{"x":0}}`,
			"refused feasible",
		},
		"a row with data outside a domain": {
			"var x in [0, 1]\nminimize x\nsubject to\n  c: x + kl(1, 0) <= 9\n",
			at("converged", "0", `"x":0`, ""),
			"refused feasible",
		},
		"values without a point": {
			empty,
			`{"status":"infeasible","objective":3,"max_violation":0,"feasible":true}`,
			"refused variables",
		},
		"a gap that is too large": {
			"var x in [0, 1]\nminimize x + 2\n",
			at("converged", "2", `"x":0`, `"bound":2,"gap":0.5`),
			"refused gap",
		},
		"a gap of another unit": {
			"var x in [0, 1]\nminimize 1e9*x + 2\n",
			at("converged", "2", `"x":0`, `"bound":1.5,"gap":4`),
			"refused gap",
		},
		"a better point within rounding errors": {
			"var x in [0, 3], y in [0, 3]\nminimize (1e8 + x - y)^2 - 1e8*(1e8 + 2*x - 2*y)\n",
			at("converged", "-4", `"x":0.8407279022510102,"y":0.8447328444166394`, ""),
			"incomplete status",
		},
		"a row of small terms beside numbers that cancel": {
			"var x in [0, 2], y in [0, 2]\nminimize -x\nsubject to\n  c: (1e-6*x - 1e-6*y + 0.42)/6 == 0.07\n",
			`{"status":"stalled","objective":-1,"max_violation":1.6666666666e-7,"feasible":true,` +
				`"variables":{"x":1,"y":0}}`,
			"refused feasible",
		},
		"a point beyond a domain by less than a tolerance": {
			"var y in [-1, 1]\nminimize y + y^1.5\n",
			at("converged", "-7e-12", `"y":-7e-12`, ""),
			"incomplete variables",
		},
		"a point at the open end of the domain of a row": {
			"var x in [0, 9]\nminimize x\nsubject to\n  c: log(x) <= 1\n",
			at("converged", "0", `"x":0`, ""),
			"incomplete variables",
		},
		"a limit at the open end of a domain": {
			"var x in [0, 1], y in [1, 2]\nminimize x^y + atan(invpos(x))\n",
			at("converged", "1.5707963267948966", `"x":0,"y":1.5`, ""),
			"incomplete variables",
		},
		"no limit at the open end of a domain": {
			"var x in [0, 1], y in [1, 2]\nminimize x^y + atan(invpos(x))\n",
			at("converged", "0", `"x":0,"y":1.5`, ""),
			"refused variables",
		},
		"a value at the open end of a domain": {
			"var x in [0, 9]\nminimize log(x)\n",
			at("converged", "-13.8155", `"x":0`, ""),
			"refused variables",
		},
		"a point beyond a domain": {
			"var y in [-1, 1]\nminimize y + y^1.5\n",
			at("converged", "-7e-6", `"y":-7e-6`, ""),
			"refused variables",
		},
		"a point beyond a domain that is not called feasible": {
			"var y in [-1, 1]\nminimize y + y^1.5\n",
			`{"status":"stalled","objective":null,"feasible":false,"variables":{"y":-1}}`,
			"incomplete variables",
		},
		"a point beyond the domain of a row that it is said to break": {
			"var y in [-1, 1]\nminimize y\nsubject to\n  c: y^1.5 <= 1\n",
			`{"status":"stalled","objective":-1,"max_violation":1,"feasible":false,"variables":{"y":-1}}`,
			"incomplete variables",
		},
		"an objective beyond its domain": {
			"var y in [-1, 1]\nminimize y^1.5\n",
			`{"status":"stalled","objective":-1,"max_violation":1,"feasible":false,"variables":{"y":-1}}`,
			"refused variables",
		},
		"a point that the domain of a row holds": {
			"var x in [-0.7, 0.1]\nminimize 1.5*x\nsubject to\n  c: 2*sqrt(x) <= 1.6\n",
			at("converged", "0", `"x":0`, `"duals":{"c":0},"bound_duals":{"x":0}`),
			"incomplete duals",
		},
		"a slope that no domain holds": {
			"var x in [-0.7, 1], y in [-3, 3]\nminimize y^4 + 1.5*y\nsubject to\n  c: 2*sqrt(x) <= 1.6\n",
			at("converged", "0", `"x":0,"y":0`, `"duals":{"c":0},"bound_duals":{"x":0,"y":0}`),
			"refused duals",
		},
		"singular values of a singular matrix": {
			"var x in [0.8, 2]\nminimize normnuc([x 0.8; 0.8 x])\n",
			at("converged", "1.6", `"x":0.8`, `"objective_error":1e-14`),
			"accepted objective",
		},
		"a kink in a function without a slope": {
			"var x in [0, 3]\nmaximize pos((3*x - 2)*(-1.8*x - 2))^1.5\n",
			at("converged", "0", `"x":2`, `"bound":0,"gap":0,"proved":true`),
			"incomplete bound",
		},
		"a row that decides nothing": {
			pair,
			at("converged", "0.5", `"x":2.5,"y":1.5`,
				`"duals":{"c":1},"tolerance_decides":{"row":"c","objective":1e-3}`),
			"incomplete tolerance_decides",
		},
	} {
		text, verdict := findings(t, c.src, c.result)
		if verdict == verify.Accepted || !strings.Contains(text, c.want) {
			t.Errorf("%s: %v, want %q in\n%s", name, verdict, c.want, text)
		}
	}
}

// TestRightClaims: claims that are hard to show, and right, are accepted.
func TestRightClaims(t *testing.T) {
	for name, c := range map[string]struct{ src, result string }{
		"a negative denominator": {
			"var x in [-5, -1]\nminimize -1/x + x^2\n",
			at("converged", "2", `"x":-1`, `"bound":2,"gap":0,"bound_duals":{"x":1}`),
		},
		"a denominator below a row": {
			"var x\nminimize -1/x + x^2\nsubject to\n  c: 2*x <= -2\n",
			at("converged", "2", `"x":-1`, `"duals":{"c":0.5}`),
		},
		"a let without a value": {
			"var x in [0, 1]\nlet w = log(x)\nminimize x\n",
			at("converged", "0", `"x":0`, `"lets":{"w":null},"bound_duals":{"x":-1}`),
		},
		"no objective": {
			"var x in [0, 1]\nfind\nsubject to\n  c: x^2 >= 0.5\n",
			at("converged", "0", `"x":0.75`,
				`"bound":0,"gap":0,"proved":true,"duals":{"c":0},"bound_duals":{"x":1e-20}`),
		},
		"a least square": {
			"var x[2], y in [0, 1]\nminimize (x[1] + x[2] - 1)^2 + (x[1] - 3)^2 + y\n",
			at("converged", "0", `"x":[3,-2],"y":0`, `"bound_duals":{"y":-1}`),
		},
		"a square near its minimum": {"var x in [-1, 1]\nminimize x^2\n", at("converged", "1e-12", `"x":1e-6`, "")},
		"kinks in small units": {
			"var x[2] in [-3, 3]\nminimize 1e-9*(abs(x[1] + x[2]) + abs(x[1] - 1) + max(x[2], 2*x[1]))\n",
			at("converged", "1e-9", `"x":[0,0]`, `"bound_duals":{"x":[0,0]}`),
		},
		"products that cancel": {
			"var x in [0, 1], y in [0, 1]\nminimize x + x*y - y*x\n",
			at("converged", "0", `"x":0,"y":0`, ""),
		},
		"a row without one side": {
			"var x[3]\nmaximize -sumsq(x)\nsubject to\n  c: x[1] + x[2] >= 1\n  d: 3*x[3] <= 6\n",
			at("converged", "-0.5", `"x":[0.5,0.5,0]`, ""),
		},
		"an infeasible wave": {
			"var x in [0, 9], y in [0, 9]\nminimize x\nsubject to\n  c: sin(x) + cos(y) >= 2.01\n  d: erf(x) <= 5\n",
			`{"status":"infeasible"}`,
		},
		"a ray across waves": {
			"var x, y\nminimize sin(x) - 1.01*x + tanh(y)\nsubject to\n  c: 1.01*x + cos(x) >= y\n  d: y >= -9\n",
			along(""),
		},
		"a minimum beside an inflection point": {
			"var x in [-1, 2]\nminimize atan(x) + 0.01*x\n",
			at("converged", "-0.7953981633974483", `"x":-1`, `"bound_duals":{"x":-0.51}`),
		},
		"a convex part of a wave": {
			"var x in [3.2, 6.2]\nminimize sin(x)\n",
			at("converged", "-1", `"x":4.71238898038469`, `"bound":-1.0000001,"gap":1e-7,"proved":true`),
		},
		"data of the mathematical library": {
			"var x in [0, 1]\nlet w = tanh(0.3) + log1p(1e-9)\nminimize x + normcdf(-3) + sinh(2)*x\n",
			at("converged", "0.0013498980316300957", `"x":0`, `"lets":{"w":0.29131261345159093}`),
		},
		"an infeasible square": {
			"var x[2]\nminimize x[1]\nsubject to\n  a: x[1]^2 <= x[2]\n  b: x[1] >= 2\n  c: x[2] <= 3\n",
			`{"status":"infeasible","variables":{"x":[0,0]},"duals":{"a":1,"b":4,"c":1}}`,
		},
		"noise on a row with curves": {
			"var x[2] in [0, 1]\nminimize x[1]\nsubject to\n  a: x[1] + x[2] >= 3\n  b: x[1]*x[2] <= 1\n",
			`{"status":"infeasible","variables":{"x":[0,0]},"duals":{"a":1,"b":1e-9},"bound_duals":{"x":[1,1]}}`,
		},
		"a ray beside bounds": {
			"var x, y in [0, 1]\nminimize y - 2*x\nsubject to\n  c: x >= y\n",
			`{"status":"unbounded","ray":{"x":0.5,"y":1e-17},"variables":{"x":1,"y":0}}`,
		},
		"any slope at the end of a domain": {
			"var x in [0, 2], y in [0, 2]\nminimize sqrt(x + 2*y) - x\n",
			at("converged", "0", `"x":0,"y":0`, `"bound_duals":{"x":-5e6,"y":-10000002}`),
		},
		"any slope of a divergence": {
			"var x in [0, 2]\nminimize x - 0.5*kl(x, 1)\n",
			at("converged", "-0.5", `"x":1e-20`, `"bound_duals":{"x":-20}`),
		},
		"any subgradient of a norm": {
			"var x in [0, 2]\nminimize x - 0.38*norm2([x, x])\n",
			at("converged", "0", `"x":0`, `"bound_duals":{"x":-0.46259884629822384}`),
		},
		"an infeasible maximum": {
			"var x[2] in [0, 1.25]\nminimize x[1]\nsubject to\n" +
				"  c: x[2] + max(4.3 - x[1] - x[2], x[1] + 1, x[1] + x[2] - 0.9) <= 0.69\n",
			`{"status":"infeasible","variables":{"x":[1.2,0.2]},"duals":{"c":11}}`,
		},
		"a row with data outside a domain, and its multiplier": {
			"var x\nmaximize x\nsubject to\n  abs(x) <= geomean(-1, 1)\n",
			`{"status":"infeasible","max_violation":1,"feasible":false,"variables":{"x":0},"duals":{"c1":1}}`,
		},
		"terms of a product that cancel": {
			"var x in [0, 2], y in [0, 2]\nminimize (x - 1)^2\nsubject to\n  c: 0.5*(x - y) == 0\n",
			`{"status":"converged","objective":0,"max_violation":5e-8,"feasible":true,` +
				`"variables":{"x":1,"y":1.0000001},"duals":{"c":0}}`,
		},
		"a root of a sum of squares": {
			"var x in [-2, 2], y in [-2, 2]\nminimize sqrt(1e-6 + x^2 + (y - 1)^2) + 2*y\n",
			at("converged", "-0.99999983333333785", `"x":0,"y":-2`, `"bound":-0.9999999`),
		},
		"a row that nothing keeps": {
			"var x in [0, 1]\nminimize x\nsubject to\n  c: x <= -inf\n",
			`{"status":"infeasible","max_violation":1,"feasible":false,"variables":{"x":0}}`,
		},
		"data that rounding errors alone break": {
			"var x in [0, 1]\nminimize x\nsubject to\n  c: 1.32 + 0.56 - 0.5 == 1.38\n  d: 0.1 + 0.2 <= 0.3\n",
			at("converged", "0", `"x":0`, `"bound_duals":{"x":-1}`),
		},
		"data that functions round": {
			"var x in [0, 1]\nlet w = kl(0.3, 0.3), v = 1 - logistic(-1) + 2*lse([1, 2, 3])\n" +
				"minimize min(entr(0.697), entr(0.998))\n",
			at("converged", "0.0019979986653317332", `"x":0`, `"lets":{"w":0,"v":7.501950241370539},"objective_error":1e-18`),
		},
		"a row of words": {
			"set C = {\"a\", \"b\"}\nvar x[C] in [0, 1]\nfind\nsubject to\n" +
				"  c[i in C, k in {3, 5}]: [x[i], 2*x[i]^2] >= if(i == \"b\" and k == 5, 3, -1)\n",
			`{"status":"infeasible","max_violation":3,"worst":"c[2,5,2]","feasible":false,"variables":{"x":[0,0]}}`,
		},
		"data to a negative power": {
			"var x in [0, 1]\nminimize x\nsubject to\n  c: 3 + (-3*1.1 - 2.5)^(-1) >= 2\n",
			at("converged", "0", `"x":0`, `"bound_duals":{"x":-1}`),
		},
		"an objective beyond all numbers": {
			"var x in [1e3, 1e4]\nminimize exp(x)\n",
			`{"status":"numerical","objective":null,"max_violation":0,"feasible":false,"variables":{"x":1e3}}`,
		},
		"a maximum with data outside a domain": {
			"var x in [0, 1]\nminimize x\nsubject to\n  c: max(x^5, log2(-1)) <= 9\n",
			`{"status":"infeasible","max_violation":1,"worst":"c","feasible":false,"variables":{"x":0},"duals":{"c":1}}`,
		},
		"an exponent whose variables cancel": {
			"var x in [-3, -1]\nminimize -x\nsubject to\n  c: x^(x - (x)) >= 0.9\n",
			at("converged", "1", `"x":-1`, `"bound_duals":{"x":1}`),
		},
		"a point a rounding outside": {
			"var x in [0, 3]\nmaximize x - (-0.91*x + 2.73)^1.5\n",
			`{"status":"converged","objective":3,"max_violation":2e-16,"feasible":true,"variables":{"x":3}}`,
		},
	} {
		if text, verdict := findings(t, c.src, c.result); verdict != verify.Accepted {
			t.Errorf("%s: %v\n%s", name, verdict, text)
		}
	}
}

// TestClaimsEnd: no result takes long, whatever it says.
func TestClaimsEnd(t *testing.T) {
	for name, src := range map[string]string{
		"a form of zero":           "var x in [0, 1], y in [0, 1]\nminimize x + (x - x)*y\n",
		"a form below the numbers": "var x in [0, 1], y in [0, 1]\nminimize x + 1e-310*x*y\n",
		"powers of powers":         deep("A*A"),
		"maxima of maxima":         deep("max(A, x*A)"),
		"sums of sums":             deep("0.25*A + 0.75*A"),
		"many kinks": "var x[240] in [-1, 1]\n" +
			"minimize norm1(x) + sum(i in 2..240) 0.1*abs(x[i] - x[i - 1])\n",
	} {
		x := "0"
		if strings.Contains(src, "240") {
			x = "[" + strings.Repeat("0,", 239) + "0]"
		}
		point := `"x":` + x
		if strings.Contains(src, "y in") {
			point += `,"y":0`
		}
		text, _ := findings(t, src, at("converged", "0", point, ""))
		if !strings.Contains(text, "accepted objective") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestSweepsAreOfParams: a result gives params of the file alone, and no tolerance.
func TestSweepsAreOfParams(t *testing.T) {
	set := map[string]string{"nope": "1"}
	_, err := verify.Read(context.Background(), pair, reader.NewData(nil, "."), set)
	if err == nil || !strings.Contains(err.Error(), "no param nope") {
		t.Errorf("a param that is unknown: %v", err)
	}
	for name, want := range map[string]string{"feas_tol": "refused feasible", "tau": "accepted feasible"} {
		p, err := verify.Read(context.Background(), pair, reader.NewData(nil, "."), map[string]string{name: "1e-9"})
		if err != nil {
			t.Fatal(err)
		}
		rs, err := verify.ParseResults([]byte(at("stalled", "0.4999994", `"x":2.5000003,"y":1.5000003`, "")))
		if err != nil {
			t.Fatal(err)
		}
		report := p.Check(rs[0], nil)
		is := func(f verify.Finding) bool { return fmt.Sprint(f.Verdict, " ", f.Claim) == want }
		if !slices.ContainsFunc(report.Findings, is) {
			t.Errorf("%s: want %q in %v", name, want, report.Findings)
		}
	}
	for _, sweep := range []string{`{"feas_tol":1}`, `{"p":"data.csv"}`, `{"p":null}`, `{"p":1,"p":1}`} {
		text, verdict := findings(t, "param p = 0.1\nvar x in [0, 1]\nminimize x\nsubject to\n  c: x >= p\n",
			`{"sweep":`+sweep+`,"status":"stalled","objective":0.1,"feasible":true,"variables":{"x":0.1}}`)
		if verdict != verify.Refused {
			t.Errorf("a sweep of %s: %v\n%s", sweep, verdict, text)
		}
	}
}
