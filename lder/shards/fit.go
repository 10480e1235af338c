package shards

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/internal/refit"
)

// Parts are the parts of a table, which are read again for every pass.
type Parts interface {
	// Count is how many there are.
	Count() int
	// Each calls do for consecutive rows of part k, in order and with the same rows in all
	// passes: x has a row of features per row, NaN for missing values, and y the targets, NaN
	// where there is none. They are valid during the call. An error of do ends it.
	Each(ctx context.Context, k int, do func(x [][]float64, y []float64) error) error
}

// SampleRows bounds the rows of the sample in which a fit starts.
// Source: a limit of time: 65536 rows with 10 features are fitted in about a second.
const SampleRows = 1 << 16

// chunk is how many rows are summed at a time.
// Source: derived: 65536 rows of 32 float64 have 16 MB; sums of a part are in chunks of this size.
const chunk = 1 << 16

// Fit trains r, whose settings must have the method refit and fill gaps by the mean or a
// constant, on the parts. r.Features and r.Target have the names. When ctx ends after the first pass, its
// error is returned together with the best model so far; Settings.Recorder is told of
// iterations, and Settings.Progress of parts read.
func Fit(ctx context.Context, r *lder.Regressor, p Parts) error {
	set := r.Settings
	if err := set.Validate(); err != nil {
		return err
	}
	switch {
	case set.Method != lder.Refit:
		return fmt.Errorf("shards: the method %v needs all rows at once; refit does not", set.Method)
	case set.Imputation != dataset.Mean && set.Imputation != dataset.Constant:
		return fmt.Errorf("shards: gaps are filled by %v, which needs all rows at once; want mean or a constant", set.Imputation)
	case p.Count() < 1 || len(r.Features) < 1:
		return errors.New("shards: want at least one part and one feature")
	}
	f := &fit{ctx: ctx, r: r, p: p, n: len(r.Features) + 1}
	if err := f.survey(); err != nil {
		return err
	}
	return f.train()
}

// fit is the state of Fit.
type fit struct {
	ctx  context.Context
	r    *lder.Regressor
	p    Parts
	n    int // features and the 1
	read int // parts so far

	x      []moments // of the features
	y      moments
	sample *sample
	rows   float64

	d      refit.Data // of a chunk
	fitter refit.Fitter
	yMean  float64
	yScale float64
}

// part reads part k.
func (f *fit) part(k int, do func(x [][]float64, y []float64) error) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	if err := f.p.Each(f.ctx, k, do); err != nil {
		return err
	}
	f.read++
	if f.r.Settings.Progress != nil {
		f.r.Settings.Progress(f.read, 0)
	}
	return nil
}

// survey takes the moments of all rows and a sample.
func (f *fit) survey() error {
	f.x = make([]moments, f.n-1)
	f.sample = newSample(SampleRows)
	for k := range f.p.Count() {
		x, y := make([]moments, f.n-1), moments{}
		line := 0
		err := f.part(k, func(rows [][]float64, targets []float64) error {
			for i, row := range rows {
				line++
				if math.IsNaN(targets[i]) {
					continue
				}
				if math.Abs(targets[i]) > largest {
					return fmt.Errorf("shards: part %d, row %d: the target %g is too large", k, line, targets[i])
				}
				y.add(targets[i])
				for j, v := range row {
					if math.Abs(v) > largest {
						return fmt.Errorf("shards: part %d, row %d: the value %g of %s is too large", k, line, v, f.r.Features[j])
					}
					if v == v {
						x[j].add(v)
					}
				}
				f.sample.add(k, line, row, targets[i])
			}
			return nil
		})
		if err != nil {
			return err
		}
		f.y.merge(y)
		for j := range x {
			f.x[j].merge(x[j])
		}
	}
	if f.rows = f.y.n; f.rows == 0 {
		return errors.New("shards: no row has a target")
	}
	im := &dataset.SimpleImputer{Strategy: f.r.Settings.Imputation, Fill: make([]float64, f.n-1)}
	scale := &dataset.StandardScaler{Mean: make([]float64, f.n-1), Scale: make([]float64, f.n-1)}
	for j := range f.x {
		m := &f.x[j]
		im.Fill[j] = m.mean
		if im.Strategy == dataset.Constant {
			im.Fill[j] = f.r.Settings.FillValue
		}
		if gaps := f.rows - m.n; gaps > 0 {
			m.merge(moments{n: gaps, mean: im.Fill[j], lo: im.Fill[j], hi: im.Fill[j]})
		}
		scale.Mean[j], scale.Scale[j] = m.mean, m.std()
	}
	f.r.Imputer, f.r.Scaler = im, scale
	f.yMean, f.yScale = f.y.mean, f.y.std()
	return nil
}

