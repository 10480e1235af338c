package ipm_test

import (
	"context"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/qptest"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

var derivatives = flag.Int("derivatives", 60, "random problems of TestDerivativesAgreeWithDifferences")

// differentiable is a random problem with cones of all kinds, intervals and bounds of variables.
// sure says that its solution is known to be unique, with its multipliers.
func differentiable(seed uint64) (p *qpbackend.Problem, sure, ok bool) {
	kinds := []qpbackend.ConeKind{qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite}
	c := qptest.RandomConeCase(seed, kinds...)
	if c.Want != qpbackend.Solved {
		return nil, false, false
	}
	p, sure = c.Problem, c.UniqueX && c.UniqueY
	rng := rand.New(rand.NewPCG(seed, 7))
	n, _ := p.Dims()
	p.Lo, p.Hi = make([]float64, n), make([]float64, n)
	for j, x := range c.X {
		p.Lo[j], p.Hi[j] = math.Inf(-1), math.Inf(1)
		z := 0.2 + rng.Float64()
		switch rng.IntN(40) {
		case 0:
			p.Lo[j] = x - z
		case 1:
			p.Hi[j] = x + z
		case 2:
			p.Lo[j], sure = x, false
			p.Q[j] += z
		case 3:
			p.Hi[j], sure = x, false
			p.Q[j] -= z
		case 4:
			p.Lo[j], p.Hi[j], sure = x, x, false
			p.Q[j] -= z * rng.NormFloat64()
		}
	}
	return p, sure, true
}

// change draws a direction of all values of p. Sides that are equal stay so, and P stays
// positive semidefinite, to first order, as its range stays.
func change(rng *rand.Rand, p *qpbackend.Problem) qpbackend.Update {
	draw := func(k int) []float64 {
		v := make([]float64, k)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	n, m := p.Dims()
	u := qpbackend.Update{Q: draw(n), Lo: draw(n), Hi: draw(n), L: draw(m), U: draw(m), A: draw(p.A.NNZ())}
	for j := range n {
		if p.Lo[j] == p.Hi[j] {
			u.Hi[j] = u.Lo[j]
		}
	}
	for i := range m {
		if p.L[i] == p.U[i] {
			u.U[i] = u.L[i]
		}
	}
	if p.P != nil { // P is scaled, and moved along itself on the diagonal: a congruence
		t := draw(n)
		u.P = make([]float64, p.P.NNZ())
		for j := range n {
			for e := p.P.ColPtr[j]; e < p.P.ColPtr[j+1]; e++ {
				u.P[e] = p.P.Val[e] * (t[p.P.RowIdx[e]] + t[j])
			}
		}
	}
	return u
}

// moved are the values of p after a step h along u, P by the congruence.
func moved(p *qpbackend.Problem, u qpbackend.Update, h float64) *qpbackend.Problem {
	q := p.Clone()
	num.Axpy(q.Q, h, u.Q)
	num.Axpy(q.Lo, h, u.Lo)
	num.Axpy(q.Hi, h, u.Hi)
	num.Axpy(q.L, h, u.L)
	num.Axpy(q.U, h, u.U)
	num.Axpy(q.A.Val, h, u.A)
	if q.P != nil {
		for e, v := range u.P {
			if w := p.P.Val[e]; w != 0 {
				q.P.Val[e] = w * math.Exp(h*v/w)
			}
		}
	}
	return q
}

type solution struct {
	qpbackend.Result
	d     qpbackend.Derivative
	point []float64 // refined
}

// refined solves p, and refines the solution as far as floating point goes: the residuals say so.
func refined(t *testing.T, p *qpbackend.Problem) (r solution, ok bool) {
	t.Helper()
	b := ipm.Backend{}
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Solve(context.Background(), &r.Result); err != nil {
		t.Fatal(err)
	}
	if r.Status != qpbackend.Solved && r.Status != qpbackend.AlmostSolved {
		return r, false
	}
	if r.d, err = s.(qpbackend.Differentiator).Differentiate(context.Background()); err != nil {
		t.Fatal(err)
	}
	at := r.d.Point()
	r.point = concat(&at)
	return r, qpbackend.Certify(p, at.X, at.Y, at.Z).Max() <= 1e-12
}

func concat(r *qpbackend.Tangent) []float64 {
	return append(append(append([]float64(nil), r.X...), r.Y...), r.Z...)
}

// difference is the change of the solution by central differences with steps h and h/2,
// extrapolated, and how far the two are apart.
func difference(t *testing.T, p *qpbackend.Problem, u qpbackend.Update, h float64) (d []float64, apart float64, ok bool) {
	at := func(h float64) []float64 {
		r, fine := refined(t, moved(p, u, h))
		ok = ok && fine
		return r.point
	}
	ok = true
	a, b, c, e := at(h), at(-h), at(h/2), at(-h/2)
	d = make([]float64, len(a))
	for i := range d {
		wide, near := (a[i]-b[i])/(2*h), (c[i]-e[i])/h
		d[i] = (4*near - wide) / 3
		apart = max(apart, math.Abs(near-wide))
	}
	return d, apart, ok
}

// The derivative along a random direction of all values is that of finite differences, and
// the adjoint is its transpose, where the solution is regular.
func TestDerivativesAgreeWithDifferences(t *testing.T) {
	total, regular, kinks, unclear, unsolved, seen, worst := 0, 0, 0, 0, 0, uint64(0), 0.0
	byKind := map[string]int{}
	for ; total < *derivatives; seen++ {
		p, sure, ok := differentiable(seen)
		if !ok {
			continue
		}
		total++
		r, ok := refined(t, p)
		if !ok && r.d == nil {
			unsolved++
			t.Logf("%d: %v", seen, r.Status)
			continue
		}
		rng := rand.New(rand.NewPCG(seen, 9))
		u := change(rng, p)
		var dx qpbackend.Tangent
		if err := r.d.Forward(context.Background(), u, &dx); err != nil {
			t.Fatal(err)
		}
		g := qpbackend.Tangent{X: make([]float64, len(r.X)), Y: make([]float64, len(r.Y)), Z: make([]float64, len(r.Z))}
		for _, v := range [...][]float64{g.X, g.Y, g.Z} {
			for i := range v {
				v[i] = rng.NormFloat64()
			}
		}
		var grad qpbackend.Update
		if err := r.d.Adjoint(context.Background(), g, &grad); err != nil {
			t.Fatal(err)
		}
		one, two := num.Dot(concat(&g), concat(&dx)), 0.0
		size := math.Abs(one)
		for _, v := range [...][2][]float64{{grad.Q, u.Q}, {grad.Lo, u.Lo}, {grad.Hi, u.Hi}, {grad.L, u.L}, {grad.U, u.U}, {grad.P, u.P}, {grad.A, u.A}} {
			if v[1] != nil {
				two += num.Dot(v[0], v[1])
				size = max(size, num.Norm2(v[0])*num.Norm2(v[1]))
			}
		}
		reg := r.d.Regularity()
		allowed := 1e-8 * size
		if !reg.Regular {
			allowed = 1e-6 * size
		}
		if !(math.Abs(one-two) <= allowed) {
			t.Errorf("%v %d: gᵀdx is %.12g, the gradient times the change %.12g; %+v", p.Cones, seen, one, two, reg)
		}
		if !reg.Regular {
			if kinks++; sure {
				t.Errorf("%d: flagged, though the solution is unique: %+v", seen, reg)
			}
			continue
		}
		// A step that does not pass the kink, and is small against the condition.
		got := concat(&dx)
		scale := max(1, num.NormInf(got))
		good, apart, off := false, 0.0, math.Inf(1)
		for _, h := range [...]float64{1e-4, 1e-5, 1e-6} {
			h /= scale
			want, a, fine := difference(t, p, u, h)
			if !fine {
				continue
			}
			e := 0.0
			for i, v := range want {
				e = max(e, math.Abs(v-got[i]))
			}
			if e /= scale; e < off {
				off, apart = e, a/scale
			}
			if good = off <= 1e-5; good {
				break
			}
		}
		switch {
		case good:
			regular++
			worst = max(worst, off)
			for _, c := range p.Cones {
				byKind[c.Kind.String()]++
			}
		case apart > 1e-5: // the differences say nothing
			unclear++
			t.Logf("%d: differences with two steps are %g apart, %g from the derivative; %+v", seen, apart, off, reg)
		default:
			t.Errorf("%d: the derivative is %g from finite differences, relative; %+v", seen, off, reg)
		}
	}
	t.Logf("%d of %d regular, worst %.1e; %d flagged, %d without clear differences; cones %v", regular, total, worst, kinks, unclear, byKind)
	if regular < total/3 || unclear > total/500 || unsolved > total/500 {
		t.Errorf("%d of %d are regular, %d unclear, %d without solution", regular, total, unclear, unsolved)
	}
	for _, k := range []qpbackend.ConeKind{qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite} {
		if byKind[k.String()] < total/20 {
			t.Errorf("%d %v cones among %d problems", byKind[k.String()], k, total)
		}
	}
}

func derive(t *testing.T, p *qpbackend.Problem) (qpbackend.Solver, qpbackend.Derivative) {
	t.Helper()
	b := ipm.Backend{}
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	var r qpbackend.Result
	if err := s.Solve(context.Background(), &r); err != nil || r.Status != qpbackend.Solved {
		t.Fatal(r.Status, err)
	}
	d, err := s.(qpbackend.Differentiator).Differentiate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

func nearAll(t *testing.T, what string, got []float64, want ...float64) {
	t.Helper()
	for i, v := range want {
		if len(got) != len(want) || !(math.Abs(got[i]-v) <= 1e-9) {
			t.Fatalf("%s is %v, want %v", what, got, want)
		}
	}
}

// Minimise ½(x₀² + 2x₁²) − x₀ − x₁ with x₀ + x₁ ≥ 2 and x₁ ≤ 1: x = (4/3, 2/3), y = −1/3; the
// gradient of x₀ is the multiplier of the Lagrangian's Hessian on x₀ + x₁ = 2.
func TestDerivativeOfAKnownProblem(t *testing.T) {
	var P, A sparse.Triplets
	P.Add(0, 0, 1)
	P.Add(0, 1, 0)
	P.Add(1, 1, 2)
	A.Add(0, 0, 1)
	A.Add(0, 1, 1)
	p := &qpbackend.Problem{Q: []float64{-1, -1}, Hi: []float64{math.Inf(1), 1}, L: []float64{2}, U: []float64{math.Inf(1)}}
	p.P, _ = P.CSC(2, 2)
	p.A, _ = A.CSC(1, 2)
	s, d := derive(t, p)
	if r := d.Regularity(); !r.Regular || r.Message != "" {
		t.Errorf("%+v", r)
	}
	var dx qpbackend.Tangent
	if err := d.Forward(context.Background(), qpbackend.Update{L: []float64{1}}, &dx); err != nil {
		t.Fatal(err)
	}
	nearAll(t, "dx/dl", dx.X, 2./3, 1./3)
	nearAll(t, "dy/dl", dx.Y, -2./3)
	nearAll(t, "dz/dl", dx.Z, 0, 0)
	var g qpbackend.Update
	if err := d.Adjoint(context.Background(), qpbackend.Tangent{X: []float64{1, 0}}, &g); err != nil {
		t.Fatal(err)
	}
	// G = (1, −1)(1, −1)ᵀ/3 on the row; dx = −G dq, −G dP x, dA: x₀ + x₁ = 2 − da·x and Aᵀy.
	nearAll(t, "dx₀/dq", g.Q, -1./3, 1./3)
	nearAll(t, "dx₀/dP", g.P, -4./9, 2./9, 2./9)
	nearAll(t, "dx₀/dA", g.A, 1./9-8./9, -1./9-4./9)
	nearAll(t, "dx₀/dl", g.L, 2./3)
	nearAll(t, "dx₀/du", g.U, 0)
	nearAll(t, "dx₀/dhi", g.Hi, 0, 0)

	// Once the bound of x₁ holds, x₀ follows it.
	if err := s.Update(qpbackend.Update{Hi: []float64{math.Inf(1), 0.5}}); err != nil {
		t.Fatal(err)
	}
	var none qpbackend.Result
	if _, err := s.(qpbackend.Differentiator).Differentiate(context.Background()); err == nil || !strings.Contains(err.Error(), "present values have not been solved") {
		t.Errorf("after Update: %v", err)
	}
	if err := s.Solve(context.Background(), &none); err != nil {
		t.Fatal(err)
	}
	d, err := s.(qpbackend.Differentiator).Differentiate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Adjoint(context.Background(), qpbackend.Tangent{X: []float64{1, 0}}, &g); err != nil {
		t.Fatal(err)
	}
	nearAll(t, "dx₀/dhi", g.Hi, 0, -1)
	nearAll(t, "dx₀/dq", g.Q, 0, 0)
	if err := d.Adjoint(context.Background(), qpbackend.Tangent{Z: []float64{0, 1}}, &g); err != nil {
		t.Fatal(err)
	}
	nearAll(t, "dz₁/dq", g.Q, 1, -1) // z₁ = −q₁ − 2x₁ − y, y = −q₀ − x₀
}

// The same row twice leaves the multipliers open, a variable without cost the solution: the flag
// says so, and the part that is determined is right.
func TestDerivativeWhereNotUnique(t *testing.T) {
	var A sparse.Triplets
	for i := range 2 {
		A.Add(i, 0, 1)
		A.Add(i, 1, 1)
	}
	p := &qpbackend.Problem{P: sparse.Identity(2), Q: []float64{0, 0}, L: []float64{2, 2}, U: []float64{2, 2}}
	p.A, _ = A.CSC(2, 2)
	_, d := derive(t, p)
	if r := d.Regularity(); r.Regular || !(r.Dual > 1e5) || !(r.Primal < 1e3) || !strings.Contains(r.Message, "multipliers") {
		t.Errorf("%+v", r)
	}
	var dx qpbackend.Tangent
	both := []float64{1, 1}
	if err := d.Forward(context.Background(), qpbackend.Update{L: both, U: both}, &dx); err != nil {
		t.Fatal(err)
	}
	nearAll(t, "dx", dx.X, 0.5, 0.5)
	nearAll(t, "dy", dx.Y, -0.25, -0.25)
	// The rows part by one: least squares moves them to the middle.
	if err := d.Forward(context.Background(), qpbackend.Update{L: []float64{1, 0}, U: []float64{1, 0}}, &dx); err != nil {
		t.Fatal(err)
	}
	nearAll(t, "dx", dx.X, 0.25, 0.25)

	// x₁ costs nothing and is in no row.
	p = &qpbackend.Problem{Q: []float64{1, 0}, Lo: []float64{1, -1}, Hi: []float64{3, 1}}
	_, d = derive(t, p)
	if r := d.Regularity(); r.Regular || !strings.Contains(r.Message, "not unique") {
		t.Errorf("%+v", r)
	}
	if err := d.Forward(context.Background(), qpbackend.Update{Lo: both}, &dx); err != nil {
		t.Fatal(err)
	}
	nearAll(t, "dx", dx.X, 1, 0)

	// A kink: the bound is met, without a multiplier.
	p = &qpbackend.Problem{P: sparse.Identity(1), Q: []float64{-1}, Hi: []float64{1}}
	_, d = derive(t, p)
	if r := d.Regularity(); r.Regular || !(r.Margin < 1e-6) || !strings.Contains(r.Message, "variable 0 is not strictly complementary") {
		t.Errorf("%+v", r)
	}
}

func TestNoDerivative(t *testing.T) {
	b := ipm.Backend{}
	p := &qpbackend.Problem{P: sparse.Identity(1), Q: []float64{1}, A: sparse.Identity(1), L: []float64{2}, U: []float64{3}, Hi: []float64{1}}
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	f := s.(qpbackend.Differentiator)
	if _, err := f.Differentiate(context.Background()); err == nil {
		t.Error("before Solve: no error")
	}
	var r qpbackend.Result
	if err := s.Solve(context.Background(), &r); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Differentiate(context.Background()); err == nil || !strings.Contains(err.Error(), "primal_infeasible") {
		t.Errorf("infeasible: %v", err)
	}
	if err := s.Update(qpbackend.Update{Hi: []float64{4}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Solve(context.Background(), &r); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Differentiate(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	d, err := f.Differentiate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var dx qpbackend.Tangent
	var g qpbackend.Update
	for _, bad := range [][]float64{{1, 2}, {math.NaN()}, {math.Inf(1)}} {
		if err := d.Forward(context.Background(), qpbackend.Update{Hi: bad}, &dx); err == nil || !strings.Contains(err.Error(), "change of hi") {
			t.Errorf("Forward of %v: %v", bad, err)
		}
		if err := d.Adjoint(context.Background(), qpbackend.Tangent{Y: bad}, &g); err == nil || !strings.Contains(err.Error(), "with respect to y") {
			t.Errorf("Adjoint of %v: %v", bad, err)
		}
	}
	s.Close()
	if _, err := f.Differentiate(context.Background()); err == nil {
		t.Error("closed: no error")
	}
}
