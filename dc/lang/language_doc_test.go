package lang

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang/internal/function"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/page"
	"github.com/dcopt/dcopt/internal/setting"
)

var update = flag.Bool("update", false, "rewrite the tables in docs/language.md")

// samplesOf show what the description of a function says. The samples are of var x[3],
// y, X[2,2].
type samplesOf struct {
	sample    string   // of its curvature
	outside   float64  // a y where the sample has no value; 0: there is none
	good, bad []string // taken and refused
}

// describedAtoms are the samples of the functions of variables. A function of one number without
// samples is taken of y.
var describedAtoms = map[string]samplesOf{
	"abs":    {"abs(y)", 0, []string{"abs(y^2 - abs(y))"}, nil},
	"pos":    {"pos(y)", 0, []string{"pos(y^2 - abs(y))"}, nil},
	"square": {"square(y)", 0, []string{"square(abs(y))", "square(-abs(y))", "square(abs(y) - y^2)", "square(abs(y) - 1)", "square(y^2 - y)"}, []string{"square(logdet(X + X'))"}},
	"sqrt":   {"sqrt(y)", -1, []string{"sqrt(1 - y^2)", "sqrt(y^2)", "sqrt(y^2 + x[1]^2 + 1)", "sqrt(2 + abs(y))"}, []string{"sqrt(abs(y))"}},
	"exp":    {"exp(y)", 0, []string{"exp(y^2)", "exp(-y^2)"}, []string{"exp(sqrt(y) - abs(y))"}},
	"log": {"log(y)", -1, []string{"log(sqrt(y))", "log(invpos(y))", "log(1 + y^2)",
		"log(sqrt(y)/(1 + y^2))", "log(1 + x[1]*invpos(y))"}, []string{"log(abs(y))"}},
	"entr":              {"entr(y)", -1, nil, []string{"entr(abs(y))", "entr(sqrt(y) - abs(y))"}},
	"logistic":          {"logistic(y)", 0, []string{"logistic(abs(y))", "logistic(-abs(y))"}, nil},
	"xexp":              {"xexp(y)", -1, []string{"xexp(y^2)", "xexp(abs(y))"}, []string{"xexp(sqrt(y) - abs(y))"}},
	"invpos":            {"invpos(y)", -1, []string{"invpos(sqrt(y))", "invpos(1 + y^2)"}, []string{"invpos(abs(y))"}},
	"sin":               {"sin(y)", 0, []string{"sin(y^2)", "sin(cos(y) + x[1])", "sin(y)*cos(x[1])", "2^y + 2^-x[1]"}, []string{"sin(abs(y))", "y^abs(x[1])", "y^x"}},
	"tan":               {"tan(atan(y)/2)", 0, nil, []string{"tan(y)"}},
	"sinh":              {"sinh(y)", 0, nil, []string{"sinh(sqrt(y) - abs(y))"}},
	"tanh":              {"tanh(y)", 0, []string{"tanh(tanh(y) + sinh(x[1]))"}, nil},
	"log2":              {"log2(y)", -1, nil, []string{"log2(abs(y))"}},
	"huber":             {"huber(y, 2)", 0, []string{"huber(abs(y))", "huber(y^2 - 1)", "huber(sqrt(y))"}, nil},
	"kl":                {"kl(y, 2)", -1, []string{"kl(1, y)"}, []string{"kl(y^2, 1)", "kl(1, sqrt(y))"}},
	"rel_entr":          {"rel_entr(y, 2)", -1, []string{"rel_entr(1, y)", "rel_entr(x, [1, y, 2])[1]", "rel_entr(0, y)"}, []string{"rel_entr(y^2, 1)", "rel_entr(1, sqrt(y))", "rel_entr(1, 0*y)"}},
	"vec":               {"sum(vec(X)[2..3])", 0, []string{"vec(X^2 - abs(X))[4]", "vec(y)[1]"}, []string{"vec(X)[1,1]"}},
	"re":                {"re(y)", 0, []string{"re(1i*y + y)", "re((1 + 2i)*x)[2]", "re(x^2 - abs(x))[1]"}, []string{"re(x, y)"}},
	"im":                {"im(1i*y)", 0, []string{"im(y)", "im((1 + 2i)*x)[2]"}, []string{"1i*y"}},
	"conj":              {"conj(y)", 0, []string{"re(conj(1i*y + 1))", "im(conj((1 + 2i)*x))[2]"}, []string{"conj(1i*y)"}},
	"conv":              {"conv([1, 2], x)[2]", 0, []string{"conv(x, [1, 0, 3])[5]", "conv([1, -2], x^2 - abs(x))[3]", "conv([1, 2], [3, 4])[3]*y", "conv(2, y)[1]"}, []string{"sum(conv(x, x))", "sum(conv(X, [1]))", "sum(conv(x, []))"}},
	"kron":              {"kron([1 2; 3 4], X)[2,3]", 0, []string{"kron(X, [1; 2])[4,2]", "kron([1, 2], x)[6]", "kron(eye(2), X^2 - abs(X))[4,4]", "kron(3, y)[1]"}, []string{"sum(kron(X, x))", "kron(ones(2, 2, 2), y)[1]"}},
	"dotsort":           {"dotsort(x, [1, 0, 3])", 0, []string{"dotsort(x^2 - abs(x), [1, 1, -2])", "dotsort(X, ones(2, 2))"}, []string{"dotsort(x, [1, 2])", "dotsort(x, x)"}},
	"max":               {"max(x)", 0, []string{"max(y^2, -y^2)"}, nil},
	"min":               {"min(x)", 0, []string{"min(y^2, -y^2)"}, nil},
	"sum":               {"sum(x)", 0, []string{"sum(x^2 - abs(x))"}, nil},
	"mean":              {"mean(x)", 0, []string{"mean(x^2 - abs(x))"}, nil},
	"norm":              {"norm(x, 3)", 0, []string{"norm(x)", "norm(abs(x), 1.5)", "norm(x^2 - abs(x), 1)", "norm(x^2 - 1, 3)"}, []string{"norm(x, 0.5)", "norm(x, y)"}},
	"wgeomean":          {"wgeomean([y, 2], [1, 3])", -1, []string{"wgeomean([sqrt(y), 2], [1, 2])", "wgeomean([y^2, 2], [0, 2])"}, []string{"wgeomean([y^2, 2], [1, 2])", "wgeomean([y, 2], [1, -1])", "wgeomean(x, [1, 2])", "wgeomean([y, 2], [0, 0])"}},
	"cumsum":            {"sum(cumsum(x))", 0, []string{"cumsum(x^2 - abs(x))[2]"}, []string{"sum(cumsum(X))"}},
	"reshape":           {"reshape(X, 4)[2]", 0, []string{"reshape(x^2 - abs(x), 1, 3)[1,2]"}, []string{"reshape(X, 3)[1]"}},
	"norm1":             {"norm1(x)", 0, []string{"norm1(x^2 - abs(x))"}, nil},
	"norm2":             {"norm2(x)", 0, []string{"norm2(abs(x))", "norm2(x^2 - 1)", "norm2(-abs(x))"}, nil},
	"norminf":           {"norminf(x)", 0, []string{"norminf(x^2 - abs(x))"}, nil},
	"sumsq":             {"sumsq(x)", 0, []string{"sumsq(abs(x) - x^2)", "sumsq(abs(x) - 1)"}, nil},
	"sumlargest":        {"sumlargest(x, 2)", 0, []string{"sumlargest(x^2 - abs(x), 2)"}, nil},
	"lse":               {"lse(x)", 0, []string{"lse(x^2)", "lse(-x^2)"}, nil},
	"quad":              {"quad(x, eye(3))", 0, nil, []string{"quad(x^2, eye(3))"}},
	"quadoverlin":       {"quadoverlin(x, y)", -1, []string{"quadoverlin(x^2, y)", "quadoverlin(abs(x), sqrt(y))", "quadoverlin(x, sqrt(y))"}, []string{"quadoverlin(x^2 - 1, y)", "quadoverlin(x, y^2)", "quadoverlin(-abs(y), y)"}},
	"geomean":           {"geomean(y, 2)", -1, []string{"geomean(sqrt(y), 2)", "geomean(min(x), y, [1, 2])"}, []string{"geomean(y^2, 2)", "geomean(abs(y) - y^2, 2)"}},
	"dc":                {"dc(y^2, abs(y))", 0, nil, []string{"dc(y, sqrt(y))"}},
	"logdet":            {"logdet([y 1; 1 y + 2])", -1, []string{"logdet([2 1; 1 2])", "logdet(X + X')"}, []string{"logdet(X)", "logdet([y^2 0; 0 1])", "logdet([1 2; 2 1])"}},
	"matfrac":           {"matfrac(x[1..2], [y 0.1; 0.1 y + 1])", -1, []string{"matfrac([1, 2], [2 1; 1 2])", "matfrac(X, eye(2))", "matfrac(2, [y])", "matfrac(x, eye(3))"}, []string{"matfrac(x[1..2], X)", "matfrac(x, X + X')", "matfrac(x[1..2], [1 2; 2 1])"}},
	"lambda_max":        {"lambda_max([y 1; 1 2])", 0, []string{"lambda_max([2 1; 1 2])", "lambda_max(X'*[1 0; 0 1] + X)"}, []string{"lambda_max(X)", "lambda_max(x)", "lambda_max([y^2 0; 0 1])"}},
	"lambda_min":        {"lambda_min([y 1; 1 2])", 0, nil, []string{"lambda_min(X)"}},
	"lambda_sumlargest": {"lambda_sumlargest([y 1 0; 1 2 0; 0 0 y], 2)", 0, nil, []string{"lambda_sumlargest(X, 1)", "lambda_sumlargest(eye(2), 3)"}},
	"sigma_max":         {"sigma_max(X + y)", 0, []string{"sigma_max(x)", "sigma_max(2)"}, []string{"sigma_max(X^2)"}},
	"normnuc":           {"normnuc(X + y)", 0, []string{"normnuc(x)", "normnuc(y)"}, []string{"normnuc(X^2)"}},
	"trace":             {"trace(X)", 0, []string{"trace(X^2)", "trace(y)"}, []string{"trace(x)"}},
	"diag":              {"sum(diag(X)) + sum(diag(x))", 0, []string{"diag(X^2)[1]", "diag(x)[2,2]"}, []string{"diag(ones(2, 3))[1]"}},
}

