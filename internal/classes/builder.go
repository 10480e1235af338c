package classes

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Builder collects a problem piece by piece: P by its upper triangle, A, q, rows and
// cones.
type Builder struct {
	P, A    sparse.Triplets
	Q, L, U []float64
	Cones   []qpbackend.Cone
	lo, hi  []float64 // bounds of the variables, as far as any are stated
}

// New begins with n variables without cost.
func New(n int) *Builder { return &Builder{Q: make([]float64, n)} }

func (b *Builder) n() int { return len(b.Q) }

// Vars appends k variables with the given curvature and slope and returns the first.
func (b *Builder) Vars(k int, curvature, slope float64) int {
	first := b.n()
	for j := range k {
		if curvature != 0 {
			b.P.Add(first+j, first+j, curvature)
		}
		b.Q = append(b.Q, slope)
	}
	return first
}

// Row appends a row l ≤ aᵀx ≤ u without entries and returns its number.
func (b *Builder) Row(l, u float64) int {
	b.L, b.U = append(b.L, l), append(b.U, u)
	return len(b.L) - 1
}

// Bound states l ≤ x[j] ≤ u.
func (b *Builder) Bound(j int, l, u float64) {
	b.free()
	b.lo[j], b.hi[j] = l, u
}

// free leaves the variables without bounds that have none yet.
func (b *Builder) free() {
	for len(b.lo) < b.n() {
		b.lo, b.hi = append(b.lo, math.Inf(-1)), append(b.hi, math.Inf(1))
	}
}

// Cone makes the rows from first on a cone.
func (b *Builder) Cone(kind qpbackend.ConeKind, first int) {
	b.Cones = append(b.Cones, qpbackend.Cone{Kind: kind, Start: first, Len: len(b.L) - first})
}

// Problem is the problem of the collected rows.
func (b *Builder) Problem() *qpbackend.Problem {
	p, _ := b.Placed()
	return p
}

// Placed is Problem, and where in the values of its A the entries are, in the order in
// which they were added.
func (b *Builder) Placed() (p *qpbackend.Problem, at []int) {
	if b.lo != nil {
		b.free()
	}
	p = &qpbackend.Problem{Q: b.Q, Lo: b.lo, Hi: b.hi, L: b.L, U: b.U, Cones: b.Cones}
	p.P, _ = b.P.CSC(b.n(), b.n())
	p.A, at = b.A.CSC(len(b.L), b.n())
	return p, at
}

// Source is the generator of the problem with the given name.
func Source(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(1, h.Sum64()))
}

// Entry is one of a sparse random matrix.
type Entry struct {
	I, J int
	V    float64
}

// Normals draws a matrix of which each entry is, with the given probability, a
// standard normal number and else zero, by columns.
func Normals(rng *rand.Rand, rows, cols int, density float64) []Entry {
	var all []Entry
	for j := range cols {
		for i := range rows {
			if rng.Float64() < density {
				all = append(all, Entry{i, j, rng.NormFloat64()})
			}
		}
	}
	return all
}

// Gram adds M Mᵀ + shift·I to P, for a square M by columns.
func (b *Builder) Gram(m []Entry, shift float64) {
	n := b.n()
	dense := make([]float64, n*n)
	for k := 0; k < len(m); {
		end := k
		for end < len(m) && m[end].J == m[k].J {
			end++
		}
		for _, s := range m[k:end] {
			for _, t := range m[k:end] {
				if s.I <= t.I {
					dense[s.I*n+t.I] += s.V * t.V
				}
			}
		}
		k = end
	}
	for i := range n {
		dense[i*n+i] += shift
		for j := i; j < n; j++ {
			if v := dense[i*n+j]; v != 0 {
				b.P.Add(i, j, v)
			}
		}
	}
}
