package lang

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

var update = flag.Bool("update", false, "rewrite the tables in docs/language.md")

// described is what the documentation says of a function, with samples that show
// it. The samples are of var x[3], y, X[2,2].
type described struct {
	form, meaning string
	shape         Curvature // of an affine argument
	takes, domain string
	sample        string   // of that shape
	outside       float64  // a y where the sample has no value; 0: there is none
	good, bad     []string // taken and refused
}

const (
	anything   = "any"
	decreasing = "affine or concave"
	affineOnly = "affine"
	rising     = "affine or convex; others by their bounds"
	falling    = "affine or concave; others by their bounds"
	bounded    = "affine; others by their bounds"
	needsPlus  = "x >= 0"
	needsAbove = "x > 0"
)

// described atoms by name.
var describedAtoms = map[string]described{
	"abs":         {"abs(x)", "the absolute value", Convex, anything, "", "abs(y)", 0, []string{"abs(y^2 - abs(y))"}, nil},
	"pos":         {"pos(x)", "max(x, 0)", Convex, anything, "", "pos(y)", 0, []string{"pos(y^2 - abs(y))"}, nil},
	"square":      {"square(x)", "x^2", Convex, anything, "", "square(y)", 0, []string{"square(abs(y))", "square(-abs(y))", "square(abs(y) - y^2)", "square(abs(y) - 1)", "square(y^2 - y)"}, []string{"square(logdet(X + X'))"}},
	"sqrt":        {"sqrt(x)", "the square root", Concave, falling, needsPlus, "sqrt(y)", -1, []string{"sqrt(1 - y^2)", "sqrt(y^2)", "sqrt(y^2 + x[1]^2 + 1)", "sqrt(2 + abs(y))"}, []string{"sqrt(abs(y))"}},
	"exp":         {"exp(x)", "the exponential function", Convex, rising, "", "exp(y)", 0, []string{"exp(y^2)", "exp(-y^2)"}, []string{"exp(sqrt(y))"}},
	"log":         {"log(x)", "the natural logarithm", Concave, falling, needsAbove, "log(y)", -1, []string{"log(sqrt(y))", "log(invpos(y))", "log(1 + y^2)"}, []string{"log(y^2)"}},
	"entr":        {"entr(x)", "-x log x", Concave, bounded, needsPlus, "entr(y)", -1, nil, []string{"entr(y^2)", "entr(sqrt(y))"}},
	"logistic":    {"logistic(x)", "log(1 + e^x)", Convex, anything, "", "logistic(y)", 0, []string{"logistic(abs(y))", "logistic(-abs(y))"}, nil},
	"xexp":        {"xexp(x)", "x e^x", Convex, rising, needsPlus, "xexp(y)", -1, []string{"xexp(y^2)", "xexp(abs(y))"}, []string{"xexp(sqrt(y))"}},
	"invpos":      {"invpos(x)", "1/x", Convex, falling, needsAbove, "invpos(y)", -1, []string{"invpos(sqrt(y))", "invpos(1 + y^2)"}, []string{"invpos(y^2)"}},
	"huber":       {"huber(x, m)", "x^2 up to abs(x) = m, and 2 m abs(x) - m^2 beyond; m = 1 if left out", Convex, anything, "", "huber(y, 2)", 0, []string{"huber(abs(y))", "huber(y^2 - 1)", "huber(sqrt(y))"}, nil},
	"kl":          {"kl(x, z)", "x log(x/z) - x + z", Convex, affineOnly, "x >= 0, z > 0", "kl(y, 2)", -1, []string{"kl(1, y)"}, []string{"kl(y^2, 1)", "kl(1, sqrt(y))"}},
	"rel_entr":    {"rel_entr(x, z)", "x log(x/z)", Convex, affineOnly, "x >= 0, z > 0", "rel_entr(y, 2)", -1, []string{"rel_entr(1, y)", "rel_entr(x, [1, y, 2])[1]", "rel_entr(0, y)"}, []string{"rel_entr(y^2, 1)", "rel_entr(1, sqrt(y))", "rel_entr(1, 0*y)"}},
	"vec":         {"vec(X)", "the entries of an array, row by row, as a vector", Affine, anything, "", "sum(vec(X)[2..3])", 0, []string{"vec(X^2 - abs(X))[4]", "vec(y)[1]"}, []string{"vec(X)[1,1]"}},
	"conv":        {"conv(a, x)", "the convolution of two vectors one of which is data, entry k the sum of the a_i x_(k+1-i)", Affine, anything, "", "conv([1, 2], x)[2]", 0, []string{"conv(x, [1, 0, 3])[5]", "conv([1, -2], x^2 - abs(x))[3]", "conv([1, 2], [3, 4])[3]*y", "conv(2, y)[1]"}, []string{"sum(conv(x, x))", "sum(conv(X, [1]))", "sum(conv(x, []))"}},
	"kron":        {"kron(A, X)", "the Kronecker product of two matrices one of which is data; a vector is a column", Affine, anything, "", "kron([1 2; 3 4], X)[2,3]", 0, []string{"kron(X, [1; 2])[4,2]", "kron([1, 2], x)[6]", "kron(eye(2), X^2 - abs(X))[4,4]", "kron(3, y)[1]"}, []string{"sum(kron(X, x))", "kron(ones(2, 2, 2), y)[1]"}},
	"dotsort":     {"dotsort(x, w)", "the largest inner product of x with a permutation of w, which is data", Convex, anything, "", "dotsort(x, [1, 0, 3])", 0, []string{"dotsort(x^2 - abs(x), [1, 1, -2])", "dotsort(X, ones(2, 2))"}, []string{"dotsort(x, [1, 2])", "dotsort(x, x)"}},
	"max":         {"max(x, z, ...)", "the largest", Convex, anything, "", "max(x)", 0, []string{"max(y^2, -y^2)"}, nil},
	"min":         {"min(x, z, ...)", "the least", Concave, anything, "", "min(x)", 0, []string{"min(y^2, -y^2)"}, nil},
	"sum":         {"sum(x)", "the sum of the entries", Affine, anything, "", "sum(x)", 0, []string{"sum(x^2 - abs(x))"}, nil},
	"mean":        {"mean(x)", "their mean", Affine, anything, "", "mean(x)", 0, []string{"mean(x^2 - abs(x))"}, nil},
	"norm":        {"norm(x, p)", "the p-norm (sum of abs(x)^p)^(1/p) of all entries, p >= 1 of data; 2 if left out", Convex, anything, "", "norm(x, 3)", 0, []string{"norm(x)", "norm(abs(x), 1.5)", "norm(x^2 - abs(x), 1)", "norm(x^2 - 1, 3)"}, []string{"norm(x, 0.5)", "norm(x, y)"}},
	"wgeomean":    {"wgeomean(x, w)", "the geometric mean with weights w >= 0 of data, the product of x^(w/sum(w))", Concave, decreasing, needsPlus, "wgeomean([y, 2], [1, 3])", -1, []string{"wgeomean([sqrt(y), 2], [1, 2])", "wgeomean([y^2, 2], [0, 2])"}, []string{"wgeomean([y^2, 2], [1, 2])", "wgeomean([y, 2], [1, -1])", "wgeomean(x, [1, 2])", "wgeomean([y, 2], [0, 0])"}},
	"cumsum":      {"cumsum(x)", "the vector of the sums of the first 1, 2, ... entries of a vector", Affine, anything, "", "sum(cumsum(x))", 0, []string{"cumsum(x^2 - abs(x))[2]"}, []string{"sum(cumsum(X))"}},
	"reshape":     {"reshape(x, n, m, ...)", "the same entries, row by row, in another shape", Affine, anything, "", "reshape(X, 4)[2]", 0, []string{"reshape(x^2 - abs(x), 1, 3)[1,2]"}, []string{"reshape(X, 3)[1]"}},
	"norm1":       {"norm1(x)", "the sum of the absolute values", Convex, anything, "", "norm1(x)", 0, []string{"norm1(x^2 - abs(x))"}, nil},
	"norm2":       {"norm2(x)", "the Euclidean norm of all entries", Convex, anything, "", "norm2(x)", 0, []string{"norm2(abs(x))", "norm2(x^2 - 1)", "norm2(-abs(x))"}, nil},
	"norminf":     {"norminf(x)", "the largest absolute value", Convex, anything, "", "norminf(x)", 0, []string{"norminf(x^2 - abs(x))"}, nil},
	"sumsq":       {"sumsq(x)", "the sum of squares", Convex, anything, "", "sumsq(x)", 0, []string{"sumsq(abs(x) - x^2)", "sumsq(abs(x) - 1)"}, nil},
	"sumlargest":  {"sumlargest(x, k)", "the sum of the k largest entries", Convex, anything, "", "sumlargest(x, 2)", 0, []string{"sumlargest(x^2 - abs(x), 2)"}, nil},
	"lse":         {"lse(x)", "log of the sum of e^x", Convex, anything, "", "lse(x)", 0, []string{"lse(x^2)", "lse(-x^2)"}, nil},
	"quad":        {"quad(x, Q)", "x'Qx for a square matrix Q of data; DC where Q is indefinite", Convex, affineOnly, "", "quad(x, eye(3))", 0, nil, []string{"quad(x^2, eye(3))"}},
	"quadoverlin": {"quadoverlin(x, z)", "sumsq(x)/z", Convex, "x affine, or convex and >= 0; z affine or concave", "z > 0", "quadoverlin(x, y)", -1, []string{"quadoverlin(x^2, y)", "quadoverlin(abs(x), sqrt(y))", "quadoverlin(x, sqrt(y))"}, []string{"quadoverlin(x^2 - 1, y)", "quadoverlin(x, y^2)", "quadoverlin(-abs(y), y)"}},
	"geomean":     {"geomean(x, z, ...)", "the geometric mean of all entries", Concave, decreasing, needsPlus, "geomean(y, 2)", -1, []string{"geomean(sqrt(y), 2)", "geomean(min(x), y, [1, 2])"}, []string{"geomean(y^2, 2)", "geomean(abs(y) - y^2, 2)"}},
	"dc":          {"dc(g, h)", "g - h", DC, "convex", "", "dc(y^2, abs(y))", 0, nil, []string{"dc(y, sqrt(y))"}},
	"logdet": {"logdet(X)", "log of the determinant of a symmetric matrix", Concave, affineOnly, "X positive definite", "logdet([y 1; 1 y + 2])", -1,
		[]string{"logdet([2 1; 1 2])", "logdet(X + X')"}, []string{"logdet(X)", "logdet([y^2 0; 0 1])", "logdet([1 2; 2 1])"}},
	"matfrac": {"matfrac(x, X)", "x'X^-1 x for a vector x, the trace of that for a matrix; X symmetric", Convex, affineOnly, "X positive definite", "matfrac(x[1..2], [y 0.1; 0.1 y + 1])", -1,
		[]string{"matfrac([1, 2], [2 1; 1 2])", "matfrac(X, eye(2))", "matfrac(2, [y])", "matfrac(x, eye(3))"}, []string{"matfrac(x[1..2], X)", "matfrac(x, X + X')", "matfrac(x[1..2], [1 2; 2 1])"}},
	"lambda_max": {"lambda_max(X)", "the largest eigenvalue of a symmetric matrix", Convex, affineOnly, "", "lambda_max([y 1; 1 2])", 0,
		[]string{"lambda_max([2 1; 1 2])", "lambda_max(X'*[1 0; 0 1] + X)"}, []string{"lambda_max(X)", "lambda_max(x)", "lambda_max([y^2 0; 0 1])"}},
	"lambda_min": {"lambda_min(X)", "the smallest eigenvalue of a symmetric matrix", Concave, affineOnly, "", "lambda_min([y 1; 1 2])", 0, nil, []string{"lambda_min(X)"}},
	"lambda_sumlargest": {"lambda_sumlargest(X, k)", "the sum of the k largest eigenvalues of a symmetric matrix", Convex, affineOnly, "", "lambda_sumlargest([y 1 0; 1 2 0; 0 0 y], 2)", 0,
		nil, []string{"lambda_sumlargest(X, 1)", "lambda_sumlargest(eye(2), 3)"}},
	"sigma_max": {"sigma_max(X)", "the largest singular value of a matrix, the spectral norm", Convex, affineOnly, "", "sigma_max(X + y)", 0, []string{"sigma_max(x)", "sigma_max(2)"}, []string{"sigma_max(X^2)"}},
	"normnuc":   {"normnuc(X)", "the sum of the singular values, the nuclear norm", Convex, affineOnly, "", "normnuc(X + y)", 0, []string{"normnuc(x)", "normnuc(y)"}, []string{"normnuc(X^2)"}},
	"trace":     {"trace(X)", "the sum of the diagonal of a square matrix", Affine, anything, "", "trace(X)", 0, []string{"trace(X^2)", "trace(y)"}, []string{"trace(x)"}},
	"diag":      {"diag(X)", "the diagonal of a square matrix; of a vector, the matrix with that diagonal", Affine, anything, "", "sum(diag(X)) + sum(diag(x))", 0, []string{"diag(X^2)[1]", "diag(x)[2,2]"}, []string{"diag(ones(2, 3))[1]"}},
}

