package lder_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// caseTable reads a table of the folder of cases.
func caseTable(t *testing.T, name, target string) *dataset.Data {
	t.Helper()
	path := shared.Path(t, "data", "cases", "fit", name)
	tab, err := dataset.ReadFile(path, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := tab.Supervised(target, dataset.DefaultSelection())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// wideTable is a table of m rows and n features whose target is a function of the
// features, with signal times the variance of the noise beside it.
type wideTable struct {
	m, n   int
	kind   string // noise, dense, sparse, factors, bent
	signal float64
}

// wideTables are of all shapes around and beyond a row a feature.
func wideTables() []wideTable {
	var all []wideTable
	for _, shape := range [][2]int{{24, 40}, {30, 30}, {36, 32}} {
		all = append(all, wideTable{shape[0], shape[1], "noise", 0})
		for _, kind := range []string{"dense", "sparse", "factors", "bent"} {
			for _, signal := range []float64{1, 10} {
				all = append(all, wideTable{shape[0], shape[1], kind, signal})
			}
		}
	}
	return all
}

// draw returns training and test rows.
func (w wideTable) draw(rng *rand.Rand, tests int) (x [][]float64, y []float64, testX [][]float64, testY []float64) {
	rows := w.m + tests
	all := normalRows(rng, rows, w.n)
	if w.kind == "factors" {
		few, loadings := normalRows(rng, rows, 4), normalRows(rng, 4, w.n)
		for i, row := range all {
			for j := range row {
				row[j] *= .5
				for k, v := range few[i] {
					row[j] += v * loadings[k][j]
				}
			}
		}
	}
	slopes := normals(rng, w.n)
	if w.kind == "sparse" || w.kind == "bent" {
		clear(slopes[3:])
	}
	f := make([]float64, rows)
	for i, row := range all {
		for j, v := range row {
			f[i] += slopes[j] * v
		}
		if w.kind == "bent" {
			f[i] += 2 * math.Abs(row[0])
		}
	}
	_, sd := dataset.MeanStd(f)
	for i := range f {
		f[i] *= math.Sqrt(w.signal) / sd
		f[i] += rng.NormFloat64()
	}
	return all[:w.m], f[:w.m], all[w.m:], f[w.m:]
}

// ridgeCV predicts by ridge regression on standardised features, of the penalties
// 1e-5, …, 1e5 the one of least leave-one-out error: scikit-learn's RidgeCV.
func ridgeCV(t *testing.T, x [][]float64, y []float64, testX [][]float64) []float64 {
	scaler, err := dataset.FitScaler(x)
	if err != nil {
		t.Fatal(err)
	}
	m := len(x)
	rows := func(x [][]float64) *mat.Dense {
		a := mat.NewDense(len(x), len(x[0]), nil)
		for i, row := range x {
			a.SetRow(i, row)
			scaler.Apply(a.RawRowView(i))
		}
		return a
	}
	a, b := rows(x), rows(testX)
	mean, _ := dataset.MeanStd(y)
	centred := mat.NewVecDense(m, nil)
	for i, v := range y {
		centred.SetVec(i, v-mean)
	}
	var gram, cross mat.Dense
	gram.Mul(a, a.T())
	cross.Mul(b, a.T())
	least := math.Inf(1)
	out := make([]float64, len(testX))
	for k := range 21 {
		α := math.Pow(10, -5+float64(k)/2)
		k := mat.NewSymDense(m, nil)
		for i := range m {
			for j := range i + 1 {
				k.SetSym(i, j, gram.At(i, j)+1e6) // the constant term is free
			}
			k.SetSym(i, i, k.At(i, i)+α)
		}
		var chol mat.Cholesky
		if !chol.Factorize(k) {
			t.Fatal("not positive definite")
		}
		var inverse mat.SymDense
		if err := chol.InverseTo(&inverse); err != nil {
			t.Fatal(err)
		}
		var dual, p mat.VecDense
		dual.MulVec(&inverse, centred)
		sum := 0.0
		for i := range m {
			e := dual.AtVec(i) / inverse.At(i, i)
			sum += e * e
		}
		if sum < least {
			least = sum
			p.MulVec(&cross, &dual)
			for i := range out {
				out[i] = mean + p.AtVec(i)
			}
		}
	}
	return out
}

// TestClaimsOfSingleModels: the methods that hold nothing out claim nothing, though
// they meet every training row.
func TestClaimsOfSingleModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	x, y := normalRows(rng, 12, 15), normals(rng, 12)
	for _, m := range []lder.Method{lder.CCP, lder.Split, lder.DCA, lder.Refit} {
		r := lder.NewRegressor(lder.MethodSettings(m))
		if err := r.Fit(context.Background(), x, y); err != nil {
			t.Fatal(err)
		}
		if r.Training.OOB != -1 {
			t.Errorf("%v claims %g", m, r.Training.OOB)
		}
	}
}
