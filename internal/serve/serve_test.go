package serve

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/internal/wire"
)

// frame is a frame with the members of a header, as they stand, and numbers in its
// buffers.
func frame(header string, buffers ...[]float64) []byte {
	var body wire.Body
	for _, b := range buffers {
		wire.Add(&body, b)
	}
	if len(buffers) > 0 {
		table, err := json.Marshal(body.Table)
		if err != nil {
			panic(err)
		}
		header = strings.TrimSuffix(header, "}") + `, "buffers": ` + string(table) + "}"
	}
	var buf bytes.Buffer
	if err := wire.WriteFrame(&buf, json.RawMessage(header), &body); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

// reply is a frame of the worker, as JSON.
type reply struct {
	Type   string       `json:"type"`
	ID     uint64       `json:"id"`
	Errors []wire.Error `json:"errors"`
	Status any          `json:"status"`
	Found  *bool        `json:"found"`
}

// session sends frames and reads replies one by one.
type session struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *io.PipeReader
	done chan error
}

func begin(t *testing.T, cfg Config) *session {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &session{t, inW, outR, make(chan error, 1)}
	go func() {
		err := Run(context.Background(), inR, outW, cfg)
		outW.Close()
		s.done <- err
	}()
	return s
}

func (s *session) send(b []byte) {
	s.t.Helper()
	if _, err := s.in.Write(b); err != nil {
		s.t.Error(err) // also from a goroutine of its own
	}
}

