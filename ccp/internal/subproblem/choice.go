package subproblem

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/blocks"
	"github.com/dcopt/dcopt/qpbackend"
)

// Leap says that the next tangents have nothing to do with the last solution: rows are chosen anew,
// for the point where they are taken.
func (s *Problem) Leap() { s.Session.far = s.Compiled.choice.Absent() }

// approach chooses the members with rows anew where the last solution was far, or the tangents are.
func (s *Problem) approach(ctx context.Context) error {
	if !s.Session.far || len(s.Lin.at) == 0 {
		return nil
	}
	s.Session.far = false
	next, ok := s.Compiled.choice.Again(s.Lin.at, s.Session.Res.Y, s.Compiled.Rows.Families)
	if !ok {
		return nil
	}
	return s.renew(ctx, next)
}

// include gives rows to the constraints without one that the last solution breaks, and solves the
// problem again. err is that of the last solution.
func (s *Problem) include(ctx context.Context, err error) error {
	if err != nil || !s.Compiled.choice.Absent() {
		return err
	}
	next, x := s.Compiled.choice.All(), s.Session.Res.X
	switch s.Session.Res.Status {
	case qpbackend.DualInfeasible: // others may bound the ray
	case qpbackend.Solved, qpbackend.AlmostSolved:
		x = x[:s.Compiled.DC.NumVars()]
		if s.Compiled.choice.Reaches(s.Lin.at, x) {
			return nil
		}
		var broken bool
		if next, broken = s.Compiled.choice.With(s.Lin.at, x, s.Compiled.Rows.Families); !broken {
			s.Session.far = true
			return nil
		}
	default:
		return nil
	}
	iterations, worked := s.Session.Res.Iterations, s.Session.Worked
	if err := s.renew(ctx, next); err != nil {
		return err
	}
	before := s.Session.Seconds // the time of both is that of the first
	err = s.Solve(ctx)
	s.Session.Res.Iterations += iterations
	s.Session.Worked += worked
	s.Session.far, s.Session.Seconds = true, before
	return err
}

// renew compiles the problem anew with the rows of a choice, and opens it with the values of the
// last Linearise.
func (s *Problem) renew(ctx context.Context, choice blocks.Choice) error {
	n, err := compile(ctx, s.Compiled.DC, choice, false)
	if err != nil {
		return err
	}
	s.Close()
	old := *s
	s.Compiled, s.Lin, s.Session = n.Compiled, n.Lin, n.Session
	s.Units.columns, s.Units.rowsAt, s.Units.measured, s.Units.within.by = s.Units.columns[:0], nil, false, nil
	s.Session.Meter, s.Session.far, s.Lin.unsized = old.Session.Meter, old.Session.far, old.Lin.unsized
	s.carry(&old)
	if old.Lin.prox.slot != nil {
		s.Lin.prox.place(s)
		s.Lin.prox.ρ = old.Lin.prox.ρ
	}
	if err := s.Linearise(old.Lin.at, old.Lin.τ); err != nil {
		return err
	}
	err = s.Open(ctx, old.Session.backend, old.Session.set)
	s.Session.Seconds = old.Session.Seconds // whoever solves the problem takes the time
	return err
}

// carry takes over the last solution of a problem with the rows of another choice.
func (s *Problem) carry(old *Problem) {
	if len(old.Session.Res.X) != len(old.Compiled.QP.Q) || len(old.Session.Res.Y) != len(old.Compiled.QP.L) ||
		len(old.Session.Res.Z) != len(old.Compiled.QP.Q) {
		return
	}
	now, before := s.Compiled.Rows.Families, old.Compiled.Rows.Families
	n, m := len(s.Compiled.QP.Q), len(s.Compiled.QP.L)
	column := func(f *blocks.Family) int { return f.Col }
	s.Session.Res.Status = old.Session.Res.Status
	s.Session.Res.X = blocks.Carried(n, old.Session.Res.X, now, before, column)
	s.Session.Res.Y = blocks.Carried(m, old.Session.Res.Y, now, before, func(f *blocks.Family) int { return f.Row })
	s.Session.Res.Z = blocks.Carried(n, old.Session.Res.Z, now, before, column)
	if old.Session.Centre != nil {
		s.Session.Centre = slices.Clone(s.Session.Res.X)
	}
}
