package baseline_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/baseline"
	"github.com/dcopt/dcopt/lder/dataset"
)

// standardise returns copies of the rows, scaled by the first of them.
func standardise(t *testing.T, train, test [][]float64) (a, b [][]float64) {
	t.Helper()
	scaler, err := dataset.FitScaler(train)
	if err != nil {
		t.Fatal(err)
	}
	scaled := func(rows [][]float64) [][]float64 {
		var all [][]float64
		for _, row := range rows {
			row = append([]float64{}, row...)
			scaler.Apply(row)
			all = append(all, row)
		}
		return all
	}
	return scaled(train), scaled(test)
}

// TestSVRFixture: the predictions are scikit-learn's; peers/fixtures/svr.py made
// the file. Its solver stops at 1e-3.
func TestSVRFixture(t *testing.T) {
	raw, err := os.ReadFile("testdata/svr.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		X, Test       [][]float64
		Y, Prediction []float64
	}
	if err := json.Unmarshal(raw, &f); err != nil || len(f.Test) != 40 {
		t.Fatalf("%d test samples, %v", len(f.Test), err)
	}
	train, test := standardise(t, f.X, f.Test)
	model, err := baseline.FitSVR(context.Background(), train, f.Y, baseline.DefaultSVR())
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for k, row := range test {
		worst = max(worst, math.Abs(model.Predict(row)-f.Prediction[k]))
	}
	if !(worst <= 1e-3) {
		t.Errorf("the largest difference is %g", worst)
	}
}

// paperSVR are the paper's means of FVU over the folds.
var paperSVR = map[string]float64{
	"485_analcatdata_vehicle": 1.091, "560_bodyfat": .209, "712_chscase_geyser1": .265, "210_cloud": .361, "561_cpu": 1.013, "228_elusage": .703,
	"230_machine_cpu": 1.017, "522_pm10": .724, "229_pwLinear": .353, "663_rabe_266": .633, "666_rmftsa_ladata": .511, "706_sleuth_case1202": 1.074,
	"687_sleuth_ex1605": 1.025, "192_vineyard": .628, "519_vinnie": .279, "678_visualizing_environmental": .728, "690_visualizing_galaxy": .513,
}

// fvu of a model trained on all but the fold, on the fold.
func fvu(t *testing.T, d *dataset.Data, fold []int) float64 {
	t.Helper()
	pick := func(rows []int) (x [][]float64, y []float64) {
		for _, i := range rows {
			x, y = append(x, d.X[i]), append(y, d.Y[i])
		}
		return x, y
	}
	trainX, trainY := pick(dataset.TrainRows(fold, len(d.Y)))
	testX, testY := pick(fold)
	trainX, testX = standardise(t, trainX, testX)
	model, err := baseline.FitSVR(context.Background(), trainX, trainY, baseline.DefaultSVR())
	if err != nil {
		t.Fatal(err)
	}
	pred := make([]float64, len(testY))
	for k, row := range testX {
		pred[k] = model.Predict(row)
	}
	return dataset.FVU(testY, pred)
}

// TestSVROptimal: at the solution, samples within the tube have no weight, those
// outside have all of it, and the weights sum to 0.
func TestSVROptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for range 5 {
		set := baseline.SVRSettings{C: 0.5 + 2*rng.Float64(), Epsilon: 0.3 * rng.Float64(), Gamma: 0.2 + rng.Float64()}
		x, y := make([][]float64, 60), make([]float64, 60)
		for i := range x {
			x[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
			y[i] = math.Sin(2*x[i][0]) + x[i][1] + 0.3*rng.NormFloat64()
		}
		m, err := baseline.FitSVR(context.Background(), x, y, set)
		if err != nil {
			t.Fatal(err)
		}
		beta := map[*float64]float64{}
		sum := 0.0
		for k, p := range m.Points {
			beta[&p[0]] = m.Beta[k]
			sum += m.Beta[k]
		}
		if !(math.Abs(sum) <= 1e-5) {
			t.Errorf("the weights sum to %g", sum)
		}
		const tol = 1e-4
		for i := range x {
			r, b := y[i]-m.Predict(x[i]), beta[&x[i][0]]
			switch {
			case r > set.Epsilon+tol && b < set.C-tol, r < -set.Epsilon-tol && b > -set.C+tol, math.Abs(r) < set.Epsilon-tol && math.Abs(b) > tol:
				t.Errorf("residual %g has weight %g; C = %g, epsilon = %g", r, b, set.C, set.Epsilon)
			}
		}
	}
}

func TestSVRRefuses(t *testing.T) {
	x, y := [][]float64{{1}, {2}}, []float64{1, 2}
	good, nan := baseline.DefaultSVR(), math.NaN()
	for _, c := range []struct {
		want string
		x    [][]float64
		y    []float64
	}{
		{"0 samples", nil, nil},
		{"2 samples with 1", x, y[:1]},
		{"features", [][]float64{{1}, {}}, y},
		{"finite", [][]float64{{1}, {nan}}, y},
		{"finite", x, []float64{1, nan}},
	} {
		if _, err := baseline.FitSVR(context.Background(), c.x, c.y, good); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q in it", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := baseline.FitSVR(ctx, x, y, good); err == nil {
		t.Error("a cancelled context is no error")
	}
	// A constant feature, and samples that agree.
	m, err := baseline.FitSVR(context.Background(), [][]float64{{1}, {1}, {1}}, []float64{2, 2, 2}, good)
	if err != nil || !(math.Abs(m.Predict([]float64{1})-2) <= good.Epsilon+1e-6) {
		t.Errorf("%+v, %v", m, err)
	}
}
