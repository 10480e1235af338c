package workingset

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/reduce"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// sample makes random problems with one solution: a strictly convex objective of a few
// columns, rows by the hundred, terms of three kinds, and cones.
type sample struct {
	*rand.Rand
	p  qpbackend.Problem
	a  sparse.Triplets
	x0 []float64 // meets all rows
}

func newSample(seed uint64, kinds []qpbackend.ConeKind) *sample {
	s := &sample{Rand: rand.New(rand.NewPCG(seed, 1))}
	n := 3 + s.IntN(6)
	var p sparse.Triplets
	for j := range n {
		s.column(3*s.NormFloat64(), math.Inf(-1), math.Inf(1))
		s.x0[j] = s.NormFloat64()
		p.Add(j, j, 0.5+s.Float64())
	}
	for range 20 + s.IntN(150) {
		s.inequality(n)
	}
	for range s.IntN(120) {
		s.hinge(n)
	}
	for range s.IntN(40) {
		s.maximum(n)
	}
	for _, k := range kinds {
		for range 1 + s.IntN(4) {
			s.cone(k, n)
		}
	}
	s.p.P, _ = p.CSC(len(s.p.Q), len(s.p.Q))
	s.p.A, _ = s.a.CSC(len(s.p.L), len(s.p.Q))
	return s
}

func (s *sample) column(q, lo, hi float64) int {
	s.p.Q, s.p.Lo, s.p.Hi = append(s.p.Q, q), append(s.p.Lo, lo), append(s.p.Hi, hi)
	s.x0 = append(s.x0, 0)
	return len(s.p.Q) - 1
}

// row adds one of the first n columns without sides, and returns its value at x0.
func (s *sample) row(n int) (i int, at float64) {
	i = len(s.p.L)
	for j := range n {
		if s.IntN(3) > 0 {
			v := s.NormFloat64()
			s.a.Add(i, j, v)
			at += v * s.x0[j]
		}
	}
	s.p.L, s.p.U = append(s.p.L, math.Inf(-1)), append(s.p.U, math.Inf(1))
	return i, at
}

func (s *sample) inequality(n int) {
	i, at := s.row(n)
	switch s.IntN(12) {
	case 0:
		s.p.L[i] = at - s.Float64()
	case 1:
		s.p.L[i], s.p.U[i] = at-s.Float64(), at+s.Float64()
	default:
		s.p.U[i] = at + 2*s.Float64()
	}
}

// hinge is the price of what a row misses, from above or from below.
func (s *sample) hinge(n int) {
	i, at := s.row(n)
	if s.IntN(4) == 0 { // −t ≥ …, t ≤ 0 with a price
		s.a.Add(i, s.column(-0.3*s.Float64()-0.01, math.Inf(-1), 0), -1)
		s.p.L[i] = at + s.NormFloat64()
		s.x0[len(s.x0)-1] = min(0, at-s.p.L[i])
		return
	}
	s.a.Add(i, s.column(0.3*s.Float64()+0.01, 0, math.Inf(1)), -1)
	s.p.U[i] = at + s.NormFloat64()
	s.x0[len(s.x0)-1] = max(0, at-s.p.U[i])
}

// maximum is the price of the largest of some affine functions.
func (s *sample) maximum(n int) {
	t := s.column(0.1+0.3*s.Float64(), math.Inf(-1), math.Inf(1))
	top := math.Inf(-1)
	for range 2 + s.IntN(4) {
		i, at := s.row(n)
		s.a.Add(i, t, -1)
		s.p.U[i] = s.NormFloat64()
		top = max(top, at-s.p.U[i])
	}
	s.x0[t] = top
}

// cone is one around x0.
func (s *sample) cone(kind qpbackend.ConeKind, n int) {
	inside := map[qpbackend.ConeKind][]float64{
		qpbackend.SecondOrder: {2, 0.5, 0.5, 0.1}, qpbackend.Exponential: {0.2, 1, 2}, qpbackend.Power: {1, 1, 0.3}, qpbackend.Semidefinite: {1, 0.2, 1},
	}[kind]
	s.p.Cones = append(s.p.Cones, qpbackend.Cone{Kind: kind, Start: len(s.p.L), Len: len(inside), Alpha: 0.4})
	for _, v := range inside {
		i, at := s.row(n)
		s.p.L[i] = at - v*(1+s.Float64()/10)
	}
	if kind != qpbackend.Power {
		s.p.Cones[len(s.p.Cones)-1].Alpha = 0
	}
}

