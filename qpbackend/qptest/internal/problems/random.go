package problems

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Spec is a family of random problems.
type Spec struct {
	N, M     int
	Density  float64
	Rank     int     // of P
	Equality float64 // share of equalities among the rows
	Idle     float64 // share of active rows whose multiplier is zero
	Boxed    bool    // an identity block follows the rows
}

// Random makes a feasible, bounded problem around an optimal pair: x and y are
// drawn first, then bounds that x meets with the complementarity y asks for,
// and q = −Px − Aᵀy.
func Random(rng *rand.Rand, s Spec) (p *qpbackend.Problem, x, y []float64) {
	m := s.M
	if s.Boxed {
		m += s.N
	}
	p = &qpbackend.Problem{P: RandomPSD(rng, s.N, s.Rank, s.Density), A: RandomRows(rng, s.N, s.M, s.Density, s.Boxed)}
	x, y = make([]float64, s.N), make([]float64, m)
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	z := make([]float64, m)
	p.A.AddMulVec(z, 1, x)
	for i := range m {
		l, u := z[i]-0.1-rng.Float64(), z[i]+0.1+rng.Float64()
		if rng.Float64() < 0.3 {
			l = -Inf()
		} else if rng.Float64() < 0.3 {
			u = Inf()
		}
		weight := 0.1 + rng.Float64()
		if rng.Float64() < s.Idle {
			weight = 0
		}
		switch {
		case rng.Float64() < s.Equality:
			l, u = z[i], z[i]
			y[i] = rng.NormFloat64()
		case rng.Float64() < 0.3:
			l, y[i] = z[i], -weight
		case rng.Float64() < 0.3:
			u, y[i] = z[i], weight
		}
		p.L, p.U = append(p.L, l), append(p.U, u)
	}
	p.Q = stationary(p, x, y)
	return p, x, y
}

// stationary is the q that makes (x, y) stationary.
func stationary(p *qpbackend.Problem, x, y []float64) []float64 {
	q := make([]float64, len(x))
	p.P.AddSymMulVec(q, -1, x)
	p.A.AddMulVecT(q, -1, y)
	return q
}

// RandomPSD is the upper triangle of BᵀB, B of rank rows.
func RandomPSD(rng *rand.Rand, n, rank int, density float64) *sparse.CSC {
	var t sparse.Triplets
	for range rank {
		b := make([]float64, n)
		b[rng.IntN(n)] = 1 + rng.Float64()
		for j := range b {
			if rng.Float64() < density {
				b[j] = rng.NormFloat64()
			}
		}
		for j := range n {
			for i := range j + 1 {
				if v := b[i] * b[j]; v != 0 {
					t.Add(i, j, v)
				}
			}
		}
	}
	m, _ := t.CSC(n, n)
	return m
}

func RandomRows(rng *rand.Rand, n, m int, density float64, boxed bool) *sparse.CSC {
	var t sparse.Triplets
	for i := range m {
		t.Add(i, rng.IntN(n), 1)
		for j := range n {
			if rng.Float64() < density {
				t.Add(i, j, rng.NormFloat64())
			}
		}
	}
	rows := m
	if boxed {
		for j := range n {
			t.Add(m+j, j, 1)
		}
		rows += n
	}
	a, _ := t.CSC(rows, n)
	return a
}

// RandomCases cover the mixes of shape, rank and degeneracy.
func RandomCases() []Case {
	var out []Case
	for k, s := range []Spec{
		{N: 1, M: 2, Density: 1, Rank: 1},
		{N: 5, M: 3, Density: 0.6, Rank: 5, Equality: 0.5},
		{N: 10, M: 20, Density: 0.4, Rank: 10, Equality: 0.1},
		{N: 20, M: 10, Density: 0.3, Rank: 3, Equality: 0.3, Boxed: true},
		{N: 20, M: 40, Density: 0.3, Rank: 20, Idle: 0.5},
		{N: 30, M: 60, Density: 0.2, Rank: 0, Boxed: true}, // linear
		{N: 40, M: 30, Density: 0.1, Rank: 20, Equality: 1},
		{N: 60, M: 90, Density: 0.05, Rank: 30, Equality: 0.2, Idle: 0.2, Boxed: true},
		{N: 15, M: 200, Density: 0.5, Rank: 15},
	} {
		rng := rand.New(rand.NewPCG(uint64(k), 20))
		p, x, y := Random(rng, s)
		out = append(out, Solved(fmt.Sprintf("random %d, %d variables, %d rows, P of rank %d", k, s.N, len(p.L),
			s.Rank), p, x, y, false, false))
	}
	return out
}

