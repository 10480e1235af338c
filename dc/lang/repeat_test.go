package lang_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/program"
)

// families are constraints that differ in numbers alone, and some of which members have another
// form. F stands before each atom.
var families = []string{
	"[i in 1..m, j in i+1..i+3 if j <= m]: F norm2(p[i,:] - p[j,:]) >= q[i] + q[j]",
	"[i in 1..m]: q[i] >= F norm2(p[i,:] - P[i,:])",
	"[i in 1..m]: F norm2(p[r[i],:] + 3*c[2,:]) <= t[r[i]] - y[i]*b",
	"[i in 1..m]: F norm2(p[i,:] - p[r[i],:]) >= 0.1",
	"[i in 1..m]: 0 <= F norm2(c[1,:] - P[i,:])",
	"[i in 1..m]: F norm2(P[i,:]*c - [1, y[i]]) >= -sum(k in 1..3) X[i,k]*w[k]",
	"[i in 1..m]: F norm1(p[i,:] + c[1,:]) <= 10 + b",
	"[i in 1..m]: w[1] + w[2] - 1 <= F norm1(c[:,1] - P[i,:])",
	"[i in 1..m]: F lse(p[i,:] - c[1,:]) <= 10 + b",
	"[i in 1..m]: w[1] - 9 <= F lse(P[i,:]*c - [1, y[i]])",
	"[i in 1..m]: F abs(z[i]) >= 0.01*q[i]",
	"[i in 1..m]: 9 + b >= F abs(p[i,1] - p[r[i],2])",
	"[i in 1..m]: F abs(t[r[i]] - 2*X[i,1]) <= 8",
	"[i in 1..m]: F abs(round(X[i,1])*w[1] - round(3*X[i,2])) <= 99",
	"[i in 1..m]: F norm2(S[i,1]*c[1,:] - S[i,2]*c[2,:]) <= 99",
	"[i in 1..m]: F norm2(p[i,1..d[i]] - P[i,1..d[i]]) <= 99",
	"[i in 1..m]: F norm2(p[i,:] - p[1,:]) <= if(i == 300, inf, 99)",
	"[i in 1..m]: F abs(if(i < 300, z[i], 1 + b)) <= 99",
	"[k in 1..2, i in 1..m]: F abs(p[i,k] - c[1,k]) <= abs(y[i])*9",
	"[i in 1..m]: F norm2(1e200*p[i,:] - 1e200*c[1,:]) <= 1e202",
	"[i in 1..m]: F norm2(p[i,:] - c[1,:] + P[i,:] - P[i,:] + 1e6 - 1e6) <= 99",
	"[i in 1..6, j in i+1..m]: F norm2(p[i,:] - p[j,:]) >= q[i] + q[j]",
	"[i in 1..6, j in 1..m]: F norm2(p[m-i,:] - p[j,:]) >= 0.1*i - b",
	"[i in 1..6, j in i+1..m]: F norm2(p[j,:] + 1e-9*c[1,:]) <= 99 + t[r[j]] + 1e7*y[j] - 1e7*y[j]",
	"[i in 1..6, j in i+1..m]: 9 >= F abs(t[r[j]] - t[1]/2 - i)",
	"[i in 1..6, j in 300..m]: X[j,1]*w[1] <= F norm1(p[j,:] - X[j,1..2]) - 5",
	"[i in 1..m]: F abs(b + 1e6*y[i] - 1e6*y[i] - w[3]) <= 99 + 1e5 - 1e5",
}

func repeatFile(family string, apart bool) string {
	one := ""
	if apart {
		one = "1*"
	}
	return `param X = csv("X.csv"), y = csv("y.csv"), P = X[:,1..2], S = csv("S.csv")
param m = rows(X), q[i in 1..m] = 0.5 + abs(y[i]), r[i in 1..m] = 1 + i - 5*floor(i/5), d[i in 1..m] = if(i > 300, 2, 1)
var w[3] start ones(3)
var b start 0.1
var c[2,2] in [-9, 9] start eye(2)
var t[5] in [-1, 1] start zeros(5)
var p[m,2] start P
let z[i in 1..m] = y[i]*(X[i,:]*w + b)
minimize sumsq(w) + b^2 + sum(p[1,:])
subject to f` + strings.ReplaceAll(family, "F ", one)
}