// exclude adds rows that exclude each other.
func (s *sample) exclude() {
	n, m := 3, len(s.p.L)
	for k, sign := range []float64{1, -1} {
		for j := range n {
			s.a.Add(m+k, j, sign*float64(j+1))
		}
		s.p.L, s.p.U = append(s.p.L, math.Inf(-1)), append(s.p.U, -1)
	}
	s.p.A, _ = s.a.CSC(len(s.p.L), len(s.p.Q))
}

func answer(t *testing.T, b qpbackend.Backend, p *qpbackend.Problem) (qpbackend.Solver, qpbackend.Result) {
	t.Helper()
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil {
		t.Fatal(err)
	}
	return s, res
}

// held is a working set and the solver that it is in.
type held struct {
	reduce.Solver
	*working
}

// holding keeps the working set that it makes.
type holding struct {
	Reduction
	made **working
}

func (h holding) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (reduce.Reduced, error) {
	s, err := h.Reduction.New(ctx, p, set)
	*h.made = s.(*working)
	return s, err
}

func newSolver(t *testing.T, p *qpbackend.Problem, inner qpbackend.Backend) (s held) {
	t.Helper()
	chain := reduce.Chain(inner, holding{Reduction{least: 1}, &s.working})
	solver, err := chain.New(context.Background(), p, chain.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	s.Solver = solver.(reduce.Solver)
	s.least = 0
	s.readLines()
	return s
}

// answerHeld is answer with the working set, of which at least 10 rows join at once.
func answerHeld(t *testing.T, p *qpbackend.Problem) (s held, res qpbackend.Result) {
	t.Helper()
	s = newSolver(t, p, ipm.Backend{})
	s.least = 10
	if err := s.Solve(context.Background(), &res); err != nil {
		t.Fatal(err)
	}
	return s, res
}

func far(a, b []float64) (d float64) {
	size := 1.0
	for i, v := range a {
		d, size = max(d, math.Abs(v-b[i])), max(size, math.Abs(v))
	}
	return d / size
}

// TestAsTheWhole: with a working set random problems of all cones have the solution, the
// multipliers and the verdict that they have as a whole, at first and after changes.
func TestAsTheWhole(t *testing.T) {
	cones := [][]qpbackend.ConeKind{nil, {qpbackend.SecondOrder}, {qpbackend.Exponential}, {qpbackend.Power}, {qpbackend.Semidefinite}, {qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite}}
	smaller, all := 0, 0
	for k, kinds := range cones {
		for seed := range uint64(8) {
			t.Run(fmt.Sprint(kinds, seed), func(t *testing.T) {
				s := newSample(100*uint64(k)+seed, kinds)
				some, res := answerHeld(t, &s.p)
				defer some.Close()
				for change := range 3 {
					whole, want := answer(t, ipm.Backend{}, &s.p)
					whole.Close()
					if res.Status != qpbackend.Solved || want.Status != qpbackend.Solved {
						t.Fatalf("change %d: %v, as a whole %v", change, res.Status, want.Status)
					}
					if math.Abs(res.Objective-want.Objective) > 1e-6*max(1, math.Abs(want.Objective)) {
						t.Errorf("change %d: the objective is %.10g, as a whole %.10g", change, res.Objective, want.Objective)
					}
					if d := far(res.X, want.X); d > 1e-4 {
						t.Errorf("change %d: the solution is off by %g", change, d)
					}
					if d := max(far(res.Y, want.Y), far(res.Z, want.Z)); d > 1e-3 {
						t.Errorf("change %d: the multipliers are off by %g", change, d)
					}
					if r := qpbackend.Certify(&s.p, res.X, res.Y, res.Z); r != res.Res || r.Max() > 1e-8 {
						t.Errorf("change %d: residuals %v, certified %v", change, res.Res, r)
					}
					if all++; some.rows < len(s.p.L)*3/4 {
						smaller++
					}
					for j := range s.p.Q {
						s.p.Q[j] *= 1 + 0.3*s.NormFloat64()*float64(min(1, s.p.P.ColPtr[j+1]-s.p.P.ColPtr[j]))
					}
					for i := range s.p.U {
						s.p.U[i] += s.Float64() / 5
					}
					if err := some.Update(qpbackend.Update{Q: s.p.Q, U: s.p.U}); err != nil {
						t.Fatal(err)
					}
					if err := some.Solve(context.Background(), &res); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
	if smaller < all/4 {
		t.Errorf("%d of %d sets are smaller than the whole", smaller, all)
	}
}

// TestShares: a solver that shares the values of A with the problem has the answers of one that
// does not, after changes of these values as well. It writes to none that it is given.
func TestShares(t *testing.T) {
	for seed := range uint64(6) {
		rng, p := rand.New(rand.NewPCG(seed, 5)), &newSample(7000+seed, nil).p
		own, want := answerHeld(t, p)
		shares, res := answer(t, reduce.Backend{Reduction: Reduction{least: 10}, Backend: ipm.Backend{}, Shares: true}, p)
		for change := range 4 {
			if res.Status != want.Status || !slices.Equal(res.X, want.X) || !slices.Equal(res.Y, want.Y) {
				t.Errorf("seed %d, change %d: %v, without sharing %v, x off by %g", seed, change, res.Status, want.Status, far(res.X, want.X))
			}
			before := p.A.Val
			if change == 1 { // values at another place
				p.A.Val = slices.Clone(p.A.Val)
			}
			for k := range p.A.Val {
				p.A.Val[k] *= 1 + rng.Float64()/50
			}
			given, old := slices.Clone(p.A.Val), slices.Clone(before)
			for s, to := range map[qpbackend.Solver]*qpbackend.Result{own: &want, shares: &res} {
				if err := s.Update(qpbackend.Update{A: p.A.Val}); err != nil {
					t.Fatal(err)
				}
				if err := s.Solve(context.Background(), to); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(p.A.Val, given) || !slices.Equal(before, old) {
				t.Errorf("seed %d, change %d: values of A were overwritten", seed, change)
			}
		}
		own.Close()
		shares.Close()
	}
}

// TestResume: the first set at a solution has the rows with a multiplier and those that the
// solution breaks, as rows do that have come since. None of these counts as an affine function
// without a row.
func TestResume(t *testing.T) {
	broken := 0
	for seed := range uint64(20) {
		p := &newSample(5000+seed, nil).p
		one, res := answerHeld(t, p)
		one.Close()
		for i, j := range newShape(p).own {
			if j >= 0 && p.Lo[j] == 0 && res.Y[i] == 0 { // a hinge
				p.U[i] -= 5
			}
		}
		s := newSolver(t, p, ipm.Backend{})
		s.least, s.sampled = len(p.L), false // the sets of samples begin without multipliers
		s.take(reduce.Point{X: res.X, Y: res.Y, Z: res.Z}, reduce.Goal{})
		ax := make([]float64, len(p.L))
		p.A.AddMulVec(ax, 1, res.X)
		s.begin()
		for i, y := range res.Y {
			if breaks := ax[i] > p.U[i]+1e-6; math.Abs(y) > 1e-3 || breaks {
				if !s.in[i] {
					t.Errorf("seed %d: row %d is absent, multiplier %g, value %g ≤ %g", seed, i, y, ax[i], p.U[i])
				}
				if breaks {
					broken++
				}
			}
		}
		for j, state := range s.state {
			if state == tied && !math.IsInf(p.Lo[j], 0) {
				t.Errorf("seed %d: column %d is tied", seed, j)
			}
		}
		clear(res.Y) // multipliers of no solution
		for _, x := range [][]float64{res.X, make([]float64, len(res.X))} {
			if err := s.WarmStart(x, res.Y, res.Z); err != nil {
				t.Fatal(err)
			}
			s.chosen = false
			if err := s.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.Solved {
				t.Errorf("seed %d, without multipliers: %v, %v", seed, err, res.Status)
			}
		}
	}
	if broken < 100 {
		t.Errorf("the solutions break %d rows", broken)
	}
}

// TestSamplesAsTheWhole: samples with a hinge or an absolute value each, whose set is that around
// their smoothed terms, have the solution and the multipliers that they have as a whole, while
// changes become smaller, and after a large one.
func TestSamplesAsTheWhole(t *testing.T) {
	smaller := 0
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 4))
		n, m := 4, 600
		p := qpbackend.Problem{Q: make([]float64, n+m), Lo: make([]float64, n+m), Hi: make([]float64, n+m)}
		var square, a sparse.Triplets
		for j := range n {
			p.Q[j], p.Lo[j], p.Hi[j] = rng.NormFloat64(), math.Inf(-1), math.Inf(1)
			square.Add(j, j, 1)
		}
		for i := range m {
			t := n + i
			p.Q[t], p.Lo[t], p.Hi[t] = rng.Float64(), 0, math.Inf(1)
			signs := []float64{1}
			if rng.IntN(3) == 0 {
				p.Lo[t], signs = math.Inf(-1), []float64{1, -1}
			}
			side, row := rng.NormFloat64(), make([]float64, n)
			for j := range row {
				row[j] = rng.NormFloat64() * math.Pow(4, float64(j-1)) // the variables' units differ
			}
			for _, sign := range signs {
				for j, v := range row {
					a.Add(len(p.L), j, sign*v)
				}
				a.Add(len(p.L), t, -1)
				p.L, p.U = append(p.L, math.Inf(-1)), append(p.U, sign*side)
			}
		}
		p.P, _ = square.CSC(n+m, n+m)
		p.A, _ = a.CSC(len(p.L), n+m)
		some, res := answerHeld(t, &p)
		for k, change := range []float64{1, 0.3, 0.1, 0.03, 0.01, 3, 0.1} {
			whole, want := answer(t, ipm.Backend{}, &p)
			whole.Close()
			if res.Status != qpbackend.Solved || !(math.Abs(res.Objective-want.Objective) <= 1e-7*max(1, math.Abs(want.Objective))) || far(res.X, want.X) > 1e-3 ||
				far(res.Y, want.Y) > 1e-3 || far(res.Z, want.Z) > 1e-3 || !(res.Res.Max() <= 1e-8) {
				t.Errorf("seed %d, change %d: %v with %.10g, as a whole %v with %.10g, x off by %g, y by %g, z by %g", seed, k, res.Status, res.Objective, want.Status, want.Objective,
					far(res.X, want.X), far(res.Y, want.Y), far(res.Z, want.Z))
			}
			s := some.working
			if !s.sampled {
				t.Fatal("the rows are not those of samples")
			}
			if k == 5 && s.rows < len(p.L)/4 { // the last step was the smallest
				smaller++
			}
			for j := range n {
				p.Q[j] += 10 * change * rng.NormFloat64()
			}
			if err := some.Update(qpbackend.Update{Q: p.Q}); err != nil {
				t.Fatal(err)
			}
			if err := some.Solve(context.Background(), &res); err != nil {
				t.Fatal(err)
			}
		}
		some.Close()
	}
	if smaller < 4 {
		t.Errorf("%d of 6 small steps have less than a quarter of the rows", smaller)
	}
}

// maxima is a problem of samples with a maximum each, of pieces of variables of their own as in a
// regression, some of them with a bound and some turned around: the least value of affine
// functions, to be as large as possible. Where square, variables have a square each.
func maxima(rng *rand.Rand, count int, square bool) *qpbackend.Problem {
	const pieces, features = 4, 3
	n := pieces * features
	p := &qpbackend.Problem{Q: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	var squares, a sparse.Triplets
	for j := range n {
		p.Q[j], p.Lo[j], p.Hi[j] = rng.NormFloat64(), -3, 3
		if square {
			squares.Add(j, j, 1)
		}
	}
	for i := range count {
		sign, unit := 1.0, math.Exp(rng.NormFloat64())
		if i%5 == 0 {
			sign = -1
		}
		lo, hi := math.Inf(-1), math.Inf(1)
		if i%7 == 0 {
			if lo = 0; sign < 0 {
				lo, hi = math.Inf(-1), 0
			}
		}
		p.Q, p.Lo, p.Hi = append(p.Q, sign*rng.Float64()), append(p.Lo, lo), append(p.Hi, hi)
		x := []float64{rng.NormFloat64(), rng.NormFloat64(), 1}
		for k := range pieces {
			for j, v := range x {
				a.Add(len(p.L), k*features+j, sign*unit*v)
			}
			a.Add(len(p.L), n+i, -unit)
			side := unit * rng.NormFloat64()
			if sign > 0 {
				p.L, p.U = append(p.L, math.Inf(-1)), append(p.U, side)
			} else {
				p.L, p.U = append(p.L, side), append(p.U, math.Inf(1))
			}
		}
	}
	p.P, _ = squares.CSC(len(p.Q), len(p.Q))
	p.A, _ = a.CSC(len(p.L), len(p.Q))
	return p
}

// TestLines: rows have the sums and the norms of the matrix, before and after its values change.
func TestLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 6))
	p := maxima(rng, 60, false)
	s := newSolver(t, p, ipm.Backend{})
	x := make([]float64, len(p.Q))
	check := func() {
		t.Helper()
		for j := range x {
			if x[j] = 0; !s.term[j] {
				x[j] = rng.NormFloat64()
			}
		}
		want, squares := make([]float64, len(p.L)), make([]float64, len(p.L))
		p.A.AddMulVec(want, 1, x)
		for j := range x {
			for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1] && !s.term[j]; k++ {
				squares[p.A.RowIdx[k]] += p.A.Val[k] * p.A.Val[k]
			}
		}
		for i, v := range want {
			if got := s.product(int32(i), x); math.Abs(got-v) > 1e-12*s.norms[i] {
				t.Errorf("the sum of row %d is %g, want %g", i, got, v)
			}
			if math.Abs(s.norms[i]-math.Sqrt(squares[i])) > 1e-12*s.norms[i] {
				t.Errorf("the norm of row %d is %g, want %g", i, s.norms[i], math.Sqrt(squares[i]))
			}
		}
	}
	check()
	change := slices.Clone(p.A.Val)
	for k := range change {
		change[k] *= []float64{-1, 0, 1, 1, rng.NormFloat64()}[rng.IntN(5)]
	}
	if err := s.Update(qpbackend.Update{A: change}); err != nil {
		t.Fatal(err)
	}
	s.readLines()
	check()
}

// TestMaximaAsTheWhole: samples with a maximum of several pieces have the least value that they
// have as a whole, with few of their rows, and where prices change.
func TestMaximaAsTheWhole(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 5))
		p := maxima(rng, 500, seed%2 == 0)
		some, res := answerHeld(t, p)
		s := some.working
		if !s.sampled {
			t.Fatal("the rows are not those of samples")
		}
		for k := range 5 {
			whole, want := answer(t, ipm.Backend{}, p)
			whole.Close()
			if res.Status != qpbackend.Solved || !(math.Abs(res.Objective-want.Objective) <= 1e-7*max(1, math.Abs(want.Objective))) || !(res.Res.Max() <= 1e-8) {
				t.Errorf("seed %d, change %d: %v with %.10g, as a whole %v with %.10g", seed, k, res.Status, res.Objective, want.Status, want.Objective)
			}
			if s.rows > 2*len(p.L)/5 {
				t.Errorf("seed %d, change %d: %d of %d rows are in the set", seed, k, s.rows, len(p.L))
			}
			for j := range p.Q {
				p.Q[j] *= 1 + 0.5*rng.Float64()
			}
			if err := some.Update(qpbackend.Update{Q: p.Q}); err != nil {
				t.Fatal(err)
			}
			if err := some.Solve(context.Background(), &res); err != nil {
				t.Fatal(err)
			}
		}
		some.Close()
	}
}

