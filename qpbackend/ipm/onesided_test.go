package ipm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// At random quadratic programs with rows and bounds that hold without a multiplier the one-sided
// derivative is that of one-sided differences, on both sides.
func TestOneSided(t *testing.T) {
	ctx := context.Background()
	kinks := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 12))
		n, m := 3+rng.IntN(5), 2+rng.IntN(6)
		normal := func(k int) []float64 {
			v := make([]float64, k)
			for i := range v {
				v[i] = rng.NormFloat64()
			}
			return v
		}
		var at, pt sparse.Triplets
		for j := range n {
			for i := range m {
				at.Add(i, j, rng.NormFloat64())
			}
			for i := range j {
				pt.Add(i, j, rng.NormFloat64()/8)
			}
			pt.Add(j, j, 2)
		}
		inf := math.Inf(1)
		p := &qpbackend.Problem{Q: make([]float64, n), L: make([]float64, m), U: make([]float64, m), Lo: make([]float64, n), Hi: make([]float64, n)}
		p.A, _ = at.CSC(m, n)
		p.P, _ = pt.CSC(n, n)
		x, y, z, s := normal(n), make([]float64, m), make([]float64, n), make([]float64, m)
		p.A.AddMulVec(s, 1, x)
		held := 0
		hold := func(v float64, lo, hi, mult *float64) {
			switch *lo, *hi = v-1, v+1; rng.IntN(5) {
			case 0:
				*lo, held = v, held+1
			case 1:
				*hi, held = v, held+1
			case 2:
				if held < n/2 { // rows with multipliers stay independent
					*lo, *mult, held = v, -1, held+1
				}
			case 3:
				*lo, *hi = -inf, inf
			}
		}
		for i := range m {
			hold(s[i], &p.L[i], &p.U[i], &y[i])
		}
		for j := range n {
			hold(x[j], &p.Lo[j], &p.Hi[j], &z[j])
		}
		p.P.AddSymMulVec(p.Q, -1, x)
		p.A.AddMulVecT(p.Q, -1, y)
		for j, v := range z {
			p.Q[j] -= v
		}
		solve := func(p *qpbackend.Problem) []float64 {
			set := ipm.Backend{}.DefaultSettings()
			set.Tol = 1e-12
			solver, err := ipm.Backend{}.New(ctx, p, set)
			if err != nil {
				t.Fatal(err)
			}
			defer solver.Close()
			var res qpbackend.Result
			if err := solver.Solve(ctx, &res); err != nil {
				t.Fatal(err)
			}
			d, err := solver.(qpbackend.Differentiator).Differentiate(ctx)
			if err != nil {
				return nil // there is none
			}
			return append([]float64(nil), d.Point().X...)
		}
		u := qpbackend.Update{Q: normal(n), L: normal(m), U: normal(m), P: normal(p.P.NNZ()), A: normal(p.A.NNZ())}
		var one [2][]float64
		for k, sign := range []float64{1, -1} {
			turned := qpbackend.Update{Q: times(sign, u.Q), L: times(sign, u.L), U: times(sign, u.U), P: times(sign, u.P), A: times(sign, u.A)}
			dx, err := qpbackend.OneSided(ctx, ipm.Backend{}, p, qpbackend.Tangent{X: x, Y: y, Z: z}, turned)
			if err != nil {
				continue // the rows exclude each other along the change
			}
			one[k] = times(sign, dx.X)
			const h = 1e-5
			q := p.CloneValues()
			q.Q, q.L, q.U, q.P.Val, q.A.Val = plus(q.Q, h, turned.Q), plus(q.L, h, turned.L), plus(q.U, h, turned.U), plus(q.P.Val, h, turned.P), plus(q.A.Val, h, turned.A)
			next := solve(q)
			if next == nil {
				continue
			}
			for j, v := range next {
				if diff := (v - x[j]) / h; !(math.Abs(diff-dx.X[j]) <= 1e-3*max(1, math.Abs(diff))) {
					t.Errorf("%d, %g: entry %d changes by %g, want %g", seed, sign, j, dx.X[j], diff)
				}
			}
		}
		if one[0] != nil && one[1] != nil && math.Abs(one[0][0]-one[1][0]) > 1e-3 {
			kinks++
		}
	}
	if kinks < 5 {
		t.Errorf("%d of 20 points are kinks", kinks)
	}
}

