package problems

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

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

// RandomCases cover the mixes of shape, rank and degeneracy.
func RandomCases() []Case {
	var out []Case
	for k, s := range []ConeSpec{
		{Vars: 1, Intervals: 2, Rank: 1, Density: 1},
		{Vars: 5, Intervals: 3, Rank: 5, Density: 0.6},
		{Vars: 10, Intervals: 20, Rank: 10, Density: 0.4},
		{Vars: 20, Intervals: 10, Rank: 3, Density: 0.3},
		{Vars: 20, Intervals: 40, Rank: 20, Density: 0.3, Degenerate: true},
		{Vars: 30, Intervals: 60, Density: 0.2}, // linear
		{Vars: 40, Intervals: 30, Rank: 20, Density: 0.1},
		{Vars: 60, Intervals: 90, Rank: 30, Density: 0.05, Degenerate: true},
		{Vars: 15, Intervals: 200, Rank: 15, Density: 0.5},
	} {
		s.Want = qpbackend.Solved
		c := s.Case(uint64(k))
		c.Name = fmt.Sprintf("random %d, %d variables, %d rows, P of rank %d", k, s.Vars, len(c.Y), s.Rank)
		out = append(out, c)
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
		of := ConeSpec{Want: qpbackend.Solved, Vars: 20, Intervals: 30, Rank: 19, Density: 0.3}.Case(uint64(20 + k))
		rescale(rng, of.Problem, of.X, of.Y, c.rows, c.cols, math.Pow(10, c.cost))
		out = append(out, Solved("units: "+c.name, of.Problem, of.X, of.Y, false, false))
	}
	return out
}

// unit is a random power of two within a range of decades: zeros stay zeros.
func unit(rng *rand.Rand, decades float64) float64 {
	return math.Ldexp(1, int(math.Round(decades*math.Log2(10)*(rng.Float64()-0.5))))
}

// rescale changes the units of rows, of columns and of the objective, and of the optimal pair with
// them. The rows of a cone share a unit.
func rescale(rng *rand.Rand, p *qpbackend.Problem, x, y []float64, rows, cols, cost float64) {
	r, c := make([]float64, len(y)), make([]float64, len(x))
	for i := range r {
		r[i] = unit(rng, rows)
	}
	for _, k := range p.Cones {
		for i := k.Start; i < k.Start+k.Len; i++ {
			r[i] = r[k.Start]
		}
	}
	for i := range r {
		p.L[i] *= r[i]
		p.U[i] *= r[i]
		y[i] *= cost / r[i]
	}
	p.R *= cost
	for j := range c {
		c[j] = unit(rng, cols)
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
	for k := range uint64(4) {
		n := 10 + 5*int(k)
		none := ConeSpec{Want: qpbackend.PrimalInfeasible, Vars: n, Intervals: n, Rank: n, Density: 0.3}.Case(k)
		ray := ConeSpec{Want: qpbackend.DualInfeasible, Vars: n, Intervals: n, Rank: n / 3, Density: 0.3}.Case(k)
		none.Name, ray.Name = fmt.Sprintf("infeasible: random %d", k), fmt.Sprintf("unbounded: random %d", k)
		out = append(out, none, ray)
	}
	return out
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
