package problems

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

func exponentialCases() []Case {
	const kind = qpbackend.Exponential
	free, no := Filled(3, -Inf()), Filled(3, Inf())
	e := math.E
	// ½x² + e^x: x = −W(1), Lambert's function.
	// Source: OEIS A030178.
	const w = 0.567143290409783872999968662210355549753815787186512508135131
	lambert := only(kind, []float64{0, 1}, Matrix(2, []float64{1, 0}, []float64{0, 0}, []float64{0, 1}), 0, -1, 0)
	lambert.P = Diagonal(1, 0)
	return []Case{
		Solved("e", OnCone(kind, []float64{0, 0, 1}, at(at(free, 0, 1), 1, 1), at(at(no, 0, 1), 1, 1)),
			[]float64{1, 1, e}, []float64{-e, 0, 0, e, 0, -1}, true, true),
		Solved("logarithm", OnCone(kind, []float64{-1, 0, 0}, at(free, 1, 1), at(at(no, 1, 1), 2, 2)),
			[]float64{math.Ln2, 1, 2}, []float64{0, math.Ln2 - 1, 0.5, 1, 1 - math.Ln2, -0.5}, true, true),
		Solved("an exponential and a square", lambert, []float64{-w, w}, []float64{w, w * (1 + w), -1}, true, true),
		softmax(), logSumExp(),
		Solved("apex", OnCone(kind, []float64{-1, 0, 1}, free, no), Filled(3, 0), []float64{0, 0, 0, 1, 0, -1}, true,
			false),
		// On the face s₁ = 0; s₂ falls with exp(1/s₁), so that s₁ hardly matters.
		Solved("the flat face", OnCone(kind, []float64{0, 0, 1}, at(free, 0, -1), at(no, 0, -1)),
			[]float64{-1, 0, 0}, []float64{0, 0, 0, 0, 0, -1}, false, false),
		// Nothing lies inside.
		Solved("only the flat face", OnCone(kind, []float64{-1, 0, 1}, at(free, 1, 0), at(no, 1, 0)),
			Filled(3, 0), []float64{0, 0, 0, 1, 0, -1}, false, false),
		unfeasible("infeasible: below zero", OnCone(kind, []float64{0, 1, 1}, free, at(no, 2, -1))),
		unfeasible("infeasible: less than e", OnCone(kind, []float64{0, 0, 0}, at(free, 0, 1), at(at(no, 1, 1), 2, 1))),
		unfeasible("infeasible: constants", only(kind, []float64{0},
			Matrix(1, []float64{0}, []float64{0}, []float64{0}), -1, -1, -2)),
		unbounded("unbounded: up", OnCone(kind, []float64{0, 0, -1}, free, no)),
		unbounded("unbounded: all three", OnCone(kind, []float64{-1, -1, -1}, at(free, 0, 0), no)),
		unbounded("unbounded: along the flat face", OnCone(kind, []float64{1, 0, 1}, free, no)),
	}
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
	p := &qpbackend.Problem{Q: at(Filled(n+1, 0), n, 1), L: Filled(3*n+1, 0), U: Filled(3*n+1, 0)}
	sum := 0.0
	for _, v := range c {
		sum += math.Exp(v)
	}
	x, y := at(Filled(n+1, 0), n, math.Log(sum)), make([]float64, 3*n+1)
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

func powerCases() []Case {
	const kind = qpbackend.Power
	free, no := Filled(3, -Inf()), Filled(3, Inf())
	with := func(α float64, p *qpbackend.Problem) *qpbackend.Problem {
		p.Cones[0].Alpha = α
		return p
	}
	// x₀ + x₁ ≤ 1: x = (α, 1 − α). Source: any α between 0 and 1 but ½ would do.
	const α = 0.2
	shares := only(kind, []float64{0, 0, -1}, Matrix(3, []float64{1, 0, 0}, []float64{0, 1, 0}, []float64{0, 0, 1},
		[]float64{1, 1, 0}), 0, 0, 0)
	shares.Cones[0].Alpha = α
	shares.L, shares.U = append(shares.L, -Inf()), append(shares.U, 1)
	r := math.Pow(α, α) * math.Pow(1-α, 1-α)
	negative := shares.Clone()
	negative.Q[2] = 1
	third := OnCone(kind, []float64{0, 0, -1}, free, no)
	third.P = Diagonal(1, 1, 1)
	inverse := only(kind, []float64{1, 0}, Matrix(2, []float64{1, 0}, []float64{0, 1}, []float64{0, 0},
		[]float64{0, 1}), 0, 0, -1)
	inverse.L, inverse.U = append(inverse.L, -Inf()), append(inverse.U, 4)
	return []Case{
		Solved("geometric mean", OnCone(kind, []float64{0, 0, -1}, at(at(free, 0, 4), 1, 1), at(at(no, 0, 4), 1, 1)),
			[]float64{4, 1, 2}, []float64{0.25, 1, 0, -0.25, -1, 1}, true, true),
		Solved("shares", shares, []float64{α, 1 - α, r}, []float64{-r, -r, 1, r}, true, true),
		Solved("shares, the negative side", negative, []float64{α, 1 - α, -r}, []float64{-r, -r, -1, r}, true, true),
		Solved("inverse of a variable, a constant in the cone", inverse, []float64{0.25, 4},
			[]float64{-1, -1. / 16, 0.5, 1. / 16}, true, true),
		Solved("apex", with(0.3, OnCone(kind, []float64{1, 1, 0.2}, free, no)), Filled(3, 0),
			[]float64{0, 0, 0, -1, -1, -0.2}, true, false),
		// With s₂ = 0 the cone is a quadrant: no curvature, no point inside.
		Solved("a ray", with(0.7, OnCone(kind, []float64{1, 0, 0}, at(at(free, 1, 1), 2, 0), at(at(no, 1, 1), 2, 0))),
			[]float64{0, 1, 0}, []float64{0, 0, 0, -1, 0, 0}, false, false),
		Solved("projection of an axis", third, Filled(3, 1./3), []float64{0, 0, 0, -1. / 3, -1. / 3, 2. / 3}, true,
			false),
		unfeasible("infeasible: a negative factor", with(0.3, OnCone(kind, []float64{0, 1, 1}, free, at(no, 0, -1)))),
		unfeasible("infeasible: too little", with(0.3,
			OnCone(kind, []float64{0, 0, 0}, at(free, 2, 2), at(at(no, 0, 1), 1, 1)))),
		unfeasible("infeasible: constants", only(kind, []float64{0},
			Matrix(1, []float64{0}, []float64{0}, []float64{0}), -1, -1, 2)),
		unbounded("unbounded: up", with(0.3, OnCone(kind, []float64{0, 0, -1}, free, no))),
		unbounded("unbounded: a factor", with(0.6, OnCone(kind, []float64{-1, 0, 0}, at(free, 2, 1), no))),
	}
}
