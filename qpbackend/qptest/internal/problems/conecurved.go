package problems

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// exponentialCases has ½x² + e^x, of which the least is at −W(1), Lambert's function.
// Source: OEIS A030178.
func exponentialCases() []Case {
	const three = "exp exp exp"
	return append(read([]written{
		{"e", "", "0 0 1", "on exp", "1 1 -inf", "1 1 inf", "1 1 e", "-e 0 0 e 0 -1", "xy"},
		{"logarithm", "", "-1 0 0", "on exp", "-inf 1 -inf", "inf 1 2", "0.6931471805599453 1 2",
			"0 -0.3068528194400547 0.5 1 0.3068528194400547 -0.5", "xy"},
		{"an exponential and a square", "1 0; 0 0", "0 1", "1 0; 0 0; 0 1", "0 -1 0", three,
			"-0.5671432904097838 0.5671432904097838", "0.5671432904097838 0.8887948022666203 -1", "xy"},
		{"apex", "", "-1 0 1", "on exp", "", "", "0 0 0", "0 0 0 1 0 -1", "x"},
		// On the face s₁ = 0; s₂ falls with exp(1/s₁), so that s₁ hardly matters.
		{"the flat face", "", "0 0 1", "on exp", "-1 -inf -inf", "-1 inf inf", "-1 0 0", "0 0 0 0 0 -1", ""},
		// Nothing lies inside.
		{"only the flat face", "", "-1 0 1", "on exp", "-inf 0 -inf", "inf 0 inf", "0 0 0", "0 0 0 1 0 -1", ""},
		{"infeasible: below zero", "", "0 1 1", "on exp", "", "inf inf -1", "", "", "infeasible"},
		{"infeasible: less than e", "", "0 0 0", "on exp", "1 -inf -inf", "inf 1 1", "", "", "infeasible"},
		{"infeasible: constants", "", "0", "0; 0; 0", "-1 -1 -2", three, "", "", "infeasible"},
		{"unbounded: up", "", "0 0 -1", "on exp", "", "", "", "", "unbounded"},
		{"unbounded: all three", "", "-1 -1 -1", "on exp", "0 -inf -inf", "", "", "", "unbounded"},
		{"unbounded: along the flat face", "", "1 0 1", "on exp", "", "", "", "", "unbounded"},
	}), softmax(), logSumExp())
}

// softmax maximises the entropy of p minus its cost over the unit simplex:
// t ≤ −p·log p is (t, p, 1) in the cone.
func softmax() Case {
	cost := []float64{0.3, -1, 2, 0.5, 0}
	n := len(cost)
	var a sparse.Triplets
	p := &qpbackend.Problem{L: Filled(1+3*n, 0), U: Filled(1+3*n, 0)}
	p.L[0], p.U[0] = 1, 1
	z := 0.0
	for _, c := range cost {
		z += math.Exp(-c)
	}
	x, y := make([]float64, 2*n), make([]float64, 1+3*n)
	y[0] = math.Log(z) - 1
	for i, c := range cost {
		share := math.Exp(-c) / z
		row := 1 + 3*i
		a.Add(0, i, 1)
		a.Add(row, n+i, 1)
		a.Add(row+1, i, 1)
		p.L[row+2] = -1
		p.Cones = append(p.Cones, qpbackend.Cone{Kind: qpbackend.Exponential, Start: row, Len: 3})
		x[i], x[n+i] = share, -share*math.Log(share)
		y[row], y[row+1], y[row+2] = 1, 1+math.Log(share), -share
	}
	p.Q = append(append(p.Q, cost...), Filled(n, -1)...)
	p.A, _ = a.CSC(1+3*n, 2*n)
	return Solved("softmax", p, x, y, true, true)
}

// logSumExp is the least t with Σ exp(aᵢ − t) ≤ 1.
func logSumExp() Case {
	c := []float64{1, -2, 0.5, 3}
	n := len(c)
	var a sparse.Triplets
	p := &qpbackend.Problem{Q: append(make([]float64, n), 1), L: Filled(3*n+1, 0), U: Filled(3*n+1, 0)}
	sum := 0.0
	for _, v := range c {
		sum += math.Exp(v)
	}
	x, y := append(make([]float64, n), math.Log(sum)), make([]float64, 3*n+1)
	for i, v := range c {
		row := 3 * i
		a.Add(row, n, -1)
		a.Add(row+2, i, 1)
		a.Add(3*n, i, 1)
		p.L[row], p.L[row+1] = -v, -1
		p.Cones = append(p.Cones, qpbackend.Cone{Kind: qpbackend.Exponential, Start: row, Len: 3})
		x[i] = math.Exp(v) / sum
		y[row], y[row+1], y[row+2] = x[i], x[i]*(1-math.Log(x[i])), -1
	}
	p.L[3*n], p.U[3*n], y[3*n] = -Inf(), 1, 1
	p.A, _ = a.CSC(3*n+1, n+1)
	return Solved("log-sum-exp", p, x, y, true, true)
}

// powerCases has shares x₀ + x₁ ≤ 1 with the exponent 0.2: x = (0.2, 0.8).
func powerCases() []Case {
	const shares, three = "1 0 0; 0 1 0; 0 0 1; 1 1 0", "pow0.2 pow0.2 pow0.2 1"
	return read([]written{
		{"geometric mean", "", "0 0 -1", "on pow0.5", "4 1 -inf", "4 1 inf", "4 1 2", "0.25 1 0 -0.25 -1 1", "xy"},
		{"shares", "", "0 0 -1", shares, "0 0 0 -inf", three, "0.2 0.8 0.6062866266041593",
			"-0.6062866266041593 -0.6062866266041593 1 0.6062866266041593", "xy"},
		{"shares, the negative side", "", "0 0 1", shares, "0 0 0 -inf", three, "0.2 0.8 -0.6062866266041593",
			"-0.6062866266041593 -0.6062866266041593 -1 0.6062866266041593", "xy"},
		{"inverse of a variable, a constant in the cone", "", "1 0", "1 0; 0 1; 0 0; 0 1", "0 0 -1 -inf",
			"pow0.5 pow0.5 pow0.5 4", "0.25 4", "-1 -1/16 0.5 1/16", "xy"},
		{"apex", "", "1 1 0.2", "on pow0.3", "", "", "0 0 0", "0 0 0 -1 -1 -0.2", "x"},
		// With s₂ = 0 the cone is a quadrant: no curvature, no point inside.
		{"a ray", "", "1 0 0", "on pow0.7", "-inf 1 0", "inf 1 0", "0 1 0", "0 0 0 -1 0 0", ""},
		{"projection of an axis", "1 0 0; 0 1 0; 0 0 1", "0 0 -1", "on pow0.5", "", "", "1/3 1/3 1/3",
			"0 0 0 -1/3 -1/3 2/3", "x"},
		{"infeasible: a negative factor", "", "0 1 1", "on pow0.3", "", "-1 inf inf", "", "", "infeasible"},
		{"infeasible: too little", "", "0 0 0", "on pow0.3", "-inf -inf 2", "1 1 inf", "", "", "infeasible"},
		{"infeasible: constants", "", "0", "0; 0; 0", "-1 -1 2", "pow0.5 pow0.5 pow0.5", "", "", "infeasible"},
		{"unbounded: up", "", "0 0 -1", "on pow0.3", "", "", "", "", "unbounded"},
		{"unbounded: a factor", "", "-1 0 0", "on pow0.6", "-inf -inf 1", "", "", "", "unbounded"},
	})
}
