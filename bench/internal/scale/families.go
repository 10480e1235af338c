package scale

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// Source is the name of the problem file in the folder of an instance.
const Source = "problem.dc"

// Write makes the folder with the problem and its data: the same for the same seed
// on every machine.
func (in Instance) Write(folder string) error {
	for _, f := range families() {
		if f.name != in.Family {
			continue
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		var stream uint64
		for _, c := range f.name {
			stream = 31*stream + uint64(c)
		}
		d := &draw{Rand: rand.New(rand.NewPCG(in.Seed, stream+uint64(in.Size)<<32)), folder: folder}
		f.draw(d, in.Size)
		d.try(os.WriteFile(filepath.Join(folder, Source), []byte(f.text), 0o644))
		return d.err
	}
	return fmt.Errorf("no family %q", in.Family)
}

type family struct {
	name  string
	sizes []int
	least int
	text  string
	draw  func(d *draw, n int)
}

func families() []family {
	return []family{
		{"pack", []int{80, 160, 320, 1000}, 2, pack, (*draw).pack},
		{"ramp", []int{5000, 20000, 50000, 100000}, 10, ramp, (*draw).ramp},
		{"l12", []int{500, 1000, 2000, 4000}, 16, l12, (*draw).l12},
		{"fit", []int{1250, 2500, 5000, 20000}, 10, fit, (*draw).fit},
		{"bls", []int{250, 500, 1000, 2000}, 2, bls, (*draw).bls},
		{"kmeans", []int{4000, 10000, 20000, 40000}, 10, kmeans, (*draw).kmeans},
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

// draw writes random tables into a folder; err is the first failure.
type draw struct {
	*rand.Rand
	folder string
	err    error
}

func (d *draw) try(err error) {
	if d.err == nil {
		d.err = err
	}
}

// normal is a table of normal numbers times scale.
func (d *draw) normal(rows, cols int, scale float64) [][]float64 {
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, cols)
		for j := range out[i] {
			out[i][j] = scale * d.NormFloat64()
		}
	}
	return out
}

// column is a table of one column.
func column(v []float64) [][]float64 {
	out := make([][]float64, len(v))
	for i := range v {
		out[i] = v[i : i+1]
	}
	return out
}

// save writes a table with twelve digits.
func (d *draw) save(name string, table [][]float64) {
	f, err := os.Create(filepath.Join(d.folder, name+".csv"))
	if d.try(err); err != nil {
		return
	}
	w := bufio.NewWriter(f)
	var line []byte
	for _, row := range table {
		line = line[:0]
		for j, v := range row {
			if j > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, v, 'g', 12, 64)
		}
		w.Write(append(line, '\n'))
	}
	d.try(w.Flush())
	d.try(f.Close())
}

func dot(a, b []float64) (sum float64) {
	for k, v := range a {
		sum += v * b[k]
	}
	return sum
}

func (d *draw) pack(n int) {
	r := make([]float64, n)
	for i := range r {
		r[i] = 1 + d.Float64()
	}
	d.save("r", column(r))
	d.save("c0", d.normal(n, 2, 2*math.Sqrt(float64(n))))
}

// ramp has labels of a plane with noise, a tenth of them wrong.
func (d *draw) ramp(n int) {
	const dim = 20
	X, plane := d.normal(n, dim, 1), d.normal(1, dim, 1)[0]
	y := make([]float64, n)
	for i, row := range X {
		y[i] = math.Copysign(1, dot(row, plane)+0.5*d.NormFloat64())
		if d.Float64() < 0.1 {
			y[i] = -y[i]
		}
	}
	d.save("X", X)
	d.save("y", column(y))
	d.save("w0", d.normal(dim, 1, 0.1))
}

// l12 has an eighth of as many nonzeros as rows, and a quarter of as many rows as columns.
func (d *draw) l12(n int) {
	m := n / 4
	A := d.normal(m, n, 1/math.Sqrt(float64(m)))
	x := make([]float64, n)
	for _, j := range d.Perm(n)[:m/8] {
		x[j] = d.NormFloat64()
	}
	b := make([]float64, m)
	for i, row := range A {
		b[i] = dot(row, x) + 0.01*d.NormFloat64()
	}
	d.save("A", A)
	d.save("b", column(b))
}

func (d *draw) fit(n int) {
	const dim, pieces = 5, 3
	X := d.normal(n, dim, 1)
	for _, row := range X {
		row[dim-1] = 1
	}
	top := func(planes [][]float64, row []float64) float64 {
		v := math.Inf(-1)
		for _, p := range planes {
			v = max(v, dot(p, row))
		}
		return v
	}
	G, H := d.normal(pieces, dim, 1), d.normal(pieces, dim, 1)
	y := make([]float64, n)
	for i, row := range X {
		y[i] = top(G, row) - top(H, row) + 0.1*d.NormFloat64()
	}
	d.save("X", X)
	d.save("y", column(y))
	d.save("G0", d.normal(pieces, dim, 1))
	d.save("H0", d.normal(pieces, dim, 1))
}

func (d *draw) bls(n int) {
	A := d.normal(n, n, 1)
	x := make([]float64, n)
	for j := range x {
		x[j] = math.Copysign(1, d.NormFloat64())
	}
	y := make([]float64, n)
	for i, row := range A {
		y[i] = dot(row, x) + d.NormFloat64()
	}
	d.save("A", A)
	d.save("y", column(y))
	d.save("x0", d.normal(n, 1, 0.1))
}

func (d *draw) kmeans(n int) {
	centres := d.normal(5, 2, 5)
	P := d.normal(n, 2, 1)
	for _, p := range P {
		c := centres[d.IntN(len(centres))]
		p[0], p[1] = p[0]+c[0], p[1]+c[1]
	}
	d.save("P", P)
	d.save("c0", d.normal(5, 2, 3))
}
