package lang_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
)

// bodies are sums whose terms differ in numbers alone, and some that do not in all members.
var bodies = []string{
	"sum(i in 1..m) pos(1 - y[i]*(X[i,:]*w + b))",
	"sum(i in 1..m) pos(1 - z[i]) - C*sum(i in 1..m) pos(-z[i])",
	"sum(i in 1..m) pos(z[i]) - sum(i in 1..m) pos(z[i])",
	"C*sum(i in 1..m) abs(X[i,:]*w - y[i])",
	"sum(i in 1..m) lse(P[i,:]*c - [0, y[i]]) - C*sum(i in 1..m) lse(c[1,:] + P[i,:])",
	"sum(i in 1..m) q[i]*abs(X[i,:]*w - y[i])",
	"sum(i in 1..m) y[i]*abs(X[i,:]*w - y[i])",
	"sum(i in 1..m) (max(z[i], 2*b, X[i,1]) + 0.5*pos(w[1] - X[i,2]) + X[i,3]*w[2] - 1)",
	"-sum(i in 1..m) max(k in 1..3) (X[i,k]*w[k] - b)",
	"sum(i in 1..m) min(k in 1..3) (X[i,k]*w[k] - b)",
	"C*sum(i in 1..m) min(k in 1..2) (sumsq(c[k,:] - P[i,:]))",
	"C*sum(i in 1..m) min(sumsq(c[1,:] - P[i,:]), sumsq(c[2,:] + P[i,:]), (w[1] - y[i])^2)",
	"(sum(i in 1..m) min(sumsq(P[i,:] - c[1,:]), square(w[1] - 3)))/m",
	"sum(i in 1..m) min(sumsq(c[1,:] - P[i,:]), 2)",
	"sum(i in 1..m) -max(k in 1..2) (sumsq(c[k,:] - P[i,:]))",
	"-sum(i in 1..m) min(k in 1..2) (sumsq(c[k,:] - P[i,:]))",
	"sum(i in 1..m if y[i] > 0) pos(X[i,1]*w[1] - b) + sum(i in 1..m if y[i] < 0) abs(b - X[i,2])",
	"sum(i in 1..m) abs(round(X[i,1])*w[1] - round(3*X[i,2]))",
	"sum(i in 1..m) abs(S[i,1]*w[1] + S[i,2]*w[2] - 1)",
	"sum(i in 1..m) pos(t[r[i]] - X[i,1])",
	"sum(i in 1..m) abs(t[r[i]] - X[i,1]) - abs(t[1] - X[1,1])",
	"sum(i in 1..m) pos(t[1] - 10*abs(X[i,1]))",
	"sum(i in 1..m, k in 1..3) abs(w[k] - X[i,k])",
	"sum(i in 1..m) if(y[i] > 0, pos(z[i]), abs(z[i]))",
	"sum(i in 1..m) (pos(z[i]) + z[i]^2)",
	"sum(i in 1..m) (1 + i/m)*(X[i,:]*w - y[i])^2 + sum(i in 1..m) (1 + abs(y[i]))*z[i]",
	"0.5*sumsq(w) + abs(b) + C*sum(i in 1..m) pos(z[i]) + (1/m)*sum(i in 1..m) huber(z[i])",
	"sumsq(w) - 2*sum(i in 1..m) pos(z[i]) + 0.5*sum(k in 1..3) abs(w[k])",
	"sum(i in 1..m) pos(b + w[2]*X[i,2] - 2*(w[1] + X[i,1]*w[1])/q[i])",
	"sum(i in 1..m) abs(P[i,:]*(2*w[1..2] - c[1,:]) + X[i,1]/q[i] - 1e9 + y[i] + 1e9)",
	"sum(i in 1..m) -(2*pos(y[i]*(w[1] - X[i,2])/3)) - sum(i in 1..m) pos(X[i,1]*b + t[r[i]])",
	"sum(i in 1..m) max(t[r[i]], 0.5*t[1] - X[i,1], t[2]/10 - 4)",
	"sum(i in 1..m) pos(1 - z[i]) - 2*sum(i in 1..m) pos(2 - z[i]) + 3*sum(i in 1..m) pos(-z[i]) + sum(i in 1..m) abs(X[i,:]*w - y[i])",
	"sum(i in 1..8, j in i+1..m) pos(c[1,1]*X[j,1] - X[i,2]*w[2] - i*j)",
	"sum(j in 1..m) abs(round(y[j])*w[1] - round(y[j])) + sum(j in 1..m) pos(w[2] - r[j])",
	"sum(i in 1..m) pos(w[1] - round(X[i,1]))/m",
	"(1/m)*sum(i in 1..m) abs(max(k in 1..2) (P[i,:]*c[k,:]) - max(k in 1..2) (P[i,:]*d[k,:]) - y[i])",
	"sum(i in 1..m) q[i]*abs(X[i,1]*b - max(P[i,:]*d[1,:], w[1], -t[2]) + max(k in 1..2) (P[i,:]*c[k,:])) + 0.1*sumsq(c) + abs(b)",
	"sum(i in 1..m) abs(max(w[1] + P[i,1], -w[1] - P[i,1]) - max(w[2], b) + 1e6*y[i] - 1e6*y[i])",
	"sum(i in 1..m) abs(max(k in 1..2) (P[i,:]*c[k,:]) - max(k in 1..2) (P[i,:]*d[k,:])) - sum(i in 1..m) max(k in 1..2) (P[i,:]*d[k,:])",
	"-sum(i in 1..m) abs(max(k in 1..2) (P[i,:]*c[k,:]) - max(k in 1..2) (P[i,:]*d[k,:]) - y[i])",
	"sum(i in 1..m) abs(max(t[r[i]], 0.5*t[1] - X[i,1]/9) - max(t[2], t[3], t[r[i]]) - y[i]/2)",
	"sum(i in 1..m) abs(max(b, w[1]) - max(b, w[1]) - y[i]*w[2])",
	"sum(i in 1..m) abs(max(b, w[1]) - max(b, X[i,1]*w[1]) - y[i]*w[2])",
	"sum(i in 1..m) y[i]*abs(max(b, w[1]) - max(b, X[i,1]*w[1]) - y[i]*w[2])",
	"sum(i in 1..m) abs(max(b, X[i,1]*w[1]) - max(w[2], X[i,1]*w[3]) + S[i,1])",
	"m*sumsq(w) + m*b^2 + sum(i in 1..m) max(k in 1..3) (X[i,k]*w[k] - b*k)",
	"sum(i in 1..m) min(k in 1..2) (sumsq(c[k,:] + P[m + 1 - i,:]))",
	"sum(i in 0..m - 1) 0.5*pos(X[m - i,1]*(w[1] + b) - b*2)",
}

