package ensemble

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/lder/ensemble/internal/selection"
	"github.com/dcopt/dcopt/lder/internal/refit"
)

// The sizes and penalties compared. Each size has one cold fit, at the first
// penalty. Chosen on 46 data sets: docs/lab/lder.md, What was chosen on which data.
var (
	gridSizes  = [][2]int{{2, 2}, {3, 2}, {4, 4}, {8, 6}}
	gridRidges = []float64{1e-3, 1e-2, 1e-1, 1}
	// singleSizes are the sizes of a single model.
	singleSizes = [][2]int{{2, 2}, {3, 2}, {4, 4}, {8, 6}, {14, 12}}
)

// fewPieces is the number of pieces up to which a single model is taken for the least
// error; one of more has to be surely better.
// Source: docs/lab/lder.md, What was chosen on which data.
const fewPieces = 8

// Source: chosen on 46 data sets: docs/lab/lder.md, What was chosen on which data.
const (
	autoIters = 30
	// fewRows is the size up to which nothing but the linear model is fitted.
	// Source: a limit: with fewer rows no penalties can be compared.
	fewRows = 5
	// exactly is the cross-validated FVU up to which a target counts as linear.
	// Source: a convention: residuals below 1e-4 of the target's deviation.
	exactly = 1e-8
)

// mostCoefficients bounds the time of a fit: sizes with more free coefficients are
// not compared.
// Source: a limit of time: a fit takes its cube.
const mostCoefficients = 400

// affordable returns the sizes within mostCoefficients, and within most unless that is
// 0, for n coefficients per piece.
func affordable(sizes [][2]int, n, most int) [][2]int {
	if most == 0 || most > mostCoefficients {
		most = mostCoefficients
	}
	var out [][2]int
	for _, s := range sizes {
		if (s[0]+s[1]-1)*n <= most {
			out = append(out, s)
		}
	}
	return out
}

// linear is a ridge model.
type linear struct {
	chain  Chain
	oof    []float64 // cross-validated predictions, clipped
	weight float64   // of the penalty
}

// linear fits the columns of v.
func (b *bagging) linear(ctx context.Context, v *view) (l linear, err error) {
	r, p, err := b.ridge(ctx, b.d, linearWeights(), v)
	if err != nil {
		return l, err
	}
	return linear{alone(r.pieces(), 1, 1), p, r.weight}, nil
}

// begin draws the bags and fits the linear model of the first view. Training ends with
// it, and enough is true, with at most fewRows rows, and for a target that is linear
// except for rounding, whose predictions are not clipped.
func begin(ctx context.Context, s *sample, partitions int,
	set Settings) (b *bagging, views []*view, lines []linear, res Result, enough bool, err error) {
	b = newBagging(s, partitions, set.Seed, set.Workers)
	if set.MaxFeatures > 0 && set.MaxFeatures < s.d.N-1 {
		if views, err = b.views(ctx, set.MaxFeatures); err != nil {
			return b, nil, nil, res, false, err
		}
	} else {
		views = []*view{nil}
	}
	l, err := b.linear(ctx, views[0])
	if err != nil {
		return b, nil, nil, res, false, err
	}
	if wide(s.d) {
		b.shared = min(max(gridLinear, l.weight), heaviestLinear)
	}
	res = Result{Chains: []Chain{l.chain}, Clip: s.clip, StartMSE: s.d.Variance()}
	errs := squaredErrors(s.d, l.oof, Unclipped())
	enough = s.d.M <= fewRows
	if res.StartMSE <= Rounding || s.d.Mean(errs) <= exactly*res.StartMSE {
		res.Clip, enough = Unclipped(), true
	}
	clip := func(p []float64) {
		for i, v := range p {
			p[i] = res.Clip.Clip(v)
		}
	}
	clip(l.oof)
	res.Unseen, res.HeldOut = l.oof, s.heldOut(squaredErrors(s.d, l.oof, res.Clip))
	lines = []linear{l}
	if enough {
		return b, views, lines, res, true, nil
	}
	if views[0] == nil {
		if views, err = b.views(ctx, 0); err != nil {
			return b, nil, nil, res, false, err
		}
		if last := views[len(views)-1]; last != nil {
			if l, err = b.linear(ctx, last); err != nil {
				return b, nil, nil, res, false, err
			}
			clip(l.oof)
			lines = append(lines, l)
		}
	}
	return b, views, lines, res, false, nil
}

