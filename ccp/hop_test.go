//go:build !race

package ccp_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

func without(hops int) func(*ccp.Settings) {
	return func(s *ccp.Settings) { s.Heuristics.Search.Hops = hops }
}

// TestHopsFindNoWorsePoints: what comes before the first hop is the same, and hops
// only add. BenchmarkSearches says how often they find a better point.
func TestHopsFindNoWorsePoints(t *testing.T) {
	for seed := range uint64(10) {
		p := packing(t, radii(9, seed))
		still, hopping := solve(t, p, nil, without(0)), solve(t, p, nil, nil)
		if hopping.Status != ccp.Converged || !(hopping.Objective <= still.Objective) {
			t.Errorf("seed %d: %v with %g, without hops %g", seed, hopping.Status, hopping.Objective, still.Objective)
		}
		n := 0
		for n < len(hopping.History) && hopping.History[n].Hop == 0 {
			n++
		}
		if n == len(hopping.History) || !reflect.DeepEqual(hopping.History[:n], still.History) {
			t.Errorf("seed %d: %d iterations before the first hop, %d without hops", seed, n, len(still.History))
		}
		for k := n + 1; k < len(hopping.History); k++ {
			if a, b := hopping.History[k-1], hopping.History[k]; b.Hop != a.Hop && b.Hop != a.Hop+1 || b.K != a.K+1 || b.Hop > 20 {
				t.Fatalf("iteration %d of hop %d follows on %d of %d", b.K, b.Hop, a.K, a.Hop)
			}
		}
	}
}

// TestHopsThatLeadNowhereEnd: of a problem with one point to converge to there are
// but a few, and the result is that without hops, multipliers included.
func TestHopsThatLeadNowhereEnd(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{3}, dc.StartAt(2, 1, 3))
	m.Minimize(dc.SumSquares(x).Sub(dc.Norm2(x.Sub(dc.Vec([]float64{9, 9, 9})))))
	m.SubjectTo(dc.GE(x.Sum(), dc.Num(1)).Named("sum"), dc.LE(dc.Norm1(x).Sub(dc.Norm2(x)), dc.Num(3)).Named("cap"))
	p := build(t, m)
	still, hopping := solve(t, p, nil, without(0)), solve(t, p, nil, nil)
	last := hopping.History[len(hopping.History)-1].Hop
	if last < 1 || last > 8 {
		t.Errorf("%d hops", last)
	}
	if !reflect.DeepEqual(still.X, hopping.X) && still.Objective-hopping.Objective > 1e-6 {
		t.Errorf("%v with %g, without hops %v with %g", hopping.X, hopping.Objective, still.X, still.Objective)
	}
	for i := range still.Duals {
		if math.Abs(still.Duals[i][0]-hopping.Duals[i][0]) > 1e-6 {
			t.Errorf("constraint %d: multiplier %g, without hops %g", i, hopping.Duals[i][0], still.Duals[i][0])
		}
	}
}

// TestHopsAreBounded: by their number, and by the work that a large problem may
// spend on them.
func TestHopsAreBounded(t *testing.T) {
	p := packing(t, radii(6, 1))
	for _, most := range []int{1, 3} {
		res := solve(t, p, nil, without(most))
		if last := res.History[len(res.History)-1].Hop; last > most {
			t.Errorf("%d hops, at most %d were asked for", last, most)
		}
	}
	large, _ := boxLS(t, 120, 1)
	res := solve(t, large, nil, nil)
	before, spent := 0, 0
	for _, it := range res.History {
		if it.Hop == 0 {
			before += it.Solver
		} else {
			spent += it.Solver
		}
	}
	if spent > before {
		t.Errorf("%d iterations of the backend lead to the point, %d are spent on hops", before, spent)
	}
}

// TestHopsInterrupted: at many moments of hops a run is cancelled, meets its
// deadline or the limit of its iterations, or is stopped by its recorder. The
// result is the best point so far; at the limit of iterations it is no worse than
// one at which the procedure has converged.
func TestHopsInterrupted(t *testing.T) {
	p := packing(t, radii(7, 1))
	before := runtime.NumGoroutine()
	rng := rand.New(rand.NewPCG(3, 41))
	hopping := map[error]int{}
	for k := range 600 {
		end := []error{context.Canceled, context.DeadlineExceeded, ccp.ErrStop}[k%3]
		want := []ccp.Status{ccp.Cancelled, ccp.TimeLimit, ccp.Cancelled}[k%3]
		set := ccp.DefaultSettings()
		set.Seed = rng.Uint64()
		var s seen
		var last ccp.Iteration
		note, moment := s.record(set.FeasTol), rng.IntN(200)
		set.Recorder = ccp.RecorderFunc(func(it ccp.Iteration) error {
			last = it
			if err := note.Record(it); err != nil || end != ccp.ErrStop || it.K < moment/4 {
				return err
			}
			return ccp.ErrStop
		})
		ctx := context.Background()
		if end != ccp.ErrStop {
			ctx = shared.Countdown(moment, end)
		}
		res, err := ccp.Solve(ctx, p, nil, set)
		if res == nil || err == nil && res.Status == ccp.Converged || last.Hop == 0 {
			continue // it had ended before, or not yet begun to hop
		}
		hopping[end]++
		if res.Status != want || end != ccp.ErrStop && !errors.Is(err, end) {
			t.Fatalf("moment %d: %v, error %v", moment, res.Status, err)
		}
		s.check(t, p, moment, res)
	}
	for end, n := range hopping {
		if n < 50 {
			t.Errorf("%d runs were ended within hops by %v: the moments do not fit", n, end)
		}
	}
	limited, moved := 0, 0
	for range 200 {
		set := ccp.DefaultSettings()
		set.Seed, set.MaxIter = rng.Uint64(), 8+rng.IntN(20)
		var s seen
		set.Recorder = s.record(set.FeasTol)
		res, err := ccp.Solve(context.Background(), p, nil, set)
		if err != nil || res.Iterations > set.MaxIter {
			t.Fatalf("%v after %d iterations of %d, error %v", res.Status, res.Iterations, set.MaxIter, err)
		}
		s.check(t, p, set.MaxIter, res)
		if last := res.History[len(res.History)-1]; last.K == set.MaxIter && last.Hop > 0 {
			limited++
			if res.Reason() == ccp.MostIterations {
				moved++
			} else if res.Status != ccp.Converged {
				t.Errorf("%v at the limit of iterations, within hop %d", res.Status, last.Hop)
			}
		}
	}
	if len(hopping) != 3 || limited < 30 || moved == 0 || moved == limited {
		t.Errorf("ended within hops: %v, and %d by the limit of iterations, %d of these where a small step leads on", hopping, limited, moved)
	}
	leftBehind(t, before)
}

