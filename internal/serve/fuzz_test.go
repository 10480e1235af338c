package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/dcopt/dcopt/internal/wire"
	"github.com/dcopt/dcopt/internal/wire/decode"
)

// FuzzServe gives any bytes to a worker: it ends, with frames alone in its output, and
// no fault of the program among them.
func FuzzServe(f *testing.F) {
	two := []float64{1, 2}
	load := frame(`{"type": "load", "id": 1, "problem": 1, "variables": [{"name": "x", "shape": [2], "lo": 0, "hi": 1}], "parameters": [{"name": "p", "shape": [], "value": 2}],
		"nodes": [{"op": "sum", "args": [0, 1], "shape": [2], "attrs": {"factors": [1, -1]}}, {"op": "sumsq", "args": [2], "shape": []}, {"op": "abs", "args": [0], "shape": [2]}],
		"objective": {"sense": "minimize", "node": 3}, "constraints": [{"kind": "le", "args": [1, 4], "name": "c"}, {"kind": "soc", "args": [1, 0]}]}`, []float64{-3}, []float64{3}, two[:1])
	f.Add(load)
	f.Add(append(bytes.Clone(load), frame(`{"type": "solve", "id": 2, "problem": 1, "parameters": {"p": 0}, "start": {"x": 1}}`, two[:1], two)...))
	f.Add(append(bytes.Clone(load), frame(`{"type": "batch", "id": 2, "problem": 1, "batch": 1, "count": 2, "parameters": {"p": 0}}`, two)...))
	f.Add(append(bytes.Clone(load), frame(`{"type": "check", "id": 2, "problem": 1}`)...))
	f.Add(append(bytes.Clone(load), frame(`{"type": "to_dc", "id": 2, "problem": 1}`)...))
	f.Add(append(bytes.Clone(load), frame(`{"type": "evaluate", "id": 2, "problem": 1, "nodes": [0, 3], "x": 0}`, two)...))
	data := frame(`{"type": "load_data", "id": 1, "problem": 1, "form": "conic", "q": 0, "b": 1, "cones": [["nonneg", 2]]}`, two, two)
	f.Add(append(data, frame(`{"type": "solve", "id": 2, "problem": 1, "update": {"b": 0}}`, two)...))
	f.Add(append(frame(`{"type": "hello", "id": 1, "protocol": 1}`), frame(`{"type": "cancel", "id": 2, "target": 1}`)...))
	f.Add(frame(`{"type": "fit", "id": 1, "model": 1, "kind": "regressor", "shape": [3, 1], "X": 0, "y": 0, "settings": {"method": "refit", "pieces": [1, 1]}}`, []float64{1, 2, 3}))
	f.Fuzz(func(t *testing.T, b []byte) {
		cfg := Config{MaxBody: 1 << 16, Limits: decode.Limits{Entries: 1 << 12, Nonzeros: 1 << 12}}
		var out bytes.Buffer
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			Run(context.Background(), &slow{r: bytes.NewReader(b)}, &out, cfg)
		}()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatal("the worker goes on")
		}
		for {
			f, err := wire.ReadFrame(&out, 1<<30, nil)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var e wire.Errors
			if head, err := wire.Peek(f); err != nil || head.Type != "error" {
				continue
			}
			if err := wire.Parse(f, &e, false); err != nil || len(e.Errors) == 0 || len(e.Errors) > 10 {
				t.Fatalf("%v, %+v", err, e)
			}
			if e.Errors[0].Kind == wire.ErrInternal {
				t.Fatal(e.Errors[0].Text)
			}
		}
	})
}

// slow ends only a while after its last byte, so that the worker can answer.
type slow struct{ r *bytes.Reader }

func (s *slow) Read(p []byte) (int, error) {
	if s.r.Len() == 0 {
		time.Sleep(20 * time.Millisecond)
	}
	return s.r.Read(p)
}

