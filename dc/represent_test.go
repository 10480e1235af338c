//go:build !race

package dc_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// collector is a dc.Canon over plain lists, independent of ccp's.
type collector struct {
	cols   int
	rows   []convex.Linear
	lo, hi []float64
	cones  []qpbackend.Cone
	forms  map[convex.Representer]convex.Form
}

func (c *collector) Var() int { c.cols++; return c.cols - 1 }
func (c *collector) Row(a convex.Linear, lo, hi float64) {
	c.rows, c.lo, c.hi = append(c.rows, a), append(c.lo, lo-a.Const), append(c.hi, hi-a.Const)
}
func (c *collector) Tangent(a convex.Linear, h convex.Func) { panic("no tangents in this test") }

func (c *collector) Cone(k convex.Cone) {
	c.cones = append(c.cones, qpbackend.Cone{Kind: qpbackend.ConeKind(k.Kind), Start: len(c.rows), Len: len(k.Rows), Alpha: k.Alpha})
	for _, a := range k.Rows {
		c.Row(a, 0, math.Inf(1))
	}
}

func (c *collector) Form(f convex.Representer) convex.Form {
	if l, ok := f.(convex.Linear); ok {
		return convex.Form{Linear: l}
	}
	if form, ok := c.forms[f]; ok {
		return form
	}
	c.forms[f] = f.Represent(c)
	return c.forms[f]
}
func (c *collector) Bound(f convex.Representer) convex.Linear {
	form := c.Form(f)
	if form.Quad == nil {
		return form.Linear
	}
	t := convex.Linear{Idx: []int{c.Var()}, Val: []float64{1}} // ‖(t − 1, 2√w·Ra)‖ ≤ t + 1
	rows := []convex.Linear{t.AddScaled(1, convex.Linear{Const: 1}), t.AddScaled(-1, convex.Linear{Const: 1})}
	for _, q := range form.Quad {
		a := q.Arg
		if q.Q != nil {
			var chol mat.Cholesky
			if !chol.Factorize(q.Q) {
				panic("the samples' quadratic forms have full rank")
			}
			var u mat.TriDense
			chol.UTo(&u)
			a = a.LeftMul(&u, 1, []int{a.Len()})
		}
		for k := range a.Len() {
			rows = append(rows, a.Linear(k).Scale(2*math.Sqrt(q.Weight)))
		}
	}
	c.Cone(convex.Cone{Kind: convex.SecondOrderCone, Rows: rows})
	return form.Linear.AddScaled(1, t)
}

// hold is f's representation with x held at a point.
func (c *collector) hold(f convex.Representer, at []float64) *qpbackend.Problem {
	c.cols, c.forms = len(at), map[convex.Representer]convex.Form{}
	form := c.Form(f)
	for j, v := range at {
		c.Row(convex.Linear{Idx: []int{j}, Val: []float64{1}}, v, v)
	}
	var a, p sparse.Triplets
	for i, l := range c.rows {
		for k, j := range l.Idx {
			a.Add(i, j, l.Val[k])
		}
	}
	qp := &qpbackend.Problem{Q: make([]float64, c.cols), R: form.Linear.Const, L: c.lo, U: c.hi, Cones: c.cones}
	for k, j := range form.Linear.Idx {
		qp.Q[j] += form.Linear.Val[k]
	}
	for _, q := range form.Quad { // w·uᵀQu with u − Arg = 0
		u := make([]int, q.Arg.Len())
		for k := range u {
			u[k] = c.Var()
			qp.Q = append(qp.Q, 0)
			l := q.Arg.Linear(k)
			for n, j := range l.Idx {
				a.Add(len(qp.L), j, l.Val[n])
			}
			a.Add(len(qp.L), u[k], -1)
			qp.L, qp.U = append(qp.L, -l.Const), append(qp.U, -l.Const)
		}
		for i := range u {
			for k := i; k < len(u); k++ {
				switch {
				case q.Q != nil:
					p.Add(u[i], u[k], 2*q.Weight*q.Q.At(i, k))
				case i == k:
					p.Add(u[i], u[i], 2*q.Weight)
				}
			}
		}
	}
	qp.A, _ = a.CSC(len(qp.L), len(qp.Q))
	qp.P, _ = p.CSC(len(qp.Q), len(qp.Q))
	return qp
}

