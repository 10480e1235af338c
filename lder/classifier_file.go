package lder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dcopt/dcopt/internal/input"
	"github.com/dcopt/dcopt/lder/internal/platt"
)

type classifierFile struct {
	Format     string            `json:"format"`
	Version    int               `json:"version"`
	Classes    []string          `json:"classes"`
	Regressors []json.RawMessage `json:"regressors"` // model files
	// Sigmoids are slope and offset of the logistic function of each regressor.
	Sigmoids [][2]number    `json:"sigmoids,omitempty"`
	Training *classTraining `json:"training,omitempty"`
}

type classTraining struct {
	Method     string  `json:"method"`
	Rows       int     `json:"rows"`
	Iterations int     `json:"iterations"`
	Status     string  `json:"status"`
	Accuracy   number  `json:"accuracy"`
	OOB        *number `json:"oob_accuracy,omitempty"` // missing where unknown
}

// file is the part of a file about the training.
func (t ClassTraining) file() *classTraining {
	f := &classTraining{Method: t.Method.String(), Rows: t.Rows, Iterations: t.Iterations, Status: t.Status.String(),
		Accuracy: number(t.Accuracy)}
	if t.OOB >= 0 {
		oob := number(t.OOB)
		f.OOB = &oob
	}
	return f
}

// training is the inverse of file.
func (f *classTraining) training() (t ClassTraining, err error) {
	if t.Method, err = ParseMethod(f.Method); err != nil {
		return t, err
	}
	if t.Status, err = parseStatus(f.Status); err != nil {
		return t, err
	}
	t.Rows, t.Iterations, t.Accuracy, t.OOB = f.Rows, f.Iterations, float64(f.Accuracy), -1
	if f.OOB != nil {
		t.OOB = float64(*f.OOB)
	}
	return t, nil
}

// WriteTo writes a JSON file with all that Predict needs, for ReadAny, and returns the
// number of bytes. An error before Fit.
func (c *Classifier) WriteTo(w io.Writer) (int64, error) {
	if len(c.Regressors) == 0 {
		return 0, errors.New("lder: the classifier is not fitted; call Fit first")
	}
	f := classifierFile{Format: classifierFormat, Version: 1, Classes: c.Classes}
	for _, s := range c.sigmoids {
		f.Sigmoids = append(f.Sigmoids, [2]number{number(s.Slope), number(s.Offset)})
	}
	if c.Training.Rows > 0 { // else it comes from an older file
		f.Training = c.Training.file()
	}
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

// ReadClassifier reads a file written by WriteTo and refuses other files. name
// stands in error messages.
func ReadClassifier(rd io.Reader, name string) (*Classifier, error) {
	raw, err := input.JSON(rd)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var f classifierFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, located(err, raw, name)
	}
	switch {
	case f.Format != classifierFormat:
		return nil, fmt.Errorf("%s: not a file of a classifier: its format is %q, want %q", name, f.Format,
			classifierFormat)
	case f.Version != 1:
		return nil, fmt.Errorf("%s: the file has version %d, this program reads version 1", name, f.Version)
	case len(f.Classes) < 2 || !slices.IsSorted(f.Classes) ||
		len(slices.Compact(slices.Clone(f.Classes))) != len(f.Classes):
		return nil, fmt.Errorf("%s: the classes are %q, want two or more, sorted and different", name, f.Classes)
	}
	want := numRegressors(len(f.Classes))
	if len(f.Regressors) != want {
		return nil, fmt.Errorf("%s: %d regressors for %d classes", name, len(f.Regressors), len(f.Classes))
	}
	if len(f.Sigmoids) != 0 && len(f.Sigmoids) != want {
		return nil, fmt.Errorf("%s: %d sigmoids for %d classes", name, len(f.Sigmoids), len(f.Classes))
	}
	c := &Classifier{Classes: f.Classes, Training: ClassTraining{OOB: -1}}
	if f.Training != nil {
		if c.Training, err = f.Training.training(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, s := range f.Sigmoids {
		c.sigmoids = append(c.sigmoids, platt.Sigmoid{Slope: float64(s[0]), Offset: float64(s[1])})
	}
	for k, part := range f.Regressors {
		r, err := Read(bytes.NewReader(part), fmt.Sprintf("%s, regressor %d", name, k))
		if err != nil {
			return nil, err
		}
		if k > 0 && !slices.Equal(r.Features, c.Features) {
			return nil, fmt.Errorf("%s: regressor %d has other features", name, k)
		}
		c.Settings, c.Features, c.Target, c.Categories = r.Settings, r.Features, r.Target, r.Categories
		c.Regressors = append(c.Regressors, r)
	}
	return c, nil
}

// ReadAny reads a model file of either kind: one of the results is nil. name is the name of
// the file, for errors, which have the place of the mistake.
func ReadAny(rd io.Reader, name string) (*Regressor, *Classifier, error) {
	raw, err := input.JSON(rd)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	var mark struct{ Format string }
	if json.Unmarshal(raw, &mark) == nil && mark.Format == classifierFormat {
		c, err := ReadClassifier(bytes.NewReader(raw), name)
		return nil, c, err
	}
	r, err := Read(bytes.NewReader(raw), name)
	return r, nil, err
}
