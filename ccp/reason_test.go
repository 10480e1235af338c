package ccp_test

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// ended are problems that end for each reason.
func ended(t *testing.T) map[ccp.Reason]*ccp.Result {
	all := map[ccp.Reason]*ccp.Result{}
	num := dc.Num
	run := func(ctx context.Context, want ccp.Reason, change func(*ccp.Settings), state func(m *dc.Model)) {
		t.Helper()
		m, set := dc.NewModel(), ccp.DefaultSettings()
		state(m)
		if change != nil {
			change(&set)
		}
		res, err := ccp.Solve(ctx, build(t, m), nil, set)
		if res == nil {
			t.Errorf("%v: %v", want, err)
			return
		}
		if got := res.Reason(); got != want || got.Status() != res.Status {
			t.Errorf("%v ended for %v, status %v: %s", want, got, res.Status, res.Message)
		}
		all[want] = res
	}
	end := func(want ccp.Reason, change func(*ccp.Settings), state func(m *dc.Model)) {
		t.Helper()
		run(context.Background(), want, change, state)
	}
	double := func(m *dc.Model) dc.Expr { // two minima
		x := m.Var("x", []int{2}, dc.AtLeast(-3), dc.AtMost(3), dc.StartAt(0.3, 0.2))
		m.Minimize(dc.Power(x.At(0), 4).Sub(dc.SumSquares(x)).Add(dc.Power(x.At(1), 4)))
		return x
	}
	bowl := func(m *dc.Model) dc.Expr {
		x := m.Var("x", []int{2})
		m.Minimize(dc.Sum(dc.SumSquares(x.Sub(dc.Vec([]float64{3, 4}))), dc.Exp(x.At(0))))
		return x
	}
	end(ccp.Minimum, nil, func(m *dc.Model) { bowl(m) })
	end(ccp.Stationary, nil, func(m *dc.Model) { double(m) })
	end(ccp.Still, nil, func(m *dc.Model) {
		x := m.Var("x", []int{2}, dc.AtLeast(-1), dc.AtMost(1))
		m.Minimize(dc.Sum(dc.Abs(x.At(0)).Scale(2), dc.Abs(x.At(1)), dc.Abs(x.At(0).Sub(x.At(1))).Neg()))
	})
	end(ccp.NotAttained, nil, func(m *dc.Model) { m.Minimize(dc.Exp(m.Var("x", nil).Neg())) })
	end(ccp.NotShown, func(s *ccp.Settings) { s.Backend = boastful{status: qpbackend.Solved, move: 0.3} },
		func(m *dc.Model) { bowl(m) })
	end(ccp.Inexact, func(s *ccp.Settings) { s.Backend = boastful{status: qpbackend.Solved, move: 4e-5} },
		func(m *dc.Model) { bowl(m) })
	end(ccp.Broken, nil, func(m *dc.Model) {
		x := m.Var("x", []int{2}, dc.AtLeast(-3), dc.AtMost(3))
		m.Minimize(x.Sum())
		m.SubjectTo(dc.LE(dc.SumSquares(x), num(1)), dc.GE(dc.Norm2(x.Shift(0.1)), num(2)))
	})
	end(ccp.RunsOff, func(s *ccp.Settings) { s.Seed = 1 }, func(m *dc.Model) {
		x := m.Var("x", []int{2})
		m.Minimize(x.At(0).Neg())
		m.SubjectTo(dc.LE(dc.Square(x.At(0)).Sub(x.At(1)), num(0)), dc.GE(dc.Norm2(x), num(1)))
	})
	end(ccp.MostIterations, func(s *ccp.Settings) { s.MaxIter = 1 }, func(m *dc.Model) { double(m) })
	end(ccp.MostWork, func(s *ccp.Settings) { s.MaxWork = 1 }, func(m *dc.Model) { double(m) })
	late, stop := context.WithDeadline(context.Background(), time.Now())
	defer stop()
	run(late, ccp.Deadline, nil, func(m *dc.Model) { double(m) })
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	run(gone, ccp.Interrupted, nil, func(m *dc.Model) { double(m) })
	end(ccp.ToldToStop, func(s *ccp.Settings) {
		s.Recorder = ccp.RecorderFunc(func(ccp.Iteration) error { return ccp.ErrStop })
	}, func(m *dc.Model) { double(m) })
	end(ccp.Conflict, nil, func(m *dc.Model) { x := double(m); m.SubjectTo(dc.LE(dc.SumSquares(x.Shift(5)), num(1))) })
	end(ccp.OutOfRange, nil, func(m *dc.Model) { x := double(m); m.SubjectTo(dc.GE(dc.Norm2(x), num(9))) })
	end(ccp.Opposed, nil, func(m *dc.Model) {
		x := m.Var("x", []int{2}, dc.AtLeast(-3), dc.AtMost(3))
		m.Minimize(x.At(0))
		m.SubjectTo(dc.LE(dc.Norm1(x), num(1)), dc.GE(dc.Norm1(x), num(1.5)))
	})
	end(ccp.AtPole, nil, func(m *dc.Model) { x := m.Var("x", nil); m.Minimize(dc.Log(x).Add(dc.Square(x))) })
	end(ccp.AlongRay, nil, func(m *dc.Model) {
		x := m.Var("x", []int{2}, dc.StartAt(1, 1))
		m.Minimize(dc.Norm2(x).Sub(x.Sum().Scale(2)).Sub(dc.Norm1(x)))
	})
	end(ccp.NoTangent, nil, func(m *dc.Model) {
		x := m.Var("x", []int{1})
		m.Minimize(dc.SumSquares(x).Sub(dc.BlackBox("nowhere", nowhere{}, x)))
	})
	end(ccp.NoLeastValue, func(s *ccp.Settings) {
		s.TauRelative, s.Tau0, s.TauMax, s.MaxIter, s.Heuristics.Proximal = false, 1e-3, 2e-3, 30, false
		s.Heuristics.Acceleration.Newton = false
	}, func(m *dc.Model) {
		x := m.Var("x", []int{2}, dc.StartAt(0.5, 0.5))
		m.Minimize(x.Sum().Neg())
		m.SubjectTo(dc.LE(dc.Norm1(x.Scale(2)).Sub(dc.Norm2(x)), num(1)))
	})
	end(ccp.Panicked, func(s *ccp.Settings) {
		s.Recorder = ccp.RecorderFunc(func(ccp.Iteration) error { panic("no") })
	}, func(m *dc.Model) { double(m) })
	solves := 0
	end(ccp.BackendFailed, func(s *ccp.Settings) { s.Backend = flaky{always: true, solves: &solves} },
		func(m *dc.Model) { bowl(m) })
	circle := func(m *dc.Model) {
		x := m.Var("x", []int{60}, dc.StartUniform(-2, 2))
		m.Minimize(x.Sum())
		m.SubjectTo(dc.LE(dc.SumSquares(x), num(1)), dc.GE(dc.Norm2(x.Shift(0.1)), num(0.2)))
	}
	end(ccp.NotStationary, func(s *ccp.Settings) { s.Backend = sloppy{by: 1e-3} }, circle)
	end(ccp.Noise, func(s *ccp.Settings) { s.Backend = sloppy{by: 1e-5, turns: true} }, circle)
	end(ccp.Inaccurate, func(s *ccp.Settings) { s.Backend = sloppy{by: 1e-3} }, func(m *dc.Model) {
		x := m.Var("x", []int{3}, dc.StartUniform(-2, 2))
		m.Minimize(dc.Sum(dc.Power(x.At(0), 4), dc.Power(x.At(1), 4), dc.SumSquares(x).Neg(), dc.Power(x.At(2), 4)))
		m.SubjectTo(dc.EQ(x.Sum(), num(1)))
	})
	end(ccp.Rounding, nil, func(m *dc.Model) {
		y := m.Var("y", nil, dc.AtLeast(0), dc.AtMost(3), dc.StartUniform(0, 1))
		m.Minimize(dc.Quotient(num(1), y.Shift(-1)))
	})
	end(ccp.NotANumber, nil, func(m *dc.Model) {
		x := m.Var("x", nil, dc.StartAt(5))
		m.Minimize(dc.Exp(dc.Square(x)).Sub(dc.Exp(dc.Square(x).Scale(2))))
	})
	return all
}

