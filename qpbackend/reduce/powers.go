package reduce

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/base"
)

func (s *solver) lacks(power string) error { return &LackError{s.last().Name(), power} }

// Enough keeps the goal for the next Solve.
func (s *solver) Enough(at []float64, least float64) error {
	if err := s.Open(); err != nil {
		return err
	}
	if !endsEarly(s) {
		return s.lacks("end early")
	}
	s.goal = Goal{append(s.goal.At[:0], at...), least}
	return nil
}

func endsEarly(s qpbackend.Solver) bool {
	in, ok := s.(*solver)
	if !ok {
		e, ok := s.(EarlyEnder)
		return ok && e.Enough(nil, math.Inf(1)) == nil
	}
	return in.task.Early == Used || in.task.Early == Passed && endsEarly(in.inner)
}

// Confirm keeps the function for the next Solve.
func (s *solver) Confirm(holds func(ctx context.Context, x, y, z []float64) bool) error {
	if s.confirm = holds; holds == nil || s.task.Confirm && !s.plain {
		return nil
	}
	if c, ok := s.inner.(Confirmer); ok && s.plain {
		return c.Confirm(holds)
	}
	return s.lacks("have its solutions confirmed")
}

// Differentiate is that of the solver of P, or DifferentiateAt at the last answer.
func (s *solver) Differentiate(ctx context.Context) (qpbackend.Derivative, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	if d, ok := s.inner.(qpbackend.Differentiator); ok && s.plain && !has(s.news) {
		return d.Differentiate(ctx)
	}
	a := &s.answer
	if err := base.Differentiable(s.last().Name(), a.Status); err != nil {
		return nil, err
	}
	return s.DifferentiateAt(ctx, a.X, a.Y, a.Z)
}

// DifferentiateAt is that of a solver of P.
func (s *solver) DifferentiateAt(ctx context.Context, x, y, z []float64) (qpbackend.Derivative, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	of := s.inner
	if !s.plain || has(s.news) {
		if err := s.needWhole(ctx); err != nil {
			return nil, err
		}
		of = s.whole
	}
	if d, ok := of.(qpbackend.Differentiator); ok {
		return d.DifferentiateAt(ctx, x, y, z)
	}
	return nil, s.lacks("differentiate")
}

// Reduced is that of Solver.
func (s *solver) Reduced() bool {
	if in, ok := s.inner.(Solver); ok && s.plain {
		return in.Reduced()
	}
	return !s.fell && !s.plain
}

// Last is that of Solver.
func (s *solver) Last() qpbackend.Solver {
	if in, ok := s.inner.(*solver); ok {
		return in.Last()
	}
	return s.inner
}
