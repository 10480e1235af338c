package ccp

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

const (
	// polished is the residual of a convex problem whose solution is a polished one.
	// Source: derived: its root is an accuracy of 1e-7.
	polished = 1e-14
	// leastMargin bounds what a derivative leaves over at a regular solution. Source: as of
	// qpbackend.Regularity.
	leastMargin = 1e-6
	// rounded is the violation, relative to the terms of a constraint, that counts as none.
	// Source: derived: some ten unit roundoffs of each of 100 terms.
	rounded = 1e-13
	// mostRefined bounds the entries of a convex problem that is polished. Source: a limit of time:
	// the steps take a third of the time of a small solve, and five times the time of one with a
	// matrix of order 25 in a cone. Session.Differentiate refines the points of larger ones.
	mostRefined = 20_000
)

// polish replaces the solution of a convex problem by the one that Newton steps on its optimality
// conditions lead to, with the sides and cones that hold there: an objective to Tol fixes a point
// to √Tol alone where it is flat. The point stays where the steps fail or lead to a worse one: one
// that breaks constraints by more than the point before and by more than rounding errors do, or
// whose objective is higher by more than these change it or, where it breaks less, by more than Tol.
func (r *run) polish(ctx context.Context, end *outcome) {
	s, qp := r.sub, r.sub.Compiled.QP
	if end.status() != Converged || !s.Convex() || s.Damped() || s.Session.Solver == nil ||
		!(s.Session.Res.Res.Max() > polished) || !bent(qp) || entries(qp) > mostRefined {
		return
	}
	at, n := s.Session.Point(), len(r.res.X)
	if len(at.X) < n || !slices.Equal(at.X[:n], r.res.X) || s.Linearise(r.res.X, 0) != nil {
		return
	}
	d, err := s.DifferentiateAt(ctx, at)
	if err != nil || !(d.Regularity().Residual <= leastMargin) {
		return
	}
	p := d.Point()
	x := slices.Clone(p.X[:n])
	for j, v := range x {
		if math.Abs(v) <= rounded*s.Size(j) {
			x[j] = 0
		}
	}
	var it Iteration
	before, most := r.worthOf(r.res.X).broken.Relative, r.noise(r.res.X)
	r.measure(&it, x)
	if most += it.noise(); it.Relative < before {
		most += r.gap.Tol
	}
	rise := r.minimised(it.Objective) - r.minimised(r.res.Objective)
	if !num.Finite(it.Objective) || !(rise <= most) || !(it.Relative <= max(before, rounded)) {
		return
	}
	r.res.moveTo(it.Result())
	r.res.nearly = it.Feasible || it.Relative <= r.set.FeasTol
	r.res.convex = qpbackend.Tangent{X: slices.Clone(p.X), Y: slices.Clone(p.Y), Z: slices.Clone(p.Z)}
	r.res.take(s.WrittenDuals(p))
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
