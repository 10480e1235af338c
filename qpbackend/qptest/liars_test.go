package qptest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

// liar is a backend that is wrong in one way. Its hooks, nil where it is
// honest, see what passes between the suite and the true solver.
type liar struct {
	qpbackend.Backend
	supports  func(k qpbackend.ConeKind) bool
	new       func(ctx context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error)
	update    func(s *lyingSolver, u qpbackend.Update) error
	warm      func(s *lyingSolver, x, y, z []float64) error
	solve     func(s *lyingSolver, ctx context.Context, dst *qpbackend.Result) error
	afterward func(s *lyingSolver, dst *qpbackend.Result)
	close     func(s *lyingSolver) error
}

// lyingSolver wraps a true one; p follows what it is told.
type lyingSolver struct {
	qpbackend.Solver
	liar   liar
	p      *qpbackend.Problem
	handed *qpbackend.Problem // the caller's own
	solves int
	warmed bool
}

func (l liar) Supports(k qpbackend.ConeKind) bool {
	if l.supports != nil {
		return l.supports(k)
	}
	return l.Backend.Supports(k)
}

func (l liar) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	var s qpbackend.Solver
	var err error
	if l.new != nil {
		s, err = l.new(ctx, l.Backend, p, set)
	} else {
		s, err = l.Backend.New(ctx, p, set)
	}
	if err != nil {
		return nil, err
	}
	return &lyingSolver{Solver: s, liar: l, p: p.Clone(), handed: p}, nil
}

func (s *lyingSolver) Update(u qpbackend.Update) error {
	if s.liar.update != nil {
		return s.liar.update(s, u)
	}
	return s.honestUpdate(u)
}

func (s *lyingSolver) honestUpdate(u qpbackend.Update) error {
	err := s.Solver.Update(u)
	if err == nil {
		err = s.p.Apply(u)
	}
	return err
}

func (s *lyingSolver) WarmStart(x, y, z []float64) error {
	s.warmed = x != nil || y != nil || z != nil
	if s.liar.warm != nil {
		return s.liar.warm(s, x, y, z)
	}
	return s.Solver.WarmStart(x, y, z)
}

func (s *lyingSolver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	s.solves++
	solve := s.Solver.Solve
	if s.liar.solve != nil {
		solve = func(ctx context.Context, dst *qpbackend.Result) error { return s.liar.solve(s, ctx, dst) }
	}
	if err := solve(ctx, dst); err != nil {
		return err
	}
	if s.liar.afterward != nil {
		s.liar.afterward(s, dst)
	}
	s.warmed = false
	return nil
}

func (s *lyingSolver) Close() error {
	if s.liar.close != nil {
		return s.liar.close(s)
	}
	return s.Solver.Close()
}

// consistent makes what a result says about itself agree with its point.
func (s *lyingSolver) consistent(r *qpbackend.Result) {
	r.Objective = s.p.Objective(r.X)
	r.Res = qpbackend.Certify(s.p, r.X, r.Y, r.Z)
}

// failures runs the checks of the suite whose names start with one of the
// prefixes, and returns those that failed.
func failures(b qpbackend.Backend, prefixes ...string) map[string]string {
	failed := map[string]string{}
	for _, c := range qptest.Checks(b, qptest.Exact) {
		if !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(c.Name, p) }) {
			continue
		}
		var r counter
		c.Run(&r)
		if len(r.messages) > 0 {
			failed[c.Name] = r.messages[0]
		}
	}
	return failed
}

// counter is a TB that remembers what failed.
type counter struct{ messages []string }

func (*counter) Helper() {}
func (c *counter) Errorf(format string, args ...any) {
	c.messages = append(c.messages, fmt.Sprintf(format, args...))
}

