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
	for _, group := range [][]Case{secondOrderCases(), exponentialCases(), powerCases(), semidefiniteCases(),
		mixedCases()} {
		for _, c := range group {
			if onlyKinds(c.Problem, kinds) {
				all = append(all, c)
			}
		}
	}
	return withBoxed(append(all, randomConeCases(kinds)...))
}

func onlyKinds(p *qpbackend.Problem, kinds []qpbackend.ConeKind) bool {
	return !slices.ContainsFunc(p.Cones, func(c qpbackend.Cone) bool { return !slices.Contains(kinds, c.Kind) })
}

// randomConeCases are the cases of RandomCones, with each kind in all outcomes.
func randomConeCases(kinds []qpbackend.ConeKind) []Case {
	var all []Case
	if len(kinds) > 0 {
		for seed := range uint64(5 * (len(kinds) + 2)) {
			c := RandomCones(seed, kinds...)
			c.Name = "random: " + c.Name
			all = append(all, c)
		}
	}
	return all
}

// OnCone has variables that form a cone of the kind, after a row for each with
// the interval given.
func OnCone(kind qpbackend.ConeKind, cost, l, u []float64) *qpbackend.Problem {
	n := len(cost)
	var t sparse.Triplets
	for i := range n {
		t.Add(i, i, 1)
		t.Add(n+i, i, 1)
	}
	a, _ := t.CSC(2*n, n)
	return &qpbackend.Problem{
		Q: cost, A: a, L: slices.Concat(l, Filled(n, 0)), U: slices.Concat(u, Filled(n, 0)),
		Cones: []qpbackend.Cone{{Kind: kind, Start: n, Len: n, Alpha: alphaOf(kind)}},
	}
}

// alphaOf is the α of the cases that do not choose one.
func alphaOf(kind qpbackend.ConeKind) float64 {
	if kind == qpbackend.Power {
		return 0.5
	}
	return 0
}

// only states that the rows of a lie in one cone, behind offsets l.
func only(kind qpbackend.ConeKind, q []float64, a *sparse.CSC, l ...float64) *qpbackend.Problem {
	return &qpbackend.Problem{
		Q: q, A: a, L: l, U: Filled(len(l), 0),
		Cones: []qpbackend.Cone{{Kind: kind, Len: len(l), Alpha: alphaOf(kind)}},
	}
}

// at is a copy of v with v[i] = x.
func at(v []float64, i int, x float64) []float64 {
	w := slices.Clone(v)
	w[i] = x
	return w
}

func unfeasible(name string, p *qpbackend.Problem) Case {
	return Case{Name: name, Problem: p, Want: qpbackend.PrimalInfeasible}
}

func unbounded(name string, p *qpbackend.Problem) Case {
	return Case{Name: name, Problem: p, Want: qpbackend.DualInfeasible}
}

