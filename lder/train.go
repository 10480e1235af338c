package lder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/ensemble"
	"github.com/dcopt/dcopt/lder/internal/refit"
)

// sample is the input of the methods: features and target standardised; each row
// ends in a 1.
type sample struct {
	d    *refit.Data
	x    [][]float64 // the rows without the 1, in the same memory; nil once a method has used them
	clip Range       // of standardised predictions
	// hinge: the target is −1 or 1, as it stands, and errors beyond it are none.
	hinge bool
}

// run is the output of a method: the best model found and why training stopped. One
// of model and stack is set, or none where nothing was trained.
type run struct {
	model      *Model
	stack      *Stack
	clip       Range
	startMSE   float64
	oob        float64 // mean squared error on rows that had no part in the fit; -1: unknown
	status     ccp.Status
	iterations int
	unseen     []float64    // cross-validated predictions of the rows; nil: none
	active     [2][]float64 // of a model: shares of the rows where its pieces are largest
}

// clipShare is how far beyond the range of the training targets predictions may
// lie, as a share of that range.
// Source: docs/lab/lder.md, Clipping.
const clipShare = .1

// newSample standardises y in place, unless it marks two classes.
func newSample(d *refit.Data, rows [][]float64, hinge bool) (s *sample, mean, scale float64) {
	if hinge {
		return &sample{d: d, x: rows, clip: Range{Lo: -1, Hi: 1}, hinge: true}, 0, 1
	}
	// With y standardised, ε = Tol·var(y) becomes Tol, and the methods see
	// numbers of one size whatever the unit of y.
	mean, scale = targetScale(d.Y, d.W)
	s = &sample{d: d, x: rows, clip: Range{Lo: math.Inf(1), Hi: math.Inf(-1)}}
	for i, v := range d.Y {
		d.Y[i] = (v - mean) / scale
		if d.W == nil || d.W[i] > 0 {
			s.clip.Lo, s.clip.Hi = min(s.clip.Lo, d.Y[i]), max(s.clip.Hi, d.Y[i])
		}
	}
	room := clipShare * (s.clip.Hi - s.clip.Lo)
	s.clip = Range{Lo: s.clip.Lo - room, Hi: s.clip.Hi + room}
	return s, mean, scale
}

// counted leaves out rows of weight 0: in the constraints of a convex problem
// they would count all the same.
func (s *sample) counted() *sample {
	if !slices.Contains(s.d.W, 0) {
		return s
	}
	var rows []int
	for i, w := range s.d.W {
		if w > 0 {
			rows = append(rows, i)
		}
	}
	out := *s
	out.d, out.x = &refit.Data{}, make([][]float64, len(rows))
	s.d.Gather(out.d, rows, nil)
	for k := range rows {
		out.x[k] = out.d.Row(k)[: s.d.N-1 : s.d.N-1]
	}
	return &out
}

// row is row i without the 1.
func (s *sample) row(i int) []float64 {
	n := s.d.N - 1
	return s.d.Row(i)[:n:n]
}

// mse is the weighted mean of the squared errors of predict.
func (s *sample) mse(predict func(x []float64) float64) float64 {
	sum := 0.0
	for i := range s.d.M {
		e := s.d.Y[i] - predict(s.row(i))
		sum += s.d.Weight(i) * e * e
	}
	return sum
}

// unexplained is mse/variance; for a constant target 0 if all predictions are
// exact, else 1.
func unexplained(mse, variance float64) float64 {
	switch {
	case variance > ensemble.Rounding:
		return mse / variance
	case mse <= ensemble.Rounding:
		return 0
	}
	return 1
}

// endStatus is the status of a method that returns err.
func endStatus(err error, converged bool) ccp.Status {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return ccp.TimeLimit
	case err != nil:
		return ccp.Cancelled
	case converged:
		return ccp.Converged
	}
	return ccp.IterationLimit
}

// keepStart makes sure that a method is no worse than its start.
func (r *run) keepStart(s *sample, start *Model) {
	r.startMSE = s.mse(start.Predict)
	if r.model == nil {
		return
	}
	if r.model.Validate() != nil || !(s.mse(r.model.Predict) <= r.startMSE) {
		r.model = start
	}
}

// fitRefit is the damped partition refit from the paper's start.
func fitRefit(ctx context.Context, s *sample, set Settings) (run, error) {
	r1, r2, n := set.Pieces[0], set.Pieces[1], s.d.N
	if err := checkRefitSize(r1, r2, n); err != nil {
		return run{}, err
	}
	start := Start(s.x, s.d.Y, r1, r2)
	s.x = nil // of many rows with few features, a quarter of the data's memory
	if err := start.Validate(); err != nil {
		return run{}, err
	}
	opt := refit.Options{
		R1: r1, R2: r2, MaxIter: set.MaxIter, Tol: set.Tol, Workers: runtime.GOMAXPROCS(0), Hinge: s.hinge,
		Penalty: refit.Penalty{Linear: set.Ridge / 10, Pieces: set.Ridge},
	}
	var stopped bool
	if set.Recorder != nil {
		opt.Record = func(k int, objective float64) error {
			err := set.Recorder.Record(ccp.Iteration{K: k, Objective: objective})
			stopped = errors.Is(err, ccp.ErrStop)
			return err
		}
	}
	var f refit.Fitter
	err := f.Warm(ctx, s.d, opt, start.Params())
	res := run{
		model: modelOf(f.Pieces, r1, n), clip: s.clip, oob: -1,
		status: endStatus(err, f.Converged), iterations: f.Iterations, startMSE: s.mse(start.Predict),
	}
	if stopped {
		err = nil
	}
	if res.model.Validate() != nil {
		res.model = start
	}
	return res, err
}

// checkRefitSize keeps normal matrices within memory.
func checkRefitSize(r1, r2, n int) error {
	const most = 1 << 27 // numbers. Source: a limit of memory, 1 GiB.
	if k := (r1 + r2) * n; k > 1<<13 || r1*r2*n > most/n {
		return fmt.Errorf("lder: %d and %d pieces of %d coefficients are too many for a refit; take fewer pieces or "+
			"features", r1, r2, n)
	}
	return nil
}

// modelOf is the model with these pieces, r1 of n coefficients for the first
// maximum and the rest for the second.
func modelOf(pieces []float64, r1, n int) *Model {
	m := NewModel(r1, len(pieces)/n-r1, n-1)
	m.setParams(pieces)
	return m
}

// targetScale returns the weighted mean and standard deviation of y, 1 where y
// does not vary beyond the rounding errors of its mean.
func targetScale(y, w []float64) (mean, scale float64) {
	mean, scale = dataset.MeanStd(y)
	if w != nil {
		// A first mean and scale keep the squares within range.
		m, s := mean, max(scale, math.SmallestNonzeroFloat64)
		first, second := 0.0, 0.0
		for i, v := range y {
			first += w[i] * (v - m) / s
		}
		for i, v := range y {
			e := (v-m)/s - first
			second += w[i] * e * e
		}
		mean, scale = m+s*first, s*math.Sqrt(second)
	}
	const ε = 0x1p-52 // Source: IEEE 754.
	if !(scale > float64(len(y))*ε*max(mean, -mean)) {
		return mean, 1
	}
	return mean, scale
}

// rescale turns τ into s·τ + c.
func (m *Model) rescale(s, c float64) {
	scale := func(w [][]float64, a []float64) {
		for k, row := range w {
			for j := range row {
				row[j] *= s
			}
			a[k] *= s
		}
	}
	scale(m.W, m.A)
	scale(m.M, m.B)
	for k := range m.A {
		m.A[k] += c
	}
}