// lies are the ways to be wrong, each with the start of the name of a check
// that must fail for it.
func lies() map[string]namedLie {
	type lie = namedLie
	solvedOnly := func(f func(s *lyingSolver, r *qpbackend.Result)) func(*lyingSolver, *qpbackend.Result) {
		return func(s *lyingSolver, r *qpbackend.Result) {
			if r.Status == qpbackend.Solved {
				f(s, r)
			}
		}
	}
	statusOnly := func(status qpbackend.Status, f func(s *lyingSolver, r *qpbackend.Result)) func(*lyingSolver, *qpbackend.Result) {
		return func(s *lyingSolver, r *qpbackend.Result) {
			if r.Status == status {
				f(s, r)
			}
		}
	}
	ticks := new(atomic.Int64)
	return map[string]lie{
		"the dual has the wrong sign": {liar{afterward: solvedOnly(func(s *lyingSolver, r *qpbackend.Result) {
			for i := range r.Y {
				r.Y[i] = -r.Y[i]
			}
			s.consistent(r)
		})}, []string{"solve/HS35", "solve/equality", "solve/linear, a vertex", "update/A"}},
		"the dual has the wrong sign and the residuals are those of the right one": {liar{afterward: solvedOnly(func(s *lyingSolver, r *qpbackend.Result) {
			for i := range r.Y {
				r.Y[i] = -r.Y[i]
			}
		})}, []string{"solve/HS35"}},
		"a wrong x, reported as it is": {liar{afterward: solvedOnly(func(s *lyingSolver, r *qpbackend.Result) {
			for j := range r.X {
				r.X[j] += 1e-5
			}
			s.consistent(r)
		})}, []string{"solve/HS35", "solve/random 2", "result/slices are reused"}},
		"a wrong x with residuals of its own making": {liar{afterward: solvedOnly(func(s *lyingSolver, r *qpbackend.Result) {
			for j := range r.X {
				r.X[j] += 1e-5
			}
			r.Res = qpbackend.Residuals{}
		})}, []string{"solve/HS35"}},
		"x of another optimal value, with zero gap claimed": {liar{afterward: solvedOnly(func(s *lyingSolver, r *qpbackend.Result) {
			r.Res.Gap = 0
		})}, []string{"solve/HS35"}},
		"the objective lacks the constant": {liar{afterward: solvedOnly(func(s *lyingSolver, r *qpbackend.Result) {
			r.Objective -= s.p.R
		})}, []string{"solve/HS35", "solve/unconstrained", "solve/nothing at all"}},
		"the objective has no ½": {liar{new: func(ctx context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
			p = p.Clone()
			if p.P != nil {
				for k := range p.P.Val {
					p.P.Val[k] *= 2
				}
			}
			return b.New(ctx, p, set)
		}, afterward: solvedOnly(func(s *lyingSolver, r *qpbackend.Result) { s.consistent(r) })}, []string{"solve/HS35", "solve/unconstrained"}},
		"updates are ignored": {liar{update: func(s *lyingSolver, u qpbackend.Update) error {
			return s.p.Clone().Apply(u)
		}}, []string{"update/q", "update/l", "update/u", "update/P", "update/A", "update/everything", "update/before the first solve", "certificate/the same solver"}},
		"updates of A are ignored": {liar{update: func(s *lyingSolver, u qpbackend.Update) error {
			u.A = nil
			return s.honestUpdate(u)
		}}, []string{"update/A", "update/everything"}},
		"updates of P are ignored, and the result is consistent": {liar{update: func(s *lyingSolver, u qpbackend.Update) error {
			u.P = nil
			return s.honestUpdate(u)
		}}, []string{"update/P", "nonconvex/by an update"}},
		"absent bounds stay absent": {liar{update: func(s *lyingSolver, u qpbackend.Update) error {
			if u.L != nil {
				u.L = slices.Clone(u.L)
				for i, v := range s.p.L {
					if v < -qpbackend.Infinity {
						u.L[i] = v
					}
				}
			}
			return s.honestUpdate(u)
		}}, []string{"update/bounds that come and go"}},
		"a refused update leaves traces": {liar{update: func(s *lyingSolver, u qpbackend.Update) error {
			_ = s.Solver.Update(qpbackend.Update{Q: u.Q})
			_ = s.Solver.Update(qpbackend.Update{L: u.L})
			return s.honestUpdate(u)
		}}, []string{"update/refused"}},
		"updates are not looked at": {liar{update: func(s *lyingSolver, u qpbackend.Update) error {
			_ = s.honestUpdate(u)
			return nil
		}}, []string{"update/refused"}},
		"a certificate of nothing": {liar{afterward: statusOnly(qpbackend.PrimalInfeasible, func(s *lyingSolver, r *qpbackend.Result) {
			for i := range r.Y {
				r.Y[i] = 1
			}
		})}, []string{"certificate/infeasible: random 0", "certificate/infeasible: equalities"}},
		"a direction of nothing": {liar{afterward: statusOnly(qpbackend.DualInfeasible, func(s *lyingSolver, r *qpbackend.Result) {
			for j := range r.X {
				r.X[j] = -1 / (1 + math.Abs(r.X[j]))
			}
		})}, []string{"certificate/unbounded: random 0"}},
		"certificates are not scaled": {liar{afterward: statusOnly(qpbackend.PrimalInfeasible, func(s *lyingSolver, r *qpbackend.Result) {
			for i := range r.Y {
				r.Y[i] *= 2
			}
		})}, []string{"certificate/infeasible: x at least 1", "certificate/infeasible: random 1"}},
		"infeasible at a finite objective": {liar{afterward: statusOnly(qpbackend.PrimalInfeasible, func(s *lyingSolver, r *qpbackend.Result) {
			r.Objective = 0
		})}, []string{"certificate/infeasible: random 1"}},
		"primal and dual infeasibility change places": {liar{afterward: func(s *lyingSolver, r *qpbackend.Result) {
			switch r.Status {
			case qpbackend.PrimalInfeasible:
				r.Status = qpbackend.DualInfeasible
			case qpbackend.DualInfeasible:
				r.Status = qpbackend.PrimalInfeasible
			}
		}}, []string{"certificate/infeasible: random 1", "certificate/unbounded: random 1"}},
		"what is hard is called infeasible": {liar{afterward: func(s *lyingSolver, r *qpbackend.Result) {
			if r.Iterations > 5 {
				r.Status = qpbackend.PrimalInfeasible
			}
		}}, []string{"solve/random 2", "update/everything"}},
		"NaN is taken for zero": {liar{new: func(ctx context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
			p = p.Clone()
			for _, v := range [][]float64{p.Q, p.L} {
				for i := range v {
					if math.IsNaN(v[i]) {
						v[i] = 0
					}
				}
			}
			return b.New(ctx, p, set)
		}}, []string{"refuse/NaN in q", "refuse/NaN in l"}},
		"multipliers of bounds have the wrong sign": {liar{afterward: func(s *lyingSolver, r *qpbackend.Result) {
			for j := range r.Z {
				r.Z[j] = -r.Z[j]
			}
			s.consistent(r)
		}}, []string{"solve/bounds alone: both sides", "solve/bounds alone: equal"}},
		"bounds of variables are not looked at": {liar{new: func(ctx context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
			p = p.Clone()
			p.Lo, p.Hi = nil, nil
			return b.New(ctx, p, set)
		}}, []string{"solve/bounds alone: beside a row", "refuse/crossed bounds of a variable", "certificate/bounds alone: infeasible with a row"}},
		"updates of bounds of variables are not looked at": {liar{update: func(s *lyingSolver, u qpbackend.Update) error {
			u.Lo, u.Hi = nil, nil
			return s.honestUpdate(u)
		}}, []string{"update/first bounds of a variable", "refuse/a NaN in the bounds of a variable"}},
		"New does not look at its context": {liar{new: func(_ context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
			return b.New(context.Background(), p, set)
		}}, []string{"context/cancelled before New"}},
		"settings are not looked at": {liar{new: func(ctx context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
			return b.New(ctx, p, b.DefaultSettings())
		}}, []string{"refuse/Tol NaN", "refuse/MaxIter 0", "limit/one iteration"}},
		"a negative diagonal is lifted": {liar{new: func(ctx context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
			p = p.Clone()
			if p.P != nil && len(p.Q) == 2 && p.P.NNZ() == 2 {
				for k, v := range p.P.Val {
					p.P.Val[k] = max(v, 0)
				}
			}
			return b.New(ctx, p, set)
		}}, []string{"nonconvex/a negative diagonal entry", "nonconvex/a little negative curvature"}},
		"non-convexity is an error without a type": {liar{new: func(ctx context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
			s, err := b.New(ctx, p, set)
			if err != nil {
				return nil, errors.New(err.Error())
			}
			return s, nil
		}, solve: func(s *lyingSolver, ctx context.Context, dst *qpbackend.Result) error {
			if err := s.Solver.Solve(ctx, dst); err != nil {
				return errors.New(err.Error())
			}
			return nil
		}}, []string{"nonconvex/an indefinite P", "context/cancelled before"}},
		"the problem is not copied": {liar{solve: func(s *lyingSolver, ctx context.Context, dst *qpbackend.Result) error {
			if s.solves == 1 {
				if err := s.Solver.Update(qpbackend.Update{Q: s.handed.Q}); err != nil {
					return err
				}
			}
			return s.Solver.Solve(ctx, dst)
		}}, []string{"result/the problem is copied"}},
		"slices are always new": {liar{afterward: func(s *lyingSolver, r *qpbackend.Result) {
			r.X, r.Y = slices.Clone(r.X), slices.Clone(r.Y)
		}}, []string{"result/slices are reused"}},
		"every run is a little different": {liar{afterward: solvedOnly(func(s *lyingSolver, r *qpbackend.Result) {
			r.X[0] += 1e-13 * float64(ticks.Add(1))
			s.consistent(r)
		})}, []string{"result/two runs agree"}},
		"the context is not looked at": {liar{solve: func(s *lyingSolver, ctx context.Context, dst *qpbackend.Result) error {
			return s.Solver.Solve(context.Background(), dst)
		}}, []string{"context/cancelled before", "context/deadline"}},
		"no point after a cancellation": {liar{solve: func(s *lyingSolver, ctx context.Context, dst *qpbackend.Result) error {
			err := s.Solver.Solve(ctx, dst)
			if err != nil {
				dst.X = nil
			}
			return err
		}}, []string{"context/cancelled before", "context/deadline"}},
		"one iteration and already solved": {liar{afterward: statusOnly(qpbackend.IterationLimit, func(s *lyingSolver, r *qpbackend.Result) {
			r.Status = qpbackend.Solved
		})}, []string{"limit/one iteration"}},
		"X is not a number at the limit": {liar{afterward: statusOnly(qpbackend.IterationLimit, func(s *lyingSolver, r *qpbackend.Result) {
			r.X[0] = math.NaN()
			s.consistent(r)
		})}, []string{"limit/one iteration"}},
		"warm starts cost an iteration": {liar{afterward: func(s *lyingSolver, r *qpbackend.Result) {
			if s.warmed {
				r.Iterations += 100
			}
		}}, []string{"warm/own solution"}},
		"warm starts of any length": {liar{warm: func(s *lyingSolver, x, y, z []float64) error {
			_ = s.Solver.WarmStart(x, y, z)
			return nil
		}}, []string{"warm/wrong lengths"}},
		"a warm start is the answer": {liar{warm: func(s *lyingSolver, x, y, z []float64) error {
			s.liar.afterward = func(s *lyingSolver, r *qpbackend.Result) {
				copy(r.X, x)
			}
			return s.Solver.WarmStart(x, y, z)
		}}, []string{"warm/garbage"}},
		"a panic": {liar{solve: func(s *lyingSolver, ctx context.Context, dst *qpbackend.Result) error {
			if len(s.p.Q) == 12 {
				panic("twelve variables are too many")
			}
			return s.Solver.Solve(ctx, dst)
		}}, []string{"update/q", "result/solvers side by side"}},
		"a second Close is an error": {liar{close: func(s *lyingSolver) error {
			if s.solves < 0 {
				return errors.New("closed")
			}
			s.solves = -1000
			return s.Solver.Close()
		}}, []string{"close/twice"}},
		"Close does nothing": {liar{close: func(s *lyingSolver) error { return nil }}, []string{"close/twice"}},
	}
}