// TestIdlePiece: a piece that is the largest nowhere near the solution stays where it is, and few
// rows join; in the middle of its room it breaks most of its rows.
func TestIdlePiece(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 9))
		p := maxima(rng, 2000, false)
		for j := range 3 { // the last piece of four costs nothing by itself
			p.Q[9+j] = 0
		}
		for i := 3; i < len(p.L); i += 4 {
			a := 0.0
			for k := p.A.ColPtr[11]; k < p.A.ColPtr[12]; k++ {
				if p.A.RowIdx[k] == i {
					a = math.Abs(p.A.Val[k])
				}
			}
			if math.IsInf(p.L[i], -1) {
				p.U[i] = 6 * a
			} else {
				p.L[i] = -6 * a
			}
		}
		some, res := answerHeld(t, p)
		whole, want := answer(t, ipm.Backend{}, p)
		whole.Close()
		if res.Status != qpbackend.Solved ||
			!(math.Abs(res.Objective-want.Objective) <= 1e-7*max(1, math.Abs(want.Objective))) {
			t.Errorf("seed %d: %v with %.10g, as a whole %.10g", seed, res.Status, res.Objective, want.Objective)
		}
		if some.rows > len(p.L)/50 {
			t.Errorf("seed %d: %d of %d rows have joined", seed, some.rows, len(p.L))
		}
		some.Close()
	}
}

