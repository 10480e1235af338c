package ccp

import (
	"context"
	"math"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/accel"
	"github.com/dcopt/dcopt/ccp/internal/diagnose"
	"github.com/dcopt/dcopt/ccp/internal/penalty"
	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/ccp/internal/stop"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
)

// prepare moves the start into the domains if need be, scales τ and opens the solver.
func (r *run) prepare(ctx context.Context) (*outcome, error) {
	if end, err := r.moveInside(ctx); err != nil || end != nil {
		return end, err
	}
	r.sub.SizeUpOnce(r.z)
	if (r.sub.Linearise(r.z, r.penalty.Tau) != nil || !num.Finite(r.p.Objective.Value(r.z))) && !r.pull() ||
		r.set.TauRelative && r.scaleTau(ctx) != nil {
		if err := ctx.Err(); err != nil {
			return ended(ctx, err)
		}
		return conclude(NoTangent, ""), nil
	}
	return r.open(ctx)
}

// scaleTau makes τ a multiple of the slopes at z. Each of its three steps looks at every
// constraint.
func (r *run) scaleTau(ctx context.Context) error {
	if len(r.sub.Compiled.Slacks) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.sub.SetPrices(r.z)
	if err := ctx.Err(); err != nil {
		return err
	}
	objective, constraint := r.sub.Slopes(r.z)
	if err := ctx.Err(); err != nil {
		return err
	}
	r.penalty.Scale(objective, constraint, r.seed.share)
	return r.sub.Linearise(r.z, r.penalty.Tau)
}

// moveInside moves a start that is outside the domains or, if it was drawn, breaks convex
// constraints. The run ends where the start breaks a constraint that holds nowhere.
func (r *run) moveInside(ctx context.Context) (*outcome, error) {
	if err := ctx.Err(); err != nil {
		return ended(ctx, err)
	}
	if end := r.outOfRange(); end != nil {
		return end, nil
	}
	if r.sub.Compiled.Inside(r.z) && !(r.seed.drawn && r.sub.BreaksHard(r.z, r.set.FeasTol)) ||
		r.sub.Convex() && num.Finite(r.p.Objective.Value(r.z)) { // of which the start decides nothing
		return nil, nil
	}
	z, err := subproblem.Project(ctx, r.p, r.sub, r.z, r.means.backend)
	if ctx.Err() != nil {
		return ended(ctx, ctx.Err())
	}
	if err != nil { // the start has no finite distance, or the convex problem is refused as well
		return nil, nil
	}
	copy(r.z, z)
	copy(r.where.Start, z)
	return nil, nil
}

// mostPulls is how often a random start is pulled: four times by a half, four times by a quarter,
// and so on.
// Source: derived: 2098 halvings lead from the largest float64 to the least.
const mostPulls = 128

// pull moves a random start where a function is beyond all numbers towards the
// point of the bounds nearest to 0. It reports whether there are tangents then.
func (r *run) pull() bool {
	for n := 0; r.seed.drawn && n < mostPulls; n++ {
		moved, share := false, math.Ldexp(1, -1-n/4)
		for j, v := range r.z {
			r.z[j] = min(max(v*share, r.where.Lo[j]), r.where.Hi[j])
			moved = moved || r.z[j] != v
		}
		r.p.Pin(r.z)
		r.budget.Values++
		if !moved || num.Finite(r.p.Objective.Value(r.z)) && r.sub.Linearise(r.z, r.penalty.Tau) == nil {
			break
		}
	}
	copy(r.x, r.z)
	copy(r.where.Start, r.z)
	r.sub.SizeUp(r.z, true)
	return r.sub.Linearise(r.z, r.penalty.Tau) == nil
}

// solveDrawn runs from the starting point of the seed, moved into the convex
// constraints if any of it was drawn at random. A panic becomes an error.
func solveDrawn(ctx context.Context, p *program.Problem, seed uint64, set Settings, start int, of *known) (
	res *Result, err error) {
	defer recovered(&err)
	x0, from := p.Start(seed), origin{drawn: start > 0 || p.Random()}
	if start > 0 {
		x0 = drawn(p, seed)
		of.spread(p, x0, seed, set.Seed, start)
	}
	_, from.share = math.Modf(float64(start) * (math.Sqrt(5) - 1) / 2) // evenly spread
	if of.lead != nil && start%2 == 1 {
		from.share = search.Vary(x0, of.lead.X, seed)
	}
	if start == 1 {
		sampled := of.early.x
		if !of.early.looked {
			sampled = fromSamples(ctx, p, set)
		}
		if sampled != nil {
			x0 = sampled
		}
	}
	return compileAndRun(ctx, p, x0, set, start, from)
}