// scaledCases are random problems in awkward units.
func scaledCases() []Case {
	var out []Case
	for k, c := range []struct {
		name             string
		rows, cols, cost float64 // decades that units vary over
	}{
		{"rows over six decades", 6, 0, 0},
		{"columns over four decades", 0, 4, 0},
		{"costs of 1e5", 0, 0, 5},
		{"costs of 1e-4", 0, 0, -4},
		{"everything at once", 3, 2, 2},
	} {
		rng := rand.New(rand.NewPCG(uint64(k), 21))
		p, x, y := Random(rng, Spec{N: 20, M: 30, Density: 0.3, Rank: 20, Equality: 0.2, Boxed: true})
		Rescale(rng, p, x, y, c.rows, c.cols, math.Pow(10, c.cost))
		out = append(out, Solved("units: "+c.name, p, x, y, false, false))
	}
	return out
}

// Rescale changes the units of rows, columns and objective, and of the
// optimal pair with them.
func Rescale(rng *rand.Rand, p *qpbackend.Problem, x, y []float64, rows, cols, cost float64) {
	unit := func(decades float64) float64 { return math.Pow(10, decades*(rng.Float64()-0.5)) }
	r, c := make([]float64, len(y)), make([]float64, len(x))
	for i := range r {
		r[i] = unit(rows)
	}
	for j := range c {
		c[j] = unit(cols)
	}
	scaleUnits(p, x, y, r, c, cost)
}

// scaleUnits multiplies the rows by r, the columns by c and the objective by
// cost.
func scaleUnits(p *qpbackend.Problem, x, y, r, c []float64, cost float64) {
	for i := range r {
		p.L[i] *= r[i]
		p.U[i] *= r[i]
		y[i] *= cost / r[i]
	}
	p.R *= cost
	for j := range c {
		p.Q[j] *= cost * c[j]
		x[j] /= c[j]
	}
	for j := range x {
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			p.A.Val[k] *= r[p.A.RowIdx[k]] * c[j]
		}
		for k := p.P.ColPtr[j]; k < p.P.ColPtr[j+1]; k++ {
			p.P.Val[k] *= cost * c[p.P.RowIdx[k]] * c[j]
		}
	}
}

// Infeasible have no solution; half of them by construction from a random
// certificate.
func Infeasible() []Case {
	out := read([]written{
		{"infeasible: x at least 1 and at most 0", "1", "0", "1; 1", "1 -inf", "inf 0", "", "", "infeasible"},
		{"infeasible: a negative sum of nonnegatives", "", "1 1", "1 1; 1 0; 0 1", "-inf 0 0", "-1 inf inf", "", "",
			"infeasible"},
		{"infeasible: equalities that contradict", "1 0; 0 1", "1 -1", "1 2; 2 4", "1 3", "1 3", "", "", "infeasible"},
		{"infeasible: an empty row", "1 0; 0 1", "0 0", "1 1; 0 0", "-1 1", "1 2", "", "", "infeasible"},
		{"unbounded: nothing holds the cost", "", "-1 2", "", "", "", "", "", "unbounded"},
		{"unbounded: one variable", "", "-1", "1", "0", "inf", "", "", "unbounded"},
		{"unbounded: along the null space of P", "1 1; 1 1", "1 -1", "1 1", "-1", "1", "", "", "unbounded"},
		{"unbounded: with equalities", "1 0 0; 0 0 0; 0 0 0", "0 -1 -1", "1 1 -1; 0 1 0", "0 0", "0 inf", "", "",
			"unbounded"},
	})
	for k := range 4 {
		rng := rand.New(rand.NewPCG(uint64(k), 22))
		out = append(out,
			unfeasible(fmt.Sprintf("infeasible: random %d", k), RandomPrimalInfeasible(rng, 10+5*k)),
			unbounded(fmt.Sprintf("unbounded: random %d", k), RandomDualInfeasible(rng, 10+5*k)))
	}
	return out
}

