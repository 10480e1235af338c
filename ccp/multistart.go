package ccp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/heuristic"
	"github.com/dcopt/dcopt/internal/program"
)

// Automatic, as a number of starts, lets Multistart run as many as Settings.Effort says.
const Automatic = 0

// Multistart runs Solve from several starting points, as many at a time as
// there are processors, and returns the best result: a feasible one before an
// infeasible one, then the lower objective, rounding errors included, then the
// earlier start: see Result.Better. Start 0 is p.Start(set.Seed), and the others are those of
// Starts. The result is never worse than that of start 0 alone, and
// another point only if that is better by Settings.Tol. starts is a number, or Automatic: then a
// large sum has Starts.First, and the work of Settings.Effort is for all starts.
//
// Iterations, Starts and Seconds of the result count all starts that ran. When
// the context ends, no further one begins, and the best so far is returned
// together with the context's error.
func Multistart(ctx context.Context, p *dc.Problem, starts int, set Settings) (*Result, error) {
	if starts < 0 {
		return nil, fmt.Errorf("ccp: %d starting points, want at least 1, or Automatic", starts)
	}
	s, err := NewStarts(p, set)
	if err != nil {
		return nil, err
	}
	if starts == Automatic {
		s.First(ctx)
		for most := s.Most(); ctx.Err() == nil && s.work < most && !s.Exhausted(); {
			s.Spend(ctx, most)
		}
		s.Settle(ctx)
		return s.Result()
	}
	s.Run(ctx, starts)
	res, err := s.Result()
	if err == nil {
		err = ctx.Err() // between two starts: no run has seen it
	}
	return res, err
}

// Starts is a problem solved from one starting point after the other. Start 0 is p.Start(set.Seed),
// and the others are drawn from seeds that derive from set.Seed: every second one is a variation of
// the best point so far (Search.Vary of the heuristics); the others have the random values anew,
// numbers between Lo and Hi where these have a narrower range than the problem's, spread over the
// range as a Latin hypercube (McKay, Beckman and Conover 1979), and entries with a starting value
// of their own around it, with the larger of the value and the root mean square of the variable's
// values as deviation, 1 if both are 0.
//
// Starts run side by side in waves of a fixed size, and a point that one finds counts for later
// waves alone: the answer does not depend on the number of processors.
type Starts struct {
	// Lo and Hi are bounds of the variables that follow from the constraints; nil: there are only
	// those of the problem.
	Lo, Hi []float64

	p     *program.Problem
	set   Settings
	seeds *rand.Rand
	found best
	next  int // how many have run
	early early

	mu     sync.Mutex
	work   float64 // of all starts
	each   float64 // see IterationWork
	final  bool    // one of them was
	minima [][]float64
	again  int // starts that have led to one of them
}

// NewStarts has run none yet.
func NewStarts(of *dc.Problem, set Settings) (*Starts, error) {
	p := of.Program()
	if err := check(p, set); err != nil {
		return nil, err
	}
	set.Recorder = serial(set.Recorder)
	return &Starts{p: p, set: set, seeds: startSeeds(set.Seed), found: best{maximize: p.Maximize}}, nil
}

// First is Run of one start where their number is open: of a large sum start 1, if samples lead to
// a point that is lower than start 0. From start 0 the convex problems of 20,000 samples take ten
// times as long, and start 0 is next, as far as the work goes.
func (s *Starts) First(ctx context.Context) {
	s.early = early{looked: true, x: fromSamples(ctx, s.p, s.set)}
	s.Run(ctx, 1)
}

// Run runs the next n starts, or less where ctx ends: the first alone, as it tells whether others
// may follow.
func (s *Starts) Run(ctx context.Context, n int) {
	for end := s.next + n; s.next < end && (s.next == 0 || ctx.Err() == nil); {
		s.wave(ctx, min(end, s.next+wave), s.set)
	}
}

// Spend runs a wave of starts, or as many as fit, so that all take no more than that much work.
func (s *Starts) Spend(ctx context.Context, most float64) {
	each, left := s.work/float64(max(s.next, 1)), most-s.work
	n := max(1, min(wave, int(left/max(each, 1))))
	set := s.set
	set.MaxWork = left / float64(n)
	s.wave(ctx, s.next+n, set)
}

// Add lets a result from elsewhere be the best one, which is feasible whatever the rounding errors.
// Its work does not count.
func (s *Starts) Add(r *Result) {
	before := s.found.total
	r.surely = true
	s.found.take(r, nil)
	s.found.total = before
}

// Result is the best one so far, with the error of the earliest start that had one.
func (s *Starts) Result() (*Result, error) { return s.found.result() }

// Work is the work of all starts so far, in the unit of Result.Work.
func (s *Starts) Work() float64 { return s.work }

// IterationWork is the part of Work that an iteration of the backend has taken, in the mean of the
// first start.
func (s *Starts) IterationWork() float64 { return s.each }

// Most is the work of Settings.Effort, of which all starts so far take at most half where it
// pays for more than one.
func (s *Starts) Most() float64 {
	if s.set.Effort <= Quick {
		return 0
	}
	return max(s.set.Effort.Work(), 2*s.work)
}

