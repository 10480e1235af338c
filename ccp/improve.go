package ccp

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/ccp/internal/penalty"
	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/qpbackend"
)

// kinds are the searches, made when they are first asked for.
func (r *run) kinds() *search.Kinds {
	if r.means.kinds == nil {
		r.means.kinds = r.searches()
	}
	return r.means.kinds
}

// searches are those around the local one, in the order in which they are tried. To do without one,
// delete its line. The looks by PatternSearch and GradientSampling move a little, and so come last:
// a hop from a point that they have moved begins with tangents that lead to fewer others.
func (r *run) searches() *search.Kinds {
	around := search.Around{
		Sub: r.sub, Budget: &r.budget, Seed: r.set.Seed, Start: uint64(r.res.Start), Lo: r.where.Lo, Hi: r.where.Hi,
		Slip: r.slip(), Values: new(search.Values), Tol: r.set.Tol, Noise: r.noise, Size: r.p.ObjectiveVariation,
		Draw: func(seed uint64) []float64 { return drawn(r.p, seed) }, More: func() bool { return r.more(0) },
	}
	jumps := r.set.Heuristics.Search.Coordinates
	looks := search.Kinds{Off: jumps == 0, Pattern: search.PatternSearch{Around: around},
		Gradients: search.GradientSampling{Around: around}}
	looks.Moves = []search.Kind{
		&search.Coordinates{Around: around, Most: jumps},
		&search.Decisions{Around: around, Off: !r.set.Heuristics.Search.Decisions},
		&search.Descents{Around: around, Most: r.set.Heuristics.Search.Descents},
		&search.BasinHopping{Around: around, Most: r.set.Heuristics.Search.Hops},
	}
	return &looks
}

// improve searches around the point at which the local search has converged, until the
// best point is at rest.
func (r *run) improve(ctx context.Context, end *outcome) (*outcome, error) {
	p := r.point()
	r.budget.Ended = func() bool { return ctx.Err() != nil }
	var err error
	local := func(m search.Move) search.Outcome {
		r.follow(m)
		end, err = r.localAgain(ctx, m)
		o := search.Outcome{Converged: end.rests()}
		o.Over = err != nil || end.status() == Unbounded || end.status() == Cancelled
		o.Better = o.Converged && m.Z == nil || r.best() < p.Objective-r.counts()
		if o.Better && o.Converged {
			o.At = r.point()
		}
		return o
	}
	for n := 0; ; n++ {
		if last := r.kinds().Until(local, &p); last != nil && last.Over {
			return end, err
		}
		if ctx.Err() != nil {
			return ended(ctx, ctx.Err())
		}
		if _, off := r.infimum(r.res.X); off {
			break
		}
		before := r.best()
		m, leads := r.lead()
		if ctx.Err() != nil {
			return ended(ctx, ctx.Err())
		}
		if !leads && r.strayed() && !r.patient { // no multipliers hold the best point
			m = search.Move{X: slices.Clone(r.res.X)}
			leads, r.patient = true, true
			r.sub.Rescale(r.res.X)
			r.sub.Session.Res.Status = qpbackend.Unknown
			if end, err := r.tighten(ctx, r.usualTol()); err != nil || end != nil {
				return end, err
			}
		}
		if !leads || !r.more(0) && !r.falls(before, m) {
			break
		}
		switch {
		case !r.more(0):
			return r.giveUp(r.limit(), "the procedure has converged, but a small step leads to a lower point"), nil
		case n >= search.MostLeads:
			return r.giveUp(NotStationary, ""), nil
		}
		if local(m).Over {
			return end, err
		}
		p = r.point()
	}
	return r.rest(ctx), nil
}

// localAgain is a local search after another one, which has closed the solver where the backend
// refused its last convex problem.
func (r *run) localAgain(ctx context.Context, m search.Move) (*outcome, error) {
	if r.sub.Session.Solver == nil {
		switch end, err := r.reopen(ctx); {
		case ctx.Err() != nil || end != nil:
			return end, err
		case err != nil:
			return r.giveUp(BackendFailed, err.Error()), nil
		}
	}
	return r.means.local(ctx, m)
}

