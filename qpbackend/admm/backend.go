package admm

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/base"
)

// Backend is the operator splitting method. The zero value is ready for use.
type Backend struct {
	// Unpolished leaves the points of the iteration as they are. Else the equations of the rows
	// that seem to hold are solved besides, which mostly gains several digits.
	Unpolished bool
}

// Name is "admm".
func (Backend) Name() string { return "admm" }

// Supports is false for every cone.
func (Backend) Supports(qpbackend.ConeKind) bool { return false }

// DefaultSettings are a tolerance of 1e-6 and 100 000 iterations.
func (Backend) DefaultSettings() qpbackend.Settings {
	return qpbackend.Settings{Tol: 1e-6, InfeasTol: 1e-6, MaxIter: 100_000}
}

// New checks p, scales it and analyses its KKT matrix.
func (b Backend) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	own, err := base.New(ctx, b, p, set)
	if err != nil {
		return nil, err
	}
	s, err := newSolver(ctx, own, !b.Unpolished)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// solver is a problem with all that is kept between solves.
type solver struct {
	base.Solver
	polishes bool

	w *work

	cand, best base.Point
	cert       base.Point // a proof: y and z, or the direction x
	scratch    []float64  // for Certify
	run        progress
}

func newSolver(ctx context.Context, own base.Solver, polishes bool) (*solver, error) {
	p := own.P
	n, m := p.Dims()
	w, err := newWork(ctx, p, own.Set)
	if err != nil {
		return nil, fmt.Errorf("admm: %w", err)
	}
	s := &solver{
		Solver: own, polishes: polishes, w: w,
		cand: base.NewPoint(n, m), best: base.NewPoint(n, m), cert: base.NewPoint(n, m),
		scratch: make([]float64, qpbackend.CertifyLen(p)),
	}
	return s, s.checkConvex(ctx)
}

// checkConvex refuses a P that is not convex.
func (s *solver) checkConvex(ctx context.Context) error {
	least, err := s.Outweigh(ctx)
	if err == nil {
		s.w.setSigma(max(firstSigma, least))
	}
	return err
}

// Update overwrites values. New matrices are scaled anew at once and factored
// in the next Solve.
func (s *solver) Update(u qpbackend.Update) error {
	if err := s.Apply(u); err != nil {
		return err
	}
	switch {
	case u.P != nil || u.A != nil:
		s.w.loadMatrices(s.P)
	case u.Q != nil || u.Lo != nil || u.Hi != nil || u.L != nil || u.U != nil:
		s.w.loadVectors(s.P)
	}
	return nil
}