func secondOrderCases() []Case {
	const kind = qpbackend.SecondOrder
	free, no := Filled(3, -Inf()), Filled(3, Inf())
	distance := OnCone(kind, []float64{1, 0, 0}, free, []float64{Inf(), 0, 0})
	distance.L[4], distance.L[5] = 3, 4
	projection := OnCone(kind, []float64{0, -3, -4}, at(free, 0, -9), no)
	projection.P = Diagonal(1, 1, 1)
	apex := OnCone(kind, []float64{1, 0, 0}, free, no)
	apex.P = Diagonal(1, 1, 1)
	two := &qpbackend.Problem{
		// Two cones with a row between them: x₀ ≥ |x₁|, x₁ + x₂ ≥ 3, x₃ ≥ 2.
		P: Diagonal(1, 1, 1, 1), Q: Filled(4, 0), A: Matrix(4,
			[]float64{1, 0, 0, 0}, []float64{0, 1, 0, 0}, []float64{0, 1, 1, 0}, []float64{0, 0, 0, 1}),
		L: []float64{0, 0, 3, 2}, U: []float64{0, 0, Inf(), 0},
		Cones: []qpbackend.Cone{{Kind: kind, Start: 0, Len: 2}, {Kind: kind, Start: 3, Len: 1}},
	}
	one := only(kind, []float64{1}, Diagonal(2), 3)
	pinched := OnCone(kind, []float64{1, 0, 0}, at(free, 1, 1), no)
	pinched.A = Matrix(3, append([][]float64{{1, -1, 0}}, rowsOf(pinched.A)[1:]...)...)
	pinched.L[0], pinched.U[0] = 0, 0
	long := make([]float64, 200)
	for i := range long {
		long[i] = math.Sin(float64(i + 1))
	}
	flat := only(kind, []float64{0, -1}, Matrix(2, []float64{1, 0}, []float64{0, 1}), 0, 0)
	return []Case{
		Solved("distance from a quadrant", distance, []float64{5, 0, 0}, []float64{0, 0.6, 0.8, -1, -0.6, -0.8}, true,
			true),
		Solved("projection", projection, []float64{2.5, 1.5, 2}, []float64{0, 0, 0, -2.5, 1.5, 2}, true, true),
		Solved("apex", apex, Filled(3, 0), []float64{0, 0, 0, -1, 0, 0}, true, true),
		Solved("two cones and a row", two, []float64{1, 1, 2, 2}, []float64{-1, 1, -2, -2}, true, true),
		Solved("a cone of one row", one, []float64{1.5}, []float64{-0.5}, true, true),
		Solved("a norm of constants", only(kind, []float64{1}, Matrix(1, []float64{1}, []float64{0}, []float64{0}), 0,
			-3, -4),
			[]float64{5}, []float64{-1, 0.6, 0.8}, true, true),
		Solved("a ball", only(kind, []float64{-3, -4}, Matrix(2, []float64{0, 0}, []float64{1, 0}, []float64{0, 1}), -5,
			0, 0),
			[]float64{3, 4}, []float64{-5, 3, 4}, true, true),
		Solved("a ray and nothing inside", pinched, []float64{1, 1, 0}, []float64{0, -1, 0, -1, 1, 0}, false, false),
		longNorm(long),
		unfeasible("infeasible: below the apex", OnCone(kind, []float64{0, 1, 1}, free, at(no, 0, -1))),
		unfeasible("infeasible: constants", only(kind, []float64{0}, Matrix(1, []float64{0}, []float64{0}), -1, -2)),
		unfeasible("infeasible: one row", &qpbackend.Problem{
			Q: []float64{0}, A: Matrix(1, []float64{1}, []float64{1}), L: []float64{1, -Inf()}, U: []float64{0, 0},
			Cones: []qpbackend.Cone{{Kind: kind, Len: 1}},
		}),
		unbounded("unbounded: up the axis", OnCone(kind, []float64{-1, 0, 0}, free, no)),
		unbounded("unbounded: along the boundary",
			withP(OnCone(kind, []float64{-1, -2, 0}, free, no), Diagonal(0, 0, 1))),
		unbounded("unbounded: two rows", flat),
	}
}

func withP(p *qpbackend.Problem, P *sparse.CSC) *qpbackend.Problem {
	p.P = P
	return p
}

// rowsOf is a by rows.
func rowsOf(a *sparse.CSC) [][]float64 {
	rows := make([][]float64, a.Rows)
	for i := range rows {
		rows[i] = make([]float64, a.Cols)
		for j := range rows[i] {
			rows[i][j] = a.At(i, j)
		}
	}
	return rows
}

// longNorm minimises ‖x‖ − with its own variable − over aᵀx ≥ 1: x = a/‖a‖².
func longNorm(a []float64) Case {
	n := len(a)
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
		Q: at(Filled(n+1, 0), n, 1), L: Filled(n+2, 0), U: Filled(n+2, 0),
		Cones: []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Start: 1, Len: n + 1}},
	}
	p.L[0], p.U[0] = 1, Inf()
	p.A, _ = t.CSC(n+2, n+1)
	return Solved("least norm, 200 entries", p, x, y, true, true)
}

