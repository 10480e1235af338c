package scale

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/dcset"
)

// Instance is a problem of a family.
type Instance struct {
	Family string
	Size   int
	Seed   uint64
}

// Name is the family and the size, such as pack_320.
func (in Instance) Name() string { return in.Family + "_" + strconv.Itoa(in.Size) }

// Parse reads a name such as pack_320.
func Parse(name string, seed uint64) (Instance, error) {
	family, size, _ := strings.Cut(name, "_")
	n, err := strconv.Atoi(size)
	for _, f := range families() {
		if f.name == family && err == nil && n >= f.least {
			return Instance{family, n, seed}, nil
		}
	}
	var names []string
	for _, f := range families() {
		names = append(names, fmt.Sprintf("%s_N with N from %d", f.name, f.least))
	}
	return Instance{}, fmt.Errorf("no instance %q; there are %s", name, strings.Join(names, ", "))
}

// Default lists four sizes of each family.
func Default() string {
	var names []string
	for _, f := range families() {
		for _, n := range f.sizes {
			names = append(names, Instance{f.name, n, 0}.Name())
		}
	}
	return strings.Join(names, ",")
}

// Program is the problem with its data: the same for the same seed on every machine.
func (in Instance) Program() (*dcset.Program, error) {
	for _, f := range families() {
		if f.name == in.Family {
			rng := rand.New(rand.NewPCG(in.Seed, dcset.Stream(f.name)+uint64(in.Size)<<32))
			return &dcset.Program{Source: f.text, Files: f.draw(rng, in.Size), Digits: 12}, nil
		}
	}
	return nil, fmt.Errorf("no family %q", in.Family)
}

// tables are the data of a problem by name.
type tables = map[string][][]float64

type family struct {
	name  string
	sizes []int
	least int
	text  string
	draw  func(rng *rand.Rand, n int) tables
}

func families() []family {
	return []family{
		{"pack", []int{80, 160, 320, 1000}, 2, pack, drawPack},
		{"ramp", []int{5000, 20000, 50000, 100000}, 10, ramp, drawRamp},
		{"l12", []int{500, 1000, 2000, 4000}, 16, l12, drawL12},
		{"fit", []int{1250, 2500, 5000, 20000}, 10, fit, drawFit},
		{"bls", []int{250, 500, 1000, 2000}, 2, bls, drawBls},
		{"kmeans", []int{4000, 10000, 20000, 40000}, 10, kmeans, drawKmeans},
	}
}

const pack = `# circles in the smallest square
param r = csv("r.csv")
param n = len(r)
var   c[n,2]  start csv("c0.csv")
minimize  max(i in 1..n) (norminf(c[i,:]) + r[i])
subject to
  apart[i in 1..n, j in i+1..n]:  norm2(c[i,:] - c[j,:]) >= r[i] + r[j]
`

const ramp = `# support vector machine with the ramp loss
param X = csv("X.csv"), y = csv("y.csv")
param m = rows(X), d = cols(X), C = 10/m
var   w[d]  start csv("w0.csv")
var   b     start 0
let   z[i in 1..m] = y[i]*(X[i,:]*w + b)
minimize  0.5*sumsq(w) + C*sum(i in 1..m) pos(1 - z[i]) - C*sum(i in 1..m) pos(-z[i])
`

const l12 = `# sparse least squares by the 1-norm less the 2-norm
param A = csv("A.csv"), b = csv("b.csv")
param n = cols(A), lambda = 0.02
var   x[n]  start zeros(n)
minimize  0.5*sumsq(A*x - b) + lambda*norm1(x) - lambda*norm2(x)
`

const fit = `# fit of a difference of two maxima of affine functions by least absolute deviations
param X = csv("X.csv"), y = csv("y.csv")
param m = rows(X), d = cols(X), K = 3
var   G[K,d] in [-10, 10]  start csv("G0.csv")
var   H[K,d] in [-10, 10]  start csv("H0.csv")
minimize  (1/m)*sum(i in 1..m) abs(max(k in 1..K) (X[i,:]*G[k,:]) - max(k in 1..K) (X[i,:]*H[k,:]) - y[i])
`

