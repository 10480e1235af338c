package ipm_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// smooth is the curve with bounds on its second differences that is nearest to a wave with jumps.
func smooth(n int, bound float64) *qpbackend.Problem {
	p := &qpbackend.Problem{Q: make([]float64, n)}
	var a, h sparse.Triplets
	for i := range n {
		h.Add(i, i, 1)
		p.Q[i] = -math.Sin(12*float64(i)/float64(n)) - float64(i*7%11)/30
	}
	for i := range n - 2 {
		a.Add(i, i, 1)
		a.Add(i, i+1, -2)
		a.Add(i, i+2, 1)
		p.L, p.U = append(p.L, -bound), append(p.U, bound)
	}
	p.P, _ = h.CSC(n, n)
	p.A, _ = a.CSC(n-2, n)
	return p
}

// TestLargeMultipliers: where multipliers at the solution are far larger than any entry of the
// objective, the multipliers of the first point are raised; else the three take 72 iterations.
func TestLargeMultipliers(t *testing.T) {
	iterations := 0
	for _, bound := range []float64{1e-4, 1e-5, 1e-6} {
		p := smooth(1000, bound)
		r := solve(t, p)
		wantSolved(t, p, r)
		iterations += r.Iterations
	}
	if iterations > 60 {
		t.Errorf("%d iterations, want 54", iterations)
	}
}

// monotone is the curve whose differences of the given order are nonnegative that is nearest to an
// exponential with noise, by the sum of squares.
func monotone(n, order int, noise float64) *qpbackend.Problem {
	p := &qpbackend.Problem{Q: make([]float64, n)}
	stencil := []float64{1}
	for range order {
		next := make([]float64, len(stencil)+1)
		for k, v := range stencil {
			next[k] -= v
			next[k+1] += v
		}
		stencil = next
	}
	rng := rand.New(rand.NewPCG(uint64(n), uint64(order)))
	var a, h sparse.Triplets
	for j := range n {
		h.Add(j, j, 1)
		p.Q[j] = -math.Exp(float64(j)/float64(n)) - noise*rng.NormFloat64()
	}
	for i := range n - order {
		for k, v := range stencil {
			a.Add(i, i+k, v)
		}
		p.L, p.U = append(p.L, 0), append(p.U, math.Inf(1))
	}
	p.P, _ = h.CSC(n, n)
	p.A, _ = a.CSC(n-order, n)
	return p
}

// TestShortForSlacksAlone: where steps are short for slacks and full for multipliers, and all
// variables have squares, multipliers are raised; and where that is not enough, as with differences
// of order four, the embedding takes over.
func TestShortForSlacksAlone(t *testing.T) {
	for _, c := range []struct {
		n, order int
		noise    float64
		most     int // iterations
	}{{500, 2, 0.5, 17}, {1000, 2, 0.1, 20}, {500, 3, 0.1, 33}, {2000, 3, 0.1, 70}, {1000, 4, 0.1, 95}, {600, 4, 0.5, 80}, {3000, 3, 0.5, 90}} {
		if r := solve(t, monotone(c.n, c.order, c.noise)); r.Status != qpbackend.Solved || r.Iterations > c.most {
			t.Errorf("%d variables, differences of order %d: %v after %d iterations, want solved after at most %d", c.n, c.order, r.Status, r.Iterations, c.most)
		}
	}
}

// mixture is a linear program of n quantities in rows of units over four decades: a third of them
// fixed, the others bounded below or from both sides.
func mixture(n int, seed uint64) *qpbackend.Problem {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	decades := func(from, to float64) float64 { return math.Pow(10, from+(to-from)*rng.Float64()) }
	p := &qpbackend.Problem{}
	known := make([]float64, n)
	for j := range known {
		p.Q, p.Lo, p.Hi = append(p.Q, decades(-1, 2)), append(p.Lo, 0), append(p.Hi, math.Inf(1))
		if rng.IntN(2) == 0 {
			known[j] = decades(-1, 1.5)
		}
	}
	var a sparse.Triplets
	for i := range n / 3 {
		unit, v := decades(-2, 2), 0.0
		for range 5 {
			j, e := rng.IntN(n), unit*decades(-1, 1)
			a.Add(i, j, e)
			v += e * known[j]
		}
		l, u := v, v
		switch i % 3 {
		case 1:
			u = math.Inf(1)
		case 2:
			l, u = 0.5*v, 2*v+1
		}
		p.L, p.U = append(p.L, l), append(p.U, u)
	}
	p.A, _ = a.CSC(n/3, n)
	return p
}

