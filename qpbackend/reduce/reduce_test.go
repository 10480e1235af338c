package reduce_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/qptest"
	"github.com/dcopt/dcopt/qpbackend/reduce"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// negated is the reduction to x' = −x. In the first rounds it solves without its rows, and a liar
// returns x'.
type negated struct {
	rounds int  // without rows, or with all
	lies   bool // the first answer after each change is wrong
}

type negatedState struct {
	negated
	p    *qpbackend.Problem
	lied bool
	left int
}

func (r negated) New(_ context.Context, p *qpbackend.Problem, _ qpbackend.Settings) (reduce.Reduced, error) {
	return &negatedState{negated: r, p: p.CloneValues()}, nil
}

func turned(v []float64) []float64 {
	if v == nil {
		return nil
	}
	out := make([]float64, len(v))
	for k := range v {
		out[k] = -v[k]
	}
	return out
}

func (s *negatedState) Apply(_ context.Context, p *qpbackend.Problem, ask reduce.Ask) (reduce.Task, error) {
	if ask.Round == 0 {
		s.left, s.lied = s.rounds, s.lied && !ask.Changed()
	}
	q := s.p
	q.Q, q.Lo, q.Hi, q.A.Val = turned(p.Q), turned(p.Hi), turned(p.Lo), turned(p.A.Val)
	copy(q.L, p.L)
	copy(q.U, p.U)
	copy(q.P.Val, p.P.Val)
	t := reduce.Task{Problem: q, Keep: true, News: ask.News, Cols: make([]int, len(p.Q)), Early: reduce.Passed}
	for j := range t.Cols {
		t.Cols[j] = j
	}
	if u := ask.News; u.Lo != nil || u.Hi != nil {
		t.News.Lo, t.News.Hi = q.Lo, q.Hi
	}
	if ask.News.Q != nil {
		t.News.Q = q.Q
	}
	if ask.News.A != nil {
		t.News.A = q.A.Val
	}
	t.Start = reduce.Point{X: turned(ask.Start.X), Y: ask.Start.Y, Z: turned(ask.Start.Z)}
	return t, nil
}

func (s *negatedState) Invert(
	_ context.Context, _ *qpbackend.Problem, from, to *qpbackend.Result,
) (reduce.Verdict, error) {
	if s.left--; s.left >= 0 {
		return reduce.Again, nil
	}
	to.X, to.Y, to.Z = append(to.X[:0], from.X...), append(to.Y[:0], from.Y...), append(to.Z[:0], from.Z...)
	if s.lies && !s.lied {
		s.lied = true
		return reduce.Checked, nil
	}
	for j := range to.X {
		to.X[j], to.Z[j] = -to.X[j], -to.Z[j]
	}
	return reduce.Checked, nil
}

// TestSuite: reductions whose answers are of one round, of several, wrong, and in a chain.
func TestSuite(t *testing.T) {
	inner := ipm.Backend{}
	for name, b := range map[string]qpbackend.Backend{
		"one":   reduce.Chain(inner, negated{}),
		"wrong": reduce.Chain(inner, negated{lies: true}),
		"chain": reduce.Chain(inner, negated{}, negated{lies: true}, negated{}),
	} {
		t.Run(name, func(t *testing.T) { qptest.Run(t, b, qptest.Exact) })
	}
}

// counting notes the values that updates bring, and the solvers and solves.
type counting struct {
	ipm.Backend
	seen *counts
}

type counts struct {
	made, solved int
	updates      []qpbackend.Update
}

type countingSolver struct {
	qpbackend.Solver
	seen *counts
}

func (b counting) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	b.seen.made++
	s, err := b.Backend.New(ctx, p, set)
	return countingSolver{s, b.seen}, err
}

func (s countingSolver) Update(u qpbackend.Update) error {
	s.seen.updates = append(s.seen.updates, u)
	return s.Solver.Update(u)
}

