package main

import (
	"bytes"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gen FOLDER")
	}
	for name, data := range files() {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), data, 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// files returns the contents of all data files by name. Each file has a
// generator of its own, so that a new file leaves the others as they are.
func files() map[string][]byte {
	out := map[string][]byte{}
	for k, add := range []func(map[string][]byte, *rand.Rand){
		radii, sparse, boolean, lasso, clusters, wave, houses, bends,
	} {
		add(out, rand.New(rand.NewPCG(20231, uint64(k)))) // any fixed seed
	}
	return out
}

// radii: 40 circles between 0.5 and 1.5.
func radii(out map[string][]byte, rng *rand.Rand) {
	r := make([]float64, 40)
	for i := range r {
		r[i] = 0.5 + rng.Float64()
	}
	out["radii.csv"] = table(nil, columns(r))
}

// sparse: 28 measurements of a nonnegative vector of 60 with 8 entries that
// are not zero. y has all its digits: the equations can be met.
func sparse(out map[string][]byte, rng *rand.Rand) {
	a, x := normal(rng, 28, 60), make([]float64, 60)
	for _, j := range rng.Perm(60)[:8] {
		x[j] = round(0.5 + rng.Float64())
	}
	out["sparse_A.csv"] = table(nil, a)
	out["sparse_x.csv"] = table(nil, columns(x))
	var y bytes.Buffer
	for _, row := range a {
		fmt.Fprintf(&y, "%.8f\n", dot(row, x))
	}
	out["sparse_y.csv"] = y.Bytes()
}

// boolean: 40 noisy measurements of 25 signs.
func boolean(out map[string][]byte, rng *rand.Rand) {
	a, x := normal(rng, 40, 25), make([]float64, 25)
	for j := range x {
		x[j] = float64(2*rng.IntN(2) - 1)
	}
	y := make([]float64, len(a))
	for i, row := range a {
		y[i] = dot(row, x) + 0.5*rng.NormFloat64()
	}
	out["boolean_A.csv"], out["boolean_y.csv"] = table(nil, a), table(nil, columns(y))
}

// lasso: 25 noisy measurements of a vector of 100 with 5 entries of either
// sign.
func lasso(out map[string][]byte, rng *rand.Rand) {
	a, x := normal(rng, 25, 100), make([]float64, 100)
	for _, j := range rng.Perm(100)[:5] {
		x[j] = float64(2*rng.IntN(2)-1) * (1 + rng.Float64())
	}
	b := make([]float64, len(a))
	for i, row := range a {
		b[i] = dot(row, x) + 0.05*rng.NormFloat64()
	}
	out["lasso_A.csv"], out["lasso_b.csv"] = table(nil, a), table(nil, columns(b))
}

// clusters: two clouds of 60 points in the plane, one label in eight wrong.
func clusters(out map[string][]byte, rng *rand.Rand) {
	points, labels := make([][]float64, 120), make([]float64, 120)
	for i := range points {
		side := float64(2*(i%2) - 1)
		labels[i] = side
		if rng.IntN(8) == 0 {
			labels[i] = -side
		}
		points[i] = []float64{1.2*side + rng.NormFloat64(), 0.8*side + rng.NormFloat64()}
	}
	out["clusters_X.csv"], out["clusters_y.csv"] = table(nil, points), table(nil, columns(labels))
}

// wave: 80 points on a zigzag that is neither convex nor concave, every tenth
// far off.
func wave(out map[string][]byte, rng *rand.Rand) {
	rows := make([][]float64, 80)
	for i := range rows {
		x := -2 + 4*float64(i)/79
		y := math.Max(-x-1, x/2) - math.Max(0, 2*x-1) + 0.05*rng.NormFloat64()
		if i%10 == 7 {
			y += 3
		}
		rows[i] = []float64{x, y}
	}
	out["wave.csv"] = table([]string{"x", "y"}, rows)
}

// bends: a target with a bend in the first and in the second of six features.
func bends(out map[string][]byte, rng *rand.Rand) {
	x := normal(rng, 60, 6)
	y := make([]float64, len(x))
	for i, row := range x {
		y[i] = math.Abs(row[0]) - max(0, row[1]) + 0.1*rng.NormFloat64()
	}
	out["bends_X.csv"], out["bends_y.csv"] = table(nil, x), table(nil, columns(y))
}

// houses: a table for the regressor, with a few gaps.
func houses(out map[string][]byte, rng *rand.Rand) {
	var b bytes.Buffer
	fmt.Fprintln(&b, "area,age,distance,price")
	for range 150 {
		area, age, distance := 40+160*rng.Float64(), 80*rng.Float64(), 20*rng.Float64()
		price := 2*area + max(area-120, 0) - 0.8*min(age, 40) - 3*min(distance, 10) + 5*rng.NormFloat64()
		gap := rng.IntN(30)
		for k, v := range []float64{area, age, distance} {
			if k != gap {
				fmt.Fprintf(&b, "%.1f", v)
			}
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%.1f\n", price)
	}
	out["houses.csv"] = b.Bytes()
}

func normal(rng *rand.Rand, m, n int) [][]float64 {
	a := make([][]float64, m)
	for i := range a {
		a[i] = make([]float64, n)
		for j := range a[i] {
			a[i][j] = round(rng.NormFloat64())
		}
	}
	return a
}

// round keeps the four decimals that go into the files.
func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

func dot(a, b []float64) float64 {
	s := 0.0
	for k := range a {
		s += a[k] * b[k]
	}
	return s
}

func columns(v []float64) [][]float64 {
	rows := make([][]float64, len(v))
	for i := range v {
		rows[i] = v[i : i+1]
	}
	return rows
}

func table(header []string, rows [][]float64) []byte {
	var b bytes.Buffer
	if header != nil {
		fmt.Fprintln(&b, strings.Join(header, ","))
	}
	for _, row := range rows {
		for k, v := range row {
			if k > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.FormatFloat(round(v), 'f', -1, 64))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}