const bls = `# least squares over signs
param A = csv("A.csv"), y = csv("y.csv")
param n = cols(A)
var   x[n] in [-1, 1]  start csv("x0.csv")
minimize  sumsq(A*x - y)
subject to
  bit[i in 1..n]:  x[i]^2 >= 1
`

const kmeans = `# clusters: each point pays its squared distance from the nearest of K centres
param P = csv("P.csv")
param m = rows(P), K = 5
var   c[K,2]  start csv("c0.csv")
minimize  (1/m)*sum(i in 1..m) min(k in 1..K) (sumsq(c[k,:] - P[i,:]))
`

func drawPack(rng *rand.Rand, n int) tables {
	r := make([]float64, n)
	for i := range r {
		r[i] = 1 + rng.Float64()
	}
	return tables{"r": dcset.Column(r), "c0": dcset.Normals(rng, n, 2, 2*math.Sqrt(float64(n)))}
}

// drawRamp has labels of a plane with noise, a tenth of them wrong.
func drawRamp(rng *rand.Rand, n int) tables {
	const dim = 20
	X, plane := dcset.Normals(rng, n, dim, 1), dcset.Normals(rng, 1, dim, 1)[0]
	y := make([]float64, n)
	for i, row := range X {
		y[i] = math.Copysign(1, dcset.Dot(row, plane)+0.5*rng.NormFloat64())
		if rng.Float64() < 0.1 {
			y[i] = -y[i]
		}
	}
	return tables{"X": X, "y": dcset.Column(y), "w0": dcset.Normals(rng, dim, 1, 0.1)}
}

// drawL12 has an eighth of as many nonzeros as rows, and a quarter of as many rows as columns.
func drawL12(rng *rand.Rand, n int) tables {
	m := n / 4
	A := dcset.Normals(rng, m, n, 1/math.Sqrt(float64(m)))
	x := make([]float64, n)
	for _, j := range rng.Perm(n)[:m/8] {
		x[j] = rng.NormFloat64()
	}
	b := make([]float64, m)
	for i, row := range A {
		b[i] = dcset.Dot(row, x) + 0.01*rng.NormFloat64()
	}
	return tables{"A": A, "b": dcset.Column(b)}
}

func drawFit(rng *rand.Rand, n int) tables {
	const dim, pieces = 5, 3
	X := dcset.Normals(rng, n, dim, 1)
	for _, row := range X {
		row[dim-1] = 1
	}
	top := func(planes [][]float64, row []float64) float64 {
		v := math.Inf(-1)
		for _, p := range planes {
			v = max(v, dcset.Dot(p, row))
		}
		return v
	}
	G, H := dcset.Normals(rng, pieces, dim, 1), dcset.Normals(rng, pieces, dim, 1)
	y := make([]float64, n)
	for i, row := range X {
		y[i] = top(G, row) - top(H, row) + 0.1*rng.NormFloat64()
	}
	return tables{"X": X, "y": dcset.Column(y), "G0": dcset.Normals(rng, pieces, dim, 1),
		"H0": dcset.Normals(rng, pieces, dim, 1)}
}

func drawBls(rng *rand.Rand, n int) tables {
	A := dcset.Normals(rng, n, n, 1)
	x := make([]float64, n)
	for j := range x {
		x[j] = math.Copysign(1, rng.NormFloat64())
	}
	y := make([]float64, n)
	for i, row := range A {
		y[i] = dcset.Dot(row, x) + rng.NormFloat64()
	}
	return tables{"A": A, "y": dcset.Column(y), "x0": dcset.Normals(rng, n, 1, 0.1)}
}

func drawKmeans(rng *rand.Rand, n int) tables {
	centres := dcset.Normals(rng, 5, 2, 5)
	P := dcset.Normals(rng, n, 2, 1)
	for _, p := range P {
		c := centres[rng.IntN(len(centres))]
		p[0], p[1] = p[0]+c[0], p[1]+c[1]
	}
	return tables{"P": P, "c0": dcset.Normals(rng, 5, 2, 3)}
}
