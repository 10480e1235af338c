package facial

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/reduce"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// square is the matrix of a triangle, n × n.
func square(v []float64, n int) []float64 {
	m := make([]float64, n*n)
	for k, e := range v {
		i, j, v := pair(entry{k, e})
		m[i*n+j], m[j*n+i] = v, v
	}
	return m
}

// triangle is that of a square.
func triangle(m []float64, n int) (v []float64) {
	for j := range n {
		for i := range j + 1 {
			e := m[i*n+j]
			if i < j {
				e *= math.Sqrt2
			}
			v = append(v, e)
		}
	}
	return v
}

// gram is GGᵀ for a random G of r columns, zero outside of the rows in.
func gram(rng *rand.Rand, n, r int, in func(i int) bool) []float64 {
	m := make([]float64, n*n)
	for range r {
		g := make([]float64, n)
		for i := range g {
			if in(i) {
				g[i] = rng.NormFloat64()
			}
		}
		for i, e := range g {
			num.Axpy(m[i*n:][:n], e, g)
		}
	}
	return m
}

func all(int) bool { return true }

func least(m []float64, n int) float64 {
	a := append([]float64(nil), m...)
	return matrix.NewTridiagonal(n).Least(a, func(int) bool { return false })
}

// TestFace: the columns of V are a basis of the null space, VᵀFV and VYVᵀ are adjoint, and a
// matrix that is definite or not semidefinite has no face.
func TestFace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		n := 2 + rng.IntN(12)
		rank := 1 + rng.IntN(n-1)
		in := all
		if rng.IntN(2) == 0 {
			in = func(i int) bool { return i%3 != 1 }
		}
		f := gram(rng, n, rank, in)
		fc := newFace(qpbackend.Cone{}, append([]float64(nil), f...), n)
		if fc == nil {
			if in(1) {
				t.Fatalf("no face of order %d, rank %d", n, rank)
			}
			continue
		}
		w := fc.order()
		if in(1) && w != n-rank {
			t.Fatalf("the face of order %d and rank %d has order %d", n, rank, w)
		}
		full := make([]float64, w*w)
		for _, e := range fc.restrict(nil, entriesOf(triangle(f, n)), full) {
			if !(math.Abs(e.v) < 1e-9) {
				t.Fatalf("VᵀFV has the entry %g", e.v)
			}
		}
		s, y := triangle(gram(rng, n, n, all), n), triangle(gram(rng, w, w, all), w)
		for i := range s {
			if rng.IntN(3) > 0 {
				s[i] = 0
			}
		}
		low, sum := make([]float64, len(y)), 0.0
		for _, e := range fc.restrict(nil, entriesOf(s), full) {
			low[e.row] = e.v
		}
		high := make([]float64, len(s))
		fc.expand(high, y)
		if sum = num.Dot(high, s); !(math.Abs(sum-num.Dot(low, y)) <= 1e-9*(1+math.Abs(sum))) {
			t.Fatalf("⟨S, VYVᵀ⟩ = %g, ⟨VᵀSV, Y⟩ = %g", sum, num.Dot(low, y))
		}
		if v := least(square(high, n), n); !(v > -1e-9*num.NormInf(high)) {
			t.Fatalf("VYVᵀ has the eigenvalue %g", v)
		}
		f[0] = -1
		if newFace(qpbackend.Cone{}, append([]float64(nil), f...), n) != nil {
			t.Fatal("a face of an indefinite matrix")
		}
	}
	if newFace(qpbackend.Cone{}, gram(rng, 5, 9, all), 5) != nil {
		t.Error("a face of a definite matrix")
	}
}

// problem has rows, a second-order cone and a semidefinite one of the order, with two rays of rank
// one and other variables.
func problem(rng *rand.Rand, order int) *qpbackend.Problem {
	n, conic := 6, order*(order+1)/2
	var a sparse.Triplets
	p := &qpbackend.Problem{Q: make([]float64, n), L: make([]float64, 3+conic+2), U: make([]float64, 3+conic+2), P: sparse.Zero(n, n)}
	p.Cones = []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Start: 0, Len: 2}, {Kind: qpbackend.Semidefinite, Start: 3, Len: conic}}
	for j := range n {
		p.Lo, p.Hi = append(p.Lo, math.Inf(-1)), append(p.Hi, math.Inf(1))
		m := gram(rng, order, 1, all)
		if j > 1 {
			p.Q[j] = rng.NormFloat64()
			for _, i := range []int{0, 1, 2, 3 + conic, 4 + conic} {
				a.Add(i, j, rng.NormFloat64())
			}
			m[0] = -m[0]
		}
		if j == 1 {
			num.Scale(m, -1)
		}
		for i, v := range triangle(m, order) {
			a.Add(3+i, j, v)
		}
	}
	for i := range p.L {
		p.L[i] = -rng.Float64()
		p.U[i] = rng.Float64()
	}
	p.A, _ = a.CSC(len(p.L), n)
	return p
}

