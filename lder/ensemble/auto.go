package ensemble

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// The stages that use random numbers, each with its own stream.
const (
	stagePartition = iota
	stageTransform
	stageStack
	stageBoost
	stageStarts
	stageGrid // and one for each size after it
	// stageRamps is beyond them, and the others beyond it.
	stageRamps = 1 << 8
	// stageChosen is that of the chosen features, and one for each size after it.
	stageChosen      = 1 << 9
	stageBagRamps    = 1 << 10
	stageChosenBoost = 1 << 11
)

// gridLinear is the weight of the linear part that pieces have in common. On wide
// tables it is that of the linear model, up to heaviestLinear.
const (
	gridLinear     = 1e-3
	heaviestLinear = 10
)

// The sizes and penalties compared. Each size has one cold fit, at the first
// penalty. Chosen on 46 data sets: docs/lder.md, What was chosen on which data.
var (
	gridSizes  = [][2]int{{2, 2}, {3, 2}, {4, 4}}
	gridRidges = []float64{1e-3, 1e-2, 1e-1, 1}
)

const (
	autoStarts = 20
	autoIters  = 30
	// fewRows is the size up to which nothing but the linear model is fitted.
	fewRows = 5
	// exactly is the cross-validated FVU up to which a target counts as linear.
	exactly = 1e-8
)

// mostCoefficients bounds the time of a fit: sizes with more free coefficients are
// not compared.
const mostCoefficients = 400

// affordable returns the sizes within mostCoefficients for n coefficients per piece.
func affordable(sizes [][2]int, n int) [][2]int {
	var out [][2]int
	for _, s := range sizes {
		if (s[0]+s[1]-1)*n <= mostCoefficients {
			out = append(out, s)
		}
	}
	return out
}

// linear returns the ridge model, its cross-validated predictions, and whether
// training can end with it: with at most fewRows rows, and for a target that is
// linear except for rounding, whose predictions are not clipped.
func (b *bagging) linear(ctx context.Context, s *sample) (res Result, unseen []float64, enough bool, err error) {
	r, p, err := b.ridge(ctx, s.d, linearWeights())
	if err != nil {
		return res, nil, false, err
	}
	if wide(s.d) {
		b.shared = min(max(gridLinear, r.weight), heaviestLinear)
	}
	res = Result{Chains: []Chain{alone(r.pieces(), 1, 1)}, Clip: s.clip, StartMSE: s.d.Variance()}
	errs := squaredErrors(s.d, p, Unclipped())
	enough = s.d.M <= fewRows
	if res.StartMSE <= Rounding || s.d.Mean(errs) <= exactly*res.StartMSE {
		res.Clip, enough = Unclipped(), true
	}
	for i, v := range p {
		p[i] = res.Clip.Clip(v)
	}
	res.Unseen, res.HeldOut = p, s.heldOut(squaredErrors(s.d, p, res.Clip))
	return res, p, enough, nil
}

// fitSingle chooses a kind by the errors of its single members, not of their mean,
// because it returns a single model. When the context ends, it returns the linear
// model or the best start so far.
func fitSingle(ctx context.Context, s *sample, set Settings) (Result, error) {
	b := newBagging(s, 2, set.Seed, set.Workers)
	res, p, enough, err := b.linear(ctx, s)
	if err != nil || enough {
		return res, err
	}
	chosen, err := b.choose(ctx)
	if err != nil {
		return res, err
	}
	sizes := affordable(gridSizes, s.d.N)
	fewer := affordable(gridSizes, chosen.widest(s.d.N))
	if chosen == nil {
		fewer = nil
	}
	b.tell = set.counter(len(b.bags)*(len(sizes)+len(fewer)) + autoStarts)
	plan := gridPlan{stage: stageGrid, ridges: gridRidges, linear: b.shared, cold: 20, warm: 8, tol: 1e-4, tries: 3}
	if chosen.few(s.d.N) {
		sizes = nil
	}
	all, err := b.grid(ctx, sizes, plan, nil, nil)
	if err == nil && chosen != nil {
		var some []*candidate
		plan.stage = stageChosen
		if some, err = b.grid(ctx, fewer, plan, chosen, nil); err == nil {
			for _, c := range some {
				c.chosen = true
			}
			all = append(all, some...)
		}
	}
	res.Iterations = b.iterations()
	if err != nil || len(all) == 0 {
		return res, err
	}
	best := slices.MinFunc(all, func(p, q *candidate) int {
		if p.single < q.single {
			return -1
		}
		return 1
	})
	errs, oof := [][]float64{squaredErrors(s.d, p, s.clip)}, [][]float64{p}
	for _, g := range all {
		errs, oof = append(errs, g.errs), append(oof, g.oof)
	}
	var e []float64
	e, res.Unseen = b.outside(errs, oof)
	res.HeldOut = s.heldOut(e)
	if !(best.single < s.d.Mean(errs[0])) {
		return res, nil
	}
	pieces, err := b.starts(ctx, best)
	res.Iterations = b.iterations()
	if pieces != nil {
		res.Chains = []Chain{alone(pieces, best.r1, 1)}
	}
	return res, err
}

// starts fits a candidate's kind from random starts and returns the pieces of that
// of the least objective, the first of equals; nil where none was complete.
func (b *bagging) starts(ctx context.Context, c *candidate) ([]float64, error) {
	d, columns := b.d, []int(nil)
	if c.chosen {
		features, err := selectFeatures(ctx, b.d)
		if err != nil {
			return nil, err
		}
		if len(features) > 0 {
			slices.Sort(features)
			columns = append(features, b.d.N-1)
			rows := make([]int, b.d.M)
			for i := range rows {
				rows[i] = i
			}
			d = &refit.Data{}
			b.d.Gather(d, rows, columns)
		}
	}
	objs := make([]float64, autoStarts)
	pieces := make([][]float64, autoStarts)
	for k := range objs {
		objs[k] = math.Inf(1)
	}
	opt := refit.Options{R1: c.r1, R2: c.r2, Penalty: refit.Penalty{Linear: b.shared, Pieces: c.ridge}, Hinge: b.hinge, MaxIter: autoIters, Tol: 1e-4}
	err := b.each(autoStarts, func(w *worker, k int) error {
		err := w.fitter.Cold(ctx, d, opt, b.rng(stageStarts, k))
		w.iters += w.fitter.Iterations
		objs[k], pieces[k] = w.fitter.Objective, spread(w.fitter.Pieces, columns, b.d.N)
		b.tell()
		return err
	})
	best := 0
	for k, v := range objs {
		if v < objs[best] {
			best = k
		}
	}
	if math.IsInf(objs[best], 1) {
		return nil, err
	}
	return pieces[best], err
}

func (b *bagging) iterations() int {
	sum := 0
	for k := range b.state {
		sum += b.state[k].iters
	}
	return sum
}
