package playground

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// diagnostic is a message as the page reads it.
type diagnostic struct {
	Severity, File, Message, Help string
	Line, Column                  int
	EndColumn                     int `json:"end_column"`
	Notes                         []struct{ Message string }
}

// reply is every answer of the engine.
type reply struct {
	Text        *string
	Diagnostics []diagnostic
	Stopped     bool
	Summary     *struct {
		Variables   int
		Shapes      map[string][]int
		Objective   struct{ Sense, Curvature string }
		Constraints []struct {
			Name       string
			Count      int
			Curvature  string
			Linearised []string
		}
		Data []struct{ Name string }
	}
	Result *struct {
		Status     string
		Objective  float64
		Feasible   bool
		Variables  map[string]any
		Lets       map[string]any
		Indices    map[string]any
		Duals      map[string]any
		BoundDuals map[string]any `json:"bound_duals"`
		History    []map[string]any
		Message    string
		Starts     int
		Bound      float64
		Nodes      int
		Proved     bool
		Safe       bool
	}
	Bound *float64
	Scene *struct {
		Panels []struct {
			Marks []struct {
				Kind string
				X, R []float64
			}
		}
	}
	Iterations [][]float64
	Best       *struct {
		Objective float64
		Variables map[string]any
	}
}

func read(t *testing.T, text []byte) (r reply) {
	t.Helper()
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return r
}

const packing = `param r = csv("data/radii.csv")
param n = len(r)
var   c[n,2]  start normal(0, 10)
minimize  max(i in 1..n) ( norminf(c[i,:]) + r[i] )
subject to
  apart[i in 1..n, j in i+1..n]:  norm2(c[i,:] - c[j,:]) >= r[i] + r[j]
`