func times(f float64, v []float64) []float64 { return plus(make([]float64, len(v)), f, v) }

func plus(v []float64, f float64, w []float64) []float64 {
	out := make([]float64, len(v))
	for i, e := range v {
		out[i] = e + f*w[i]
	}
	return out
}

// Of all ways in which a second-order cone holds, with a multiplier and without one, the one-sided
// derivative is that of one-sided differences.
func TestOneSidedCones(t *testing.T) {
	ctx := context.Background()
	inf := math.Inf(1)
	compared, seen := 0, map[int]int{}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 13))
		const n, m = 9, 6
		normal := func(k int) []float64 {
			v := make([]float64, k)
			for i := range v {
				v[i] = rng.NormFloat64()
			}
			return v
		}
		var at, pt sparse.Triplets
		for j := range n {
			for i := range m {
				at.Add(i, j, rng.NormFloat64())
			}
			for i := range j {
				pt.Add(i, j, rng.NormFloat64()/8)
			}
			pt.Add(j, j, 3)
		}
		p := &qpbackend.Problem{Q: make([]float64, n), L: make([]float64, m), U: make([]float64, m)}
		p.A, _ = at.CSC(m, n)
		p.P, _ = pt.CSC(n, n)
		x, y, v := normal(n), make([]float64, m), make([]float64, m)
		for _, start := range []int{0, 3} {
			p.Cones = append(p.Cones, qpbackend.Cone{Kind: qpbackend.SecondOrder, Start: start, Len: 3})
			way, angle := rng.IntN(6), 2*math.Pi*rng.Float64()
			seen[way]++
			ray := []float64{1, math.Cos(angle), math.Sin(angle)}
			for k, e := range ray {
				switch way {
				case 0: // inside
					v[start+k] = []float64{3, e, e}[k]
				case 1: // on the boundary without a multiplier
					v[start+k] = 2 * e
				case 2: // with one
					v[start+k], y[start+k] = 2*e, []float64{-1, e, e}[k]
				case 3: // at the apex
					y[start+k] = []float64{-2, e, e}[k]
				case 4: // at the apex without a multiplier
				case 5: // with one that is about to let go
					y[start+k] = []float64{-1, e, e}[k]
				}
			}
		}
		p.A.AddMulVec(p.L, 1, x)
		for i := range m {
			p.L[i] -= v[i]
			p.U[i] = inf
		}
		p.P.AddSymMulVec(p.Q, -1, x)
		p.A.AddMulVecT(p.Q, -1, y)
		u := qpbackend.Update{Q: normal(n), L: normal(m), P: normal(p.P.NNZ()), A: normal(p.A.NNZ())}
		dx, err := qpbackend.OneSided(ctx, ipm.Backend{}, p, qpbackend.Tangent{X: x, Y: y, Z: make([]float64, n)}, u)
		if err != nil {
			t.Errorf("%d: %v", seed, err)
			continue
		}
		const h = 1e-4
		q := p.CloneValues()
		q.Q, q.L, q.P.Val, q.A.Val = plus(q.Q, h, u.Q), plus(q.L, h, u.L), plus(q.P.Val, h, u.P), plus(q.A.Val, h, u.A)
		set := ipm.Backend{}.DefaultSettings()
		set.Tol = 1e-12
		solver, err := ipm.Backend{}.New(ctx, q, set)
		if err != nil {
			t.Fatal(err)
		}
		defer solver.Close()
		var res qpbackend.Result
		if err := solver.Solve(ctx, &res); err != nil {
			t.Fatal(err)
		}
		if res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
			continue
		}
		compared++
		for j, e := range res.X {
			if diff := (e - x[j]) / h; !(math.Abs(diff-dx.X[j]) <= 1e-2*max(1, math.Abs(diff))) {
				t.Errorf("%d: entry %d changes by %g, want %g", seed, j, dx.X[j], diff)
			}
		}
		for i, e := range res.Y {
			if diff := (e - y[i]) / h; !(math.Abs(diff-dx.Y[i]) <= 5e-2*max(1, math.Abs(diff))) {
				t.Errorf("%d: multiplier %d changes by %g, want %g", seed, i, dx.Y[i], diff)
			}
		}
	}
	if compared < 55 || len(seen) != 6 {
		t.Errorf("%d of 60 compared, %v", compared, seen)
	}
}

