package lang

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/shared"
)

// randomExpr writes random expressions of y, of the vector x of 3, of the 2 x 3
// matrix z and of the symmetric 2 x 2 matrix w.
type randomExpr struct{ *rand.Rand }

func (r randomExpr) pick(depth int, leaves []string, forms []string) string {
	if depth == 0 || r.IntN(8) == 0 {
		return leaves[r.IntN(len(leaves))]
	}
	f := strings.ReplaceAll(forms[r.IntN(len(forms))], "@", fmt.Sprint(depth)) // indices differ from those around
	for _, part := range []struct {
		mark string
		make func(int) string
	}{{"S", r.scalar}, {"V", r.vector}, {"M", r.matrix}, {"Y", r.symmetric}} {
		for strings.Contains(f, part.mark) {
			f = strings.Replace(f, part.mark, "("+part.make(depth-1)+")", 1)
		}
	}
	return f
}

// Names are small, so that capitals can mark the places of parts.

func (r randomExpr) scalar(depth int) string {
	return r.pick(depth, []string{"y", "x[2]", "z[1,3]", "0.5", "2", "y"}, append(splitByBounds("(S)"), []string{
		"(S + S)", "(S - S)", "(S - S + S)", "-S", "2.5*S", "S/4", "S*S", "S.*S", "S^2", "square(S)", "abs(S)", "pos(S)", "huber(S, 0.7)",
		"max(S, S, 1)", "min(S, S)", "sum(V)", "mean(V)", "max(V)", "min(M)", "norm1(V)", "norm1(M)", "norm2(V)", "norminf(V)", "sumsq(V)", "norm(V, 3)", "norm(M, 1.5)", "norm(abs(V), 4)", "norm([S, S], 1)", "sum(cumsum(V))", "sum(reshape(M, 3, 2))", "reshape(M, 6)[4]",
		"wgeomean(V + 9, [1, 0.5, 2])", "wgeomean([30 + min(V), 9 + y], [3, 1])", "if(q[1,1] > 0, S, V*V)", "cumsum([S, S])[2]",
		"sumlargest(V, 2)", "lse(V/8)", "exp(S/50)", "V*V", "(V)[2]", "(M)[2,1]", "quad(V, q)", "sum(square(V))", "sum(V^2)", "sum(abs(V))",
		"sum(huber(V))", "(sum(i@ in 1..3) (V)[i@])", "(max(i@ in 1..3 if i@ != 2) (V)[i@])", "(min(i@ in 1..2, j@ in i@..3) (M)[i@,j@]*i@)",
		"[S, S; S, S][2,1]", "sum(sum(i@ in 1..2) (M)[i@,:])", "(V)'*q*(V)", "dc(S^2, abs(S))", "dc(norm2(x), norm1(z))", "S*norm1(x)",
		"sqrt(S)", "log(S)", "entr(S)", "xexp(abs(S)/9)", "xexp(S)", "logistic(S)", "invpos(S)", "kl(S, S)", "quadoverlin(V, S)", "geomean(V)", "geomean(S, S, 2)", "S^3", "S^4", "S^1.5",
		"S^0.25", "S^-1", "exp(-pos(S))", "exp(abs(S)/50)", "lse([S, V]/20)", "sqrt(40 - sumsq(V))", "log(30 + min(V))", "invpos(40 - norm1(V))",
		"logistic(max(V)/9)", "norm2([abs(S), norm1(V)])", "norm2(square(V))", "huber(norm1(V), 2)", "sumlargest(abs(V), 2)", "sumlargest(V - abs(V), 1)",
		"sum(log(V + 9))", "sum(entr(V + 5))", "quadoverlin(x, 9 + S)", "quadoverlin(abs(V), 30 + min(V))", "geomean(30 + min(V), 50 - norm1(V))", "kl(9 + S, 8 - S)", "geomean(V + 9)", "(9 + S)^(2/3)", "norm1(V)^1.5", "(norm2(V) + 1)^5",
		"logdet(Y)", "logdet(Y + 60*eye(2))", "matfrac((V)[1..2], Y)", "matfrac(M, Y + 60*eye(2))", "lambda_max(Y)", "lambda_min(Y)", "trace(Y)",
		"lambda_sumlargest([Y zeros(2, 2); zeros(2, 2) Y], 2)", "sigma_max(M)", "normnuc(M)", "sigma_max(Y)", "normnuc(Y)", "trace(diag(V))", "sum(diag(Y))",
		"dotsort(V, [1, -2, 0.5])", "dotsort(V, [2, 1, 1])", "rel_entr(S, S)", "rel_entr(9 + S, 8 - S)", "conv(V, [1, -2])[3]", "kron([1, 2], V)[4]", "vec(M)[5]",
		"sum(i@ in 1..4) matfrac([i@, S], Y + 50*eye(2))", "logdet(Y + 60*eye(2)) + matfrac([1, 2], w + 40*eye(2))", "sigma_max(M)^2", "max(lambda_max(Y), S)",
		"sin(3*y + S/9)", "tan(S/100)", "tan(tanh(S))", "sinh(S/9)", "cosh(S/9)",
		"atanh(sin(S)/2)", "log1p(square(S))", "log1p(S/100)", "expm1(S/20)", "log2(S + 99)", "log10(S + 99)", "(S + 99)^(S/99)", "1.5^(S/9)", "sum(tanh(V))", "cos(x[1] - x[2])*y",
		"re((1 + 2i)*V)[2]", "im(conj(S + 2i*S))", "abs(S + 1i)", "norm2(V + 1i*x)", "im((S + 1i)*(S - 2i))", "quad([y + 1i, x[1]], [1, 1i; -1i, 2])", "lambda_max(Y + 1i*(S)*[0, 1; -1, 0])",
	}...))
}

