package instance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/qpbackend"
)

// class is a family of random problems.
type class struct {
	name  string
	sizes [3]int // small, medium, large
	draw  func(rng *rand.Rand, size int) *qpbackend.Problem
}

// classes are those of the OSQP paper.
var classes = []class{
	{"eqqp", [3]int{100, 300, 600}, equalities},
	{"random", [3]int{50, 150, 400}, inequalities},
	{"portfolio", [3]int{5, 25, 100}, portfolio},
	{"lasso", [3]int{10, 40, 100}, lasso},
	{"svm", [3]int{10, 40, 100}, svm},
	{"huber", [3]int{10, 40, 100}, huber},
	{"control", [3]int{20, 60, 100}, control},
}

// density of the random matrices of the classes.
const density = 0.15

// sizeWords name the sizes that a class has of its own.
var sizeWords = []string{"small", "medium", "large"}

// ClassNames are the names of the classes, separated by commas.
func ClassNames() string {
	var names []string
	for _, c := range classes {
		names = append(names, c.name)
	}
	return strings.Join(names, ",")
}

// Classes are the problems of the classes named (or "all") in the sizes given:
// numbers, or small, medium, large.
func Classes(names, sizes []string) ([]Instance, error) {
	var all []Instance
	for _, name := range names {
		found := false
		for _, c := range classes {
			if name != c.name && name != "all" {
				continue
			}
			found = true
			for _, word := range sizes {
				size, err := c.size(word)
				if err != nil {
					return nil, err
				}
				id := fmt.Sprintf("%s-%d", c.name, size)
				all = append(all, single("classes", id, func() *qpbackend.Problem { return c.draw(source(id), size) }))
			}
		}
		if !found {
			return nil, fmt.Errorf("no class %q; there are %s", name, ClassNames())
		}
	}
	return all, nil
}

// mostSize keeps a slip of the finger from filling the memory.
const mostSize = 2000

func (c class) size(word string) (int, error) {
	for k, w := range sizeWords {
		if word == w {
			return c.sizes[k], nil
		}
	}
	size, err := strconv.Atoi(word)
	switch {
	case err != nil || size < 2 || size > mostSize:
		return 0, fmt.Errorf("size %q: want small, medium, large, or a number from 2 to %d", word, mostSize)
	case c.name == "control" && size%2 != 0:
		return 0, fmt.Errorf("size %d: class control wants an even one, twice the number of inputs", size)
	}
	return size, nil
}

// equalities: P = MMᵀ + I/100, n/2 equations.
func equalities(rng *rand.Rand, n int) *qpbackend.Problem {
	b := newBuilder(n)
	b.gram(normals(rng, n, n, density), 1e-2)
	for j := range b.q {
		b.q[j] = rng.NormFloat64()
	}
	m := n / 2
	for range m {
		b.row(0, 0)
	}
	// A normal matrix of this density may lack rank at small n: the right-hand
	// side is then that of a point.
	x := make([]float64, n)
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	for _, e := range normals(rng, m, n, density) {
		b.a.Add(e.i, e.j, e.v)
		b.l[e.i] += e.v * x[e.j]
	}
	copy(b.u, b.l)
	return b.problem()
}

// inequalities: P = MMᵀ + I/100, 10n two-sided rows that zero meets.
func inequalities(rng *rand.Rand, n int) *qpbackend.Problem {
	b := newBuilder(n)
	b.gram(normals(rng, n, n, density), 1e-2)
	for j := range b.q {
		b.q[j] = rng.NormFloat64()
	}
	for range 10 * n {
		b.row(-rng.Float64(), rng.Float64())
	}
	for _, e := range normals(rng, 10*n, n, density) {
		b.a.Add(e.i, e.j, e.v)
	}
	return b.problem()
}

// portfolio: k factors y = Fᵀx and 100k assets x ≥ 0 of sum 1; risk aversion 1.
func portfolio(rng *rand.Rand, k int) *qpbackend.Problem {
	n := 100 * k
	b := newBuilder(n + k)
	for j := range n {
		b.p.Add(j, j, 2*rng.Float64()*math.Sqrt(float64(k)))
		b.q[j] = -rng.NormFloat64()
	}
	for f := range k {
		b.p.Add(n+f, n+f, 2)
	}
	sum := b.row(1, 1)
	for j := range n {
		b.a.Add(sum, j, 1)
	}
	first := len(b.l)
	for f := range k {
		b.a.Add(b.row(0, 0), n+f, -1)
	}
	for _, e := range normals(rng, k, n, 0.5) {
		b.a.Add(first+e.i, e.j, e.v)
	}
	for j := range n {
		b.bound(j, 0, inf)
	}
	return b.problem()
}

