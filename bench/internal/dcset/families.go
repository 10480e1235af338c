package dcset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"github.com/dcopt/dcopt/bench/internal/choice"
)

// family draws problems of one kind by their size.
type family struct {
	name  string
	sizes []int // small, medium, large
	least int
	draw  func(size int, rng *rand.Rand) *Program
}

func familyList() choice.List[family] {
	return choice.List[family]{Kind: "family", All: []family{
		{"svm", []int{200, 1000, 4000}, 10, rampSVM},
		{"l1l2", []int{200, 500, 1000}, 8, l1MinusL2},
		{"boolean", []int{50, 100, 200}, 2, booleanBox},
		{"circles", []int{10, 20, 40}, 2, circles},
		{"dma", []int{50, 100, 200}, 10, maxAffine},
	}, Name: func(f family) string { return f.name }}
}

// FamilyNames lists the families.
func FamilyNames() string { return familyList().Names() }

// Families returns the families named, "all" for all, at the sizes named: small,
// medium, large or numbers, each as many times as there are draws; with more than one,
// draws are the parts of a problem. A family, size and draw is the same problem on
// every machine.
func Families(names, sizes []string, draws int) ([]Instance, error) {
	chosen, err := familyList().Choose(names)
	if err != nil {
		return nil, err
	}
	var all []Instance
	for _, f := range chosen {
		for _, s := range sizes {
			size, err := f.size(s)
			if err != nil {
				return nil, err
			}
			for draw := range draws {
				in := Instance{Group: "families", Problem: fmt.Sprintf("%s-%d", f.name, size),
					Make: func() (*Program, error) {
						return f.draw(size, rand.New(rand.NewPCG(Stream(f.name), uint64(size)+uint64(draw)<<32))), nil
					}}
				if draws > 1 {
					in.Part = strconv.Itoa(draw + 1)
				}
				all = append(all, in)
			}
		}
	}
	return all, nil
}

// Stream is the number of a family's stream of random numbers.
func Stream(family string) (n uint64) {
	for _, c := range family {
		n = 31*n + uint64(c)
	}
	return n
}

func (f family) size(word string) (int, error) {
	if k := slices.Index([]string{"small", "medium", "large"}, word); k >= 0 {
		return f.sizes[k], nil
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < f.least || n > 100000 {
		return 0, fmt.Errorf("size %q of %s: want small, medium, large or a number from %d", word, f.name, f.least)
	}
	return n, nil
}

// Normals has m rows of n normal numbers of the given standard deviation.
func Normals(rng *rand.Rand, m, n int, sd float64) [][]float64 {
	rows := make([][]float64, m)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			rows[i][j] = sd * rng.NormFloat64()
		}
	}
	return rows
}

// rampSVM: two clouds of points in 20 dimensions, a tenth of them with the wrong
// label, and the loss that such labels cannot push far. The start is near 0.
func rampSVM(m int, rng *rand.Rand) *Program {
	const n, c = 20, 10.0
	x, y := Normals(rng, m, n, 1), make([]float64, m)
	for i := range y {
		y[i] = float64(2*(i%2) - 1)
		for j := range 5 {
			x[i][j] += 0.5 * y[i]
		}
		if rng.IntN(10) == 0 {
			y[i] = -y[i]
		}
	}
	return &Program{
		Source: `# A support vector machine with the ramp loss.
param X = csv("X.csv"), y = csv("y.csv")
param m = rows(X), n = cols(X), C = 10
var   w[n]  start csv("w0.csv")
var   b     start 0
let   margin[i in 1..m] = y[i] * (X[i,:]*w + b)
minimize  0.5*sumsq(w) + C/m * sum(i in 1..m) ( pos(1 - margin[i]) - pos(-margin[i]) )
`,
		Files: map[string][][]float64{"X": x, "y": Column(y), "w0": Normals(rng, n, 1, 0.1)},
		Model: "svm", Params: map[string]any{"C": c},
		Measure: by(func(p *taker) Measured {
			w := p.take("w", n)
			b := p.take("b", 1)
			loss := 0.0
			for i, row := range x {
				margin := y[i] * (Dot(row, w) + b[0])
				loss += min(1, max(0, 1-margin))
			}
			return measured(sumsq(w)/2+c/float64(m)*loss, 0)
		}),
	}
}

// l1MinusL2: a sparse vector from n/4 noisy measurements.
func l1MinusL2(n int, rng *rand.Rand) *Program {
	const lambda = 0.02
	m := n / 4
	a, truth := Normals(rng, m, n, 1/math.Sqrt(float64(m))), make([]float64, n)
	for _, j := range rng.Perm(n)[:max(1, n/40)] {
		truth[j] = rng.NormFloat64()
	}
	b := make([]float64, m)
	for i, row := range a {
		b[i] = Dot(row, truth) + 0.01*rng.NormFloat64()
	}
	return &Program{
		Source: fmt.Sprintf(`# Sparse least squares with the 1-norm less the 2-norm.
param A = csv("A.csv"), b = csv("b.csv")
param n = cols(A), lambda = %g
var   x[n]  start csv("x0.csv")
minimize  0.5*sumsq(A*x - b) + lambda*(norm1(x) - norm2(x))
`, lambda),
		Files: map[string][][]float64{"A": a, "b": Column(b), "x0": Normals(rng, n, 1, 0.1)},
		Model: "l1l2", Params: map[string]any{"lambda": lambda},
		Measure: by(func(p *taker) Measured {
			x := p.take("x", n)
			return measured(sumsq(residual(a, x, b))/2+lambda*(floats.Norm(x, 1)-floats.Norm(x, 2)), 0)
		}),
	}
}