// every is the share of the rows, one of so many, that a model is trained of beforehand where
// there is a deadline, and sampledRows the number from which on. Source: derived: the sizes are
// geometric, so that all of them take a seventh of the time of the whole.
const every, sampledRows = 8, 2000

// fitSingle is fitRows. Under a deadline a sample of the rows comes first: the model of it is the
// result where the context ends before there is a better one.
func fitSingle(ctx context.Context, s *sample, set Settings) (Result, error) {
	if _, limited := ctx.Deadline(); !limited || s.d.M <= sampledRows {
		return fitRows(ctx, s, set)
	}
	first := &sample{d: &refit.Data{}, clip: s.clip, hinge: s.hinge}
	var rows []int
	for i := 0; i < s.d.M; i += every {
		rows = append(rows, i)
	}
	s.d.Gather(first.d, rows, nil)
	told := set.Progress
	set.Progress = nil
	quick, err := fitSingle(ctx, first, set)
	var whole Result
	if err == nil {
		set.Progress = told
		if whole, err = fitRows(ctx, s, set); err == nil {
			return whole, nil
		}
	}
	if len(quick.Chains) == 0 || len(whole.Chains) > 0 && s.meanError(whole) <= s.meanError(quick) {
		return whole, err
	}
	quick.Unseen = s.predictions(quick) // one of every is of a row that was seen
	quick.HeldOut = s.heldOut(squaredErrors(s.d, quick.Unseen, quick.Clip))
	quick.StartMSE, quick.Iterations = s.d.Variance(), quick.Iterations+whole.Iterations
	return quick, err
}

// predictions of a single model for all rows.
func (s *sample) predictions(r Result) []float64 {
	p, out := r.Chains[0].Parts[0], make([]float64, s.d.M)
	for i := range out {
		out[i] = r.Clip.Clip(refit.Eval(p.Pieces, p.R1, s.d.Row(i)))
	}
	return out
}

func (s *sample) meanError(r Result) float64 {
	return s.d.Mean(squaredErrors(s.d, s.predictions(r), r.Clip))
}

// fitRows chooses a kind by the errors of its single members, not of their mean,
// because it returns a single model. When the context ends, it returns the linear
// model or the best start so far.
func fitRows(ctx context.Context, s *sample, set Settings) (Result, error) {
	if set.FormulaSize > 0 {
		// The smallest size has three free pieces.
		most := max(1, set.FormulaSize/3-1)
		if set.MaxFeatures == 0 || set.MaxFeatures > most {
			set.MaxFeatures = most
		}
	}
	b, views, lines, res, enough, err := begin(ctx, s, 2, set)
	if err != nil || enough {
		return res, err
	}
	sizes := make([][][2]int, len(views))
	total := len(b.bags)
	for k, v := range views {
		sizes[k] = affordable(singleSizes, v.widest(s.d.N), set.FormulaSize)
		total += len(b.bags) * len(sizes[k])
	}
	b.tell = set.counter(total)
	var errs, oof [][]float64
	var uses []*view // of each candidate
	for k, l := range lines {
		errs, oof, uses = append(errs, squaredErrors(s.d, l.oof, s.clip)), append(oof, l.oof),
			append(uses, views[min(k, len(views)-1)])
	}
	var all []*candidate
	for k, v := range views {
		plan := gridPlan{stage: stageGrid + v.stage(), ridges: gridRidges, linear: b.shared, cold: 20, warm: 8,
			tol: 1e-4, tries: 3}
		some, err := b.grid(ctx, sizes[k], plan, v, nil)
		if err != nil {
			res.Iterations = b.iterations()
			return res, err
		}
		for _, g := range some {
			g.view = v
			errs, oof, uses = append(errs, g.errs), append(oof, g.oof), append(uses, v)
		}
		all = append(all, some...)
	}
	res.Iterations = b.iterations()
	// From simple to rich: a candidate that is not surely better does not displace. On wide tables
	// the first is the ridge regression on all features, and takes a significant difference to
	// displace, as the least of many errors on few rows is luck.
	rich := func(c int) bool {
		return c >= len(lines) && all[c-len(lines)].r1+all[c-len(lines)].r2 > fewPieces
	}
	best := -1
	if wide(s.d) {
		best = 0
	}
	for _, v := range views {
		for _, many := range []bool{false, true} {
			c := s.least(errs, func(c int) bool { return uses[c] == v && rich(c) == many })
			if c < 0 {
				continue
			}
			better := s.surely
			if wide(s.d) && best == 0 {
				better = s.significantly
			}
			if best < 0 || better(errs[c], errs[best]) {
				best = c
			}
		}
	}
	if best >= len(lines) {
		some, err := b.sparse(ctx, all[best-len(lines)])
		res.Iterations = b.iterations()
		if err != nil {
			return res, err
		}
		for _, g := range some {
			errs, oof, all = append(errs, g.errs), append(oof, g.oof), append(all, g)
		}
		from := len(errs) - len(some)
		if fewer := s.least(errs, func(c int) bool { return c >= from }); s.surely(errs[fewer], errs[best]) {
			best = fewer
		}
	}
	if best == 0 && wide(s.d) { // the result of begin
		return res, nil
	}
	e, unseen := b.outside(errs, oof)
	res.Unseen, res.HeldOut = unseen, s.heldOut(e)
	if best < len(lines) {
		res.Chains = []Chain{lines[best].chain}
		return res, nil
	}
	g := all[best-len(lines)]
	pieces, err := b.whole(ctx, g)
	res.Iterations = b.iterations()
	if pieces != nil {
		res.Chains = []Chain{alone(pieces, g.r1, 1)}
	}
	return res, err
}

