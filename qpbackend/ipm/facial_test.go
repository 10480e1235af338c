package ipm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// bisection is the semidefinite bound of a random graph's bisection: the multipliers of its cone
// are a matrix with ones on the diagonal that has eᵀYe = 0, x[0] being the multiplier of that. It
// has no strictly feasible one.
func bisection(seed uint64, order int) *qpbackend.Problem {
	rng := rand.New(rand.NewPCG(seed, 11))
	n, conic := order+1, order*(order+1)/2
	p := &qpbackend.Problem{Q: make([]float64, n), L: make([]float64, conic), U: make([]float64, conic)}
	p.Cones = []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Len: conic}}
	var a sparse.Triplets
	for j := range order {
		p.Q[1+j] = 1
		diagonal := j * (j + 3) / 2
		a.Add(diagonal, 1+j, 1)
		for i := range j + 1 {
			f := math.Sqrt2
			if i == j {
				f = 1
			}
			a.Add(j*(j+1)/2+i, 0, f)
			if i < j && rng.IntN(3) == 0 {
				w := rng.Float64()
				p.L[j*(j+1)/2+i] += w * math.Sqrt2 / 4
				p.L[diagonal] -= w / 4
				p.L[i*(i+3)/2] -= w / 4
			}
		}
	}
	p.A, _ = a.CSC(conic, n)
	return p
}

// TestFaces: bisections are solved to the tolerance in few iterations, and have the minima that
// they have without faces.
func TestFaces(t *testing.T) {
	for seed := range uint64(6) {
		p := bisection(seed, 8+4*int(seed))
		res, plain := run(t, p, Backend{}, true), run(t, p, Backend{KKT: Schur}, false)
		if res.Status != qpbackend.Solved || res.Iterations > 25 {
			t.Errorf("seed %d: %v after %d iterations", seed, res.Status, res.Iterations)
		}
		if cert := qpbackend.Certify(p, res.X, res.Y, res.Z); cert != res.Res || !(cert.Max() <= 1e-8) {
			t.Errorf("seed %d: residuals %v, stated %v", seed, cert, res.Res)
		}
		if !(math.Abs(res.Objective-plain.Objective) <= 1e-5*(1+math.Abs(plain.Objective))) {
			t.Errorf("seed %d: the minimum is %.9g, without faces %.9g", seed, res.Objective, plain.Objective)
		}
	}
}

