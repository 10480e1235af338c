package ipm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/formats"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// strictly is a random program with a positive definite P: variables with one bound, two,
// equal ones and none, rows with one side, two, equal ones and none.
func strictly(rng *rand.Rand, n, m int) *qpbackend.Problem {
	var tp, ta sparse.Triplets
	f := make([]float64, n*n)
	for i := range f {
		f[i] = rng.NormFloat64()
	}
	for j := range n {
		for i := range j + 1 {
			v := num.Dot(f[i*n:i*n+n], f[j*n:j*n+n])
			if i == j {
				v += 0.1
			}
			tp.Add(i, j, v)
		}
	}
	for i := range m {
		for j := range n {
			ta.Add(i, j, rng.NormFloat64())
		}
	}
	p := &qpbackend.Problem{Q: make([]float64, n)}
	p.P, _ = tp.CSC(n, n)
	p.A, _ = ta.CSC(m, n)
	for j := range n {
		p.Q[j] = 10 * rng.NormFloat64()
	}
	between := func() (lo, up float64) {
		switch rng.IntN(8) {
		case 0:
			return 0.1, 0.1
		case 1:
			return math.Inf(-1), math.Inf(1)
		case 2, 3:
			return -1, 1
		case 4:
			return -1, math.Inf(1)
		}
		return math.Inf(-1), 1
	}
	for range n {
		lo, up := between()
		p.Lo, p.Hi = append(p.Lo, lo), append(p.Hi, up)
	}
	for range m {
		lo, up := between()
		p.L, p.U = append(p.L, lo), append(p.U, up)
	}
	return p
}

// drifted is p with costs and sides that differ by about so much.
func drifted(rng *rand.Rand, p *qpbackend.Problem, by float64) *qpbackend.Problem {
	c := *p
	c.Q, c.L, c.U = append([]float64(nil), p.Q...), append([]float64(nil), p.L...), append([]float64(nil), p.U...)
	for j := range c.Q {
		c.Q[j] += 10 * by * rng.NormFloat64()
	}
	for i := range c.L {
		move := by * rng.NormFloat64()
		c.L[i] += move
		c.U[i] += move
	}
	return &c
}

// TestWarmFromSides: a warm start from the solution of nearby values ends where a cold one does, at
// a point as good, and with few factorisations where the sides that hold change little; also where
// the values have become infeasible.
func TestWarmFromSides(t *testing.T) {
	quick, infeasible := 0, 0
	const problems = 400
	for seed := range uint64(problems) {
		rng := rand.New(rand.NewPCG(seed, 7))
		p := strictly(rng, 1+rng.IntN(12), rng.IntN(8))
		before := solve(t, p)
		next := drifted(rng, p, []float64{1e-3, 1e-2, 0.1, 1}[seed%4])
		cold := solve(t, next)
		s := newSolver(t, next)
		if before.Status == qpbackend.Solved {
			if err := s.WarmStart(before.X, before.Y, before.Z); err != nil {
				t.Fatal(err)
			}
		}
		var warm qpbackend.Result
		if err := s.Solve(t.Context(), &warm); err != nil {
			t.Fatal(err)
		}
		if warm.Status != cold.Status {
			t.Errorf("seed %d: %v from the point before, %v without", seed, warm.Status, cold.Status)
			continue
		}
		if cold.Status != qpbackend.Solved {
			infeasible++
			continue
		}
		if r := qpbackend.Certify(next, warm.X, warm.Y, warm.Z).Max(); r > 1e-8 {
			t.Errorf("seed %d: residual %g", seed, r)
		}
		for j, x := range warm.X {
			if math.Abs(x-cold.X[j]) > 1e-3*(1+math.Abs(x)) { // a gap of 1e-8 leaves so much where the curvature is 0.1
				t.Errorf("seed %d: x[%d] = %v from the point before, %v without", seed, j, x, cold.X[j])
				break
			}
		}
		if warm.Iterations <= 3 {
			quick++
		}
	}
	if quick < problems/2 || infeasible == 0 {
		t.Errorf("%d of %d problems took at most 3 iterations, %d had no solution: the test shows nothing", quick, problems, infeasible)
	}
}

// BenchmarkSequences counts the iterations of programs that follow one another: cold, from the
// solution of the one before, and from that of its iterates that leads on best. LIPMWALK and
// WHLIPBAL are every second step of a controller, of qpbenchmark.
func BenchmarkSequences(b *testing.B) {
	sequences := map[string][]*qpbackend.Problem{}
	for _, name := range []string{"LIPMWALK", "WHLIPBAL"} {
		for _, k := range []int{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 21, 23, 25, 27, 29} {
			f, err := formats.ReadFile(shared.Path(b, "data", "mpc", fmt.Sprint(name, k, ".npz")))
			if err != nil {
				b.Fatal(err)
			}
			sequences[name] = append(sequences[name], f.Problem)
		}
	}
	for _, by := range []float64{1e-3, 1e-2, 0.1, 1, 10} {
		name := fmt.Sprint("drift-", by)
		for first := uint64(0); len(sequences[name]) < 30; first++ { // one that has solutions
			rng := rand.New(rand.NewPCG(first, 1))
			p := strictly(rng, 20, 10)
			sequences[name] = nil
			for len(sequences[name]) < 30 && solve(b, p).Status == qpbackend.Solved {
				sequences[name] = append(sequences[name], p)
				p = drifted(rng, p, by)
			}
		}
	}
	for _, name := range []string{"LIPMWALK", "WHLIPBAL", "drift-0.001", "drift-0.01", "drift-0.1", "drift-1", "drift-10"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var cold, warm, best int
				var last, fresh qpbackend.Result
				for k, p := range sequences[name] {
					fresh = *solve(b, p)
					s := newSolver(b, p)
					if k > 0 {
						cold += fresh.Iterations
						best += fewest(b, sequences[name][k-1], p)
						if err := s.WarmStart(last.X, last.Y, last.Z); err != nil {
							b.Fatal(err)
						}
					}
					if err := s.Solve(b.Context(), &last); err != nil {
						b.Fatal(err)
					}
					if last.Status != qpbackend.Solved {
						b.Errorf("%s: program %d is %v", name, k, last.Status)
					}
					if k > 0 {
						warm += last.Iterations
					}
				}
				b.ReportMetric(float64(cold), "cold-iterations")
				b.ReportMetric(float64(warm), "warm-iterations")
				b.ReportMetric(float64(best), "best-iterations")
			}
		})
	}
}

// fewest is the least number of iterations for next from any of the iterates of a cold solve of p.
func fewest(b *testing.B, p, next *qpbackend.Problem) int {
	least := math.MaxInt
	for n, ends := 1, false; !ends; n++ {
		set := ipm.Backend{}.DefaultSettings()
		set.MaxIter = n
		first, err := ipm.Backend{}.New(b.Context(), p, set)
		if err != nil {
			b.Fatal(err)
		}
		at := run(b, first)
		ends = at.Status != qpbackend.IterationLimit
		s := newSolver(b, next)
		if err := s.WarmStart(at.X, at.Y, at.Z); err != nil {
			b.Fatal(err)
		}
		if res := run(b, s); res.Status == qpbackend.Solved {
			least = min(least, res.Iterations)
		}
	}
	return least
}
