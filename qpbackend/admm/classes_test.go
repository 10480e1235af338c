package admm_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// The random classes of Stellato et al. 2020, Appendix A. A class makes the
// problem of a size; entries of sparse matrices are there with probability
// 0.15 but where the appendix has another.
type class struct {
	name  string
	sizes [3]int // small ones
	make  func(rng *rand.Rand, size int) *qpbackend.Problem
}

var classes = []class{
	{"eqqp", [3]int{20, 60, 120}, equalityQP},
	{"random", [3]int{10, 20, 40}, randomQP},
	{"portfolio", [3]int{1, 2, 3}, portfolio},
	{"lasso", [3]int{3, 5, 8}, lasso},
	{"svm", [3]int{3, 5, 8}, svm},
	{"huber", [3]int{3, 5, 8}, huber},
	{"control", [3]int{6, 10, 16}, control},
}

// problems calls f with the problem of each class and size.
func problems(f func(name string, p *qpbackend.Problem)) {
	for i, c := range classes {
		for _, size := range c.sizes {
			rng := rand.New(rand.NewPCG(uint64(i), uint64(size)))
			f(fmt.Sprintf("%s %d", c.name, size), c.make(rng, size))
		}
	}
}

const density = 0.15

// builder collects a problem block by block.
type builder struct {
	p, a sparse.Triplets
	prob qpbackend.Problem
}

// vars adds k variables with the given curvature and slope and returns the
// first.
func (b *builder) vars(k int, curvature, slope float64) int {
	first := len(b.prob.Q)
	for j := range k {
		if curvature != 0 {
			b.p.Add(first+j, first+j, curvature)
		}
		b.prob.Q = append(b.prob.Q, slope)
	}
	return first
}

// row adds a row without entries.
func (b *builder) row(l, u float64) int {
	b.prob.L, b.prob.U = append(b.prob.L, l), append(b.prob.U, u)
	return len(b.prob.L) - 1
}

// bounds adds the rows l ≤ x ≤ u for k variables from first on.
func (b *builder) bounds(first, k int, l, u float64) {
	for j := range k {
		b.a.Add(b.row(l, u), first+j, 1)
	}
}

func (b *builder) problem() *qpbackend.Problem {
	n, m := len(b.prob.Q), len(b.prob.L)
	p := b.prob
	p.P, _ = b.p.CSC(n, n)
	p.A, _ = b.a.CSC(m, n)
	return &p
}

func equalityQP(rng *rand.Rand, n int) *qpbackend.Problem {
	return denseQP(rng, n, n/2, func() (l, u float64) {
		v := rng.NormFloat64()
		return v, v
	})
}

func randomQP(rng *rand.Rand, n int) *qpbackend.Problem {
	return denseQP(rng, n, 10*n, func() (l, u float64) { return -rng.Float64(), rng.Float64() })
}

// denseQP has P = MMᵀ + 0.01·I.
func denseQP(rng *rand.Rand, n, m int, bounds func() (l, u float64)) *qpbackend.Problem {
	var b builder
	b.vars(n, 0.01, 0)
	col := make([]float64, n)
	for range n {
		for i := range col {
			col[i] = 0
			if rng.Float64() < density {
				col[i] = rng.NormFloat64()
			}
		}
		for j, v := range col {
			for i := range j + 1 {
				if col[i]*v != 0 {
					b.p.Add(i, j, col[i]*v)
				}
			}
		}
	}
	for j := range n {
		b.prob.Q[j] = rng.NormFloat64()
	}
	for range m {
		i := b.row(bounds())
		for j := range n {
			if rng.Float64() < density {
				b.a.Add(i, j, rng.NormFloat64())
			}
		}
	}
	return b.problem()
}