// TestEnough: a point that is enough is above the least value by at most a hundredth of its
// decrease, which its multipliers prove, and the solution after it is one again.
func TestEnough(t *testing.T) {
	ended := 0
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 7))
		p := maxima(rng, 500, seed%2 == 0)
		whole, want := answer(t, ipm.Backend{}, p)
		whole.Close()
		s := newSolver(t, p, ipm.Backend{})
		s.least = leastSet
		fixed, at := *p, make([]float64, s.common)
		fixed.Lo, fixed.Hi = slices.Clone(p.Lo), slices.Clone(p.Hi)
		for j := range at {
			at[j] = 6*rng.Float64() - 3
			fixed.Lo[j], fixed.Hi[j] = at[j], at[j]
		}
		there, start := answer(t, ipm.Backend{}, &fixed)
		there.Close()
		for k, least := range []float64{0, start.Objective - want.Objective, math.Inf(1)} {
			var res qpbackend.Result
			if err := s.Enough(at, least); err != nil {
				t.Fatal(err)
			}
			if err := s.Solve(context.Background(), &res); err != nil {
				t.Fatal(err)
			}
			above, fall := res.Objective-want.Objective, start.Objective-res.Objective
			switch {
			case res.Status == qpbackend.AlmostSolved && k == 0:
				ended++
				bound := res.Res.Gap * max(1, 1.1*math.Abs(res.Objective))
				if !(above <= 1.01*share*fall) || !(above <= bound+1e-7) || max(res.Res.Primal, res.Res.Dual) > 1e-7 {
					t.Errorf("seed %d: %g above the least value after a fall of %g, with %+v", seed, above, fall, res.Res)
				}
			case res.Status != qpbackend.Solved || !(math.Abs(above) <= 1e-7*max(1, math.Abs(want.Objective))):
				t.Errorf("seed %d, at least %g: %v, %g above the least value", seed, least, res.Status, above)
			}
		}
		s.Close()
	}
	if ended < 4 {
		t.Errorf("%d of 8 points are enough", ended)
	}
}

