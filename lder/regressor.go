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
// standardises and applies a Model. Make one with NewRegressor and Fit, or with
// Read. Once fitted it may be shared by goroutines.
type Regressor struct {
	Settings Settings
	// Features and Target are the names in messages and model files. Before
	// Fit they may be empty: Fit fills in x1, x2, … and y.
	Features []string
	Target   string
	// What Fit learns. Model takes standardised features and returns the target
	// in its own unit.
	Imputer  *dataset.SimpleImputer
	Scaler   *dataset.StandardScaler
	Model    *Model
	Training Training
}

// Training says how the model came about.
type Training struct {
	Method     Method
	Rows       int
	Iterations int        // convex problems solved
	Status     ccp.Status // why training stopped
	// StartMSE and MSE are the mean squared errors on the training rows before
	// and after; FVU is the fraction of the target's variance left after.
	StartMSE, MSE, FVU float64
}

// NewRegressor returns an unfitted regressor.
func NewRegressor(set Settings) *Regressor { return &Regressor{Settings: set} }

var errNotFitted = errors.New("lder: the regressor is not fitted; call Fit first")

// largestTarget bounds |y|, so that squared errors stay finite.
const largestTarget = 1e100

// Fit trains on the rows of x, NaN for missing values, and their targets y. A
// column of x that never varies has no influence. When the context ends or the
// recorder fails during training, Fit returns that error and r holds the best
// model so far; after any other error r is as it was.
func (r *Regressor) Fit(ctx context.Context, x [][]float64, y []float64) error {
	fit := *r
	err := fit.fit(ctx, x, y)
	if err == nil || fit.Model != r.Model {
		*r = fit
	}
	return err
}

func (r *Regressor) fit(ctx context.Context, x [][]float64, y []float64) error {
	if err := r.Settings.Validate(); err != nil {
		return err
	}
	if err := r.checkData(x, y); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	imputer, err := dataset.FitImputer(x, r.Settings.Imputation)
	if err != nil {
		return err
	}
	z := clone(x)
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
	model, facts, err := train(ctx, z, y, r.Settings)
	if model == nil {
		return err
	}
	r.Imputer, r.Scaler, r.Model, r.Training = imputer, scaler, model, facts
	return err
}

// checkData looks at the shapes and numbers, and names what has no name.
func (r *Regressor) checkData(x [][]float64, y []float64) error {
	if len(x) == 0 || len(x) != len(y) {
		return fmt.Errorf("lder: %d rows of features and %d targets", len(x), len(y))
	}
	n := len(x[0])
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
	for i, row := range x {
		if err := r.checkRow(i, row); err != nil {
			return err
		}
		if !(math.Abs(y[i]) <= largestTarget) {
			return fmt.Errorf("lder: row %d: the target %q is %g, want a number up to %g in size", i, r.Target, y[i], largestTarget)
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

// checkRow refuses a row of another length and infinite values.
func (r *Regressor) checkRow(i int, row []float64) error {
	if len(row) != len(r.Features) {
		return fmt.Errorf("lder: row %d has %d features, want %d", i, len(row), len(r.Features))
	}
	for j, v := range row {
		if math.IsInf(v, 0) {
			return fmt.Errorf("lder: row %d: the feature %q is %g", i, r.Features[j], v)
		}
	}
	return nil
}

func clone(x [][]float64) [][]float64 {
	n := len(x[0])
	flat := make([]float64, len(x)*n)
	c := make([][]float64, len(x))
	for i, row := range x {
		c[i], flat = flat[:n:n], flat[n:]
		copy(c[i], row)
	}
	return c
}

// Predict returns one prediction a row of x, NaN for missing values. A row far
// enough outside the training data that its prediction overflows is an error.
func (r *Regressor) Predict(x [][]float64) ([]float64, error) {
	if r.Model == nil {
		return nil, errNotFitted
	}
	z := make([]float64, len(r.Features))
	p := make([]float64, len(x))
	for i, row := range x {
		if err := r.checkRow(i, row); err != nil {
			return nil, err
		}
		copy(z, row)
		r.Imputer.Apply(z)
		r.Scaler.Apply(z)
		p[i] = r.Model.Predict(z)
		if !finite(p[i]) {
			return nil, fmt.Errorf("lder: row %d: the features are too large, the prediction overflows", i)
		}
	}
	return p, nil
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
