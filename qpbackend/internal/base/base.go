package base

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// Solver is embedded by the solvers of backends.
type Solver struct {
	P   *qpbackend.Problem // as stated, by qpbackend.Prepare
	Set qpbackend.Settings

	start  Start // of WarmStart, for the next Solve,
	room   Point // where it is kept
	name   string
	closed bool
	convex *qpbackend.Convexity
	staleP bool    // P has changed since it was last found convex
	least  float64 // Outweigh of it
}

// New prepares p for the backend.
func New(ctx context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings) (Solver, error) {
	p, err := qpbackend.Prepare(ctx, b, p, set)
	if err != nil {
		return Solver{}, err
	}
	s := Of(b, p, set)
	if s.convex, err = qpbackend.NewConvexity(ctx, p.P); err != nil {
		return Solver{}, fmt.Errorf("%s: %w", s.name, err)
	}
	s.staleP = true
	return s, nil
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
	if err := s.P.Apply(u); err != nil {
		return err
	}
	s.staleP = s.staleP || u.P != nil
	return nil
}

// Outweigh is the weight of the proximal term that makes P convex, 0 where it is without. A P that
// is more than rounding away from that is refused.
func (s *Solver) Outweigh(ctx context.Context) (least float64, err error) {
	if s.staleP {
		s.least, err = s.OutweighOf(ctx, s.P.P.Val)
		s.staleP = err != nil
	}
	return s.least, err
}

// OutweighOf is Outweigh for other values of P.
func (s *Solver) OutweighOf(ctx context.Context, val []float64) (least float64, err error) {
	p := *s.P.P
	p.Val = val
	exact, err := s.convex.Check(ctx, &p)
	if err != nil || exact {
		return 0, err
	}
	return qpbackend.Outweigh, nil
}

// WarmStart keeps a copy of the point for the next Solve.
func (s *Solver) WarmStart(x, y, z []float64) error {
	if err := s.Open(); err != nil {
		return err
	}
	if err := s.P.CheckStart(x, y, z); err != nil {
		return err
	}
	if s.room.X == nil {
		s.room = NewPoint(s.P.Dims())
	}
	s.start = Start{}
	for _, part := range [...]struct {
		to         *[]float64
		room, from []float64
	}{{&s.start.X, s.room.X, x}, {&s.start.Y, s.room.Y, y}, {&s.start.Z, s.room.Z, z}} {
		if part.from != nil {
			*part.to = part.room[:copy(part.room, part.from)]
		}
	}
	return nil
}

// TakeStart returns the warm start and forgets it. Its slices are good until the next.
func (s *Solver) TakeStart() (t Start) {
	t, s.start = s.start, Start{}
	return t
}

// Close makes the solver refuse all further calls.
func (s *Solver) Close() error {
	s.closed = true
	return nil
}

// Point is a primal-dual pair on the problem as stated, or a proof.
type Point struct {
	X, Y, Z []float64
	Res     qpbackend.Residuals
}

// NewPoint is a point of zeros for n variables and m rows.
func NewPoint(n, m int) Point {
	return Point{X: make([]float64, n), Y: make([]float64, m), Z: make([]float64, n)}
}

// Set takes over a point; without one it is zero.
func (p *Point) Set(x, y, z []float64) {
	for _, part := range [...]struct{ to, from []float64 }{{p.X, x}, {p.Y, y}, {p.Z, z}} {
		clear(part.to)
		copy(part.to, part.from)
	}
}

// Finite reports whether all entries are numbers.
func (p *Point) Finite() bool {
	return num.FirstNotFinite(p.X) < 0 && num.FirstNotFinite(p.Y) < 0 && num.FirstNotFinite(p.Z) < 0
}

// Report fills dst with the best point, or with a proof and the other half of that point.
func (s *Solver) Report(dst *qpbackend.Result, status qpbackend.Status, best, proof *Point) {
	x, y, z := best.X, best.Y, best.Z
	dst.Status, dst.Res = status, qpbackend.Residuals{}
	switch status {
	case qpbackend.PrimalInfeasible:
		y, z, dst.Objective = proof.Y, proof.Z, math.Inf(1)
	case qpbackend.DualInfeasible:
		x, dst.Objective = proof.X, math.Inf(-1)
	default:
		dst.Res, dst.Objective = best.Res, s.P.Objective(x)
	}
	dst.X, dst.Y, dst.Z = append(dst.X[:0], x...), append(dst.Y[:0], y...), append(dst.Z[:0], z...)
}

// Start is a warm start, nil where nothing is given.
type Start struct{ X, Y, Z []float64 }

// Given reports whether there is one.
func (t Start) Given() bool { return t.X != nil || t.Y != nil || t.Z != nil }
