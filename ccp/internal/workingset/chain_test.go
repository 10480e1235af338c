package workingset

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp/internal/fixed"
	"github.com/dcopt/dcopt/ccp/internal/scaling"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/presolve"
	"github.com/dcopt/dcopt/qpbackend/qptest"
	"github.com/dcopt/dcopt/qpbackend/reduce"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// inUnits has columns in units of its own before a backend. Residuals are those in these units.
type inUnits struct {
	qpbackend.Backend
	units []float64 // of the columns, again and again
}

type unitsSolver struct{ *scaling.Solver }

func (b inUnits) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	own, err := qpbackend.Prepare(ctx, b, p, set)
	if err != nil {
		return nil, err
	}
	units := make([]float64, len(p.Q))
	for j := range units {
		units[j] = b.units[j%len(b.units)]
	}
	s, err := scaling.New(ctx, b.Backend, own.Clone(), set, units, nil)
	if err != nil {
		return nil, err
	}
	return unitsSolver{s}, nil
}

// withParameter adds to each problem a column of one value, which the first of the reductions
// leaves out, and hides it from whoever asks.
type withParameter struct {
	qpbackend.Backend
	others []reduce.Reduction
}

type parameterSolver struct {
	reduce.Solver
	p   *qpbackend.Problem
	add []float64 // the column times its value
}

func (b withParameter) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	p, err := qpbackend.Prepare(ctx, b, p, set)
	if err != nil {
		return nil, err
	}
	n, m := p.Dims()
	s := parameterSolver{p: p, add: make([]float64, m)}
	wide := p.Clone()
	wide.Q, wide.Lo, wide.Hi = append(wide.Q, 0), append(wide.Lo, 2), append(wide.Hi, 2)
	for i := range m {
		v := float64(i%3) - 1
		s.add[i] = 2 * v
		wide.A.RowIdx, wide.A.Val = append(wide.A.RowIdx, i), append(wide.A.Val, v)
	}
	wide.A.Cols, wide.A.ColPtr = n+1, append(wide.A.ColPtr, len(wide.A.Val))
	wide.P.Rows, wide.P.Cols, wide.P.ColPtr = n+1, n+1, append(wide.P.ColPtr, len(wide.P.Val))
	num.Axpy(wide.L, 1, s.add)
	num.Axpy(wide.U, 1, s.add)
	list := append([]reduce.Reduction{fixed.Reduction{Cols: []int{n}}}, b.others...)
	solver, err := reduce.Chain(b.Backend, list...).New(ctx, wide, set)
	if err != nil {
		return nil, err
	}
	s.Solver = solver.(reduce.Solver)
	return s, nil
}

// longer is v with more behind it, nil for nil.
func longer(v []float64, more ...float64) []float64 {
	if v == nil {
		return nil
	}
	return append(slices.Clone(v), more...)
}

func (s parameterSolver) Update(u qpbackend.Update) error {
	if err := s.p.Apply(u); err != nil {
		return err
	}
	u.Q, u.Lo, u.Hi, u.A = longer(u.Q, 0), longer(u.Lo, 2), longer(u.Hi, 2), slices.Clone(u.A)
	for i := range s.add {
		if u.A != nil {
			u.A = append(u.A, s.add[i]/2)
		}
	}
	for _, v := range []*[]float64{&u.L, &u.U} {
		if *v = slices.Clone(*v); *v != nil {
			num.Axpy(*v, 1, s.add)
		}
	}
	return s.Solver.Update(u)
}

func (s parameterSolver) WarmStart(x, y, z []float64) error {
	if err := s.p.CheckStart(x, y, z); err != nil {
		return err
	}
	return s.Solver.WarmStart(longer(x, 2), y, longer(z, 0))
}

func (s parameterSolver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	var wide qpbackend.Result
	err := s.Solver.Solve(ctx, &wide)
	x, y, z := dst.X[:0], dst.Y[:0], dst.Z[:0]
	*dst = wide
	if n := len(s.p.Q); len(wide.X) == n+1 {
		dst.X, dst.Y, dst.Z = append(x, wide.X[:n]...), append(y, wide.Y...), append(z, wide.Z[:n]...)
		switch dst.Status {
		case qpbackend.PrimalInfeasible, qpbackend.DualInfeasible:
		default:
			dst.Res = qpbackend.Certify(s.p, dst.X, dst.Y, dst.Z)
			dst.Objective = s.p.Objective(dst.X)
		}
	}
	return err
}

