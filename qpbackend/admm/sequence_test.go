package admm_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/admm"
)

// avoidance is a path through the plane among obstacles, as the convex-concave
// procedure sees it: minimise the sum of squared steps plus penalised slacks;
// that a point keeps off an obstacle is linearised at a path given before. With
// 100 points and 5 obstacles it has 700 variables and 1398 rows.
type avoidance struct {
	prob      *qpbackend.Problem
	points    int
	obstacles [][3]float64 // centre and radius
	row       int          // first linearised row
	slot      []int        // place in A.Val of the two coefficients of each
	a, l      []float64    // what an Update takes
}

func newAvoidance(rng *rand.Rand, points, obstacles int) *avoidance {
	v := &avoidance{points: points}
	for k := range obstacles {
		at := float64(k+1) / float64(obstacles+1)
		v.obstacles = append(v.obstacles, [3]float64{10 * at, 0.4 * rng.NormFloat64(), 0.5 + 0.3*rng.Float64()})
	}
	inf := math.Inf(1)
	var b builder
	b.vars(2*points, 0.01, 0)
	b.vars(points*obstacles, 0, 10)
	for i := range 2 * (points - 1) { // ½‖step‖²·2
		b.p.Add(i, i, 2)
		b.p.Add(i, i+2, -2)
		b.p.Add(i+2, i+2, 2)
	}
	for i := range 2 * points { // in a box, with fixed ends
		l, u := -20.0, 20.0
		switch i {
		case 0, 1, 2*points - 1:
			l, u = 0, 0
		case 2*points - 2:
			l, u = 10, 10
		}
		b.a.Add(b.row(l, u), i, 1)
	}
	for i := range 2 * (points - 1) { // steps of limited length
		r := b.row(-1, 1)
		b.a.Add(r, i+2, 1)
		b.a.Add(r, i, -1)
	}
	b.bounds(2*points, points*obstacles, 0, inf)
	v.row = len(b.prob.L)
	var number []int
	for t := range points {
		for k := range obstacles {
			r := b.row(0, inf)
			number = append(number, b.a.Add(r, 2*t, 1), b.a.Add(r, 2*t+1, 1))
			b.a.Add(r, 2*points+t*obstacles+k, 1)
		}
	}
	_, pos := b.a.CSC(len(b.prob.L), len(b.prob.Q))
	for _, k := range number {
		v.slot = append(v.slot, pos[k])
	}
	v.prob = b.problem()
	v.a, v.l = append(v.a, v.prob.A.Val...), append(v.l, v.prob.L...)
	return v
}

// linearise makes the update for the path x.
func (v *avoidance) linearise(x []float64) qpbackend.Update {
	k := 0
	for t := range v.points {
		for _, o := range v.obstacles {
			dx, dy := x[2*t]-o[0], x[2*t+1]-o[1]
			norm := max(math.Hypot(dx, dy), 1e-6)
			v.a[v.slot[2*k]], v.a[v.slot[2*k+1]] = dx/norm, dy/norm
			v.l[v.row+k] = o[2] + (dx*o[0]+dy*o[1])/norm
			k++
		}
	}
	return qpbackend.Update{A: v.a, L: v.l}
}

// first is a straight path with some noise.
func (v *avoidance) first(rng *rand.Rand) []float64 {
	x := make([]float64, 2*v.points)
	for t := range v.points {
		x[2*t] = 10 * float64(t) / float64(v.points-1)
		x[2*t+1] = 0.3 + 0.05*rng.NormFloat64()
	}
	return x
}

// TestSequence takes twelve steps of the procedure, each warm-started, and
// compares every step with a cold solve of the same problem.
func TestSequence(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	v := newAvoidance(rng, 100, 5)
	if n, m := v.prob.Dims(); n != 700 || m != 1398 {
		t.Fatalf("%d variables, %d rows", n, m)
	}
	b := admm.Backend{}
	set := b.DefaultSettings()
	set.Tol = 1e-3
	solvers := [2]qpbackend.Solver{}
	for k := range solvers {
		s, err := b.New(context.Background(), v.prob, set)
		if err != nil {
			t.Fatal(err)
		}
		solvers[k] = s
	}
	x, now := v.first(rng), v.prob.Clone()
	var res [2]qpbackend.Result // warm, cold
	var total [2]int
	for step := range 12 {
		u := v.linearise(x)
		if err := now.Apply(u); err != nil {
			t.Fatal(err)
		}
		for k, s := range solvers {
			if err := s.Update(u); err != nil {
				t.Fatal(err)
			}
			if k == 0 && step > 0 {
				if err := s.WarmStart(res[0].X, res[0].Y, res[0].Z); err != nil {
					t.Fatal(err)
				}
			}
			r := &res[k]
			if err := s.Solve(context.Background(), r); err != nil {
				t.Fatal(err)
			}
			if c := qpbackend.Certify(now, r.X, r.Y, r.Z); r.Status != qpbackend.Solved || c != r.Res || !(c.Max() <= 1e-3) || r.Message != "" {
				t.Errorf("step %d: %v (%s) with %+v, certified %+v", step, r.Status, r.Message, r.Res, c)
			}
			total[k] += r.Iterations
		}
		x = res[0].X[:2*v.points]
	}
	t.Logf("%d iterations warm, %d cold", total[0], total[1])
	if !(3*total[0] <= 2*total[1]) {
		t.Errorf("%d iterations warm, %d cold: a warm start saves too little", total[0], total[1])
	}
}

func BenchmarkSequence(b *testing.B) { benchSequence(b, admm.Backend{}) }

// benchSequence is one warm-started step, update included, at 1e-3. The path
// drifts, so that every step has something to do.
func benchSequence(b *testing.B, back qpbackend.Backend) {
	rng := rand.New(rand.NewPCG(4, 4))
	v := newAvoidance(rng, 100, 5)
	set := back.DefaultSettings()
	set.Tol = 1e-3
	s, err := back.New(context.Background(), v.prob, set)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	x := v.first(rng)
	var res qpbackend.Result
	iterations := 0
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Update(v.linearise(x)); err != nil {
			b.Fatal(err)
		}
		if res.Status == qpbackend.Solved {
			if err := s.WarmStart(res.X, res.Y, res.Z); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.Solved {
			b.Fatal(res.Status, err)
		}
		iterations += res.Iterations
		for i := range x {
			x[i] = res.X[i] + 0.005*rng.NormFloat64()
		}
	}
	b.ReportMetric(float64(iterations)/float64(b.N), "iterations/op")
}
