package shards_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/shards"
)

// memory are parts in memory, given out in blocks of so many rows.
type memory struct {
	x     [][][]float64
	y     [][]float64
	block int
	reads int
}

func (m *memory) Count() int { return len(m.x) }

func (m *memory) Columns(context.Context, int) ([]string, error) {
	return []string{"a", "b", "c", "y"}, nil
}

func (m *memory) Each(_ context.Context, k int, _ []string, _ string, do func(x [][]float64, y []float64) error) error {
	m.reads++
	for lo := 0; lo < len(m.y[k]); lo += m.block {
		hi := min(lo+m.block, len(m.y[k]))
		if err := do(m.x[k][lo:hi], m.y[k][lo:hi]); err != nil {
			return err
		}
	}
	return nil
}

// table is a piecewise linear function of three features with noise and gaps, in parts
// of unequal sizes.
func table(rows, parts, block int) (*memory, [][]float64, []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := &memory{x: make([][][]float64, parts), y: make([][]float64, parts), block: block}
	var x [][]float64
	var y []float64
	for i := range rows {
		row := []float64{5 + 3*rng.NormFloat64(), rng.Float64(), 100 * rng.NormFloat64()}
		v := max(row[0], 8-row[0]) - max(0, row[2]/50) + row[1] + .1*rng.NormFloat64()
		if i%17 == 0 {
			row[1] = math.NaN()
		}
		k := min(parts-1, i*i*parts/rows/rows)
		m.x[k], m.y[k] = append(m.x[k], row), append(m.y[k], v)
		x, y = append(x, row), append(y, v)
	}
	return m, x, y
}

func regressor(set lder.Settings) *lder.Regressor {
	r := lder.NewRegressor(set)
	r.Features, r.Target = []string{"a", "b", "c"}, "y"
	return r
}

