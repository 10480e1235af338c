package serve

import (
	"context"
	"errors"
	"math"
	"reflect"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/internal/wire"
)

func (s *server) solve(j *job, m *wire.Solve) wire.Message {
	p := known[*problem](s, key{aProblem, m.Problem})
	if p.data != nil {
		return p.data.solve(j, m)
	}
	if m.Update != nil {
		refuseAs(wire.ErrRequest, "update belongs to problems of load_data; parameters change a graph")
	}
	plan := p.plan
	if m.Settings != nil {
		plan = settingsOf(m.Settings, p.settings)
	}
	p.assign(j.ctx, m.Parameters, s.cfg.Limits)
	if plan.global {
		p.freeze(j.ctx, s.cfg.Limits)
	}
	warm := m.Warm == nil || *m.Warm
	x0 := p.start(m.Start, plan.ccp.Seed)
	if x0 == nil && warm && len(p.last) == p.prog.Problem.NumVars() {
		x0 = p.last
	}
	p.solved, p.deriv = nil, nil
	p.told.start(s, j, m.Progress, p.prog.Problem.Program().Maximize)
	res, proof := p.attempt(j.ctx, plan, x0)
	p.solved = res
	if res.Feasible {
		p.last = append(p.last[:0:0], res.X...)
	}
	out := p.result(res)
	if proof != nil {
		report.Prove(&out.Record, proof)
	}
	if j.ctx.Err() != nil {
		out.Status = ccp.Cancelled.String()
	}
	out.Seconds.Total = since(j)
	return out
}

// start is the point with the given values of variables; nil: none are given.
func (p *problem) start(values map[string]*wire.Floats, seed uint64) []float64 {
	if len(values) == 0 {
		return nil
	}
	x0 := p.prog.Problem.Start(seed)
	for name, v := range values {
		if v == nil {
			refuseAs(wire.ErrRequest, "the start of %s has no buffer", name)
		}
		for _, e := range v.V {
			if math.IsInf(e, 0) {
				refuseAs(wire.ErrProblem, "the start of %s has the entry %g", name, e)
			}
		}
		ensure(p.prog.Place(x0, name, v.V))
	}
	p.prog.Problem.Program().Settle(x0)
	return x0
}

// attempt is run within the plan's time. There is a point, or an error for the request.
func (p *problem) attempt(ctx context.Context, plan *plan, x0 []float64) (*ccp.Result, *global.Result) {
	limited, stop := within(ctx, plan.limit)
	defer stop()
	res, proof, err := p.run(limited, plan, x0)
	switch {
	case err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		ensure(refused(err))
	case res != nil && len(res.X) == p.prog.Problem.NumVars():
		return res, proof
	case ctx.Err() != nil:
		ensure(context.Canceled)
	}
	refuseAs(wire.ErrCancelled, "the time limit passed before there was a point")
	return nil, nil
}

// run solves as the plan says, from x0 unless that is nil.
func (p *problem) run(ctx context.Context, plan *plan, x0 []float64) (*ccp.Result, *global.Result, error) {
	plan.ccp.Recorder = &p.told
	switch {
	case plan.global:
		proof, err := global.Solve(ctx, p.prog.Problem, x0, plan.starts, plan.ccp)
		if proof == nil {
			return nil, nil, err
		}
		return proof.Result, proof, err
	case plan.starts > 1 && x0 == nil:
		res, err := ccp.Multistart(ctx, p.prog.Problem, plan.starts, plan.ccp)
		return res, nil, err
	}
	first := p.session == nil
	if p.session == nil || !reflect.DeepEqual(p.wanted, plan.wire) {
		session, err := ccp.NewSession(ctx, p.prog.Problem, plan.ccp)
		if err != nil {
			return nil, nil, err
		}
		if p.session != nil {
			p.session.Close()
		}
		p.session, p.wanted = session, plan.wire
	}
	if first && x0 == nil && plan.starts == ccp.Automatic && plan.ccp.Effort > ccp.Quick && !p.session.Convex() {
		proof, err := global.Best(ctx, p.prog.Problem, plan.ccp)
		if proof == nil {
			return nil, nil, err
		}
		return proof.Result, proof, err
	}
	if x0 == nil {
		p.session.Restart()
	}
	res, err := p.session.Solve(ctx, x0)
	if err != nil || plan.starts <= 1 {
		return res, nil, err
	}
	more, err := ccp.Multistart(ctx, p.prog.Problem, plan.starts-1, plan.ccp)
	if more != nil && more.Better(res, p.prog.Problem.Program().Maximize) {
		more.Iterations, more.Starts, more.Start = more.Iterations+res.Iterations, more.Starts+1, more.Start+1
		return more, nil, err
	}
	if more != nil {
		res.Iterations, res.Starts = more.Iterations+res.Iterations, more.Starts+1
	}
	return res, nil, err
}

// result brings a result into the graph's order.
func (p *problem) result(res *ccp.Result) *wire.Result {
	out := &wire.Result{Record: report.Facts(res), X: wire.F(p.prog.X(res.X))}
	if res.Duals != nil {
		out.Multipliers = wire.F(p.prog.MultipliersAt(res.Duals, res.X))
		out.PSDMultipliers = p.prog.PSDMultipliers(res.Duals)
	}
	if z := p.prog.BoundMultipliers(res.BoundDuals); z != nil {
		out.BoundMultipliers = wire.F(z)
	}
	switch res.Status {
	case ccp.Infeasible:
		if out.Multipliers != nil {
			out.Certificate = "infeasible"
		}
		for _, name := range res.Conflict {
			if place, ok := p.prog.WhereIs(name); ok {
				out.Conflict = append(out.Conflict, place)
			}
		}
	case ccp.Unbounded:
		if res.Ray != nil {
			out.Certificate, out.Ray = "unbounded", wire.F(p.prog.X(res.Ray))
		}
	}
	return out
}
