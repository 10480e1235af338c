//go:build !race

package lder_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/lder"
)

// rowsOfNormals are m rows of n random numbers.
func rowsOfNormals(rng *rand.Rand, m, n int) [][]float64 {
	x := make([][]float64, m)
	for i := range x {
		x[i] = normals(rng, n)
	}
	return x
}

// columnsOf is a copy of x by columns.
func columnsOf(x [][]float64) [][]float64 {
	columns := make([][]float64, len(x[0]))
	for j := range columns {
		columns[j] = make([]float64, len(x))
		for i, row := range x {
			columns[j][i] = row[j]
		}
	}
	return columns
}

// TestFitColumns: the same fit, and the columns are taken.
func TestFitColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, m := range []int{1, 60, 1500} {
		x := rowsOfNormals(rng, m, 4)
		y := bent(rng, x, .1)
		weights := make([]float64, m)
		for i := range weights {
			weights[i] = 1 + rng.Float64()
			if rng.IntN(10) == 0 {
				x[i][rng.IntN(4)] = math.NaN()
			}
		}
		for _, method := range []lder.Method{lder.Refit, lder.Auto, lder.Cheap} {
			want, got := lder.NewRegressor(lder.MethodSettings(method)), lder.NewRegressor(lder.MethodSettings(method))
			if err := want.FitWeighted(context.Background(), x, y, weights); err != nil {
				t.Fatal(err)
			}
			columns, target := columnsOf(x), slices.Clone(y)
			if err := got.FitColumns(context.Background(), columns, target, weights); err != nil {
				t.Fatal(err)
			}
			if text(t, got) != text(t, want) {
				t.Errorf("%v, %d rows: another model", method, m)
			}
			if !slices.Equal(target, y) {
				t.Errorf("%v: the target was changed", method)
			}
			for j, c := range columns {
				if c != nil {
					t.Errorf("%v: column %d was left", method, j)
				}
			}
		}
	}
}

func TestFitColumnsRefusals(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		columns [][]float64
		y       []float64
		want    string
	}{
		{nil, nil, "0 rows of features and 0 targets"},
		{[][]float64{{1, 2}}, []float64{1}, "2 rows of features and 1 targets"},
		{[][]float64{{1, 2}, {1}}, []float64{1, 2}, `the feature "x2" has 1 rows, "x1" has 2`},
		{[][]float64{{1, 2}, {1, inf}}, []float64{1, 2}, `row 1: the feature "x2" is +Inf`},
		{[][]float64{{1, 2}}, []float64{1, nan}, `row 1: the target "y" is NaN`},
	} {
		r := lder.NewRegressor(lder.MethodSettings(lder.Refit))
		err := r.FitColumns(context.Background(), c.columns, c.y, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		for j, column := range c.columns {
			if column == nil {
				t.Errorf("%s: column %d was taken", c.want, j)
			}
		}
	}
}
