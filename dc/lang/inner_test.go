package lang

import (
	"context"
	"math"
	"strings"
	"testing"
)

// TestInnerProducts: within loops, inner products with data are the sums that
// they stand for, however their vectors are written.
func TestInnerProducts(t *testing.T) {
	const head = `
param A = [1 2 3; 4 5 6; 7 0 -9]
param B[0..2, 2..4] = [1 0 2; 0 3 1; -1 1 0.5]
param v = [2, -1, 0.5]
param D[i in 1..2, j in 1..3, k in 1..2] = 100*i + 10*j + k
var x[3], y[0..2], X[3,3], Y[2..3, 0..2, 2], s
let r[i in 1..3] = A[i,:]*x + 2*s - i
let q[i in 1..3, j in 1..2] = v*X[:,i] - y[j]
minimize 0
subject to
  c[i in 1..2]: `
	for _, tt := range [][2]string{ // each at i in 1..2
		{"A[i,:]*x", "sum(j in 1..3) A[i,j]*x[j]"},
		{"x*A[:,i]", "sum(j in 1..3) A[j,i]*x[j]"},
		{"A[i,:]'*x", "sum(j in 1..3) A[i,j]*x[j]"},
		{"x'*v + 0*i", "sum(j in 1..3) v[j]*x[j]"},
		{"A[i,:]*y", "sum(j in 1..3) A[i,j]*y[j-1]"},
		{"B[i,:]*y[:]", "sum(j in 2..4) B[i,j]*y[j-2]"},
		{"B[0..1,i+1]*x[2..3]", "B[0,i+1]*x[2] + B[1,i+1]*x[3]"},
		{"A[2..3,i]*X[i,1..2]", "A[2,i]*X[i,1] + A[3,i]*X[i,2]"},
		{"X[:,i]*v", "sum(j in 1..3) v[j]*X[j,i]"},
		{"v*Y[i+1,:,2]", "sum(j in 1..3) v[j]*Y[i+1,j-1,2]"},
		{"D[i,:,2]*x", "sum(j in 1..3) D[i,j,2]*x[j]"},
		{"D[i,2,:]*Y[2,i,:]", "D[i,2,1]*Y[2,i,1] + D[i,2,2]*Y[2,i,2]"},
		{"3*(A[i,:]*x - s)/2 - v*y", "1.5*(sum(j in 1..3) A[i,j]*x[j]) - 1.5*s - sum(j in 1..3) v[j]*y[j-1]"},
		{"sum(j in 1..3) A[j,:]*X[:,j]", "sum(j in 1..3, k in 1..3) A[j,k]*X[k,j]"},
		{"v*r + r[i]", "sum(j in 1..3) v[j]*(A[j,:]*x + 2*s - j) + (sum(j in 1..3) A[i,j]*x[j]) + 2*s - i"},
		{"q[i,2] - q[3,1]", "(sum(k in 1..3) v[k]*X[k,i]) - y[2] - (sum(k in 1..3) v[k]*X[k,3]) + y[1]"},
	} {
		a := mustCompile(t, head+tt[0]+" <= 1", Options{}).Problem
		b := mustCompile(t, head+tt[1]+" <= 1", Options{}).Problem
		x := make([]float64, a.NumVars())
		for round := range 3 {
			for j := range x {
				x[j] = math.Sin(float64(round + j*j))
			}
			for i := range a.Program().Constraints {
				c, d := &a.Program().Constraints[i], &b.Program().Constraints[i]
				l, r := c.A.At(0, x)-c.Hi[0], d.A.At(0, x)-d.Hi[0]
				if !(math.Abs(l-r) <= 1e-12) || c.DC || c.A.Len() != 1 {
					t.Errorf("%s at %d is %g, %s is %g", tt[0], i+1, l, tt[1], r)
				}
			}
		}
	}
	for bad, want := range map[string]string{
		"A[i,:]*y[0..1]":    "shapes do not fit: A[i,:] is 3, y[0..1] is 2",
		"A[i+2,:]*x":        "the first index of A is 4, outside 1..3 (at i = 2)",
		"A[:,0]*x":          "the second index of A is 0, outside 1..3",
		"A[i,2..4]*x":       "the second index of A is 4, outside 1..3",
		"B[1,1..3]*x":       "the second index of B is 1, outside 2..4",
		"A[i,1.5]*s + v*x":  "must be a whole number, not 1.5",
		"1e308*v*(10*x[:])": "",
	} {
		f, err := Parse("bad.dc", []byte(head+bad+" <= 1"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Compile(context.Background(), f, Options{})
		if want == "" {
			if err == nil {
				t.Errorf("%s: no error", bad)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", bad, err, want)
		}
	}
}

// TestLinearisedParts: what is linearised is told of problems in one piece and
// of families alike, and an objective is no worse for being looked at again.
func TestLinearisedParts(t *testing.T) {
	p := mustCompile(t, `
param A = [1 2; 3 4; 5 6], n = 3
var x[2], t
let r[i in 1..n] = A[i,:]*x
minimize t + 2/n*sum(i in 1..n) (pos(1 - r[i]) - pos(-r[i])) - (norm2(x) - abs(t))/4
subject to
  a: norm2(x) - norm1(x) >= -3
  b[i in 1..n]: abs(r[i]) >= 1
  c: sumsq(A*x) - t^2 <= 4
`, Options{})
	for _, tt := range []struct {
		got  []string
		want string
	}{
		{p.Objective.Linearised, "pos(-r[i]) norm2(x)"},
		{p.Families[0].Linearised, "norm2(x)"},
		{p.Families[1].Linearised, "abs(r[i])"},
		{p.Families[2].Linearised, "t^2"},
	} {
		if got := strings.Join(tt.got, " "); got != tt.want {
			t.Errorf("linearised: %s, want %s", got, tt.want)
		}
	}
}

// TestFunctionsInLoops: functions of numbers and powers are the same within a
// loop as outside, and so are their mistakes.
func TestFunctionsInLoops(t *testing.T) {
	for _, tt := range []struct {
		expr string
		want float64
	}{
		{"sum(i in 1..3) (sqrt(i)^2 + abs(-i) + square(i))", 6 + 6 + 14},
		{"sum(i in 1..3) (floor(i/2) + ceil(i/2) + round(i/2) + 2^i)", 2 + 4 + 4 + 14},
		{"sum(i in 0..1) (sin(i*pi) + cos(i*pi) + exp(i - 1) + log(1 + i)*i)", 1/math.E + 1 + math.Ln2},
		{"sum(i in 1..4 if sqrt(i) == floor(sqrt(i))) i^2", 17},
		{"sum(i in 1..2, j in i^2..square(i) + 1) j", 1 + 2 + 4 + 5},
	} {
		p := mustCompile(t, "var x\nminimize x + "+tt.expr, Options{})
		if got := p.Problem.Value([]float64{0}); !(math.Abs(got-tt.want) <= 1e-12*tt.want) {
			t.Errorf("%s is %g, want %g", tt.expr, got, tt.want)
		}
	}
	for bad, want := range map[string]string{
		"sum(i in 1..2) sqrt(1.5 - i)*x":   "the value of sqrt(1.5 - i) is not a number",
		"sum(i in 1..2) exp(1000*i)":       "the value of exp(1000*i) is too large for a number",
		"sum(i in 1..2) (1 - i)^0.5^0*x/0": "division by zero",
		"sum(i in 1..2) (0.5 - i)^0.5":     "is not a number",
	} {
		f, err := Parse("bad.dc", []byte("var x\nminimize "+bad))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(context.Background(), f, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", bad, err, want)
		}
	}
}

// TestFixedFactors: a product with a variable whose bounds are equal keeps its slope in this one,
// on which the multiplier of the bounds rests, and stands where affine arguments are wanted.
func TestFixedFactors(t *testing.T) {
	const head = "var x in [2, 2], y in [1, 3], z in [5, 5], w complex, h[2,2] hermitian\nminimize "
	for objective, want := range map[string]float64{ // the slope in x at x = 2, y = 3
		"x*y": 3, "x*z": 5, "3*(x*y) - 2*(x*z)": -1, "x*sum([y, z, x])": 12,
	} {
		e := mustCompile(t, head+objective, Options{}).Problem.Program().Objective
		slope := make([]float64, 9)
		if e.AddSubgrad(slope, 1, []float64{2, 3, 5, 0, 0, 0, 0, 0, 0}); slope[0] != want {
			t.Errorf("%s has the slope %v in x, want %v", objective, slope[0], want)
		}
	}
	for _, objective := range []string{"kl(x*y, 1)", "(x*[y, z])'*[2, 0; 0, 3]*(x*[y, z])", "abs(x*w)",
		"norm2(x*[y, z])", "quadoverlin(y, x*z)", "quad(x*[y, z], eye(2))", "1/(x*z)", "(x*z)^y",
		"sum(x*h)"} {
		mustCompile(t, head+objective, Options{})
	}
	mustCompile(t, head+"y\nsubject to\n  x*z <= 11\n  x*z == 10\n  x*w == 2*w", Options{})
}
