package lder

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder/dataset"
)

// Regressor predicts a number from a row of features: it fills gaps,
// standardises, applies a Model or an Ensemble, and clips. Make one with
// NewRegressor and Fit, or with Read. Once fitted it may be shared by
// goroutines.
type Regressor struct {
	Settings Settings
	// Features and Target are the names in messages and model files. Before
	// Fit they may be empty: Fit fills in x1, x2, … and y.
	Features []string
	Target   string
	// Categories describe the features that encode words of a table. Fit and Predict
	// ignore them; model files store them.
	Categories []dataset.Category
	// The result of Fit. One of Model and Ensemble is nil; the other maps
	// standardised features to the target in its own unit. Predictions (of an
	// Ensemble, its terms) are clipped to Clip.
	Imputer  *dataset.SimpleImputer
	Scaler   *dataset.StandardScaler
	Model    *Model
	Ensemble *Stack
	Clip     Range
	Training Training

	classes bool         // the target is −1 or 1: a part of a Classifier
	active  [2][]float64 // Shares
	unseen  []float64    // of a part of a Classifier: cross-validated predictions of the training rows
}

// Training says how the model came about.
type Training struct {
	Method     Method
	Rows       int
	Iterations int        // convex or least squares problems solved
	Status     ccp.Status // why training stopped
	// StartMSE and MSE are the mean squared errors on the training rows before
	// and after; FVU is the fraction of the target's variance left after. For the
	// methods that choose, the error before is the error of the mean. With weights,
	// they are weighted.
	StartMSE, MSE, FVU float64
	// OOB is the cross-validated FVU, an estimate of the FVU on new rows: each row is
	// predicted only by members not trained on it, and the kind of model (Auto) or
	// the weights of the stack come from the rows of the other folds; of bags over parts
	// (package shards) by those that have not drawn it. It is -1 where
	// the error on new rows is unknown: for methods without held-out rows, for fewer
	// than 20 rows, and where the error is below the error of the mean, but not
	// significantly (one-sided t test, 5%).
	OOB float64
}

// NewRegressor returns an unfitted regressor. Fit checks set.
func NewRegressor(set Settings) *Regressor { return &Regressor{Settings: set} }

var errNotFitted = errors.New("lder: the regressor is not fitted; call Fit first")

// largestTarget bounds |y|, so that squared errors stay finite.
// Source: derived: the sum of 1e100 squares of 1e100 is finite.
const largestTarget = 1e100

// Fit trains on the rows of x and their targets y; NaN in x stands for a missing
// value. A constant column of x has no influence. When the context ends or the
// recorder fails during training, Fit returns that error and r holds the best
// model so far; after any other error r is as it was.
func (r *Regressor) Fit(ctx context.Context, x [][]float64, y []float64) error {
	return r.FitWeighted(ctx, x, y, nil)
}

// FitWeighted is Fit with a weight for the squared error of each row: >= 0, not all
// 0; nil for equal weights. Gaps are filled and features standardised without the
// weights.
func (r *Regressor) FitWeighted(ctx context.Context, x [][]float64, y, weights []float64) error {
	return r.attempt(ctx, rowTable(x), y, weights)
}

// FitColumns is FitWeighted for columns, one per feature, as dataset.Table.Take
// returns them. It sets each columns[j] to nil once it is copied, so that the
// memory of a large table can be freed before the training.
func (r *Regressor) FitColumns(ctx context.Context, columns [][]float64, y, weights []float64) error {
	return r.attempt(ctx, columnTable(columns), y, weights)
}

func (r *Regressor) attempt(ctx context.Context, x table, y, weights []float64) error {
	fit := *r
	err := fit.fit(ctx, x, y, weights)
	if err == nil || fit.Model != r.Model || fit.Ensemble != r.Ensemble {
		*r = fit
	}
	return err
}

func (r *Regressor) fit(ctx context.Context, x table, y, weights []float64) error {
	if err := r.Settings.Validate(); err != nil {
		return err
	}
	if err := r.checkData(x, y); err != nil {
		return err
	}
	w, err := normalised(weights, len(y))
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	d := lifted(x, y, w)
	z := rowsOf(d)
	imputer, err := dataset.FitImputerValue(z, r.Settings.Imputation, r.Settings.FillValue)
	if err != nil {
		return err
	}
	for _, row := range z {
		imputer.Apply(row)
	}
	scaler, err := dataset.FitScaler(z)
	if err != nil {
		return err
	}
	for _, row := range z {
		scaler.Apply(row)
	}
	res, facts, err := train(ctx, d, z, r.Settings, r.classes)
	if res.model == nil && res.stack == nil {
		return err
	}
	r.Imputer, r.Scaler, r.Model, r.Ensemble, r.Clip, r.Training = imputer, scaler, res.model, res.stack, res.clip,
		facts
	r.active = res.active
	if r.classes { // in the unit of the target, which is standardised otherwise
		r.unseen = res.unseen
	}
	return err
}

// normalised returns the weights with sum 1, nil for nil.
func normalised(weights []float64, m int) ([]float64, error) {
	if weights == nil {
		return nil, nil
	}
	if len(weights) != m {
		return nil, fmt.Errorf("lder: %d weights for %d rows", len(weights), m)
	}
	most := 0.0
	for i, v := range weights {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("lder: row %d has weight %g, want a number >= 0", i, v)
		}
		most = max(most, v)
	}
	if most == 0 {
		return nil, errors.New("lder: all weights are 0")
	}
	w, sum := make([]float64, m), 0.0
	for i, v := range weights {
		w[i] = v / most
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w, nil
}