// portfolio has k factors and 100 k assets x: minimise ½xᵀDx + ½yᵀy − ½μᵀx
// with y = Fᵀx on the simplex.
func portfolio(rng *rand.Rand, k int) *qpbackend.Problem {
	var b builder
	n := 100 * k
	x := b.vars(n, 0, 0)
	for j := range n {
		b.p.Add(x+j, x+j, rng.Float64()*math.Sqrt(float64(k)))
		b.prob.Q[x+j] = -rng.NormFloat64() / 2
	}
	y := b.vars(k, 1, 0)
	for f := range k {
		i := b.row(0, 0)
		for j := range n {
			if rng.Float64() < 0.5 {
				b.a.Add(i, x+j, rng.NormFloat64())
			}
		}
		b.a.Add(i, y+f, -1)
	}
	i := b.row(1, 1)
	for j := range n {
		b.a.Add(i, x+j, 1)
	}
	b.bounds(x, n, 0, math.Inf(1))
	return b.problem()
}

// samples is a sparse matrix of 100 n rows.
func samples(n int, entry func(i int) float64, rng *rand.Rand) [][]float64 {
	rows := make([][]float64, 100*n)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range n {
			if rng.Float64() < density {
				rows[i][j] = entry(i)
			}
		}
	}
	return rows
}