// compileAndRun is a run from x0.
func compileAndRun(ctx context.Context, p *program.Problem, x0 []float64, set Settings, start int,
	from origin) (*Result, error) {
	if err := checkStart(p, x0); err != nil {
		return nil, err
	}
	x0 = clippedToBox(p, x0)
	t := time.Now()
	sub, err := subproblem.CompileNear(ctx, p, set.around(x0))
	took := subproblem.Since(t)
	if err != nil {
		return uncompiled(ctx, p, x0, set, start, took, err)
	}
	r := newRun(p, sub, set)
	r.begin(x0, start, from, new(Result))
	r.res.Seconds.Compile = took
	return r.run(ctx)
}

// uncompiled is the result where there is no convex problem: ctx has ended, and the start
// is the best point, or the problem is refused.
func uncompiled(ctx context.Context, p *program.Problem, x0 []float64, set Settings, start int, took float64,
	err error) (*Result, error) {
	if ctx.Err() == nil {
		return nil, err
	}
	res := resultAt(new(Result), p, x0, set, start)
	res.Seconds.Compile, res.Backend = took, set.backend().Name()
	res.end, res.Message, res.concluded = interrupted(err), beforeFirst, res.Objective
	res.Status = res.end.status()
	return res, err
}

// newRun has the means of runs on p with the convex problem sub.
func newRun(p *program.Problem, sub *subproblem.Problem, set Settings) *run {
	r := &run{p: p, set: set, sub: sub, where: diagnose.Region{P: p, Tol: set.FeasTol, Convex: sub.Convex()}}
	r.means.backend, r.means.device = set.backend(), r.acceleration()
	r.means.local = r.localSearch()
	r.step.Space = accel.Space{Size: sub.Size, Merit: r.merit, Slip: r.slip()}
	return r
}

// begin makes r the run from x0, which is boxed and stays as it is, with its result in res.
func (r *run) begin(x0 []float64, start int, from origin, res *Result) {
	r.clear(x0, from)
	r.res = resultAt(res, r.p, x0, r.set, start)
	r.res.Backend = r.means.backend.Name()
}

// clear forgets the run before, whose memory is used again.
func (r *run) clear(x0 []float64, from origin) {
	sub, old := r.sub, *r
	sub.RemoveProximal()
	sub.SizeUp(x0, true)
	*r = run{p: old.p, set: old.set, sub: sub, tip: sub, seed: from, means: old.means, where: old.where,
		penalty: penalty.New(old.set.Tau0, old.set.TauMax, old.set.Mu),
		course:  stop.NewCourse(), gap: stop.Gap{Open: math.NaN()}, budget: search.NewBudget(sub)}
	r.recover.tol = r.usualTol()
	r.where.Move(x0, sub.Units.Of)
	r.where.Lo, r.where.Hi = r.p.AppendBox(r.where.Lo[:0], r.where.Hi[:0])
	sub.BoundDomains(r.where.Lo, r.where.Hi)
	sub.Session.Meter = &r.budget.Meter
	r.x, r.z, r.last.x = append(old.x[:0], x0...), append(old.z[:0], x0...), old.last.x[:0]
	r.prev.Objective = math.NaN()
	r.step = accel.Step{Space: old.step.Space,
		From: old.step.From[:0], Before: old.step.Before[:0], Plain: old.step.Plain[:0]}
	r.step.Lo, r.step.Hi = r.where.Lo, r.where.Hi
	r.means.takeBack(&old)
	r.slow()
}

// takeBack takes back the memory that the run before has used, and forgets all else of that run.
func (m *means) takeBack(old *run) {
	if k := old.kept; k != nil && m.rest == nil {
		m.rest = k
	}
	if h := old.holding.point; h != nil && m.point == nil {
		m.point = h
	}
	if m.kinds = nil; m.forget != nil {
		m.forget()
	}
}