func togetherFile(body string, apart bool) string {
	text := `param X = csv("X.csv"), y = csv("y.csv"), P = X[:,1..2], S = csv("S.csv")
param m = rows(X), C = 10/m, q[i in 1..m] = 0.5 + abs(y[i]), r[i in 1..m] = i - 5*floor((i - 1)/5)
var w[3] start ones(3)
var b start 0.1
var c[2,2] in [-9, 9] start eye(2)
var d[2,2] in [-9, 9] start [-1 2; 0.5 3]
var t[5] in [-1, 1] start zeros(5)
let z[i in 1..m] = y[i]*(X[i,:]*w + b)
`
	if apart {
		return text + "let f = " + body + "\nminimize f"
	}
	return text + "minimize " + body
}

func togetherData(rng *rand.Rand, m int) fstest.MapFS {
	var x, y, s strings.Builder
	for range m {
		fmt.Fprintf(&x, "%v,%v,%v\n", rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64())
		fmt.Fprintf(&y, "%v\n", math.Copysign(1+rng.Float64(), rng.Float64()-0.5))
		fmt.Fprintf(&s, "%d,%v\n", rng.IntN(2), rng.NormFloat64())
	}
	return fstest.MapFS{"X.csv": {Data: []byte(x.String())}, "y.csv": {Data: []byte(y.String())}, "S.csv": {Data: []byte(s.String())}}
}

