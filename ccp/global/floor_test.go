package global_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// portfolio is the choice of 12 weights that add up to 1: gain less risk less a cost. kinds are the
// searches that there are.
func portfolio(t *testing.T, kind string) *dc.Problem {
	const n = 12
	rng := rand.New(rand.NewPCG(5, 12))
	m := dc.NewModel()
	w := m.Var("w", []int{n}, dc.AtLeast(0), dc.AtMost(1))
	gain := dc.Sum(dc.Num(0))
	for i := range n {
		gain = gain.Add(dc.FromLinear(w.Linear(i)).Scale(0.05 + 0.1*rng.Float64()))
		risk := dc.FromLinear(w.Linear(i)).Add(dc.FromLinear(w.Linear((i + 1) % n)).Scale(rng.NormFloat64()))
		gain = gain.Sub(dc.Square(risk).Scale(0.1))
	}
	m.SubjectTo(dc.EQ(w.Sum(), dc.Num(1)).Named("budget"))
	switch kind {
	case "intervals": // a concave cost of each weight
		for i := range n {
			gain = gain.Sub(dc.Log(dc.FromLinear(w.Linear(i)).Scale(100).Add(dc.Num(1))).Scale(0.01))
		}
	case "pieces": // a prize for large weights
		for i := range n {
			gain = gain.Add(dc.Max(w.At(i), w.At((i+3)%n), dc.Num(0.2)).Scale(0.01))
		}
	case "choices": // a cost up to a limit
		for i := range n {
			gain = gain.Sub(dc.Min(dc.Square(dc.FromLinear(w.Linear(i)).Scale(5)), dc.Num(1)).Scale(0.01))
		}
	}
	m.Maximize(gain)
	return build(t, m)
}

var portfolios = []string{"intervals", "pieces", "choices"}

// TestLocalAnswerIsTheFloor: wherever the proof is interrupted, the answer is no worse than the one
// without a proof.
func TestLocalAnswerIsTheFloor(t *testing.T) {
	for _, kind := range portfolios {
		p := portfolio(t, kind)
		local, err := ccp.Multistart(context.Background(), p, 1, ccp.DefaultSettings())
		if err != nil || !local.Feasible {
			t.Fatalf("%s: %v, %v", kind, local, err)
		}
		for reports := 1; reports <= 3; reports++ {
			ctx, cancel := context.WithCancel(context.Background())
			rec := &interrupter{after: reports, cancel: cancel}
			set := ccp.DefaultSettings()
			set.Recorder = rec
			if reports > 1 {
				set.Global.MaxNodes = 8
			}
			res, err := global.Solve(ctx, p, nil, 1, set)
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) || res == nil {
				t.Fatalf("%s, %d reports: %v", kind, reports, err)
			}
			if !res.Feasible || local.Better(res.Result, true) || !(res.Bound >= res.Objective) {
				t.Errorf("%s, %d reports: %+v of %+v, local %g", kind, reports, res, res.Result, local.Objective)
			}
			if rec.first.X == nil || p.Value(rec.first.X) != local.Objective {
				t.Errorf("%s: the first report has the point %v, the starts lead to %v", kind, rec.first.X, local.X)
			}
		}
	}
}

// interrupter cancels a context at a report of a proof.
type interrupter struct {
	after  int
	cancel func()
	first  ccp.Bounds
}

func (r *interrupter) Record(ccp.Iteration) error { return nil }

func (r *interrupter) RecordBounds(b ccp.Bounds) error {
	if r.first.X == nil {
		b.X = append([]float64(nil), b.X...)
		r.first = b
	}
	if r.after--; r.after == 0 {
		r.cancel()
	}
	return nil
}

// refusing is ipm until it is told to refuse everything, in New or in Solve.
type refusing struct {
	ipm.Backend
	on      *atomic.Bool
	inSolve bool
}

var errRefused = errors.New("the numbers are too large for it")

func (b refusing) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	if b.on.Load() && !b.inSolve {
		return nil, errRefused
	}
	s, err := b.Backend.New(ctx, p, set)
	return refusingSolver{s, b.on}, err
}

type refusingSolver struct {
	qpbackend.Solver
	on *atomic.Bool
}

func (s refusingSolver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	if s.on.Load() {
		return errRefused
	}
	return s.Solver.Solve(ctx, dst)
}

// TestErrorsOfTheBackendAreNoErrors: a backend that refuses the problems of a proof leaves the
// local answer, with a status.
func TestErrorsOfTheBackendAreNoErrors(t *testing.T) {
	for _, kind := range portfolios {
		for _, inSolve := range []bool{false, true} {
			p := portfolio(t, kind)
			local, err := ccp.Multistart(context.Background(), p, 1, ccp.DefaultSettings())
			if err != nil {
				t.Fatal(err)
			}
			on := new(atomic.Bool)
			set := ccp.DefaultSettings()
			set.Backend = refusing{on: on, inSolve: inSolve}
			set.Global.MaxNodes = 20
			set.Recorder = &interrupter{after: 1, cancel: func() { on.Store(true) }}
			res, err := global.Solve(context.Background(), p, nil, 1, set)
			if err != nil {
				t.Errorf("%s, in Solve %v: %v", kind, inSolve, err)
				continue
			}
			worse := !res.Feasible || local.Better(res.Result, true)
			if worse || res.Proved || !(res.Bound >= res.Objective) || res.Message == "" {
				t.Errorf("%s, in Solve %v: %+v of %+v, local %g", kind, inSolve, res, res.Result, local.Objective)
			}
		}
	}
}
