package lder

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// table is training data as the caller has it, NaN for missing values.
type table interface {
	dims() (m, n int)
	// check refuses rows or columns of unequal lengths, and infinite values.
	check(r *Regressor) error
	// copyTo fills the rows of d, all but their last entry.
	copyTo(d *refit.Data)
}

// rowTable is a table by rows.
type rowTable [][]float64

func (t rowTable) dims() (m, n int) {
	if len(t) == 0 {
		return 0, 0
	}
	return len(t), len(t[0])
}

func (t rowTable) check(r *Regressor) error {
	for i, row := range t {
		if err := r.checkRow(i, row); err != nil {
			return err
		}
	}
	return nil
}

func (t rowTable) copyTo(d *refit.Data) {
	for i, row := range t {
		copy(d.Row(i), row)
	}
}

// columnTable is a table by columns; copyTo sets them to nil.
type columnTable [][]float64

func (t columnTable) dims() (m, n int) {
	if len(t) == 0 {
		return 0, 0
	}
	return len(t[0]), len(t)
}

func (t columnTable) check(r *Regressor) error {
	for j, column := range t {
		if len(column) != len(t[0]) {
			return fmt.Errorf("lder: the feature %q has %d rows, %q has %d", r.Features[j], len(column), r.Features[0],
				len(t[0]))
		}
		for i, v := range column {
			if math.IsInf(v, 0) {
				return r.infinite(i, j, v)
			}
		}
	}
	return nil
}

func (t columnTable) copyTo(d *refit.Data) {
	// Source: derived: 512 rows of 64 float64 have 256 KB, a second-level cache.
	const block = 512 // rows, which stay in the cache from column to column
	for lo := 0; lo < d.M; lo += block {
		rows := d.X[lo*d.N : min(lo+block, d.M)*d.N]
		for j, column := range t {
			for k, at := lo, j; at < len(rows); k, at = k+1, at+d.N {
				rows[at] = column[k]
			}
		}
	}
	clear(t)
}

// lifted copies the data, each row with a 1 behind it.
func lifted(x table, y, w []float64) *refit.Data {
	m, n := x.dims()
	d := &refit.Data{M: m, N: n + 1, X: make([]float64, m*(n+1)), Y: append([]float64(nil), y...), W: w}
	x.copyTo(d)
	for i := range m {
		d.Row(i)[n] = 1
	}
	return d
}

// rowsOf are the rows of d without the 1, in the same memory.
func rowsOf(d *refit.Data) [][]float64 {
	z := make([][]float64, d.M)
	for i := range z {
		z[i] = d.Row(i)[: d.N-1 : d.N-1]
	}
	return z
}

// train fits to standardised features and a raw target. With the error of an
// ended context comes the best fit so far, or none.
func train(ctx context.Context, d *refit.Data, rows [][]float64, set Settings, hinge bool) (run, Training, error) {
	s, mean, scale := newSample(d, rows, hinge)
	var res run
	var err error
	switch set.Method {
	case CCP, Split, DCA:
		res, err = fitConvex(ctx, s, set)
	case Refit:
		res, err = fitRefit(ctx, s, set)
	default:
		res, err = fitChoice(ctx, s, set)
	}
	if res.model == nil && res.stack == nil {
		return res, Training{}, err
	}
	var mse float64
	if res.model != nil {
		t := newTally(res.model, d.M)
		mse = s.mse(func(x []float64) float64 { return res.clip.Clip(t.predict(x)) })
		res.active = t.shares
	} else {
		scratch := make([]float64, d.N)
		mse = s.mse(func(x []float64) float64 { return res.stack.Predict(x, res.clip, scratch) })
	}
	facts := Training{
		Method: set.Method, Rows: d.M, Iterations: res.iterations, Status: res.status,
		StartMSE: res.startMSE * scale * scale, MSE: mse * scale * scale,
		FVU: unexplained(mse, s.d.Variance()), OOB: -1,
	}
	if res.oob >= 0 {
		facts.OOB = unexplained(res.oob, s.d.Variance())
	}
	if res.model != nil {
		res.model.rescale(scale, mean)
	} else {
		res.stack.rescale(scale, mean)
	}
	res.clip.Lo, res.clip.Hi = scale*res.clip.Lo+mean, scale*res.clip.Hi+mean
	return res, facts, err
}