func (s countingSolver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	s.seen.solved++
	return s.Solver.Solve(ctx, dst)
}

func small() *qpbackend.Problem {
	return &qpbackend.Problem{
		P: sparse.Identity(2), Q: []float64{-1, -2}, A: sparse.Identity(2), L: []float64{0, 0}, U: []float64{1, 1},
	}
}

func run(t *testing.T, s qpbackend.Solver) (res qpbackend.Result) {
	t.Helper()
	if err := s.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.Solved {
		t.Fatal(err, res.Status)
	}
	return res
}

// TestNothingTwice: values that are the ones before reach no backend, and a solver is made once.
func TestNothingTwice(t *testing.T) {
	var seen counts
	b, p := reduce.Chain(counting{seen: &seen}, negated{}, negated{}), small()
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run(t, s)
	all := qpbackend.Update{Q: p.Q, L: p.L, U: p.U, P: p.P.Val, A: p.A.Val}
	if err := s.Update(all); err != nil {
		t.Fatal(err)
	}
	if run(t, s); len(seen.updates) != 0 {
		t.Errorf("values that are the ones before make the updates %v", seen.updates)
	}
	all.U = []float64{1, 3}
	if err := s.Update(all); err != nil {
		t.Fatal(err)
	}
	if res := run(t, s); math.Abs(res.X[1]-2) > 1e-6 {
		t.Errorf("the solution is %v", res.X)
	}
	if u := seen.updates; len(u) != 1 || u[0].Q != nil || u[0].L != nil || u[0].P != nil || u[0].A != nil {
		t.Errorf("new upper sides alone make the updates %v", u)
	}
	if seen.made != 1 {
		t.Errorf("%d solvers", seen.made)
	}
}

// TestRounds: a reduction gets as many solves as it asks for, and their work counts.
func TestRounds(t *testing.T) {
	var seen counts
	b := reduce.Chain(counting{seen: &seen}, negated{rounds: 2})
	s, err := b.New(context.Background(), small(), b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	one, err := ipm.Backend{}.New(context.Background(), small(), b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	if res, want := run(t, s), run(t, one); seen.solved != 3 || res.Iterations != 3*want.Iterations ||
		math.Abs(res.Work-3*want.Work) > 1e-9*want.Work {
		t.Errorf("%d solves, %d iterations, work %g; one has %d and %g", seen.solved, res.Iterations, res.Work, want.Iterations, want.Work)
	}
}

// TestWhole: where an answer does not hold, the problem is solved as stated, and that is told.
func TestWhole(t *testing.T) {
	var seen counts
	b, p := reduce.Chain(counting{seen: &seen}, negated{lies: true}), small()
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	of := s.(reduce.Solver)
	if !of.Reduced() {
		t.Error("the problem that is ready is the one stated")
	}
	if res := run(t, s); of.Reduced() || seen.made != 2 || !slices.Equal(res.X, run(t, s).X) && math.Abs(res.X[0]-1) > 1e-6 {
		t.Errorf("%v, %d solvers, from the reduction: %v", res.X, seen.made, of.Reduced())
	}
	if !of.Reduced() {
		t.Error("the second answer is not the reduction's")
	}
}

// TestLacks: powers that reductions or the backend do not have are refused by a *LackError, and a
// nonconvex problem names the variable as stated.
func TestLacks(t *testing.T) {
	b := reduce.Chain(counting{seen: new(counts)}, negated{})
	s, err := b.New(context.Background(), small(), b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run(t, s)
	of := s.(reduce.Solver)
	_, err = of.Differentiate(context.Background())
	for name, err := range map[string]error{
		"early":   of.Enough([]float64{0}, 1),
		"confirm": of.Confirm(func(context.Context, []float64, []float64, []float64) bool { return true }),
		"derive":  err,
	} {
		var lack *reduce.LackError
		if !errors.As(err, &lack) || lack.Backend != "ipm" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
