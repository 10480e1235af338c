package lder

import (
	"context"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder/dataset"
)

// run is what a method returns: the best model it met and why it stopped.
type run struct {
	model      *Model
	status     ccp.Status
	iterations int
}

// train fits a model to standardised rows. The mean squared error never exceeds
// that of the start. The model is nil where nothing was trained; with the error
// of an ended context comes the best model so far.
func train(ctx context.Context, x [][]float64, y []float64, set Settings) (*Model, Training, error) {
	// With y standardised, ε = Tol·var(y) becomes Tol, and the methods see
	// numbers of one size whatever the unit of y.
	mean, scale := targetScale(y)
	z := make([]float64, len(y))
	for i, v := range y {
		z[i] = (v - mean) / scale
	}
	start := Start(x, z, set.Pieces[0], set.Pieces[1])
	if err := start.Validate(); err != nil {
		return nil, Training{}, err
	}
	res, err := fitCCP(ctx, x, z, start, set)
	if res.model == nil {
		return nil, Training{}, err
	}
	startMSE, mse := dataset.MSE(z, start.PredictAll(x)), dataset.MSE(z, res.model.PredictAll(x))
	if res.model.Validate() != nil || !(mse <= startMSE) {
		res.model, mse = start, startMSE
	}
	facts := Training{
		Method: set.Method, Rows: len(y), Iterations: res.iterations, Status: res.status,
		StartMSE: startMSE * scale * scale, MSE: mse * scale * scale,
		FVU: dataset.FVU(z, res.model.PredictAll(x)),
	}
	res.model.rescale(scale, mean)
	return res.model, facts, err
}

// targetScale returns the mean and the standard deviation of y, 1 where y does
// not vary beyond the rounding errors of its mean.
func targetScale(y []float64) (mean, scale float64) {
	mean, scale = dataset.MeanStd(y)
	const ε = 0x1p-52
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
