package ipm

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/base"
	"github.com/dcopt/dcopt/qpbackend/reduce"
)

// New checks p and prepares all that depends on its pattern.
func (b Backend) New(
	ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings,
) (qpbackend.Solver, error) {
	if b.KKT != Auto || p == nil || !slices.ContainsFunc(p.Cones, isSemidefinite) {
		return plain{b}.New(ctx, p, set)
	}
	s, err := reduced(plain{b}).New(ctx, p, set)
	if c, ok := s.(reduce.Solver); ok {
		return conic{c}, err
	}
	return s, err
}

func isSemidefinite(c qpbackend.Cone) bool { return c.Kind == qpbackend.Semidefinite }

// plain is the method without reductions.
type plain struct{ Backend }

func (b plain) New(
	ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings,
) (qpbackend.Solver, error) {
	own, err := base.New(ctx, b, p, set)
	if err != nil {
		return nil, err
	}
	s, err := newSolver(ctx, own, b.KKT)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// conic is a solver with reductions before it.
type conic struct{ reduce.Solver }

// KKT is the way in which the linear systems are solved.
func (c conic) KKT() KKT { return c.Last().(*solver).KKT() }

func (c conic) IterationWork() float64 { return c.Last().(*solver).IterationWork() }

// Estimate is the memory and the time that the semidefinite cones of a problem take.
type Estimate struct {
	Bytes   float64
	Seconds float64 // of an iteration, on one processor of 3 GHz; within a factor of three
}

// perSecond are the multiplications of a loop in a second.
// Source: fitted to the times of SDPLIB problems: theta4, arch0, mcp250-1, mcp500-3 of
// docs/lab/bench.md.
const perSecond = 2.5e9

// Semidefinite is the estimate for the semidefinite cones of p, which must be valid; zero
// where there is none.
func Semidefinite(p *qpbackend.Problem) Estimate {
	if p.A == nil || !slices.ContainsFunc(p.Cones, isSemidefinite) {
		return Estimate{}
	}
	cost := semidefinite(p)
	return Estimate{Bytes: cost.Bytes, Seconds: cost.Work / perSecond}
}