// FuzzHeader gives a worker headers as they stand in front of fixed buffers, so that
// what is behind the frames is met more often.
func FuzzHeader(f *testing.F) {
	for _, h := range []string{
		`{"type": "load", "id": 1, "problem": 1, "variables": [{"name": "x", "shape": [2, 2], "symmetric": true}], "nodes": [{"op": "logdet", "args": [0], "shape": []}], "objective": {"sense": "maximize", "node": 1}}`,
		`{"type": "load", "id": 1, "problem": 1, "variables": [{"name": "x", "shape": [4]}], "nodes": [{"op": "affine", "args": [0], "shape": [2], "attrs": {"indptr": 3, "indices": 4, "data": 0}}, {"op": "max", "args": [1], "shape": [], "attrs": {"groups": 1}}], "objective": {"sense": "minimize", "node": 2}}`,
		`{"type": "load", "id": 1, "problem": 1, "variables": [{"name": "x", "shape": [4], "psd": true}], "constraints": [{"kind": "pow", "args": [0, 0, 0], "alpha": 0}, {"kind": "between", "args": [0], "lo": 1}]}`,
		`{"type": "load", "id": 1, "problem": 1, "variables": [{"name": "x", "shape": [2, 2]}], "nodes": [{"op": "quad", "args": [0], "shape": [], "attrs": {"matrix": 2}}, {"op": "mul", "args": [0, 1], "shape": [4]}]}`,
		`{"type": "load_data", "id": 1, "problem": 1, "form": "qp", "q": 0, "P": {"indptr": 3, "indices": 4, "data": 0}, "A": {"indptr": 3, "indices": 4, "data": 0}, "l": 0, "u": 1}`,
		`{"type": "load_data", "id": 1, "problem": 1, "form": "conic", "q": 0, "b": 1, "cones": [["psd", 2], ["pow", 3, 0.5], ["exp", 3]]}`,
		`{"type": "fit", "id": 1, "model": 1, "kind": "classifier", "shape": [2, 2], "X": 1, "labels": 4, "classes": ["a", "b"], "settings": {"method": "refit"}}`,
	} {
		f.Add(h)
	}
	f.Fuzz(func(t *testing.T, h string) {
		var body wire.Body
		wire.Add(&body, []float64{0.5, 0.25})
		wire.Add(&body, []float64{1, 2, 3, 4})
		wire.Add(&body, make([]float64, 16))
		wire.Add(&body, []int{0, 1, 2})
		wire.Add(&body, []int{1, 0})
		var m wire.Head
		m.Buffers = body.Table
		s := server{cfg: Config{MaxBody: 1 << 16, Limits: decode.Limits{Entries: 1 << 12, Nonzeros: 1 << 12}}, held: map[key]any{}}
		var buf bytes.Buffer
		s.out = &output{w: &buf}
		if len(h) == 0 || h[len(h)-1] != '}' {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		for _, header := range []string{h[:len(h)-1] + `, "buffers": [["f64", 2], ["f64", 4], ["f64", 16], ["i64", 3], ["i64", 2]]}`, `{"type": "solve", "id": 2, "problem": 1}`} {
			frame := wire.Frame{Header: []byte(header)}
			if header[2:6] != `type` || header[9:14] != "solve" {
				frame.Body = body.Bytes()
			}
			head, err := wire.Peek(frame)
			if err != nil {
				return
			}
			s.work(&job{head: head.Head, frame: frame, begin: time.Now(), ctx: ctx, cancel: cancel})
		}
		s.close()
		for {
			f, err := wire.ReadFrame(&buf, 1<<30, nil)
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				return
			}
			var e wire.Errors
			if head, err := wire.Peek(f); err == nil && head.Type == "error" {
				if err := wire.Parse(f, &e, false); err != nil || e.Errors[0].Kind == wire.ErrInternal {
					t.Fatalf("%v, %+v", err, e)
				}
			}
		}
	})
}
