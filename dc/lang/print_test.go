package lang

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/judge"
	"github.com/dcopt/dcopt/internal/shared"
)

// printAgain prints a problem, compiles that, and says in what they differ.
func printAgain(p *Program) error {
	text, err := Print(p.Problem, p.Options)
	if err != nil {
		return err
	}
	f, err := Parse("printed.dc", text)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	q, err := Compile(context.Background(), f, Options{})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	if err := sameProblem(p.Problem, q.Problem); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	if laid, err := Format("printed.dc", text); err != nil || string(laid) != string(text) {
		return fmt.Errorf("the layout is another one (%v)\n%s", err, text)
	}
	return nil
}

// sameProblem compares variables, bounds, starts, functions and constraints.
func sameProblem(p, q *dc.Problem) error {
	if len(p.Program().Vars) != len(q.Program().Vars) || p.Program().Maximize != q.Program().Maximize {
		return fmt.Errorf("%d and %d variables", len(p.Program().Vars), len(q.Program().Vars))
	}
	for k, v := range p.Program().Vars {
		w := q.Program().Vars[k]
		if v.Name != w.Name || fmt.Sprint(v.Shape) != fmt.Sprint(w.Shape) || v.Symmetric != w.Symmetric || v.Semidefinite != w.Semidefinite {
			return fmt.Errorf("the variables %s and %s differ", v.Name, w.Name)
		}
		for i := range v.Len() {
			lo, hi := v.Bounds(i)
			if a, b := w.Bounds(i); a != lo || b != hi {
				return fmt.Errorf("entry %d of %s has the bounds %g and %g, then %g and %g", i, v.Name, lo, hi, a, b)
			}
		}
	}
	if a, b := p.Start(7), q.Start(7); fmt.Sprint(a) != fmt.Sprint(b) {
		return fmt.Errorf("starts %v and %v", a, b)
	}
	if err := sameExpr(p.Program().Objective, q.Program().Objective, p.NumVars()); err != nil {
		return fmt.Errorf("objective: %w", err)
	}
	a, b := rowsOf(p), rowsOf(q)
	if len(a) != len(b) {
		return fmt.Errorf("%d constraints, then %d", len(a), len(b))
	}
	for k := range a {
		if a[k].lo != b[k].lo || a[k].hi != b[k].hi {
			return fmt.Errorf("constraint %d lies between %g and %g, then %g and %g", k, a[k].lo, a[k].hi, b[k].lo, b[k].hi)
		}
		if err := sameExpr(a[k].e, b[k].e, p.NumVars()); err != nil {
			return fmt.Errorf("constraint %d: %w", k, err)
		}
	}
	return nil
}

// aRow is lo ≤ e ≤ hi.
type aRow struct {
	e      expr.Scalar
	lo, hi float64
}

// rowsOf are the constraints entry by entry.
func rowsOf(p *dc.Problem) (out []aRow) {
	for c, equation := range p.Program().Written() {
		switch {
		case c.DC && equation:
			out = append(out, aRow{c.Function(), 0, 0})
		case c.DC:
			out = append(out, aRow{c.Function(), math.Inf(-1), 0})
		default:
			for k := range c.Lo {
				out = append(out, aRow{expr.OfLinear(c.A.Linear(k)), c.Lo[k], c.Hi[k]})
			}
		}
	}
	return out
}

// sameExpr compares curvature and values, to the last bit.
func sameExpr(e, f expr.Scalar, n int) error {
	if e.IsAffine() != f.IsAffine() || e.IsConvex() != f.IsConvex() || e.IsConcave() != f.IsConcave() {
		return fmt.Errorf("the curvature differs")
	}
	r := rand.New(rand.NewPCG(3, 5))
	x := make([]float64, n)
	for round := range 6 {
		for k := range x {
			x[k] = r.NormFloat64()
			if round%2 == 1 {
				x[k] = math.Abs(x[k]) + 0.1
			}
		}
		a, errA := e.Evaluate(x)
		b, _ := f.Evaluate(x)
		if a != b && !(math.Abs(a-b) <= errA) && !(math.IsNaN(a) && math.IsNaN(b)) {
			return fmt.Errorf("the values are %.17g and %.17g", a, b)
		}
	}
	return nil
}

// TestPrintGenerated: problems of all kinds, printed and compiled again, are the
// same problems.
func TestPrintGenerated(t *testing.T) {
	arith := judge.NewArith()
	for seed := range uint64(400) {
		src := judge.Mixture(arith, seed).Text()
		if err := printAgain(mustCompile(t, src, Options{})); err != nil {
			t.Errorf("seed %d: %v\nis\n%s", seed, err, src)
			return
		}
	}
}