func (s *session) next() reply {
	s.t.Helper()
	f, err := wire.ReadFrame(s.out, 1<<30, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	var r reply
	if err := json.Unmarshal(f.Header, &r); err != nil {
		s.t.Fatal(err)
	}
	return r
}

// read takes the next frame for a message of a type.
func (s *session) read(m wire.Message) {
	s.t.Helper()
	f, err := wire.ReadFrame(s.out, 1<<30, nil)
	if err == nil {
		err = wire.Parse(f, m, false)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) end() error {
	s.in.Close()
	select {
	case err := <-s.done:
		return err
	case <-time.After(10 * time.Second):
		s.t.Fatal("the worker goes on")
		return nil
	}
}

// Every request that is wrong gets an error with its place, and the worker goes on.
func TestRefusals(t *testing.T) {
	s := begin(t, DefaultConfig())
	two := []float64{1, 2}
	s.send(frame(`{"type": "load", "id": 1, "problem": 1, "variables": [{"name": "x", "shape": [2]}], "parameters": [{"name": "p", "shape": [], "value": 0}], "objective": {"sense": "minimize", "node": 1}}`, []float64{3}))
	if r := s.next(); r.Type != "loaded" {
		t.Fatalf("%+v", r)
	}
	s.send(frame(`{"type": "load_data", "id": 1, "problem": 2, "form": "qp", "q": 0}`, two))
	if r := s.next(); r.Type != "loaded" {
		t.Fatalf("%+v", r)
	}
	for _, tc := range []struct {
		header  string
		buffers [][]float64
		kind    string
		text    string
		node    int // −1: none
	}{
		{`{"type": "nonsense", "id": 7}`, nil, "request", "nonsense", -1},
		{`{"type": "hello", "id": 7, "protocol": 2}`, nil, "version", "version 2", -1},
		{`{"type": "hello", "id": 7, "protokoll": 1}`, nil, "request", "protokoll", -1},
		{`{"type": "solve", "id": 7, "problem": 9}`, nil, "handle", "no problem 9", -1},
		{`{"type": "solve", "id": 7, "problem": -9}`, nil, "request", "problem", -1},
		{`{"type": "solve", "id": 7, "problem": 1, "start": {"x": 4}}`, nil, "request", "buffer 4 does not exist", -1},
		{`{"type": "solve", "id": 7, "problem": 1, "start": {"x": 0}}`, [][]float64{{1, 2, 3}}, "problem", "3 numbers, want 2", 0},
		{`{"type": "solve", "id": 7, "problem": 1, "start": {"y": 0}}`, [][]float64{{1}}, "problem", "no variable", -1},
		{`{"type": "solve", "id": 7, "problem": 1, "settings": {"mu": 1}}`, nil, "request", "the setting mu is 1", -1},
		{`{"type": "solve", "id": 7, "problem": 1, "settings": {"mue": 2}}`, nil, "request", `no member is called "mue"`, -1},
		{`{"type": "solve", "id": 7, "problem": 1, "settings": {"seed": -1}}`, nil, "request", "settings.seed is -1, want an integer >= 0", -1},
		{`{"type": "solve", "id": 7, "problem": 1, "settings": {"backend": "magic"}}`, nil, "unsupported", "magic", -1},
		{`{"type": "solve", "id": 7, "problem": 1, "settings": {"time_limit": -1}}`, nil, "request", "time_limit", -1},
		{`{"type": "set", "id": 7, "problem": 1, "parameters": {"q": 0}}`, [][]float64{{1}}, "problem", "no parameter", -1},
		{`{"type": "set", "id": 7, "problem": 1, "parameters": {"p": 0}}`, [][]float64{two}, "problem", "2 numbers, want 1", 1},
		{`{"type": "set", "id": 7, "problem": 1, "parameters": {"p": 0}}`, [][]float64{{math.NaN()}}, "problem", "NaN", 1},
		{`{"type": "load", "id": 7, "problem": 1, "variables": []}`, nil, "handle", "loaded already", -1},
		{`{"type": "load", "id": 7, "problem": 0, "variables": []}`, nil, "request", "handle", -1},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2]}, {"name": "x", "shape": []}]}`, nil, "problem", "two variables", 1},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [-2]}]}`, nil, "limit", "[-2]", 0},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [1000000, 1000000, 1000000, 1000000]}]}`, nil, "limit", "at most", 0},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2], "lo": 0, "hi": 1}]}`, [][]float64{{1, 5}, {2, 4}}, "problem", "entry 1 has the bounds 5 and 4", 0},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2], "lo": 0}]}`, [][]float64{{1, 5, 7}}, "problem", "3 numbers", 0},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2, 3], "psd": true}]}`, nil, "problem", "square", 0},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2]}], "nodes": [{"op": "norm3", "args": [0], "shape": [], "name": "|x|"}]}`, nil, "problem", `"norm3"`, 1},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2]}], "nodes": [{"op": "norm2", "args": [1], "shape": []}]}`, nil, "problem", "before", 1},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2]}], "nodes": [{"op": "norm2", "args": [0], "shape": [2]}]}`, nil, "problem", "gives 1 entries", 1},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2]}], "nodes": [{"op": "norm2", "args": [0], "shape": [], "attrs": {"p": 3}}]}`, nil, "request", "no attribute p", 1},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2]}], "nodes": [{"op": "square", "args": [0], "shape": [2]}, {"op": "tan", "args": [1], "shape": [2], "name": "tan(x^2)"}]}`, nil, "curvature", "tan", 2},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [4]}], "nodes": [{"op": "lambda_max", "args": [0], "shape": []}]}`, nil, "curvature", "symmetric", 1},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2]}], "nodes": [{"op": "const", "shape": [], "attrs": {"value": -1}}, {"op": "sqrt", "args": [1], "shape": []}]}`, nil, "problem", "sqrt", 2},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2]}], "objective": {"sense": "least", "node": 0}}`, nil, "problem", "shape [2]", 0},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": []}], "objective": {"sense": "least", "node": 0}}`, nil, "problem", "least", -1},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2]}], "constraints": [{"kind": "lt", "args": [0]}]}`, nil, "problem", `"lt"`, -1},
		{`{"type": "load", "id": 7, "problem": 3, "variables": [{"name": "x", "shape": [2]}], "constraints": [{"kind": "psd", "args": [0]}]}`, nil, "problem", "square", -1},
		{`{"type": "load_data", "id": 7, "problem": 3, "form": "qp", "q": 0, "u": 1}`, [][]float64{two, {math.NaN(), 1}}, "problem", "NaN", -1},
		{`{"type": "load_data", "id": 7, "problem": 3, "form": "conic", "q": 0, "b": 1, "cones": [["soc", 3]]}`, [][]float64{two, two}, "problem", "3 rows, b has 2", -1},
		{`{"type": "load_data", "id": 7, "problem": 3, "form": "conic", "q": 0, "cones": [["cube", 3]]}`, [][]float64{two}, "problem", "cube", -1},
		{`{"type": "load_data", "id": 7, "problem": 3, "form": "conic", "q": 0, "cones": [["psd", 1000000000]]}`, [][]float64{two}, "problem", "size", -1},
		{`{"type": "update", "id": 7, "problem": 2, "q": 0}`, [][]float64{{1, 2, 3}}, "problem", "3", -1},
		{`{"type": "update", "id": 7, "problem": 1, "q": 0}`, [][]float64{two}, "handle", "load_data", -1},
		{`{"type": "check", "id": 7, "problem": 2}`, nil, "handle", "load_data", -1},
		{`{"type": "evaluate", "id": 7, "problem": 1, "nodes": [0], "x": 0}`, [][]float64{{1, 2, 3}}, "problem", "3 entries", -1},
		{`{"type": "free", "id": 7}`, nil, "request", "problem, model or batch", -1},
		{`{"type": "batch", "id": 7, "problem": 1, "batch": 1, "count": 0, "parameters": {}}`, nil, "request", "0 sets", -1},
		{`{"type": "batch", "id": 7, "problem": 1, "batch": 0, "count": 1, "parameters": {}}`, nil, "request", "handle of a batch", -1},
		{`{"type": "batch", "id": 7, "problem": 1, "batch": 1, "count": 3, "parameters": {"p": 0}}`, [][]float64{two}, "problem", "values of parameter p", -1},
		{`{"type": "batch", "id": 7, "problem": 1, "batch": 1, "count": 2, "parameters": {"p": 0}}`, [][]float64{{0, math.Inf(1)}}, "problem", "set 1", 1},
		{`{"type": "batch", "id": 7, "problem": 1, "batch": 1, "count": 2, "parameters": {}, "settings": {"starts": 2}}`, nil, "request", "one start", -1},
		{`{"type": "adjoint", "id": 7, "problem": 1, "batch": 1, "x": 0}`, [][]float64{two}, "handle", "no batch 1", -1},
		{`{"type": "fit", "id": 7, "model": 1, "kind": "regressor", "shape": [2, 2], "X": 0, "y": 1}`, [][]float64{{1, 2, 3}, two}, "data", "3 numbers", -1},
		{`{"type": "fit", "id": 7, "model": 1, "kind": "oracle", "shape": [1, 2], "X": 0, "y": 1}`, [][]float64{two, {1}}, "request", "oracle", -1},
		{`{"type": "predict", "id": 7, "model": 1, "shape": [1, 2], "X": 0}`, [][]float64{two}, "handle", "no model 1", -1},
		{`{"type": "cancel", "id": 7, "target": "all"}`, nil, "request", "target", -1},
	} {
		s.send(frame(tc.header, tc.buffers...))
		r := s.next()
		if r.Type != "error" || r.ID != 7 || len(r.Errors) == 0 {
			t.Errorf("%s: %+v", tc.header, r)
			continue
		}
		e := r.Errors[0]
		if e.Kind != tc.kind || !strings.Contains(e.Error(), tc.text) {
			t.Errorf("%s: %s: %s, want %s with %q", tc.header, e.Kind, e.Error(), tc.kind, tc.text)
		}
		if node := -1; e.Node != nil && *e.Node != tc.node || e.Node == nil && tc.node != node {
			t.Errorf("%s: node %v, want %d", tc.header, e.Node, tc.node)
		}
	}
	s.send(frame(`{"type": "solve", "id": 8, "problem": 1}`))
	if r := s.next(); r.Status != "converged" {
		t.Errorf("%+v", r)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// Of 40 sets, by three sessions, the solutions of minimise sumsq(x - p) with x >= 0, and their
// gradients.
func TestBatch(t *testing.T) {
	s := begin(t, DefaultConfig())
	s.send(frame(`{"type": "load", "id": 1, "problem": 1, "variables": [{"name": "x", "shape": [2], "lo": 0}], "parameters": [{"name": "p", "shape": [2], "value": 1}],
		"nodes": [{"op": "sum", "args": [0, 1], "shape": [2], "attrs": {"factors": [1, -1]}}, {"op": "sumsq", "args": [2], "shape": []}], "objective": {"sense": "minimize", "node": 3}}`, []float64{0}, []float64{1, 1}))
	if r := s.next(); r.Type != "loaded" {
		t.Fatalf("%+v", r)
	}
	const sets = 40
	p, g := make([]float64, 2*sets), make([]float64, 2*sets)
	for i := range p {
		p[i], g[i] = float64(i)-10.5, float64(i+1)
	}
	s.send(frame(`{"type": "batch", "id": 2, "problem": 1, "batch": 5, "count": 40, "parameters": {"p": 0}}`, p))
	var out wire.Solutions
	s.read(&out)
	s.send(frame(`{"type": "adjoint", "id": 3, "problem": 1, "batch": 5, "x": 0}`, g))
	var grad wire.Gradient
	s.read(&grad)
	if len(out.X.V) != 2*sets || len(out.Status) != sets || len(grad.Parameters["p"].V) != 2*sets {
		t.Fatalf("%+v, %+v", out, grad)
	}
	for i, v := range p {
		want, slope := max(v, 0), 0.0
		if v > 0 {
			slope = g[i]
		}
		if math.Abs(out.X.V[i]-want) > 1e-5 || math.Abs(grad.Parameters["p"].V[i]-slope) > 1e-6 {
			t.Errorf("%d: %g and %g, want %g and %g", i, out.X.V[i], grad.Parameters["p"].V[i], want, slope)
		}
	}
	s.send(frame(`{"type": "batch", "id": 4, "problem": 1, "batch": 5, "count": 1, "parameters": {}}`))
	if r := s.next(); r.Type != "error" || r.Errors[0].Kind != "handle" {
		t.Errorf("%+v", r)
	}
	for _, what := range []string{`"batch": 5`, `"problem": 1`} {
		s.send(frame(`{"type": "free", "id": 6, ` + what + `}`))
		if r := s.next(); r.Type != "ok" {
			t.Errorf("%+v", r)
		}
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// Bytes that are no frame end the worker with an error, and cost no memory that has not
// arrived.
func TestBadFrames(t *testing.T) {
	good := frame(`{"type": "hello", "id": 1}`)
	long := bytes.Clone(good)
	binary.LittleEndian.PutUint64(long[8:], 1<<29)
	odd := bytes.Clone(good)
	binary.LittleEndian.PutUint64(odd[8:], 4)
	header := bytes.Clone(good)
	binary.LittleEndian.PutUint32(header[4:], 1<<31)
	old := bytes.Clone(good)
	old[3] = 9
	for _, tc := range []struct {
		name, kind string
		bytes      []byte
	}{
		{"text", "frame", []byte("{\"type\": \"hello\", \"id\": 1}\n")},
		{"another version", "version", old},
		{"an odd length", "frame", odd},
		{"a long header", "frame", header},
		{"the end within the prelude", "frame", good[:5]},
		{"the end within the header", "frame", good[:20]},
		{"the end within a long body", "frame", long},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var out bytes.Buffer
		err := Run(context.Background(), bytes.NewReader(tc.bytes), &out, DefaultConfig())
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", tc.name)
		}
		f, bad := wire.ReadFrame(&out, 1<<20, nil)
		var r reply
		if bad = errors.Join(bad, json.Unmarshal(f.Header, &r)); bad != nil || len(r.Errors) != 1 || r.Errors[0].Kind != tc.kind || r.ID != 0 {
			t.Errorf("%s: %v, %+v", tc.name, bad, r)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
			t.Errorf("%s: %d bytes of memory", tc.name, grown)
		}
	}
}

// A body beyond the limit is skipped; the next request is answered.
func TestLargeBody(t *testing.T) {
	cfg := DefaultConfig()
	cfg.MaxBody = 64
	s := begin(t, cfg)
	go s.send(frame(`{"type": "load_data", "id": 3, "problem": 1, "form": "qp", "q": 0}`, make([]float64, 1000)))
	if r := s.next(); r.ID != 3 || len(r.Errors) != 1 || r.Errors[0].Kind != "limit" {
		t.Errorf("%+v", r)
	}
	go s.send(frame(`{"type": "hello", "id": 4}`))
	if r := s.next(); r.Type != "hello" {
		t.Errorf("%+v", r)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// pairs are the differences of all pairs of 12 points in the plane, as rows.
func pairs() (ptr, idx []int, val []float64) {
	ptr = []int{0}
	for i := range 12 {
		for j := range i {
			for d := range 2 {
				idx, val = append(idx, 2*i+d, 2*j+d), append(val, 1, -1)
				ptr = append(ptr, len(idx))
			}
		}
	}
	return ptr, idx, val
}

// loadLong loads a problem that can take more time than anyone has: points of the
// square as far apart as possible.
func loadLong(t *testing.T, s *session) {
	t.Helper()
	ptr, idx, val := pairs()
	groups := 66
	m := &wire.Load{Problem: 5, Graph: wire.Graph{
		Variables: []wire.Variable{{Name: "x", Shape: []int{2, 12}, Lo: wire.F([]float64{0}), Hi: wire.F([]float64{10})}},
		Nodes: []wire.Node{
			{Op: "affine", Args: []int{0}, Shape: []int{2, 66}, Attrs: &wire.Attrs{Indptr: wire.I(ptr), Indices: wire.I(idx), Data: wire.F(val)}},
			{Op: "norm2", Args: []int{1}, Shape: []int{66}, Attrs: &wire.Attrs{Groups: &groups}}, {Op: "min", Args: []int{2}, Shape: []int{}},
		},
		Objective: &wire.Objective{Sense: "maximize", Node: 3},
	}}
	wire.Address(m, "load", 1)
	var buf bytes.Buffer
	if err := wire.Write(&buf, m); err != nil {
		t.Fatal(err)
	}
	s.send(buf.Bytes())
	if r := s.next(); r.Type != "loaded" {
		t.Fatalf("%+v", r)
	}
}

// A cancel ends the request that runs, which returns its best point, and those that
// wait; the worker goes on.
func TestCancel(t *testing.T) {
	s := begin(t, DefaultConfig())
	loadLong(t, s)
	s.send(frame(`{"type": "solve", "id": 2, "problem": 5, "progress": true, "settings": {"starts": 1000000}}`))
	s.send(frame(`{"type": "solve", "id": 3, "problem": 5}`))
	for range 2 {
		if r := s.next(); r.Type != "progress" || r.ID != 2 {
			t.Fatalf("%+v", r)
		}
	}
	var now time.Time
	go func() {
		s.send(frame(`{"type": "cancel", "id": 4, "target": 3}`))
		now = time.Now()
		s.send(frame(`{"type": "cancel", "id": 5, "target": 2}`))
		s.send(frame(`{"type": "cancel", "id": 6, "target": 99}`))
	}()
	seen := map[uint64]reply{}
	for len(seen) < 5 {
		if r := s.next(); r.Type != "progress" {
			seen[r.ID] = r
		}
	}
	if took := time.Since(now); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if r := seen[2]; r.Type != "result" || r.Status != "cancelled" {
		t.Errorf("%+v", r)
	}
	if r := seen[3]; r.Type != "error" || r.Errors[0].Kind != "cancelled" {
		t.Errorf("%+v", r)
	}
	for id, found := range map[uint64]bool{4: true, 5: true, 6: false} {
		if r := seen[id]; r.Found == nil || *r.Found != found {
			t.Errorf("%d: %+v", id, r)
		}
	}
	s.send(frame(`{"type": "solve", "id": 7, "problem": 5, "settings": {"time_limit": 0.2, "starts": 100000}}`))
	if r := s.next(); r.Type != "result" || r.Status == "cancelled" {
		t.Errorf("%+v", r)
	}
	s.send(frame(`{"type": "free", "id": 8, "problem": 5}`))
	if r := s.next(); r.Type != "ok" {
		t.Errorf("%+v", r)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// The worker ends with its input, whatever runs.
func TestEndOfInput(t *testing.T) {
	s := begin(t, DefaultConfig())
	loadLong(t, s)
	s.send(frame(`{"type": "solve", "id": 2, "problem": 5, "progress": true, "settings": {"starts": 1000000}}`))
	s.next()
	go io.Copy(io.Discard, s.out)
	begin := time.Now()
	if err := s.end(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A reply that nobody takes ends the worker as well.
func TestLostReply(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	if err := Run(context.Background(), bytes.NewReader(bytes.Repeat(frame(`{"type": "hello", "id": 1}`), 3)), w, DefaultConfig()); err == nil {
		t.Error("no error")
	}
}

// A panic is an answer, and the worker goes on.
func TestPanic(t *testing.T) {
	requests["panic"] = request{answer: func(*server, *job) wire.Message { panic("a fault") }}
	defer delete(requests, "panic")
	s := begin(t, DefaultConfig())
	s.send(frame(`{"type": "panic", "id": 1}`))
	if r := s.next(); r.Type != "error" || r.Errors[0].Kind != "internal" || !strings.Contains(r.Errors[0].Text, "a fault") {
		t.Errorf("%+v", r)
	}
	s.send(frame(`{"type": "hello", "id": 2}`))
	if r := s.next(); r.Type != "hello" {
		t.Errorf("%+v", r)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// Columns that end behind all numbers and begin before are refused before they are read.
func TestColumnsThatDescend(t *testing.T) {
	m := &wire.Sparse{Indptr: wire.I([]int{0, 3, 2}), Indices: wire.I([]int{0, 1}), Data: wire.F([]float64{1, 2})}
	err := recovering("load_data", func() { columns("A", m, 2, 2, func(int, int) bool { return true }) })
	if err == nil || !strings.Contains(err.Error(), "indptr descends in column 1") {
		t.Error(err)
	}
}