// Settle goes on from the best point, without searches, where the limit of work has ended its start
// before it has converged.
func (s *Starts) Settle(ctx context.Context) {
	top := s.found.top
	if top == nil || top == s.found.first && s.early.x == nil || top.Status != IterationLimit || ctx.Err() != nil {
		return
	}
	set := s.set
	set.Recorder, set.Heuristics.NewtonFirst, set.Heuristics.Search = nil, true, heuristic.Search{}
	if res, err := solve(ctx, s.p, top.X, set); err == nil {
		res.Start = top.Start
		s.found.total.Starts-- // it has been counted
		s.take(res, nil)
		if down := s.p.Maximize; res.Status == Converged && res.Feasible &&
			res.certain(down)-top.certain(down) <= res.least {
			s.found.top = res
		}
	}
}

// Final reports whether no further start makes sense: there is an error, a proof, or a point that
// no other start improves on.
func (s *Starts) Final() bool {
	r := s.found.top
	return r == nil || s.found.err != nil || r.Status == Infeasible || r.Status == Unbounded || s.final
}

// unseen is the share of the starting points that lead to local minima not yet seen from which on
// another start makes sense. Source: a choice: one minimum is believed to be the only one after 15
// starts, of ten after 105.
const unseen = 0.01

// Exhausted reports whether the starts so far have probably found all local minima: n of them have
// led to w, so that the others are expected to be where w(w+1)/(n(n−1)) of the points lead (Boender
// and Rinnooy Kan 1987).
func (s *Starts) Exhausted() bool {
	w, n := float64(len(s.minima)), float64(len(s.minima)+s.again)
	return s.Final() || w > 0 && w*(w+1) < unseen*n*(n-1)
}

// SolveStart is start i of Multistart as if it were the only one: no better point of
// another start is varied. So starts of one problem may run apart, and
// [Best] of them is the result of Multistart without Search.Vary of the heuristics, bit
// for bit. i is at least 0; the errors are those of Solve.
func SolveStart(ctx context.Context, of *dc.Problem, i int, set Settings) (*Result, error) {
	p := of.Program()
	if err := check(p, set); err != nil {
		return nil, err
	}
	if i < 0 {
		return nil, fmt.Errorf("ccp: start %d, want at least 0", i)
	}
	set.Heuristics.Search.Vary = false
	seed := set.Seed
	seeds := startSeeds(set.Seed)
	for range i {
		seed = seeds.Uint64()
	}
	return solveDrawn(ctx, p, seed, set, i, &known{})
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

// Standing is the part of a result beside its exported fields: a result that was stored gets it
// back by Restore.
type Standing struct {
	Nearly bool    // X keeps the constraints relative to the size of their terms
	Least  float64 // the smallest change of the objective that counts, ≥ 0
	Reason Reason
}

// Standing is the standing of r.
func (r *Result) Standing() Standing { return Standing{r.nearly, r.least, r.Reason()} }

// Restore sets the standing of a result that was stored, whose other fields are set.
func (r *Result) Restore(s Standing) {
	r.nearly, r.least = s.Nearly, s.Least
	r.end, r.concluded = conclude(s.Reason, r.Message), r.Objective
}

// wave runs the starts before end.
func (s *Starts) wave(ctx context.Context, end int, set Settings) {
	if s.next == 0 {
		end = 1
	}
	from := known{lo: s.Lo, hi: s.Hi, early: s.early}
	if s.set.Heuristics.Search.Vary {
		if top := s.found.top; top != nil && top.nearly {
			from.lead = top
		}
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for ; s.next < end; s.next++ {
		i, seed := s.next, s.set.Seed
		if s.early.x != nil && i < 2 {
			i = 1 - i
		}
		if i > 0 {
			seed = s.seeds.Uint64()
		}
		slots <- struct{}{}
		if s.next > 0 && ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			s.take(solveDrawn(ctx, s.p, seed, set, i, &from))
		})
	}
	wg.Wait()
}

// take counts the result of a start.
func (s *Starts) take(r *Result, err error) {
	if r != nil {
		r.surely = r.Feasible && s.p.Violations(r.X).Relative <= s.set.FeasTol
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found.take(r, err); r == nil {
		return
	}
	if s.work == 0 { // the first start, which runs alone
		s.each = r.iteration
	}
	s.work += math.Round(r.work) // so that sums do not depend on the order
	s.final = s.final || r.final
	known := func(x []float64) bool { // points of one smooth minimum whose objectives differ by Tol are √Tol apart
		return distance(r.sub, x, r.X) <= math.Sqrt(s.set.Tol)
	}
	switch {
	case r.Status == Converged && slices.ContainsFunc(s.minima, known):
		s.again++
	case r.Status == Converged:
		s.minima = append(s.minima, r.X)
	}
}

// best keeps the best of the results it is given, in any order, and adds up
// their cost.
type best struct {
	maximize bool

	top   *Result
	first *Result // of start 0
	total Result
	err   error // of the earliest start with one
	from  int
}

func (b *best) take(r *Result, err error) {
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
	if r.Start == 0 && b.first == nil { // a result from elsewhere has no number
		b.first = r
	}
	switch top := b.top; {
	case top == nil:
		b.top = r
	case r.Feasible && top.Feasible && r.surely != top.surely: // rounding errors hide a gain
		if r.surely {
			b.top = r
		}
	case r.Better(top, b.maximize):
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
