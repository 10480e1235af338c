package lder

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/dcopt/dcopt/lder/dataset"
)

// CVResult holds the errors of each fold.
type CVResult struct {
	FVU, MSE []float64 // on the fold's test rows
	Training []Training
}

// MeanFVU returns the mean of FVU and its standard deviation (divisor k − 1 for
// k folds).
func (r *CVResult) MeanFVU() (mean, std float64) { return sampleMeanStd(r.FVU) }

// MeanMSE is MeanFVU for MSE.
func (r *CVResult) MeanMSE() (mean, std float64) { return sampleMeanStd(r.MSE) }

func sampleMeanStd(v []float64) (mean, std float64) {
	k := float64(len(v))
	mean, std = dataset.MeanStd(v)
	return mean, std * math.Sqrt(k/(k-1))
}

// CrossValidate fits once for each fold, on all rows but the fold's, and
// measures on the fold. folds hold row numbers, each row in exactly one, as
// dataset.KFold makes them. Folds run in parallel; the result does not depend
// on it.
func CrossValidate(ctx context.Context, x [][]float64, y []float64, folds [][]int, set Settings) (CVResult, error) {
	if err := set.Validate(); err != nil {
		return CVResult{}, err
	}
	// A complaint from within a fold would count the rows of the fold.
	if err := NewRegressor(set).checkData(rowTable(x), y); err != nil {
		return CVResult{}, err
	}
	if err := dataset.CheckFolds(folds, len(y)); err != nil {
		return CVResult{}, err
	}
	set.Recorder, set.Progress = nil, nil
	k := len(folds)
	res := CVResult{FVU: make([]float64, k), MSE: make([]float64, k), Training: make([]Training, k)}
	errs := make([]error, k)
	next := make(chan int)
	var wait sync.WaitGroup
	for range min(k, runtime.GOMAXPROCS(0)) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for f := range next {
				errs[f] = res.measure(ctx, f, x, y, folds[f], set)
			}
		}()
	}
	for f := range folds {
		next <- f
	}
	close(next)
	wait.Wait()
	for f, err := range errs {
		if err != nil {
			return CVResult{}, fmt.Errorf("fold %d: %w", f, err)
		}
	}
	return res, nil
}

// MeasureFold is one fold of CrossValidate: it fits on all rows except test, row
// numbers from 0, and returns the fraction of variance unexplained and the mean squared
// error on those. CrossValidate over the same folds gives the same numbers, bit for bit.
func MeasureFold(ctx context.Context, x [][]float64, y []float64, test []int,
	set Settings) (fvu, mse float64, err error) {
	if err := set.Validate(); err != nil {
		return 0, 0, err
	}
	if err := NewRegressor(set).checkData(rowTable(x), y); err != nil {
		return 0, 0, err
	}
	for _, i := range test {
		if i < 0 || i >= len(y) {
			return 0, 0, fmt.Errorf("lder: the fold holds row %d, the rows are 0 to %d", i, len(y)-1)
		}
	}
	if err := dataset.CheckFolds([][]int{test, dataset.TrainRows(test, len(y))}, len(y)); err != nil {
		return 0, 0, err
	}
	set.Recorder, set.Progress = nil, nil
	r := CVResult{FVU: make([]float64, 1), MSE: make([]float64, 1), Training: make([]Training, 1)}
	if err := r.measure(ctx, 0, x, y, test, set); err != nil {
		return 0, 0, err
	}
	return r.FVU[0], r.MSE[0], nil
}

// measure fills in fold f.
func (r *CVResult) measure(ctx context.Context, f int, x [][]float64, y []float64, test []int, set Settings) error {
	reg := NewRegressor(set)
	train := dataset.TrainRows(test, len(y))
	if err := reg.Fit(ctx, pick(x, train), pick(y, train)); err != nil {
		return err
	}
	pred, err := reg.Predict(pick(x, test))
	if err != nil {
		return err
	}
	truth := pick(y, test)
	r.FVU[f], r.MSE[f], r.Training[f] = dataset.FVU(truth, pred), dataset.MSE(truth, pred), reg.Training
	return nil
}

// pick gathers entries; rows are shared, not copied.
func pick[T any](v []T, rows []int) []T {
	out := make([]T, len(rows))
	for k, i := range rows {
		out[k] = v[i]
	}
	return out
}