// describedData are the functions of data, or of the shape of anything.
var describedData = []struct{ form, meaning, sample string }{
	{"rows(A)", "the number of rows of a matrix, also of variables", "rows(X)"},
	{"cols(A)", "the number of columns", "cols(X)"},
	{"len(v)", "the number of entries of a vector", "len(x)"},
	{"csv(file, column, ...)", "a table, or columns of it", ""},
	{"json(file, key)", "a number or an array", ""},
	{"npy(file)", "an array of NumPy", ""},
	{"npz(file, name)", "a sparse matrix of SciPy, or an array of NumPy", ""},
	{"mtx(file)", "a matrix of the Matrix Market, sparse where the file has coordinates", ""},
	{"eye(n)", "the identity matrix", "eye(2)[1,1]"},
	{"zeros(n, m, ...)", "an array of zeros", "zeros(2)[1]"},
	{"ones(n, m, ...)", "an array of ones", "ones(2, 2)[1,1]"},
	{"sort(v)", "the entries of a vector, ascending", "sort([2, 1])[1]"},
	{"chol(A)", "the lower triangular matrix L with A = L*L' of a positive definite matrix", "chol([4])[1,1]"},
	{"inv(A)", "the inverse of a square matrix", "inv([2 1; 1 1])[1,2]"},
	{"std(v)", "the standard deviation of the entries, with divisor n", "std([1, 2])"},
	{"sin(x)", "the sine", "sin(1)"},
	{"cos(x)", "the cosine", "cos(1)"},
	{"floor(x)", "the next whole number below", "floor(1.5)"},
	{"ceil(x)", "the next whole number above", "ceil(1.5)"},
	{"round(x)", "the nearest whole number, halves away from 0", "round(1.5)"},
	{"normal(mean, sd)", "after `start` only: drawn from the normal distribution", ""},
	{"uniform(l, u)", "after `start` only: drawn between l and u", ""},
}

