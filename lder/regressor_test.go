package lder_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

func fitted(t *testing.T, x [][]float64, y []float64, set lder.Settings) *lder.Regressor {
	t.Helper()
	r := lder.NewRegressor(set)
	if err := r.Fit(context.Background(), x, y); err != nil {
		t.Fatal(err)
	}
	return r
}

func predictions(t *testing.T, r *lder.Regressor, x [][]float64) []float64 {
	t.Helper()
	p, err := r.Predict(x)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bent is a random piecewise linear function of x with noise.
func bent(rng *rand.Rand, x [][]float64, noise float64) []float64 {
	m := randomModel(rng, 3, 2, len(x[0]))
	y := m.PredictAll(x)
	for i := range y {
		y[i] += noise * rng.NormFloat64()
	}
	return y
}

// oneProgram reports whether got is the mean squared error after the paper's
// quadratic program at the given model. Solutions put kinks on samples, where
// rounding decides which piece is linearised: there any of them will do, and
// moving the pieces by less than matters otherwise chooses one.
func oneProgram(t *testing.T, rng *rand.Rand, x [][]float64, y []float64, at *lder.Model, got float64) (want float64, ok bool) {
	r1, r2, n := at.Dims()
	moved := lder.NewModel(r1, r2, n)
	α := slices.Clone(at.Params())
	for range 64 {
		moved.SetParams(α)
		_, trace := algorithm2(t, x, y, moved, 1, 0)
		if want = trace[1]; math.Abs(got-want) <= 1e-6 {
			return want, true
		}
		if ties(at, x) == 0 {
			break
		}
		copy(α, at.Params())
		for l := range r1 + r2 {
			α[l*(n+1)+n] += 1e-10 * rng.NormFloat64()
		}
	}
	// Too many choices to meet the one that was made: let it be any descent.
	return want, ties(at, x) > 5 && got <= dataset.MSE(y, at.PredictAll(x))+1e-9
}

// ties counts, over both maxima, the samples at which the largest piece and the
// next one are equal up to rounding.
func ties(m *lder.Model, x [][]float64) int {
	r1, r2, n := m.Dims()
	α, count := m.Params(), 0
	for _, xi := range x {
		for _, pieces := range [2][2]int{{0, r1}, {r1, r1 + r2}} {
			top, next := math.Inf(-1), math.Inf(-1)
			for l := pieces[0]; l < pieces[1]; l++ {
				v := α[l*(n+1)+n]
				for k, e := range xi {
					v += α[l*(n+1)+k] * e
				}
				top, next = max(top, v), max(next, min(top, v))
			}
			if top-next < 1e-9 {
				count++
			}
		}
	}
	return count
}

// TestFitFollowsAlgorithm2: every step of Fit reaches the optimum of the
// paper's quadratic program at the point before, assembled here by hand.
func TestFitFollowsAlgorithm2(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, c := range []struct {
		m, n, r1, r2 int
		noise        float64
	}{{60, 1, 2, 1, .1}, {80, 3, 3, 2, .3}, {50, 4, 2, 3, 1}, {120, 2, 4, 4, .2}, {40, 2, 1, 1, 1}} {
		x := standardised(t, normalRows(rng, c.m, c.n))
		y := bent(rng, x, c.noise)
		mean, scale := dataset.MeanStd(y)
		for i := range y {
			y[i] = (y[i] - mean) / scale
		}
		var trace ccp.Trace
		set := lder.MethodSettings(lder.CCP)
		set.Pieces, set.Recorder = [2]int{c.r1, c.r2}, &trace
		r := fitted(t, x, y, set)
		at := lder.Start(x, y, c.r1, c.r2)
		if mse := dataset.MSE(y, at.PredictAll(x)); math.Abs(mse-r.Training.StartMSE) > 1e-9*mse {
			t.Errorf("%+v: start %g, want %g", c, r.Training.StartMSE, mse)
		}
		for k, it := range trace.Iterations {
			if want, ok := oneProgram(t, rng, x, y, at, it.Objective); !ok {
				t.Errorf("%+v: objective %.8f after program %d, want %.8f", c, it.Objective, k+1, want)
			}
			if it.Slack > 1e-6 {
				t.Errorf("%+v: slacks %g", c, it.Slack)
			}
			at.SetParams(it.X[:len(at.Params())])
		}
		// With one piece each the problem is convex, and one program solves it.
		if n := len(trace.Iterations); n < min(2, c.r1*c.r2) || r.Training.Iterations != n || r.Training.Status != ccp.Converged {
			t.Errorf("%+v: %d iterations, %+v", c, n, r.Training)
		}
	}
}

// awkward returns data of many kinds: dependent, constant and missing columns,
// repeated rows, few rows, large and small numbers.
func awkward(rng *rand.Rand) (x [][]float64, y []float64) {
	m, n := 1+rng.IntN(40), 1+rng.IntN(5)
	x = normalRows(rng, m, n)
	y = bent(rng, x, rng.Float64())
	scale := math.Pow(10, float64(rng.IntN(13)-6))
	for i, row := range x {
		y[i] *= scale
		switch rng.IntN(8) {
		case 0:
			copy(row, x[rng.IntN(m)])
		case 1:
			row[rng.IntN(n)] = math.NaN()
		}
	}
	if n > 1 {
		kind := rng.IntN(4)
		for _, row := range x {
			switch kind {
			case 0:
				row[1] = 2 * row[0]
			case 1:
				row[1] = 7
			case 2:
				row[1] = math.Round(row[1])
			}
		}
	}
	return x, y
}

// TestFitNeverIncreasesTheError on whatever data.
func TestFitNeverIncreasesTheError(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for k := range 60 {
		x, y := awkward(rng)
		var trace ccp.Trace
		set := lder.MethodSettings(lder.CCP)
		set.Pieces, set.Recorder = [2]int{1 + rng.IntN(4), 1 + rng.IntN(3)}, &trace
		r := fitted(t, x, y, set)
		tr := r.Training
		if !(tr.MSE <= tr.StartMSE) || !(tr.FVU <= 1+1e-9) && tr.StartMSE < tr.MSE {
			t.Errorf("case %d: from %g to %g", k, tr.StartMSE, tr.MSE)
		}
		p := predictions(t, r, x)
		if got := dataset.MSE(y, p); math.Abs(got-tr.MSE) > 1e-8*(tr.StartMSE+got) {
			t.Errorf("case %d: MSE %g, the regressor says %g", k, got, tr.MSE)
		}
		for i := 1; i < len(trace.Iterations); i++ {
			if before, after := trace.Iterations[i-1].Objective, trace.Iterations[i].Objective; after > before+1e-6 {
				t.Errorf("case %d: the objective rises from %g to %g", k, before, after)
			}
		}
		if tr.Status != ccp.Converged {
			t.Errorf("case %d: %v", k, tr.Status)
		}
	}
}

// TestFitFindsTheFunction that made the data, where the start finds its cells.
// The quadratic programs are solved to 1e-8 in the squares of the errors.
func TestFitFindsTheFunction(t *testing.T) {
	var x [][]float64
	var up, down []float64
	for i := range 41 {
		v := float64(i-20) / 4
		x, up, down = append(x, []float64{v}), append(up, math.Abs(v)+3), append(down, -2*math.Abs(v)+v)
	}
	set := lder.MethodSettings(lder.CCP)
	for _, c := range []struct {
		y      []float64
		pieces [2]int
	}{{up, [2]int{2, 1}}, {down, [2]int{1, 2}}} {
		set.Pieces = c.pieces
		r := fitted(t, x, c.y, set)
		for i, p := range predictions(t, r, x) {
			if math.Abs(p-c.y[i]) > 1e-3 {
				t.Errorf("pieces %v: %g at %g, want %g", c.pieces, p, x[i][0], c.y[i])
			}
		}
	}
}

// TestFitUnits: other units of features and target change nothing else.
func TestFitUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	x := normalRows(rng, 60, 2)
	y := bent(rng, x, .3)
	want := predictions(t, fitted(t, x, y, lder.MethodSettings(lder.CCP)), x)
	for _, c := range []struct{ feature, shift, target, offset float64 }{
		{1e6, -3, 1, 0}, {1, 0, 1e-9, 0}, {1, 0, -1, 0}, {1e-3, 5, 1e80, 1e80}, {1, 0, 1e-150, 0},
	} {
		u, v := make([][]float64, len(x)), make([]float64, len(y))
		for i := range x {
			u[i] = []float64{c.feature * (x[i][0] + c.shift), x[i][1]}
			v[i] = c.target*y[i] + c.offset
		}
		set := lder.MethodSettings(lder.CCP)
		if c.target < 0 {
			continue // W and M do not play the same part
		}
		for i, p := range predictions(t, fitted(t, u, v, set), u) {
			if got := (p - c.offset) / c.target; math.Abs(got-want[i]) > 1e-3 {
				t.Errorf("%+v: row %d has %g, want %g", c, i, got, want[i])
				break
			}
		}
	}
}

