package lang

import (
	"cmp"
	"fmt"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/page"
)

// goNames are what the functions of the language are called in package dc, but for those whose row
// in the table of functions of one number says it.
var goNames = map[string]string{
	"sqrt": "Sqrt", "invpos": "InvPos",
	"huber": "Huber", "kl": "KL", "max": "Max", "min": "Min", "sum": "Sum, Expr.Sum, Expr.Along",
	"mean": "Expr.Sum, Expr.Scale", "norm1": "Norm1", "norm2": "Norm2", "norminf": "NormInf", "sumsq": "SumSquares",
	"sumlargest": "SumLargest", "lse": "LogSumExp", "quad": "Quad", "quadoverlin": "QuadOverLin",
	"geomean": "GeoMean", "dc": "Expr.Sub", "logdet": "LogDet", "matfrac": "MatFrac", "lambda_max": "LambdaMax",
	"lambda_min": "LambdaMin", "lambda_sumlargest": "LambdaSumLargest", "sigma_max": "SpectralNorm", "normnuc": "NuclearNorm",
	"conv": "MatMul", "kron": "Expr.Entry, Expr.Scale, Stack", "vec": "Expr.Reshape", "dotsort": "DotSort", "rel_entr": "KL, Expr.Add, Expr.Sub",
	"norm": "NormP", "wgeomean": "WeightedGeoMean", "cumsum": "Expr.Slice, Expr.Sum, Stack", "reshape": "Expr.Reshape",
	"re": "Complex.Value, RealOnly", "im": "Complex.Pairs", "conj": "Complex.Conj, Complex.H",
	"trace": "Expr.Diag, Expr.Sum", "diag": "Expr.Diag",
}

// otherGoNames are those of what the language has signs and words for.
var otherGoNames = [][2]string{
	{"`x + y`, `x - y`, `2*x`, `x + 1`", "Expr.Add, Expr.Sub, Expr.Scale, Expr.Neg, Expr.Shift"},
	{"`A*x`, `x*A`, `c*x`", "MatMul, Expr.Dot"},
	{"`x*y` of variables", "Mul"},
	{"`x .* c`", "Mul, Expr.ScaleEach"},
	{"`x^p`, `x^y`, `2^x`", "Power, Pow"},
	{"`x[i,j]`, `x[i,:]`, `x[:,j]`, `x[l..u]`", "Expr.At, Expr.Row, Expr.Rows, Expr.Col, Expr.Slice, Expr.Select"},
	{"`x'`", "Expr.T"},
	{"`[x, y]`", "Stack, Expr.Reshape"},
	{"`3`, `[1, 2]`, `[1 2; 3 4]`", "Num, Vec, Mat, Const"},
	{"`<=`, `>=`, `==`, `l <= e <= u`", "LE, GE, EQ, Between"},
	{"`name[i,j]:`", "Constraint.Named, Constraint.ForEach"},
	{"`i in 1..n, j in i+1..n`", "Pairs, Expr.Rows"},
	{"`var x[2,3]`", "Model.Var"},
	{"`>= l`, `<= u`, `in [l, u]`", "AtLeast, AtMost"},
	{"`symmetric`, `psd`", "Symmetric, PSD, Semidefinite"},
	{"`complex`, `hermitian`", "Model.ComplexVar, Model.HermitianVar, ComplexEQ, ComplexMatMul, Complex.Abs, Complex.Norm2, Complex.Quad, Complex.Semidefinite"},
	{"`start`", "StartAt, StartAtMatrix, StartNormal, StartUniform"},
	{"`x[0..n]`", "CountFrom"},
	{"`minimize`, `maximize`, `subject to`", "Model.Minimize, Model.Maximize, Model.SubjectTo"},
}

// exported are the functions and methods of package dc.
func exported(t *testing.T) map[string]bool {
	out := map[string]bool{}
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := goparser.ParseFile(gotoken.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				switch r := fn.Recv.List[0].Type.(type) {
				case *ast.Ident:
					name = r.Name + "." + name
				case *ast.StarExpr:
					name = r.X.(*ast.Ident).Name + "." + name
				}
			}
			out[name] = true
		}
	}
	return out
}

// TestGoNames: docs/go.md names a Go function for each of the language, and all
// of them exist. -update rewrites the table.
func TestGoNames(t *testing.T) {
	known := exported(t)
	var b strings.Builder
	b.WriteString("| language | package dc |\n|---|---|\n")
	row := func(what, names string) {
		list := strings.Split(names, ", ")
		for k, name := range list {
			if !known[name] {
				t.Errorf("dc.%s, for %s, does not exist", name, what)
			}
			list[k] = "`" + name + "`"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", what, strings.Join(list, ", "))
	}
	for _, o := range otherGoNames {
		row(o[0], o[1])
	}
	for _, f := range Functions() {
		name := f.Name
		if f.Data {
			continue
		}
		names := goNames[name]
		if c := atom.Find(name); c != nil && names == "" {
			names = cmp.Or(c.Doc.Go, "Apply")
		}
		if names == "" && atom.FindReduce(name) != nil {
			names = "Apply"
		}
		if names == "" {
			t.Errorf("%s has no name in Go", name)
			continue
		}
		row("`"+name+"`", names)
	}
	page.Blocks(t, *update, "../../docs/go.md", map[string]string{"names": b.String()})
}