// TestFitIsRefit: a table of which all rows are in the sample has the model of the method
// refit, but for rounding, and the same facts.
func TestFitIsRefit(t *testing.T) {
	for name, impute := range map[string]dataset.Strategy{"mean": dataset.Mean, "constant": dataset.Constant} {
		set := lder.MethodSettings(lder.Refit)
		set.Imputation, set.FillValue = impute, .25
		m, x, y := table(3000, 4, 100)
		got, want := regressor(set), regressor(set)
		if _, err := shards.Fit(t.Context(), got, m, shards.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := want.Fit(t.Context(), x, y); err != nil {
			t.Fatal(err)
		}
		a, err := got.Predict(x)
		if err != nil {
			t.Fatal(err)
		}
		b, err := want.Predict(x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-8 {
				t.Fatalf("%s, row %d: %g, want %g", name, i, a[i], b[i])
			}
		}
		f, g := got.Training, want.Training
		if f.Rows != g.Rows || f.Iterations != g.Iterations || f.Status != g.Status || math.Abs(f.MSE-g.MSE) > 1e-9 || math.Abs(f.FVU-g.FVU) > 1e-9 || math.Abs(f.StartMSE-g.StartMSE) > 1e-8 {
			t.Errorf("%s: %+v, want %+v", name, f, g)
		}
		if w, v := got.Shares(); len(w) != 3 || len(v) != 2 || math.Abs(w[0]+w[1]+w[2]-1) > 1e-9 {
			t.Errorf("%s: shares %v, %v", name, w, v)
		}
		// Full steps come first, so most iterations read the parts once.
		if most := 4 * (3 + 2*f.Iterations); m.reads > most {
			t.Errorf("%s: %d parts read in %d iterations, at most %d should be", name, m.reads, f.Iterations, most)
		}
	}
}

// TestFitBits: blocks of other sizes and other numbers of processors give the same model, bit for
// bit, also where the sample is not all rows.
func TestFitBits(t *testing.T) {
	rows := shards.SampleRows + 20_000
	set := lder.MethodSettings(lder.Refit)
	set.MaxIter = 4
	var first *lder.Regressor
	for _, c := range []struct{ block, processors int }{{1000, 1}, {777, 4}} {
		before := runtime.GOMAXPROCS(c.processors)
		m, _, _ := table(rows, 3, c.block)
		r := regressor(set)
		_, err := shards.Fit(t.Context(), r, m, shards.Options{})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		if r.Training.FVU > .02 {
			t.Errorf("fvu %g", r.Training.FVU)
		}
		if first == nil {
			first = r
			continue
		}
		a, b := first.Model.Params(), r.Model.Params()
		for k := range a {
			if math.Float64bits(a[k]) != math.Float64bits(b[k]) {
				t.Fatalf("parameter %d: %v and %v", k, a[k], b[k])
			}
		}
	}
}

// TestFitRefuses: methods and data that need all rows at once, and parts that fail, are
// errors that name the reason.
func TestFitRefuses(t *testing.T) {
	m, _, _ := table(100, 2, 10)
	for want, change := range map[string]func(s *lder.Settings){
		"method auto": func(s *lder.Settings) { *s = lder.MethodSettings(lder.Auto) },
		"median":      func(s *lder.Settings) { s.Imputation = dataset.Median },
		"MaxIter":     func(s *lder.Settings) { s.MaxIter = 0 },
		"too many":    func(s *lder.Settings) { s.Pieces = [2]int{1000, 1000}; s.MaxIter = 9 },
	} {
		set := lder.MethodSettings(lder.Refit)
		change(&set)
		n := m
		if want == "too many" {
			n = &memory{x: [][][]float64{{make([]float64, 8)}}, y: [][]float64{{1}}, block: 1}
		}
		r := regressor(set)
		if want == "too many" {
			r.Features = make([]string, 8)
		}
		if _, err := shards.Fit(t.Context(), r, n, shards.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	set := lder.MethodSettings(lder.Refit)
	nan := math.NaN()
	for want, m := range map[string]*memory{
		"no row has a target": {x: [][][]float64{{{1, 2, 3}}}, y: [][]float64{{nan}}, block: 1},
		"too large":           {x: [][][]float64{{{1, 2, 1e200}}}, y: [][]float64{{1}}, block: 1},
		"at least one part":   {},
	} {
		if _, err := shards.Fit(t.Context(), regressor(set), m, shards.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestFitStops: where the context ends, there is the best model so far.
func TestFitStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	set := lder.MethodSettings(lder.Refit)
	set.Tol = 1e-15
	set.Recorder = ccp.RecorderFunc(func(it ccp.Iteration) error {
		if it.K == 2 {
			cancel()
		}
		return nil
	})
	m, x, _ := table(2000, 3, 100)
	r := regressor(set)
	if _, err := shards.Fit(ctx, r, m, shards.Options{}); !errors.Is(err, context.Canceled) || r.Model == nil || r.Training.Status != ccp.Cancelled || r.Training.Iterations != 2 {
		t.Fatalf("%v, %+v", err, r.Training)
	}
	if _, err := r.Predict(x); err != nil {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	r = regressor(lder.MethodSettings(lder.Refit))
	if _, err := shards.Fit(ctx, r, m, shards.Options{}); !errors.Is(err, context.Canceled) || r.Model != nil {
		t.Errorf("before the first pass: %v", err)
	}
}

// TestFitConstant: a constant target has a model, and features that do not vary have no say.
func TestFitConstant(t *testing.T) {
	m := &memory{block: 3}
	for range 2 {
		m.x = append(m.x, [][]float64{{1, 2, 3}, {2, 2, 3}, {3, 2, 1}, {7, 2, 2}})
		m.y = append(m.y, []float64{4, 4, 4, 4})
	}
	r := regressor(lder.MethodSettings(lder.Refit))
	if _, err := shards.Fit(t.Context(), r, m, shards.Options{}); err != nil {
		t.Fatal(err)
	}
	if p, err := r.Predict([][]float64{{9, 9, 9}}); err != nil || math.Abs(p[0]-4) > 1e-9 {
		t.Errorf("%v, %v", p, err)
	}
}
