package base

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/qpbackend"
)

// Solver is embedded by the solvers of backends.
type Solver struct {
	P     *qpbackend.Problem // as stated, by qpbackend.Prepare
	Set   qpbackend.Settings
	Start Start

	name   string
	closed bool
}

// New prepares p for the backend.
func New(ctx context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings) (Solver, error) {
	p, err := qpbackend.Prepare(ctx, b, p, set)
	if err != nil {
		return Solver{}, err
	}
	return Of(b, p, set), nil
}

// Of is the Solver of a problem that is its own.
func Of(b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings) Solver {
	return Solver{P: p, Set: set, name: b.Name()}
}

// Differentiable refuses the status of a Solve without a solution.
func Differentiable(name string, status qpbackend.Status) error {
	if status == qpbackend.Solved || status == qpbackend.AlmostSolved {
		return nil
	}
	why := "its status is " + status.String()
	if status == qpbackend.Unknown {
		why = "the present values have not been solved"
	}
	return fmt.Errorf("%s: there is no solution to differentiate: %s; call Solve and look at its status first", name,
		why)
}

// Open refuses a solver that is closed.
func (s *Solver) Open() error {
	if s.closed {
		return fmt.Errorf("%s: the solver is closed", s.name)
	}
	return nil
}

// Apply overwrites values of P.
func (s *Solver) Apply(u qpbackend.Update) error {
	if err := s.Open(); err != nil {
		return err
	}
	return s.P.Apply(u)
}

// WarmStart keeps a copy of the point for the next Solve.
func (s *Solver) WarmStart(x, y, z []float64) error {
	if err := s.Open(); err != nil {
		return err
	}
	if err := s.P.CheckStart(x, y, z); err != nil {
		return err
	}
	t := &s.Start
	if n, m := s.P.Dims(); t.X == nil {
		t.X, t.Y, t.Z = make([]float64, n), make([]float64, m), make([]float64, n)
	}
	for _, part := range [...]struct{ to, from []float64 }{{t.X, x}, {t.Y, y}, {t.Z, z}} {
		clear(part.to)
		copy(part.to, part.from)
	}
	t.HasX, t.HasY, t.HasZ = x != nil, y != nil, z != nil
	return nil
}

// Close makes the solver refuse all further calls.
func (s *Solver) Close() error {
	s.closed = true
	return nil
}

// Start is the point of a WarmStart.
type Start struct {
	X, Y, Z          []float64 // 0 where not given; nil before the first
	HasX, HasY, HasZ bool      // which are given
}

// Given reports whether there is one.
func (t *Start) Given() bool { return t.HasX || t.HasY || t.HasZ }

// Parts are X, Y and Z, nil where not given.
func (t *Start) Parts() (x, y, z []float64) {
	if t.HasX {
		x = t.X
	}
	if t.HasY {
		y = t.Y
	}
	if t.HasZ {
		z = t.Z
	}
	return x, y, z
}

// Forget drops it; its numbers stay until the next.
func (t *Start) Forget() { t.HasX, t.HasY, t.HasZ = false, false, false }
