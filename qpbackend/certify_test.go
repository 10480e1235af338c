package qpbackend_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

var inf = math.Inf(1)

// matrix stores all entries of rows, zeros too.
func matrix(rows ...[]float64) *sparse.CSC {
	var t sparse.Triplets
	for i, r := range rows {
		for j, v := range r {
			t.Add(i, j, v)
		}
	}
	m, _ := t.CSC(len(rows), len(rows[0]))
	return m
}

// upper stores the upper triangle of rows.
func upper(rows ...[]float64) *sparse.CSC {
	var t sparse.Triplets
	for i, r := range rows {
		for j := i; j < len(r); j++ {
			t.Add(i, j, r[j])
		}
	}
	m, _ := t.CSC(len(rows), len(rows))
	return m
}

// corner has the rows x₀ + x₁ ≤ 3, x₀ ≥ −1 and one without bounds.
func corner() *qpbackend.Problem {
	return &qpbackend.Problem{
		P: upper([]float64{4, 2}, []float64{2, 6}), Q: []float64{-20, -4}, R: 5,
		A: matrix([]float64{1, 1}, []float64{1, 0}, []float64{0, 1}),
		L: []float64{-inf, -1, -1e20}, U: []float64{3, inf, inf},
	}
}

func TestCertifyByHand(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *qpbackend.Problem
		x, y []float64
		want qpbackend.Residuals
	}{
		{"the optimum", corner(), []float64{14. / 3, -5. / 3}, []float64{14. / 3, 0, 0}, qpbackend.Residuals{}},
		// Px + q + Aᵀy = (12, 6) − (20, 4) + (8, 8); both objectives are −42 + 5.
		{"dual residual", corner(), []float64{3, 0}, []float64{8, 0, 0}, qpbackend.Residuals{Dual: 10. / 20}},
		// The objectives are −42 + 5 and −18 + 5.
		{"gap", corner(), []float64{3, 0}, []float64{0, 0, 0}, qpbackend.Residuals{Dual: 8. / 20, Gap: 24. / 37}},
		// Ax = (5, 5, 0) exceeds the first row by 2; Px + q = (0, 6).
		{"primal residual", corner(), []float64{5, 0}, []float64{0, 0, 0}, qpbackend.Residuals{Primal: 2. / 5, Dual: 6. / 20}},
		{"lower bound missed", corner(), []float64{-2, 0}, []float64{0, 0, 0}, qpbackend.Residuals{Primal: 1. / 2, Dual: 28. / 20, Gap: 56. / 53}},
		// A multiplier on the side of an absent bound has no part in the dual
		// objective and counts as dual residual.
		{"y on an absent lower bound", corner(), []float64{0, 0}, []float64{-20, 0, 0}, qpbackend.Residuals{Dual: 40. / 20}},
		{"y on an absent upper bound", corner(), []float64{0, 0}, []float64{0, 4, 0}, qpbackend.Residuals{Dual: 4. / 4}},
		{"a small y on an absent bound", corner(), []float64{0, 0}, []float64{0, 0.25, 0}, qpbackend.Residuals{Dual: 19.75 / 20}},
		{"y on a row without bounds", corner(), []float64{0, 0}, []float64{0, 0, -2}, qpbackend.Residuals{Dual: 1}},
		{"no rows", &qpbackend.Problem{Q: []float64{0.5}, R: 2}, []float64{3}, nil, qpbackend.Residuals{Dual: 1, Gap: 1.5 / 3.5}},
		{"a small objective", &qpbackend.Problem{Q: []float64{1e-9, -2e-9}}, []float64{3, 1}, nil, qpbackend.Residuals{Dual: 1, Gap: 1. / 2}},
		{"no variables in the objective", &qpbackend.Problem{
			Q: []float64{0}, A: matrix([]float64{2}), L: []float64{-1}, U: []float64{-1},
		}, []float64{-0.5}, []float64{0}, qpbackend.Residuals{}},
	} {
		got := qpbackend.Certify(c.p, c.x, c.y, nil)
		for _, r := range []struct {
			name      string
			got, want float64
		}{{"primal", got.Primal, c.want.Primal}, {"dual", got.Dual, c.want.Dual}, {"gap", got.Gap, c.want.Gap}} {
			if !(math.Abs(r.got-r.want) <= 1e-14) {
				t.Errorf("%s: %s residual %g, want %g", c.name, r.name, r.got, r.want)
			}
		}
		n, m := c.p.Dims()
		if w := (qpbackend.Settings{}).Certify(context.Background(), c.p, nil, c.x, c.y, nil, make([]float64, 3*n+2*m+3)); w != got {
			t.Errorf("%s: CertifyWork has %+v, Certify %+v", c.name, w, got)
		}
		if got.Max() != max(got.Primal, got.Dual, got.Gap) {
			t.Errorf("%s: Max is %g of %+v", c.name, got.Max(), got)
		}
	}
}

