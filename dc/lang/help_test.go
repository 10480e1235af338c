package lang

import (
	"context"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// advice is a mistake and the same with the rewriting that its help suggests: files, or
// constraints of a file with the variables and data of adviceFrame.
type advice struct{ bad, good string }

const adviceFrame = "param n = 3, A = [1 2; 3 4], a = [1, 2, 3], e = 1, E = [0 0; 0 1]\nvar x[3] in [-2, 2], y in [0.1, 2], X[2,2] in [-1, 1], v\nminimize y + sum(x) + v^2\nsubject to\n  "

// adviceFiles are the data of the samples.
var adviceFiles = fstest.MapFS{
	"d.csv":   {Data: []byte("town,km\nrome,1\noslo,2\n")},
	"k.csv":   {Data: []byte("1\n2\n3\n")},
	"two.npz": {Data: twoArrays()},
}

// adviceTaken are samples for every help of a message.
var adviceTaken = []advice{
	// Functions and products without a split.
	{"var p, q\nminimize exp(p^2 - abs(q))", "var p in [-2, 2], q in [-2, 2]\nminimize exp(p^2 - abs(q))"},
	{"var p, q\nminimize p^2 + q^2 + exp(p^2 - abs(q))", "var p, q\nminimize dc(p^2 + q^2, logistic(p))"},
	{"sqrt(x[1]*abs(x[2])) >= 0.1", "geomean(x[1], x[2]) >= 0.1"},
	{"(x[1]*abs(x[2]))^0.5 >= 0.1", "geomean(x[1], x[2]) >= 0.1"},
	{"var p, q\nmaximize sqrt(p^3 - q^2 + abs(q)) - p^4 - q^2", "var p, q, t >= 0\nmaximize t - p^4 - q^2\nsubject to\n  t^2 <= p^3 - q^2 + abs(q)"},
	{"var p, Y[2,2] symmetric\nminimize square(logdet(Y)) + p^2", "var p, Y[2,2] symmetric, t in [-1, 1]\nminimize t^2 + p^2\nsubject to\n  logdet(Y) >= t\n  Y <= 3*eye(2)"},
	{"var p, Y[2,2] symmetric\nminimize p*logdet(Y)", "var p in [0, 1], Y[2,2] symmetric, t in [-1, 1]\nminimize p*t\nsubject to\n  logdet(Y) >= t\n  Y <= 3*eye(2)"},
	{"abs(v)/(y - v) <= 3", "abs(v)/(y + 0.1) <= 3"},
	{"abs(v)/(y - v) <= 3", "abs(v)*invpos(y - v) <= 3"},
	{"1/abs(v) <= 3", "1/abs(y) <= 3"},
	{"psd(X + X')", "lambda_min(X + X') >= 0"},
	{"lambda_max(X) <= 1", "lambda_max((X + X')/2) <= 1"},
	{"var X[2,2]\nminimize lambda_max(X) + sumsq(X)", "var X[2,2] symmetric\nminimize lambda_max(X) + sumsq(X)"},
	{"conv(x, x)[1] <= 1", "sum(i in 1..1) x[i]*x[2-i] <= 1"},
	{"var x in [1, 2]\nlet a = max(k in 1..50) k*x, b = max(k in 1..50) k*a, c = max(k in 1..99) k*b\nminimize c", "var x in [1, 2], t\nlet a = max(k in 1..50) k*x, c = max(k in 1..99) k*t\nminimize c\nsubject to\n  t >= a"},
	{"param A = [1" + strings.Repeat(", 1", 1<<19) + "]\nvar p\nminimize A[1]*p^2", "param A = csv(\"k.csv\")\nvar p\nminimize A[1]*p^2"},
	// Complex numbers.
	{"var z complex\nminimize abs(z)\nsubject to\n  z >= 1", "var z complex\nminimize abs(z)\nsubject to\n  re(z) >= 1"},
	{"var H[2,2] Hermitian\nminimize trace(H)", "var H[2,2] hermitian psd\nminimize trace(H)"},
	{"var z imag\nminimize abs(z)", "var z complex\nminimize abs(z)"},
	{"var z[2] complex\nminimize sigma_max([1i, z[1]*z[2]; 1, 2]) + sumsq(z)", "var z[2] complex, p complex\nminimize sigma_max([1i, p; 1, 2]) + sumsq(z)\nsubject to\n  p == z[1]*z[2]"},
	{"var H[2,2] complex psd\nminimize re(trace(H))", "var H[2,2] hermitian psd\nminimize trace(H)"},
	{"var z complex >= 1\nminimize abs(z)", "var z complex\nminimize abs(z)\nsubject to\n  re(z) >= 1"},
	{"var z complex\nminimize abs(1/z) + abs(z)", "var z, q complex start 1\nminimize abs(q) + abs(z)\nsubject to\n  q*z == 1"},
	{"var z complex\nminimize abs(z^3)", "var z complex\nminimize abs(z)^3"},
	{"var z complex\nminimize exp(1)*sqrt(z)", "var z complex\nminimize exp(1)*abs(z)"},
	{"param Q = [1, 1i; 1i, 1]\nvar z[2] complex\nminimize quad(z, Q)", "param Q = [1, 1i; 1i, 1]\nvar z[2] complex\nminimize quad(z, (Q + Q')/2)"},
	{"var H[2,2] complex symmetric\nminimize sumsq(H)", "var H[2,2] hermitian\nminimize sumsq(H)"},
	{"var z complex\nminimize z", "var z complex\nminimize abs(z)"},
	{"var Z[2,2] complex\nminimize lambda_max(Z) + sumsq(Z)", "var Z[2,2] complex\nminimize lambda_max((Z + Z')/2) + sumsq(Z)"},
	{"abs(y) + 2i <= 3", "abs(y + 2i) <= 3"},
	// Shapes.
	{"var x[2]\nminimize x", "var x[2]\nminimize sum(x^2)"},
	{"X[1] <= 1", "X[1,:] <= 1"},
	{"X - x[1..2] <= 9", "r[i in 1..2, j in 1..2]: X[i,j] - x[j] <= 9"},
	{`r[c in {"u", "v"}, d in {"u", "v"} if c < d]: y <= 9`, `r[c in {"u", "v"}, d in {"u", "v"} if c != d]: y <= 9`},
	{"[x; 1] <= 3", "[x, 1] <= 3"},
	{"x <= a*ones(3, 3, 3)", "x <= a.*ones(3)"},
	{"ones(2, 3)*ones(2, 3)*y <= 3", "ones(2, 3).*ones(2, 3)*y <= 3"},
	{"x/a <= 3", "x./a <= 3"},
	{"rows(x)*y <= 9", "len(x)*y <= 9"},
	{"len(X)*y <= 9", "rows(X)*cols(X)*y <= 9"},
	// Plots.
	{"plot points(y)", "plot points(y, v), points([0, 1]), points(x, a)"},
	{"plot path(x)", "plot path(x, a), path([X; X]), path(zeros(2, 3, 2))"},
	{"plot links(zeros(3, 2), X)", "plot links(zeros(3, 2), X, ones(3, 2))"},
	{"plot fit(X, a, x)", "plot fit(a, a, x)"},
	{"plot signal(A, x)", "plot signal(a, x)"},
	{"plot matrix(a, A, A)", "plot matrix(a, [1, 2], [a; 2*a])"},
	{"plot histology(x)", "plot bars(x)"},
	{"plot x", `plot points(x, a) "here", path(a, x) "there"`},
	{"plot bars(x) signal(x)", `plot bars(x), signal(x) "smooth"  title "x" xlabel "k" ylabel "x[k]"`},
	// Data.
	{"param s = csv(k.csv)\nvar x\nminimize x^2", "param s = csv(\"k.csv\")\nvar x\nminimize x^2"},
	{"param s = csv(k)\nvar x\nminimize x^2", "param s = csv(\"k.csv\")\nvar x\nminimize x^2"},
	{"param s = csv(\"data/k.csv\")\nvar x\nminimize x^2", "param s = csv(\"k.csv\")\nvar x\nminimize x^2"},
	{"param s = csv(\"d.csv\")\nvar x\nminimize x^2", "param s = csv(\"d.csv\", \"km\")\nvar x\nminimize x^2"},
	{"param s = csv(\"d.csv\", \"town\")\nvar x\nminimize x^2", "set S = csv(\"d.csv\", \"town\")\nvar x[S]\nminimize sumsq(x)"},
	{"param s = npz(\"two.npz\")\nvar x\nminimize x^2", "param s = npz(\"two.npz\", \"lo\")\nvar x\nminimize x^2"},
	{"var z[:]\nminimize sumsq(z)", "var z[3]\nminimize sumsq(z)"},
	{"param k\nvar x\nminimize x^2", "param k = 3\nvar x\nminimize x^2"},
	{"var x\nparam k = x + 1\nminimize k^2", "var x\nlet k = x + 1\nminimize k^2"},
	{"r[i in 1..2 if E[i,i]]: x[i] <= 1", "r[i in 1..2 if E[i,i] > 0]: x[i] <= 1"},
	{"r[i in n]: x[i] <= 1", "r[i in 1..n]: x[i] <= 1"},
	// Names and calls.
	{"param pi = 3\nvar x\nminimize x^2", "param p = 3\nvar x\nminimize x^2"},
	{"param inf = 3\nvar x\nminimize x^2", "param p = 3\nvar x\nminimize x^2"},
	{"param in = 3\nvar x\nminimize x^2", "param p = 3\nvar x\nminimize x^2"},
	{"r[i in 1..n]: sum(i in 1..n) x[i] <= i", "r[i in 1..n]: sum(j in 1..n) x[j] <= i"},
	{"r[n in 1..3]: x[n] <= 1", "r[k in 1..3]: x[k] <= 1"},
	{"sum*2 <= y", "sum(x)*2 <= y"},
	{"var x >= k\nparam k = 1\nminimize x^2", "param k = 1\nvar x >= k\nminimize x^2"},
	{"x(1) <= 1", "x[1] <= 1"},
	{"y(1 + y) <= 3", "y*(1 + y) <= 3"},
	{"prod(x) <= 1", "x[1]*x[2]*x[3] <= 1"},
	{"dot(a, x) <= 1", "a*x <= 1"},
	{"median(a)*y <= 9", "quantile(a, 0.5)*y <= 9"},
	{"sign(n)*y <= 9", "if(n < 0, -1, 1)*y <= 9"},
	{"variance(x) <= 9", "sumsq(x - mean(x))/len(x) <= 9"},
	{"var x in {0, 1}\nmaximize x", "var x in [0, 1]\nmaximize x\nsubject to\n  x*(1 - x) <= 0"},
	{"diff(x) <= 9", "x[2..n] - x[1..n-1] <= 9"},
	{"sum(range(n))*y <= 99", "sum(1..n)*y <= 99"},
	{"hstack(x, x) <= 9", "[x, x] <= 9"},
	{"vstack(x, x) <= 9", "[x; x] <= 9"},
	{"transpose(A)*x[1..2] <= 1", "A'*x[1..2] <= 1"},
	{"2y <= 3", "2*y <= 3"},
	{"pow(y, 2) <= 3", "y^2 <= 3"},
	{"A@x[1..2] <= 1", "A*x[1..2] <= 1"},
	{"A.T*x[1..2] <= 1", "A'*x[1..2] <= 1"},
	{"(y + 1)(v) <= 3", "(y + 1)*(v) <= 3"},
	// Statements.
	{"var x\nminimize x^2\noption max_iters_of_all = 3", "var x\nminimize x^2\noption max_iter = 3"},
	{"var x\nminimize x^2\noption backend = 3", "var x\nminimize x^2\noption backend = ipm"},
	{"forall i in 1..n: x[i] <= 1", "each[i in 1..n]: x[i] <= 1"},
	{"forall(i in 1..n) x[i] <= 1", "each[i in 1..n]: x[i] <= 1"},
	{"forall(i in 1..n): x[i] <= 1", "each[i in 1..n]: x[i] <= 1"},
	{"each{i in 1..n}: x[i] <= 1", "each[i in 1..n]: x[i] <= 1"},
	{"var p >= 0, <= 2\nminimize p", "var p >= 0 <= 2\nminimize p"},
	{"y = 1", "y == 1"},
	{"r[i in 1..3 if i = 1]: x[i] <= 1", "r[i in 1..3 if i == 1]: x[i] <= 1"},
	{"var x\nminimize x^2 = 3", "var x\nminimize x^2\nsubject to\n  x^2 == 3"},
	{"var x;\nminimize x^2", "var x\nminimize x^2"},
	{"minimize: 1", "minimize 1"},
	{"var x\nminimize x^2\nsubject to:\n  x >= 1", "var x\nminimize x^2\nsubject to\n  x >= 1"},
	{"var x\nminimize x^2\nsubject\n  x >= 1", "var x\nminimize x^2\nsubject to\n  x >= 1"},
	{"y <= 1 and v <= 1", "y <= 1\n  v <= 1"},
	{"y <= 1, v <= 1", "y <= 1\n  v <= 1"},
	{"y <= 1 or v <= 1", "min(y - 1, v - 1) <= 0"},
	{"y <= 1 if n > 2", "r[i in 1..3 if i > 2]: y <= 1"},
	{"y <= 1 if n > 2", "y <= if(n > 2, 1, 3)"},
	{"sum i in 1..3: x[i] <= 1", "sum(i in 1..3) x[i] <= 1"},
	{"param k = if n then 1 else 2\nfind", "param n = 1, k = if(n > 0, 1, 2)\nfind"},
	{"not y <= 0", "y >= 0"},
	{"x[..2] <= 1", "x[1..2] <= 1"},
	{"y < 1", "y <= 1"},
	{"y > 1", "y >= 1"},
	{"param n = 3\nlet w[n] = 1\nfind", "param n = 3\nlet w[i in 1..n] = 1\nfind"},
	{"param n = 3\nlet w[n] = 1\nfind", "param n = 3\nlet w = 1\nfind"},
	{"var w[i in 1..3] >= 0\nminimize sum(w)", "var w[1..3] >= 0\nminimize sum(w)"},
	{"var w == 3\nminimize w^2", "var w\nminimize w^2\nsubject to\n  w == 3"},
	{"var w = 3\nminimize w^2", "var w start 3\nminimize w^2"},
	{"var w cheap\nminimize w^2", "var w >= 0\nminimize w^2"},
	{"var w binary\nminimize w^2", "var w in [0, 1]\nminimize w^2\nsubject to\n  w*(1 - w) <= 0"},
	{"var w integer\nminimize w^2", "var w\nminimize w^2"},
	{"var w free\nminimize w^2", "var w\nminimize w^2"},
	{"var w nonneg\nminimize w^2", "var w >= 0\nminimize w^2"},
	{"var w nonnegative\nminimize w^2", "var w >= 0\nminimize w^2"},
	{"var w nonpos\nminimize w^2", "var w <= 0\nminimize w^2"},
	{"var w[2,2] semidefinite\nminimize trace(w)", "var w[2,2] psd\nminimize trace(w)"},
	{"var w[2,2] PSD\nminimize trace(w)", "var w[2,2] psd\nminimize trace(w)"},
	{"y <= " + strings.Repeat("(", 250) + "1" + strings.Repeat(")", 250), "y <= 1"},
	// Operators and characters of other languages.
	{"y <=> 1", "y == 1"}, {"y ==> 1", "r[i in 1..3 if i > 1]: x[i] <= 1"}, {"y => 1", "y >= 1"}, {"y -> 1", "r[i in 1..3 if i > 1]: x[i] <= 1"}, {"y =< 1", "y <= 1"},
	{"y**2 <= 3", "y^2 <= 3"}, {"r[i in 1..3 if i <> 2]: x[i] <= 1", "r[i in 1..3 if i != 2]: x[i] <= 1"}, {"y <= 1 && v <= 1", "y <= 1\n  v <= 1"},
	{"r[i in 1..3 if i > 1 && i < 3]: x[i] <= 1", "r[i in 1..3 if i > 1 and i < 3]: x[i] <= 1"}, {"||x|| <= 1", "norm2(x) <= 1"},
	{"r[i in 1..3 if i > 2 || i < 2]: x[i] <= 1", "r[i in 1..3 if i > 2 or i < 2]: x[i] <= 1"}, {"x.^2 <= 3", "x^2 <= 3"},
	{"y := 1", "y == 1"}, {"param k := 1\nfind", "param k = 1\nfind"}, {"y <= 1 // most", "y <= 1 # most"}, {"/* most */\n  y <= 1", "# most\n  y <= 1"},
	{"var x\nminimize x^2\ns.t.\n  x >= 1", "var x\nminimize x^2\nsubject to\n  x >= 1"},
	{"y ≤ 1", "y <= 1"}, {"y ≥ 1", "y >= 1"}, {"r[i in 1..3 if i ≠ 2]: x[i] <= 1", "r[i in 1..3 if i != 2]: x[i] <= 1"}, {"2×y <= 1", "2*y <= 1"}, {"2·y <= 1", "2*y <= 1"}, {"2⋅y <= 1", "2*y <= 1"},
	{"y <= 3 − 1", "y <= 3 - 1"}, {"y <= 3 – 1", "y <= 3 - 1"}, {"x[1…2] <= 1", "x[1..2] <= 1"}, {"y² <= 1", "y^2 <= 1"}, {"param k = csv(“k.csv”)\nfind", "param k = csv(\"k.csv\")\nfind"},
	{"param k = csv(”k.csv”)\nfind", "param k = csv(\"k.csv\")\nfind"}, {"A’*x[1..2] <= 1", "A'*x[1..2] <= 1"}, {"param k = csv(`k.csv`)\nfind", "param k = csv(\"k.csv\")\nfind"},
	{"|y| <= 1", "abs(y) <= 1"}, {"r[i in 1..3 if i > 1 & i < 3]: x[i] <= 1", "r[i in 1..3 if i > 1 and i < 3]: x[i] <= 1"}, {"r[i in 1..3 if !(i == 2)]: x[i] <= 1", "r[i in 1..3 if not (i == 2)]: x[i] <= 1"}, {"y <= 1 % most", "y <= 1 # most"},
	{"∀i: x[i] <= 1", "r[i in 1..n]: x[i] <= 1"}, {"r[i∈1..3]: x[i] <= 1", "r[i in 1..3]: x[i] <= 1"}, {"∑ x <= 1", "sum(i in 1..n) x[i] <= 1"}, {"y <= ∞", "y <= inf"}, {"√y <= 1", "sqrt(y) <= 1"}, {"‖x‖ <= 1", "norm2(x) <= 1"},
	{"y ⇒ 1", "y >= 1"}, {"y → 1", "r[i in 1..3 if i > 1]: x[i] <= 1"}, {"r[i in 1..3 if i > 1 ∧ i < 3]: x[i] <= 1", "r[i in 1..3 if i > 1 and i < 3]: x[i] <= 1"}, {"r[i in 1..3 if i > 2 ∨ i < 2]: x[i] <= 1", "r[i in 1..3 if i > 2 or i < 2]: x[i] <= 1"},
}

// helps are the helps in the sources of this package and of those inside it, as patterns.
func helps(t *testing.T) map[string]*regexp.Regexp {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("internal/*/*.go")
	if err == nil {
		var syntax []string
		syntax, err = filepath.Glob("syntax/*.go")
		more = append(more, syntax...)
	}
	if err != nil || len(more) < 40 {
		t.Fatalf("%d files of the inner packages, %v", len(more), err)
	}
	files = append(files, more...)
	out := map[string]*regexp.Regexp{}
	var consts map[string]ast.Expr // of the file
	found := 0
	add := func(begin string, e ast.Expr) {
		if text := begin + pattern(e, consts); strings.Trim(text, ".*") != "" {
			out[text] = regexp.MustCompile("^" + text + "$")
		}
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := goparser.ParseFile(gotoken.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		consts = map[string]ast.Expr{}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == gotoken.CONST {
				for _, spec := range g.Specs {
					if v := spec.(*ast.ValueSpec); len(v.Values) > 0 {
						consts[v.Names[0].Name] = v.Values[0]
					}
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if begin, ok := tables[n.Names[0].Name]; ok {
					found++
					for _, e := range n.Values[0].(*ast.CompositeLit).Elts {
						switch e := e.(type) {
						case *ast.KeyValueExpr:
							add(begin, e.Value)
						case *ast.CompositeLit:
							add(begin, e.Elts[len(e.Elts)-1])
						}
					}
				}
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"fail", "Fail", "failWith", "FailWith", "addf"}, s.Sel.Name) && len(n.Args) > 2 {
					add("", n.Args[1])
				}
			case *ast.AssignStmt:
				for k, l := range n.Lhs {
					if id, ok := l.(*ast.Ident); ok && id.Name == "help" && len(n.Rhs) == len(n.Lhs) {
						add("", n.Rhs[k])
					}
				}
			}
			return true
		})
	}
	if found != len(tables) {
		t.Errorf("%d tables of helps were found, want %d", found, len(tables))
	}
	if len(out) < 80 {
		t.Errorf("only %d helps were found in the sources", len(out))
	}
	return out
}

