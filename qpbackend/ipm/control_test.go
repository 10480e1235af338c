package ipm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// boundedReal is the linear matrix inequality of the squared norm γ of a random stable system A, B,
// C with n states (Boyd and others, Linear Matrix Inequalities, 1994, section 2.7.3): the least γ
// with a P ⪰ 0 for which
//
//	⎡ −AᵀP − PA − CᵀC  −PB ⎤
//	⎣ −BᵀP              γI ⎦ ⪰ 0.
func boundedReal(seed uint64, n, inputs int) *qpbackend.Problem {
	rng := rand.New(rand.NewPCG(seed, 13))
	draw := func(rows, cols int) [][]float64 {
		m := make([][]float64, rows)
		for i := range m {
			for range cols {
				m[i] = append(m[i], rng.NormFloat64())
			}
		}
		return m
	}
	a, b, c := draw(n, n), draw(n, inputs), draw(inputs, n)
	for i := range n { // A − Aᵀ has imaginary eigenvalues
		for j := range i {
			a[i][j] = -a[j][i]
		}
		a[i][i] = -0.01 - 0.1*rng.Float64()
	}
	order := n + inputs
	rows := order*(order+1)/2 + n*(n+1)/2
	p := &qpbackend.Problem{L: make([]float64, rows), U: make([]float64, rows)}
	p.Cones = []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Len: order * (order + 1) / 2}, {Kind: qpbackend.Semidefinite, Start: order * (order + 1) / 2, Len: n * (n + 1) / 2}}
	var data sparse.Triplets
	add := func(first, variable, i, j int, v float64) {
		if i < j {
			v *= math.Sqrt2
		}
		if v != 0 && variable >= 0 {
			data.Add(first+j*(j+1)/2+i, variable, v)
		} else if variable < 0 {
			p.L[first+j*(j+1)/2+i] = v
		}
	}
	for k := range n {
		for l := range k + 1 { // P has ones at (l, k) and (k, l)
			variable := len(p.Q)
			p.Q = append(p.Q, 0)
			one := func(i, j int) float64 {
				if i == l && j == k || i == k && j == l {
					return 1
				}
				return 0
			}
			for j := range order {
				for i := range min(j+1, n) {
					v := 0.0
					for t := range n {
						if j < n {
							v -= a[t][i]*one(t, j) + one(i, t)*a[t][j]
						} else {
							v -= one(i, t) * b[t][j-n]
						}
					}
					add(0, variable, i, j, v)
				}
			}
			add(p.Cones[1].Start, variable, l, k, 1)
		}
	}
	for i := range inputs {
		add(0, len(p.Q), n+i, n+i, 1)
	}
	p.Q = append(p.Q, 1)
	for j := range n {
		for i := range j + 1 {
			v := 0.0
			for t := range inputs {
				v += c[t][i] * c[t][j]
			}
			add(0, -1, i, j, v)
		}
	}
	p.A, _ = data.CSC(rows, len(p.Q))
	return p
}

// TestControl: systems with little damping have large P and γ. Their Schur complements lose their
// small eigenvalues where sums cancel: without exact ones four of these 24 problems are not solved,
// one ends at 1.3e-7; with them it is one, at 1.3e-8.
func TestControl(t *testing.T) {
	for seed := range uint64(24) {
		p := boundedReal(seed, 3+int(seed)%6, 1+int(seed)%3)
		s, err := Backend{}.New(t.Context(), p, Backend{}.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		var res qpbackend.Result
		if err := s.Solve(t.Context(), &res); err != nil {
			t.Fatal(err)
		}
		if !(res.Res.Max() <= 5e-8) {
			t.Errorf("seed %d: %v, %v", seed, res.Status, res.Res)
		}
		s.Close()
	}
}