// addRow adds scale·v to row i from variable first on.
func (b *builder) addRow(i, first int, scale float64, v []float64) {
	for j, e := range v {
		if e != 0 {
			b.a.Add(i, first+j, scale*e)
		}
	}
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// lasso minimises yᵀy + λ1ᵀt with y = Ax − b and −t ≤ x ≤ t.
func lasso(rng *rand.Rand, n int) *qpbackend.Problem {
	var b builder
	rows := samples(n, func(int) float64 { return rng.NormFloat64() }, rng)
	truth := make([]float64, n)
	for j := range truth {
		if rng.Float64() < 0.5 {
			truth[j] = rng.NormFloat64() / math.Sqrt(float64(n))
		}
	}
	target, corr := make([]float64, len(rows)), make([]float64, n)
	for i, r := range rows {
		target[i] = dot(r, truth) + rng.NormFloat64()
		for j, v := range r {
			corr[j] += v * target[i]
		}
	}
	λ := 0.0
	for _, v := range corr {
		λ = max(λ, math.Abs(v)/5)
	}
	x := b.vars(n, 0, 0)
	y := b.vars(len(rows), 2, 0)
	t := b.vars(n, 0, λ)
	for i, r := range rows {
		k := b.row(target[i], target[i])
		b.addRow(k, x, 1, r)
		b.a.Add(k, y+i, -1)
	}
	for j := range n {
		for _, sign := range [2]float64{-1, 1} { // t ± x ≥ 0
			k := b.row(0, math.Inf(1))
			b.a.Add(k, x+j, sign)
			b.a.Add(k, t+j, 1)
		}
	}
	return b.problem()
}

// svm minimises ½xᵀx + 1ᵀt with t ≥ diag(b)Ax + 1 and t ≥ 0.
func svm(rng *rand.Rand, n int) *qpbackend.Problem {
	var b builder
	half := 50 * n
	label := func(i int) float64 {
		if i < half {
			return 1
		}
		return -1
	}
	rows := samples(n, func(i int) float64 {
		return label(i)/float64(n) + rng.NormFloat64()/math.Sqrt(float64(n))
	}, rng)
	x := b.vars(n, 1, 0)
	t := b.vars(len(rows), 0, 1)
	for i, r := range rows {
		k := b.row(math.Inf(-1), -1)
		b.addRow(k, x, label(i), r)
		b.a.Add(k, t+i, -1)
	}
	b.bounds(t, len(rows), 0, math.Inf(1))
	return b.problem()
}

// huber minimises uᵀu + 2·1ᵀ(r+s) with Ax − b − u = r − s and r, s ≥ 0.
func huber(rng *rand.Rand, n int) *qpbackend.Problem {
	var b builder
	rows := samples(n, func(int) float64 { return rng.NormFloat64() }, rng)
	truth := make([]float64, n)
	for j := range truth {
		truth[j] = rng.NormFloat64() / math.Sqrt(float64(n))
	}
	m := len(rows)
	x := b.vars(n, 0, 0)
	u := b.vars(m, 2, 0)
	r := b.vars(m, 0, 2)
	s := b.vars(m, 0, 2)
	for i, row := range rows {
		noise := rng.NormFloat64() / 2
		if rng.Float64() < 0.05 {
			noise = 10 * rng.Float64()
		}
		target := dot(row, truth) + noise
		k := b.row(target, target)
		b.addRow(k, x, 1, row)
		b.a.Add(k, u+i, -1)
		b.a.Add(k, r+i, -1)
		b.a.Add(k, s+i, 1)
	}
	b.bounds(r, 2*m, 0, math.Inf(1))
	return b.problem()
}

// control steers a linear system of n states and n/2 inputs over 10 periods.
func control(rng *rand.Rand, n int) *qpbackend.Problem {
	const periods = 10
	k := n / 2
	A, B := mat.NewDense(n, n, nil), mat.NewDense(n, k, nil)
	for i := range n {
		for j := range n {
			A.Set(i, j, 0.1*rng.NormFloat64())
		}
		A.Set(i, i, A.At(i, i)+1)
		for j := range k {
			B.Set(i, j, rng.NormFloat64())
		}
	}
	var e mat.Eigen
	if !e.Factorize(A, mat.EigenNone) {
		panic("no eigenvalues")
	}
	radius := 0.0
	for _, v := range e.Values(nil) {
		radius = max(radius, math.Hypot(real(v), imag(v)))
	}
	A.Scale(1/max(1, radius), A)
	Q := mat.NewDense(n, n, nil)
	for i := range n {
		if rng.Float64() < 0.7 {
			Q.Set(i, i, 10*rng.Float64())
		}
	}
	last := riccati(A, B, Q, 0.1)

	var b builder
	state, input := make([]int, periods+1), make([]int, periods)
	for t := range state {
		state[t] = b.vars(n, 0, 0)
		for i := range n {
			if t < periods {
				if v := Q.At(i, i); v != 0 {
					b.p.Add(state[t]+i, state[t]+i, v)
				}
				continue
			}
			for j := i; j < n; j++ {
				b.p.Add(state[t]+i, state[t]+j, last.At(i, j))
			}
		}
	}
	for t := range input {
		input[t] = b.vars(k, 0.1, 0)
	}
	limit := make([]float64, n)
	for i := range limit {
		limit[i] = 1 + rng.Float64()
		x0 := (rng.Float64() - 0.5) * limit[i]
		b.a.Add(b.row(x0, x0), state[0]+i, 1)
	}
	for t := range periods {
		for i := range n {
			r := b.row(0, 0)
			for j := range n {
				b.a.Add(r, state[t]+j, A.At(i, j))
			}
			for j := range k {
				b.a.Add(r, input[t]+j, B.At(i, j))
			}
			b.a.Add(r, state[t+1]+i, -1)
		}
	}
	for _, first := range state {
		for i, v := range limit {
			b.bounds(first+i, 1, -v, v)
		}
	}
	for j := range k {
		v := 0.1 * rng.Float64()
		for _, first := range input {
			b.bounds(first+j, 1, -v, v)
		}
	}
	return b.problem()
}

// riccati solves the discrete algebraic Riccati equation with R = ρI by
// iteration.
func riccati(A, B, Q *mat.Dense, ρ float64) *mat.Dense {
	_, k := B.Dims()
	X := mat.DenseCopyOf(Q)
	for range 300 {
		var xa, xb, s, bxa, gain, next, back mat.Dense
		xa.Mul(X, A)
		xb.Mul(X, B)
		s.Mul(B.T(), &xb)
		for i := range k {
			s.Set(i, i, s.At(i, i)+ρ)
		}
		bxa.Mul(B.T(), &xa)
		if err := gain.Solve(&s, &bxa); err != nil {
			panic(err)
		}
		next.Mul(A.T(), &xa)
		back.Mul(bxa.T(), &gain)
		next.Sub(&next, &back)
		next.Add(&next, Q)
		X.Add(&next, next.T()) // rounding must not make it unsymmetric
		X.Scale(0.5, X)
	}
	return X
}
