package instance

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// builder collects a problem of n variables.
type builder struct {
	n     int
	p, a  sparse.Triplets
	q     []float64
	l, u  []float64
	lo    []float64 // bounds of the variables, nil while there is none
	hi    []float64
	cones []qpbackend.Cone
}

func newBuilder(n int) *builder { return &builder{n: n, q: make([]float64, n)} }

// row appends a row without entries and returns its number.
func (b *builder) row(l, u float64) int {
	b.l, b.u = append(b.l, l), append(b.u, u)
	return len(b.l) - 1
}

// bound states l ≤ x[j] ≤ u.
func (b *builder) bound(j int, l, u float64) {
	for len(b.lo) < b.n {
		b.lo, b.hi = append(b.lo, math.Inf(-1)), append(b.hi, inf)
	}
	b.lo[j], b.hi[j] = l, u
}

func (b *builder) problem() *qpbackend.Problem {
	p := &qpbackend.Problem{Q: b.q, Lo: b.lo, Hi: b.hi, L: b.l, U: b.u, Cones: b.cones}
	p.P, _ = b.p.CSC(b.n, b.n)
	p.A, _ = b.a.CSC(len(b.l), b.n)
	return p
}

// source is the generator of the problem with the given name.
func source(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(1, h.Sum64()))
}

// entry is one of a sparse random matrix.
type entry struct {
	i, j int
	v    float64
}

// normals draws a matrix of which each entry is, with the given probability, a
// standard normal number and else zero, by columns.
func normals(rng *rand.Rand, rows, cols int, density float64) []entry {
	var all []entry
	for j := range cols {
		for i := range rows {
			if rng.Float64() < density {
				all = append(all, entry{i, j, rng.NormFloat64()})
			}
		}
	}
	return all
}

// gram adds M Mᵀ + shift·I to P, for a square M by columns.
func (b *builder) gram(m []entry, shift float64) {
	dense := make([]float64, b.n*b.n)
	for k := 0; k < len(m); {
		end := k
		for end < len(m) && m[end].j == m[k].j {
			end++
		}
		for _, s := range m[k:end] {
			for _, t := range m[k:end] {
				if s.i <= t.i {
					dense[s.i*b.n+t.i] += s.v * t.v
				}
			}
		}
		k = end
	}
	for i := range b.n {
		dense[i*b.n+i] += shift
		for j := i; j < b.n; j++ {
			if v := dense[i*b.n+j]; v != 0 {
				b.p.Add(i, j, v)
			}
		}
	}
}

var inf = math.Inf(1)