// largest bounds numbers, so that sums of squares stay finite.
// Source: derived: the sum of 1e100 squares of 1e100 is finite.
const largest = 1e100

// put appends a row, standardised, to the chunk.
func (f *fit) put(d *refit.Data, x []float64, y float64) {
	at := len(d.X)
	d.X = append(append(d.X, x...), 1)
	row := d.X[at : at+f.n-1]
	f.r.Imputer.Apply(row)
	f.r.Scaler.Apply(row)
	d.Y = append(d.Y, (y-f.yMean)/f.yScale)
	d.M++
}

// pass adds the sums of all chunks in the order of parts and rows.
func (f *fit) pass(of func(d *refit.Data) refit.Sums) (*refit.Sums, error) {
	total := &refit.Sums{}
	d := &f.d
	flush := func(part *refit.Sums) {
		if d.M == 0 {
			return
		}
		if cap(d.W) < d.M {
			d.W = make([]float64, 0, chunk)
			for range chunk {
				d.W = append(d.W, 1/f.rows)
			}
		}
		d.W = d.W[:d.M]
		s := of(d)
		part.Add(&s)
		d.M, d.X, d.Y = 0, d.X[:0], d.Y[:0]
	}
	d.N, d.M, d.X, d.Y = f.n, 0, d.X[:0], d.Y[:0]
	for k := range f.p.Count() {
		part := &refit.Sums{} // of its own, so that it may be made elsewhere
		err := f.part(k, func(rows [][]float64, targets []float64) error {
			for i, row := range rows {
				if math.IsNaN(targets[i]) {
					continue
				}
				if f.put(d, row, targets[i]); d.M == chunk {
					flush(part)
				}
			}
			return f.ctx.Err()
		})
		if err != nil {
			return nil, err
		}
		flush(part)
		if part.Losses != nil {
			total.Add(part)
		}
	}
	return total, nil
}

// start is the paper's start on the sample; where that is not all rows, refitted on it.
func (f *fit) start(opt refit.Options) ([]float64, error) {
	d := &refit.Data{N: f.n}
	var z [][]float64
	for _, s := range f.sample.inOrder() {
		f.put(d, s.x, s.y)
	}
	for i := range d.M {
		z = append(z, d.Row(i)[:f.n-1:f.n-1])
	}
	all := float64(d.M) == f.rows
	f.sample = nil
	m := lder.Start(z, d.Y, opt.R1, opt.R2)
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if all {
		return m.Params(), nil
	}
	var fitter refit.Fitter
	opt.Record = nil
	if err := fitter.Warm(f.ctx, d, opt, m.Params()); err != nil {
		return nil, err
	}
	return fitter.Pieces, nil
}

// train iterates and completes the regressor.
func (f *fit) train() error {
	set := f.r.Settings
	opt := refit.Options{
		R1: set.Pieces[0], R2: set.Pieces[1], MaxIter: set.MaxIter, Tol: set.Tol, Workers: runtime.GOMAXPROCS(0),
		Penalty: refit.Penalty{Linear: set.Ridge / 10, Pieces: set.Ridge},
	}
	if k := (opt.R1 + opt.R2) * f.n; k > 1<<13 {
		return fmt.Errorf("shards: %d and %d pieces of %d coefficients are too many for a refit; take fewer pieces or features", opt.R1, opt.R2, f.n)
	}
	pieces, err := f.start(opt)
	if err != nil {
		return err
	}
	red := refit.NewReducer(f.n, opt, pieces)
	first, status, err := f.iterate(red, opt)
	if err != nil && (f.ctx.Err() == nil || math.IsInf(red.Objective, 1)) {
		return err
	}
	f.complete(red, status, first)
	if ended := f.measure(opt, red); ended != nil && err == nil {
		err = ended
	}
	return err
}