// TestTheSuiteCatches runs the suite for one liar after the other.
func TestTheSuiteCatches(t *testing.T) {
	honest := failures(liar{Backend: ipm.Backend{}}, "")
	for name, message := range honest {
		t.Errorf("the honest backend fails %q: %s", name, message)
	}
	all := lies()
	for name, lie := range coneLies() {
		all[name] = lie
	}
	for _, name := range shared.Sample(t, 4, slices.Sorted(maps.Keys(all))) {
		lie := all[name]
		t.Run(name, func(t *testing.T) {
			lie.liar.Backend = ipm.Backend{}
			failed := failures(lie.liar, lie.catch...)
			for _, prefix := range lie.catch {
				caught := false
				for check := range failed {
					_, also := honest[check]
					caught = caught || strings.HasPrefix(check, prefix) && !also
				}
				if !caught {
					t.Errorf("no check %q catches it", prefix)
				}
			}
		})
	}
}

// TestKnownFailures: a check listed as known to fail may fail, and must.
func TestKnownFailures(t *testing.T) {
	if len(qptest.Checks(ipm.Backend{}, qptest.Loose)) != len(qptest.Checks(ipm.Backend{}, qptest.Exact)) {
		t.Error("the grades differ in the number of checks")
	}
	b := liar{Backend: ipm.Backend{}, close: func(s *lyingSolver) error { return nil }}
	qptest.Run(t, b, qptest.Exact, qptest.Known{Check: "close/twice, and no work after", Reason: "this backend closes nothing"})
}