// TestSmoothing: the gradient of the smoothed terms is that of their value, and the point that a
// fall of the temperature leads to is so near the least one that few rows are.
func TestSmoothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	p := maxima(rng, 400, true)
	s := newSolver(t, p, ipm.Backend{})
	s.least = 10
	s.begin()
	for j := range s.x {
		if !s.term[j] {
			s.x[j] = rng.NormFloat64()
		}
	}
	m := newSmoothing(s.working)
	objective := func() float64 {
		m.readPieces()
		x := slices.Clone(s.x)
		for _, j := range s.terms {
			x[j] = 0
		}
		value, _ := m.value(0)
		return p.Objective(x) + value
	}
	for _, m.temp = range []float64{0.3, 0.003} {
		m.readPieces()
		m.expand()
		const h = 1e-5
		for k, j := range m.cols {
			at := s.x[j]
			s.x[j] = at + h
			up := objective()
			s.x[j] = at - h
			down := objective()
			s.x[j] = at
			if slope := (up - down) / (2 * h); math.Abs(slope-m.g[k]) > 1e-5*max(1, math.Abs(slope)) {
				t.Errorf("temperature %g, variable %d: the slope is %g, the gradient says %g", m.temp, j, slope, m.g[k])
			}
		}
	}
	m.temp = 0.01
	for before, n := objective(), 0; n < 8; n++ {
		m.newton()
		now := objective()
		if now > before {
			t.Errorf("a step raises the objective from %g to %g", before, now)
		}
		before = now
	}
	d := s.smooth(context.Background())
	near := len(within(s.look(), d))
	whole, want := answer(t, ipm.Backend{}, p)
	whole.Close()
	off := 0.0
	for _, j := range m.cols {
		off = max(off, math.Abs(s.x[j]-want.X[j]))
	}
	if near > len(p.L)/4 || off > 0.1 {
		t.Errorf("the point is off by %g, and %d of %d rows are near", off, near, len(p.L))
	}
}