func semidefiniteCases() []Case {
	const kind = qpbackend.Semidefinite
	free, no := Filled(3, -Inf()), Filled(3, Inf())
	off := at(free, 1, math.Sqrt2)
	nearest := OnCone(kind, []float64{-1, 0, 1}, free, no)
	nearest.P = Diagonal(1, 1, 1)
	// λ·I − M ⪰ 0 for M = (2 on the diagonal, 1 beside it), of order 3, with
	// the eigenvector (½, 1/√2, ½) of 2 + √2.
	eigen := only(kind, []float64{1}, Matrix(1, []float64{1}, []float64{0}, []float64{1}, []float64{0}, []float64{0},
		[]float64{1}),
		2, math.Sqrt2, 2, 0, math.Sqrt2, 2)
	// Least sum of the entries of a correlation matrix of order 3: all pairs −½.
	six := Filled(6, -Inf())
	corr := OnCone(kind, []float64{1, math.Sqrt2, 1, math.Sqrt2, math.Sqrt2, 1},
		[]float64{1, six[1], 1, six[3], six[4], 1}, []float64{1, Inf(), 1, Inf(), Inf(), 1})
	h := -math.Sqrt2 / 2
	return []Case{
		Solved("least trace", OnCone(kind, []float64{1, 0, 1}, off, at(no, 1, math.Sqrt2)),
			[]float64{1, math.Sqrt2, 1}, []float64{0, -math.Sqrt2, 0, -1, math.Sqrt2, -1}, true, true),
		Solved("a constant beside the diagonal", only(kind, []float64{4, 1},
			Matrix(2, []float64{1, 0}, []float64{0, 0}, []float64{0, 1}), 0, -math.Sqrt2, 0),
			[]float64{0.5, 2}, []float64{-4, 2 * math.Sqrt2, -1}, true, true),
		Solved("largest eigenvalue", eigen, []float64{2 + math.Sqrt2},
			[]float64{-0.25, -0.5, -0.5, -math.Sqrt2 / 4, -0.5, -0.25}, true, true),
		pathEigenvalue(12),
		Solved("order one", only(kind, []float64{1}, Diagonal(1), 3), []float64{3}, []float64{-1}, true, true),
		Solved("apex", OnCone(kind, []float64{1, 0, 1}, free, no), Filled(3, 0), []float64{0, 0, 0, -1, 0, -1}, true,
			false),
		Solved("nearest matrix", nearest, []float64{1, 0, 0}, []float64{0, 0, 0, 0, 0, -1}, true, false),
		Solved("least correlation", corr, []float64{1, h, 1, h, h, 1},
			slices.Concat(Filled(6, 0), []float64{-1, -math.Sqrt2, -1, -math.Sqrt2, -math.Sqrt2, -1}), true, true),
		unfeasible("infeasible: a negative diagonal", OnCone(kind, []float64{0, 0, 1}, free, at(no, 0, -1))),
		unfeasible("infeasible: constants", only(kind, []float64{0},
			Matrix(1, []float64{0}, []float64{0}, []float64{0}), -1, -2*math.Sqrt2, -1)),
		unfeasible("infeasible: a small diagonal",
			OnCone(kind, []float64{0, 0, 0}, at(free, 1, 3), []float64{1, Inf(), 1})),
		unbounded("unbounded: the trace", OnCone(kind, []float64{-1, 0, -1}, free, no)),
		unbounded("unbounded: one entry", OnCone(kind, []float64{-1, 0, 0}, free, no)),
	}
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

// mixedCases have cones of two kinds.
func mixedCases() []Case {
	// The largest log x₀ + log x₁ in the disc of radius √2: (t, 1, x) twice in
	// the exponential cone, (√2, x) in the second-order one.
	logs := &qpbackend.Problem{
		Q: []float64{-1, -1, 0, 0}, A: Matrix(4,
			[]float64{1, 0, 0, 0}, []float64{0, 0, 0, 0}, []float64{0, 0, 1, 0},
			[]float64{0, 1, 0, 0}, []float64{0, 0, 0, 0}, []float64{0, 0, 0, 1},
			[]float64{0, 0, 0, 0}, []float64{0, 0, 1, 0}, []float64{0, 0, 0, 1}),
		L: []float64{0, -1, 0, 0, -1, 0, -math.Sqrt2, 0, 0}, U: Filled(9, 0),
		Cones: []qpbackend.Cone{
			{Kind: qpbackend.Exponential, Len: 3}, {Kind: qpbackend.Exponential, Start: 3, Len: 3},
			{Kind: qpbackend.SecondOrder, Start: 6, Len: 3},
		},
	}
	// x₀ + x₁ − z over x₀·x₁ ≥ 1 and (x₀, z; z, x₁) ⪰ 0, z = v/√2.
	means := &qpbackend.Problem{
		Q: []float64{1, -math.Sqrt2 / 2, 1}, A: Matrix(3,
			[]float64{1, 0, 0}, []float64{0, 1, 0}, []float64{0, 0, 1},
			[]float64{1, 0, 0}, []float64{0, 0, 1}, []float64{0, 0, 0}),
		L: []float64{0, 0, 0, 0, 0, -1}, U: Filled(6, 0),
		Cones: []qpbackend.Cone{
			{Kind: qpbackend.Semidefinite, Len: 3}, {Kind: qpbackend.Power, Start: 3, Len: 3, Alpha: 0.5},
		},
	}
	return []Case{
		Solved("logarithms in a disc", logs, []float64{0, 0, 1, 1}, []float64{1, 1, -1, 1, 1, -1, -math.Sqrt2, 1, 1},
			true, true),
		Solved("a geometric mean and a matrix", means, []float64{1, math.Sqrt2, 1},
			[]float64{-0.5, math.Sqrt2 / 2, -0.5, -0.5, -0.5, 1}, true, true),
	}
}