// booleanBox: n signs from n measurements, ten times as strong as the noise.
func booleanBox(n int, rng *rand.Rand) *Program {
	a, truth := Normals(rng, n, n, 1), make([]float64, n)
	for j := range truth {
		truth[j] = float64(2*rng.IntN(2) - 1)
	}
	y := make([]float64, n)
	for i, row := range a {
		y[i] = Dot(row, truth) + math.Sqrt(float64(n)/10)*rng.NormFloat64()
	}
	return &Program{
		Source: `# Least squares over signs.
param A = csv("A.csv"), y = csv("y.csv")
param n = cols(A)
var   x[n] in [-1, 1]  start csv("x0.csv")
minimize  sumsq(A*x - y)
subject to
  bit[i in 1..n]:  x[i]^2 >= 1
`,
		Files: map[string][][]float64{"A": a, "y": Column(y), "x0": Normals(rng, n, 1, 0.1)},
		Model: "boolean",
		Measure: by(func(p *taker) Measured {
			x := p.take("x", n)
			broken := 0.0
			for _, v := range x {
				broken = max(broken, 1-v*v, math.Abs(v)-1)
			}
			return measured(sumsq(residual(a, x, y)), broken)
		}),
	}
}

// circles of radii between 1 and 3, to be packed into the least square.
func circles(n int, rng *rand.Rand) *Program {
	r := make([]float64, n)
	for i := range r {
		r[i] = 1 + 2*rng.Float64()
	}
	return &Program{
		Source: `# Pack circles into a square.
param r = csv("r.csv")
param n = len(r)
var   c[n,2]  start csv("c0.csv")
minimize  max(i in 1..n) ( norminf(c[i,:]) + r[i] )
subject to
  apart[i in 1..n, j in i+1..n]:  norm2(c[i,:] - c[j,:]) >= r[i] + r[j]
`,
		Files: map[string][][]float64{"r": Column(r), "c0": Normals(rng, n, 2, 10)},
		Model: "circles", Measure: by(packing(r)),
	}
}

func packing(r []float64) func(*taker) Measured {
	return func(p *taker) Measured {
		c := p.take("c", 2*len(r))
		side, broken := math.Inf(-1), 0.0
		for i, ri := range r {
			side = max(side, math.Abs(c[2*i])+ri, math.Abs(c[2*i+1])+ri)
			for j := range i {
				broken = max(broken, ri+r[j]-math.Hypot(c[2*i]-c[2*j], c[2*i+1]-c[2*j+1]))
			}
		}
		return measured(side, broken)
	}
}

// maxAffine: a difference of two maxima of three affine functions of two
// variables, fitted to points of such a function by least absolute deviations.
// One point in ten is far off.
func maxAffine(m int, rng *rand.Rand) *Program {
	const d, pieces = 2, 3
	g, h := Normals(rng, pieces, d+1, 1), Normals(rng, pieces, d+1, 1)
	top := func(f [][]float64, x []float64) float64 {
		v := math.Inf(-1)
		for _, row := range f {
			v = max(v, Dot(row[:d], x)+row[d])
		}
		return v
	}
	x, y := make([][]float64, m), make([]float64, m)
	for i := range x {
		x[i] = []float64{4*rng.Float64() - 2, 4*rng.Float64() - 2}
		y[i] = top(g, x[i]) - top(h, x[i]) + 0.1*rng.NormFloat64()
		if i%10 == 7 {
			y[i] += 2
		}
	}
	return &Program{
		Source: `# Fit a difference of two maxima of affine functions.
param X = csv("X.csv"), y = csv("y.csv")
param m = rows(X), d = cols(X), p = 3
var   a[p,d] start csv("a0.csv"), b[p] start zeros(p)
var   c[p,d] start csv("c0.csv"), e[p] start zeros(p)
let   f[i in 1..m] = max(j in 1..p) (X[i,:]*a[j,:] + b[j]) - max(k in 1..p) (X[i,:]*c[k,:] + e[k])
minimize  1/m * sum(i in 1..m) abs(y[i] - f[i])
`,
		Files: map[string][][]float64{"X": x, "y": Column(y), "a0": Normals(rng, pieces, d, 1),
			"c0": Normals(rng, pieces, d, 1)},
		Model: "dma", Params: map[string]any{"pieces": pieces},
		Measure: by(func(p *taker) Measured {
			var parts [4][]float64
			for k, name := range []string{"a", "b", "c", "e"} {
				v := p.take(name, []int{pieces * d, pieces}[k%2])
				parts[k] = v
			}
			sum := 0.0
			for i, xi := range x {
				g, h := math.Inf(-1), math.Inf(-1)
				for j := range pieces {
					g = max(g, Dot(xi, parts[0][j*d:(j+1)*d])+parts[1][j])
					h = max(h, Dot(xi, parts[2][j*d:(j+1)*d])+parts[3][j])
				}
				sum += math.Abs(y[i] - g + h)
			}
			return measured(sum/float64(m), 0)
		}),
	}
}
