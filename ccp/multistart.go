package ccp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/sample"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
)

// Automatic, as a number of starts, lets Multistart choose it: the start from which
// Solve would run, or the point that samples of a large sum lead to (Settings.Sample), and,
// where that takes few milliseconds, up to 19 more starts, as many as
// make up a fixed amount of work in all. Work is counted in iterations of the backend times
// entries of the convex problem, so that the number does not depend on the machine.
const Automatic = 0

// autoWork is the work that Automatic may make up: about 20 ms. mostStarts bounds the
// starts. Source: table of docs/ccp.md.
const (
	autoWork   = 3e5
	mostStarts = 20
)

// enough is the number of starts where the first has led to r.
func enough(r *Result) int {
	if r == nil || r.Status != Converged && r.Status != Stalled {
		return 1
	}
	return max(1, min(mostStarts, int(autoWork/max(r.work, 1))))
}

// Multistart runs Solve from several starting points, as many at a time as
// there are processors, and returns the best result: a feasible one before an
// infeasible one, then the lower objective, rounding errors included, then the
// earlier start: see Result.Better. Start 0 is p.Start(set.Seed), and the others are
// drawn from seeds that derive from set.Seed: the random values anew, entries with a
// starting value of their own around it, with the larger of the value and the
// root mean square of the variable's values as deviation, 1 if both are 0. The result is
// never worse than that of start 0 alone, with Automatic of the point that samples lead to, and
// another point only if that is better by Settings.Tol. starts is a number, or Automatic.
//
// Starts come in waves of a fixed size. Some of the later ones are variations of
// the best point of earlier waves (Settings.Search.Vary). The answer does not depend on the
// number of processors.
//
// Iterations, Starts and Seconds of the result count all starts that ran. When
// the context ends, no further one begins, and the best so far is returned
// together with the context's error.
func Multistart(ctx context.Context, p *dc.Problem, starts int, set Settings) (*Result, error) {
	if err := check(p, set); err != nil {
		return nil, err
	}
	if starts < 0 {
		return nil, fmt.Errorf("ccp: %d starting points, want at least 1, or Automatic", starts)
	}
	seeds := startSeeds(set.Seed)
	set.Recorder = serial(set.Recorder)
	found := &best{maximize: p.Maximize}
	first := 0
	if starts == Automatic {
		found.take(solveFirst(ctx, p, set))
		first, starts = 1, enough(found.top)
	}
	for ; first < starts && (first == 0 || ctx.Err() == nil); first += wave {
		found.wave(ctx, p, seeds, first, min(first+wave, starts), set)
	}
	res, err := found.result()
	if err == nil && found.total.Starts < starts {
		err = ctx.Err() // between two starts: no run has seen it
	}
	return res, err
}

// SolveStart is start i of Multistart as if it were the only one: no better point of
// another start is varied. So starts of one problem may run apart, and
// [Best] of them is the result of Multistart without Settings.Search.Vary, bit
// for bit. i is at least 0; the errors are those of Solve.
func SolveStart(ctx context.Context, p *dc.Problem, i int, set Settings) (*Result, error) {
	if err := check(p, set); err != nil {
		return nil, err
	}
	if i < 0 {
		return nil, fmt.Errorf("ccp: start %d, want at least 0", i)
	}
	set.Search.Vary = false
	seed := set.Seed
	seeds := startSeeds(set.Seed)
	for range i {
		seed = seeds.Uint64()
	}
	return solveSafely(ctx, p, seed, set, i, nil)
}

// startSeeds draws the seeds of the starts after the first.
func startSeeds(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x7374)) // stream "st": each use of the seed has its own
}

// Best returns the result that Multistart would return of these starts, in any order,
// with the sums of their costs; nil if there is none. It may change the result that it
// returns.
func Best(maximize bool, results []*Result) *Result {
	b := &best{maximize: maximize}
	for _, r := range results {
		b.take(r, nil)
	}
	top, _ := b.result()
	return top
}

// Standing are the two numbers of a result, beside its exported ones, by which Best
// compares it with others: a result that was stored gets them back by Restore.
type Standing struct {
	Nearly bool    // X keeps the constraints relative to the size of their terms
	Least  float64 // the smallest change of the objective that counts, ≥ 0
}

// Standing is that of r.
func (r *Result) Standing() Standing { return Standing{r.nearly, r.least} }

// Restore sets the standing of a result that was stored.
func (r *Result) Restore(s Standing) { r.nearly, r.least = s.Nearly, s.Least }

// wave is the number of starts that run before the best of them counts for others.
// Source: table of docs/ccp.md.
const wave = 8