// TestFacesAfterUpdate: faces that go and come back leave no trace, and a warm start is passed on.
func TestFacesAfterUpdate(t *testing.T) {
	ctx := context.Background()
	p := bisection(3, 15)
	fresh := run(t, p, Backend{}, true)
	s, err := Backend{}.New(ctx, p, Backend{}.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	costs, curved := p.Clone(), p.Clone()
	costs.Q[3], costs.L[0] = 1.1, costs.L[0]-0.1
	curved.Q[0] = 1
	var res qpbackend.Result
	solve := func(v *qpbackend.Problem, faces bool) {
		t.Helper()
		if err := s.Update(qpbackend.Update{Q: v.Q, L: v.L}); err != nil {
			t.Fatal(err)
		}
		if err := s.Solve(ctx, &res); err != nil || res.Status != qpbackend.Solved {
			t.Fatalf("%v, %v", res.Status, err)
		}
		if got := isReduced(s); got != faces {
			t.Fatalf("faces: %v, want %v", got, faces)
		}
		if cert := qpbackend.Certify(v, res.X, res.Y, res.Z); cert != res.Res {
			t.Errorf("residuals %v, stated %v", cert, res.Res)
		}
	}
	solve(costs, true)
	solve(curved, false)
	solve(p, true)
	if !slices.Equal(res.X, fresh.X) || !slices.Equal(res.Y, fresh.Y) {
		t.Error("another result than that of a fresh solver")
	}
	if err := s.WarmStart(res.X, res.Y, res.Z); err != nil {
		t.Fatal(err)
	}
	if solve(p, true); res.Iterations >= fresh.Iterations {
		t.Errorf("%d iterations from the solution, %d without it", res.Iterations, fresh.Iterations)
	}
	without, err := Backend{}.New(ctx, curved, Backend{}.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	s = without
	solve(curved, false)
	solve(p, true)
	if !slices.Equal(res.X, fresh.X) || !slices.Equal(res.Y, fresh.Y) {
		t.Error("another result where the solver was made for values without faces")
	}
}

// TestFacesWithoutSolution: proofs are those of the problem as stated.
func TestFacesWithoutSolution(t *testing.T) {
	p := bisection(1, 12)
	p.Q[2] = -1 // falls for ever
	res := run(t, p, Backend{}, true)
	if off := qpbackend.DualInfeasibility(p, res.X); res.Status != qpbackend.DualInfeasible || !(off <= 1e-8) {
		t.Errorf("%v, by %g", res.Status, off)
	}
	p = bisection(2, 12)
	for j := 1; j < 3; j++ { // the part of 0 and 1 is −I but for x[0], so no e₀ − e₁ has S ⪰ 0
		p.Q[j], p.A.Val[p.A.ColPtr[j]] = 0, 0
	}
	p.L[0], p.L[1], p.L[2] = 1, 0, 1
	res = run(t, p, Backend{}, true)
	if off := qpbackend.PrimalInfeasibility(p, res.Y, res.Z); res.Status != qpbackend.PrimalInfeasible || !(off <= 1e-8) {
		t.Errorf("%v, by %g", res.Status, off)
	}
}

// completion has two matrices of order 3 with three known entries each, A and B, with B and tB − A
// in cones: there is a point for t ≥ 4, as entry (2, 2) is 0.8 in A and 0.2 in B.
func completion(t float64) *qpbackend.Problem {
	const size = 6 // of a triangle, column by column
	known := map[int]float64{0: 1, 3: 1.9, 2: 0.8, size: 3, size + 3: 1.4, size + 2: 0.2}
	inf := math.Inf(1)
	p := &qpbackend.Problem{Q: make([]float64, 2*size), L: make([]float64, 2*size), U: slices.Repeat([]float64{inf}, 2*size)}
	p.Cones = []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Len: size}, {Kind: qpbackend.Semidefinite, Start: size, Len: size}}
	var a sparse.Triplets
	for k, f := range []float64{1, math.Sqrt2, 1, math.Sqrt2, math.Sqrt2, 1} {
		a.Add(k, size+k, f)
		a.Add(size+k, k, -f)
		a.Add(size+k, size+k, t*f)
	}
	for j := range 2 * size {
		if v, ok := known[j]; ok {
			a.Add(len(p.L), j, 1)
			p.L, p.U = append(p.L, v), append(p.U, v)
		}
	}
	p.A, _ = a.CSC(len(p.L), 2*size)
	return p
}

// TestCompletion: where there are points, the one returned is inside of the cones, and where one
// diagonal entry alone shows that there is none, that is proved, also of millionths.
func TestCompletion(t *testing.T) {
	for _, at := range []float64{4.001, 5} {
		res := run(t, completion(at), Backend{}, true)
		if det := res.X[6]*res.X[11] - res.X[9]*res.X[9]; res.Status != qpbackend.Solved || !(det > 0.5) {
			t.Errorf("t = %g: %v, the determinant of a part of B is %g", at, res.Status, det)
		}
	}
	for _, at := range []float64{3.9, 3.9999, 3.99999, 3.999995} {
		p := completion(at)
		res := run(t, p, Backend{}, true)
		if off := qpbackend.PrimalInfeasibility(p, res.Y, res.Z); res.Status != qpbackend.PrimalInfeasible || !(off <= 1e-8) {
			t.Errorf("t = %g: %v, a proof to %g", at, res.Status, off)
		}
	}
}