// tryExpr compiles an expression of the samples' variables.
func tryExpr(expr string) (*Program, error) {
	f, err := Parse("sample.dc", []byte("var x[3], y, X[2,2]\nminimize y + "+expr))
	if err != nil {
		return nil, err
	}
	return Compile(context.Background(), f, Options{})
}

// TestDescribedAtoms: every function is described, and the samples show what the
// description says.
func TestDescribedAtoms(t *testing.T) {
	known := map[string]bool{}
	for name, d := range describedAtoms {
		known[name] = true
		if !strings.HasPrefix(d.form, name+"(") || functions[name] == nil {
			t.Errorf("%s is described as %s", name, d.form)
		}
		for _, e := range d.good {
			if _, err := tryExpr(e); err != nil {
				t.Errorf("%s: %v", e, err)
			}
		}
		for _, e := range d.bad {
			if _, err := tryExpr(e); err == nil {
				t.Errorf("%s is taken, although %s takes what is %s", e, name, d.takes)
			}
		}
		p, err := tryExpr(d.sample)
		if err != nil {
			t.Errorf("%s: %v", d.sample, err)
			continue
		}
		if p.Objective.Curvature != d.shape {
			t.Errorf("%s is %v, not %v", d.sample, p.Objective.Curvature, d.shape)
		}
		for _, y := range []float64{d.outside, -3, 0.5, 3} {
			v := p.Problem.Value([]float64{1, -2, 0.5, y, 0, 0, 0, 0})
			if inside := d.outside == 0 || y > 0; inside != (v-v == 0) {
				t.Errorf("%s at y = %g is %g, and the domain %q", d.sample, y, v, d.domain)
			}
		}
		if (d.outside != 0) != (d.domain != "") {
			t.Errorf("%s has the domain %q and no sample outside", name, d.domain)
		}
	}
	for _, d := range describedData {
		name, _, _ := strings.Cut(d.form, "(")
		known[name] = true
		if functions[name] == nil {
			t.Errorf("%s is described and does not exist", name)
		}
		if d.sample == "" {
			continue
		}
		if p, err := tryExpr(d.sample); err != nil || math.IsNaN(p.Problem.Value(make([]float64, 8))) {
			t.Errorf("%s: %v", d.sample, err)
		}
	}
	for name := range functions {
		if !known[name] {
			t.Errorf("%s is not described", name)
		}
	}
}

