package solve

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/internal/program"
)

// latest keeps the best point that a run reports: the answer of one that does
// not come back soon after its context has ended.
type latest struct {
	mu   sync.Mutex
	next ccp.Recorder // nil: none
	p    *program.Problem
	over bool // it was given up, and may still be at work
	best *ccp.Result
	seen int         // iterations
	far  *ccp.Bounds // of a proof, as it was told last; nil: it was not
}

// begin forgets the run before.
func (l *latest) begin(p *program.Problem, next ccp.Recorder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.p, l.next, l.best, l.seen, l.far = p, next, nil, 0, nil
}

// Record keeps the point if it is the best. A run that was given up ends here.
func (l *latest) Record(it ccp.Iteration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return ccp.ErrStop
	}
	l.seen++
	l.keep(it.Result())
	if l.next == nil {
		return nil
	}
	return l.next.Record(it)
}

// RecordBounds keeps the best point of a proof and passes on the progress.
func (l *latest) RecordBounds(b ccp.Bounds) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return ccp.ErrStop
	}
	if b.X != nil {
		at := ccp.Result{X: b.X, Feasible: true}
		at.Objective, at.ObjectiveError = l.p.Evaluate(b.X)
		l.keep(&at)
	}
	l.far = &ccp.Bounds{Bound: b.Bound, Nodes: b.Nodes, Safe: b.Safe}
	if next, ok := l.next.(ccp.BoundRecorder); ok {
		return next.RecordBounds(b)
	}
	return nil
}

// keep keeps a copy of the point if it is the best.
func (l *latest) keep(at *ccp.Result) {
	if !math.IsNaN(at.Objective) && (l.best == nil || at.Better(l.best, l.p.Maximize)) {
		at.X = append([]float64(nil), at.X...)
		l.best = at
	}
}

// giveUp ends the run and returns its best point, or x0 if it has reported none.
// err is the error of the context.
func (l *latest) giveUp(err error, x0 []float64, set ccp.Settings) *ccp.Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	res := l.best
	if res == nil {
		if x0 == nil {
			x0 = l.p.Start(set.Seed)
		}
		res = &ccp.Result{X: x0}
	}
	v := l.p.Violations(res.X)
	res.Violation, res.Worst, res.Feasible = v.Largest, v.Where(), v.Excess <= set.FeasTol
	res.Objective, res.ObjectiveError = l.p.Evaluate(res.X)
	res.Iterations, res.Starts = l.seen, res.Start+1
	res.Status, res.Message = ccp.Cancelled, "the step under way took too long to wait for"
	if errors.Is(err, context.DeadlineExceeded) {
		res.Status = ccp.TimeLimit
	}
	return res
}

// proof is how far the result of a proof that was given up is from the optimum.
func (l *latest) proof(res *ccp.Result) *global.Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	worst := math.Inf(-1)
	if l.p.Maximize {
		worst = math.Inf(1)
	}
	out := &global.Result{Result: res, Bound: worst, Gap: math.Inf(1)}
	if b := l.far; b != nil {
		out.Bound, out.Nodes, out.Safe = b.Bound, b.Nodes, b.Safe
		if d := res.Objective - b.Bound; res.Feasible && !math.IsInf(b.Bound, 0) {
			if l.p.Maximize {
				d = -d
			}
			out.Gap = max(0, d) / max(l.p.ObjectiveUnit(res.X), math.Abs(res.Objective))
		}
	}
	return out
}
