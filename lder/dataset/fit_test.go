package dataset_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/lder/dataset"
)

func TestFitImputer(t *testing.T) {
	nan := math.NaN()
	x := [][]float64{{1, nan, 5}, {nan, nan, 5}, {4, nan, 5}}
	im, err := dataset.FitImputer(x, dataset.Mean)
	if err != nil || !slices.Equal(im.Fill, []float64{2.5, 0, 5}) {
		t.Fatalf("%v, %v", im, err)
	}
	row := []float64{nan, 7, nan}
	if im.Apply(row); !slices.Equal(row, []float64{2.5, 7, 5}) {
		t.Errorf("row became %v", row)
	}
	for _, bad := range [][][]float64{nil, {{1, 2}, {1}}, {{1}, {math.Inf(1)}}} {
		if _, err := dataset.FitImputer(bad, dataset.Mean); err == nil {
			t.Errorf("%v accepted", bad)
		}
	}
	if _, err := dataset.FitImputer(x, 99); err == nil || !strings.Contains(err.Error(), "Strategy(99)") {
		t.Errorf("unknown strategy: %v", err)
	}
}

func TestStrategyText(t *testing.T) {
	for _, want := range []dataset.Strategy{dataset.Mean, dataset.Median, dataset.MostFrequent, dataset.Constant} {
		if s, err := dataset.ParseStrategy(want.String()); err != nil || s != want {
			t.Errorf("%v, %v", s, err)
		}
	}
	if _, err := dataset.ParseStrategy("mode"); err == nil || !strings.Contains(err.Error(), "want one of mean, median") {
		t.Errorf("%v", err)
	}
}

func TestFitScaler(t *testing.T) {
	x := [][]float64{{1, 7, 0.1, 1e300}, {2, 7, 0.1, -1e300}, {6, 7, 0.1, 1e300}}
	s, err := dataset.FitScaler(x)
	if err != nil {
		t.Fatal(err)
	}
	// The third column is constant up to the rounding of its mean.
	want := []float64{math.Sqrt(14. / 3), 1, 1, math.Sqrt(8./9) * 1e300}
	for j, w := range want {
		if math.Abs(s.Scale[j]-w) > 1e-14*w {
			t.Errorf("scale %d is %g, want %g", j, s.Scale[j], w)
		}
	}
	row := slices.Clone(x[2])
	s.Apply(row)
	if math.Abs(row[0]-3/want[0]) > 1e-15 || row[1] != 0 || math.Abs(row[2]) > 1e-15 || math.Abs(row[3]-math.Sqrt(.5)) > 1e-15 {
		t.Errorf("row became %v", row)
	}
	if _, err := dataset.FitScaler([][]float64{{1}, {math.NaN()}}); err == nil || !strings.Contains(err.Error(), "row 1, column 0") {
		t.Errorf("missing value: %v", err)
	}
}

func TestKFold(t *testing.T) {
	folds, err := dataset.KFold(7, 3)
	if err != nil || len(folds) != 3 || !slices.Equal(folds[0], []int{0, 1, 2}) || !slices.Equal(folds[2], []int{5, 6}) {
		t.Fatalf("%v, %v", folds, err)
	}
	if got := dataset.TrainRows(folds[1], 7); !slices.Equal(got, []int{0, 1, 2, 5, 6}) {
		t.Errorf("train rows %v", got)
	}
	for _, bad := range [][2]int{{5, 1}, {5, 6}, {0, 2}, {5, -1}} {
		if _, err := dataset.ShuffledKFold(bad[0], bad[1], 1); err == nil {
			t.Errorf("KFold%v accepted", bad)
		}
	}
}

func TestShuffledKFoldIsPartition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		n := 2 + rng.IntN(300)
		k := 2 + rng.IntN(min(n-1, 12))
		folds, err := dataset.ShuffledKFold(n, k, rng.Uint32())
		if err != nil {
			t.Fatal(err)
		}
		if err := dataset.CheckFolds(folds, n); err != nil {
			t.Fatal(err)
		}
		for _, f := range folds {
			if len(f) < n/k || len(f) > n/k+1 || !slices.IsSorted(f) {
				t.Fatalf("n %d, k %d: fold %v", n, k, f)
			}
		}
	}
}

func TestCheckFolds(t *testing.T) {
	for _, c := range []struct {
		folds [][]int
		want  string
	}{
		{[][]int{{0, 1, 2}}, "at least 2 folds"},
		{[][]int{{0, 1, 2}, {}}, "fold 1 is empty"},
		{[][]int{{0, 1}, {2, 3}}, "fold 1 holds row 3, the rows are 0 to 2"},
		{[][]int{{0, 1}, {-1, 2}}, "fold 1 holds row -1"},
		{[][]int{{0, 1}, {1, 2}}, "row 1 is in fold 0 and in fold 1"},
		{[][]int{{0}, {2}}, "hold 2 of 3 rows (row 1 is in none)"},
	} {
		if err := dataset.CheckFolds(c.folds, 3); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.folds, err, c.want)
		}
	}
}

func TestReadFolds(t *testing.T) {
	f, err := dataset.ReadFolds(strings.NewReader(`{"one": [[0, 2], [1]], "two": [[0], [0]]}`), "f.json")
	if err != nil {
		t.Fatal(err)
	}
	if folds, err := f.Of("one", 3); err != nil || !slices.Equal(folds[0], []int{0, 2}) {
		t.Errorf("%v, %v", folds, err)
	}
	for _, c := range []struct{ set, want string }{
		{"on", `no folds for "on"; did you mean "one"?; there are folds for one, two`},
		{"two", "two: dataset: row 0 is in fold 0 and in fold 1"},
	} {
		if _, err := f.Of(c.set, 3); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, bad := range []string{"", "{}", "[[0],[1]]", `{"a": [[0.5]]}`, `{"a": [[0],[1]]} {}`, `{"a": `} {
		if _, err := dataset.ReadFolds(strings.NewReader(bad), "f.json"); err == nil || !strings.HasPrefix(err.Error(), "f.json: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestSetName(t *testing.T) {
	for path, want := range map[string]string{"a/192_vineyard.tsv.gz": "192_vineyard", "b.csv": "b", "c": "c", "v1.2.csv": "v1.2"} {
		if got := dataset.SetName(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestMetrics(t *testing.T) {
	y, p := []float64{1, 2, 6}, []float64{1, 4, 5}
	if got := dataset.MSE(y, p); got != 5./3 {
		t.Errorf("MSE %g", got)
	}
	if got := dataset.FVU(y, p); math.Abs(got-5./14) > 1e-15 {
		t.Errorf("FVU %g", got)
	}
	if got := dataset.R2(y, p); math.Abs(got-9./14) > 1e-15 {
		t.Errorf("R2 %g", got)
	}
	if got := dataset.FVU(y, []float64{3, 3, 3}); math.Abs(got-1) > 1e-15 {
		t.Errorf("FVU of the mean %g", got)
	}
	c := []float64{.1, .1, .1}
	if dataset.FVU(c, c) != 0 || dataset.R2(c, c) != 1 {
		t.Error("constant, exact: want FVU 0")
	}
	if dataset.FVU(c, y) != 1 || dataset.R2(c, y) != 0 {
		t.Error("constant, not exact: want FVU 1")
	}
	huge := []float64{1e200, 2e200, 6e200}
	if got := dataset.FVU(huge, []float64{1e200, 4e200, 5e200}); math.Abs(got-5./14) > 1e-15 {
		t.Errorf("FVU of large numbers %g", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("different lengths accepted")
		}
	}()
	dataset.MSE(y, c[:2])
}
