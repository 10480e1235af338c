package ipm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm/internal/interior"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// controlled is the control of a chain of integrators over a horizon, x the inputs: ‖last state‖²
// and a little ‖x‖², inputs and the first states bounded, as rows of one entry where asRows. The
// data are of the given size.
func controlled(rng *rand.Rand, horizon int, size float64, asRows bool) *qpbackend.Problem {
	const states, step = 3, 0.1
	response := make([][]float64, states) // of each state to the inputs
	for i := range response {
		response[i] = make([]float64, horizon)
	}
	free := [states]float64{size * rng.NormFloat64(), size * rng.NormFloat64(), size * rng.NormFloat64()}
	bound, at := size*(0.5+rng.Float64()), size*(1+3*rng.Float64())
	var pt, ap sparse.Triplets
	p := &qpbackend.Problem{Q: make([]float64, horizon)}
	row := func(v []float64, lo, up float64) {
		for j, e := range v {
			if e != 0 {
				ap.Add(len(p.L), j, e)
			}
		}
		p.L, p.U = append(p.L, lo), append(p.U, up)
	}
	unit := make([]float64, horizon)
	for t := range horizon {
		for i := range states - 1 {
			free[i] += step * free[i+1]
			for j := range t {
				response[i][j] += step * response[i+1][j]
			}
		}
		response[states-1][t] = step
		row(response[1], -at-free[1], at-free[1])
		if clear(unit); asRows {
			unit[t] = 1
			row(unit, math.Inf(-1), bound)
			unit[t] = -1
			row(unit, math.Inf(-1), bound)
		} else {
			p.Lo, p.Hi = append(p.Lo, -bound), append(p.Hi, bound)
		}
	}
	for j := range horizon {
		for i := range j + 1 {
			v := 0.0
			for s := range states {
				v += response[s][i] * response[s][j]
			}
			if i == j {
				v += 1e-3
			}
			pt.Add(i, j, v)
		}
		for s := range states {
			p.Q[j] += response[s][j] * free[s]
		}
	}
	p.P, _ = pt.CSC(horizon, horizon)
	p.A, _ = ap.CSC(len(p.L), horizon)
	return p
}

func solverOf(t *testing.T, p *qpbackend.Problem, set qpbackend.Settings) *solver {
	made, err := Backend{}.New(t.Context(), p, set)
	if err != nil {
		t.Fatal(err)
	}
	return made.(*solver)
}

// TestExactEnd: solutions of predictive control are exact but for rounding on nearly all problems,
// whatever the size of the data, and no worse than the tolerance on the others; their objective is
// that at a tighter tolerance. Iterations stay within their limit.
func TestExactEnd(t *testing.T) {
	const problems = 200
	exactly, all := 0, 0
	for seed := range uint64(problems) {
		rng := rand.New(rand.NewPCG(seed, 21))
		p := controlled(rng, 6+rng.IntN(30), math.Pow(10, 3*rng.Float64()-1), seed%2 == 0)
		set := Backend{}.DefaultSettings()
		var got, want, cut qpbackend.Result
		if err := solverOf(t, p, set).Solve(t.Context(), &got); err != nil {
			t.Fatal(err)
		}
		set.Tol = 1e-11
		if err := solverOf(t, p, set).Solve(t.Context(), &want); err != nil {
			t.Fatal(err)
		}
		if got.Status != want.Status {
			t.Errorf("seed %d: %v, at a tighter tolerance %v", seed, got.Status, want.Status)
		}
		if got.Status != qpbackend.Solved {
			continue
		}
		all++
		if got.Res.Max() > 1e-8 || math.Abs(got.Objective-want.Objective) > 1e-7*max(1, math.Abs(want.Objective)) {
			t.Errorf("seed %d: objective %v, residuals %v; at a tighter tolerance %v", seed, got.Objective, got.Res, want.Objective)
		}
		if got.Res.Max() < 1e-13 {
			exactly++
		}
		set = Backend{}.DefaultSettings()
		set.MaxIter = got.Iterations - 1
		if set.MaxIter == 0 {
			continue
		}
		if err := solverOf(t, p, set).Solve(t.Context(), &cut); err != nil {
			t.Fatal(err)
		}
		if cut.Iterations > set.MaxIter {
			t.Errorf("seed %d: %d iterations, the limit is %d", seed, cut.Iterations, set.MaxIter)
		}
	}
	if all < problems/2 || exactly < all*9/10 {
		t.Errorf("%d of %d solutions are exact, of %d problems", exactly, all, problems)
	}
}

// every tries the sides that hold at each iterate, in vain, until there are enough iterates.
type every struct {
	t     *testing.T
	tries bool
	at    int
}

func (e every) Look(ctx context.Context, w *interior.Work, k int) interior.Verdict {
	if k == e.at {
		return interior.Done
	}
	if w.Steady(); e.tries {
		before := w.ScaledError()
		if rounds, ok := w.Try(ctx, 1e-8, 100, func() bool { return false }); ok || rounds == 0 {
			e.t.Errorf("a trial in vain after %d factorisations is %v", rounds, ok)
		}
		if after := w.ScaledError(); before != after {
			e.t.Errorf("iterate %d has the error %v, after a trial %v", k, before, after)
		}
	}
	return interior.GoOn
}

// TestTrialLeavesNoTrace: a run that tries sides in vain has the iterates of one that does not, bit
// for bit.
func TestTrialLeavesNoTrace(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 22))
		p := controlled(rng, 20, 10, seed%2 == 0)
		for iterates := range 9 {
			var ends [2][]float64
			for which := range ends {
				s := solverOf(t, p, Backend{}.DefaultSettings())
				if err := s.ready(t.Context()); err != nil {
					t.Fatal(err)
				}
				s.w.Run(t.Context(), every{t, which == 1, iterates}, 100)
				x, y := s.w.Proposal()
				ends[which] = slices.Concat(x, y)
			}
			if !slices.Equal(ends[0], ends[1]) {
				t.Fatalf("seed %d: after %d iterates with trials the point is another one", seed, iterates)
			}
		}
	}
}
