package client_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/dcopt/dcopt/internal/record"
	"github.com/dcopt/dcopt/internal/wire"
)

var update = flag.Bool("update", false, "rewrite testdata/frames")

// frames are examples of what docs/protocol.md describes.
func frames() map[string]wire.Message {
	n := func(v float64) *wire.Number { w := wire.Number(v); return &w }
	yes, three := true, 3
	graph := wire.Graph{
		Variables:  []wire.Variable{{Name: "x", Shape: []int{2}, Lo: wire.F([]float64{0}), Start: wire.F([]float64{1, 2})}},
		Parameters: []wire.Parameter{{Name: "p", Shape: []int{}, Value: wire.F([]float64{0.5})}},
		Nodes: []wire.Node{
			{Op: "affine", Args: []int{0, 1}, Shape: []int{2}, Name: "A @ x - p", Attrs: &wire.Attrs{
				Indptr: wire.I([]int{0, 3, 5}), Indices: wire.I([]int{0, 1, 2, 1, 2}), Data: wire.F([]float64{1, 2, -1, 3, -1}),
			}},
			{Op: "sumsq", Args: []int{2}, Shape: []int{}},
			{Op: "const", Shape: []int{}, Attrs: &wire.Attrs{Value: ptr(1.5)}},
		},
		Objective:   &wire.Objective{Sense: "minimize", Node: 3},
		Constraints: []wire.Constraint{{Kind: "le", Args: []int{0, 4}, Name: "top"}},
	}
	all := map[string]wire.Message{
		"hello":      &wire.Hello{Protocol: ptr(1)},
		"load":       &wire.Load{Problem: 1, Graph: graph},
		"solve":      &wire.Solve{Problem: 1, Parameters: map[string]*wire.Floats{"p": wire.F([]float64{0.25})}, Progress: true},
		"cancel":     &wire.Cancel{Target: three64},
		"load_data":  &wire.LoadData{Problem: 2, Form: "conic", Q: wire.F([]float64{1, 0}), A: &wire.Sparse{Indptr: wire.I([]int{0, 1, 2}), Indices: wire.I([]int{0, 1}), Data: wire.F([]float64{-1, -1})}, B: wire.F([]float64{0, 0}), Cones: []wire.Cone{{Kind: "soc", Size: 2}}},
		"fit":        &wire.Fit{Model: 1, Kind: "classifier", Shape: []int{2, 1}, X: wire.F([]float64{-1, 1}), Labels: wire.I([]int{0, 1}), Classes: []string{"no", "yes"}},
		"predicted":  &wire.Predicted{Labels: &wire.Ints32{V: []int32{1, 0, 1}}, Decision: wire.F([]float64{1, -1, 2}), Proba: wire.F([]float64{0, 1, 1, 0, 0, 1})},
		"text":       &wire.TextReply{Text: wire.T([]byte("find\n"))},
		"error":      &wire.Errors{Errors: []wire.Error{{Kind: "curvature", Text: "no DC split for log", Node: &three, Name: "log(x^2)", Notes: []wire.Note{{Node: 2, Text: "convex"}}}}},
		"progress":   &wire.Progress{Seconds: 0.25, Iteration: 3, Start: 1, Objective: n(2.5), MaxViolation: n(0), Feasible: &yes},
		"infeasible": &wire.Result{Record: record.Record{Status: "infeasible", Objective: wire.Number(inf), Backend: "ipm", Seconds: &record.Seconds{Total: 0.5}}, Certificate: "infeasible", X: wire.F([]float64{0, 0}), Multipliers: wire.F([]float64{1, 0}), Conflict: []wire.Place{{Constraint: ptr(0)}}},
		"ok_cancel":  &wire.Ok{Found: &yes},
		"update":     &wire.Update{Problem: 2, NewValues: wire.NewValues{Q: wire.F([]float64{2, 0})}},
		"free":       &wire.Free{Problem: ptr(uint64(1))},
		"set":        &wire.Set{Problem: 1, Parameters: map[string]*wire.Floats{"p": wire.F([]float64{0.25})}},
		"no_entries": &wire.Values{Values: []*wire.Floats{wire.F(nil), wire.F([]float64{7})}},
	}
	types := map[string]string{"infeasible": "result", "ok_cancel": "ok", "no_entries": "values"}
	for name, m := range all {
		kind := types[name]
		if kind == "" {
			kind = name
		}
		wire.Address(m, kind, 3)
	}
	return all
}

const three64 = uint64(3)

var inf = func() float64 { v := 1e308; return v * 10 }()

func ptr[T any](v T) *T { return &v }

// The frames of testdata/frames are what the messages are written as, and what they
// are read from; beside each stands what is in it as JSON, for other languages.
func TestFrames(t *testing.T) {
	for name, m := range frames() {
		var buf bytes.Buffer
		if err := wire.Write(&buf, m); err != nil {
			t.Fatal(err)
		}
		if buf.Len()%8 != 0 {
			t.Errorf("%s has %d bytes", name, buf.Len())
		}
		f, err := wire.ReadFrame(bytes.NewReader(buf.Bytes()), 1<<20, nil)
		if err != nil {
			t.Fatal(err)
		}
		head := struct {
			Buffers []wire.Entry `json:"buffers"`
		}{}
		if err := json.Unmarshal(f.Header, &head); err != nil {
			t.Fatal(err)
		}
		b, err := wire.NewBuffers(head.Buffers, f.Body)
		if err != nil {
			t.Fatal(err)
		}
		contents := []any{}
		for k, e := range head.Buffers {
			var v any
			switch e.Kind {
			case wire.F64:
				v, err = wire.Part[float64](b, k)
			case wire.U8:
				var text []byte
				text, err = wire.Part[byte](b, k)
				v = string(text)
			default:
				v, err = wire.Part[int](b, k)
			}
			if err != nil {
				t.Fatal(err)
			}
			contents = append(contents, v)
		}
		about, err := json.MarshalIndent(map[string]any{"header": json.RawMessage(bytes.TrimRight(f.Header, " ")), "buffers": contents}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		for path, got := range map[string][]byte{name + ".frame": buf.Bytes(), name + ".json": append(about, '\n')} {
			path = filepath.Join("testdata", "frames", path)
			if *update {
				if err := os.WriteFile(path, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s differs:\n%q\nwant\n%q", path, got, want)
			}
		}
	}
	files, err := filepath.Glob("testdata/frames/*")
	if err != nil || len(files) != 2*len(frames()) {
		t.Errorf("%d files for %d frames, %v", len(files), len(frames()), err)
	}
}