// atomOrder is the order of the table.
var atomOrder = strings.Fields("abs pos square sqrt exp log entr logistic xexp invpos huber kl rel_entr max min sum mean cumsum vec reshape conv kron norm norm1 norm2 norminf sumsq " +
	"sumlargest dotsort lse quad quadoverlin geomean wgeomean dc logdet matfrac lambda_max lambda_min lambda_sumlargest sigma_max normnuc trace diag")

func atomTable(t *testing.T) string {
	if len(atomOrder) != len(describedAtoms) {
		t.Errorf("%d atoms in order, %d are described", len(atomOrder), len(describedAtoms))
	}
	var b strings.Builder
	b.WriteString("| function | is | curvature | takes | domain |\n|---|---|---|---|---|\n")
	for _, name := range atomOrder {
		d := describedAtoms[name]
		fmt.Fprintf(&b, "| `%s` | %s | %v | %s | %s |\n", d.form, d.meaning, d.shape, d.takes, d.domain)
	}
	return b.String()
}

func dataTable() string {
	var b strings.Builder
	b.WriteString("| function | is |\n|---|---|\n")
	for _, d := range describedData {
		fmt.Fprintf(&b, "| `%s` | %s |\n", d.form, d.meaning)
	}
	return b.String()
}

// TestLanguageDoc keeps the tables of docs/language.md; -update rewrites them.
func TestLanguageDoc(t *testing.T) {
	const path = "../../docs/language.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(raw)
	for mark, now := range map[string]string{"functions": atomTable(t), "data functions": dataTable()} {
		begin, end := "<!-- "+mark+" -->\n", "<!-- end -->\n"
		head, rest, ok := strings.Cut(doc, begin)
		old, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for the %s", path, mark)
		}
		if old != now && !*update {
			t.Errorf("%s: the %s are\n%swant\n%s", path, mark, old, now)
		}
		doc = head + begin + now + end + tail
	}
	for _, name := range optionNames {
		if !strings.Contains(doc, "`"+name+"`") {
			t.Errorf("%s does not name the option %s", path, name)
		}
	}
	for _, kind := range plotKinds {
		if !strings.Contains(doc, "| `"+kind+"(") {
			t.Errorf("%s does not describe the plot of %s", path, kind)
		}
	}
	for w, k := range syntax.Words {
		if !strings.Contains(doc, w) {
			t.Errorf("%s does not have the word %s (%v)", path, w, k)
		}
	}
	for _, block := range strings.Split(doc, "```\n")[1:] { // the files it shows
		if strings.HasPrefix(block, "# ") {
			if out := checkFormat(t, path, []byte(block)); string(out) != block {
				t.Errorf("the format of what %s shows is\n%s", path, out)
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(doc), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