// iterate fits, and returns the loss at the start.
func (f *fit) iterate(red *refit.Reducer, opt refit.Options) (first float64, status ccp.Status, err error) {
	first = math.NaN()
	ended := func(err error) (float64, ccp.Status, error) {
		if errors.Is(err, context.DeadlineExceeded) {
			return first, ccp.TimeLimit, err
		}
		return first, ccp.Cancelled, err
	}
	placed := false
	for {
		if !placed {
			s, err := f.pass(func(d *refit.Data) refit.Sums { return f.fitter.Place(d, opt, red.Theta) })
			if err != nil {
				return ended(err)
			}
			if first != first {
				first = s.Losses[0]
			}
			if !red.Placed(s) {
				return first, ccp.Numerical, nil
			}
		}
		s, err := f.pass(func(d *refit.Data) refit.Sums { return f.fitter.Probe(d, opt, red.Theta, red.Dir) })
		if err != nil {
			return ended(err)
		}
		more := false
		if more, placed = red.Probed(s); f.r.Settings.Recorder != nil {
			err := f.r.Settings.Recorder.Record(ccp.Iteration{K: red.Iterations, Objective: red.Objective})
			if errors.Is(err, ccp.ErrStop) {
				return first, ccp.Cancelled, nil
			} else if err != nil {
				return ended(err)
			}
		}
		switch {
		case more:
		case red.Converged:
			return first, ccp.Converged, nil
		default:
			return first, ccp.IterationLimit, nil
		}
	}
}

// clipShare is how far beyond the range of the targets predictions may lie, as a share of it.
// Source: that of package lder.
const clipShare = .1

// complete makes the model.
func (f *fit) complete(red *refit.Reducer, status ccp.Status, first float64) {
	set := f.r.Settings
	pieces, n := red.Pieces(), f.n
	m := lder.NewModel(set.Pieces[0], set.Pieces[1], n-1)
	for k := range set.Pieces[0] + set.Pieces[1] {
		w, a, shift := m.W, m.A, f.yMean
		row := k
		if k >= set.Pieces[0] {
			w, a, shift, row = m.M, m.B, 0, k-set.Pieces[0]
		}
		for j := range n - 1 {
			w[row][j] = pieces[k*n+j] * f.yScale
		}
		a[row] = pieces[k*n+n-1]*f.yScale + shift
	}
	room := clipShare * (f.y.hi - f.y.lo)
	f.r.Model, f.r.Ensemble = m, nil
	f.r.Clip = lder.Range{Lo: f.y.lo - room, Hi: f.y.hi + room}
	f.r.Training = lder.Training{
		Method: lder.Refit, Rows: int(f.rows), Iterations: red.Iterations, Status: status, StartMSE: first * f.yScale * f.yScale, OOB: -1,
	}
	f.errors(red.Objective) // with the penalty: the last pass may not come
}

// errors sets the facts about a mean squared error in the unit of standardised targets.
func (f *fit) errors(mse float64) {
	f.r.Training.MSE, f.r.Training.FVU = mse*f.yScale*f.yScale, 0
	if v := f.y.m2 / f.rows; v > 0 {
		f.r.Training.FVU = f.r.Training.MSE / v
	}
}

// measure takes the errors of the clipped model and the shares of its pieces in a last pass.
func (f *fit) measure(opt refit.Options, red *refit.Reducer) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	pieces := red.Pieces()
	shares := [2][]float64{make([]float64, opt.R1), make([]float64, opt.R2)}
	lo, hi := (f.r.Clip.Lo-f.yMean)/f.yScale, (f.r.Clip.Hi-f.yMean)/f.yScale
	s, err := f.pass(func(d *refit.Data) refit.Sums {
		sum := 0.0
		for i := range d.M {
			u, v, value := refit.EvalArgs(pieces, opt.R1, d.Row(i))
			e := d.Y[i] - min(max(value, lo), hi)
			sum += e * e / f.rows
			shares[0][u] += 1 / f.rows
			shares[1][v] += 1 / f.rows
		}
		return refit.Sums{Losses: []float64{sum}}
	})
	if err != nil {
		return err
	}
	f.r.SetShares(shares[0], shares[1])
	f.errors(s.Losses[0])
	return nil
}