// checkData checks shapes and values, and gives default names to features and
// target without names.
func (r *Regressor) checkData(x table, y []float64) error {
	m, n := x.dims()
	if m == 0 || m != len(y) {
		return fmt.Errorf("lder: %d rows of features and %d targets", m, len(y))
	}
	if n == 0 {
		return errors.New("lder: the rows have no features")
	}
	if len(r.Features) == 0 {
		names := make([]string, n)
		for j := range names {
			names[j] = fmt.Sprintf("x%d", j+1)
		}
		r.Features = names
	}
	if len(r.Features) != n {
		return fmt.Errorf("lder: %d names for %d features", len(r.Features), n)
	}
	if err := checkNames(r.Features); err != nil {
		return err
	}
	if r.Target == "" {
		r.Target = "y"
	}
	if err := x.check(r); err != nil {
		return err
	}
	for i, v := range y {
		if !(math.Abs(v) <= largestTarget) {
			return fmt.Errorf("lder: row %d: the target %q is %g, want a number up to %g in size", i, r.Target, v,
				largestTarget)
		}
	}
	return nil
}

func checkNames(names []string) error {
	seen := make(map[string]bool, len(names))
	for j, name := range names {
		if name == "" {
			return fmt.Errorf("lder: feature %d has no name", j)
		}
		if seen[name] {
			return fmt.Errorf("lder: two features are named %q", name)
		}
		seen[name] = true
	}
	return nil
}

// checkRow refuses rows of a wrong length and infinite values.
func (r *Regressor) checkRow(i int, row []float64) error {
	if len(row) != len(r.Features) {
		return fmt.Errorf("lder: row %d has %d features, want %d", i, len(row), len(r.Features))
	}
	for j, v := range row {
		if math.IsInf(v, 0) {
			return r.infinite(i, j, v)
		}
	}
	return nil
}

func (r *Regressor) infinite(i, j int, v float64) error {
	return fmt.Errorf("lder: row %d: the feature %q is %g", i, r.Features[j], v)
}

// Predict returns one prediction per row of x; NaN stands for a missing value. A
// prediction that overflows, of a row far outside the training data, is an error.
func (r *Regressor) Predict(x [][]float64) ([]float64, error) {
	p := make([]float64, len(x))
	if err := r.PredictTo(p, x); err != nil {
		return nil, err
	}
	return p, nil
}

// PredictTo is Predict into dst, which has one entry per row; another length is an error.
func (r *Regressor) PredictTo(dst []float64, x [][]float64) error {
	if !r.fitted() {
		return errNotFitted
	}
	if len(dst) != len(x) {
		return fmt.Errorf("lder: room for %d predictions of %d rows", len(dst), len(x))
	}
	z := make([]float64, 2*len(r.Features))
	z, scratch := z[:len(r.Features)], z[len(r.Features):]
	for i, row := range x {
		if err := r.checkRow(i, row); err != nil {
			return err
		}
		copy(z, row)
		r.Imputer.Apply(z)
		r.Scaler.Apply(z)
		if dst[i] = r.value(z, scratch); !finite(dst[i]) {
			return fmt.Errorf("lder: row %d: the features are too large, the prediction overflows", i)
		}
	}
	return nil
}

func (r *Regressor) fitted() bool { return r.Model != nil || r.Ensemble != nil }

// value is the prediction for standardised features.
func (r *Regressor) value(z, scratch []float64) float64 {
	if r.Ensemble != nil {
		return r.Ensemble.Predict(z, r.Clip, scratch)
	}
	return r.Clip.Clip(r.Model.Predict(z))
}

// Score is the coefficient of determination R² = 1 − FVU of the predictions for
// x against y.
func (r *Regressor) Score(x [][]float64, y []float64) (float64, error) {
	if len(x) == 0 || len(x) != len(y) {
		return 0, fmt.Errorf("lder: %d rows of features and %d targets", len(x), len(y))
	}
	p, err := r.Predict(x)
	if err != nil {
		return 0, err
	}
	for i, v := range y {
		if !finite(v) {
			return 0, fmt.Errorf("lder: row %d: the target is %g", i, v)
		}
	}
	return dataset.R2(y, p), nil
}

// Shares returns, for each piece of the two maxima of the Model, the share of the
// training rows where it is the largest: nil for an Ensemble, and for a regressor
// that was read from a file.
func (r *Regressor) Shares() (w, m []float64) { return r.active[0], r.active[1] }

// SetShares sets the shares that Shares returns, for trainings outside of this package.
func (r *Regressor) SetShares(w, m []float64) { r.active = [2][]float64{w, m} }

// Unstandardised returns the model with coefficients for features in the data's
// own units; Model has them for standardised features. Adding one affine function
// to all pieces of both maxima changes nothing: here the first piece of the second
// maximum is 0. Gaps and Clip are not part of it. An error for an Ensemble, which
// has no coefficients of its own, and before Fit.
func (r *Regressor) Unstandardised() (*Model, error) {
	switch {
	case !r.fitted():
		return nil, errNotFitted
	case r.Model == nil:
		return nil, errors.New("lder: an ensemble has no coefficients of its own")
	}
	return unstandardised(r.Model, r.Scaler.Mean, r.Scaler.Scale), nil
}
