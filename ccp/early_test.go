package ccp_test

import (
	"context"
	"testing"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/admm"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// shadowed answers as ipm does, and has admm solve every problem as well, only
// to early's tolerance and from its last point, to see what early steps by it
// would cost.
type shadowed struct {
	ipm.Backend
	seen *shadowTimes
}

type shadowTimes struct {
	answer, shadow time.Duration
	steps, solved  int
}

const early = 1e-3

func (b shadowed) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	main, err := b.Backend.New(ctx, p, set)
	if err != nil {
		return nil, err
	}
	loose := admm.Backend{}.DefaultSettings()
	loose.Tol = early
	other, err := admm.Backend{}.New(ctx, p, loose)
	if err != nil {
		return nil, err
	}
	return &shadowedSolver{Solver: main, other: other, seen: b.seen}, nil
}

type shadowedSolver struct {
	qpbackend.Solver
	other qpbackend.Solver
	seen  *shadowTimes
	last  qpbackend.Result
}

func (s *shadowedSolver) Update(u qpbackend.Update) error {
	if err := s.other.Update(u); err != nil {
		return err
	}
	return s.Solver.Update(u)
}

func (s *shadowedSolver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	t := time.Now()
	err := s.Solver.Solve(ctx, dst)
	s.seen.answer += time.Since(t)
	if err != nil {
		return err
	}
	t = time.Now()
	if s.last.Status == qpbackend.Solved {
		if err := s.other.WarmStart(s.last.X, s.last.Y, s.last.Z); err != nil {
			return err
		}
	}
	err = s.other.Solve(ctx, &s.last)
	s.seen.shadow += time.Since(t)
	s.seen.steps++
	if s.last.Status == qpbackend.Solved {
		s.seen.solved++
	}
	return err
}

// BenchmarkEarlyAdmm compares, on the convex problems of whole runs, a step of
// ipm to full accuracy with a warm step of admm to 1e-3.
func BenchmarkEarlyAdmm(b *testing.B) {
	packed := packing(b, radii(20, 1))
	boxed, _ := boxLS(b, 100, 1)
	sparse, _ := l1l2(b, 500, 1)
	for _, c := range []struct {
		name string
		p    *dc.Problem
	}{{"packing", packed}, {"control", control(b)}, {"boolean", boxed}, {"l1l2", sparse}} {
		b.Run(c.name, func(b *testing.B) {
			var seen shadowTimes
			set := ccp.DefaultSettings()
			set.Backend = shadowed{seen: &seen}
			for b.Loop() {
				if _, err := ccp.Solve(context.Background(), c.p, nil, set); err != nil {
					b.Fatal(err)
				}
			}
			per := 1e3 / float64(seen.steps)
			b.ReportMetric(seen.answer.Seconds()*per, "ipm-ms/step")
			b.ReportMetric(seen.shadow.Seconds()*per, "admm-ms/step")
			b.ReportMetric(100*float64(seen.solved)/float64(seen.steps), "admm-solved-%")
		})
	}
}