// At a vertex of more planes than it has dimensions the multipliers are not unique, and each change
// goes with others of them: that of the least squares distance from a point beyond the vertex of
// four planes of space is that of differences.
func TestOneSidedVertex(t *testing.T) {
	ctx := context.Background()
	compared := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 14))
		const n, m = 3, 4
		var at, pt sparse.Triplets
		p := &qpbackend.Problem{Q: make([]float64, n), L: make([]float64, m), U: make([]float64, m)}
		for i := range m {
			p.L[i] = math.Inf(-1)
			for j := range n {
				v := []float64{math.Cos(float64(i) * math.Pi / 2), math.Sin(float64(i) * math.Pi / 2), 1}[j]
				at.Add(i, j, v)
				p.Q[j] -= (1 + rng.Float64()) * v
			}
		}
		for j := range n {
			pt.Add(j, j, 1)
		}
		p.A, _ = at.CSC(m, n)
		p.P, _ = pt.CSC(n, n)
		solve := func(p *qpbackend.Problem) (qpbackend.Result, bool) {
			set := ipm.Backend{}.DefaultSettings()
			set.Tol = 1e-12
			solver, err := ipm.Backend{}.New(ctx, p, set)
			if err != nil {
				t.Fatal(err)
			}
			defer solver.Close()
			var res qpbackend.Result
			if err := solver.Solve(ctx, &res); err != nil {
				t.Fatal(err)
			}
			return res, res.Status == qpbackend.Solved || res.Status == qpbackend.AlmostSolved
		}
		res, ok := solve(p)
		if !ok {
			t.Fatalf("%d: %v", seed, res.Status)
		}
		u := qpbackend.Update{Q: make([]float64, n), U: make([]float64, m)}
		for i := range u.U {
			u.U[i] = rng.NormFloat64()
		}
		dx, err := qpbackend.OneSided(ctx, ipm.Backend{}, p, qpbackend.Tangent{X: make([]float64, n), Y: res.Y, Z: make([]float64, n)}, u)
		if err != nil {
			t.Errorf("%d: %v", seed, err)
			continue
		}
		const h = 1e-5
		q := p.CloneValues()
		q.U = plus(q.U, h, u.U)
		next, ok := solve(q)
		if !ok {
			continue
		}
		compared++
		for j, v := range next.X {
			if diff := v / h; !(math.Abs(diff-dx.X[j]) <= 1e-3*max(1, math.Abs(diff))) {
				t.Errorf("%d: entry %d changes by %g, want %g", seed, j, dx.X[j], diff)
			}
		}
	}
	if compared < 18 {
		t.Errorf("%d of 20 compared", compared)
	}
}

// Other cones have none.
func TestOneSidedOtherCone(t *testing.T) {
	ctx := context.Background()
	p := &qpbackend.Problem{Q: []float64{0, 1, 0}, L: make([]float64, 3), U: []float64{math.Inf(1), math.Inf(1), math.Inf(1)}, Cones: []qpbackend.Cone{{Kind: qpbackend.Exponential, Start: 0, Len: 3}}}
	p.A, p.P = sparse.Identity(3), sparse.Zero(3, 3)
	_, err := qpbackend.OneSided(ctx, ipm.Backend{}, p, qpbackend.Tangent{X: make([]float64, 3), Y: make([]float64, 3), Z: make([]float64, 3)}, qpbackend.Update{})
	if !errors.Is(err, qpbackend.ErrCurved) {
		t.Errorf("%v, want %v", err, qpbackend.ErrCurved)
	}
}