// TestRepeatedMembers: constraints that are added as arrays are those that are stated one by one,
// to the last bit.
func TestRepeatedMembers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	files := togetherData(rng, 430)
	for _, family := range families {
		var ps [2]*dc.Problem
		var fs [2]lang.Family
		for k := range ps {
			f, err := lang.Parse("t.dc", []byte(repeatFile(family, k == 1)))
			if err != nil {
				t.Fatal(family, err)
			}
			p, err := lang.Compile(context.Background(), f, lang.Options{FS: files})
			if err != nil {
				t.Fatal(family, err)
			}
			ps[k], fs[k] = p.Problem, p.Families[0]
			if len(p.Warnings) > 0 {
				t.Error(family, p.Warnings)
			}
		}
		if a, b := fs[0], fs[1]; a.Members != b.Members || a.First != b.First || a.Count != b.Count || a.Curvature != b.Curvature || len(a.Linearised) != len(b.Linearised) {
			t.Errorf("%s: %+v, one by one %+v", family, a, b)
		}
		x := ps[0].Start(1)
		for range 2 {
			sameConstraints(t, family, ps, x)
			for k := range x {
				x[k] = math.Round(8*rng.NormFloat64()) / 8
			}
		}
		sameConstraints(t, family, [2]*dc.Problem{ps[0].Exact(), ps[1].Exact()}, x)
		set := ccp.DefaultSettings()
		set.MaxIter = 1
		r0, err0 := ccp.Solve(context.Background(), ps[0], nil, set)
		r1, err1 := ccp.Solve(context.Background(), ps[1], nil, set)
		if (err0 == nil) != (err1 == nil) {
			t.Fatal(family, err0, err1)
		}
		if err0 == nil && (r0.Objective != r1.Objective || r0.Iterations != r1.Iterations || fmt.Sprint(r0.X) != fmt.Sprint(r1.X)) {
			t.Errorf("%s: %v after %d iterations, one by one %v after %d", family, r0.Objective, r0.Iterations, r1.Objective, r1.Iterations)
		}
	}
}

func sameConstraints(t *testing.T, family string, ps [2]*dc.Problem, x []float64) {
	t.Helper()
	if n := len(ps[1].Program().Constraints); len(ps[0].Program().Constraints) != n {
		t.Fatalf("%s: %d constraints, one by one %d", family, len(ps[0].Program().Constraints), n)
	}
	for i := range ps[0].Program().Constraints {
		var numbers [2][]float64
		a, b := &ps[0].Program().Constraints[i], &ps[1].Program().Constraints[i]
		for k, c := range []*program.Constraint{a, b} {
			e := c.Function()
			v, err := e.Evaluate(x)
			numbers[k] = []float64{c.Value(x), e.Value(x), v, err, e.H().Value(x)}
			if i%16 == 0 {
				g, h := make([]float64, len(x)), make([]float64, len(x))
				e.AddGradient(g, 1.5, x)
				e.H().AddSubgrad(h, 2, x)
				numbers[k] = append(append(numbers[k], g...), h...)
			}
			if shared := c.Members(); shared != nil {
				numbers[k] = append(numbers[k], float64(shared.Count()), shared.Slope(0), shared.Slope(shared.Count()-1), shared.Blur(x))
			}
		}
		if a.Name() != b.Name() || a.DC != b.DC || a.Convex() != b.Convex() || !slices.Equal(a.Support(), b.Support()) {
			t.Fatalf("%s: %s is another constraint than %s", family, a.Name(), b.Name())
		}
		same := func(v, o float64) bool { return math.Float64bits(v) == math.Float64bits(o) || v != v && o != o }
		if !slices.EqualFunc(numbers[0], numbers[1], same) {
			t.Fatalf("%s: %s has other numbers than one by one", family, a.Name())
		}
	}
}

// TestMistakesOfRepeatedMembers: a mistake in a member names that one.
func TestMistakesOfRepeatedMembers(t *testing.T) {
	files := togetherData(rand.New(rand.NewPCG(3, 6)), 430)
	for family, want := range map[string]string{
		"[i in 1..m]: norm2(p[i,:] - p[i+1,:]) >= q[i]":        "the first index of p is 431, outside 1..430 (at i = 430)",
		"[i in 1..m]: norm2(p[i,:] - p[1,:]) >= 1/(i - 429)":   "1/(i - 429) is a division by zero (at i = 429)",
		"[i in 1..m]: abs(p[i,1] - q[i+2]) <= 3":               "the index of q is 431, outside 1..430 (at i = 429)",
		"[i in 1..m]: norm2(X[i,1..1 + d[i]]*b - p[i,:]) <= 3": "(at i = 301)",
	} {
		for _, apart := range []bool{false, true} {
			f, err := lang.Parse("t.dc", []byte(repeatFile(family, apart)))
			if err == nil {
				_, err = lang.Compile(context.Background(), f, lang.Options{FS: files})
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", family, err, want)
			}
		}
	}
}