// tables are the tables of helps, with how the helps begin.
var tables = map[string]string{"otherAttributes": "", "foreignOperators": "", "lookalikes": "write ", "Instead": ""}

// verbs are the verbs of package fmt.
var verbs = regexp.MustCompile(`%[a-z]`)

// pattern is a regular expression for the values of an expression with string literals.
func pattern(e ast.Expr, consts map[string]ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err != nil {
			return ""
		}
		return verbs.ReplaceAllString(regexp.QuoteMeta(text), ".*")
	case *ast.Ident:
		if value, ok := consts[e.Name]; ok {
			return pattern(value, consts)
		}
	case *ast.CallExpr:
		if s, ok := e.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Sprintf" {
			return pattern(e.Args[0], consts)
		}
	case *ast.BinaryExpr:
		return pattern(e.X, consts) + pattern(e.Y, consts)
	}
	return ".*"
}

// TestHelpHelps: every help of a message is shown by a mistake, and the same with the
// rewriting that it suggests compiles and is solved.
func TestHelpHelps(t *testing.T) {
	left := helps(t)
	source := func(text string) string {
		for _, word := range []string{"minimize", "maximize", "find"} {
			if strings.Contains(text, word) {
				return text + "\n"
			}
		}
		return adviceFrame + text + "\n"
	}
	unused := helps(t)
	for _, a := range adviceTaken {
		helped := false
		for _, d := range diagnose(t, "bad.dc", []byte(source(a.bad)), Options{FS: adviceFiles}) {
			for text, re := range left {
				if d.Help != "" && re.MatchString(d.Help) {
					helped = true
					delete(unused, text)
				}
			}
		}
		if !helped {
			t.Errorf("no help for %q: %v", a.bad, diagnose(t, "bad.dc", []byte(source(a.bad)), Options{FS: adviceFiles}))
		}
		f, err := Parse("good.dc", []byte(source(a.good)))
		if err != nil {
			t.Errorf("%q, written in place of %q: %v", a.good, a.bad, err)
			continue
		}
		p, err := Compile(context.Background(), f, Options{FS: adviceFiles})
		if err != nil {
			t.Errorf("%q, written in place of %q: %v", a.good, a.bad, err)
			continue
		}
		r, err := ccp.Solve(t.Context(), p.Problem, p.Problem.Start(1), ccp.DefaultSettings())
		if err != nil || r.Status != ccp.Converged || !r.Feasible {
			t.Errorf("%q, written in place of %q: %v, %v %s", a.good, a.bad, err, r.Status, r.Message)
		}
	}
	for text := range unused {
		t.Errorf("no sample shows the help %s", text)
	}
}

