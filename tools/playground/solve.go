package playground

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/internal/scene"
)

// Request has the settings that a page gives beside the text of a problem.
type Request struct {
	Starts int    // 0: as many as the text says, or the effort allows
	Seed   string // a number; "": as the text says
	Effort string // local, quick, normal or thorough; "": as the text says, or quick
	Global bool   // search until the answer is proved
}

// options of a text with the ones of a request in their place.
func (r Request) options(o lang.ProblemOptions) (lang.ProblemOptions, error) {
	if r.Starts > 0 {
		o.Starts = &r.Starts
	}
	if r.Seed != "" {
		seed, err := strconv.ParseUint(r.Seed, 10, 64)
		if err != nil {
			return o, fmt.Errorf("seed %q: want a whole number >= 0", r.Seed)
		}
		o.Seed = &seed
	}
	if r.Effort != "" {
		o.Effort = &r.Effort
	}
	return o, nil
}

// Solve compiles and solves a problem. The answer is an object with diagnostics, of warnings
// or mistakes, and unless these are mistakes with result, the object that "dcopt solve
// --json" prints (docs/json.md), and scene, the picture of the point (package scene).
// While it solves, news gets objects with iterations, a list of [start, iteration, objective,
// violation, feasible], feasible 1 or 0, with bound, the best one so far of a proof, and, where
// there is a better point, with best: its objective, max_violation, feasible and variables, and
// with scene. It is called on the goroutine of Solve or one that it starts. A solve that ctx ends
// answers with its best point; if there is none yet, because the problem was still compiled, with
// diagnostics and stopped, true.
func (e *Engine) Solve(ctx context.Context, src string, ask Request, news func([]byte)) []byte {
	begin := time.Now()
	p, err := e.compile(ctx, src)
	if err != nil {
		o := failed(err)
		if errors.Is(err, context.Canceled) {
			o = append(o, report.Member{Name: "stopped", Value: true})
		}
		return text(o)
	}
	o, err := ask.options(p.Options)
	var set ccp.Settings
	starts := 1
	if err == nil {
		set, starts, err = settings(o)
	}
	if err != nil {
		return text(failed(err))
	}
	if limit := p.Options.TimeLimit; limit != nil {
		var stop context.CancelFunc
		ctx, stop = ctxWithin(ctx, seconds(*limit))
		defer stop()
	}
	told := &reporter{prog: p, p: p.Problem.Program(), news: news, last: begin}
	set.Recorder = told
	compiled := time.Since(begin)
	res, proof, err := solution(ctx, p.Problem, starts, ask.Global, set)
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if err != nil && !ended {
		return text(failed(err))
	}
	told.flush()
	if res == nil || len(res.X) != p.Problem.NumVars() && told.best != nil {
		res = told.answer(err, set)
	}
	r := report.Of(p.Problem.Program(), res)
	r.Names(p, res.X, true)
	r.Seconds.Compile += compiled.Seconds()
	if proof != nil && (ask.Global || proof.NoBound != "" || !math.IsInf(proof.Bound, 0)) {
		report.Prove(&r.Record, proof)
	}
	switch {
	case errors.Is(err, context.Canceled):
		r.Interrupt()
	case ended && res.Status == ccp.Converged:
		r.Say("the time limit passed before all starts were done")
	}
	return text(append(report.Object{diagnostics(p.Warnings), {Name: "result", Value: r.JSON()}}, picture(p, res.X)...))
}

// mostMarked bounds the numbers of a picture.
// Source: some megabytes of JSON; no answer depends on it.
const mostMarked = 200_000

// picture is the member scene, the picture of a point; nil where there is nothing to draw or too
// much.
func picture(p *lang.Program, x []float64) report.Object {
	s := scene.Of(p, x)
	size := 0
	for k := range s.Panels {
		for _, m := range s.Panels[k].Marks {
			size += len(m.X) + len(m.V)
			for _, l := range m.Lines {
				size += len(l.X)
			}
		}
	}
	if len(s.Panels) == 0 || size > mostMarked {
		return nil
	}
	return report.Object{{Name: "scene", Value: s}}
}