// dataSamples are samples of the functions of data, or of the shape of anything.
var dataSamples = map[string]string{
	"rows":  "rows(X)",
	"cols":  "cols(X)",
	"len":   "len(x)",
	"eye":   "eye(2)[1,1]",
	"zeros": "zeros(2)[1]",
	"ones":  "ones(2, 2)[1,1]",
	"sort":  "sort([2, 1])[1]",
	"chol":  "chol([4])[1,1]",
	"inv":   "inv([2 1; 1 1])[1,2]",
	"std":   "std([1, 2])",
	"floor": "floor(1.5)",
	"ceil":  "ceil(1.5)",
	"round": "round(1.5)",
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
	for _, f := range Functions() {
		name := f.Name
		if known[name] || !strings.HasPrefix(f.Form, name+"(") || function.Table[name] == nil || f.Meaning == "" || f.Takes == "" {
			t.Errorf("%s is described as %+v", name, f)
		}
		known[name] = true
		d, ok := describedAtoms[name]
		if f.Data {
			if s := dataSamples[name]; s != "" {
				if p, err := tryExpr(s); err != nil || math.IsNaN(p.Problem.Value(make([]float64, 8))) {
					t.Errorf("%s: %v", s, err)
				}
			}
			continue
		}
		row := atom.Find(name)
		if several := atom.FindReduce(name); !ok && several != nil && several.Plain() {
			if p, err := tryExpr(name + "(x)"); err != nil || p.Objective.Curvature != f.Curvature {
				t.Errorf("%s(x): %v", name, err)
			}
			continue
		}
		if !ok && row == nil {
			t.Errorf("%s has no samples", name)
			continue
		}
		inside := func(y float64) bool { return d.outside == 0 || y > 0 }
		if d.sample == "" {
			d.sample = name + "(y)"
			inside = func(y float64) bool {
				v := row.Value.At(y, 0)
				return row.In(interval.Whole, 0).Contains(y) && v-v == 0
			}
			if i := row.In(interval.Whole, 0); i != interval.Whole {
				d.outside = i.Lo - 1
			}
		}
		for _, e := range d.good {
			if _, err := tryExpr(e); err != nil {
				t.Errorf("%s: %v", e, err)
			}
		}
		for _, e := range d.bad {
			if _, err := tryExpr(e); err == nil {
				t.Errorf("%s is taken, although %s takes what is %s", e, name, f.Takes)
			}
		}
		p, err := tryExpr(d.sample)
		if err != nil {
			t.Errorf("%s: %v", d.sample, err)
			continue
		}
		if p.Objective.Curvature != f.Curvature {
			t.Errorf("%s is %v, not %v", d.sample, p.Objective.Curvature, f.Curvature)
		}
		for _, y := range []float64{d.outside, -3, 0.5, 3} {
			v := p.Problem.Value([]float64{1, -2, 0.5, y, 0, 0, 0, 0})
			if inside(y) != (v-v == 0) {
				t.Errorf("%s at y = %g is %g, and the domain %q", d.sample, y, v, f.Domain)
			}
		}
		if (d.outside != 0) != (f.Domain != "") {
			t.Errorf("%s has the domain %q and no sample outside", name, f.Domain)
		}
	}
	for name := range function.Table {
		if !known[name] {
			t.Errorf("%s is not described", name)
		}
	}
}

