//go:build !race

package lder_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// TestMethods: what holds for all of them.
func TestMethods(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	x := normalRows(rng, 60, 4)
	y := bent(rng, x, .3)
	x[7][2] = math.NaN()
	for _, m := range lder.Methods() {
		t.Run(m.String(), func(t *testing.T) {
			r := fitted(t, x, y, lder.MethodSettings(m))
			tr := r.Training
			// DCA is of linear order and ends at its limit of iterations.
			ended := tr.Status == ccp.Converged || m == lder.DCA && tr.Status == ccp.IterationLimit
			if !(tr.MSE < tr.StartMSE) || !(tr.FVU < .2) || !ended || tr.Iterations < 1 || tr.Method != m || tr.Rows != 60 {
				t.Errorf("training %+v", tr)
			}
			if m.Chooses() != (tr.OOB > 0) || m.Chooses() && !(tr.OOB > tr.FVU && tr.OOB < .3) {
				t.Errorf("out of bag %g, trained %g", tr.OOB, tr.FVU)
			}
			p := predictions(t, r, x)
			if got := dataset.MSE(y, p); math.Abs(got-tr.MSE) > 1e-9*got {
				t.Errorf("MSE %g, the regressor says %g", got, tr.MSE)
			}
			if stack := m >= lder.Cheap; stack != (r.Ensemble != nil) || stack == (r.Model != nil) {
				t.Errorf("model %v, ensemble %v", r.Model != nil, r.Ensemble != nil)
			}
			back, err := lder.Read(strings.NewReader(text(t, r)), "m.json")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(predictions(t, back, x), p) || back.Training != tr || text(t, back) != text(t, r) {
				t.Error("the model file is another model")
			}
			far := [][]float64{{1e3, -1e3, 1e3, 1e3}, {-1e3, 1e3, 0, 1e3}}
			lo, hi := slices.Min(y), slices.Max(y)
			room := .1*(hi-lo) + 1e-9
			for _, v := range predictions(t, r, far) {
				if m != lder.CCP && !(v >= lo-room && v <= hi+room) {
					t.Errorf("%g far outside, the targets lie in [%g, %g]", v, lo, hi)
				}
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			if one := fitted(t, x, y, lder.MethodSettings(m)); text(t, one) != text(t, r) {
				t.Error("one processor makes another model")
			}
		})
	}
}

// TestSeeds: the methods that draw depend on the seed, and on nothing else.
func TestSeeds(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	x := normalRows(rng, 50, 3)
	y := bent(rng, x, .3)
	for _, m := range lder.Methods() {
		set := lder.MethodSettings(m)
		a, b := fitted(t, x, y, set), fitted(t, x, y, set)
		set.Seed = 5
		c := fitted(t, x, y, set)
		if text(t, a) != text(t, b) {
			t.Errorf("%v: two fits differ", m)
		}
		if (text(t, a) == text(t, c)) == m.Chooses() {
			t.Errorf("%v: another seed, and the model is the same: %v", m, !m.Chooses())
		}
	}
}

// TestLinearTarget: a target that is linear is met, outside the range of the
// training targets, too.
func TestLinearTarget(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for _, n := range []int{1, 3, 8} {
		x, test := normalRows(rng, 80, n), normalRows(rng, 200, n)
		linear := func(x [][]float64) (y []float64) {
			for _, row := range x {
				s := 7.
				for j, v := range row {
					s += float64(j+1) * v
				}
				y = append(y, 1e3*s)
			}
			return y
		}
		for i := range test {
			test[i][0] *= 3
		}
		for _, m := range []lder.Method{lder.Auto, lder.Cheap, lder.Bagged, lder.Ensemble} {
			r := fitted(t, x, linear(x), lder.MethodSettings(m))
			if got := dataset.FVU(linear(test), predictions(t, r, test)); !(got <= 1e-12) {
				t.Errorf("%v, %d features: FVU %g", m, n, got)
			}
		}
	}
}

// TestFewRows: as few as there are, constant targets and repeated rows.
func TestFewRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	for _, m := range lder.Methods() {
		for rows := 1; rows <= 12; rows++ {
			x, y := normalRows(rng, rows, 3), normals(rng, rows)
			if rows > 6 {
				x[1], x[2], x[3] = x[0], x[0], x[0]
			}
			r := fitted(t, x, y, lder.MethodSettings(m))
			if p := predictions(t, r, x); !(dataset.MSE(y, p) <= 10) {
				t.Errorf("%v, %d rows: MSE %g", m, rows, dataset.MSE(y, p))
			}
			for i := range y {
				y[i] = .1
			}
			for _, p := range predictions(t, fitted(t, x, y, lder.MethodSettings(m)), x) {
				if math.Abs(p-.1) > 1e-6 {
					t.Errorf("%v, %d rows: %g for a constant target", m, rows, p)
				}
			}
		}
	}
}