// lasso: variables x (n), residual y (100n), t (n): minimise yᵀy + λ·sum(t) over
// y = Ax − b, −t ≤ x ≤ t, λ = ‖Aᵀb‖∞ / 5.
func lasso(rng *rand.Rand, n int) *qpbackend.Problem {
	m := 100 * n
	b := newBuilder(2*n + m)
	truth := make([]float64, n)
	for j := range truth {
		if rng.Float64() < 0.5 {
			truth[j] = rng.NormFloat64() / math.Sqrt(float64(n))
		}
	}
	data := normals(rng, m, n, density)
	rhs := make([]float64, m)
	for i := range rhs {
		rhs[i] = rng.NormFloat64() / 2
	}
	for _, e := range data {
		rhs[e.i] += e.v * truth[e.j]
	}
	corr := make([]float64, n)
	for i := range m {
		b.p.Add(n+i, n+i, 2)
		b.a.Add(b.row(rhs[i], rhs[i]), n+i, -1)
	}
	for _, e := range data {
		b.a.Add(e.i, e.j, e.v)
		corr[e.j] += e.v * rhs[e.i]
	}
	λ := 0.0
	for _, c := range corr {
		λ = max(λ, math.Abs(c)/5)
	}
	for j := range n {
		t := n + m + j
		b.q[t] = λ
		up, down := b.row(-inf, 0), b.row(0, inf)
		b.a.Add(up, j, 1)
		b.a.Add(up, t, -1)
		b.a.Add(down, j, 1)
		b.a.Add(down, t, 1)
	}
	return b.problem()
}

// svm: variables x (n), t (100n): minimise xᵀx + λ·sum(t) over
// t ≥ diag(b)Ax + 1, t ≥ 0, λ = 1; the rows of A are around b/n.
func svm(rng *rand.Rand, n int) *qpbackend.Problem {
	m := 100 * n
	b := newBuilder(n + m)
	for j := range n {
		b.p.Add(j, j, 2)
	}
	for i := range m {
		b.q[n+i] = 1
		b.a.Add(b.row(-inf, -1), n+i, -1)
	}
	for _, e := range normals(rng, m, n, density) {
		sign := 1.0
		if e.i >= m/2 {
			sign = -1
		}
		b.a.Add(e.i, e.j, sign*(sign/float64(n)+e.v/math.Sqrt(float64(n))))
	}
	for i := range m {
		b.bound(n+i, 0, inf)
	}
	return b.problem()
}

// huber: variables x (n), u, r, s (100n each): minimise uᵀu + 2·sum(r + s) over
// Ax − b − u = r − s, r ≥ 0, s ≥ 0; 5% of b are outliers.
func huber(rng *rand.Rand, n int) *qpbackend.Problem {
	m := 100 * n
	b := newBuilder(n + 3*m)
	truth := make([]float64, n)
	for j := range truth {
		truth[j] = rng.NormFloat64() / math.Sqrt(float64(n))
	}
	data := normals(rng, m, n, density)
	rhs := make([]float64, m)
	for _, e := range data {
		rhs[e.i] += e.v * truth[e.j]
	}
	for i := range rhs {
		if rng.Float64() < 0.95 {
			rhs[i] += rng.NormFloat64() / 2
		} else {
			rhs[i] = 10 * rng.Float64()
		}
		u, r, s := n+i, n+m+i, n+2*m+i
		b.p.Add(u, u, 2)
		b.q[r], b.q[s] = 2, 2
		row := b.row(rhs[i], rhs[i])
		b.a.Add(row, u, -1)
		b.a.Add(row, r, -1)
		b.a.Add(row, s, 1)
	}
	for _, e := range data {
		b.a.Add(e.i, e.j, e.v)
	}
	for k := range 2 * m {
		b.bound(n+m+k, 0, inf)
	}
	return b.problem()
}