// TestSuites: each reduction, and all in a chain, make a backend of a backend.
func TestSuites(t *testing.T) {
	set := Reduction{least: 3}
	for name, b := range map[string]qpbackend.Backend{
		"parameter": withParameter{Backend: ipm.Backend{}},
		"chain":     withParameter{presolve.Backend{Inner: ipm.Backend{}}, []reduce.Reduction{set}},
	} {
		t.Run(name, func(t *testing.T) { qptest.Run(t, b, qptest.Exact) })
	}
}

// TestUnits: the problems of the suite have their outcome in other units, to the tolerance in
// these.
func TestUnits(t *testing.T) {
	b := inUnits{ipm.Backend{}, []float64{1, 1024, 1.0 / 1024}}
	for _, c := range qptest.Problems() {
		if strings.Contains(c.Name, "units") { // which need others than these
			continue
		}
		s, res := answer(t, b, c.Problem)
		s.Close()
		off := math.Abs(res.Objective-c.Objective) / (1 + math.Abs(c.Objective))
		if c.Want != qpbackend.Solved {
			off = 0
		}
		if res.Status != c.Want && res.Status != qpbackend.AlmostSolved || !(off <= 1e-4) {
			t.Errorf("%s: %v with %g, want %v with %g", c.Name, res.Status, res.Objective, c.Want, c.Objective)
		}
	}
}

// equalBounds leaves out the columns that have equal bounds.
type equalBounds struct{}

func (equalBounds) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (reduce.Reduced, error) {
	var cols []int
	for j := range p.Q {
		if lo, hi := p.Bounds(j); lo == hi {
			cols = append(cols, j)
		}
	}
	return fixed.Reduction{Cols: cols}.New(ctx, p, set)
}

// links are the reductions as backends before another one.
var links = map[string]func(b qpbackend.Backend) qpbackend.Backend{
	"units":     func(b qpbackend.Backend) qpbackend.Backend { return inUnits{b, []float64{1, 1024, 1.0 / 1024}} },
	"parameter": func(b qpbackend.Backend) qpbackend.Backend { return reduce.Chain(b, equalBounds{}) },
	"presolve":  func(b qpbackend.Backend) qpbackend.Backend { return presolve.Backend{Inner: b} },
	"set":       func(b qpbackend.Backend) qpbackend.Backend { return reduce.Chain(b, Reduction{least: 3}) },
}

// pairs calls f for each two reductions before b; units are before all others.
func pairs(b qpbackend.Backend, f func(first, second string, b qpbackend.Backend)) {
	for first, before := range links {
		for second, behind := range links {
			if second != "units" {
				f(first, second, before(behind(b)))
			}
		}
	}
}

// powers are the reductions' powers of a solver of a pair.
func powers(t *testing.T, b qpbackend.Backend, p *qpbackend.Problem) (qpbackend.Solver, reduce.Solver) {
	t.Helper()
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if u, ok := s.(unitsSolver); ok {
		return s, u.Solver.Solver
	}
	return s, s.(reduce.Solver)
}

// lacks reports whether the error is the refusal of a power.
func lacks(err error) bool {
	var lack *reduce.LackError
	return errors.As(err, &lack)
}

// deviations is a least absolute deviations fit of four variables within bounds and a fifth of one
// value, whose terms are columns.
func deviations(rng *rand.Rand, samples int) *qpbackend.Problem {
	const n = 5
	p := &qpbackend.Problem{Q: make([]float64, n+samples)}
	for j := range p.Q {
		lo, hi := -10.0, 10.0
		if j >= n {
			p.Q[j], lo, hi = 1, math.Inf(-1), math.Inf(1)
		} else if j == n-1 {
			lo, hi = 1, 1
		}
		p.Lo, p.Hi = append(p.Lo, lo), append(p.Hi, hi)
	}
	var a sparse.Triplets
	for k := range samples {
		side := 3 * rng.NormFloat64()
		var row [n]float64
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		for _, sign := range []float64{1, -1, 1, -1} { // each row twice
			for j, v := range row {
				a.Add(len(p.L), j, sign*v)
			}
			a.Add(len(p.L), n+k, -1)
			p.L, p.U = append(p.L, math.Inf(-1)), append(p.U, sign*side)
		}
	}
	p.P = sparse.Zero(len(p.Q), len(p.Q))
	p.A, _ = a.CSC(len(p.L), len(p.Q))
	return p
}