// TestSharpens: an answer whose residuals beside those of the whole problem's costs are too large
// is asked for more accuracy.
func TestSharpens(t *testing.T) {
	s := newSolver(t, maxima(rand.New(rand.NewPCG(2, 7)), 20, true), ipm.Backend{})
	s.tol = s.set.Tol
	s.res.Res = qpbackend.Residuals{Dual: 10 * s.set.Tol}
	if !s.sharpen(qpbackend.Residuals{Dual: s.set.Tol / 5}) || math.Abs(s.tol-s.set.Tol/100) > 1e-3*s.tol || !s.changed {
		t.Errorf("the tolerance is %g", s.tol)
	}
	if s.sharpen(qpbackend.Residuals{Dual: s.set.Tol / 5}) {
		t.Error("it is asked for twice")
	}
}

// counted counts the problems that it is given.
type counted struct {
	ipm.Backend
	problems *int
}

func (b counted) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	*b.problems++
	return b.Backend.New(ctx, p, set)
}

// TestStays: values that move little leave the set as it is, most times, and so the pattern of the
// smaller problem.
func TestStays(t *testing.T) {
	const seeds, changes = 10, 12
	problems, again := 0, 0
	for seed := range uint64(seeds) {
		p := &newSample(7000+seed, nil).p
		some := newSolver(t, p, counted{problems: &problems})
		some.least, some.sampled = 40, false
		var res qpbackend.Result
		if err := some.Solve(context.Background(), &res); err != nil {
			t.Fatal(err)
		}
		before, own := problems, newShape(p).own
		for k := range changes {
			for i, j := range own {
				if j >= 0 {
					p.U[i] += 0.05 * float64((i+k)%3-1)
				}
			}
			if err := some.Update(qpbackend.Update{U: p.U}); err != nil {
				t.Fatal(err)
			}
			if err := some.WarmStart(res.X, res.Y, res.Z); err != nil {
				t.Fatal(err)
			}
			if err := some.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.Solved {
				t.Fatal(seed, err, res.Status)
			}
		}
		some.Close()
		again += problems - before
	}
	if again > seeds*changes*3/8 {
		t.Errorf("%d of %d changes make another problem", again, seeds*changes)
	}
}

