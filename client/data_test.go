package client_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/client"
)

// A QP in form qp: multipliers, updates and the warm start; another one with the same
// numbers gives the same.
func TestQuadraticProgram(t *testing.T) {
	ctx := context.Background()
	c := worker(t)
	load := func(b float64) *client.Problem {
		p, err := c.LoadData(ctx, &client.Data{ // min x0^2 + x1^2 - x0, x0 + x1 = b, x1 <= 0.25, the matrix in full
			Form: "qp", Q: client.F(-1, 0),
			P: &client.Sparse{Indptr: client.I(0, 2, 4), Indices: client.I(1, 0, 0, 1), Data: client.F(0, 2, 0, 2)},
			A: &client.Sparse{Indptr: client.I(0, 1, 2), Indices: client.I(0, 0), Data: client.F(1, 1)},
			L: client.F(b), U: client.F(b), Hi: client.F(math.Inf(1), 0.25),
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := load(2)
	res, err := p.Solve(ctx, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != "solved" {
		t.Fatalf("%+v", res)
	}
	near(t, "x", res.X.V, []float64{1.75, .25}, 1e-7)
	near(t, "y", res.Y.V, []float64{-2.5}, 1e-6)
	near(t, "z", res.Z.V, []float64{0, 2}, 1e-6)
	res, err = p.Solve(ctx, client.Options{Update: &client.NewValues{L: client.F(0), U: client.F(0), P: client.F(9, 4, 0, 2)}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "x after an update", res.X.V, []float64{1. / 6, -1. / 6}, 1e-7) // min 2 x^2 - x + x^2
	if _, err = p.Solve(ctx, client.Options{Update: &client.NewValues{P: client.F(1)}}); err == nil || !strings.Contains(err.Error(), "P has 1 numbers") {
		t.Error(err)
	}
	if _, err = p.Solve(ctx, client.Options{Update: &client.NewValues{P: client.F(0, -4, 0, 2)}}); err == nil || !strings.Contains(err.Error(), "curvature") {
		t.Error(err)
	}
}

// The conic form has the cones, orders and signs of Clarabel.
func TestConicForm(t *testing.T) {
	ctx := context.Background()
	c := worker(t)
	// Columns of A are unit columns: A x + s = b with A = -I on the cones' rows.
	minus := func(n int) *client.Sparse {
		ptr, idx, val := []int{0}, []int{}, []float64{}
		for k := range n {
			ptr, idx, val = append(ptr, k+1), append(idx, k), append(val, -1)
		}
		return &client.Sparse{Indptr: client.I(ptr...), Indices: client.I(idx...), Data: client.F(val...)}
	}
	fixed := func(n int, at map[int]float64) (lo, hi []float64) {
		lo, hi = make([]float64, n), make([]float64, n)
		for k := range n {
			lo[k], hi[k] = math.Inf(-1), math.Inf(1)
			if v, ok := at[k]; ok {
				lo[k], hi[k] = v, v
			}
		}
		return lo, hi
	}
	geo := math.Pow(2, 0.4) * math.Pow(3, 0.6)
	for _, tc := range []struct {
		name  string
		cone  client.Cone
		q     []float64
		fixed map[int]float64
		x, y  []float64
	}{
		{"nonneg", client.Cone{Kind: "nonneg", Size: 2}, []float64{1, 2}, nil, []float64{0, 0}, []float64{1, 2}},
		{"zero", client.Cone{Kind: "zero", Size: 2}, []float64{1, 2}, nil, []float64{0, 0}, []float64{1, 2}},
		{"soc", client.Cone{Kind: "soc", Size: 3}, []float64{1, 0, 0}, map[int]float64{1: 3, 2: 4}, []float64{5, 3, 4}, []float64{1, -.6, -.8}},
		{"exp", client.Cone{Kind: "exp", Size: 3}, []float64{-1, 0, 1}, map[int]float64{1: 1}, []float64{0, 1, 1}, []float64{-1, -1, 1}},
		{"pow", client.Cone{Kind: "pow", Size: 3, Alpha: 0.4}, []float64{0, 0, -1}, map[int]float64{0: 2, 1: 3}, []float64{2, 3, geo}, []float64{.2 * geo, .2 * geo, -1}},
		{"psd", client.Cone{Kind: "psd", Size: 2}, []float64{1, 0, 1}, map[int]float64{1: math.Sqrt2}, []float64{1, math.Sqrt2, 1}, []float64{1, -math.Sqrt2, 1}},
	} {
		n := len(tc.q)
		lo, hi := fixed(n, tc.fixed)
		p, err := c.LoadData(ctx, &client.Data{
			Form: "conic", Q: client.F(tc.q...), A: minus(n), B: client.F(make([]float64, n)...), Cones: []client.Cone{tc.cone}, Lo: client.F(lo...), Hi: client.F(hi...),
		})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		res, err := p.Solve(ctx, client.Options{})
		if err != nil || res.Status != "solved" {
			t.Errorf("%s: %v, %+v", tc.name, err, res)
			continue
		}
		near(t, tc.name+": x", res.X.V, tc.x, 2e-4) // of eˣ − x, x is within √(2·1e-8) where the objective is within 1e-8
		near(t, tc.name+": y", res.Y.V, tc.y, 1e-5)
		// The same with b and A changed and changed back.
		twice := make([]float64, n)
		once := make([]float64, n)
		for k := range twice {
			twice[k], once[k] = -2, -1
		}
		if err := p.Update(ctx, client.NewValues{A: client.F(twice...)}); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		if res, err = p.Solve(ctx, client.Options{Update: &client.NewValues{A: client.F(once...), B: client.F(make([]float64, n)...)}}); err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		near(t, tc.name+": x again", res.X.V, tc.x, 1e-4)
	}
}

func TestConicCertificates(t *testing.T) {
	ctx := context.Background()
	c := worker(t)
	p, err := c.LoadData(ctx, &client.Data{ // x <= -1, -x <= 0
		Form: "conic", Q: client.F(0), B: client.F(-1, 0), Cones: []client.Cone{{Kind: "nonneg", Size: 2}},
		A: &client.Sparse{Indptr: client.I(0, 2), Indices: client.I(0, 1), Data: client.F(1, -1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Solve(ctx, client.Options{})
	if err != nil || res.Certificate != "primal_infeasible" {
		t.Fatalf("%v, %+v", err, res)
	}
	near(t, "certificate", res.Y.V, []float64{1, 1}, 1e-6)
	res, err = p.Solve(ctx, client.Options{Update: &client.NewValues{B: client.F(math.MaxInt32, 0), Q: client.F(-1), A: client.F(0, -1)}})
	if err != nil || res.Certificate != "dual_infeasible" {
		t.Fatalf("%v, %+v", err, res)
	}
	near(t, "direction", res.X.V, []float64{1}, 1e-6)
}

// A regressor and a classifier: trained, applied, written, read, explained.
func TestModels(t *testing.T) {
	ctx := context.Background()
	c := worker(t)
	var x, y []float64
	var labels []int
	for i := range 60 {
		v := float64(i)/30 - 1
		x, y = append(x, v, math.Cos(float64(7*i))), append(y, math.Abs(v))
		labels = append(labels, map[bool]int{true: 1, false: 0}[math.Abs(v) < 0.4])
	}
	x[7] = math.NaN()
	r, err := c.Fit(ctx, &client.Fit{
		Kind: "regressor", Shape: []int{60, 2}, X: client.F(x...), Y: client.F(y...), Features: []string{"v", "noise"}, Target: "size",
		Settings: &client.FitSettings{Method: client.Ptr("refit"), Pieces: []int{2, 1}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Training.Rows != 60 || r.Training.Method != "refit" || r.Target != "size" || !(*r.Training.MSE < 1e-2) {
		t.Errorf("%+v, mse %g", r.Fitted, *r.Training.MSE)
	}
	if len(r.Used) == 0 || r.Used[0] != 0 || r.Terms < 3 {
		t.Errorf("features %v, %d terms", r.Used, r.Terms)
	}
	short, err := c.Fit(ctx, &client.Fit{
		Kind: "regressor", Shape: []int{60, 2}, X: client.F(x...), Y: client.F(y...),
		Settings: &client.FitSettings{MaxFeatures: client.Ptr(1), FormulaSize: client.Ptr(4)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(short.Used) > 1 || short.Terms > 4 {
		t.Errorf("of at most one feature and four terms: features %v, %d terms", short.Used, short.Terms)
	}
	var refused client.Errors
	if _, err := c.Fit(ctx, &client.Fit{
		Kind: "regressor", Shape: []int{60, 2}, X: client.F(x...), Y: client.F(y...),
		Settings: &client.FitSettings{Method: client.Ptr("refit"), MaxFeatures: client.Ptr(1)},
	}, nil); !errors.As(err, &refused) || refused[0].Kind != "request" {
		t.Error(err)
	}
	out, err := r.Predict(ctx, []float64{0.5, 0, -0.7, 0}, 2)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "predictions", out.Y.V, []float64{0.5, 0.7}, 0.05)
	file, err := r.Export(ctx, "json")
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.LoadModel(ctx, []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	same, err := again.Predict(ctx, []float64{0.5, 0, -0.7, 0}, 2)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "predictions of the file", same.Y.V, out.Y.V, 0)
	if text, err := r.Export(ctx, "text"); err != nil || !strings.Contains(text, "max") || !strings.Contains(text, "noise") {
		t.Errorf("%v: %s", err, text)
	}
	k, err := c.Fit(ctx, &client.Fit{
		Kind: "classifier", Shape: []int{60, 2}, X: client.F(x...), Labels: client.I(labels...), Classes: []string{"out", "in"},
		Settings: &client.FitSettings{Method: client.Ptr("refit"), Pieces: []int{2, 2}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(k.Used) == 0 || k.Terms < 3 {
		t.Errorf("features %v, %d terms", k.Used, k.Terms)
	}
	if strings.Join(k.Classes, " ") != "in out" {
		t.Errorf("classes %v", k.Classes)
	}
	p, err := k.Predict(ctx, []float64{0, 0, 0.9, 0}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if p.Labels.V[0] != 0 || p.Labels.V[1] != 1 || len(p.Proba.V) != 4 || len(p.Decision.V) != 2 || math.Abs(p.Proba.V[0]+p.Proba.V[1]-1) > 1e-12 || !(p.Decision.V[1] > 0) {
		t.Errorf("%+v %v %v %v", p, p.Labels.V, p.Proba.V, p.Decision.V)
	}
	if _, err := k.Export(ctx, "go"); err == nil {
		t.Error("a classifier as Go")
	}
	for _, m := range []*client.Model{r, again, k} {
		if err := m.Free(ctx); err != nil {
			t.Error(err)
		}
	}
	var wrong client.Errors
	if _, err := k.Predict(ctx, []float64{1, 2}, 2); !errors.As(err, &wrong) || wrong[0].Kind != "handle" {
		t.Error(err)
	}
}

// What a graph says is a file of the language, which says the same.
func TestText(t *testing.T) {
	ctx := context.Background()
	g := lasso(6, 3, 5)
	p, err := worker(t).Load(ctx, g, &client.Settings{Seed: client.Ptr(uint64(3))})
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.DC(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"x[0..2]", "minimize", "norm1(x)", "option seed = 3"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Values and progress, settings that stay and that go before them.
func TestEvaluateAndProgress(t *testing.T) {
	ctx := context.Background()
	g := lasso(6, 3, 5)
	p, err := worker(t).Load(ctx, g, &client.Settings{MaxIter: client.Ptr(7)})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Evaluate(ctx, []float64{1, -2, 3}, 0, 2, 5, 6)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "x", v[0], []float64{1, -2, 3}, 0)
	near(t, "lambda, norm1, lambda norm1", []float64{v[1][0], v[2][0], v[3][0]}, []float64{1, 6, 6}, 0)
	if err := p.Set(ctx, map[string]*client.Floats{"lambda": client.F(2)}); err != nil {
		t.Fatal(err)
	}
	if v, err = p.Evaluate(ctx, []float64{1, -2, 3}, 2, 6); err != nil {
		t.Fatal(err)
	}
	near(t, "lambda, lambda norm1", []float64{v[0][0], v[1][0]}, []float64{2, 12}, 0)
	if _, err = p.Solve(ctx, client.Options{Settings: &client.Settings{Presolve: client.Ptr(true)}}); err == nil {
		t.Error("presolve of a graph")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err = p.Solve(ended, client.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
