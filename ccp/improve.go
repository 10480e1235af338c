package ccp

import (
	"context"
	"math"
	"strings"

	"github.com/dcopt/dcopt/ccp/internal/search"
)

// kinds are the searches around the local one, in the order in which they are tried.
// To do without one, delete its line.
func (r *run) kinds() []search.Kind {
	return []search.Kind{
		r.tangent,
		&search.Coordinates{
			Sub: r.sub, Budget: &r.budget, Most: r.set.Search.Coordinates, Seed: r.set.Seed,
			Lo: r.where.Lo, Hi: r.where.Hi, Merit: r.merit, Slack: r.slip(),
		},
		&search.BasinHopping{
			Sub: r.sub, Budget: &r.budget, Most: r.set.Search.Hops, Seed: r.set.Seed, Start: uint64(r.res.Start),
			Lo: r.where.Lo, Hi: r.where.Hi, More: func() bool { return r.k < r.set.MaxIter },
			Draw: func(seed uint64) []float64 { return around(r.p, seed) },
		},
	}
}

// improve searches around the point at which the local search has converged.
func (r *run) improve(ctx context.Context, end outcome) (outcome, error) {
	p := r.point()
	message, duals := end.message, r.duals()
	var err error
	local := func(m search.Move) search.Outcome {
		r.follow(m)
		end, err = r.descend(ctx, m)
		hopped := m.Restart == search.Anew
		o := search.Outcome{Converged: end.status == Converged, Over: err != nil || end.status == Unbounded || end.status == Cancelled}
		if o.Better = o.Converged && !hopped || r.best() < p.Objective-r.least(); o.Better && o.Converged {
			o.At, message, duals = r.point(), end.message, r.duals()
		}
		return o
	}
	last := search.Until(local, &p, r.kinds()...)
	switch {
	case last != nil && last.Over:
		return end, err
	case last != nil && !last.Converged:
		return outcome{status: Converged, message: strings.TrimSpace("the point is better than one at which the procedure had converged; a search from there was not finished; " + end.message)}, nil
	}
	r.res.Duals = duals
	return outcome{status: Converged, message: message}, nil
}

// point is where the local search has converged.
func (r *run) point() search.Point {
	return search.Point{
		X: append([]float64(nil), r.x...), Best: append([]float64(nil), r.res.X...),
		Tau: r.penalty.τ, Objective: r.minimised(r.res.Objective), Least: r.least(),
	}
}

func (r *run) duals() [][]float64 {
	if len(r.sub.Res.Y) != len(r.sub.Rows) {
		return nil
	}
	return r.sub.Duals()
}

// follow goes to where a move begins.
func (r *run) follow(m search.Move) {
	copy(r.x, m.X)
	copy(r.z, m.Z)
	switch m.Restart {
	case search.Jump:
		it := r.prev
		r.measure(&it, r.x)
		r.keep(it)
		r.prev = it
		r.prev.Objective = math.NaN()
		r.tangent.Reset()
	case search.Anew:
		r.penalty.τ, r.penalty.idle, r.penalty.flat = m.Tau, 0, 0
		r.penalty.restarts, r.recover.rescued = mostRestarts, mostRescued // what goes wrong ends the hop
		r.course.idle, r.course.strict = 0, false
		r.line.Reset()
		r.ahead.Reset()
		r.tangent.Reset()
		r.prev = Iteration{Objective: math.NaN()}
		r.hop = m.Hop()
	}
}
