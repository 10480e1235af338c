package classes

import (
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/qpbackend"
)

// Class is a family of random problems.
type Class struct {
	Name string
	Draw func(rng *rand.Rand, size int) *qpbackend.Problem
}

// All are the classes of the paper.
func All() []Class {
	return []Class{
		{"eqqp", Equalities},
		{"random", Inequalities},
		{"portfolio", Portfolio},
		{"lasso", Lasso},
		{"svm", SVM},
		{"huber", Huber},
		{"control", Control},
	}
}

// density of the random matrices of the classes.
// Source: Stellato et al. 2020, appendix A.
const density = 0.15

// Equalities: P = MMᵀ + I/100, n/2 equations.
func Equalities(rng *rand.Rand, n int) *qpbackend.Problem {
	b := New(n)
	b.Gram(Normals(rng, n, n, density), 1e-2)
	for j := range b.Q {
		b.Q[j] = rng.NormFloat64()
	}
	m := n / 2
	for range m {
		b.Row(0, 0)
	}
	// A normal matrix of this density may lack rank at small n: the right-hand
	// side is then the one of a point.
	x := make([]float64, n)
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	for _, e := range Normals(rng, m, n, density) {
		b.A.Add(e.I, e.J, e.V)
		b.L[e.I] += e.V * x[e.J]
	}
	copy(b.U, b.L)
	return b.Problem()
}

// Inequalities: P = MMᵀ + I/100, 10n two-sided rows that zero meets.
func Inequalities(rng *rand.Rand, n int) *qpbackend.Problem { return Dense(rng, n, 10*n, density) }

// Dense is Inequalities with m rows and another density.
func Dense(rng *rand.Rand, n, m int, density float64) *qpbackend.Problem {
	b := New(n)
	b.Gram(Normals(rng, n, n, density), 1e-2)
	for j := range b.Q {
		b.Q[j] = rng.NormFloat64()
	}
	for range m {
		b.Row(-rng.Float64(), rng.Float64())
	}
	for _, e := range Normals(rng, m, n, density) {
		b.A.Add(e.I, e.J, e.V)
	}
	return b.Problem()
}

// Portfolio: k factors y = Fᵀx and 100k assets x ≥ 0 of sum 1; risk aversion 1.
func Portfolio(rng *rand.Rand, k int) *qpbackend.Problem {
	n := 100 * k
	b := New(n + k)
	for j := range n {
		b.P.Add(j, j, 2*rng.Float64()*math.Sqrt(float64(k)))
		b.Q[j] = -rng.NormFloat64()
	}
	for f := range k {
		b.P.Add(n+f, n+f, 2)
	}
	sum := b.Row(1, 1)
	for j := range n {
		b.A.Add(sum, j, 1)
	}
	first := len(b.L)
	for f := range k {
		b.A.Add(b.Row(0, 0), n+f, -1)
	}
	for _, e := range Normals(rng, k, n, 0.5) {
		b.A.Add(first+e.I, e.J, e.V)
	}
	for j := range n {
		b.Bound(j, 0, math.Inf(1))
	}
	return b.Problem()
}

// Lasso: variables x (n), residual y (100n), t (n): minimise yᵀy + λ·sum(t) over
// y = Ax − b, −t ≤ x ≤ t, λ = ‖Aᵀb‖∞ / 5.
func Lasso(rng *rand.Rand, n int) *qpbackend.Problem {
	m := 100 * n
	b := New(2*n + m)
	truth := make([]float64, n)
	for j := range truth {
		if rng.Float64() < 0.5 {
			truth[j] = rng.NormFloat64() / math.Sqrt(float64(n))
		}
	}
	data := Normals(rng, m, n, density)
	rhs := make([]float64, m)
	for i := range rhs {
		rhs[i] = rng.NormFloat64() / 2
	}
	for _, e := range data {
		rhs[e.I] += e.V * truth[e.J]
	}
	corr := make([]float64, n)
	for i := range m {
		b.P.Add(n+i, n+i, 2)
		b.A.Add(b.Row(rhs[i], rhs[i]), n+i, -1)
	}
	for _, e := range data {
		b.A.Add(e.I, e.J, e.V)
		corr[e.J] += e.V * rhs[e.I]
	}
	λ := 0.0
	for _, c := range corr {
		λ = max(λ, math.Abs(c)/5)
	}
	for j := range n {
		t := n + m + j
		b.Q[t] = λ
		up, down := b.Row(math.Inf(-1), 0), b.Row(0, math.Inf(1))
		b.A.Add(up, j, 1)
		b.A.Add(up, t, -1)
		b.A.Add(down, j, 1)
		b.A.Add(down, t, 1)
	}
	return b.Problem()
}

// SVM: variables x (n), t (100n): minimise xᵀx + λ·sum(t) over
// t ≥ diag(b)Ax + 1, t ≥ 0, λ = 1; the rows of A are around b/n.
func SVM(rng *rand.Rand, n int) *qpbackend.Problem {
	m := 100 * n
	b := New(n + m)
	for j := range n {
		b.P.Add(j, j, 2)
	}
	for i := range m {
		b.Q[n+i] = 1
		b.A.Add(b.Row(math.Inf(-1), -1), n+i, -1)
	}
	for _, e := range Normals(rng, m, n, density) {
		sign := 1.0
		if e.I >= m/2 {
			sign = -1
		}
		b.A.Add(e.I, e.J, sign*(sign/float64(n)+e.V/math.Sqrt(float64(n))))
	}
	for i := range m {
		b.Bound(n+i, 0, math.Inf(1))
	}
	return b.Problem()
}

// Huber: variables x (n), u, r, s (100n each): minimise uᵀu + 2·sum(r + s) over
// Ax − b − u = r − s, r ≥ 0, s ≥ 0; 5% of b are outliers.
func Huber(rng *rand.Rand, n int) *qpbackend.Problem {
	m := 100 * n
	b := New(n + 3*m)
	truth := make([]float64, n)
	for j := range truth {
		truth[j] = rng.NormFloat64() / math.Sqrt(float64(n))
	}
	data := Normals(rng, m, n, density)
	rhs := make([]float64, m)
	for _, e := range data {
		rhs[e.I] += e.V * truth[e.J]
	}
	for i := range rhs {
		if rng.Float64() < 0.95 {
			rhs[i] += rng.NormFloat64() / 2
		} else {
			rhs[i] = 10 * rng.Float64()
		}
		u, r, s := n+i, n+m+i, n+2*m+i
		b.P.Add(u, u, 2)
		b.Q[r], b.Q[s] = 2, 2
		row := b.Row(rhs[i], rhs[i])
		b.A.Add(row, u, -1)
		b.A.Add(row, r, -1)
		b.A.Add(row, s, 1)
	}
	for _, e := range data {
		b.A.Add(e.I, e.J, e.V)
	}
	for k := range 2 * m {
		b.Bound(n+m+k, 0, math.Inf(1))
	}
	return b.Problem()
}