// TestEarlyEndOfPairs: a goal reaches a working set behind reductions that pass it on, or is
// refused.
func TestEarlyEndOfPairs(t *testing.T) {
	p := deviations(rand.New(rand.NewPCG(1, 2)), 300)
	_, want := answer(t, ipm.Backend{}, p)
	pairs(ipm.Backend{}, func(first, second string, b qpbackend.Backend) {
		s, of := powers(t, b, p)
		defer s.Close()
		passes := func(name string) bool { return name == "units" || name == "parameter" }
		err := of.Enough([]float64{5, 5, -5, 5, 1}, 0)
		if may := first == "set" || passes(first) && second == "set"; may != (err == nil) || !may && !lacks(err) {
			t.Errorf("%s, %s: %v", first, second, err)
		}
		var res qpbackend.Result
		if err := s.Solve(context.Background(), &res); err != nil {
			t.Fatal(first, second, err)
		}
		early := res.Status == qpbackend.AlmostSolved
		if early && err != nil || !early && err == nil && first != "units" || !early && math.Abs(res.Objective-want.Objective) > 1e-6*want.Objective {
			t.Errorf("%s, %s: %v with %g, the least is %g", first, second, res.Status, res.Objective, want.Objective)
		}
		if !(res.Share >= 0 && res.Share <= 1) || res.Iterations == 0 {
			t.Errorf("%s, %s: %d iterations, each for %g of the problem", first, second, res.Iterations, res.Share)
		}
	})
}

// strict is a strictly convex program with a column of one value, and rows of which few hold, each
// of them and its double.
func strict(rng *rand.Rand) *qpbackend.Problem {
	const n, m = 6, 60
	p := &qpbackend.Problem{P: sparse.Identity(n), Lo: make([]float64, n), Hi: make([]float64, n)}
	var a sparse.Triplets
	var before [m / 2][n]float64
	for j := range n {
		p.Q, p.Lo[j], p.Hi[j] = append(p.Q, 3*rng.NormFloat64()), -9, 9
	}
	p.Lo[2], p.Hi[2] = 0.5, 0.5
	for i := range m {
		for j := range n {
			v := rng.NormFloat64()
			if i >= m/2 { // the double of another row
				v = 2 * before[i-m/2][j]
			} else {
				before[i][j] = v
			}
			a.Add(i, j, v)
		}
		p.L, p.U = append(p.L, math.Inf(-1)), append(p.U, 4+4*rng.Float64())
	}
	p.A, _ = a.CSC(m, n)
	return p
}

// bare hides the powers of a solver.
type bare struct{ ipm.Backend }

func (b bare) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	s, err := b.Backend.New(ctx, p, set)
	return struct{ qpbackend.Solver }{s}, err
}

// TestDerivativesOfPairs: the derivative of a pair is the one of its backend alone; a pair before a
// backend without derivatives says so.
func TestDerivativesOfPairs(t *testing.T) {
	ctx, p := context.Background(), strict(rand.New(rand.NewPCG(3, 4)))
	along := qpbackend.Update{Q: []float64{1, -1, 0, 2, 0, 1}}
	tangent := func(s qpbackend.Solver, d qpbackend.Differentiator) (of qpbackend.Tangent) {
		t.Helper()
		var res qpbackend.Result
		if err := s.Solve(ctx, &res); err != nil || res.Status != qpbackend.Solved {
			t.Fatal(err, res.Status)
		}
		deriv, err := d.Differentiate(ctx)
		if err == nil {
			err = deriv.Forward(ctx, along, &of)
		}
		if err != nil {
			t.Fatal(err)
		}
		return of
	}
	alone, _ := answer(t, ipm.Backend{}, p)
	want := tangent(alone, alone.(qpbackend.Differentiator))
	pairs(ipm.Backend{}, func(first, second string, b qpbackend.Backend) {
		s, of := powers(t, b, p)
		defer s.Close()
		if got := tangent(s, of); num.DistInf(got.X, want.X) > 1e-5 || num.NormInf(want.X) < 0.1 {
			t.Errorf("%s, %s: the derivative is off by %g", first, second, num.DistInf(got.X, want.X))
		}
		holds := func(context.Context, []float64, []float64, []float64) bool { return true }
		if err := of.Confirm(holds); !lacks(err) {
			t.Errorf("%s, %s: %v for a confirmation", first, second, err)
		}
	})
	pairs(bare{}, func(first, second string, b qpbackend.Backend) {
		s, of := powers(t, b, p)
		defer s.Close()
		var res qpbackend.Result
		if err := s.Solve(ctx, &res); err != nil {
			t.Fatal(err)
		}
		if _, err := of.Differentiate(ctx); !lacks(err) {
			t.Errorf("%s, %s: %v for a derivative", first, second, err)
		}
	})
}