// whole continues the members of a candidate on all rows and returns the pieces of the
// result of the least objective, the first of equals; nil where none was complete.
func (b *bagging) whole(ctx context.Context, c *candidate) ([]float64, error) {
	d := c.view.gather(b.d)
	var columns []int
	if c.view != nil {
		columns = c.view.whole
	}
	objs := make([]float64, len(b.bags))
	pieces := make([][]float64, len(b.bags))
	for k := range objs {
		objs[k] = math.Inf(1)
	}
	opt := b.groupOptions(c)
	opt.MaxIter = autoIters
	err := b.each(len(b.bags), func(w *worker, k int) error {
		err := w.fitter.Warm(ctx, d, opt, gathered(c.members[k], columns, b.d.N))
		w.iters += w.fitter.Iterations
		if strengths := slices.Index(groupStrengths[:], c.group) + 1; err == nil && strengths > 0 {
			err = w.path(ctx, opt, 0, strengths)
		}
		objs[k], pieces[k] = w.fitter.Objective, scatter(w.fitter.Pieces, columns, b.d.N)
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

// least returns which of the candidates that count has the least mean error, the first
// of equals; -1 where none counts.
func (s *sample) least(errs [][]float64, counts func(c int) bool) int {
	best := -1
	for c := range errs {
		if counts(c) && (best < 0 || s.d.Mean(errs[c]) < s.d.Mean(errs[best])) {
			best = c
		}
	}
	return best
}

// surely reports whether the mean of e is below the mean of f by more than the standard
// error of the difference: the rule of one standard error of Breiman, Friedman, Olshen
// and Stone 1984, Classification and regression trees.
func (s *sample) surely(e, f []float64) bool {
	gain, deviation, _ := difference(s.d, e, f)
	return gain > deviation
}

// significantly reports whether the mean of e is significantly below the mean of f: see
// significant.
func (s *sample) significantly(e, f []float64) bool {
	gain, deviation, m := difference(s.d, e, f)
	return gain > significant(m)*deviation
}

// fewFeatures is the number up to which models of all features are always trained, as they cost
// little. Source: chosen on the 17 sets of the paper, where a choice from few rows missed one of
// two features.
const fewFeatures = 10

// views are the columns to train with: all of them and the chosen ones. The chosen ones
// alone are used where most > 0 bounds their number, and of more than fewFeatures where no
// bag has more than half of them.
func (b *bagging) views(ctx context.Context, most int) ([]*view, error) {
	n := b.d.N - 1
	if n < 2 {
		return []*view{nil}, nil
	}
	bounded := most > 0 && most < n
	v := &view{bags: make([][]int, len(b.bags))}
	err := b.each(len(b.bags)+1, func(w *worker, k int) error {
		d := b.d
		if k < len(b.bags) {
			d = &w.data
			b.d.Gather(d, b.bags[k].train, nil)
		}
		features, err := selection.Features(ctx, d)
		if err != nil {
			return err
		}
		if bounded {
			features = features[:min(most, len(features))]
		}
		slices.Sort(features)
		columns := append(features, n)
		if k < len(b.bags) {
			v.bags[k] = columns
		} else {
			v.whole = columns
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case bounded || n > fewFeatures && 2*(v.widest(b.d.N)-1) <= n:
		return []*view{v}, nil
	case len(v.whole) == n+1 && !slices.ContainsFunc(v.bags, func(c []int) bool { return len(c) <= n }):
		return []*view{nil}, nil
	}
	return []*view{nil, v}, nil
}