// splitByBounds are the functions that are split by bounds of their second derivatives and have no
// poles, with an end behind each.
func splitByBounds(end string) (forms []string) {
	for _, c := range atom.Curves() {
		if c.ByBounds() && !c.Poles {
			forms = append(forms, c.Name+end)
		}
	}
	return forms
}

func (r randomExpr) vector(depth int) string {
	return r.pick(depth, []string{"x", "z[2,:]", "[1, -2, 0.5]", "x"}, []string{
		"(V + V)", "(V - S)", "(S + V)", "-V", "3*V", "S*V", "V.*V", "V/2", "V./[1, 2, 4]", "q*V", "V*q", "[1, 2]*M", "[S, S, S]", "[S, (V)[2..3]]", "(M)[1,:]",
		"(M)'[:,2]", "abs(V)", "square(V)", "V^2", "max(V, S)", "min(V, V)", "pos(V)", "(M)'*[1, -1]", "[V, 1][{4, 2, 1}]", "(sum(i@ in 1..2) (M)[i@,:])", "huber(V)",
		"log(V + 9)", "logistic(V)", "exp(V/40)", "sqrt(V + 9)", "invpos(V + 9)", "V^3", "kl(V, V)", "entr(V)", "(M)[:,2..3][1,1]*V", "cumsum(V)", "reshape(M, 6)[2..4]", "conv([1, -1, 2], V)[2..4]", "vec(M)[2..4]", "rel_entr(V + 9, V)",
	})
}

func (r randomExpr) matrix(depth int) string {
	return r.pick(depth, []string{"z", "z", "[1 2 3; 4 -5 6]"}, []string{
		"(M + M)", "(M - S)", "-M", "S*M", "M.*M", "M*q", "[1 2; 3 4]*M", "[V; V]", "abs(M)", "M^2", "(M')'", "[(M)[:,1] (M)[:,2..3]]", "(M'*[0 1; 1 0])'", "max(M, S)", "kron([1 2; 3 4], M)[2..3,2..4]",
	})
}

// symmetric is a 2 x 2 matrix that is seen to be symmetric where it is affine.
func (r randomExpr) symmetric(depth int) string {
	if r.IntN(4) == 0 {
		b := r.scalar(depth / 2)
		return fmt.Sprintf("[%s, %s; %s, %s]", r.scalar(depth/2), b, b, r.scalar(depth/2))
	}
	return r.pick(depth, []string{"w", "w", "w", "[2 1; 1 3]", "y*eye(2)"}, []string{
		"(Y + Y)", "(Y - Y)", "-Y", "3*Y", "S*Y", "[1 2; -1 3]'*Y*[1 2; -1 3]", "diag((V)[1..2])", "(Y + [5 1; 1 2])", "(Y)'",
	})
}

// refusals are parts of the messages with which an expression may be refused.
var refusals = []string{"no DC split", "difference of convex", "must be convex", "is too large", "takes more than", "outside its domain", "needs arguments",
	"needs a denominator", "needs a positive definite", "needs a symmetric", "not a number", "too large for a number"}

func refused(err error) bool {
	ds, ok := err.(Diagnostics)
	if !ok || len(ds) == 0 {
		return false
	}
	for _, d := range ds {
		known := false
		for _, r := range refusals {
			known = known || strings.Contains(d.Message, r)
		}
		if !known || d.Line < 1 || d.Col < 1 || d.EndCol <= d.Col {
			return false
		}
	}
	return true
}

// treeMatrix is the only data of random expressions.
const treeMatrix = "param q = [1 2 0; 2 -3 1; 0 1 0.5]\n"