// solution solves a problem as the command does; proof may be nil.
func solution(ctx context.Context, p *dc.Problem, starts int, prove bool, set ccp.Settings) (
	res *ccp.Result, proof *global.Result, err error) {
	switch {
	case prove:
		proof, err = global.Solve(ctx, p, nil, starts, set)
	case starts == ccp.Automatic && set.Effort > ccp.Quick:
		proof, err = global.Best(ctx, p, set)
	case starts == 1:
		res, err = ccp.Solve(ctx, p, nil, set)
	default:
		res, err = ccp.Multistart(ctx, p, starts, set)
	}
	if proof != nil {
		res = proof.Result
	}
	return res, proof, err
}

// often is the least time between two pieces of news.
// Source: ten in a second are a picture that moves; no answer depends on it.
const often = 100 * time.Millisecond

// mostEntries bounds the variables of a best point in the news.
// Source: a message of some hundred kilobytes; no answer depends on it.
const mostEntries = 20_000

// reporter collects news and keeps the best point.
type reporter struct {
	prog *lang.Program
	p    *program.Problem // of prog
	news func([]byte)
	last time.Time
	rows []any // iterations that were not told yet
	best *ccp.Result
	told bool // the best point was
	seen int  // iterations
	far  float64
	near bool // far, the bound of a proof, is known and was not told
}

// RecordBounds notes a bound and tells it with the iterations, if it is time.
func (r *reporter) RecordBounds(b ccp.Bounds) error {
	if !math.IsInf(b.Bound, 0) && (b.Bound != r.far || !r.near) {
		r.far, r.near = b.Bound, true
	}
	if time.Since(r.last) >= often {
		r.flush()
	}
	return nil
}

// Record notes the iteration and tells those that have gathered, if it is time.
func (r *reporter) Record(it ccp.Iteration) error {
	r.seen++
	feasible := map[bool]int{true: 1}[it.Feasible]
	r.rows = append(r.rows, []any{it.Start, it.K, it.Objective, it.Violation, feasible})
	at, known := it.Result(), len(it.X) == r.p.NumVars() && !math.IsNaN(it.Objective)
	if known && (r.best == nil || at.Better(r.best, r.p.Maximize)) {
		at.X = slices.Clone(it.X)
		r.best, r.told = at, false
	}
	if time.Since(r.last) >= often {
		r.flush()
	}
	return nil
}

// flush tells the iterations that have gathered.
func (r *reporter) flush() {
	if len(r.rows) == 0 && !r.near || r.news == nil {
		return
	}
	o := report.Object{{Name: "iterations", Value: append([]any{}, r.rows...)}}
	if r.near {
		o = append(o, report.Member{Name: "bound", Value: r.far})
	}
	if b := r.best; b != nil && !r.told {
		best := report.Of(r.p, b).Point()
		if len(b.X) > mostEntries {
			best = best[:len(best)-1]
		}
		o = append(o, report.Member{Name: "best", Value: best})
		if len(b.X) <= mostEntries {
			o = append(o, picture(r.prog, b.X)...)
		}
	}
	r.rows, r.told, r.near, r.last = r.rows[:0], true, false, time.Now()
	r.news(text(o))
}

// answer is the best point, or the start, of a run that gave none back; err is the error of its
// context.
func (r *reporter) answer(err error, set ccp.Settings) *ccp.Result {
	res := r.best
	if res == nil {
		res = &ccp.Result{X: r.p.Start(set.Seed)}
	}
	v := r.p.Violations(res.X)
	res.Violation, res.Worst, res.Feasible = v.Largest, v.Where(), v.Excess <= set.FeasTol
	res.Objective, res.ObjectiveError = r.p.Evaluate(res.X)
	res.Iterations, res.Starts = r.seen, res.Start+1
	res.Status = ccp.TimeLimit
	if errors.Is(err, context.Canceled) {
		res.Status = ccp.Cancelled
	}
	return res
}
