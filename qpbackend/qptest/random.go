package qptest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// spec is a family of random problems.
type spec struct {
	n, m     int
	density  float64
	rank     int     // of P
	equality float64 // share of equalities among the rows
	idle     float64 // share of active rows whose multiplier is zero
	boxed    bool    // an identity block follows the rows
}

// random makes a feasible, bounded problem around an optimal pair: x and y are
// drawn first, then bounds that x meets with the complementarity y asks for,
// and q = −Px − Aᵀy.
func random(rng *rand.Rand, s spec) (p *qpbackend.Problem, x, y []float64) {
	m := s.m
	if s.boxed {
		m += s.n
	}
	p = &qpbackend.Problem{P: randomPSD(rng, s.n, s.rank, s.density), A: randomRows(rng, s.n, s.m, s.density, s.boxed)}
	x, y = make([]float64, s.n), make([]float64, m)
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	z := make([]float64, m)
	p.A.AddMulVec(z, 1, x)
	for i := range m {
		l, u := z[i]-0.1-rng.Float64(), z[i]+0.1+rng.Float64()
		if rng.Float64() < 0.3 {
			l = -inf()
		} else if rng.Float64() < 0.3 {
			u = inf()
		}
		weight := 0.1 + rng.Float64()
		if rng.Float64() < s.idle {
			weight = 0
		}
		switch {
		case rng.Float64() < s.equality:
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

// randomPSD is the upper triangle of BᵀB, B of rank rows.
func randomPSD(rng *rand.Rand, n, rank int, density float64) *sparse.CSC {
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

func randomRows(rng *rand.Rand, n, m int, density float64, boxed bool) *sparse.CSC {
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

// randomCases cover the mixes of shape, rank and degeneracy.
func randomCases() []Case {
	var out []Case
	for k, s := range []spec{
		{n: 1, m: 2, density: 1, rank: 1},
		{n: 5, m: 3, density: 0.6, rank: 5, equality: 0.5},
		{n: 10, m: 20, density: 0.4, rank: 10, equality: 0.1},
		{n: 20, m: 10, density: 0.3, rank: 3, equality: 0.3, boxed: true},
		{n: 20, m: 40, density: 0.3, rank: 20, idle: 0.5},
		{n: 30, m: 60, density: 0.2, rank: 0, boxed: true}, // linear
		{n: 40, m: 30, density: 0.1, rank: 20, equality: 1},
		{n: 60, m: 90, density: 0.05, rank: 30, equality: 0.2, idle: 0.2, boxed: true},
		{n: 15, m: 200, density: 0.5, rank: 15},
	} {
		rng := rand.New(rand.NewPCG(uint64(k), 20))
		p, x, y := random(rng, s)
		out = append(out, solved(fmt.Sprintf("random %d, %d variables, %d rows, P of rank %d", k, s.n, len(p.L), s.rank), p, x, y, false, false))
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
		p, x, y := random(rng, spec{n: 20, m: 30, density: 0.3, rank: 20, equality: 0.2, boxed: true})
		rescale(rng, p, x, y, c.rows, c.cols, math.Pow(10, c.cost))
		out = append(out, solved("units: "+c.name, p, x, y, false, false))
	}
	return out
}

// rescale changes the units of rows, columns and objective, and those of the
// optimal pair with them.
func rescale(rng *rand.Rand, p *qpbackend.Problem, x, y []float64, rows, cols, cost float64) {
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

// infeasibleCases have no solution; half of them by construction from a random
// certificate.
func infeasibleCases() []Case {
	primal := func(name string, p *qpbackend.Problem) Case {
		return Case{Name: name, Problem: p, Want: qpbackend.PrimalInfeasible}
	}
	dual := func(name string, p *qpbackend.Problem) Case {
		return Case{Name: name, Problem: p, Want: qpbackend.DualInfeasible}
	}
	out := []Case{
		primal("infeasible: x at least 1 and at most 0", &qpbackend.Problem{
			P: diag(1), Q: []float64{0}, A: matrix(1, []float64{1}, []float64{1}), L: []float64{1, -inf()}, U: []float64{inf(), 0},
		}),
		primal("infeasible: a negative sum of nonnegatives", &qpbackend.Problem{
			Q: []float64{1, 1}, A: matrix(2, []float64{1, 1}, []float64{1, 0}, []float64{0, 1}),
			L: []float64{-inf(), 0, 0}, U: []float64{-1, inf(), inf()},
		}),
		primal("infeasible: equalities that contradict", &qpbackend.Problem{
			P: diag(1, 1), Q: []float64{1, -1}, A: matrix(2, []float64{1, 2}, []float64{2, 4}), L: []float64{1, 3}, U: []float64{1, 3},
		}),
		primal("infeasible: an empty row", &qpbackend.Problem{
			P: diag(1, 1), Q: []float64{0, 0}, A: matrix(2, []float64{1, 1}, []float64{0, 0}), L: []float64{-1, 1}, U: []float64{1, 2},
		}),
		dual("unbounded: nothing holds the cost", &qpbackend.Problem{Q: []float64{-1, 2}}),
		dual("unbounded: one variable", &qpbackend.Problem{
			Q: []float64{-1}, A: sparse.Identity(1), L: []float64{0}, U: []float64{inf()},
		}),
		dual("unbounded: along the null space of P", &qpbackend.Problem{
			P: upper([]float64{1, 1}, []float64{1, 1}), Q: []float64{1, -1}, A: matrix(2, []float64{1, 1}), L: []float64{-1}, U: []float64{1},
		}),
		dual("unbounded: with equalities", &qpbackend.Problem{
			P: diag(1, 0, 0), Q: []float64{0, -1, -1}, A: matrix(3, []float64{1, 1, -1}, []float64{0, 1, 0}),
			L: []float64{0, 0}, U: []float64{0, inf()},
		}),
	}
	for k := range 4 {
		rng := rand.New(rand.NewPCG(uint64(k), 22))
		out = append(out,
			primal(fmt.Sprintf("infeasible: random %d", k), randomPrimalInfeasible(rng, 10+5*k)),
			dual(fmt.Sprintf("unbounded: random %d", k), randomDualInfeasible(rng, 10+5*k)))
	}
	return out
}

// randomPrimalInfeasible has one row more that is a combination of the others
// and contradicts them.
func randomPrimalInfeasible(rng *rand.Rand, n int) *qpbackend.Problem {
	p, x, _ := random(rng, spec{n: n, m: n, density: 0.3, rank: n, equality: 0.2})
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
	p.L, p.U = append(p.L, -inf()), append(p.U, side-1)
	return p
}

// randomDualInfeasible falls along a direction in which P is flat and no row
// is met.
func randomDualInfeasible(rng *rand.Rand, n int) *qpbackend.Problem {
	p, _, _ := random(rng, spec{n: n, m: n, density: 0.3, rank: n / 3})
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
		case p.U[i] == inf():
			v += rng.Float64()
		case p.L[i] == -inf():
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
	return []Case{
		solved("feasible twin: x at least and at most 1", &qpbackend.Problem{
			P: diag(1), Q: []float64{0}, A: matrix(1, []float64{1}, []float64{1}), L: []float64{1, -inf()}, U: []float64{inf(), 1},
		}, []float64{1}, []float64{-1, 0}, true, false),
		solved("feasible twin: a single point", &qpbackend.Problem{
			Q: []float64{1, -1}, A: matrix(2, []float64{1, 1}, []float64{1, 0}, []float64{0, 1}),
			L: []float64{2, -inf(), -inf()}, U: []float64{inf(), 1, 1},
		}, []float64{1, 1}, []float64{-1, 0, 2}, true, false),
		solved("feasible twin: equalities that agree", &qpbackend.Problem{
			P: diag(1, 1), Q: []float64{1, -1}, A: matrix(2, []float64{1, 2}, []float64{2, 4}), L: []float64{1, 2}, U: []float64{1, 2},
		}, []float64{-1, 1}, []float64{0, 0}, true, false),
		solved("feasible twin: a bound far away", &qpbackend.Problem{
			Q: []float64{-1}, A: sparse.Identity(1), L: []float64{0}, U: []float64{1e5},
		}, []float64{1e5}, []float64{1}, true, true),
		solved("feasible twin: little curvature", &qpbackend.Problem{
			P: diag(1e-4), Q: []float64{-1}, A: sparse.Identity(1), L: []float64{0}, U: []float64{inf()},
		}, []float64{1e4}, []float64{0}, true, true),
	}
}