// TestCostsApart: multipliers of the first point of linear programs come from the costs alone; else
// the eight take 130 iterations.
func TestCostsApart(t *testing.T) {
	iterations := 0
	for seed := range uint64(8) {
		p := mixture(200, seed)
		r := solve(t, p)
		wantSolved(t, p, r)
		iterations += r.Iterations
	}
	if iterations > 125 {
		t.Errorf("%d iterations, want 119", iterations)
	}
}

// between are n quantities between two variables, the only ones with squares, the lower one to be
// large and the upper one small. Of each of four groups with weights over four decades the sum with
// its weights and the one with weights and distances are given.
func between(n int, share float64, seed uint64) *qpbackend.Problem {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	p := &qpbackend.Problem{Q: make([]float64, n+2), Lo: make([]float64, n+2), Hi: make([]float64, n+2)}
	for j := range p.Q {
		p.Lo[j], p.Hi[j] = 0.1, math.Inf(1)
	}
	p.Q[n], p.Q[n+1] = -20, -2
	var a, h sparse.Triplets
	h.Add(n, n, 20)
	h.Add(n+1, n+1, 2)
	for j := range n {
		a.Add(2*j, j, 1)
		a.Add(2*j, n, -1)
		a.Add(2*j+1, j, -1)
		a.Add(2*j+1, n+1, 1)
		p.L, p.U = append(p.L, 0, 0), append(p.U, math.Inf(1), math.Inf(1))
	}
	for g := range 4 {
		i, sum, far := 2*n+2*g, 0.0, 0.0
		for j := range n {
			if rng.Float64() < share {
				weight := math.Round(math.Pow(10, 0.5+3.2*rng.Float64()))
				distance := math.Round(5000 * (float64(g+1) + rng.Float64()))
				a.Add(i, j, weight)
				a.Add(i+1, j, weight*distance)
				sum, far = sum+1.08*weight, far+1.03*weight*distance
			}
		}
		p.L, p.U = append(p.L, sum, far), append(p.U, sum, far)
	}
	p.P, _ = h.CSC(n+2, n+2)
	p.A, _ = a.CSC(2*n+8, n+2)
	return p
}

// TestJointLengths: where few variables have squares the lengths of the two steps are joined; else
// the four take 238 iterations.
func TestJointLengths(t *testing.T) {
	iterations := 0
	for seed := range uint64(4) {
		p := between(4000, 0.05, seed)
		r := solve(t, p)
		wantSolved(t, p, r)
		iterations += r.Iterations
	}
	if iterations > 210 {
		t.Errorf("%d iterations, want 194", iterations)
	}
}

// TestRoundingOfLightWeights: where a solve leaves the dual residual behind the proximal weight of
// x becomes heavier; else this ends almost solved, at 4e-8.
func TestRoundingOfLightWeights(t *testing.T) {
	p := between(4000, 0.15, 0)
	wantSolved(t, p, solve(t, p))
}

// TestIntermediate: the solution of a linear program that stands alone is as exact as rounding lets
// it be; one to go on from is left within the tolerance.
func TestIntermediate(t *testing.T) {
	var a sparse.Triplets
	a.Add(0, 0, 1)
	p := &qpbackend.Problem{Q: []float64{1}, L: []float64{5}, U: []float64{math.Inf(1)}, Lo: []float64{0}, Hi: []float64{100}}
	p.A, _ = a.CSC(1, 1)
	off := map[bool]float64{}
	for _, intermediate := range []bool{false, true} {
		set := ipm.Backend{}.DefaultSettings()
		set.Intermediate = intermediate
		s, err := ipm.Backend{}.New(context.Background(), p, set)
		if err != nil {
			t.Fatal(err)
		}
		var r qpbackend.Result
		if err := s.Solve(context.Background(), &r); err != nil || r.Status != qpbackend.Solved {
			t.Fatal(r.Status, err)
		}
		off[intermediate] = math.Abs(r.X[0] - 5)
	}
	if off[false] > 1e-13 || off[true] < 1e-12 || off[true] > 1e-7 {
		t.Errorf("off by %g alone, %g to go on from", off[false], off[true])
	}
}

// TestHeldUp: proximal weights that bend a direction so much that its step is short have to fall.
// Convex curves nearest to waves with noise took 223 iterations while weights fell where a residual
// did not alone.
func TestHeldUp(t *testing.T) {
	sum := 0
	for _, n := range []int{800, 1500, 3000, 6000} {
		p := smooth(n, 0)
		for i := range p.U {
			p.U[i] = math.Inf(1)
		}
		res := solve(t, p)
		wantSolved(t, p, res)
		sum += res.Iterations
	}
	if sum > 130 {
		t.Errorf("%d iterations, 99 when this was written", sum)
	}
}