// TestWideData: with more features than sizes can be afforded for, what is left
// is compared, and the answer comes soon.
func TestWideData(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 10))
	for _, n := range []int{120, 250} {
		x := normalRows(rng, 60, n)
		y := make([]float64, len(x))
		for i, row := range x {
			y[i] = row[0] + math.Abs(row[1]) + .1*rng.NormFloat64()
		}
		for _, m := range []lder.Method{lder.Auto, lder.Cheap, lder.Bagged} {
			r := fitted(t, x, y, lder.MethodSettings(m))
			if r.Training.Status != ccp.Converged || !(r.Training.OOB < 1.1) {
				t.Errorf("%v, %d features: %+v", m, n, r.Training)
			}
		}
	}
}

// TestWeights: equal weights are none, a row of weight 0 may hold anything, and
// of two rows for one point the weights decide.
func TestWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 5))
	x := normalRows(rng, 60, 2)
	y := bent(rng, x, .2)
	ones := make([]float64, len(y))
	for i := range ones {
		ones[i] = 3
	}
	ctx := context.Background()
	for _, m := range lder.Methods() {
		plain := predictions(t, fitted(t, x, y, lder.MethodSettings(m)), x)
		r := lder.NewRegressor(lder.MethodSettings(m))
		if err := r.FitWeighted(ctx, x, y, ones); err != nil {
			t.Fatal(err)
		}
		if m >= lder.Refit { // elsewhere, ties go by the last bits; here, when to stop
			for i, p := range predictions(t, r, x) {
				if math.Abs(p-plain[i]) > 5e-2 {
					t.Errorf("%v: equal weights give %g, none %g", m, p, plain[i])
					break
				}
			}
		}
		// Half of the rows are doubled with another target and weight 0.
		wide, target, w := slices.Clone(x), slices.Clone(y), slices.Clone(ones)
		for i := range 30 {
			wide, target, w = append(wide, x[i]), append(target, -y[i]), append(w, 0)
		}
		if err := r.FitWeighted(ctx, wide, target, w); err != nil {
			t.Fatal(err)
		}
		most := .15
		if m < lder.Refit {
			most = .6 // one start, which the other rows move
		}
		if got := dataset.FVU(y, predictions(t, r, x)); !(got < most) {
			t.Errorf("%v: FVU %g beside rows of weight 0", m, got)
		}
	}
	for _, c := range []struct {
		w    []float64
		want string
	}{
		{ones[:3], "3 weights for 60 rows"},
		{make([]float64, 60), "all weights are 0"},
		{append([]float64{-1}, ones[1:]...), "row 0 has weight -1"},
		{append([]float64{math.NaN()}, ones[1:]...), "row 0 has weight NaN"},
	} {
		if err := lder.NewRegressor(lder.DefaultSettings()).FitWeighted(ctx, x, y, c.w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestConvexMethodsDescend: the objectives of split and dca are the mean
// squared error, and fall; so does the penalised objective of refit.
func TestConvexMethodsDescend(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 7))
	for range 6 {
		x := normalRows(rng, 50, 2)
		y := bent(rng, x, .4)
		mse := map[lder.Method]float64{}
		for _, m := range []lder.Method{lder.CCP, lder.Split, lder.DCA, lder.Refit} {
			var trace ccp.Trace
			set := lder.MethodSettings(m)
			set.Recorder = &trace
			if m == lder.Refit {
				set.Ridge = 1e-6
			}
			r := fitted(t, x, y, set)
			mse[m] = r.Training.MSE
			for k := 1; k < len(trace.Iterations); k++ {
				if before, after := trace.Iterations[k-1].Objective, trace.Iterations[k].Objective; after > before+1e-6 {
					t.Errorf("%v: the objective rises from %g to %g", m, before, after)
				}
			}
			if m == lder.Split || m == lder.DCA {
				last := trace.Iterations[len(trace.Iterations)-1].Objective
				_, sd := dataset.MeanStd(y)
				if got := r.Training.MSE / (sd * sd); got > last+1e-4 || got < .9*last { // clipping lowers it
					t.Errorf("%v: objective %g, mean squared error %g", m, last, got)
				}
			}
		}
		if !(mse[lder.Split] <= mse[lder.CCP]*1.001) {
			t.Errorf("split ends at %g, ccp at %g", mse[lder.Split], mse[lder.CCP])
		}
	}
}

