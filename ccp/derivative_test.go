//go:build !race

package ccp_test

import (
	"context"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

var derivatives = flag.Int("derivatives", 12, "random problems of TestDerivativesOfRandomProblems")

// parametric is a random DC problem with the parameters a, b, w and r.
func parametric(rng *rand.Rand) (*dc.Problem, error) {
	n := 2 + rng.IntN(4)
	normal := func(k int) []float64 {
		v := make([]float64, k)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	m := dc.NewModel()
	x := m.Var("x", []int{n})
	t := m.Var("t", nil)
	a := m.Param("a", []int{n}, normal(n)...)
	b := m.Param("b", []int{n}, normal(n)...)
	w := m.Param("w", nil, 0.2+rng.Float64())
	r := m.Param("r", nil, 1+rng.Float64())
	near := dc.SumSquares(x.Sub(a.Expr))
	m.AddCost(w, t)
	m.SubjectTo(dc.LE(dc.Norm1(x), t))
	switch rng.IntN(7) {
	case 0: // a smooth h
		m.Minimize(dc.Sum(near, dc.SumSquares(x.Sub(b.Expr)).Scale(-0.5)))
		m.SubjectTo(dc.LE(dc.Norm2(x), r.Expr))
	case 1: // stay away from b: a nonconvex constraint
		m.Minimize(near)
		m.SubjectTo(dc.GE(dc.Norm2(x.Sub(b.Expr)), r.Expr))
	case 2: // a piecewise linear h
		m.Minimize(dc.Sum(near, dc.Norm1(x.Sub(b.Expr)).Scale(-0.7)))
		m.SubjectTo(dc.LE(x, r.Expr))
	case 3: // norms on both sides
		m.Minimize(dc.Sum(near, dc.Norm2(x.Sub(b.Expr)).Scale(-1)))
		m.SubjectTo(dc.GE(dc.SumSquares(x), r.Expr))
	case 4: // a nonlinear equation
		m.Minimize(near)
		m.SubjectTo(dc.EQ(dc.SumSquares(x), r.Expr))
	case 5: // exponential cones
		m.Minimize(dc.Sum(near, dc.LogSumExp(x.Sub(b.Expr)), dc.Norm2(x).Scale(-0.3)))
		m.SubjectTo(dc.LE(x, r.Expr))
	case 6: // a choice
		m.Minimize(dc.Sum(dc.Min(near, dc.SumSquares(x.Sub(b.Expr)))))
		m.SubjectTo(dc.LE(x.Sum(), r.Expr))
	}
	return m.Problem(context.Background())
}

// The derivative is that of finite differences of runs from the solution, and Adjoint is the
// transpose of Forward.
func TestDerivativesOfRandomProblems(t *testing.T) {
	ctx := context.Background()
	regular, refused, worst := 0, map[string]int{}, 0.0
	for seed := range *derivatives {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		p, err := parametric(rng)
		if err != nil {
			t.Fatal(err)
		}
		set := ccp.DefaultSettings()
		set.Seed = uint64(seed)
		s, err := ccp.NewSession(context.Background(), p, set)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		res, err := s.Solve(ctx, nil)
		if err != nil || res.Status != ccp.Converged {
			refused[res.Status.String()]++ // the procedure's affair
			continue
		}
		d, err := s.Differentiate(ctx, res)
		if err != nil {
			refused[err.Error()]++
			continue
		}
		change := map[string][]float64{}
		g := make([]float64, len(res.X))
		for j := range g {
			g[j] = rng.NormFloat64()
		}
		for _, v := range p.Program().Vars {
			if v.Param {
				for range v.Len() {
					change[v.Name] = append(change[v.Name], rng.NormFloat64())
				}
			}
		}
		dx, err := d.Forward(ctx, change)
		if err != nil {
			t.Fatal(err)
		}
		grad, err := d.Adjoint(ctx, g)
		if err != nil {
			t.Fatal(err)
		}
		one, two, size := 0.0, 0.0, 1.0
		for j := range g {
			one += g[j] * dx[j]
			size = max(size, math.Abs(dx[j]))
		}
		for name, c := range change {
			for k := range c {
				two += grad[name][k] * c[k]
			}
		}
		if !(math.Abs(one-two) <= 1e-7*size) {
			t.Errorf("%d: g·dx is %.12g, the gradient times the change %.12g", seed, one, two)
		}
		point := append([]float64(nil), d.Point()...)
		at := func(h float64) []float64 { // the refined point nearby
			for _, v := range p.Program().Vars {
				if v.Param {
					moved := append([]float64(nil), v.Lo...)
					for k := range moved {
						moved[k] += h * change[v.Name][k]
					}
					if err := s.Set(v.Name, moved...); err != nil {
						t.Fatal(err)
					}
				}
			}
			res, err := s.Solve(ctx, append([]float64(nil), point...))
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != ccp.Converged {
				refused[res.Status.String()]++
				return nil
			}
			d, err := s.Differentiate(ctx, res)
			if err != nil {
				refused["next to the point: "+err.Error()]++
				return nil
			}
			return d.Point()
		}
		h := 1e-4 / size
		up, down := at(h), at(-h)
		if up == nil || down == nil {
			continue
		}
		off := 0.0
		for j := range dx {
			off = max(off, math.Abs((up[j]-down[j])/(2*h)-dx[j])/size)
		}
		if regular++; !(off <= 1e-5) {
			t.Errorf("%d: the derivative is %g from finite differences, relative", seed, off)
		}
		worst = max(worst, off)
	}
	t.Logf("%d of %d regular, worst %.1e; refused: %v", regular, *derivatives, worst, refused)
	if regular < *derivatives*97/100 {
		t.Errorf("%d of %d are regular", regular, *derivatives)
	}
}

func solvedSession(t *testing.T, m *dc.Model, start ...float64) (*ccp.Session, *ccp.Result) {
	t.Helper()
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s, err := ccp.NewSession(context.Background(), p, ccp.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	res, err := s.Solve(context.Background(), start)
	if err != nil {
		t.Fatal(err)
	}
	return s, res
}

func TestNoDerivative(t *testing.T) {
	ctx := context.Background()
	// The minimum of |x − a| − ½|x| for a = 0 is at the kink of ½|x|.
	m := dc.NewModel()
	x := m.Var("x", nil)
	a := m.Param("a", nil, 0)
	m.Minimize(dc.Sum(dc.Abs(x.Sub(a.Expr)), dc.Abs(x).Scale(-0.5)))
	s, res := solvedSession(t, m, 0, 0)
	_, err := s.Differentiate(ctx, res)
	var kink *ccp.KinkError
	if !errors.As(err, &kink) && (err == nil || !strings.Contains(err.Error(), "no derivative")) {
		t.Errorf("at a kink: %v", err)
	}
	if err := s.Set("a", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Differentiate(ctx, res); err == nil || !strings.Contains(err.Error(), "parameter a has changed") {
		t.Errorf("after Set: %v", err)
	}
	if _, err := s.Differentiate(ctx, nil); err == nil || !strings.Contains(err.Error(), "unknown") {
		t.Errorf("without a result: %v", err)
	}
	if res, err = s.Solve(ctx, []float64{2, 1}); err != nil {
		t.Fatal(err)
	}
	d, err := s.Differentiate(ctx, res)
	if err != nil {
		t.Fatal(err)
	}
	if dx, err := d.Forward(ctx, map[string][]float64{"a": {2}}); err != nil || math.Abs(dx[0]-2) > 1e-9 {
		t.Errorf("%v, %v", dx, err)
	}
	if _, err := d.Forward(ctx, map[string][]float64{"b": {2}}); err == nil || !strings.Contains(err.Error(), "no parameter b") {
		t.Errorf("%v", err)
	}
	if _, err := d.Forward(ctx, map[string][]float64{"a": {2, 3}}); err == nil {
		t.Error("a wrong length is accepted")
	}
	if _, err := d.Forward(ctx, map[string][]float64{"a": {math.NaN()}}); err == nil {
		t.Error("NaN is accepted")
	}
	if _, err := d.Adjoint(ctx, []float64{1}); err == nil {
		t.Error("a wrong length is accepted")
	}

	// Flat along a line: the derivative of a convex problem is regularised, and that of another one
	// refused.
	m = dc.NewModel()
	y := m.Var("y", []int{2})
	b := m.Param("b", nil, 1)
	m.Minimize(dc.Square(y.At(0).Sub(b.Expr)))
	m.SubjectTo(dc.LE(y, dc.Const(nil, []float64{3})), dc.GE(y, dc.Const(nil, []float64{-1})))
	s, res = solvedSession(t, m, 0, 0, 1)
	if d, err = s.Differentiate(ctx, res); err != nil || d.Unique() || d.Regular() {
		t.Fatalf("not unique: %v", err)
	}
	if dx, err := d.Forward(ctx, map[string][]float64{"b": {2}}); err != nil || math.Abs(dx[0]-2) > 1e-9 || dx[1] != 0 {
		t.Errorf("not unique: %v, %v", dx, err)
	}
	if g, err := d.Adjoint(ctx, []float64{3, 5, 0}); err != nil || math.Abs(g["b"][0]-3) > 1e-9 {
		t.Errorf("not unique: %v, %v", g, err)
	}
	m = dc.NewModel()
	y = m.Var("y", []int{2})
	b = m.Param("b", nil, 1)
	m.Minimize(dc.Sum(dc.Square(y.At(0).Sub(b.Expr)), dc.Square(y.At(0)).Scale(-0.5)))
	m.SubjectTo(dc.LE(y, dc.Const(nil, []float64{3})), dc.GE(y, dc.Const(nil, []float64{-1})))
	s, res = solvedSession(t, m, 0, 0, 1)
	if _, err := s.Differentiate(ctx, res); err == nil || !strings.Contains(err.Error(), "not unique") {
		t.Errorf("not unique, not convex: %v", err)
	}

	// Infeasible.
	m = dc.NewModel()
	z := m.Var("z", nil)
	m.Minimize(dc.Square(z))
	m.SubjectTo(dc.GE(z, dc.Const(nil, []float64{2})), dc.LE(z, dc.Const(nil, []float64{1})))
	s, res = solvedSession(t, m, 0)
	if _, err := s.Differentiate(ctx, res); err == nil || !strings.Contains(err.Error(), "infeasible") {
		t.Errorf("infeasible: %v", err)
	}
}

// The least v that is no less than the entries of q follows them together alone: gradients count
// along such changes.
func TestHeldPoint(t *testing.T) {
	ctx := context.Background()
	m := dc.NewModel()
	v := m.Var("v", nil)
	q := m.Param("q", []int{2}, 1, 1)
	m.AddCost(m.Param("w", nil, 1), v)
	m.SubjectTo(dc.GE(v, q.Expr))
	s, res := solvedSession(t, m, 0, 0, 0, 0)
	d, err := s.Differentiate(ctx, res)
	if err != nil || !d.Unique() || d.Regular() {
		t.Fatalf("%v", err)
	}
	together, apart := map[string][]float64{"q": {2}}, map[string][]float64{"q": {1, -1}}
	if dx, err := d.Forward(ctx, together); err != nil || math.Abs(dx[0]-2) > 1e-9 {
		t.Errorf("together: %v, %v", dx, err)
	}
	var held *ccp.HeldError
	if _, err := d.Forward(ctx, apart); !errors.As(err, &held) {
		t.Errorf("apart: %v", err)
	}
	g := make([]float64, len(res.X))
	g[0] = 3
	for k, along := range [][]ccp.Change{nil, {{Values: apart}}, {{Values: together}, {Values: apart}}} {
		if _, err := d.Adjoint(ctx, g, along...); err == nil || !strings.Contains(err.Error(), "more constraints hold") {
			t.Errorf("%d: %v", k, err)
		}
	}
	if g, err := d.Adjoint(ctx, g, ccp.Change{Values: together}); err != nil || math.Abs(g["q"][0]+g["q"][1]-3) > 1e-9 {
		t.Errorf("together: %v, %v", g, err)
	}
	for _, way := range [][]float64{{1, -1}, {-3, 2}, {-1, -2}, {-2, -2}} {
		dx, err := s.OneSided(ctx, res, map[string][]float64{"q": way})
		if want := max(way[0], way[1]); err != nil || math.Abs(dx[0]-want) > 1e-6 {
			t.Errorf("%v: %v, %v, want %g", way, dx, err, want)
		}
	}
	if _, err := d.Adjoint(ctx, g, ccp.Change{Lines: []ccp.Line{{}}}); err == nil || !strings.Contains(err.Error(), "two problems") {
		t.Errorf("no problems: %v", err)
	}
}

// A batch gives each set of values the result and the gradient that it has alone.
func TestBatch(t *testing.T) {
	ctx := context.Background()
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	a := m.Param("a", []int{2}, 1, 2)
	m.Minimize(dc.Sum(dc.SumSquares(x.Sub(a.Expr)), dc.Norm2(x).Scale(-1)))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var values []map[string][]float64
	for k := range 7 {
		values = append(values, map[string][]float64{"a": {1, float64(k)}})
	}
	set := ccp.DefaultSettings()
	got := make([][]float64, len(values))
	err = ccp.Batch(ctx, p, set, values, func(k int, s *ccp.Session, res *ccp.Result) error {
		d, err := s.Differentiate(ctx, res)
		if err != nil {
			return err
		}
		g, err := d.Adjoint(ctx, []float64{1, 0, 0, 0})
		got[k] = g["a"]
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, g := range got {
		// x = a + a/(2‖a‖): dx₀/da = e₀ + (e₀ − a₀a/‖a‖²)/(2‖a‖).
		b := float64(k)
		size := math.Hypot(1, b)
		want := [2]float64{1 + (1-1/(size*size))/(2*size), -b / (2 * size * size * size)}
		if !(math.Abs(g[0]-want[0]) <= 1e-8) || !(math.Abs(g[1]-want[1]) <= 1e-8) {
			t.Errorf("%d: %v, want %v", k, g, want)
		}
	}
	bad := errors.New("enough")
	if err := ccp.Batch(ctx, p, set, values, func(int, *ccp.Session, *ccp.Result) error { return bad }); !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
	values[3] = map[string][]float64{"b": {1}}
	if err := ccp.Batch(ctx, p, set, values, func(int, *ccp.Session, *ccp.Result) error { return nil }); err == nil || !strings.Contains(err.Error(), "values 3") {
		t.Errorf("%v", err)
	}
}

// The least of (x − a)² − c(x − 1)² with x ≤ 1 is at x = 1 where a is 1, and the bound holds there
// without a multiplier: x follows a downwards alone, by 1/(1 − c). y is within a row that moves
// with a.
func TestOneSided(t *testing.T) {
	ctx := context.Background()
	for _, c := range []float64{0, 0.5} {
		m := dc.NewModel()
		x, y := m.Var("x", nil), m.Var("y", nil)
		a := m.Param("a", nil, 1)
		m.Minimize(dc.Sum(dc.Square(x.Sub(a.Expr)), dc.Square(x.Sub(dc.Const(nil, []float64{1}))).Scale(-c), dc.Square(y.Sub(dc.Const(nil, []float64{2})))))
		m.SubjectTo(dc.LE(x, dc.Const(nil, []float64{1})).Named("cap"), dc.LE(y.Sub(a.Expr), dc.Const(nil, []float64{0.5})))
		s, res := solvedSession(t, m, 0, 0, 0)
		var kink *ccp.KinkError
		if _, err := s.Differentiate(ctx, res); !errors.As(err, &kink) || !kink.Weak || kink.Expression != "cap" {
			t.Errorf("%g: the kink is not refused: %v", c, err)
		}
		for _, way := range []float64{1, -2} {
			dx, err := s.OneSided(ctx, res, map[string][]float64{"a": {way}})
			if err != nil {
				t.Fatal(err)
			}
			if want := min(way/(1-c), 0); math.Abs(dx[0]-want) > 1e-6 || math.Abs(dx[1]-way) > 1e-6 {
				t.Errorf("%g, %g: %v, want %g and %g", c, way, dx, want, way)
			}
		}
		if err := s.Set("a", 0.5); err != nil {
			t.Fatal(err)
		}
		if res, err := s.Solve(ctx, nil); err != nil {
			t.Fatal(err)
		} else if dx, err := s.OneSided(ctx, res, map[string][]float64{"a": {1}}); err != nil || math.Abs(dx[0]-1/(1-c)) > 1e-6 {
			t.Errorf("%g where there is a derivative: %v, %v", c, dx, err)
		}
		if _, err := s.OneSided(ctx, res, map[string][]float64{"a": {1}}); err == nil {
			t.Errorf("the result of other values is accepted")
		}
	}
}

// exact is ipm with a smaller tolerance.
type exact struct{ ipm.Backend }

func (exact) DefaultSettings() qpbackend.Settings {
	set := ipm.Backend{}.DefaultSettings()
	set.Tol = 1e-12
	return set
}

// The change of the multipliers is that of finite differences of runs.
func TestDerivativeOfMultipliers(t *testing.T) {
	ctx := context.Background()
	compared, all := 0, shared.Times(20, 4)
	for seed := range all {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		p, err := parametric(rng)
		if err != nil {
			t.Fatal(err)
		}
		set := ccp.DefaultSettings()
		set.Seed, set.Backend, set.Tol = uint64(seed), exact{}, 1e-14
		s, err := ccp.NewSession(context.Background(), p, set)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		change := map[string][]float64{}
		for _, v := range p.Program().Vars {
			if v.Param {
				for range v.Len() {
					change[v.Name] = append(change[v.Name], rng.NormFloat64())
				}
			}
		}
		at := func(h float64, from []float64) *ccp.Result {
			for name, c := range change {
				for _, v := range p.Program().Vars {
					if v.Name == name {
						moved := append([]float64(nil), v.Lo...)
						for k := range moved {
							moved[k] += h * c[k]
						}
						if err := s.Set(name, moved...); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			res, err := s.Solve(ctx, from)
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		res := at(0, nil)
		if res.Status != ccp.Converged {
			continue
		}
		d, err := s.Differentiate(ctx, res)
		if err != nil {
			continue
		}
		duals, bounds, err := d.Multipliers(ctx, change)
		if err != nil {
			continue // those of a nonlinear equation are not unique
		}
		const h = 1e-3
		up, down := at(h, append([]float64(nil), d.Point()...)), at(-h, append([]float64(nil), d.Point()...))
		if up.Status != ccp.Converged || down.Status != ccp.Converged || up.Duals == nil || down.Duals == nil {
			continue
		}
		compared++
		same := func(what string, i int, got, a, b float64) {
			if diff := (a - b) / (2 * h); !(math.Abs(diff-got) <= 1e-2*max(1, math.Abs(diff))) {
				t.Errorf("%d: %s %d changes by %g, finite differences say %g", seed, what, i, got, diff)
			}
		}
		for i, y := range duals {
			for k, v := range y {
				same("constraint", i, v, up.Duals[i][k], down.Duals[i][k])
			}
		}
		for j, v := range bounds {
			same("bound", j, v, up.BoundDuals[j], down.BoundDuals[j])
		}
	}
	if 2*compared < all {
		t.Errorf("%d of %d compared", compared, all)
	}
}

// The gradient with respect to the coefficients of sumsq(Ax - b) - norm2(x), and of a row, is that
// of forward derivatives entry by entry: by three changes of all entries where each coefficient is
// one entry, by one for each entry where coefficients are sums.
func TestAdjointBy(t *testing.T) {
	ctx := context.Background()
	const rows, cols = 6, 3
	for _, sums := range []bool{false, true} {
		for _, convex := range []bool{true, false} {
			rng := rand.New(rand.NewPCG(3, 1))
			a, b := make([]float64, rows*cols), make([]float64, rows)
			for k := range a {
				a[k] = rng.NormFloat64()
			}
			for k := range b {
				b[k] = rng.NormFloat64()
			}
			state := func(a []float64) (*dc.Problem, error) {
				if sums {
					a = append([]float64(nil), a...)
					a[0], a[1] = a[0]+a[1], a[0]*a[2]
				}
				m := dc.NewModel()
				x := m.Var("x", []int{cols})
				r := m.Param("r", nil, 0.2)
				f := dc.SumSquares(dc.MatMul(dc.Const([]int{rows, cols}, a), x).Sub(dc.Const([]int{rows}, b)))
				if convex {
					m.Minimize(dc.Sum(f))
				} else {
					m.Minimize(dc.Sum(f, dc.Norm2(x).Scale(-0.3)))
				}
				m.SubjectTo(dc.LE(x.Sum(), r.Expr))
				return m.Problem(context.Background())
			}
			p, err := state(a)
			if err != nil {
				t.Fatal(err)
			}
			set := ccp.DefaultSettings()
			set.Seed = 4
			s, err := ccp.NewSession(context.Background(), p, set)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			res, err := s.Solve(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			d, err := s.Differentiate(ctx, res)
			if err != nil {
				t.Fatal(err)
			}
			g := []float64{1, -2, 3, 0}
			calls := 0
			line := func(change []float64) (ccp.Line, error) {
				calls++
				const h = 1e-5
				minus, plus := append([]float64(nil), a...), append([]float64(nil), a...)
				for k, c := range change {
					minus[k] -= h * c
					plus[k] += h * c
				}
				p, err := state(minus)
				if err != nil {
					return ccp.Line{}, err
				}
				q, err := state(plus)
				return ccp.Line{Minus: p, Plus: q, Width: 2 * h}, err
			}
			got, err := d.AdjointBy(ctx, g, len(a), line)
			if err != nil {
				t.Fatal(err)
			}
			if want := 3; !sums && calls != want || sums && calls != want+len(a) {
				t.Errorf("sums %v: %d lines", sums, calls)
			}
			unit := make([]float64, len(a))
			for k := range unit {
				unit[k] = 1
				l, err := line(unit)
				if err != nil {
					t.Fatal(err)
				}
				dx, err := d.Forward(ctx, nil, l)
				if err != nil {
					t.Fatal(err)
				}
				unit[k] = 0
				if want := dx[0] - 2*dx[1] + 3*dx[2]; !(math.Abs(got[k]-want) <= 1e-7*max(1, math.Abs(want))) {
					t.Errorf("sums %v, convex %v, entry %d: %g, want %g", sums, convex, k, got[k], want)
				}
			}
			if _, err := d.AdjointBy(ctx, g[1:], len(a), line); err == nil {
				t.Error("a wrong length is accepted")
			}
		}
	}
}

// TestNoDerivativeOfFactors: the factors of a matrix are not unique, wherever the other eigenvalues
// of the fixed point's derivative lie: U·R and R⁻¹·V are as good as U and V.
func TestNoDerivativeOfFactors(t *testing.T) {
	const m, k, n = 4, 2, 3
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 50))
		draw := func(n int, from float64) []float64 {
			out := make([]float64, n)
			for i := range out {
				out[i] = from + rng.Float64()
			}
			return out
		}
		model := dc.NewModel()
		a := model.Param("A", []int{m, n}, draw(m*n, 0.5)...)
		u := model.Var("U", []int{m, k}, dc.StartAt(draw(m*k, 0.5)...))
		v := model.Var("V", []int{k, n}, dc.StartAt(draw(k*n, 0.5)...))
		var squares []dc.Expr
		for i := range m {
			for j := range n {
				var product []dc.Expr
				for l := range k {
					product = append(product, dc.Mul(u.At(i, l), v.At(l, j)))
				}
				squares = append(squares, dc.Square(dc.Sum(product...).Sub(a.At(i, j))))
			}
		}
		model.Minimize(dc.Sum(squares...))
		p := build(t, model)
		res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
		if err != nil || res.Status != ccp.Converged {
			t.Fatalf("seed %d: %+v, %v", seed, res, err)
		}
		if _, err := ccp.Differentiate(context.Background(), p, res); err == nil || !strings.Contains(err.Error(), "strict") {
			t.Errorf("seed %d: %v; want no derivative", seed, err)
		}
	}
}