// TestSumsTogether: sums of the objective that are added up as arrays are those of terms that are
// added one by one, but for roundings.
func TestSumsTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	files := togetherData(rng, 1030)
	for _, body := range bodies {
		var ps [2]*dc.Problem
		for k := range ps {
			f, err := lang.Parse("t.dc", []byte(togetherFile(body, k == 1)))
			if err != nil {
				t.Fatal(body, err)
			}
			p, err := lang.Compile(context.Background(), f, lang.Options{FS: files})
			if err != nil {
				t.Fatal(body, err)
			}
			ps[k] = p.Problem
		}
		x := ps[0].Start(1)
		for range 5 {
			sameProblems(t, body, ps, x)
			for k := range x {
				x[k] = math.Round(8*rng.NormFloat64()) / 8
			}
		}
		sameProblems(t, body, [2]*dc.Problem{ps[0].Exact(), ps[1].Exact()}, x)
		set := ccp.DefaultSettings()
		set.MaxIter = 1
		r0, err0 := ccp.Solve(context.Background(), ps[0], nil, set)
		r1, err1 := ccp.Solve(context.Background(), ps[1], nil, set)
		if (err0 == nil) != (err1 == nil) {
			t.Fatal(body, err0, err1)
		}
		if err0 == nil && (math.Abs(r0.Objective-r1.Objective) > 1e-6*(1+math.Abs(r1.Objective)) || r0.Iterations != r1.Iterations) {
			t.Errorf("%s: %v after %d iterations, one by one %v after %d", body, r0.Objective, r0.Iterations, r1.Objective, r1.Iterations)
		}
	}
}

// TestMistakesOfSumsTogether: a mistake in a member is reported as that of a term.
func TestMistakesOfSumsTogether(t *testing.T) {
	files := togetherData(rand.New(rand.NewPCG(3, 2)), 1030)
	for body, want := range map[string]string{
		"sum(i in 1..m) pos(b - X[i+1,1])":             "the first index of X is 1031, outside 1..1030 (at i = 1030)",
		"sum(i in 1..m) abs(b - 1/(i - 1029))":         "1/(i - 1029) is a division by zero (at i = 1029)",
		"sum(i in 1..m) min(sumsq(c[i,:]), (b - 1)^2)": "the first index of c is 3, outside 1..2 (at i = 3)",
	} {
		f, err := lang.Parse("t.dc", []byte(togetherFile(body, false)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = lang.Compile(context.Background(), f, lang.Options{FS: files}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}

func sameProblems(t *testing.T, body string, ps [2]*dc.Problem, x []float64) {
	t.Helper()
	var numbers [2][]float64
	for k, p := range ps {
		e := p.Program().Objective
		v, err := e.Evaluate(x)
		g, h := make([]float64, len(x)), make([]float64, len(x))
		e.AddGradient(g, 1.5, x)
		e.H().AddSubgrad(h, 2, x)
		numbers[k] = append(append([]float64{e.Value(x), v, err, e.H().Value(x)}, g...), h...)
		i := e.Over()
		numbers[k] = append(numbers[k], i.Lo, i.Hi)
		if e.IsConvex() != ps[0].Program().Objective.IsConvex() || e.IsConcave() != ps[0].Program().Objective.IsConcave() || e.IsAffine() != ps[0].Program().Objective.IsAffine() {
			t.Errorf("%s: another curvature", body)
		}
	}
	for k, v := range numbers[0] {
		o := numbers[1][k]
		near := math.Abs(v-o) <= 1e-11*(1+math.Abs(o))
		if k == 2 { // the errors, of which equal terms that are added up first have less
			near = v <= 2000*o+1e-12 && o <= 2000*v+1e-12
		}
		if v != o && !near && !(math.IsNaN(v) && math.IsNaN(o)) {
			t.Errorf("%s: number %d is %v, one by one %v", body, k, v, o)
		}
	}
	if g, o := ps[0].Program().Objective.G().Value(x), ps[1].Program().Objective.G().Value(x); math.Abs(g-o) > 1e-12*(1+math.Abs(g)) {
		t.Errorf("%s: g is %v, one by one %v", body, g, o)
	}
}