// TestReduction: both ways between the points, and a completion that is semidefinite.
func TestReduction(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	ctx := context.Background()
	for trial := range 40 {
		order := 3 + rng.IntN(8)
		p := problem(rng, order)
		if trial%2 == 0 {
			p.Lo[0], p.Hi[1] = 3, 2
		}
		r := newFaces(p, 1e-8)
		if r == nil {
			t.Fatal("no reduction")
		}
		if err := r.problem.Validate(); err != nil {
			t.Fatal(err)
		}
		if len(r.kept) != 4 || r.problem.Cones[1].Len != (order-2)*(order-1)/2 {
			t.Fatalf("the variables %v are kept, cones are %v", r.kept, r.problem.Cones)
		}
		n, m := r.problem.Dims()
		x, y := make([]float64, n), make([]float64, m)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		// Equal residuals of the variables that are kept, none of the rays.
		stated := r.multipliers(nil, y)
		want, got := make([]float64, n), make([]float64, 6)
		r.problem.A.AddMulVecT(want, 1, y)
		p.A.AddMulVecT(got, 1, stated)
		for k, v := range append([]float64{0, 0}, want...) {
			if !(math.Abs(got[k]-v) <= 1e-9*(1+math.Abs(v))) {
				t.Fatalf("entry %d of Aᵀy is %g, want %g", k, got[k], v)
			}
		}
		point := r.primal(ctx, nil, x, p, false)
		start := r.start(reduce.Point{X: point, Y: stated})
		if num.DistInf(start.X, x) > 0 || num.DistInf(start.Y, y) > 1e-12 || start.Z != nil {
			t.Fatal("another point comes back")
		}
		if point[0] < p.Lo[0] || point[1] > p.Hi[1] {
			t.Fatal("bounds are not kept")
		}
		// Where the reduced matrix is semidefinite but for e, so is that as stated.
		c := r.problem.Cones[1]
		low, high := make([]float64, m), make([]float64, len(p.L))
		r.problem.A.AddMulVec(low, 1, x)
		num.Axpy(low, -1, r.problem.L)
		e := max(0, -least(square(low[c.Start:][:c.Len], order-2), order-2))
		p.A.AddMulVec(high, 1, point)
		num.Axpy(high, -1, p.L)
		own := high[p.Cones[1].Start:][:p.Cones[1].Len]
		if v := least(square(own, order), order); !(v >= -20*e-1e-8*max(1, num.NormInf(own))) {
			t.Fatalf("the least eigenvalue is %g, that on the face %g", v, -e)
		}
	}
}

// TestNoReduction: a cost, a square, bounds on both sides, an entry elsewhere or a matrix that is
// not semidefinite is none.
func TestNoReduction(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, change := range map[string]func(p *qpbackend.Problem){
		"cost":   func(p *qpbackend.Problem) { p.Q[0], p.Q[1] = 1, 1 },
		"bounds": func(p *qpbackend.Problem) { p.Lo[0], p.Hi[0], p.Lo[1] = 0, 1, 0 },
		"square": func(p *qpbackend.Problem) {
			var s sparse.Triplets
			s.Add(0, 1, 0)
			p.P, _ = s.CSC(6, 6)
		},
		"indefinite": func(p *qpbackend.Problem) {
			for j := range 2 {
				e := p.A.ColPtr[j]
				p.A.Val[e] = -p.A.Val[e]
			}
		},
		"row": func(p *qpbackend.Problem) {
			var a sparse.Triplets
			for j := range 6 {
				for e := p.A.ColPtr[j]; e < p.A.ColPtr[j+1]; e++ {
					a.Add(p.A.RowIdx[e], j, p.A.Val[e])
				}
				a.Add(2, j, 1)
			}
			p.A, _ = a.CSC(len(p.L), 6)
		},
	} {
		p := problem(rng, 5)
		if change(p); newFaces(p, 1e-8) != nil {
			t.Errorf("%s: a reduction", name)
		}
	}
}