// point is where the local search has converged.
func (r *run) point() search.Point {
	return search.Point{
		X: append([]float64(nil), r.x...), Best: append([]float64(nil), r.res.X...),
		Tau: r.penalty.Tau, Objective: r.res.certain(r.p.Maximize), Least: r.counts(),
	}
}

// follow goes to where a move begins.
func (r *run) follow(m search.Move) {
	copy(r.x, m.X)
	if m.Z == nil {
		copy(r.z, m.X)
		r.measure(&r.prev, r.x)
		r.keep(r.prev)
		r.prev.Objective = math.NaN()
		return
	}
	copy(r.z, m.Z)
	r.penalty.Tau = m.Tau
	r.penalty.Recount()
	r.penalty.Restarts, r.recover.failures = penalty.MostRestarts, mostFailures // a failure ends the hop
	r.course.Again()
	r.slow()
	r.sub.Leap()
	r.prev = Iteration{Objective: math.NaN()}
	r.hop = m.Hop
}

// lead is a move to a point that is lower than the best one by more than counts beside the terms of
// the objective. Slight moves are made on the way as long as they do not shrink: their sum can be
// more than that. ok is false where there is none.
func (r *run) lead() (m search.Move, ok bool) {
	from, gain := r.best(), 0.
	for range search.MostLeads {
		p, before := r.point(), r.best()
		if m, ok = r.kinds().Improving(&p); !ok || !m.Slight {
			return m, ok
		}
		r.follow(m)
		if from-r.best() > r.set.Tol*r.p.ObjectiveVariation(r.res.X) {
			return m, true
		}
		last := gain
		if gain = before - r.best(); gain < last/2 {
			break
		}
	}
	return search.Move{}, false
}

// falls reports whether a move leads below the objective before by more than the rounding error of
// its values along the run.
func (r *run) falls(before float64, m search.Move) bool {
	at := Result{}
	at.Objective, at.ObjectiveError = r.p.Evaluate(m.X)
	gain, span := before-min(r.best(), at.certain(r.p.Maximize)), max(0, r.course.Range())
	return gain > math.Nextafter(span, math.Inf(1))-span
}

// fails reports whether the backend has ended the run at a point that keeps the constraints, of a
// problem that is not convex and small enough for directions.
func (r *run) fails(end *outcome) bool {
	s := end.status()
	if r.sub.Convex() || !r.res.Feasible || s != Numerical && s != Stalled || end.reason == GivenUp {
		return false
	}
	can, _ := r.kinds().Stationary()
	return can
}

// settle goes down by values and gradients from the best point of a run whose convex problems the
// backend cannot solve. From each lower point the procedure is tried again. The point is converged,
// as any other is, where no small step betters it. Another end stays as it is.
func (r *run) settle(ctx context.Context, end *outcome, err error) (*outcome, error) {
	if err != nil || !r.fails(end) {
		return end, err
	}
	r.budget.Afford(settleWork)
	for n := range search.MostLeads {
		p := r.point()
		m, leads := r.kinds().Improving(&p)
		if !leads {
			_, rest := r.kinds().Stationary()
			switch far := r.where.Distance(r.res.X); {
			case far > diagnose.Far*diagnose.Far:
				r.far = true
				end = r.giveUp(NotStationary, end.message)
			case rest:
				end = r.rest(ctx, plainEnds[BackendFailed].message, end.message)
			}
			return end, nil
		}
		r.follow(m)
		if err := ctx.Err(); err != nil {
			return ended(ctx, err)
		}
		if m.Slight || n >= mostTries {
			continue
		}
		if end, err = r.localAgain(ctx, m); err == nil && end.rests() {
			return r.improve(ctx, end)
		}
		if err != nil || !r.fails(end) {
			return end, err
		}
	}
	return end, nil
}

// settleWork is the work, as of Budget.Spent, that pays for the looks of settle. Source: a limit of
// time; it is some 0.1 s.
const settleWork = 2e6

// mostTries bounds the points from which settle tries the procedure again. Source: as
// Search.Coordinates of the heuristics.
const mostTries = 5
