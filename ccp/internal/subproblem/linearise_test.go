package subproblem

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

const entries = 20 // pairs of them are a family

// bent is a problem with DC constraints by themselves and in a family, with constants and affine
// parts.
func bent(t *testing.T) *dc.Problem {
	t.Helper()
	m := dc.NewModel()
	x := m.Var("x", []int{entries})
	m.Minimize(dc.SumSquares(x))
	m.SubjectTo(dc.GE(dc.SumSquares(x), dc.Num(4)), dc.GE(dc.SumSquares(x).Add(x.At(0)), dc.Num(3)))
	for i := range entries {
		for j := range i {
			m.SubjectTo(dc.GE(dc.Norm2(dc.Stack(x.At(i), x.At(j))), dc.Num(1+float64(i+j)/8)).Named("apart", i, j))
		}
	}
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// values are those of the rows of DC constraints at x, less their bounds, without slacks, by number
// in Soft.
func values(s *Problem, x []float64) []float64 {
	p := s.Stated()
	at := make([]float64, len(p.L))
	full := make([]float64, len(p.Q))
	copy(full, x)
	p.A.AddMulVec(at, 1, full)
	out := make([]float64, len(s.Compiled.Soft))
	for k := range s.Compiled.Cuts {
		c := &s.Compiled.Cuts[k]
		out[s.Compiled.owners[c.Slack]] = at[c.Row] - p.U[c.Row]
	}
	for _, f := range s.Compiled.Rows.Families {
		for k := range f.Count() {
			out[f.Soft+f.Number(k)] = at[f.Row+k] - p.U[f.Row+k]
		}
	}
	return out
}

// TestTangents: rows have the values of their functions at the point of the tangents and at most
// these elsewhere; after Correct they have them at the other point, with the slopes of before.
func TestTangents(t *testing.T) {
	p := bent(t)
	s, err := Compile(t.Context(), p.Program())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Compiled.Cuts) == 0 || len(s.Compiled.Rows.Families) == 0 {
		t.Fatalf("%d cuts and %d families", len(s.Compiled.Cuts), len(s.Compiled.Rows.Families))
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		z, x := make([]float64, entries), make([]float64, entries)
		for j := range z {
			z[j], x[j] = rng.NormFloat64(), rng.NormFloat64()
		}
		if err := s.Linearise(z, 1); err != nil {
			t.Fatal(err)
		}
		at, beside := values(s, z), values(s, x)
		for k, c := range s.Compiled.Soft {
			if !(math.Abs(at[k]-c.Value(z)) <= 1e-12) || !(beside[k] >= c.Value(x)-1e-12) {
				t.Fatalf("constraint %d: a row with %g and %g, the function has %g and %g", k, at[k], beside[k], c.Value(z), c.Value(x))
			}
		}
		s.Correct(x)
		for k, v := range values(s, x) {
			if want := s.Compiled.Soft[k].Value(x); !(math.Abs(v-want) <= 1e-12) {
				t.Fatalf("constraint %d: a row with %g after the correction, the function has %g", k, v, want)
			}
		}
	}
}

// TestQuadraticInConstraint: a quadratic form beside another function is a cone by a root of its
// matrix.
func TestQuadraticInConstraint(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	q := mat.NewSymDense(2, []float64{2, 1, 1, 2})
	m.Minimize(dc.Sum(x.At(0), x.At(1)))
	m.SubjectTo(dc.LE(dc.Sum(dc.Quad(context.Background(), x, q), dc.Abs(x.At(0))), dc.Num(1)))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s, err := Compile(t.Context(), p.Program())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Linearise([]float64{0, 0}, 1); err != nil {
		t.Fatal(err)
	}
	b := ipm.Backend{}
	if err := s.Open(context.Background(), b, b.DefaultSettings()); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Solve(t.Context()); err != nil || s.Session.Res.Status != qpbackend.Solved {
		t.Fatal(err, s.Session.Res.Status)
	}
	at := s.Session.Res.X[:2]
	if v := p.Program().Constraints[0].Value(at); !(math.Abs(v) <= 1e-6) {
		t.Errorf("the constraint is %g at %v, want 0", v, at)
	}
	// The gradient of the objective is a multiple of the one of the constraint, where x₀ is below
	// 0.
	g0, g1 := 4*at[0]+2*at[1]-1, 2*at[0]+4*at[1]
	if !(at[0] < 0 && math.Abs(g0-g1) <= 1e-4*math.Abs(g1)) {
		t.Errorf("at %v the gradients are not parallel: (%g, %g)", at, g0, g1)
	}
}