// nowhere is a function without values.
type nowhere struct{}

func (nowhere) Value([]float64) float64                          { return math.NaN() }
func (nowhere) AddSubgrad(dst []float64, _ float64, _ []float64) { dst[0] = math.NaN() }

// sloppy is a backend whose points are wrong by so much, in turns if told so.
type sloppy struct {
	ipm.Backend
	by    float64
	turns bool
}

func (b sloppy) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	s, err := b.Backend.New(ctx, p, set)
	return &sloppySolver{Solver: s, b: b}, err
}

type sloppySolver struct {
	qpbackend.Solver
	b sloppy
	n int
}

func (s *sloppySolver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	err := s.Solver.Solve(ctx, dst)
	by := s.b.by
	if s.n++; s.b.turns && s.n%2 == 0 {
		by = -by
	}
	for j := range dst.X {
		dst.X[j] += by
	}
	return err
}

// TestEveryReasonIsMet: each reason is that of a problem, but for those of several starts and of
// package global, and docs/messages.md has it.
func TestEveryReasonIsMet(t *testing.T) {
	all := ended(t)
	page, err := os.ReadFile("../docs/messages.md")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := map[ccp.Reason]bool{ccp.NoReason: true, ccp.Found: true, ccp.Excluded: true, ccp.GivenUp: true}
	for r := ccp.NoReason; !strings.Contains(r.String(), "("); r++ {
		if !strings.Contains(string(page), "`"+r.String()+"`") {
			t.Errorf("docs/messages.md lacks %v", r)
		}
		if all[r] == nil && !elsewhere[r] {
			t.Errorf("no problem ends for %v", r)
		}
	}
	if r := all[ccp.Stationary]; r != nil {
		if r.Objective--; r.Reason() != ccp.Found {
			t.Errorf("of another point: %v", r.Reason())
		}
		if r.Status, r.Objective = ccp.Infeasible, math.Inf(1); r.Reason() != ccp.Excluded {
			t.Errorf("of another status: %v", r.Reason())
		}
	}
}