func TestCheck(t *testing.T) {
	var e Engine
	r := read(t, e.Check(context.Background(), packing))
	if len(r.Diagnostics) != 1 || r.Diagnostics[0].Line != 1 || r.Diagnostics[0].Severity != "error" || r.Summary != nil {
		t.Errorf("without its data: %+v", r)
	}
	e.Put("radii.csv", []byte("1\n2\n1.5\n"))
	r = read(t, e.Check(context.Background(), packing))
	s := r.Summary
	if len(r.Diagnostics) != 0 || s == nil || s.Variables != 6 || s.Objective.Sense != "minimise" || len(s.Constraints) != 1 || s.Constraints[0].Count != 3 || len(s.Constraints[0].Linearised) == 0 || len(s.Data) != 1 {
		t.Errorf("with its data: %+v", r)
	}
	e.Drop("radii.csv")
	if r = read(t, e.Check(context.Background(), packing)); len(r.Diagnostics) != 1 {
		t.Errorf("after a drop: %+v", r)
	}
	e.Put("data/radii.csv", []byte("\x89PNG\r\n\x1a\n\x00\x00"))
	if r = read(t, e.Check(context.Background(), packing)); len(r.Diagnostics) != 1 || r.Diagnostics[0].Line != 1 {
		t.Errorf("with a file of another kind: %+v", r)
	}
	for text, part := range map[string]string{
		"var x\nminimize x^2\noption backend = admm\n": "backend",
		"var x\nminimize x^2\noption mu = 0.5\n":       "mu",
		"":                                             "",
		"var x\nminimize x*\n":                         "",
	} {
		r = read(t, e.Check(context.Background(), text))
		if len(r.Diagnostics) == 0 || !strings.Contains(r.Diagnostics[0].Message, part) {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

func TestSolve(t *testing.T) {
	var e Engine
	e.Put("data/radii.csv", []byte("1\n2\n1.5\n"))
	var told []reply
	r := read(t, e.Solve(context.Background(), packing+"option seed = 1, starts = 2\n", Request{}, func(b []byte) { told = append(told, read(t, b)) }))
	if r.Result == nil || r.Result.Status != "converged" || !r.Result.Feasible || len(r.Result.Variables["c"].([]any)) != 3 || len(r.Result.Duals["apart"].([]any)) != 3 || len(r.Result.History) == 0 {
		t.Fatalf("%+v", r)
	}
	if r.Scene == nil || r.Scene.Panels[0].Marks[0].Kind != "circles" || len(r.Scene.Panels[0].Marks[0].R) != 3 {
		t.Errorf("the picture is %+v", r.Scene)
	}
	if len(told) == 0 || told[len(told)-1].Best == nil && len(told) == 1 || len(told[0].Iterations) == 0 || len(told[0].Iterations[0]) != 5 {
		t.Errorf("news: %+v", told)
	}
	for text, status := range map[string]string{
		"var x >= 1\nlet d = 2*x\nminimize x\n":                          "converged",
		"var x[{\"a\", \"b\"}] in [0, 1]\nmaximize sum(x)\n":             "converged",
		"var x\nminimize x\nsubject to\n  x >= 2\n  x <= 1\n":            "infeasible",
		"var X[2,2] psd\nminimize trace(X)\nsubject to\n  X[1,2] == 1\n": "converged",
		"var x\nminimize x\n":                                            "unbounded",
	} {
		r := read(t, e.Solve(context.Background(), text, Request{}, nil))
		if r.Result == nil || r.Result.Status != status {
			t.Errorf("%q: %+v, want %s", text, r, status)
		}
	}
	if r := read(t, e.Solve(context.Background(), "var x\nminimize y\n", Request{}, nil)); r.Result != nil || len(r.Diagnostics) != 1 {
		t.Errorf("%+v", r)
	}
}

// runsOff would take hours.
const runsOff = `var x[60] in [-1, 1]
minimize sum(i in 1..60, j in 1..60) (x[i]*x[j]*(i - j)^2 - abs(x[i] - x[j]))
option starts = 1000000
`

// TestStop: a solve that runs off ends by its context, asked now and then, with a point.
func TestStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var e Engine
	seen := 0
	r := read(t, e.Solve(Yielding(ctx, time.Millisecond), runsOff, Request{}, func([]byte) {
		if seen++; seen == 2 {
			cancel()
		}
	}))
	if r.Result == nil || r.Result.Status != "cancelled" || r.Result.Message == "" || len(r.Result.Variables["x"].([]any)) != 60 {
		t.Errorf("%+v", r)
	}
	r = read(t, e.Solve(context.Background(), runsOff+"option time_limit = 0.3\n", Request{}, nil))
	if r.Result == nil || r.Result.Message == "" || len(r.Result.Variables["x"].([]any)) != 60 {
		t.Errorf("%+v", r)
	}
	many := "param n = 500\nvar x[n] in [-1, 1]\nminimize sum(i in 1..n, j in 1..n, k in 1..3) abs(x[i] - k*x[j])\n"
	r = read(t, e.Solve(ctx, many, Request{}, nil)) // ctx has ended: there is no point yet
	if r.Result != nil || !r.Stopped || len(r.Diagnostics) != 1 {
		t.Errorf("%+v", r)
	}
	if r = read(t, e.Solve(ctx, "minimize (\n", Request{}, nil)); r.Stopped {
		t.Errorf("a mistake was taken for a stop: %+v", r)
	}
}

func TestFormat(t *testing.T) {
	if r := read(t, Format("var x\nminimize x^2")); r.Text == nil || *r.Text != "var   x\nminimize  x^2\n" {
		t.Errorf("%+v", r)
	}
	if r := read(t, Format("minimize (\n")); r.Text != nil || len(r.Diagnostics) == 0 {
		t.Errorf("%+v", r)
	}
}

// TestRequest: starts, seed and effort go before the options of the text; a proof is asked for.
func TestRequest(t *testing.T) {
	var e Engine
	const text = "var x in [-2, 3] start 2\nminimize abs(x) - 2*abs(x - 1) + sin(7*x)\noption starts = 2, seed = 1\n"
	ask := func(r Request) reply {
		t.Helper()
		return read(t, e.Solve(context.Background(), text, r, nil))
	}
	if r := ask(Request{}); r.Result == nil || r.Result.Starts != 2 || r.Result.Proved {
		t.Errorf("as the text says: %+v", r.Result)
	}
	if r := ask(Request{Starts: 5}); r.Result == nil || r.Result.Starts != 5 {
		t.Errorf("5 starts: %+v", r.Result)
	}
	r := ask(Request{Global: true})
	if r.Result == nil || !r.Result.Proved || r.Result.Bound > r.Result.Objective+1e-6 || !r.Result.Safe {
		t.Errorf("a proof: %+v", r.Result)
	}
	for _, bad := range []Request{{Seed: "-1"}, {Seed: "1.5"}, {Effort: "much"}} {
		if r := ask(bad); r.Result != nil || len(r.Diagnostics) != 1 {
			t.Errorf("%+v: %+v", bad, r)
		}
	}
	var told []reply
	read(t, e.Solve(context.Background(), "var x[6] in [-1, 1]\nminimize sum(i in 1..6, j in 1..6) sin(i*j)*x[i]*x[j] + sum(i in 1..6) sin(9*i*x[i])\n", Request{Global: true},
		func(b []byte) { told = append(told, read(t, b)) }))
	if !slices.ContainsFunc(told, func(r reply) bool { return r.Bound != nil }) {
		t.Errorf("no bound in %d pieces of news", len(told))
	}
	if r := read(t, e.Solve(context.Background(), "var x in [-2, 3]\nminimize abs(x) - 2*abs(x - 1)\n", Request{Effort: "normal"}, nil)); r.Result == nil || !r.Result.Proved {
		t.Errorf("with a second of work: %+v", r.Result)
	}
}
