package lder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/ensemble"
	"github.com/dcopt/dcopt/lder/internal/platt"
	"github.com/dcopt/dcopt/lder/internal/refit"
)

// Classifier is a linear dilation-erosion perceptron, l-DEP: of two classes it
// chooses by the sign of τ, which is trained to be −1 on one and 1 on the other;
// of more classes it takes the one whose own τ, trained against all others, is
// largest. Of the methods that choose, the label has the largest probability: see
// Proba. Oliveira and Valle 2021, with the squared hinge loss (CCP, Split, DCA and
// the sums and ramps of Ensemble: squared error) in the place of the hinge loss. Once
// fitted it may be shared by goroutines.
type Classifier struct {
	Settings Settings
	// Features, Target and Categories are as in Regressor.
	Features   []string
	Target     string
	Categories []dataset.Category
	// Results of Fit. Classes are sorted. Of two classes there is one
	// regressor, positive for the second class; else one per class.
	Classes    []string
	Regressors []*Regressor
	Training   ClassTraining

	sigmoids []platt.Sigmoid // of the regressors; nil: none were fitted
}

// ClassTraining says how a Classifier came about.
type ClassTraining struct {
	Method     Method
	Rows       int
	Iterations int // of all regressors
	// Status is why training stopped: Converged, or the status of the first regressor
	// which did not converge.
	Status ccp.Status
	// Accuracy is the share of the training rows whose label is predicted; with
	// weights, the weighted share.
	Accuracy float64
	// OOB is the cross-validated accuracy, an estimate of that on new rows, as the
	// OOB of Training; the constant prediction beside it is the commonest of the
	// other labels. -1 where unknown, and for a classifier from an older file.
	OOB float64
}

// NewClassifier returns an unfitted classifier. Fit checks set.
func NewClassifier(set Settings) *Classifier {
	return &Classifier{Settings: set, Training: ClassTraining{OOB: -1}}
}

// Fit trains on the rows of x, NaN for missing values, and their labels, of two
// different values at least. After an error c is as it was.
func (c *Classifier) Fit(ctx context.Context, x [][]float64, labels []string) error {
	return c.FitWeighted(ctx, x, labels, nil)
}

// FitWeighted is Fit where the error of each row counts as often as its weight
// says, as in Regressor.FitWeighted.
func (c *Classifier) FitWeighted(ctx context.Context, x [][]float64, labels []string, weights []float64) error {
	if len(x) == 0 || len(x) != len(labels) {
		return fmt.Errorf("lder: %d rows of features and %d labels", len(x), len(labels))
	}
	classes := slices.Compact(slices.Sorted(slices.Values(labels)))
	if len(classes) < 2 {
		return fmt.Errorf("lder: all labels are %q; want two classes at least", classes[0])
	}
	w, err := normalised(weights, len(labels))
	if err != nil {
		return err
	}
	d := &refit.Data{M: len(labels), W: w}
	fit := *c
	fit.Classes, fit.Regressors, fit.sigmoids = classes, nil, nil
	y := make([]float64, len(labels))
	for k := range numRegressors(len(classes)) {
		class := fit.positive(k)
		for i, l := range labels {
			y[i] = -1
			if l == class {
				y[i] = 1
			}
		}
		r := NewRegressor(c.Settings)
		r.Features, r.Target, r.Categories, r.classes = c.Features, c.Target, c.Categories, true
		if err := r.FitWeighted(ctx, x, y, weights); err != nil {
			return fmt.Errorf("class %q: %w", class, err)
		}
		fit.Features, fit.Target = r.Features, r.Target
		fit.Regressors = append(fit.Regressors, r)
	}
	if fit.Regressors[0].unseen != nil {
		fit.sigmoids = fit.calibrated(labels, d, func(int) bool { return true })
	}
	if err := fit.assess(x, labels, d); err != nil {
		return err
	}
	*c = fit
	return nil
}

// assess fills in Training. d has the weights.
func (c *Classifier) assess(x [][]float64, labels []string, d *refit.Data) error {
	t := ClassTraining{Method: c.Settings.Method, Rows: len(x), Status: ccp.Converged, OOB: -1}
	for _, r := range c.Regressors {
		t.Iterations += r.Training.Iterations
		if t.Status == ccp.Converged {
			t.Status = r.Training.Status
		}
	}
	p, err := c.Predict(x)
	if err != nil {
		return err
	}
	t.Accuracy = 1 - d.Mean(mistakes(labels, p))
	if c.sigmoids != nil {
		if e := ensemble.HeldOut(d, mistakes(labels, c.unseenLabels(labels, d)),
			mistakes(labels, commonest(labels, d))); e >= 0 {
			t.OOB = 1 - e
		}
	}
	for _, r := range c.Regressors {
		r.unseen = nil
	}
	c.Training = t
	return nil
}

// unseenLabels are the labels of the training rows by regressors that have not
// seen them. The logistic functions for each tenth of the rows come from the
// others.
func (c *Classifier) unseenLabels(labels []string, d *refit.Data) []string {
	// Source: ten folds are usual: Kohavi 1995.
	const parts = 10
	out := make([]string, len(labels))
	for part := range min(parts, len(labels)) {
		without := c.calibrated(labels, d, func(i int) bool { return i%parts != part })
		τ := make([]float64, len(c.Regressors))
		for i := part; i < len(labels); i += parts {
			for k, r := range c.Regressors {
				τ[k] = r.unseen[i]
			}
			out[i] = c.label(τ, without)
		}
	}
	return out
}

