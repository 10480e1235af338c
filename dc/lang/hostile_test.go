package lang

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/internal/shared"
)

// TestHostile feeds sources that are made to exhaust something. Each ends with
// the error named, and none takes long.
func TestHostile(t *testing.T) {
	deep := func(open, x, shut string) string {
		return "var x[3], y\nminimize " + strings.Repeat(open, 100000) + x + strings.Repeat(shut, 100000)
	}
	doubling := func(step string) string {
		b := "var x, y\nlet a0 = abs(x)\n"
		for k := range 60 {
			b += fmt.Sprintf("let a%d = %s\n", k+1, strings.ReplaceAll(step, "@", fmt.Sprintf("a%d", k)))
		}
		return b + "minimize a60\n"
	}
	type hostile struct{ name, src, want string }
	tests := shared.Sample(t, 4, []hostile{
		{"parentheses", deep("(", "y", ")"), "nested deeper"},
		{"brackets", deep("[", "1", "]"), "nested deeper"},
		{"indices", deep("x[", "1", "]"), "nested deeper"},
		{"signs", deep("-", "y", ""), "nested deeper"},
		{"powers", deep("y^", "1", ""), "nested deeper"},
		{"calls", deep("abs(", "y", ")"), "nested deeper"},
		{"braces", deep("{", "1", "}"), "nested deeper"},
		{"reductions", deep("sum(i in 1..2) ", "y", ""), "nested deeper"},
		{"negations", "var y\nfind\nsubject to\n a[i in 1..2 if " + strings.Repeat("not ", 100000) + "i == 1]: y <= 1", "nested deeper"},
		{"open", deep("(", "", ""), "never closed"},
		{"factors", deep("y*", "y", ""), "more than 1000 factors"},
		{"transposes", deep("", "y", "'"), "more than 1000 indices and transposes"},
		{"members", "var y\nfind\nsubject to\n a[i in 1..10^12]: y <= 1", "too many"},
		{"pairs", "var y\nfind\nsubject to\n a[i in 1..10^5, j in 1..10^5 if i == j]: y <= 1", "takes more than"},
		{"arrays", "param a = zeros(10^4, 10^4)\nfind", "too large"},
		{"many arrays", "param a = zeros(4000, 4000)\nparam b = sum(i in 1..1000) sum(a + i)\nfind", "takes more than"},
		{"eigenvalues", "param n = 4000\nvar x[n]\nminimize quad(x, ones(n, n))", "takes more than"},
		{"variables", "var x[10^4, 10^4]\nfind", "too many variables"},
		{"products", doubling("square(@) + @"), "is too large"},
		{"maxima", doubling("max(@, 2*@, y)"), "is too large"},
		{"dc maxima", doubling("max(@, y^2 - @)"), "is too large"},
		{"moduli", doubling("abs(@ - y^2)"), "is too large"},
		{"squares", doubling("square(@ - y^2 + 1)"), "is too large"},
		{"sums of exponentials", doubling("lse([@, y, @])"), "is too large"},
		{"norms", doubling("norm2([@, abs(y), @])"), "is too large"},
		{"largest", doubling("sumlargest([@, y^2 - @], 1)"), "is too large"},
		{"powers", doubling("(@ + abs(y))^3"), "is too large"},
		{"exponentials", doubling("exp(@) + huber(@)"), "is too large"},
		{"cones", "var X[1900,1900] psd\nminimize logdet(X)", "takes more than"},
		{"many cones", "var X[100,100] symmetric\nfind\nsubject to\n a[i in 1..10^6]: lambda_max(X) <= i", "takes more than"},
		{"columns", "var y, X[20,20] psd\nminimize matfrac(ones(20, 50000)*y, X)", "takes more than"},
		{"sets", "param n = 10^6*5\nset I = {i in 1..n if 2*i > i}\nset J = {i in I if i > 0}\nset K = {i in J if i*i > 0 and i > 0}\nfind", "takes more than"},
	})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lim := eval.DefaultLimits()
			lim.Work /= 16
			f, _ := Parse("hostile.dc", []byte(tt.src))
			_, err := compile(context.Background(), f, Options{}, lim)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %.300v, want %q", err, tt.want)
			}
		})
	}
}

// TestLong: what is long without being deep compiles.
func TestLong(t *testing.T) {
	sum := "var x[3], y\nminimize y" + strings.Repeat(" + 2*x[1] - abs(x[2])", 20000)
	p := mustCompile(t, sum, Options{})
	near(t, "sum", p.Problem.Value([]float64{1, 2, 3, 4}), 4)
	affine := "var x[3], y\nminimize y" + strings.Repeat(" + 2*x[1]", 50000)
	p = mustCompile(t, affine, Options{})
	near(t, "affine sum", p.Problem.Value([]float64{1, 2, 3, 4}), 4+50000*2)
	vectors := "var x[3], y\nminimize sum(x" + strings.Repeat(" + 2*x", 20000) + ")"
	p = mustCompile(t, vectors, Options{})
	near(t, "vector sum", p.Problem.Value([]float64{1, 2, 3, 4}), 6*40001)
	literal := "param v = [" + strings.Repeat("1, ", 200000) + "2]\nvar y\nminimize y*sum(v)"
	p = mustCompile(t, literal, Options{})
	near(t, "literal", p.Problem.Value([]float64{1}), 200002)
	tower := "abs(x)"
	for range 60 {
		tower = "logistic(" + tower + ")"
	}
	mustCompile(t, "var x\nminimize "+tower, Options{})
	doubled := "var x\nlet a0 = abs(x)\n"
	for k := range 40 {
		doubled += fmt.Sprintf("let a%d = a%d + a%d\n", k+1, k, k)
	}
	p = mustCompile(t, doubled+"minimize a40", Options{})
	near(t, "doubled", p.Problem.Value([]float64{1}), 1<<40)
}

// TestCompileEnds: compiling ends with its context, wherever it is. Whole, each of these would take
// minutes or more memory than there is.
func TestCompileEnds(t *testing.T) {
	for _, src := range []string{
		"var x\nminimize x\nsubject to\n a[i in 1..10^8]: x >= i",
		"param s = sum(i in 1..10^4, j in 1..10^4) i*j\nvar x\nminimize s*x",
		"param n = 600\nvar x[n,n]\nminimize sum(i in 1..n, j in 1..n, k in 1..n) x[i,j]*x[j,k]",
		"var x[300,300]\nminimize sum((x*x)*(x*x))",
	} {
		f, err := Parse("long.dc", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		if p, err := Compile(ctx, f, Options{}); err != context.DeadlineExceeded || p != nil {
			t.Errorf("%s: %v", src, err)
		}
		cancel()
	}
}
