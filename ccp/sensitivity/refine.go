package sensitivity

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/qpbackend"
)

const (
	// exact is the residual of a convex problem whose solution needs no steps.
	// Source: derived: its root is an accuracy of 1e-7.
	exact = 1e-14
	// Rounded is the violation, relative to the terms of a constraint, that counts as none.
	// Source: derived: some ten unit roundoffs of each of 100 terms.
	Rounded = 1e-13
	// mostRefined bounds the entries of a convex problem that is refined. Source: a limit of time:
	// the steps take a third of the time of a small solve, and five times the time of one with a
	// matrix of order 25 in a cone. A derivative refines the points of larger ones.
	mostRefined = 20_000
)

// Refine is the solution of the convex problem of sub to which Newton steps on the optimality
// conditions lead from x, the solution that it has, with the sides and cones that hold there. ok is
// false where x is exact or there are no such steps.
func Refine(ctx context.Context, sub *subproblem.Problem, x []float64) (t qpbackend.Tangent, ok bool) {
	qp, n := sub.Compiled.QP, len(x)
	if !(sub.Session.Res.Res.Max() > exact) || !bent(qp) || entries(qp) > mostRefined {
		return t, false
	}
	var at qpbackend.Tangent
	if !sub.Session.Point(&at) {
		return t, false
	}
	d, ok := linearisedAt(ctx, sub, x, at)
	if !ok {
		return t, false
	}
	p := d.Point()
	t = qpbackend.Tangent{X: slices.Clone(p.X), Y: slices.Clone(p.Y), Z: slices.Clone(p.Z)}
	for j, v := range t.X[:n] {
		if math.Abs(v) <= Rounded*sub.Size(j) {
			t.X[j] = 0
		}
	}
	return t, true
}

// linearisedAt is the derivative of the convex problem at its solution point, which begins with x,
// with the h linearised there, by the solver that it has. ok is false where there is none.
func linearisedAt(ctx context.Context, sub *subproblem.Problem, x []float64, point qpbackend.Tangent) (
	d qpbackend.Derivative, ok bool) {
	if sub.Session.Solver == nil || len(point.X) < len(x) || !slices.Equal(point.X[:len(x)], x) ||
		sub.Linearise(x, 0) != nil { // parameters may have had other values since
		return nil, false
	}
	d, err := sub.DifferentiateAt(ctx, point)
	return d, err == nil && d.Regularity().Residual <= leastMargin
}

// bent reports whether the objective may be flat at a solution that is no vertex: the problem has
// squares or cones.
func bent(p *qpbackend.Problem) bool { return len(p.Cones) > 0 || p.P != nil && p.P.NNZ() > 0 }

// entries counts those of the matrices, and of the bases of the cones.
func entries(p *qpbackend.Problem) int {
	n := p.A.NNZ()
	if p.P != nil {
		n += p.P.NNZ()
	}
	for _, c := range p.Cones {
		if c.Kind != qpbackend.SecondOrder {
			n += c.Len * c.Len
		}
	}
	return n
}