// TestPrintTrees: so are random expressions.
func TestPrintTrees(t *testing.T) {
	r := randomExpr{rand.New(rand.NewPCG(11, 7))}
	printed := 0
	for round := range 1500 {
		src := treeMatrix + "var y in [-3, 4], x[3], z[2,3] >= [-inf 0 1; 2 3 -4] <= 9, w[2,2] symmetric start [1 2; 2 3]\nminimize " + r.scalar(1+r.IntN(4)) + "\nsubject to\n  " + r.scalar(1+r.IntN(3)) + " <= 7\n"
		f, err := Parse("tree.dc", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		p, err := compile(context.Background(), f, Options{}, eval.Limits{Entries: 1 << 12, Vars: 1 << 11, Work: 1 << 22, Pieces: 1 << 8, Parts: 1 << 8})
		if err != nil {
			continue
		}
		printed++
		if err := printAgain(p); err != nil {
			t.Errorf("round %d: %v\nis\n%s", round, err, src)
			return
		}
	}
	if printed < 300 {
		t.Errorf("%d problems were printed", printed)
	}
}

// TestPrintFiles: so are the examples.
func TestPrintFiles(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.dc")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p := mustCompile(t, string(src), Options{Dir: filepath.Dir(name)})
		if err := printAgain(p); err != nil {
			text := err.Error()
			t.Errorf("%s: %s", name, text[:min(len(text), 2000)])
		}
	}
}

// TestPrintQuotients: quotients without a split are written as quotients.
func TestPrintQuotients(t *testing.T) {
	p := mustCompile(t, `var x in [1, 3] start 2, y in [1, 3] start 2
minimize 3*((x - 1)/(y*x - 2)) + x/(norm2([x - y, y*x]) - 2)
subject to (y - 2)/(x*y - 2) <= 7
`, Options{})
	if err := printAgain(p); err != nil {
		t.Error(err)
	}
}

// TestPrintFamilies: members that differ in numbers alone are a family.
func TestPrintFamilies(t *testing.T) {
	p := mustCompile(t, `param r = [1, 2, 4, 8.5], P = [1 2; 3 4; 5 6; 7 9]
var c[4,2] start normal(0, 10), u >= 0
minimize max(i in 1..4) (norminf(c[i,:]) + r[i]) + 2*sum(i in 1..4) min(k in 1..2) sumsq(c[k,:] - P[i,:])
subject to
  apart[i in 1..4, j in i+1..4]: norm2(c[i,:] - c[j,:]) >= r[i] + r[j]
  near: norm1(P*[u, u]) <= 3
  two[i in 1..2]: c[i,1]^2 == 1
option seed = 3, tau0 = 0.1
`, Options{})
	if err := printAgain(p); err != nil {
		t.Fatal(err)
	}
	text, err := Print(p.Problem, p.Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"apart[k in 1..6]:", "sum(k in 1..4)", "two_1:", "two_2:", "seed = 3", "tau0 = 0.1", "norm2(c[data"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// cube is no function of the language.
type cube struct{}

func (cube) Value(u []float64) float64 { return math.Abs(u[0] * u[0] * u[0]) }
func (cube) AddSubgrad(dst []float64, scale float64, u []float64) {
	dst[0] += scale * 3 * u[0] * math.Abs(u[0])
}

// TestPrintOfModels: names that the language cannot say are replaced, parameters
// are data, and what it cannot say at all is refused.
func TestPrintOfModels(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("max weight", []int{2}, dc.AtLeast(math.Inf(-1), 1), dc.StartAt(1, 2))
	y := m.Var("max", nil, dc.CountFrom())
	z := m.Var("z", []int{3}, dc.CountFrom(0))
	w := m.Param("price", []int{2}, 3, 4)
	m.Maximize(dc.Norm2(x).Neg().Sub(dc.Abs(y)).Sub(dc.SumSquares(z.Sub(dc.Vec([]float64{1, 2, 3})))))
	m.AddCost(w, x)
	m.SubjectTo(dc.LE(x, w.Expr).Named("in budget"), dc.Between(dc.Num(0.1), y, dc.Num(0.3)), dc.EQ(dc.Mul(x.At(0), y), dc.Num(1)).Named("in budget", 3))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	text, err := Print(p, ProblemOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q := mustCompile(t, string(text), Options{}).Problem
	at := []float64{1, 2, 3, 4, 5, 6}
	full := append(append([]float64{}, at...), 3, 4)
	if a, b := p.Value(full), q.Value(at); math.Abs(a-b) > 1e-12 {
		t.Errorf("%g and %g\n%s", a, b, text)
	}
	va, _ := p.Violation(full)
	if vb, _ := q.Violation(at); math.Abs(va-vb) > 1e-12 {
		t.Errorf("violations %g and %g\n%s", va, vb, text)
	}
	m.Minimize(dc.BlackBox("cube", cube{}, y).Neg())
	if p, err = m.Problem(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := Print(p, ProblemOptions{}); err == nil || !strings.Contains(err.Error(), "no function of the language") {
		t.Errorf("a black box: %v", err)
	}
	m.Var("half", []int{2}, dc.StartAt(1, math.NaN()))
	m.Minimize(y)
	if p, err = m.Problem(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := Print(p, ProblemOptions{}); err == nil || !strings.Contains(err.Error(), "half") {
		t.Errorf("half a start: %v", err)
	}
}

// TestPrintNine: so are the examples of DCCP.
func TestPrintNine(t *testing.T) {
	for _, name := range shared.Sample(t, 4, []string{"boolean_ls", "circle_packing", "control", "filter_design", "gaussian_covariance", "path_planning", "phase_retrieval", "sparse_recovery", "sparse_singular"}) {
		t.Run(name, func(t *testing.T) {
			if err := printAgain(compileNine(t, name)); err != nil {
				text := err.Error()
				t.Error(text[:min(len(text), 2000)])
			}
		})
	}
}