func TestFitSmallData(t *testing.T) {
	for _, c := range []struct {
		what string
		x    [][]float64
		y    []float64
	}{
		{"one row", [][]float64{{3}}, []float64{5}},
		{"constant target", [][]float64{{1}, {2}, {3}}, []float64{.1, .1, .1}},
		{"zero target", [][]float64{{1}, {2}, {3}}, []float64{0, 0, 0}},
		{"constant features", [][]float64{{1, 1}, {1, 1}}, []float64{3, 3}},
		{"only missing values", [][]float64{{math.NaN()}, {math.NaN()}}, []float64{3, 3}},
		{"more features than rows", [][]float64{{1, 2, 3, 4}, {4, 3, 1, 1}}, []float64{-1, 4}},
	} {
		r := fitted(t, c.x, c.y, lder.MethodSettings(lder.CCP))
		for i, p := range predictions(t, r, c.x) {
			if math.Abs(p-c.y[i]) > 1e-6 {
				t.Errorf("%s: %g, want %g", c.what, p, c.y[i])
			}
		}
	}
}

func TestFitRefusals(t *testing.T) {
	good, y := [][]float64{{1, 2}, {3, 4}}, []float64{1, 2}
	for _, c := range []struct {
		x     [][]float64
		y     []float64
		spoil func(*lder.Regressor)
		want  string
	}{
		{nil, nil, nil, "0 rows of features and 0 targets"},
		{good, y[:1], nil, "2 rows of features and 1 targets"},
		{[][]float64{{}, {}}, y, nil, "no features"},
		{[][]float64{{1, 2}, {3}}, y, nil, "row 1 has 1 features, want 2"},
		{[][]float64{{1, 2}, {3, math.Inf(1)}}, y, nil, `row 1: the feature "x2" is +Inf`},
		{good, []float64{1, math.NaN()}, nil, `row 1: the target "y" is NaN`},
		{good, []float64{math.Inf(-1), 1}, nil, `row 0: the target "y" is -Inf`},
		{good, []float64{1e101, 1}, nil, `row 0: the target "y" is 1e+101`},
		{good, y, func(r *lder.Regressor) { r.Features = []string{"a"} }, "1 names for 2 features"},
		{good, y, func(r *lder.Regressor) { r.Features = []string{"a", "a"} }, `two features are named "a"`},
		{good, y, func(r *lder.Regressor) { r.Settings.Pieces[1] = 0 }, "Settings.Pieces = [3 0]"},
		{good, y, func(r *lder.Regressor) { r.Settings.Method = 77 }, "Settings.Method = Method(77)"},
		{good, y, func(r *lder.Regressor) { r.Settings.Imputation = 77 }, "Settings.Imputation = Strategy(77)"},
	} {
		r := lder.NewRegressor(lder.MethodSettings(lder.CCP))
		if c.spoil != nil {
			c.spoil(r)
		}
		before := *r
		err := r.Fit(context.Background(), c.x, c.y)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if !reflect.DeepEqual(*r, before) {
			t.Errorf("%s: the regressor has changed", c.want)
		}
	}
}