// wave runs starts first to end − 1.
func (b *best) wave(ctx context.Context, p *dc.Problem, seeds *rand.Rand, first, end int, set Settings) {
	var lead *Result
	if b.top != nil && b.top.nearly {
		lead = b.top
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := first; i < end; i++ {
		seed := set.Seed
		if i > 0 {
			seed = seeds.Uint64()
		}
		slots <- struct{}{}
		if i > 0 && ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			b.take(solveSafely(ctx, p, seed, set, i, lead))
		})
	}
	wg.Wait()
}

// solveSafely is solveDrawn; a panic becomes an error.
func solveSafely(ctx context.Context, p *dc.Problem, seed uint64, set Settings, start int, lead *Result) (res *Result, err error) {
	defer recovered(&err)
	return solveDrawn(ctx, p, seed, set, start, lead)
}

// solveFirst is start 0 of Automatic, or the run from the point that samples lead to.
func solveFirst(ctx context.Context, p *dc.Problem, set Settings) (res *Result, err error) {
	defer recovered(&err)
	t := time.Now()
	x0, lower := fromSamples(ctx, p, set)
	if !lower {
		return solveDrawn(ctx, p, set.Seed, set, 0, nil)
	}
	return compileAndRun(ctx, p, x0, set, 0, origin{drawn: p.Random(), before: subproblem.Since(t)})
}

// fromSamples is the point that samples of a large sum lead to, if it is lower than start 0.
func fromSamples(ctx context.Context, p *dc.Problem, set Settings) (x []float64, lower bool) {
	if !set.Sample {
		return nil, false
	}
	defer func() {
		if recover() != nil { // a user's function, which panics again in the run
			x, lower = nil, false
		}
	}()
	seeds := startSeeds(set.Seed)
	stage := sample.Stage{Problem: p, Seed: set.Seed, Ended: func() bool { return ctx.Err() != nil }, Draw: func(i int) []float64 {
		if i == 0 {
			return boxed(p, p.Start(set.Seed))
		}
		return boxed(p, drawn(p, seeds.Uint64()))
	}}
	return stage.Best()
}

// drawn draws starting point i > 0: p.Start(seed), with the entries that are
// the same for every seed moved.
func drawn(p *dc.Problem, seed uint64) []float64 {
	x := p.Start(seed)
	rng := rand.New(rand.NewPCG(seed, 0x6172)) // stream "ar": each use of the seed has its own
	lo, hi := p.Box()
	for _, v := range p.Vars {
		if v.Start.Kind != dc.StartValues {
			continue
		}
		size := 0.0
		for _, s := range v.Start.Values {
			if !math.IsNaN(s) {
				size += s * s
			}
		}
		size = math.Sqrt(size / float64(max(1, v.Len())))
		for k, s := range v.Start.Values {
			if math.IsNaN(s) {
				continue
			}
			dev := max(size, math.Abs(s))
			if dev == 0 {
				dev = 1
			}
			j := v.Offset + k
			x[j] = min(max(s+dev*rng.NormFloat64(), lo[j]), hi[j])
		}
	}
	return x
}

// best keeps the best of the results it is given, in any order, and adds up
// their cost.
type best struct {
	maximize bool

	mu    sync.Mutex
	top   *Result
	first *Result // of start 0
	total Result
	err   error // that of the earliest start with one
	from  int
}

func (b *best) take(r *Result, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r == nil {
		if b.err == nil {
			b.err = err
		}
		return
	}
	if err != nil && (b.err == nil || r.Start < b.from) {
		b.err, b.from = err, r.Start
	}
	b.total.Iterations += r.Iterations
	b.total.Starts++
	b.total.Seconds.Compile += r.Seconds.Compile
	b.total.Seconds.Solve += r.Seconds.Solve
	b.total.Seconds.Backend += r.Seconds.Backend
	if r.Start == 0 {
		b.first = r
	}
	if b.top == nil || r.Better(b.top, b.maximize) {
		b.top = r
	}
}

func (b *best) result() (*Result, error) {
	if b.top == nil {
		return nil, b.err
	}
	if b.first != nil && b.first.asGood(b.top, b.maximize) {
		b.top = b.first
	}
	b.top.Iterations, b.top.Starts, b.top.Seconds = b.total.Iterations, b.total.Starts, b.total.Seconds
	return b.top, b.err
}

// asGood reports whether r is worse than o by no more than counts as no change at both points.
func (r *Result) asGood(o *Result, maximize bool) bool {
	worse := r.certain(maximize) - o.certain(maximize)
	return r.Status == Converged && o.Status == Converged && worse <= min(r.least, o.least)
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