// RandomPrimalInfeasible has one row more that is a combination of the others
// and contradicts them.
func RandomPrimalInfeasible(rng *rand.Rand, n int) *qpbackend.Problem {
	p, x, _ := Random(rng, Spec{N: n, M: n, Density: 0.3, Rank: n, Equality: 0.2})
	var t sparse.Triplets
	side := 0.0 // least value of the combination over the other rows
	z := make([]float64, n)
	p.A.AddMulVec(z, 1, x)
	weight := make([]float64, n)
	for i := range n {
		weight[i] = 0.2 + rng.Float64()
		if p.L[i] < -qpbackend.Infinity {
			p.L[i] = z[i] - 1
		}
		side += weight[i] * p.L[i]
	}
	for j := range n {
		sum := 0.0
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			i, v := p.A.RowIdx[k], p.A.Val[k]
			t.Add(i, j, v)
			sum += weight[i] * v
		}
		t.Add(n, j, sum)
	}
	p.A, _ = t.CSC(n+1, n)
	p.L, p.U = append(p.L, -Inf()), append(p.U, side-1)
	return p
}

// RandomDualInfeasible falls along a direction in which P is flat and no row
// is met.
func RandomDualInfeasible(rng *rand.Rand, n int) *qpbackend.Problem {
	p, _, _ := Random(rng, Spec{N: n, M: n, Density: 0.3, Rank: n / 3})
	// One variable more, the direction is d = (e, 1): its column in A is −A·e
	// plus the part that the bounds leave open, in P it is −P·e.
	e := make([]float64, n)
	for j := range e {
		e[j] = rng.NormFloat64()
	}
	ae, pe := make([]float64, n), make([]float64, n)
	p.A.AddMulVec(ae, -1, e)
	p.P.AddSymMulVec(pe, -1, e)
	ePe := 0.0
	for j, v := range e {
		ePe -= v * pe[j]
	}
	var a, q sparse.Triplets
	for j := range n {
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			a.Add(p.A.RowIdx[k], j, p.A.Val[k])
		}
		for k := p.P.ColPtr[j]; k < p.P.ColPtr[j+1]; k++ {
			q.Add(p.P.RowIdx[k], j, p.P.Val[k])
		}
		q.Add(j, n, pe[j])
	}
	q.Add(n, n, ePe)
	for i, v := range ae {
		switch {
		case p.U[i] == Inf():
			v += rng.Float64()
		case p.L[i] == -Inf():
			v -= rng.Float64()
		}
		a.Add(i, n, v)
	}
	p.A, _ = a.CSC(n, n+1)
	p.P, _ = q.CSC(n+1, n+1)
	fall := 1.0
	for j, v := range p.Q {
		fall += v * e[j]
	}
	p.Q = append(p.Q, -fall)
	return p
}

// twinCases look like infeasible ones and are not.
func twinCases() []Case {
	return read([]written{
		{"feasible twin: x at least and at most 1", "1", "0", "1; 1", "1 -inf", "inf 1", "1", "-1 0", "x"},
		{"feasible twin: a single point", "", "1 -1", "1 1; 1 0; 0 1", "2 -inf -inf", "inf 1 1", "1 1", "-1 0 2", "x"},
		{"feasible twin: equalities that agree", "1 0; 0 1", "1 -1", "1 2; 2 4", "1 2", "1 2", "-1 1", "0 0", "x"},
		{"feasible twin: a bound far away", "", "-1", "1", "0", "1e5", "1e5", "1", "xy"},
		{"feasible twin: little curvature", "1e-4", "-1", "1", "0", "inf", "1e4", "0", "xy"},
	})
}
