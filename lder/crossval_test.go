package lder_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

func TestCrossValidate(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	x := normalRows(rng, 57, 3)
	y := bent(rng, x, .3)
	x[4][1] = math.NaN()
	folds, err := dataset.ShuffledKFold(57, 4, 7)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	got, err := lder.CrossValidate(ctx, x, y, folds, lder.MethodSettings(lder.CCP))
	if err != nil {
		t.Fatal(err)
	}
	sum, sq := 0.0, 0.0
	for f, test := range folds {
		var trainX, testX [][]float64
		var trainY, testY []float64
		for i := range x {
			in := false
			for _, k := range test {
				in = in || k == i
			}
			if in {
				testX, testY = append(testX, x[i]), append(testY, y[i])
			} else {
				trainX, trainY = append(trainX, x[i]), append(trainY, y[i])
			}
		}
		r := fitted(t, trainX, trainY, lder.MethodSettings(lder.CCP))
		p := predictions(t, r, testX)
		if got.FVU[f] != dataset.FVU(testY, p) || got.MSE[f] != dataset.MSE(testY, p) || got.Training[f] != r.Training {
			t.Errorf("fold %d: FVU %g, want %g", f, got.FVU[f], dataset.FVU(testY, p))
		}
		sum += got.FVU[f]
	}
	for _, v := range got.FVU {
		sq += (v - sum/4) * (v - sum/4)
	}
	if mean, std := got.MeanFVU(); math.Abs(mean-sum/4) > 1e-14 || math.Abs(std-math.Sqrt(sq/3)) > 1e-14 {
		t.Errorf("%g ± %g, want %g ± %g", mean, std, sum/4, math.Sqrt(sq/3))
	}
	if mean, std := got.MeanMSE(); math.Abs(mean-(got.MSE[0]+got.MSE[1]+got.MSE[2]+got.MSE[3])/4) > 1e-14 || !(std > 0) {
		t.Errorf("MSE %g ± %g of %v", mean, std, got.MSE)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	alone, err := lder.CrossValidate(ctx, x, y, folds, lder.MethodSettings(lder.CCP))
	if err != nil || !reflect.DeepEqual(alone, got) {
		t.Errorf("one processor gives another result: %v", err)
	}
}

func TestCrossValidateRefusals(t *testing.T) {
	x, y := [][]float64{{1}, {2}, {3}, {4}}, []float64{1, 2, 3, 4}
	infinite := [][]float64{{1}, {2}, {3}, {math.Inf(1)}}
	bad := lder.MethodSettings(lder.CCP)
	bad.MaxIter = 0
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx   context.Context
		x     [][]float64
		y     []float64
		folds [][]int
		set   lder.Settings
		want  string
	}{
		{context.Background(), x, y[:3], [][]int{{0, 1}, {2}}, lder.MethodSettings(lder.CCP), "4 rows of features and 3 targets"},
		{context.Background(), x, y, [][]int{{0, 1}, {2}}, lder.MethodSettings(lder.CCP), "hold 3 of 4 rows"},
		{context.Background(), x, y, [][]int{{0, 1}, {2, 3}}, bad, "lder: Settings.MaxIter = 0"},
		{context.Background(), infinite, y, [][]int{{0, 3}, {1, 2}}, lder.MethodSettings(lder.CCP), `lder: row 3: the feature "x1" is +Inf`},
		{cancelled, x, y, [][]int{{0, 1}, {2, 3}}, lder.MethodSettings(lder.CCP), "fold 0: context canceled"},
	} {
		_, err := lder.CrossValidate(c.ctx, c.x, c.y, c.folds, c.set)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if c.ctx == cancelled && !errors.Is(err, context.Canceled) {
			t.Errorf("%v does not wrap the context's error", err)
		}
	}
}

// paperSets are the sets of the paper with what an independent implementation
// of Algorithm 2 gave for the mean FVU.
var paperSets = map[string]float64{
	"485_analcatdata_vehicle": .365, "560_bodyfat": .031, "712_chscase_geyser1": .235, "210_cloud": .181,
	"561_cpu": .063, "228_elusage": .290, "230_machine_cpu": .136, "522_pm10": .836, "229_pwLinear": .229,
	"663_rabe_266": .008, "666_rmftsa_ladata": .484, "706_sleuth_case1202": .328, "687_sleuth_ex1605": .655,
	"192_vineyard": .520, "519_vinnie": .254, "678_visualizing_environmental": .651, "690_visualizing_galaxy": .090,
}

// docsTable reads the table in docs/lab/lder.md: by method, then by set.
func docsTable(t *testing.T) map[string]map[string]float64 {
	text, err := os.ReadFile(filepath.Join("..", "docs", "lab", "lder.md"))
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]map[string]float64{}
	var head []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		switch {
		case len(cells) > 3 && cells[2] == "set":
			head = cells
		case len(cells) == len(head) && strings.HasPrefix(cells[1], "D"):
			for k, cell := range cells {
				if _, err := lder.ParseMethod(head[k]); err != nil {
					continue
				}
				mean, _, _ := strings.Cut(cell, " ")
				v, err := strconv.ParseFloat(mean, 64)
				if err != nil {
					t.Fatalf("docs/lab/lder.md: %v in %q", err, line)
				}
				if table[head[k]] == nil {
					table[head[k]] = map[string]float64{}
				}
				table[head[k]][cells[2]] = v
			}
		}
	}
	return table
}

func benchmarkFit(b *testing.B, m, n int) {
	rng := rand.New(rand.NewPCG(6, 1))
	x := normalRows(rng, m, n)
	y := bent(rng, x, .3)
	for b.Loop() {
		if err := lder.NewRegressor(lder.MethodSettings(lder.CCP)).Fit(context.Background(), x, y); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFit500x2(b *testing.B)   { benchmarkFit(b, 500, 2) }
func BenchmarkFit500x10(b *testing.B)  { benchmarkFit(b, 500, 10) }
func BenchmarkFit2000x10(b *testing.B) { benchmarkFit(b, 2000, 10) }
func BenchmarkFit2000x50(b *testing.B) { benchmarkFit(b, 2000, 50) }
