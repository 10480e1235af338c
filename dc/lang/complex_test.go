package lang

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
)

func compileText(t *testing.T, text string) *Program {
	t.Helper()
	f, err := Parse("complex.dc", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := Compile(context.Background(), f, Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

const (
	complexData  = "param a = [1 + 2i, -0.5i], A = [1, 2 - 1i; 0.5i, 3], R = [1, 2; 3, 4], S = [2, 1 + 1i; 1 - 1i, 3], P = [3, 1i; -1i, 2]\n"
	complexAsVar = complexData + "var z[2] complex start [0.3 - 1i, 2 + 0.7i], H[2,2] hermitian start [1, 0.2 + 0.4i; 0.2 - 0.4i, 2], w complex start 1.5 - 0.5i, x[2] start [0.4, -1.2]\nminimize "
	complexAsNum = complexData + "param z = [0.3 - 1i, 2 + 0.7i], H = [1, 0.2 + 0.4i; 0.2 - 0.4i, 2], w = 1.5 - 0.5i, x = [0.4, -1.2]\nminimize "
)

// TestComplexData: expressions of data have the values of complex arithmetic.
func TestComplexData(t *testing.T) {
	for _, c := range []struct {
		e    string
		want float64
	}{
		{"re(1i*1i)", -1}, {"im((1 + 2i)/(3 - 4i))", 0.4}, {"abs(3 - 4i)", 5}, {"re(exp(1i*pi))", -1}, {"im(2.5i')", -2.5},
		{"re((1 + 1i)^4)", -4}, {"im([1i, 2]*[3, 1i])", 5}, {"re([1i, 2]'*[3, 1i])", 0}, {"im([1i, 2]'*[3, 1i])", -1},
		{"im((inv(A)*A)[1,2]) + re((A*inv(A))[2,2])", 1}, {"norm2(a)", math.Sqrt(5.25)}, {"norm1(a)", math.Sqrt(5) + 0.5}, {"norminf(a)", math.Sqrt(5)},
		{"norm(a, 3)", math.Cbrt(math.Pow(5, 1.5) + 0.125)}, {"sumsq(a)", 5.25}, {"quad(a, S)", 9.75}, {"lambda_max(S) + lambda_min(S)", 5}, {"logdet(S)", math.Log(4)},
		{"lambda_sumlargest(S, 2)", 5}, {"matfrac(a, S)", 4.125}, {"sigma_max(a)", math.Sqrt(5.25)}, {"normnuc([1i, 0; 0, 2])", 3}, {"sigma_max([1i, 0; 0, 2])", 2},
		{"re(sum(k in 1..2) k*a[k])", 1}, {"im(if(1 < 2, 2i, 1))", 2}, {"trace(S*P)", 14}, {"re(conj(A')[1,2])", 0}, {"im(A'[1,2])", -0.5}, {"rows(A) + len(a)", 4},
	} {
		p := compileText(t, complexAsNum+c.e)
		if got := p.Problem.Value(nil); !(math.Abs(got-c.want) <= 1e-12*(1+math.Abs(c.want))) {
			t.Errorf("%s is %.15g, want %.15g", c.e, got, c.want)
		}
	}
}

// TestComplexExpressions: expressions of variables have the values that the same expressions
// of data have.
func TestComplexExpressions(t *testing.T) {
	for _, e := range []string{
		"re(mean(z))", "im(a'*z)", "re(A*z)[2]", "im(z*A)[2]", "re(z .* a)[1] + im(z ./ a)[2]",
		"norm2(A*z - 1i*a)", "sum(abs(z - a))", "sum(abs(z)^2)", "sum(abs(A*z - a)^2) + abs(z[1])^2", "quad(A*z, S)",
		"z'*S*z", "z'*(S*z)", "z'*z", "re(z'*A*z)", "im(z'*A*z)", "re(z[1]*w)", "im(z*conj(z))", "im(w^2)",
		"trace(S*H)", "lambda_max(H)", "lambda_min(A'*H*A)", "logdet(H + 3*eye(2))", "matfrac(z, H + 3*eye(2))",
		"lambda_sumlargest(H, 1)", "normnuc(A*H)", "sigma_max(H*R)", "re(conv([1i, 2], z))[2]", "im(kron(A, z'))[3,1]",
		"im(vec([z; a]))[2]", "re(diag(H))[2] + im(cumsum(z))[2] + im(reshape(H, 4))[2]", "re(sum(k in 1..2) a[k]*z[k])", "im((x + 2i)*w)[1]",
		"re([z[1], 1; w, x[1]])[2,1] + im([z w])[2]", "norm(z, 3) + norm(z, 1) + norm(w, inf)", "re(w/(1 + 1i)) + im(w/2)", "im(-z')[1]",
		"abs(z[1]*w + 1)", "norm2(w*z + 1i)", "sumsq([z[1]*w, 1i])", "re(z[:])[2] + im(H[1,:])[2] + im(H[:,2])[1] + re(z[[2, 1]])[1]",
	} {
		data, vars := compileText(t, complexAsNum+e), compileText(t, complexAsVar+e)
		want := data.Problem.Value(nil)
		if got := vars.Problem.Value(vars.Problem.Start(1)); !(math.Abs(got-want) <= 1e-11*(1+math.Abs(want))) {
			t.Errorf("%s is %.15g, of data %.15g", e, got, want)
		}
	}
}

// TestComplexCurvature: what is convex, concave or real in complex numbers is seen to be.
func TestComplexCurvature(t *testing.T) {
	for _, c := range []struct {
		e    string
		want Curvature
	}{
		{"quad(z, S)", Convex}, {"z'*S*z", Convex}, {"-quad(z, S)", Concave}, {"quad(z, S - P)", DC}, {"abs(w)", Convex}, {"sum(abs(z)^2)", Convex}, {"sum(abs(A*z - a))", Convex},
		{"trace(S*H)", Affine}, {"lambda_max(H)", Convex}, {"lambda_min(A'*H*A)", Concave}, {"re(a'*z)", Affine}, {"logdet(H)", Concave}, {"normnuc(A*H)", Convex},
		{"norminf(z)", Convex}, {"re(z[1]*w)", DC}, {"re(z'*A*z)", Convex}, {"im(z'*A*z)", DC}, {"matfrac(z, H)", Convex}, {"z'*z", Convex}, {"norm(z, 3)", Convex},
	} {
		if p := compileText(t, complexAsVar+c.e); p.Objective.Curvature != c.want {
			t.Errorf("%s is %v, want %v", c.e, p.Objective.Curvature, c.want)
		}
	}
}

func solveText(t *testing.T, text string) (*Program, *ccp.Result) {
	t.Helper()
	p := compileText(t, text)
	r, err := ccp.Solve(t.Context(), p.Problem, p.Problem.Start(1), ccp.DefaultSettings())
	if err != nil || r.Status != ccp.Converged || !r.Feasible {
		t.Fatalf("%v, %v, feasible %v: %s", err, r.Status, r.Feasible, text)
	}
	return p, r
}

// TestComplexSolutions: problems with known optima, and the multipliers of their equations.
func TestComplexSolutions(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       float64
	}{
		// The minimum of w'Rw over a'w = 1 is 1/(a'R⁻¹a), Capon 1969.
		{"beamformer", "param a = [1, 1i, -1], R = [3, 1i, 0; -1i, 2, 0.5; 0, 0.5, 1]\nparam best = 1/re(a'*inv(R)*a)\nvar w[3] complex\nminimize w'*R*w - best\nsubject to\n  s: a'*w == 1\n", 0},
		// Over density matrices the minimum of trace(S*H) is the smallest eigenvalue of S.
		{"ground state", "param S = [2, 1 + 1i; 1 - 1i, 3]\nvar H[2,2] hermitian psd\nminimize trace(S*H)\nsubject to\n  t: trace(H) == 1\n", 1},
		// The largest eigenvalue by a nonconvex problem: DCCP's issue 62.
		{"largest eigenvalue", "param S = [2, 1 + 1i; 1 - 1i, 3]\nvar z[2] complex\nmaximize quad(z, S)\nsubject to\n  n: norm2(z) == 1\n", 4},
		{"modulus", "var z[3] complex\nmaximize re(z[1]) + im(z[2]) - re(z[3])\nsubject to\n  m[k in 1..3]: abs(z[k]) == k\n", 6},
		{"product", "var p, q complex start 1 + 1i\nminimize abs(p - 1) + abs(q - 2i)\nsubject to\n  p*q == 2i\n", 0},
	} {
		if _, r := solveText(t, c.text); math.Abs(r.Objective-c.want) > 2e-6 {
			t.Errorf("%s: %g, want %g", c.name, r.Objective, c.want)
		}
	}
	// min |z − 3 − 4i|² subject to z = 1 + 1i: the multiplier y has 2(z − 3 − 4i) + y = 0.
	p, r := solveText(t, "var z complex\nminimize abs(z - 3 - 4i)^2\nsubject to\n  e: z == 1 + 1i\n")
	for i, want := range []float64{4, 6} {
		if y := r.Duals[i][0]; math.Abs(y-want) > 1e-5 {
			t.Errorf("multiplier of %s is %g, want %g", p.Problem.Program().Constraints[i].Name(), y, want)
		}
	}
	if f := p.Families; len(f) != 1 || f[0].Name != "e" || f[0].First != 0 || f[0].Count != 2 {
		t.Errorf("families %+v", f)
	}
	all := p.Problem.Program().Constraints
	if a, b := all[0].Name(), all[1].Name(); a != "re(e)" || b != "im(e)" {
		t.Errorf("constraints %s and %s", a, b)
	}
}

// TestComplexPrint: a printed problem is the same problem.
func TestComplexPrint(t *testing.T) {
	const text = `param S = [2, 1 + 1i; 1 - 1i, 3]
var z[2] complex start [1, 2i], H[3,3] hermitian psd, w complex start normal(1, 2), n[0..2] complex
minimize quad(z, S) + abs(w - n[1])^2 + sumsq(n - 1i) - abs(z[1]*1i + n[0]) + lambda_max(H)
subject to
  t: trace(H) == 1
  e: H[1,2] == 0.1i + 0.2*w
`
	p := compileText(t, text)
	out, err := Print(p.Problem, p.Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"z[2] complex", "H[3,3] hermitian psd", "w complex", "n[0..2] complex"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	q := compileText(t, string(out))
	a, b := p.Problem.Start(3), q.Problem.Start(3)
	if len(a) != len(b) || p.Problem.NumVars() != 4+9+2+6 {
		t.Fatalf("%d and %d variables", len(a), len(b))
	}
	for k := range a {
		if a[k] != b[k] {
			t.Errorf("starts differ at %d: %g and %g", k, a[k], b[k])
		}
	}
	if u, v := p.Problem.Value(a), q.Problem.Value(a); math.Abs(u-v) > 1e-12*math.Abs(u) {
		t.Errorf("objectives %g and %g", u, v)
	}
}

// TestComplexOptions: params and starts come from outside, and plots take complex places.
func TestComplexOptions(t *testing.T) {
	f, err := Parse("c.dc", []byte("param c = 1\nvar z[2] complex, H[2,2] hermitian\nlet d = z - c\nminimize norm2(d) + sumsq(H)\nplot points(z), path(d) title \"p\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Set: map[string]string{"c": "[1 + 2i, 3i]"}, Start: map[string]Start{
		"re(z)": {Shape: []int{2}, Values: []float64{1, 2}}, "im(z)": {Shape: []int{2}, Values: []float64{3, 4}},
		"re(H)": {Shape: []int{2, 2}, Values: []float64{1, 2, 2, 5}}, "im(H)": {Shape: []int{2, 2}, Values: []float64{0, -1, 1, 0}},
	}}
	p, err := Compile(context.Background(), f, opt)
	if err != nil {
		t.Fatal(err)
	}
	x := p.Problem.Start(1)
	if want := []float64{1, 2, 3, 4, 1, 2, 5, -1}; len(x) != len(want) {
		t.Fatalf("start %v", x)
	} else {
		for k := range x {
			if x[k] != want[k] {
				t.Errorf("start %v, want %v", x, want)
				break
			}
		}
	}
	d := p.Lets[0]
	re, im := d.Values(x), d.Imag(x)
	if re[0] != 0 || re[1] != 2 || im[0] != 1 || im[1] != 1 {
		t.Errorf("d = %v + i %v", re, im)
	}
	if m := p.Plots[0].Marks; len(m) != 2 || m[0].Places[0].X == nil || m[0].Places[0].Y.Values(x)[1] != 4 || m[1].Places[0].X.Values(x)[1] != 2 {
		t.Errorf("marks %+v", m)
	}
	opt.Start["im(H)"] = Start{Shape: []int{2, 2}, Values: []float64{0, 1, 1, 0}}
	if _, err := Compile(context.Background(), f, opt); err == nil || !strings.Contains(err.Error(), "is Hermitian and its start is not") {
		t.Errorf("%v for a start that is not Hermitian", err)
	}
}

// TestExplainComplex: editors are told the values of complex data and the curvature of expressions.
func TestExplainComplex(t *testing.T) {
	const text = "param a = [1 + 2i, -3i]\nvar z[2] complex\nminimize norm2(z - a) + abs(z[1] * z[2])\n"
	f, err := Parse("e.dc", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at, other string
		curvature Curvature
		data      bool
	}{
		{"a = [", "[(1+2i) (0-3i)]", Constant, true}, {"- a)", "", Affine, false}, {"* z[2]", "", DC, false},
	} {
		e, err := Explain(context.Background(), f, Options{}, strings.Index(text, c.at))
		if err != nil || e == nil {
			t.Fatalf("%s: %v, %v", c.at, e, err)
		}
		if e.Data != c.data || e.Curvature != c.curvature || strings.ReplaceAll(e.Other, "-0-3i", "0-3i") != c.other {
			t.Errorf("%s: %+v", c.at, e)
		}
	}
}