// TestShare: iterations with few of the rows count as little.
func TestShare(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 5))
		const n, m = 6, 600
		var a sparse.Triplets
		p := qpbackend.Problem{Q: make([]float64, n)}
		for j := range n {
			p.Q[j] = rng.NormFloat64()
		}
		for i := range m { // the sides of a polytope around 0
			for j := range n {
				a.Add(i, j, rng.NormFloat64())
			}
			p.L, p.U = append(p.L, math.Inf(-1)), append(p.U, 1+rng.Float64())
		}
		p.P = sparse.Zero(n, n)
		p.A, _ = a.CSC(m, n)
		s, res := answer(t, reduce.Chain(ipm.Backend{}, Reduction{least: 12}), &p)
		s.Close()
		if res.Status != qpbackend.Solved || !(res.Share > 0 && res.Share < 0.5) {
			t.Errorf("seed %d: %v, iterations with few of the rows count as %g of one with all", seed, res.Status, res.Share)
		}
	}
}

// TestExcludedAsTheWhole: rows that exclude each other do so with a working set, by a proof
// that holds for the whole problem.
func TestExcludedAsTheWhole(t *testing.T) {
	for seed := range uint64(30) {
		kinds := []qpbackend.ConeKind{qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite}[seed%4:]
		s := newSample(1000+seed, kinds[:seed%2])
		s.exclude()
		some, res := answerHeld(t, &s.p)
		some.Close()
		if res.Status != qpbackend.PrimalInfeasible || qpbackend.PrimalInfeasibility(&s.p, res.Y, res.Z) > 1e-8 {
			t.Errorf("seed %d: %v, proof %g", seed, res.Status, qpbackend.PrimalInfeasibility(&s.p, res.Y, res.Z))
		}
	}
}

// TestUnboundedAsTheWhole: a problem that falls for ever does so with a working set, and one
// that only rows bound that are not in the first set does not.
func TestUnboundedAsTheWhole(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var a sparse.Triplets
		p := qpbackend.Problem{Q: []float64{1, rng.NormFloat64(), 0.5}}
		m := 400
		for i := range m { // x₀ ≥ something, x₁ and x₂ within a polygon
			a.Add(i, 0, -1)
			a.Add(i, 1, rng.NormFloat64())
			a.Add(i, 2, rng.NormFloat64())
			p.L, p.U = append(p.L, math.Inf(-1)), append(p.U, 1+rng.Float64())
		}
		p.A, _ = a.CSC(m, 3)
		some, res := answerHeld(t, &p)
		some.Close()
		if whole, want := answer(t, ipm.Backend{}, &p); res.Status != want.Status || math.Abs(res.Objective-want.Objective) > 1e-6 {
			t.Errorf("seed %d: %v with %g, as a whole %v with %g", seed, res.Status, res.Objective, want.Status, want.Objective)
		} else {
			whole.Close()
		}
		p.Q[0] = -1
		some, res = answerHeld(t, &p)
		some.Close()
		if res.Status != qpbackend.DualInfeasible || qpbackend.DualInfeasibility(&p, res.X) > 1e-8 {
			t.Errorf("seed %d, unbounded: %v", seed, res.Status)
		}
	}
}

