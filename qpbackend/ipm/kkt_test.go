package ipm_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// fit is a step of l-CCP in the form that ccp gives it: of each sample, rows for
// the pieces of two maxima, each over one piece of its own and, stored whole,
// the active one of the other; a residual, and a slack for either half.
func fit(rng *rand.Rand, samples, params int) *qpbackend.Problem {
	const r1, r2 = 3, 2
	first := (r1 + r2) * params
	n := first + 3*samples
	var t, pt sparse.Triplets
	p := &qpbackend.Problem{Q: make([]float64, n)}
	row := 0
	add := func(i, own, from, to, active int, ξ, y float64, slack int, x []float64) {
		for k, v := range x {
			t.Add(row, own*params+k, v)
			for l := from; l < to; l++ {
				if l == active {
					t.Add(row, l*params+k, -v)
				} else {
					t.Add(row, l*params+k, 0)
				}
			}
		}
		t.Add(row, first+i, ξ)
		t.Add(row, first+samples+slack, -1)
		p.L, p.U = append(p.L, math.Inf(-1)), append(p.U, y)
		row++
	}
	for i := range samples {
		pt.Add(first+i, first+i, 2/float64(samples))
		p.Q[first+samples+2*i], p.Q[first+samples+2*i+1] = 10, 10
		x := make([]float64, params)
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		x[params-1] = 1
		y := math.Abs(x[0]) - 0.5*math.Abs(x[1%params]) + 0.3*rng.NormFloat64()
		j1, j2 := rng.IntN(r1), r1+rng.IntN(r2)
		for l := range r1 {
			add(i, l, r1, r1+r2, j2, 1, y, 2*i, x)
		}
		for l := r1; l < r1+r2; l++ {
			add(i, l, 0, r1, j1, -1, -y, 2*i+1, x)
		}
	}
	for s := range 2 * samples {
		t.Add(row, first+samples+s, 1)
		p.L, p.U = append(p.L, 0), append(p.U, math.Inf(1))
		row++
	}
	p.P, _ = pt.CSC(n, n)
	p.A, _ = t.CSC(row, n)
	return p
}

// The strategies agree on tall problems and others, through a history of
// updates, with warm starts.
func TestStrategiesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 20))
	for name, p := range map[string]*qpbackend.Problem{
		"fit": fit(rng, 60, 4), "regression": regression(rng, 80, 5, 3), "dense": classes.Dense(rng, 20, 60, 0.5), "packing": packing(rng, 6),
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(21, uint64(len(name))))
			var s []qpbackend.Solver
			set := ipm.Backend{}.DefaultSettings()
			set.Tol = 1e-10
			for _, how := range strategies {
				solver, err := ipm.Backend{KKT: how}.New(context.Background(), p, set)
				if err != nil {
					t.Fatal(err)
				}
				s = append(s, solver)
			}
			now := p.Clone()
			if now.P == nil {
				now.P = sparse.Zero(len(p.Q), len(p.Q))
			}
			for round := range 4 {
				u := qpbackend.Update{
					Q: make([]float64, len(p.Q)), L: make([]float64, len(p.L)), U: make([]float64, len(p.U)),
					A: make([]float64, p.A.NNZ()), P: make([]float64, now.P.NNZ()),
				}
				if round == 0 {
					u = qpbackend.Update{}
				} else {
					jitter(rng, u.Q, p.Q, 0.05)
					copy(u.L, p.L)
					copy(u.U, p.U)
					jitter(rng, u.A, p.A.Val, 0.02)
					for k := range u.P {
						u.P[k] = now.P.Val[k] * (1 + 0.1*float64(round))
					}
					if round == 2 { // a row goes, another becomes an equation
						u.L[0], u.U[0] = math.Inf(-1), math.Inf(1)
						v := min(max(0, u.L[1]), u.U[1])
						u.L[1], u.U[1] = v, v
					}
				}
				if err := now.Apply(u); err != nil {
					t.Fatal(err)
				}
				var res [2]qpbackend.Result
				for k := range s {
					if err := s[k].Update(u); err != nil {
						t.Fatal(err)
					}
					if err := s[k].Solve(context.Background(), &res[k]); err != nil {
						t.Fatal(err)
					}
					wantSolved(t, now, &res[k])
				}
				near(t, "objective", res[1].Objective, res[0].Objective, 1e-9)
				for k := range s {
					if err := s[k].WarmStart(res[0].X, res[0].Y, res[0].Z); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// Tall problems are recognised, and a solver says how it works.
func TestKKT(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 23))
	for _, c := range []struct {
		name string
		p    *qpbackend.Problem
		ask  ipm.KKT
		want ipm.KKT
	}{
		{"tall", fit(rng, 300, 9), ipm.Auto, ipm.Arrowhead},
		{"tall", fit(rng, 300, 9), ipm.Sparse, ipm.Sparse},
		{"packing", packing(rng, 12), ipm.Auto, ipm.Sparse},
		{"small", fit(rng, 5, 2), ipm.Auto, ipm.Sparse},
		{"small", fit(rng, 5, 2), ipm.Arrowhead, ipm.Arrowhead},
	} {
		s := newSolverBy(t, ipm.Backend{KKT: c.ask}, c.p)
		says, ok := s.(interface{ KKT() ipm.KKT })
		if !ok || says.KKT() != c.want {
			t.Errorf("%s: %v was asked for, %v came", c.name, c.ask, says.KKT())
		}
		wantSolved(t, c.p, run(t, s))
	}
}

func BenchmarkFit2000(b *testing.B) {
	rng := rand.New(rand.NewPCG(22, 22))
	p := fit(rng, 2000, 11)
	sequence(b, p, func() qpbackend.Update { return qpbackend.Update{A: p.A.Val} })
}