// functionTable is the table of the functions of variables, or of data.
func functionTable(data bool) string {
	var b strings.Builder
	if data {
		b.WriteString("| function | is |\n|---|---|\n")
	} else {
		b.WriteString("| function | is | curvature | takes | domain |\n|---|---|---|---|---|\n")
	}
	for _, f := range Functions() {
		switch {
		case f.Data != data:
		case data:
			fmt.Fprintf(&b, "| `%s` | %s |\n", f.Form, f.Meaning)
		default:
			fmt.Fprintf(&b, "| `%s` | %s | %v | %s | %s |\n", f.Form, f.Meaning, f.Curvature, f.Takes, f.Domain)
		}
	}
	return b.String()
}

// TestLanguageDoc keeps the tables of docs/language.md, and asks there for the options, kinds of
// plots and words; -update rewrites the tables.
func TestLanguageDoc(t *testing.T) {
	const path = "../../docs/language.md"
	page.Blocks(t, *update, path, map[string]string{"functions": functionTable(false), "data functions": functionTable(true)})
	doc := page.Text(t, path)
	for _, name := range setting.Names(setting.File) {
		page.Names(t, path, doc, "`"+name+"`")
	}
	for _, kind := range plotKinds {
		page.Names(t, path, doc, "| `"+kind+"(")
	}
	page.Names(t, path, doc, slices.Collect(maps.Keys(syntax.Words))...)
	for _, block := range strings.Split(doc, "```\n")[1:] { // the files it shows
		if strings.HasPrefix(block, "# ") {
			if out := checkFormat(t, path, []byte(block)); string(out) != block {
				t.Errorf("the format of what %s shows is\n%s", path, out)
			}
		}
	}
}
