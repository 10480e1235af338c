package client

import (
	"context"

	"github.com/dcopt/dcopt/internal/wire"
)

// Model is a regressor or classifier that the worker holds.
type Model struct {
	Fitted
	c      *Client
	handle uint64
}

// Fit trains a model on the table in m, in which the worker's number is set. progress, if
// not nil, is called from another goroutine.
func (c *Client) Fit(ctx context.Context, m *Fit, progress func(Progress)) (*Model, error) {
	out := &Model{c: c, handle: c.handle()}
	m.Model, m.Progress = out.handle, progress != nil
	return out, c.do(ctx, "fit", m, &out.Fitted, progress)
}

// LoadModel gives the bytes of a model file to the worker. The error is of type Errors,
// with the place of the mistake in the file.
func (c *Client) LoadModel(ctx context.Context, file []byte) (*Model, error) {
	out := &Model{c: c, handle: c.handle()}
	return out, c.do(ctx, "load_model", &wire.LoadModel{Model: out.handle, File: wire.T(file)}, &out.Fitted, nil)
}

// Predict applies the model to a table of the given number of features, row by row.
func (m *Model) Predict(ctx context.Context, x []float64, features int) (*Predicted, error) {
	var out Predicted
	rows := 0
	if features > 0 {
		rows = len(x) / features
	}
	return &out, m.c.do(ctx, "predict", &wire.Predict{Model: m.handle, Shape: []int{rows, features}, X: wire.F(x)},
		&out, nil)
}

// Export is the model as text, in the format json, text, latex, go, python or c; another
// one is an error of type Errors.
func (m *Model) Export(ctx context.Context, format string) (string, error) {
	return m.c.text(ctx, "export", &wire.Export{Model: m.handle, Format: format})
}

// Free lets the worker forget the model, and its memory. Other methods then fail.
func (m *Model) Free(ctx context.Context) error {
	return m.c.do(ctx, "free", &wire.Free{Model: &m.handle}, &wire.Ok{}, nil)
}