// TestPays: the shapes for which there is a working set.
func TestPays(t *testing.T) {
	tall := newSample(1, nil)
	for len(tall.p.L) < leastRows {
		tall.inequality(3)
	}
	tall.p.A, _ = tall.a.CSC(len(tall.p.L), len(tall.p.Q))
	small, dense := newSample(1, nil), newSample(1, nil)
	features := newShape(&dense.p).common
	for len(dense.p.L) < leastRows {
		dense.inequality(features)
	}
	dense.p.A, _ = dense.a.CSC(len(dense.p.L), len(dense.p.Q))
	if !Pays(&tall.p) || Pays(&small.p) || Pays(&dense.p) {
		t.Errorf("%d rows: %v, %d rows: %v, dense: %v", len(tall.p.L), Pays(&tall.p), len(small.p.L), Pays(&small.p), Pays(&dense.p))
	}
	for hinges, least := range map[bool]int{false: leastDense, true: leastSamples} {
		if !Pays(samples(least, hinges)) || Pays(samples(least-1, hinges)) {
			t.Errorf("dense rows do not have a working set from %d on, hinges %v", least, hinges)
		}
	}
	if s, _ := answer(t, reduce.Chain(ipm.Backend{}, Reduction{}), &small.p); s != nil {
		if _, is := s.(reduce.Solver); is {
			t.Error("a small problem has a working set")
		}
		s.Close()
	}
}

// samples is a problem of three shared variables whose rows have all of them: with one more for
// their maximum, or with a hinge each.
func samples(rows int, hinges bool) *qpbackend.Problem {
	const shared = 3
	n := shared + 1
	if hinges {
		n = shared + rows
	}
	p := &qpbackend.Problem{Q: make([]float64, n)}
	var a sparse.Triplets
	for i := range rows {
		for j := range shared {
			a.Add(i, j, float64(1+(i+j)%7))
		}
		a.Add(i, shared+i%(n-shared), 1)
		p.L, p.U = append(p.L, 1), append(p.U, math.Inf(1))
	}
	p.A, _ = a.CSC(rows, n)
	return p
}

// elastic is the problem of the point nearest to c in a region of half-planes that may be broken at
// a price.
func elastic(rng *rand.Rand, rows int, price float64) *qpbackend.Problem {
	const n = 3
	var p, a sparse.Triplets
	out := &qpbackend.Problem{}
	for j := range n {
		p.Add(j, j, 1)
		out.Q, out.Lo, out.Hi = append(out.Q, 3*rng.NormFloat64()), append(out.Lo, math.Inf(-1)), append(out.Hi, math.Inf(1))
	}
	for i := range rows {
		for j := range n {
			a.Add(i, j, rng.NormFloat64())
		}
		a.Add(i, n+i, -1)
		out.Q, out.Lo, out.Hi = append(out.Q, price), append(out.Lo, 0), append(out.Hi, math.Inf(1))
		out.L, out.U = append(out.L, math.Inf(-1)), append(out.U, 1+rng.Float64())
	}
	out.P, _ = p.CSC(n+rows, n+rows)
	out.A, _ = a.CSC(rows, n+rows)
	return out
}

// TestHolds: rows that hold at the point keep their terms at the bound, where these have no column,
// unless their multipliers are above the price. A term whose row is broken at the point is tied to
// it.
func TestHolds(t *testing.T) {
	for _, c := range []struct {
		name         string
		price        float64
		excluded, at bool // no point meets all rows; no term has a column at the end
	}{{"high price", 1e3, false, true}, {"low price", 0.05, false, false}, {"no point", 10, true, true}} {
		for seed := range uint64(5) {
			p := elastic(rand.New(rand.NewPCG(8000+seed, 1)), 300, c.price)
			if c.excluded {
				p.U[7] = -1000 // beyond the half-planes opposite
			}
			_, whole := answer(t, ipm.Backend{}, p)
			some := newSolver(t, p, ipm.Backend{})
			some.least, some.sampled = 40, false
			var res qpbackend.Result
			if err := some.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.Solved || whole.Status != qpbackend.Solved {
				t.Fatal(c.name, seed, err, res.Status, whole.Status)
			}
			if d := far(res.X[:3], whole.X[:3]) + far(res.Y, whole.Y); !(d < 1e-4*(1+num.NormInf(whole.Y))) {
				t.Errorf("%s, seed %d: the answers differ by %g", c.name, seed, d)
			}
			if held := len(some.small.cols) == 3; held != c.at {
				t.Errorf("%s, seed %d: %d columns", c.name, seed, len(some.small.cols))
			}
			some.Close()
		}
	}
}