// calibrated fits the logistic functions to the rows that use picks.
func (c *Classifier) calibrated(labels []string, d *refit.Data, use func(i int) bool) []platt.Sigmoid {
	var rows []int
	for i := range labels {
		if use(i) {
			rows = append(rows, i)
		}
	}
	part := &refit.Data{M: len(rows)}
	if d.W != nil {
		part.W = pick(d.W, rows)
	}
	all := make([]platt.Sigmoid, len(c.Regressors))
	for k, r := range c.Regressors {
		y := make([]float64, len(rows))
		for j, i := range rows {
			y[j] = -1
			if labels[i] == c.positive(k) {
				y[j] = 1
			}
		}
		all[k] = platt.Fit(pick(r.unseen, rows), y, part)
	}
	return all
}

// positive is the class with target 1 of regressor k.
func (c *Classifier) positive(k int) string {
	if len(c.Classes) == 2 {
		return c.Classes[1]
	}
	return c.Classes[k]
}

// mistakes are 1 where the labels differ, else 0.
func mistakes(truth, predicted []string) []float64 {
	e := make([]float64, len(truth))
	for i, l := range truth {
		if predicted[i] != l {
			e[i] = 1
		}
	}
	return e
}

// commonest returns for each row the label of most weight among the other rows,
// the first in order of equals.
func commonest(labels []string, d *refit.Data) []string {
	share := map[string]float64{}
	for i, l := range labels {
		share[l] += d.Weight(i)
	}
	classes := slices.Sorted(maps.Keys(share))
	out := make([]string, len(labels))
	for i, own := range labels {
		most := math.Inf(-1)
		for _, l := range classes {
			v := share[l]
			if l == own {
				v -= d.Weight(i)
			}
			if v > most {
				out[i], most = l, v
			}
		}
	}
	return out
}

// Decision returns, for each row of x, τ of the second class of two, or the τ of
// each of more classes.
func (c *Classifier) Decision(x [][]float64) ([][]float64, error) {
	if len(c.Regressors) == 0 {
		return nil, errors.New("lder: the classifier is not fitted; call Fit first")
	}
	out := make([][]float64, len(x))
	for k, r := range c.Regressors {
		p, err := r.Predict(x)
		if err != nil {
			return nil, err
		}
		for i, v := range p {
			if k == 0 {
				out[i] = make([]float64, len(c.Regressors))
			}
			out[i][k] = v
		}
	}
	return out, nil
}

// Predict returns a label for each row of x: the class of the largest probability. Rows
// have a number per feature, NaN where a value is missing. An error before Fit, and for a
// row of another length.
func (c *Classifier) Predict(x [][]float64) ([]string, error) {
	d, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(x))
	for i, τ := range d {
		labels[i] = c.label(τ, c.sigmoids)
	}
	return labels, nil
}

// label is the class of largest probability, the first of equals; of two classes the
// second where both are equal.
func (c *Classifier) label(τ []float64, by []platt.Sigmoid) string {
	if by == nil && len(τ) > 1 { // beyond the margin, too
		return c.Classes[floats.MaxIdx(τ)]
	}
	p := c.proba(τ, by)
	if len(p) == 2 && p[1] >= p[0] {
		return c.Classes[1]
	}
	return c.Classes[floats.MaxIdx(p)]
}

// numRegressors is one for two classes, else one per class.
func numRegressors(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// Proba returns for each row of x a probability for each class, of sum 1: a logistic
// function of τ for each regressor, fitted by the methods that choose to the
// decisions about rows that they have not seen (Platt 1999); of more than two
// classes these are divided by their sum. Labels go by τ alone. For the other
// methods the probability is (1 + τ)/2 with τ clipped to [−1, 1], which squared and
// squared hinge loss estimate: Zhang 2004, Statistical behavior and consistency of
// classification methods based on convex risk minimization.
func (c *Classifier) Proba(x [][]float64) ([][]float64, error) {
	d, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	for i, τ := range d {
		d[i] = c.proba(τ, c.sigmoids)
	}
	return d, nil
}

func (c *Classifier) proba(τ []float64, by []platt.Sigmoid) []float64 {
	p, sum := make([]float64, 0, len(c.Classes)), 0.0
	for k, v := range τ {
		if by != nil {
			v = by[k].At(v)
		} else {
			v = (1 + platt.Margin(v)) / 2
		}
		p, sum = append(p, v), sum+v
	}
	if len(τ) == 1 {
		return []float64{1 - p[0], p[0]}
	}
	for k := range p {
		if sum > 0 {
			p[k] /= sum
		} else {
			p[k] = 1 / float64(len(p))
		}
	}
	return p
}

// Score is the share of the rows whose label is predicted, from 0 to 1. An error where
// there are no rows, or not as many labels.
func (c *Classifier) Score(x [][]float64, labels []string) (float64, error) {
	if len(x) == 0 || len(x) != len(labels) {
		return 0, fmt.Errorf("lder: %d rows of features and %d labels", len(x), len(labels))
	}
	p, err := c.Predict(x)
	if err != nil {
		return 0, err
	}
	return dataset.Accuracy(labels, p), nil
}