// TestRowsOfTheObjective: the rows of a fit of samples are stated at once, and the convex problem
// has the least value that it has with the rows of each sample stated by itself.
func TestRowsOfTheObjective(t *testing.T) {
	const samples = 60
	rng := rand.New(rand.NewPCG(5, 1))
	var x, y strings.Builder
	m := dc.NewModel()
	box := []dc.VarOption{dc.AtLeast(-5), dc.AtMost(5)}
	g, h, sum := m.Var("G", []int{2, 3}, box...), m.Var("H", []int{2, 3}, box...), dc.Num(0)
	for range samples {
		row, v := []float64{rng.NormFloat64(), rng.NormFloat64(), 1}, rng.NormFloat64()
		fmt.Fprintf(&x, "; %g %g 1", row[0], row[1])
		fmt.Fprintf(&y, " %g", v)
		largest := func(a dc.Expr) dc.Expr { return dc.Max(a.Row(0).Dot(row), a.Row(1).Dot(row)) }
		sum = sum.Add(dc.Abs(largest(g).Scale(2).Sub(largest(h).Scale(3)).Sub(dc.Num(v)).Add(h.At(0, 2))))
	}
	m.Minimize(sum)
	apart, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f, err := lang.Parse("fit.dc", fmt.Appendf(nil, `param X = [%s], y = [%s]
var G[2,3] in [-5, 5], H[2,3] in [-5, 5]
minimize sum(i in 1..60) abs(2*max(k in 1..2) (X[i,:]*G[k,:]) - 3*max(k in 1..2) (X[i,:]*H[k,:]) - y[i] + H[1,3])
`, x.String()[1:], y.String()))
	if err != nil {
		t.Fatal(err)
	}
	together, err := lang.Compile(t.Context(), f, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	z := make([]float64, apart.NumVars())
	for j := range z {
		z[j] = rng.NormFloat64()
	}
	once, least := leastOf(t, together.Problem, z)
	single, want := leastOf(t, apart, z)
	if n := len(once.Compiled.Rows.Objective); n != 4 || len(once.Compiled.Cuts) != 0 {
		t.Errorf("%d families and %d cuts, want 4 and none", n, len(once.Compiled.Cuts))
	}
	if n, rows := len(single.Compiled.Cuts), once.Compiled.Rows.Count(); n != rows {
		t.Errorf("%d cuts, and %d rows at once", n, rows)
	}
	if !(math.Abs(least-want) <= 1e-6*math.Abs(want)) {
		t.Errorf("the least value is %.10g, of samples one by one %.10g", least, want)
	}
	for i := range once.Compiled.Rows.Count() {
		if r := once.Compiled.Rows.At(i); r.Owner >= 0 || r.Entry >= 0 {
			t.Fatalf("row %d is of constraint %d", i, r.Owner)
		}
	}
}

// leastOf is the convex problem with tangents at z, and its least value.
func leastOf(t *testing.T, p *dc.Problem, z []float64) (*Problem, float64) {
	t.Helper()
	s, err := Compile(t.Context(), p.Program())
	if err == nil {
		err = s.Linearise(z, 1)
	}
	if err == nil {
		err = s.Open(t.Context(), ipm.Backend{}, ipm.Backend{}.DefaultSettings())
	}
	if err == nil {
		defer s.Close()
		err = s.Solve(t.Context())
	}
	if err != nil || s.Session.Res.Status != qpbackend.Solved {
		t.Fatal(err)
	}
	return s, s.Session.Res.Objective
}