func TestSettingsNameTheirFields(t *testing.T) {
	if err := lder.MethodSettings(lder.CCP).Validate(); err != nil {
		t.Fatal(err)
	}
	kind := reflect.TypeOf(lder.Settings{})
	tried := 0
	for i := range kind.NumField() {
		for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
			s := lder.MethodSettings(lder.CCP)
			v := reflect.ValueOf(&s).Elem().Field(i)
			switch v.Kind() {
			case reflect.Float64:
				v.SetFloat(bad)
			case reflect.Int:
				v.SetInt(-1)
			case reflect.Uint8:
				v.SetUint(255)
			case reflect.Array:
				v.Index(1).SetInt(-1)
			case reflect.Interface, reflect.Func, reflect.Uint64: // nil and any seed will do
				continue
			default:
				t.Fatalf("field %s of a kind without a test", kind.Field(i).Name)
			}
			if kind.Field(i).Name == "FillValue" && bad == -1 {
				continue
			}
			tried++
			if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "Settings."+kind.Field(i).Name) {
				t.Errorf("%s = %v: %v", kind.Field(i).Name, v, err)
			}
		}
	}
	if tried != 26 { // nine fields, three times, but a FillValue of -1
		t.Errorf("%d values tried", tried)
	}
}

func TestMethodText(t *testing.T) {
	for _, want := range lder.Methods() {
		if m, err := lder.ParseMethod(want.String()); err != nil || m != want {
			t.Errorf("%v, %v", m, err)
		}
	}
	if _, err := lder.ParseMethod("bag"); err == nil || !strings.Contains(err.Error(), `; want one of ccp, split, `) {
		t.Errorf("%v", err)
	}
	if lder.DefaultSettings().Method != lder.Auto {
		t.Error("the default is not auto")
	}
}

