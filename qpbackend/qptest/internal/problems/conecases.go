package problems

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

var Kinds = []qpbackend.ConeKind{qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite}

// WithCones returns all problems of the suite that have cones of the kinds
// given and no others: known small ones, degenerate ones, infeasible ones, and
// random ones, and those with rows of one entry once more with bounds in their
// place.
func WithCones(kinds ...qpbackend.ConeKind) []Case {
	var all []Case
	other := func(c qpbackend.Cone) bool { return !slices.Contains(kinds, c.Kind) }
	for _, group := range [][]Case{secondOrderCases(), exponentialCases(), powerCases(), semidefiniteCases(),
		mixedCases()} {
		for _, c := range group {
			if !slices.ContainsFunc(c.Problem.Cones, other) {
				all = append(all, c)
			}
		}
	}
	if len(kinds) > 0 {
		for seed := range uint64(5 * (len(kinds) + 2)) { // with each kind in all outcomes
			c := RandomCones(seed, kinds...)
			c.Name = "random: " + c.Name
			all = append(all, c)
		}
	}
	return withBoxed(all)
}

// OnCone has variables that form a cone of the kind, of the exponent alpha if it is a power cone,
// after a row for each with the interval given.
func OnCone(kind qpbackend.ConeKind, alpha float64, cost, l, u []float64) *qpbackend.Problem {
	n := len(cost)
	var t sparse.Triplets
	for i := range n {
		t.Add(i, i, 1)
		t.Add(n+i, i, 1)
	}
	a, _ := t.CSC(2*n, n)
	if kind != qpbackend.Power {
		alpha = 0
	}
	return &qpbackend.Problem{
		Q: cost, A: a, L: slices.Concat(l, Filled(n, 0)), U: slices.Concat(u, Filled(n, 0)),
		Cones: []qpbackend.Cone{{Kind: kind, Start: n, Len: n, Alpha: alpha}},
	}
}

func secondOrderCases() []Case {
	const one, three = "1 0 0; 0 1 0; 0 0 1", "soc soc soc"
	return append(read([]written{
		{"distance from a quadrant", "", "1 0 0", one + ";" + one, "-inf -inf -inf 0 3 4", "inf 0 0 " + three, "5 0 0",
			"0 0.6 0.8 -1 -0.6 -0.8", "xy"},
		{"projection", one, "0 -3 -4", "on soc", "-9 -inf -inf", "", "2.5 1.5 2", "0 0 0 -2.5 1.5 2", "xy"},
		{"apex", one, "1 0 0", "on soc", "", "", "0 0 0", "0 0 0 -1 0 0", "xy"},
		// Two cones with a row between them: x₀ ≥ |x₁|, x₁ + x₂ ≥ 3, x₃ ≥ 2.
		{"two cones and a row", "1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1", "0 0 0 0",
			"1 0 0 0; 0 1 0 0; 0 1 1 0; 0 0 0 1", "0 0 3 2", "soc soc inf soc", "1 1 2 2", "-1 1 -2 -2", "xy"},
		{"a cone of one row", "", "1", "2", "3", "soc", "1.5", "-0.5", "xy"},
		{"a norm of constants", "", "1", "1; 0; 0", "0 -3 -4", three, "5", "-1 0.6 0.8", "xy"},
		{"a ball", "", "-3 -4", "0 0; 1 0; 0 1", "-5 0 0", three, "3 4", "-5 3 4", "xy"},
		{"a ray and nothing inside", "", "1 0 0", "1 -1 0; 0 1 0; 0 0 1;" + one, "0 1 -inf 0 0 0",
			"0 inf inf " + three, "1 1 0", "0 -1 0 -1 1 0", ""},
		{"infeasible: below the apex", "", "0 1 1", "on soc", "", "-1 inf inf", "", "", "infeasible"},
		{"infeasible: constants", "", "0", "0; 0", "-1 -2", "soc soc", "", "", "infeasible"},
		{"infeasible: one row", "", "0", "1; 1", "1 -inf", "soc 0", "", "", "infeasible"},
		{"unbounded: up the axis", "", "-1 0 0", "on soc", "", "", "", "", "unbounded"},
		{"unbounded: along the boundary", "0 0 0; 0 0 0; 0 0 1", "-1 -2 0", "on soc", "", "", "", "", "unbounded"},
		{"unbounded: two rows", "", "0 -1", "1 0; 0 1", "0 0", "soc soc", "", "", "unbounded"},
	}), longNorm(200))
}

// longNorm minimises ‖x‖ − with its own variable − over aᵀx ≥ 1: x = a/‖a‖², for n entries of a.
func longNorm(n int) Case {
	a := make([]float64, n)
	for i := range a {
		a[i] = math.Sin(float64(i + 1))
	}
	var t sparse.Triplets
	aa := num.Dot(a, a)
	x, y := make([]float64, n+1), make([]float64, n+2)
	for j, v := range a {
		t.Add(0, j, v)
		t.Add(2+j, j, 1)
		x[j] = v / aa
		y[2+j] = v / math.Sqrt(aa)
	}
	t.Add(1, n, 1)
	x[n] = 1 / math.Sqrt(aa)
	y[0], y[1] = -1/math.Sqrt(aa), -1
	p := &qpbackend.Problem{
		Q: append(make([]float64, n), 1), L: Filled(n+2, 0), U: Filled(n+2, 0),
		Cones: []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Start: 1, Len: n + 1}},
	}
	p.L[0], p.U[0] = 1, Inf()
	p.A, _ = t.CSC(n+2, n+1)
	return Solved("least norm, 200 entries", p, x, y, true, true)
}