func TestCertifyRejectsNaN(t *testing.T) {
	p := corner()
	nan := math.NaN()
	for _, c := range []struct{ x, y []float64 }{
		{[]float64{nan, 0}, []float64{0, 0, 0}},
		{[]float64{0, nan}, []float64{0, 0, 0}},
		{[]float64{0, 0}, []float64{nan, 0, 0}},
		{[]float64{0, 0}, []float64{0, 0, nan}},
		{[]float64{inf, 0}, []float64{0, 0, 0}},
	} {
		if r := qpbackend.Certify(p, c.x, c.y, nil); r.Max() <= 1e300 {
			t.Errorf("x = %v, y = %v: residuals %+v", c.x, c.y, r)
		}
	}
}

func TestCertifyWorkDoesNotAllocate(t *testing.T) {
	p := corner()
	x, y, work := []float64{1, 2}, []float64{1, -1, 0}, make([]float64, qpbackend.CertifyLen(p))
	if a := testing.AllocsPerRun(100, func() { (qpbackend.Settings{}).Certify(context.Background(), p, nil, x, y, nil, work) }); a != 0 {
		t.Errorf("%g allocations", a)
	}
}

// onCone states x ∈ second-order cone, shifted by l, behind one interval row.
func onCone(l []float64) *qpbackend.Problem {
	n := len(l)
	var t sparse.Triplets
	t.Add(0, 0, 1)
	for i := range n {
		t.Add(1+i, i, 1)
	}
	a, _ := t.CSC(1+n, n)
	return &qpbackend.Problem{
		Q: make([]float64, n), A: a, L: append([]float64{-inf}, l...), U: append([]float64{inf}, make([]float64, n)...),
		Cones: []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Start: 1, Len: n}},
	}
}

// project finds the point of the second-order cone nearest to s by ternary
// search over the height of a boundary point above the ray through the tail.
func project(s []float64) []float64 {
	r := 0.0
	for _, v := range s[1:] {
		r = math.Hypot(r, v)
	}
	p := append([]float64(nil), s...)
	if r <= s[0] {
		return p
	}
	dist := func(h float64) float64 { return (s[0]-h)*(s[0]-h) + (r-h)*(r-h) }
	lo, hi := 0.0, 2*(math.Abs(s[0])+r)+1
	for range 200 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if dist(a) < dist(b) {
			hi = b
		} else {
			lo = a
		}
	}
	p[0] = lo
	for i := 1; i < len(p); i++ {
		p[i] = 0
		if r > 0 {
			p[i] = s[i] * lo / r
		}
	}
	return p
}

func TestDistancesFromTheSecondOrderCone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	outside := 0
	for range 300 {
		n := 1 + rng.IntN(5)
		l, x, y := make([]float64, n), make([]float64, n), make([]float64, 1+n)
		s, neg := make([]float64, n), make([]float64, n)
		for i := range n {
			l[i], x[i], y[1+i] = rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
			s[i], neg[i] = x[i]-l[i], -y[1+i]
		}
		p := onCone(l)
		got := qpbackend.Certify(p, x, y, nil)
		dist := func(v []float64) (d, norm float64) {
			for i, w := range project(v) {
				d, norm = max(d, math.Abs(v[i]-w)), max(norm, math.Abs(v[i]))
			}
			return d, norm
		}
		d, _ := dist(s)
		if d > 0 {
			outside++
		}
		norm := min(1, num.NormInf(l))
		for i, z := range project(s) {
			norm = max(norm, math.Abs(x[i]), math.Abs(l[i]+z))
		}
		if want := d / norm; math.Abs(got.Primal-want) > 1e-7 {
			t.Fatalf("s = %v: primal residual %g, want %g", s, got.Primal, want)
		}
		// The cone is its own dual, and −y must lie in it. q = P = 0: Aᵀy is y.
		dual, yNorm := dist(neg)
		if want := max(yNorm/max(1, yNorm), dual/max(1, yNorm)); math.Abs(got.Dual-want) > 1e-7 {
			t.Fatalf("y = %v: dual residual %g, want %g", y, got.Dual, want)
		}
	}
	if outside < 100 || outside > 290 {
		t.Errorf("%d of 300 points lie outside the cone", outside)
	}
}

