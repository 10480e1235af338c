package serve

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/wire"
	"github.com/dcopt/dcopt/internal/wire/decode"
)

// batch has the solutions of a problem for several sets of values of its parameters.
type batch struct {
	p     *problem
	sets  []map[string]*wire.Floats
	found []*ccp.Result
}

// perMember is the least number of sets for which another session is worth its compilation. The
// sets of a session do not depend on the number of processors, so that the answers do not. Source:
// a compilation takes a few solves.
const perMember = 16

// mostSets bounds a batch. Source: a limit of memory: a solution has some kilobytes.
const mostSets = 1 << 20

func (s *server) batch(j *job, m *wire.Batch) wire.Message {
	p := s.graphed(m.Problem)
	s.fresh(key{aBatch, m.Batch})
	if m.Count < 1 || m.Count > mostSets {
		refuseAs(wire.ErrRequest, "a batch of %d sets, want 1 to %d", m.Count, mostSets)
	}
	plan := settingsOf(m.Settings, p.settings)
	if plan.global || plan.starts > 1 {
		refuseAs(wire.ErrRequest, "a batch has no global search and one start")
	}
	b := &batch{p: p, sets: make([]map[string]*wire.Floats, m.Count), found: make([]*ccp.Result, m.Count)}
	for i := range b.sets {
		b.sets[i] = map[string]*wire.Floats{}
		for name, v := range p.ofSet("the values of parameter %s are", m.Parameters, i, m.Count) {
			b.sets[i][name] = wire.F(v)
		}
	}
	p.hire(j.ctx, b.members(), s.cfg.Limits)
	out := &wire.Solutions{
		Batch: m.Batch, Status: make([]string, m.Count), Feasible: make([]bool, m.Count),
		Objective:  wire.F(make([]float64, m.Count)),
		Iterations: make([]int, m.Count), X: wire.F(make([]float64, m.Count*p.prog.Entries)),
	}
	b.each(j.ctx, func(ctx context.Context, q *problem, k int) {
		q.assign(ctx, b.sets[k], s.cfg.Limits)
		x0 := q.start(m.Start, plan.ccp.Seed)
		if x0 == nil && q.prog.Convex {
			x0 = q.last
		}
		own := *plan
		q.told.start(s, j, false, false)
		res, _ := q.attempt(ctx, &own, x0)
		ensure(ctx.Err())
		b.found[k], q.last = res, res.X
		out.Status[k], out.Feasible[k], out.Objective.V[k], out.Iterations[k] = res.Status.String(), res.Feasible,
			res.Objective, res.Iterations
		copy(out.X.V[k*p.prog.Entries:], q.prog.X(res.X))
	})
	s.keep(key{aBatch, m.Batch}, b)
	return out
}

// ofSet are the numbers of set i of so many, which parameters have for each set or for all; the
// text begins the error about other sizes.
func (p *problem) ofSet(what string, of map[string]*wire.Floats, i, sets int) map[string][]float64 {
	out := map[string][]float64{}
	for name, v := range of {
		k := p.parameter(name)
		n := entries(p.graph.Parameters[k])
		switch v := values(v); len(v) {
		case n:
			out[name] = v
		case n * sets:
			out[name] = v[i*n:][:n]
		default:
			refuseAs(wire.ErrProblem, what+" not %d numbers, nor %d for each of %d sets", name, n, n, sets)
		}
	}
	return out
}

// members is the number of sessions that share the sets.
func (b *batch) members() int { return (len(b.sets) + perMember - 1) / perMember }

// hire makes sessions for batches, n at least.
func (p *problem) hire(ctx context.Context, n int, limits decode.Limits) {
	for len(p.crew) < n {
		prog := must(decode.Build(ctx, p.graph, p.params, limits))
		p.crew = append(p.crew, &problem{graph: p.graph, params: p.params, prog: prog, settings: p.settings,
			plan: p.plan})
	}
}

// each calls f for each set, with the member of the crew that has it, on all processors. The first
// set with an error ends the request.
func (b *batch) each(ctx context.Context, f func(ctx context.Context, q *problem, k int)) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	errs := make([]error, len(b.sets))
	todo := make(chan int, b.members())
	for i := range b.members() {
		todo <- i
	}
	close(todo)
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), b.members()) {
		all.Go(func() {
			for i := range todo {
				for k := i * perMember; k < min((i+1)*perMember, len(b.sets)); k++ {
					if errs[k] = recovering("batch", func() { f(ctx, b.p.crew[i], k) }); errs[k] != nil {
						stop()
						return
					}
				}
			}
		})
	}
	all.Wait()
	var first error
	for k, err := range errs {
		if err != nil && (first == nil || errors.Is(first, context.Canceled)) {
			if first = err; !errors.Is(err, context.Canceled) {
				first = ofSet(k, err)
			}
		}
	}
	ensure(first)
}

// ofSet says of which set an error is.
func ofSet(k int, err error) error {
	var one *wire.Error
	if errors.As(err, &one) {
		e := *one
		e.Text += " (set " + strconv.Itoa(k) + " of the batch)"
		return &e
	}
	return fmt.Errorf("set %d of the batch: %w", k, err)
}