func semidefiniteCases() []Case {
	const two, three = "psd psd psd", "psd psd psd psd psd psd"
	return append(read([]written{
		{"least trace", "", "1 0 1", "on psd", "-inf √2 -inf", "inf √2 inf", "1 √2 1", "0 -√2 0 -1 √2 -1", "xy"},
		{"a constant beside the diagonal", "", "4 1", "1 0; 0 0; 0 1", "0 -√2 0", two, "0.5 2", "-4 √8 -1", "xy"},
		// λ·I − M ⪰ 0 for M = (2 on the diagonal, 1 beside it), of order 3, with the eigenvector
		// (½, 1/√2, ½) of 2 + √2.
		{"largest eigenvalue", "", "1", "1; 0; 1; 0; 0; 1", "2 √2 2 0 √2 2", three, "3.414213562373095",
			"-0.25 -0.5 -0.5 -√2/4 -0.5 -0.25", "xy"},
		{"order one", "", "1", "1", "3", "psd", "3", "-1", "xy"},
		{"apex", "", "1 0 1", "on psd", "", "", "0 0 0", "0 0 0 -1 0 -1", "x"},
		{"nearest matrix", "1 0 0; 0 1 0; 0 0 1", "-1 0 1", "on psd", "", "", "1 0 0", "0 0 0 0 0 -1", "x"},
		// Least sum of the entries of a correlation matrix of order 3: all pairs −½.
		{"least correlation", "", "1 √2 1 √2 √2 1", "on psd", "1 -inf 1 -inf -inf 1", "1 inf 1 inf inf 1",
			"1 -√2/2 1 -√2/2 -√2/2 1", "0 0 0 0 0 0 -1 -√2 -1 -√2 -√2 -1", "xy"},
		{"infeasible: a negative diagonal", "", "0 0 1", "on psd", "", "-1 inf inf", "", "", "infeasible"},
		{"infeasible: constants", "", "0", "0; 0; 0", "-1 -√8 -1", two, "", "", "infeasible"},
		{"infeasible: a small diagonal", "", "0 0 0", "on psd", "-inf 3 -inf", "1 inf 1", "", "", "infeasible"},
		{"unbounded: the trace", "", "-1 0 -1", "on psd", "", "", "", "", "unbounded"},
		{"unbounded: one entry", "", "-1 0 0", "on psd", "", "", "", "", "unbounded"},
	}), pathEigenvalue(12))
}

// pathEigenvalue is the largest eigenvalue of the adjacency matrix of a path,
// 2·cos(π/(k+1)), as the least λ with λ·I − M ⪰ 0. Its eigenvector is a sine.
func pathEigenvalue(k int) Case {
	var a sparse.Triplets
	p := &qpbackend.Problem{Q: []float64{1}, Cones: []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Len: Triangle(k)}}}
	v := make([]float64, k)
	for i := range v {
		v[i] = math.Sqrt(2/float64(k+1)) * math.Sin(math.Pi*float64(i+1)/float64(k+1))
	}
	for j := range k {
		for i := range j + 1 {
			l := 0.0
			switch i {
			case j:
				a.Add(len(p.L), 0, 1)
			case j - 1:
				l = math.Sqrt2
			}
			p.L, p.U = append(p.L, l), append(p.U, 0)
		}
	}
	p.A, _ = a.CSC(len(p.L), 1)
	y := make([]float64, len(p.L))
	addSquare(y, v, -1)
	return Solved("largest eigenvalue, order 12", p, []float64{2 * math.Cos(math.Pi/float64(k+1))}, y, true, true)
}

// mixedCases have cones of two kinds: the largest log x₀ + log x₁ in the disc of radius √2, with
// (t, 1, x) twice in the exponential cone and (√2, x) in the second-order one; and x₀ + x₁ − z over
// x₀·x₁ ≥ 1 and (x₀, z; z, x₁) ⪰ 0, z = v/√2.
func mixedCases() []Case {
	return read([]written{
		{"logarithms in a disc", "", "-1 -1 0 0", "1 0 0 0; 0 0 0 0; 0 0 1 0; 0 1 0 0; 0 0 0 0; 0 0 0 1; 0 0 0 0; " +
			"0 0 1 0; 0 0 0 1", "0 -1 0 0 -1 0 -√2 0 0", "exp1 exp1 exp1 exp2 exp2 exp2 soc soc soc", "0 0 1 1",
			"1 1 -1 1 1 -1 -√2 1 1", "xy"},
		{"a geometric mean and a matrix", "", "1 -√2/2 1", "1 0 0; 0 1 0; 0 0 1; 1 0 0; 0 0 1; 0 0 0", "0 0 0 0 0 -1",
			"psd psd psd pow0.5 pow0.5 pow0.5", "1 √2 1", "-0.5 √2/2 -0.5 -0.5 -0.5 1", "xy"},
	})
}