// least is the minimum of a problem.
func least(t *testing.T, qp *qpbackend.Problem) float64 {
	t.Helper()
	b := ipm.Backend{}
	solver, err := b.New(context.Background(), qp, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer solver.Close()
	var res qpbackend.Result
	if err := solver.Solve(context.Background(), &res); err != nil {
		t.Fatal(err)
	}
	if res.Status != qpbackend.Solved {
		t.Fatalf("status %v %s", res.Status, res.Message)
	}
	return res.Objective
}

// TestTallNorms: a norm of many functions of few variables is represented by few.
func TestTallNorms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, rows := range []int{2, 4, 5, 40} {
		m := dc.NewModel()
		x := m.Var("x", []int{4})
		a := mat.NewDense(rows, 4, nil)
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		b := make([]float64, rows)
		for k := range b {
			b[k] = rng.NormFloat64()
		}
		f := dc.Norm2(dc.MatMul(dc.Mat(a), x).Add(dc.Vec(b))).Scalar().G()
		at := []float64{1, -2, 0.5, 3}
		c := collector{}
		qp := c.hold(f, at)
		if got, want := least(t, qp), f.Value(at); math.Abs(got-want) > 1e-7*want {
			t.Errorf("%d rows: %g, want %g", rows, got, want)
		}
		if most := min(rows, 5) + 1; qp.Cones[0].Len > most {
			t.Errorf("%d rows: a cone of %d", rows, qp.Cones[0].Len)
		}
	}
}

// TestRepresentation: the least value of the representation is the function,
// for g and for h, at random points and at kinks.
func TestRepresentation(t *testing.T) {
	forEach(t, func(t *testing.T, s sample, _ dc.Expr, m *dc.Model, e dc.Expr) {
		switch {
		case s.oracle:
			m.Minimize(e)
			if _, err := m.Problem(context.Background()); err == nil || !strings.Contains(err.Error(), "cubes has no representation") {
				t.Fatalf("error %v, want a refusal of the black box", err)
			}
			return
		}
		xs := points(rand.New(rand.NewPCG(6, 6)), 12, s.positive)
		cones := 0
		for _, at := range xs {
			for part, f := range map[string]convex.Func{"g": e.Scalar().G(), "h": e.Scalar().H()} {
				if part == "h" && s.values {
					continue
				}
				c := collector{}
				qp := c.hold(f.(convex.Representer), at)
				cones += len(qp.Cones)
				got, want := least(t, qp), f.Value(at)
				if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Fatalf("%s at %v: representation %g, value %g", part, at, got, want)
				}
			}
		}
		if (cones > 0) != s.cone {
			t.Errorf("%d cones", cones)
		}
	})
}

// TestRowsKeepTheDomain: x^1.5 ≤ 1 is the row x ≤ 1 only where x ≥ 0 is known.
func TestRowsKeepTheDomain(t *testing.T) {
	for _, c := range []struct {
		shift float64
		is    bool
	}{{0, true}, {1, true}, {-1, false}} {
		x := dc.NewModel().Var("x", nil, dc.AtLeast(0)).Shift(c.shift)
		e := dc.Power(x, 1.5)
		f, ok := e.Scalar().G().(convex.Line)
		if !ok {
			t.Fatal("no function of one affine function")
		}
		if _, _, _, _, is := f.Line(convex.Linear{Const: 1}); is != c.is {
			t.Errorf("(x + %g)^1.5 ≤ 1 for x ≥ 0: a row %v", c.shift, is)
		}
	}
}

// TestConesKeepTheDomain: where x ≥ 0 is not known, x^1.5 ≤ b is a cone, whose multipliers give the
// one of the function: share is minus the derivative of the rows by b.
func TestConesKeepTheDomain(t *testing.T) {
	x := dc.NewModel().Var("x", nil)
	below := func(b float64) (convex.Cone, []float64, bool) {
		return dc.Power(x, 1.5).Scalar().G().(convex.Sublevel).Below(convex.Linear{Const: b})
	}
	const b, step = 2.0, 1e-6
	k, share, ok := below(b)
	more, _, _ := below(b + step)
	if !ok || len(k.Rows) != 2 {
		t.Fatalf("%v, %v", k, ok)
	}
	for i := range k.Rows {
		if d := (more.Rows[i].Const - k.Rows[i].Const) / step; math.Abs(d+share[i]) > 1e-6 {
			t.Errorf("row %d: share %g, derivative %g", i, share[i], d)
		}
	}
	for _, at := range []struct {
		x      float64
		inside bool
	}{{-0.01, false}, {0.01, true}, {1.58, true}, {1.59, false}} {
		v := []float64{at.x}
		if in := k.Rows[0].Value(v) >= math.Abs(k.Rows[1].Value(v)); in != at.inside {
			t.Errorf("x = %g: within the cone %v", at.x, in)
		}
	}
}
