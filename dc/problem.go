package dc

import (
	"context"
	"errors"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/program"
)

// Problem is a checked model. It does not change and may be shared by goroutines.
type Problem struct{ p *program.Problem }

// Problem checks the model and returns it as a problem that no longer changes.
// All mistakes are reported together (errors.Join). Where ctx ends before, its error comes back
// within some tenths of a second, for millions of constraints, too; work on a single large function
// may go on in the background then, so that the model must not be changed at once.
func (m *Model) Problem(ctx context.Context) (*Problem, error) {
	if m == nil {
		return nil, errNoModel
	}
	p, err := m.m.Problem(ctx, atomOf)
	if err != nil {
		return nil, err
	}
	return &Problem{p}, nil
}

// atomOf makes the function of a name.
func atomOf(op string, data []float64, args []expr.Array) (f expr.Scalar, known bool) {
	if _, known = findAtom(op); !known {
		return f, false
	}
	es := make([]Expr, len(args))
	for k := range es {
		es[k] = Expr{arr: args[k]}
	}
	return Apply(op, data, es...).one(), true
}

// Program is the problem as the packages of this module read it; of a nil Problem it is nil.
func (p *Problem) Program() *program.Problem {
	if p == nil {
		return nil
	}
	return p.p
}

// NumVars is the length of x: the entries of all variables and parameters.
func (p *Problem) NumVars() int { return p.p.NumVars() }

// Value is the objective at x as it was given.
func (p *Problem) Value(x []float64) float64 { return p.p.Value(x) }

// Evaluate is Value with a bound of its rounding error: the value of the objective
// as it was written, in exact arithmetic at the same x, is within bound of it.
func (p *Problem) Evaluate(x []float64) (value, bound float64) { return p.p.Evaluate(x) }

// Start draws a starting point of length NumVars: the declared starts, and numbers from
// the distributions, which are the same for the same seed.
func (p *Problem) Start(seed uint64) []float64 { return p.p.Start(seed) }

// Violation is the largest amount by which x breaks a bound, a constraint or
// the domain of a function, and the name of the constraint (or variable)
// where; 0 and "" if none is broken. NaN counts as +Inf.
func (p *Problem) Violation(x []float64) (float64, string) { return p.p.Violation(x) }

// Feasible reports whether x satisfies the constraints: it breaks no row by more than tol times the
// row's unit, rounding errors of the row's terms aside. The unit is the power of 1024 next to the
// largest term of the row at x, at most 1, and at least a thousandth of that power at the typical
// point, where variables have the size of their starts and bounds.
func (p *Problem) Feasible(x []float64, tol float64) bool { return p.p.Feasible(x, tol) }

// Box returns the least and the largest value of each entry of x: its bounds, narrowed by
// the affine constraints that have no other variable, and the value of a parameter.
func (p *Problem) Box() (lo, hi []float64) { return p.p.Box() }

// With returns the problem with other values of a parameter, one for all entries
// or one per entry in row-major order. All else is shared.
func (p *Problem) With(param string, values ...float64) (*Problem, error) {
	if p == nil {
		return nil, errors.New("dc: the problem is nil; did Model.Problem return an error?")
	}
	q, err := p.p.With(param, values...)
	if err != nil {
		return nil, err
	}
	return &Problem{q}, nil
}

// Instance is a copy of p, which shares all but the values of the parameters.
func (p *Problem) Instance() *Problem { return &Problem{p.p.Instance()} }

// Exact returns the problem with splits g − h that equal their functions
// everywhere, as proofs need. The splits of p may instead have, for squares, absolute
// values and maxima of DC functions, a part of g that stands for its majorant at
// the current point.
func (p *Problem) Exact() *Problem {
	if q := p.p.Exact(); q != p.p {
		return &Problem{q}
	}
	return p
}
