package ccp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
)

// project finds the point nearest to x0 that meets the convex constraints and
// lies within the domains of the h's, away from their borders where there is
// room: minimise ½‖x − x0‖² + ρ·Σ(1 − lᵢ)₊, lᵢ ≥ 0 the domains' affine
// functions. It returns x0 itself where there is none: the first convex
// problem will tell.
func project(ctx context.Context, p *dc.Problem, s *subproblem, x0 []float64, backend qpbackend.Backend) ([]float64, error) {
	b := newBuilder(p.NumVars())
	for j, v := range x0 {
		b.square(0.5, dc.Linear{Idx: []int{j}, Val: []float64{1}, Const: -v})
	}
	const ρ = 1e3
	for _, r := range s.domain {
		for _, l := range r.Domain() {
			short := dc.Linear{Idx: []int{b.Var()}, Val: []float64{1}}
			b.Row(short, 0, math.Inf(1))
			b.Row(l, 0, math.Inf(1))
			b.Row(l.Plus(1, short), 1, math.Inf(1))
			b.addLinear(short.Scale(ρ))
		}
	}
	hardRows(b, p)
	qp, _, err := b.problem()
	if err != nil {
		return nil, err
	}
	t := time.Now()
	defer func() { s.backendSec += since(t) }()
	solver, err := backend.New(qp, backend.DefaultSettings())
	if err != nil {
		return nil, err
	}
	defer solver.Close()
	var res qpbackend.Result
	if err := solver.Solve(ctx, &res); err != nil {
		return nil, err
	}
	if !(res.Res.Max() <= lastEnough) || res.Status == qpbackend.PrimalInfeasible {
		return x0, nil
	}
	return res.X[:p.NumVars()], nil
}

// hardRows adds what every point has to meet: bounds, affine and convex
// constraints.
func hardRows(b *builder, p *dc.Problem) {
	for _, v := range p.Vars {
		for i := range v.Len() {
			if lo, hi := v.Bounds(i); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
				b.Row(dc.Linear{Idx: []int{v.Offset + i}, Val: []float64{1}}, lo, hi)
			}
		}
	}
	for i := range p.Constraints {
		c := &p.Constraints[i]
		switch {
		case !c.DC:
			for k := range c.A.Len() {
				b.Row(c.A.Entry(k), c.Lo[k], c.Hi[k])
			}
		case c.E.IsConvex():
			b.Row(b.Bound(c.E.G()), math.Inf(-1), 0)
		}
	}
}

// Multistart runs Solve from several starting points, as many at a time as
// there are processors, and returns the best result: a feasible one before an
// infeasible one, then the lower objective (violation, if none is feasible),
// then the earlier start. Start 0 is p.Start(set.Seed), and the others are
// drawn from seeds that derive from set.Seed, so the answer does not depend on
// the number of processors.
//
// Iterations, Starts and Seconds of the result count all starts. When the
// context ends, the best so far is returned together with its error.
func Multistart(ctx context.Context, p *dc.Problem, starts int, set Settings) (*Result, error) {
	if err := set.Validate(); err != nil {
		return nil, err
	}
	if starts < 1 {
		return nil, fmt.Errorf("ccp: %d starting points, want at least 1", starts)
	}
	if !p.Random() {
		starts = 1 // all would be the same
	}
	seeds := rand.New(rand.NewPCG(set.Seed, 0x7374)) // the second word is arbitrary and fixed
	results, errs := make([]*Result, starts), make([]error, starts)
	set.Recorder = serial(set.Recorder)
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range starts {
		seed := set.Seed
		if i > 0 {
			seed = seeds.Uint64()
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			results[i], errs[i] = solveDrawn(ctx, p, seed, set, i)
		})
	}
	wg.Wait()
	return best(results, errs, p.Maximize)
}

// best merges the results of all starts.
func best(results []*Result, errs []error, maximize bool) (*Result, error) {
	var top *Result
	var first error
	total := Result{}
	for i, r := range results {
		if errs[i] != nil && first == nil {
			first = errs[i]
		}
		if r == nil {
			continue
		}
		total.Iterations += r.Iterations
		total.Starts++
		total.Seconds.Compile += r.Seconds.Compile
		total.Seconds.Solve += r.Seconds.Solve
		total.Seconds.Backend += r.Seconds.Backend
		if top == nil || r.before(top, maximize) {
			top = r
		}
	}
	if top == nil {
		return nil, first
	}
	top.Iterations, top.Starts, top.Seconds = total.Iterations, total.Starts, total.Seconds
	return top, first
}

// before reports whether r is better than o.
func (r *Result) before(o *Result, maximize bool) bool {
	a, b := r.Objective, o.Objective
	if maximize {
		a, b = -a, -b
	}
	switch {
	case r.feasible != o.feasible:
		return r.feasible
	case (r.Status == Unbounded) != (o.Status == Unbounded):
		return r.Status == Unbounded
	case r.feasible:
		return a < b
	}
	return r.Violation < o.Violation
}

// serial makes one call at a time; the first error stops all.
func serial(rec Recorder) Recorder {
	if rec == nil {
		return nil
	}
	var mu sync.Mutex
	var stopped error
	return RecorderFunc(func(it Iteration) error {
		mu.Lock()
		defer mu.Unlock()
		if stopped == nil {
			stopped = rec.Record(it)
		}
		return stopped
	})
}
