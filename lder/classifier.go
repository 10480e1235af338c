package lder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/lder/dataset"
)

// Classifier is a linear dilation-erosion perceptron, l-DEP: of two classes it
// chooses by the sign of τ, which is trained to be −1 on one and 1 on the other;
// of more classes it takes the one whose own τ, trained against all others, is
// largest. Oliveira and Valle 2021, with the squared hinge loss (CCP, Split, DCA and
// the sums and ramps of Ensemble: squared error) in the place of the hinge loss. Once
// fitted it may be shared by goroutines.
type Classifier struct {
	Settings Settings
	// Features are as in Regressor.
	Features []string
	Target   string
	// What Fit learns. Classes are sorted. Of two classes there is one
	// regressor, positive for the second class; else one a class.
	Classes    []string
	Regressors []*Regressor
}

// NewClassifier returns an unfitted classifier.
func NewClassifier(set Settings) *Classifier { return &Classifier{Settings: set} }

// Fit trains on the rows of x, NaN for missing values, and their labels, of two
// different values at least. After an error c is as it was.
func (c *Classifier) Fit(ctx context.Context, x [][]float64, labels []string) error {
	if len(x) == 0 || len(x) != len(labels) {
		return fmt.Errorf("lder: %d rows of features and %d labels", len(x), len(labels))
	}
	classes := slices.Compact(slices.Sorted(slices.Values(labels)))
	if len(classes) < 2 {
		return fmt.Errorf("lder: all labels are %q; want two classes at least", classes[0])
	}
	positive := classes
	if len(classes) == 2 {
		positive = classes[1:]
	}
	fit := *c
	fit.Classes, fit.Regressors = classes, nil
	y := make([]float64, len(labels))
	for _, class := range positive {
		for i, l := range labels {
			y[i] = -1
			if l == class {
				y[i] = 1
			}
		}
		r := NewRegressor(c.Settings)
		r.Features, r.Target, r.classes = c.Features, c.Target, true
		if err := r.Fit(ctx, x, y); err != nil {
			return fmt.Errorf("class %q: %w", class, err)
		}
		fit.Features, fit.Target = r.Features, r.Target
		fit.Regressors = append(fit.Regressors, r)
	}
	*c = fit
	return nil
}

// Decision returns, for each row of x, τ of the second class of two, or that of
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

// Predict returns a label for each row of x.
func (c *Classifier) Predict(x [][]float64) ([]string, error) {
	d, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(x))
	for i, τ := range d {
		best := 0
		for k, v := range τ {
			if v > τ[best] {
				best = k
			}
		}
		if len(τ) == 1 && τ[0] >= 0 {
			best = 1
		}
		labels[i] = c.Classes[best]
	}
	return labels, nil
}

// Score is the share of the rows whose label is predicted.
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

// classifierFormat marks the files of classifiers.
const classifierFormat = "dcopt-ldep"

type classifierFile struct {
	Format     string            `json:"format"`
	Version    int               `json:"version"`
	Classes    []string          `json:"classes"`
	Regressors []json.RawMessage `json:"regressors"` // model files
}

// WriteTo writes a file with all that Predict needs.
func (c *Classifier) WriteTo(w io.Writer) (int64, error) {
	if len(c.Regressors) == 0 {
		return 0, errors.New("lder: the classifier is not fitted; call Fit first")
	}
	f := classifierFile{Format: classifierFormat, Version: 1, Classes: c.Classes}
	for _, r := range c.Regressors {
		if err := r.validate(); err != nil {
			return 0, err
		}
		raw, err := r.encode()
		if err != nil {
			return 0, fmt.Errorf("lder: %w", err)
		}
		f.Regressors = append(f.Regressors, raw)
	}
	raw, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return 0, fmt.Errorf("lder: %w", err)
	}
	n, err := w.Write(append(raw, '\n'))
	return int64(n), err
}

// ReadClassifier reads what WriteTo wrote; name is for messages. It refuses
// other files.
func ReadClassifier(rd io.Reader, name string) (*Classifier, error) {
	raw, err := io.ReadAll(rd)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var f classifierFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, located(err, raw, name)
	}
	switch {
	case f.Format != classifierFormat:
		return nil, fmt.Errorf("%s: not a file of a classifier: its format is %q, want %q", name, f.Format, classifierFormat)
	case f.Version != 1:
		return nil, fmt.Errorf("%s: the file has version %d, this program reads version 1", name, f.Version)
	case len(f.Classes) < 2 || !slices.IsSorted(f.Classes) || len(slices.Compact(slices.Clone(f.Classes))) != len(f.Classes):
		return nil, fmt.Errorf("%s: the classes are %q, want two or more, sorted and different", name, f.Classes)
	}
	want := len(f.Classes)
	if want == 2 {
		want = 1
	}
	if len(f.Regressors) != want {
		return nil, fmt.Errorf("%s: %d regressors for %d classes", name, len(f.Regressors), len(f.Classes))
	}
	c := &Classifier{Classes: f.Classes}
	for k, part := range f.Regressors {
		r, err := Read(strings.NewReader(string(part)), fmt.Sprintf("%s, regressor %d", name, k))
		if err != nil {
			return nil, err
		}
		if k > 0 && !slices.Equal(r.Features, c.Features) {
			return nil, fmt.Errorf("%s: regressor %d has other features", name, k)
		}
		c.Settings, c.Features, c.Target = r.Settings, r.Features, r.Target
		c.Regressors = append(c.Regressors, r)
	}
	return c, nil
}