func TestPrimalInfeasibility(t *testing.T) {
	// x₀ + x₁ ≤ −1, x ≥ 0.
	p := &qpbackend.Problem{
		Q: []float64{0, 0}, A: matrix([]float64{1, 1}, []float64{1, 0}, []float64{0, 1}),
		L: []float64{-inf, 0, 0}, U: []float64{-1, inf, inf},
	}
	for _, c := range []struct {
		name string
		y    []float64
		want float64
	}{
		{"a proof", []float64{1, -1, -1}, 0},
		{"a proof scaled", []float64{1e6, -1e6, -1e6}, 0},
		{"nearly one", []float64{1, -1, -0.75}, 0.25},
		{"a sign too many", []float64{1, -1, 1}, 1}, // the last entry is dropped
		{"the opposite", []float64{-1, 1, 1}, inf},
		{"nothing", []float64{0, 0, 0}, inf},
		{"NaN", []float64{math.NaN(), 0, 0}, inf},
	} {
		if got := qpbackend.PrimalInfeasibility(p, c.y, nil); !close(got, c.want) {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
	// t ≤ −1 in a second-order cone: y = (1, −1, 0, 0) has Aᵀy = 0 and −y in the cone.
	q := onCone([]float64{0, 0, 0})
	q.U[0] = -1
	if got := qpbackend.PrimalInfeasibility(q, []float64{1, -1, 0, 0}, nil); !close(got, 0) {
		t.Errorf("cone: %g, want 0", got)
	}
	// Outside of the polar, y is repaired: (−1, 3, 0) moves to (−2, 2, 0).
	if got := qpbackend.PrimalInfeasibility(q, []float64{1, -1, 3, 0}, nil); !close(got, 2) {
		t.Errorf("y outside the polar cone: %g, want 2", got)
	}
}

// close allows for what rounding is charged with.
func close(got, want float64) bool { return got == want || math.Abs(got-want) <= 1e-13 }

// TestRoundingProvesNothing: at 1e18 the support value −0.25 is what is left
// of terms of 1e15, and the equations do have a solution.
func TestRoundingProvesNothing(t *testing.T) {
	var a sparse.Triplets
	a.Add(0, 0, 203.59332893011467)
	a.Add(1, 0, 0.0006887093324422449)
	b := []float64{-0.8020956596528921, -0.8020956596528921 * 0.0006887093324422449 / 203.59332893011467}
	p := &qpbackend.Problem{Q: []float64{0}, L: b, U: b}
	p.A, _ = a.CSC(2, 1)
	found := false
	for k := range 1000 {
		scale := 1e15 * (1 + float64(k)/1000)
		y := []float64{scale * a0(p, 1), -scale * a0(p, 0)}
		naive := y[0]*b[0] + y[1]*b[1]
		found = found || naive < 0
		if got := qpbackend.PrimalInfeasibility(p, y, nil); got < 1e-3 {
			t.Fatalf("y = %v is said to be worth %g as a proof", y, got)
		}
	}
	if !found {
		t.Error("no multiplier of the sample looks like a proof")
	}
}

// TestLargeSidesProveNothing: x₀ + x₁ ≥ b with x ≥ 0 is feasible for every b; a y of the right sign
// is no proof in any unit of x. Where −x₀ − x₁ ≥ b, multipliers of the bounds make a proof of it.
func TestLargeSidesProveNothing(t *testing.T) {
	for _, b := range []float64{1, 1e9, 1e15, 1e-9} {
		p := &qpbackend.Problem{Q: []float64{0, 0}, A: matrix([]float64{1, 1}), L: []float64{b}, U: []float64{inf}, Lo: []float64{0, 0}, Hi: []float64{inf, inf}}
		for _, y := range []float64{-1, -1e-12, -1e12} {
			if got := qpbackend.PrimalInfeasibility(p, []float64{y}, nil); !(got >= 1) {
				t.Errorf("side %g: y = %g is worth %g", b, y, got)
			}
		}
		p.A = matrix([]float64{-1, -1}) // −x₀ − x₁ ≥ b
		if got := qpbackend.PrimalInfeasibility(p, []float64{-1}, []float64{-1, -1}); !(got < 1e-14/min(1, b)) {
			t.Errorf("side %g: a proof is worth %g", b, got)
		}
	}
}

// TestSmallRowsAreNotFree: a direction that breaks a row wholly is no proof however small the row's
// entries are.
func TestSmallRowsAreNotFree(t *testing.T) {
	for _, a := range []float64{1, 1e-9, 1e-15} {
		p := &qpbackend.Problem{Q: []float64{-1}, A: matrix([]float64{a}), L: []float64{-inf}, U: []float64{a}}
		if got := qpbackend.DualInfeasibility(p, []float64{1}); !(got >= 1) {
			t.Errorf("entry %g: the direction is worth %g", a, got)
		}
		p.L[0], p.U[0] = -a, inf
		if got := qpbackend.DualInfeasibility(p, []float64{1}); got != 0 {
			t.Errorf("entry %g: a free direction is worth %g", a, got)
		}
	}
}

// TestSmallFactorsOfRows: a factor of a row, of its sides, and its inverse of the multiplier change
// no residual where the row's largest entry stays below one, nor do units of all variables.
func TestSmallFactorsOfRows(t *testing.T) {
	at := func(row, column float64) qpbackend.Residuals {
		p := &qpbackend.Problem{
			Q: []float64{column, -2 * column}, A: matrix([]float64{0.25 * row * column, -0.5 * row * column}, []float64{column, column}),
			L: []float64{0.125 * row, -inf}, U: []float64{0.125 * row, 0.75}, Lo: []float64{0, 0}, Hi: []float64{0.5 / column, inf},
		}
		return qpbackend.Certify(p, []float64{0.25 / column, 0.125 / column}, []float64{2 / row, -0.5}, []float64{0, 0.25 * column})
	}
	want := at(1, 1)
	if !(want.Primal > 0.1 && want.Dual > 0.1 && want.Gap > 0.1) {
		t.Fatalf("residuals %+v say nothing", want)
	}
	for _, k := range []float64{0x1p-1, 0x1p-20, 0x1p-60} {
		if got := at(k, 1); got != want {
			t.Errorf("factor %g of a row: residuals %+v, want %+v", k, got, want)
		}
	}
	// With the columns, gradients have other units: only the gap is the same.
	if got := at(1, 0x1p40); got.Gap != want.Gap {
		t.Errorf("variables in units of 2⁻⁴⁰: gap %g, want %g", got.Gap, want.Gap)
	}
}

// TestRoundingOfRows: where terms cancel to a side that is far below them, the residual is relative
// to the size of their rounding, and with units of one to one.
func TestRoundingOfRows(t *testing.T) {
	const side, off = 1e-9, 1e-15
	p := &qpbackend.Problem{Q: []float64{1, 1}, A: matrix([]float64{1, -1}), L: []float64{side}, U: []float64{side}}
	x, y := []float64{1 + side + off, 1}, []float64{-1}
	if got, want := qpbackend.Certify(p, x, y, nil).Primal, off/1e-6; math.Abs(got-want) > 0.3*want {
		t.Errorf("primal residual %g, want %g", got, want)
	}
	own := qpbackend.Settings{OwnUnits: true}.Certify(context.Background(), p, nil, x, y, nil, make([]float64, qpbackend.CertifyLen(p)))
	if want := off; math.Abs(own.Primal-want) > 0.3*want {
		t.Errorf("units of one: primal residual %g, want %g", own.Primal, want)
	}
	p.A.Val[0], p.A.Val[1], p.L[0], p.U[0] = 1e-9, -1e-9, 0.5e-9, 0.5e-9 // a row in small units, broken by half of them
	if got := qpbackend.Certify(p, []float64{1, 1}, y, nil).Primal; math.Abs(got-1) > 1e-12 {
		t.Errorf("a small row: primal residual %g, want 1", got)
	}
}

// TestSmallFactorsOfTheObjective: a factor below one changes no residual of an objective whose
// largest entry is at most one, nor of one far above.
func TestSmallFactorsOfTheObjective(t *testing.T) {
	for _, largest := range []float64{1, 0x1p-20, 0x1p20} {
		p := corner()
		x, y := []float64{3, 0.5}, []float64{8, 0, 0}
		scaled := func(k float64) qpbackend.Residuals {
			q := *p
			q.Q, q.P, q.R = slices.Clone(p.Q), p.P.Clone(), k*p.R
			z := slices.Clone(y)
			for _, v := range [][]float64{q.Q, q.P.Val, z} {
				for i := range v {
					v[i] *= k
				}
			}
			return qpbackend.Certify(&q, x, z, nil)
		}
		want := scaled(largest / 32) // 20 is the largest entry
		if !(want.Dual > 0.1 && want.Gap > 0.01) {
			t.Fatalf("residuals %+v say nothing", want)
		}
		for _, k := range []float64{0x1p-1, 0x1p-30, 0x1p-60} {
			if got := scaled(k * largest / 32); largest <= 1 && got != want {
				t.Errorf("factor %g of %g: residuals %+v, want %+v", k, largest, got, want)
			} else if largest > 1 && got.Dual != want.Dual {
				t.Errorf("factor %g of %g: dual residual %g, want %g", k, largest, got.Dual, want.Dual)
			}
		}
	}
	if got := (qpbackend.Settings{}).Units(&qpbackend.Problem{Q: []float64{0, 0}}, nil).Gradient; got != 1 {
		t.Errorf("the unit of no objective is %g", got)
	}
}

func a0(p *qpbackend.Problem, i int) float64 { return p.A.At(i, 0) }

func TestDualInfeasibility(t *testing.T) {
	p := corner()
	p.P = upper([]float64{0, 0}, []float64{0, 2})
	p.U[0] = inf // x₀ may grow
	for _, c := range []struct {
		name string
		d    []float64
		want float64
	}{
		{"a ray", []float64{0.05, 0}, 0},
		{"against P", []float64{0.05, 0.01}, 0.02 / 1.04},
		{"against a lower bound", []float64{-1, 6}, 12. / 4},
		{"uphill", []float64{-1, 0}, inf},
		{"nothing", []float64{0, 0}, inf},
		{"NaN", []float64{math.NaN(), 0}, inf},
	} {
		if got := qpbackend.DualInfeasibility(p, c.d); !close(got, c.want) {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
	p.U[0] = 3
	if got := qpbackend.DualInfeasibility(p, []float64{0.05, 0}); !close(got, 1) {
		t.Errorf("against an upper bound: %g, want 1", got)
	}
	q := onCone([]float64{7, 8, 9}) // l does not matter to directions
	q.Q[0] = -1
	if got := qpbackend.DualInfeasibility(q, []float64{1, 0.6, 0.8}); !close(got, 0) {
		t.Errorf("a direction of the cone: %g, want 0", got)
	}
	if got := qpbackend.DualInfeasibility(q, []float64{1, 3, 0}); !close(got, 1) {
		t.Errorf("a direction out of the cone: %g, want 1", got)
	}
}

// TestViolationContext: the nearest point of a large matrix is not sought where the context has
// ended, which takes longer than the limit of a solve otherwise.
func TestViolationContext(t *testing.T) {
	const order = 200
	rows := order * (order + 1) / 2
	p := &qpbackend.Problem{
		Q: []float64{0}, A: &sparse.CSC{Rows: rows, Cols: 1, ColPtr: []int{0, 0}},
		L: make([]float64, rows), U: make([]float64, rows), Cones: []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Len: rows}},
	}
	for i := range p.L {
		p.L[i], p.U[i] = 1, math.Inf(1) // −L is not semidefinite
	}
	if worst, row, _ := qpbackend.Violation(context.Background(), p, []float64{0}); !(worst > .5) || row < 0 {
		t.Errorf("violation %g at row %d", worst, row)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if worst, row, _ := qpbackend.Violation(ctx, p, []float64{0}); !math.IsNaN(worst) || row != 0 {
		t.Errorf("violation %g at row %d with an ended context", worst, row)
	}
}