// valueOnData is a random expression with its names standing for numbers; ok is
// false where it has no value.
func valueOnData(t *testing.T, src string, v []float64, lim eval.Limits) (want float64, ok bool) {
	t.Helper()
	text := fmt.Sprintf(treeMatrix+"param y = %g, x = [%g, %g, %g], z = [%g, %g, %g; %g, %g, %g], w = [%g, %g; %g, %g]\nvar t\nminimize t + %s",
		v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[11], v[12], src)
	f, err := Parse("data.dc", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile(context.Background(), f, Options{}, lim)
	if err != nil {
		if !refused(err) {
			t.Errorf("%s\n%v", src, err)
		}
		return 0, false
	}
	return p.Problem.Value([]float64{0}), true
}

// convexPart is the g or the h of an expression with room for its gradient.
type convexPart struct {
	name string
	f    convex.Func
	grad []float64
}

// inside reports whether x lies where the part has a finite value and a
// subgradient.
func (c *convexPart) inside(x []float64) (float64, bool) {
	if r, ok := c.f.(convex.Restricted); ok && !r.Inside(x) {
		return 0, false
	}
	v := c.f.Value(x)
	return v, math.Abs(v) < 1e100
}

// check compares the part at two points with the point between them, and with
// the tangent at the first.
func (c *convexPart) check(a, b []float64) error {
	fa, okA := c.inside(a)
	fb, okB := c.inside(b)
	if !okA || !okB {
		return nil
	}
	mid := make([]float64, len(a))
	for k := range mid {
		mid[k] = a[k]/2 + b[k]/2
	}
	tol := 1e-9 * (1 + abs(fa) + abs(fb))
	if fm := c.f.Value(mid); !(fm <= fa/2+fb/2+tol) {
		return fmt.Errorf("%s is not convex: %g between %g and %g", c.name, fm, fa, fb)
	}
	clear(c.grad)
	c.f.AddSubgrad(c.grad, 1, a)
	tangent := fa
	for k := range a {
		step := c.grad[k] * (b[k] - a[k])
		tangent += step
		tol += 1e-9 * abs(step)
	}
	if !(tangent <= fb+tol) {
		return fmt.Errorf("%s has a tangent above it: %g, and the value is %g", c.name, tangent, fb)
	}
	return nil
}

// coordinates is how many y, x, z and w have.
const coordinates = 13

// gridPoint is a random point whose coordinates are short to write.
func gridPoint(r *rand.Rand) []float64 {
	v := make([]float64, coordinates)
	for k := range v {
		v[k] = float64(r.IntN(41)-20) / 8
	}
	return v
}

// needBounds finds functions that are split by bounds of their second derivatives.
var needBounds = regexp.MustCompile(`\b(tan|atanh|` + strings.Join(splitByBounds(""), "|") + `)\(`)

// TestTrees compiles random expressions twice, with x, y and z as data and as
// variables. Where they have a split, the values agree, g and h are convex and
// lie above their tangents; where they have none, the message has a place.
// DCOPT_TREES is the number of expressions.
func TestTrees(t *testing.T) {
	rounds := shared.Times(6000, 8)
	if s := os.Getenv("DCOPT_TREES"); s != "" {
		var err error
		if rounds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	lim := eval.Limits{Entries: 1 << 12, Vars: 1 << 11, Work: 1 << 22, Pieces: 1 << 9, Parts: 1 << 10}
	r := randomExpr{rand.New(rand.NewPCG(5, 7))}
	split, curved, compared := 0, 0, 0
	used := map[string]bool{}
	for round := range rounds {
		src := r.scalar(1 + r.IntN(6))
		vars := "var y, x[3], z[2,3], w[2,2] symmetric\n"
		if round%2 == 1 || needBounds.MatchString(src) {
			vars = "var y in [-3, 3], x[3] in [-3, 3], z[2,3] in [-3, 3], w[2,2] symmetric in [-3, 3]\n"
		}
		f, err := Parse("vars.dc", []byte(treeMatrix+vars+"minimize "+src))
		if err != nil {
			t.Fatal(err)
		}
		p, err := compile(context.Background(), f, Options{}, lim)
		if err != nil {
			if !refused(err) {
				t.Errorf("round %d: %s\n%v", round, src, err)
			}
			continue
		}
		split++
		if p.Objective.Curvature > Affine {
			curved++
		}
		for name := range describedAtoms {
			used[name] = used[name] || strings.Contains(src, name+"(")
		}
		e := p.Problem.Exact().Program().Objective
		parts := []convexPart{{"g", e.G(), make([]float64, coordinates)}, {"h", e.H(), make([]float64, coordinates)}}
		for range 4 {
			a, b := gridPoint(r.Rand), gridPoint(r.Rand)
			for k := range parts {
				if !e.IsDC() {
					break
				}
				if err := parts[k].check(a, b); err != nil {
					t.Errorf("round %d: %s\n%v\nat %v\nand %v", round, src, err, a, b)
				}
			}
			want, ok := valueOnData(t, src, a, lim)
			g, okG := parts[0].inside(a)
			h, okH := parts[1].inside(a)
			if !ok || !okG || !okH {
				continue
			}
			compared++
			if got := g - h; !(abs(got-want) <= 1e-9*(1+abs(want)+abs(g)+abs(h))) {
				t.Errorf("round %d: %s\nis %.12g as data, %.12g as a function at %v", round, src, want, got, a)
			}
		}
	}
	for name := range describedAtoms {
		if !used[name] && !shared.Race {
			t.Errorf("no expression with a split has %s", name)
		}
	}
	t.Logf("%d expressions, %d have a split, %d of these are curved, %d values compared", rounds, split, curved, compared)
	if split < rounds/4 || curved < rounds/6 || compared < rounds/2 {
		t.Errorf("of %d expressions %d have a split, %d are curved, %d values were compared", rounds, split, curved, compared)
	}
}

func abs(x float64) float64 { return max(x, -x) }
