package presolve

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/reduce"
)

// Backend solves the reduced problem with Inner. It suits single solves: an Update makes the
// reduction anew, symbolic factorisation included.
type Backend struct {
	Inner qpbackend.Backend
}

// Name is the name of Inner.
func (b Backend) Name() string { return b.Inner.Name() }

// Supports is true for the cones that Inner supports.
func (b Backend) Supports(k qpbackend.ConeKind) bool { return b.Inner.Supports(k) }

// DefaultSettings are the defaults of Inner.
func (b Backend) DefaultSettings() qpbackend.Settings { return b.Inner.DefaultSettings() }

// New reduces p and has Inner prepare the reduced problem. A problem with cones stays as it is.
func (b Backend) New(
	ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings,
) (qpbackend.Solver, error) {
	return reduce.Chain(b.Inner, presolve{}).New(ctx, p, set)
}

type presolve struct{}

// New leaves problems with cones as they are.
func (presolve) New(_ context.Context, p *qpbackend.Problem, _ qpbackend.Settings) (reduce.Reduced, error) {
	if len(p.Cones) > 0 {
		return nil, nil
	}
	return &reduced{}, nil
}

// Diagonals proves where it can that the rows, the bounds and the diagonals of the semidefinite
// cones exclude each other; else, and without such cones, the problem stays as it is. A diagonal
// that the rows put at -1e-6 is a proof of a size that an interior point method need not reach.
type Diagonals struct{}

// New is the reduction of a problem with semidefinite cones.
func (Diagonals) New(_ context.Context, p *qpbackend.Problem, _ qpbackend.Settings) (reduce.Reduced, error) {
	if !slices.ContainsFunc(p.Cones, func(c qpbackend.Cone) bool { return c.Kind == qpbackend.Semidefinite }) {
		return nil, nil
	}
	return &reduced{proofs: true}, nil
}

// diagonals is p with the diagonals of its semidefinite cones as its only rows in cones.
func diagonals(p *qpbackend.Problem) *qpbackend.Problem {
	out := *p
	out.L, out.U, out.Cones = slices.Clone(p.L), slices.Clone(p.U), nil
	for _, c := range p.Cones {
		for i := c.Start; i < c.Start+c.Len; i++ {
			out.L[i], out.U[i] = math.Inf(-1), math.Inf(1)
		}
		for k, j := 0, 1; c.Kind == qpbackend.Semidefinite && k < c.Len; k, j = k+j+1, j+1 {
			out.L[c.Start+k] = p.L[c.Start+k]
		}
	}
	return &out
}

// worthwhile is the least share of rows and columns that must go.
// Source: a limit of speed: below it the reduced problem costs as much as the whole.
const worthwhile = 0.05

// reduced is the reduction of the present values.
type reduced struct {
	proofs bool         // nothing else is asked for, see Diagonals
	red    *reduction   // nil: nothing worthwhile was found
	part   *reduce.Part // nil: it has a proof
}

// Apply reduces p, unless no value has changed.
func (s *reduced) Apply(ctx context.Context, p *qpbackend.Problem, ask reduce.Ask) (reduce.Task, error) {
	if ask.Changed() {
		q := p
		if s.proofs {
			q = diagonals(p)
		}
		red, err := reduceProblem(ctx, q)
		if err != nil {
			return reduce.Task{}, err
		}
		if s.proofs && red != nil && red.proof == nil {
			red = nil
		}
		if s.red, s.part = red, nil; red != nil && red.proof == nil {
			s.part = reduce.NewPart(&red.now, red.rows, red.cols, false)
		}
	}
	switch {
	case s.red == nil:
		return reduce.Task{}, nil
	case s.part == nil:
		return reduce.Task{Nothing: true}, nil
	}
	return reduce.Task{Problem: s.part.Problem, Keep: !ask.Changed(), Cols: s.part.Cols,
		Start: s.part.Start(ask.Start)}, nil
}

// Invert undoes the reduction, or makes a proof of the contradiction that it has met.
func (s *reduced) Invert(
	_ context.Context, p *qpbackend.Problem, from, to *qpbackend.Result,
) (reduce.Verdict, error) {
	if from == nil {
		to.Status, to.Message = qpbackend.PrimalInfeasible, "found by presolve"
		s.red.undo(to, nil, true)
		support := 0.0
		for _, of := range [...]struct{ multipliers, lo, up []float64 }{{to.Y, p.L, p.U}, {to.Z, p.Lo, p.Hi}} {
			for i, v := range of.multipliers {
				if v > 0 {
					support += v * of.up[i]
				} else if v < 0 {
					support += v * of.lo[i]
				}
			}
		}
		for _, v := range [...][]float64{to.Y, to.Z} {
			for i := range v {
				v[i] /= -support
			}
		}
		return reduce.Checked, nil
	}
	ray := to.Status == qpbackend.PrimalInfeasible || to.Status == qpbackend.DualInfeasible
	if !ray {
		to.Message = s.red.String()
		if from.Message != "" {
			to.Message += "; " + from.Message
		}
	}
	s.red.undo(to, from, ray)
	return reduce.Checked, nil
}