func TestFitInterrupted(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x := normalRows(rng, 80, 3)
	y := bent(rng, x, .3)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := lder.NewRegressor(lder.MethodSettings(lder.CCP))
	if err := r.Fit(ctx, x, y); !errors.Is(err, context.Canceled) || r.Model != nil {
		t.Errorf("cancelled before: %v, model %v", err, r.Model)
	}

	ctx, cancel = context.WithCancel(context.Background())
	set := lder.MethodSettings(lder.CCP)
	set.Recorder = ccp.RecorderFunc(func(ccp.Iteration) error { cancel(); return nil })
	r = lder.NewRegressor(set)
	if err := r.Fit(ctx, x, y); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled after an iteration: %v", err)
	}
	if r.Training.Status != ccp.Cancelled || r.Training.Iterations != 1 || !(r.Training.MSE < r.Training.StartMSE) {
		t.Errorf("cancelled after an iteration: %+v", r.Training)
	}
	if got := dataset.MSE(y, predictions(t, r, x)); math.Abs(got-r.Training.MSE) > 1e-9 {
		t.Errorf("MSE %g, want %g", got, r.Training.MSE)
	}

	set.Recorder = ccp.RecorderFunc(func(ccp.Iteration) error { return ccp.ErrStop })
	r = fitted(t, x, y, set)
	if r.Training.Iterations != 1 || r.Model == nil {
		t.Errorf("stopped: %+v", r.Training)
	}

	ctx, cancel = context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	if err := lder.NewRegressor(lder.MethodSettings(lder.CCP)).Fit(ctx, x, y); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("out of time: %v", err)
	}

	set.Recorder, set.MaxIter = nil, 1
	if r := fitted(t, x, y, set); r.Training.Status != ccp.IterationLimit || r.Training.Iterations != 1 {
		t.Errorf("one iteration: %+v", r.Training)
	}
}

func TestPredict(t *testing.T) {
	r := lder.NewRegressor(lder.MethodSettings(lder.CCP))
	if _, err := r.Predict(nil); err == nil || !strings.Contains(err.Error(), "not fitted") {
		t.Errorf("unfitted: %v", err)
	}
	nan := math.NaN()
	x := [][]float64{{1, 5}, {nan, 7}, {3, 6}, {4, nan}}
	y := []float64{1, 2, 3, 4}
	keep := fmt.Sprint(x)
	r = fitted(t, x, y, lder.MethodSettings(lder.CCP))
	p := predictions(t, r, x)
	if fmt.Sprint(x) != keep {
		t.Error("Fit or Predict has written to its argument")
	}
	// The means of the columns' values are 8/3 and 6.
	if q := predictions(t, r, [][]float64{{8. / 3, 7}, {4, 6}}); q[0] != p[1] || q[1] != p[3] {
		t.Errorf("gaps give %v, the means %v", p, q)
	}
	for _, c := range []struct {
		row  []float64
		want string
	}{
		{[]float64{1}, "row 0 has 1 features, want 2"},
		{[]float64{1, math.Inf(-1)}, `row 0: the feature "x2" is -Inf`},
		{[]float64{math.MaxFloat64, -math.MaxFloat64}, "overflows"},
	} {
		r := *r
		r.Model = lder.NewModel(1, 1, 2)
		r.Model.W[0] = []float64{1e10, 1e10}
		if _, err := r.Predict([][]float64{c.row}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	score, err := r.Score(x, y)
	if err != nil || math.Abs(score-(1-dataset.FVU(y, p))) > 0 {
		t.Errorf("score %g, %v", score, err)
	}
	for _, bad := range [][]float64{y[:2], {1, 2, 3, nan}} {
		if _, err := r.Score(x, bad); err == nil {
			t.Errorf("score against %v", bad)
		}
	}
}

func TestFitIsRepeatable(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	x := normalRows(rng, 70, 3)
	y := bent(rng, x, .3)
	a, b := fitted(t, x, y, lder.MethodSettings(lder.CCP)), fitted(t, x, y, lder.MethodSettings(lder.CCP))
	if !slices.Equal(a.Model.Params(), b.Model.Params()) {
		t.Error("two fits of the same data differ")
	}
}