// twoArrays is an archive of two arrays.
func twoArrays() []byte {
	b, err := os.ReadFile("../../cmd/dcopt/testdata/script/solve_sparse/bounds.npz")
	if err != nil {
		return nil
	}
	return b
}

// TestHelpOfExpressions: the way out that an error of package dc names is accepted.
func TestHelpOfExpressions(t *testing.T) {
	m := dc.NewModel()
	x, in := m.Var("x", []int{2}), m.Var("in", []int{2}, dc.AtLeast(-2), dc.AtMost(2))
	s := m.Var("S", []int{2, 2}, dc.Symmetric())
	wave := func(v dc.Expr) dc.Expr { return dc.Sum(dc.Square(v.At(0)), dc.Abs(v.At(1)).Neg()) }
	for _, c := range []struct {
		bad  error
		want string
		good error
	}{
		{dc.MatMul(x, in).Err(), "see Inner and Mul", dc.Inner(x, in).Err()},
		{dc.Exp(wave(x)).Err(), "one whose bounds keep the slope finite", dc.Exp(wave(in)).Err()},
		{dc.Mul(dc.LogDet(s), x.At(0)).Err(), "give its variables bounds", dc.Mul(dc.Sqrt(in.At(1).Add(dc.Num(3))), in.At(0)).Err()},
	} {
		if c.bad == nil || !strings.Contains(c.bad.Error(), c.want) || c.good != nil {
			t.Errorf("%v, want %s; and then %v", c.bad, c.want, c.good)
		}
	}
}