// TestRidge: slopes shrink as the penalty grows.
func TestRidge(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 8))
	x := normalRows(rng, 60, 2)
	y := bent(rng, x, .2)
	for _, m := range []lder.Method{lder.CCP, lder.Split, lder.DCA, lder.Refit} {
		last := math.Inf(1)
		for _, λ := range []float64{1e-3, 1e-1, 10} {
			set := lder.MethodSettings(m)
			set.Ridge = λ
			p := predictions(t, fitted(t, x, y, set), x)
			_, spread := dataset.MeanStd(p)
			if !(spread < last) {
				t.Errorf("%v: predictions spread by %g at ridge %g, by %g before", m, spread, λ, last)
			}
			last = spread
		}
	}
}

// TestOldModelFile: version 1 is read as it was meant.
func TestOldModelFile(t *testing.T) {
	f, err := os.Open("testdata/model_v1.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := lder.Read(f, "model_v1.json")
	if err != nil {
		t.Fatal(err)
	}
	// km 5.5 and age 1 are 1 and 1 in standard units; the gap is filled with 0.
	for i, p := range predictions(t, r, [][]float64{{5.5, 1}, {1003.5, math.NaN()}}) {
		if want := []float64{4.75, 4.5}[i]; math.Abs(p-want) > 1e-12 {
			t.Errorf("row %d: %g, want %g", i, p, want)
		}
	}
	if r.Clip != lder.Unclipped() || r.Training.OOB != -1 {
		t.Errorf("clip %v, out of bag %g", r.Clip, r.Training.OOB)
	}
}

// TestEnsembleFiles: what cannot be an ensemble is refused with a reason.
func TestEnsembleFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 9))
	x := normalRows(rng, 40, 4)
	y := bent(rng, x, .3)
	r := fitted(t, x, y, lder.MethodSettings(lder.Cheap))
	r.Categories = []dataset.Category{{Column: "town", Coding: dataset.Ordinal, Levels: []string{"Bonn", "Ulm"}}}
	good := text(t, r)
	if back, err := lder.Read(strings.NewReader(good), "m.json"); err != nil || text(t, back) != good {
		t.Fatalf("not read back: %v", err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"ensemble":[`, `"ensemble":[],"x":[`, "unknown field"},
		{`"after":`, `"after":-`, "a stop after"},
		{`"clip":[`, `"clip":[1e9,`, ""},
		{`"weight":`, `"weight":null,"w":`, "null where a number is wanted"},
		{`"features":[`, `"features":["new",`, "imputation fill has 4 values for 5"},
		{`"parts":[{`, `"parts":[{"features":[9],`, ""},
		{`["Bonn","Ulm"]`, `["Ulm","Bonn"]`, "not in order"},
		{`"ordinal"`, `"nominal"`, "no coding"},
		{good[len(good)/2:], "", "m.json:1:"},
	} {
		s := strings.Replace(good, c.old, c.new, 1)
		if s == good {
			t.Errorf("nothing to replace: %.40s", c.old)
		}
		_, err := lder.Read(strings.NewReader(s), "m.json")
		if err == nil && c.want == "" {
			continue // the numbers still fit
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: %v, want %s", c.new, err, c.want)
		}
	}
}