// dying solves well for a while, and then not at all.
type dying struct {
	ipm.Backend
	left *int
}

func (d dying) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	s, err := d.Backend.New(ctx, p, set)
	return dyingSolver{s, d.left}, err
}

type dyingSolver struct {
	qpbackend.Solver
	left *int
}

func (s dyingSolver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	err := s.Solver.Solve(ctx, dst)
	if *s.left--; *s.left < 0 {
		dst.Status = qpbackend.NumericalTrouble
		dst.Res = qpbackend.Residuals{Primal: math.NaN()}
		for j := range dst.X {
			dst.X[j] = math.NaN()
		}
	}
	return err
}

// TestHopsSurviveTheBackend: a backend that fails within a hop takes nothing from the point at
// which the procedure has converged. One that fails after a hop has found a lower point ends the
// run there.
func TestHopsSurviveTheBackend(t *testing.T) {
	p := packing(t, radii(7, 2))
	still := solve(t, p, nil, without(0))
	left := 0
	for extra := range 6 {
		left = still.Iterations + extra
		res := solve(t, p, nil, func(s *ccp.Settings) { s.Backend = dying{left: &left} })
		lower := res.Status == ccp.Stalled && res.Objective < still.Objective
		if !lower && (res.Status != ccp.Converged || !(res.Objective <= still.Objective)) {
			t.Errorf("%d solves after convergence: %v with %g, without hops %g: %s", extra, res.Status, res.Objective, still.Objective, res.Message)
		}
	}
}

// TestHopsStayInBounds: what a hop moves or exchanges stays within bounds, in
// variables of three indices and symmetric ones too.
func TestHopsStayInBounds(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{4, 2, 3}, dc.AtLeast(0), dc.AtMost(2), dc.StartNormal(1, 1))
	y := m.Var("y", []int{3, 3}, dc.Symmetric(), dc.AtLeast(-1), dc.AtMost(1))
	m.Minimize(dc.Norm2(x).Scale(-1).Add(dc.SumSquares(y)).Sub(dc.NormInf(y)))
	p := build(t, m)
	res := solve(t, p, nil, func(s *ccp.Settings) {
		s.Recorder = ccp.RecorderFunc(func(it ccp.Iteration) error {
			if v, _ := p.Violation(it.X); v > 0 {
				t.Errorf("iteration %d of hop %d is out of bounds by %g", it.K, it.Hop, v)
			}
			return nil
		})
	})
	if want := -2*math.Sqrt(24) - 0.25; res.Objective > want+1e-5 {
		t.Errorf("%v with %g, want %g", res.Status, res.Objective, want)
	}
}

// TestLocalEffort: with the effort Local the run ends at the first point that multipliers hold,
// where Quick goes on with hops. From (0.9, 0.1) that is the local minimum of x⁴ − x² + y² nearby.
func TestLocalEffort(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-2), dc.AtMost(2), dc.StartAt(0.9, 0.1))
	square := dc.Square(x.At(0))
	m.Minimize(dc.Square(square).Sub(square).Add(dc.Square(x.At(1))).Add(x.At(0).Scale(0.1)))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	set := ccp.DefaultSettings()
	least := map[ccp.Effort]float64{}
	for _, set.Effort = range []ccp.Effort{ccp.Local, ccp.Quick} {
		res, err := ccp.Multistart(context.Background(), p, ccp.Automatic, set)
		if err != nil || res.Status != ccp.Converged || res.Starts != 1 || res.Duals == nil {
			t.Fatal(set.Effort, res, err)
		}
		least[set.Effort] = res.Objective
		if last := res.History[len(res.History)-1]; set.Effort == ccp.Local && (last.Hop > 0 || res.X[0] < 0) {
			t.Errorf("hop %d, x %g", last.Hop, res.X[0])
		}
	}
	if !(least[ccp.Quick] < least[ccp.Local]-0.1) {
		t.Error(least)
	}
}
