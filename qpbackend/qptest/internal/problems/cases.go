package problems

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Case is a problem and its outcome.
type Case struct {
	Name    string
	Problem *qpbackend.Problem
	// Want is Solved, PrimalInfeasible or DualInfeasible.
	Want qpbackend.Status
	// Objective, X, Y and Z are an optimum where Want is Solved; Z is nil where
	// no variable has a bound.
	Objective float64
	X, Y, Z   []float64
	// UniqueX and UniqueY say that there are no other optimal X, or Y and Z.
	UniqueX, UniqueY bool
}

func Inf() float64 { return math.Inf(1) }

// All returns all problems of the suite that have no cones, made afresh:
// known small ones, random ones, badly scaled ones, infeasible ones and their
// feasible counterparts, and all that have rows with one entry once more with bounds in
// their place. They serve to compare backends with each other.
func All() []Case {
	var all []Case
	for _, group := range [][]Case{smallCases(), linearCases(), shapedCases(), RandomCases(), scaledCases(),
		Infeasible(), twinCases(), Bounded()} {
		all = append(all, group...)
	}
	return withBoxed(all)
}

// Matrix stores the nonzero entries of rows. With all zero, it has cols columns.
func Matrix(cols int, rows ...[]float64) *sparse.CSC {
	var t sparse.Triplets
	for i, r := range rows {
		for j, v := range r {
			if v != 0 {
				t.Add(i, j, v)
			}
		}
	}
	m, _ := t.CSC(len(rows), cols)
	return m
}

func Diagonal(d ...float64) *sparse.CSC {
	m := sparse.Identity(len(d))
	copy(m.Val, d)
	return m
}

// Upper keeps the upper triangle of a symmetric matrix given by rows.
func Upper(rows ...[]float64) *sparse.CSC {
	kept := make([][]float64, len(rows))
	for i, r := range rows {
		kept[i] = append(make([]float64, i), r[i:]...)
	}
	return Matrix(len(rows), kept...)
}

func Filled(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// Solved makes a Case with its optimum, the objective by the problem itself.
func Solved(name string, p *qpbackend.Problem, x, y []float64, uniqueX, uniqueY bool) Case {
	return Case{
		Name: name, Problem: p, Want: qpbackend.Solved, Objective: p.Objective(x),
		X: x, Y: y, UniqueX: uniqueX, UniqueY: uniqueY,
	}
}

// smallCases are quadratic problems solved by hand. HS35 and HS21 are of Hock and Schittkowski
// 1981, with the optimal values 1/9 and −99.96. The one through a singular P is ½(x₀+x₁)² with
// x₀ − x₁ = 2.
func smallCases() []Case {
	return append(read([]written{
		{"unconstrained", "2 0; 0 4", "-2 -8; 7", "", "", "", "1 2", "", "xy"},
		{"unconstrained, P full", "2 1; 1 2", "-3 0", "", "", "", "2 -1", "", "xy"},
		{"nothing at all", "", "0 0; 3", "", "", "", "0 0", "", "y"},
		{"one variable at its upper bound", "1", "-3", "1", "0", "2", "2", "1", "xy"},
		{"one variable between its bounds", "1", "-3", "1", "0", "5", "3", "0", "xy"},
		{"one variable, fixed", "1", "-3", "1", "1", "1", "1", "2", "xy"},
		{"box with each kind of corner", "1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1", "-3 3 -0.5 0",
			"1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1", "-1 -1 -1 -inf", "1 1 1 inf", "1 -1 0.5 0", "2 -2 0 0", "xy"},
		{"equality", "1 0 0; 0 1 0; 0 0 1", "0 0 0", "1 1 1", "3", "3", "1 1 1", "-1", "xy"},
		{"equality through a singular P", "1 1; 1 1", "0 0", "1 -1", "2", "2", "1 -1", "0", "xy"},
		{"lower side of a two-sided row", "2 0; 0 2", "0 0", "1 1", "1", "4", "0.5 0.5", "-1", "xy"},
		{"HS35", "4 2 2; 2 4 0; 2 0 2", "-8 -6 -4; 9", "1 1 2; 1 0 0; 0 1 0; 0 0 1", "-inf 0 0 0", "3 inf inf inf",
			"4/3 7/9 4/9", "2/9 0 0 0", "xy"},
		{"HS21", "0.02 0; 0 2", "0 0; -100", "10 -1; 1 0; 0 1", "10 2 -50", "inf 50 50", "2 0", "0 -0.04 0", "xy"},
	}), projectionOnSimplex())
}

// projectionOnSimplex is the point of the unit simplex nearest to a given one.
func projectionOnSimplex() Case {
	const n = 50 // Source: any size would do; this one takes no time
	c := make([]float64, n)
	for i := range c {
		c[i] = math.Sin(float64(3*i)) / 2
	}
	// τ with Σ max(c − τ, 0) = 1, by the sorted sums.
	sorted := slices.Clone(c)
	slices.Sort(sorted)
	τ, sum := 0.0, 0.0
	for k := n - 1; k >= 0; k-- {
		sum += sorted[k]
		if t := (sum - 1) / float64(n-k); t < sorted[k] {
			τ = t
		}
	}
	var t sparse.Triplets
	p := &qpbackend.Problem{P: sparse.Identity(n), L: []float64{1}, U: []float64{1}}
	x, y := make([]float64, n), []float64{τ}
	for j := range n {
		p.Q = append(p.Q, -c[j])
		t.Add(0, j, 1)
		t.Add(1+j, j, 1)
		p.L, p.U = append(p.L, 0), append(p.U, Inf())
		x[j] = max(c[j]-τ, 0)
		y = append(y, min(c[j]-τ, 0))
	}
	p.A, _ = t.CSC(1+n, n)
	return Solved("projection on a simplex", p, x, y, true, true)
}

// linearCases are linear programs.
func linearCases() []Case {
	return append(read([]written{
		{"linear, one variable", "", "-1", "1", "-inf", "5", "5", "1", "xy"},
		{"linear, a vertex", "", "-1 -2", "1 1; 1 3; 1 0; 0 1", "-inf -inf 0 0", "4 6 inf inf",
			"3 1", "0.5 0.5 0 0", "xy"},
		{"linear, a degenerate vertex", "", "-1 -2", "1 1; 1 3; 1 0; 0 1; 1 2", "-inf -inf 0 0 -inf", "4 6 inf inf 5",
			"3 1", "0.5 0.5 0 0 0", "x"},
		{"linear, an edge of solutions", "", "1 1", "1 1; 1 0; 0 1", "1 0 0", "inf inf inf", "0.5 0.5", "-1 0 0", "y"},
	}), Solved("linear, P of stored zeros", &qpbackend.Problem{
		P: Diagonal(0, 0), Q: []float64{1, -1}, A: sparse.Identity(2), L: []float64{-1, -2}, U: []float64{3, 4},
	}, []float64{-1, 4}, []float64{-1, 1}, true, true), assignment(), polygon())
}

// assignment of three workers to three jobs, where staying costs nothing: it
// has dependent equalities and a degenerate solution.
func assignment() Case {
	var t sparse.Triplets
	p := &qpbackend.Problem{L: Filled(6, 1), U: Filled(6, 1)}
	x := make([]float64, 9)
	for w := range 3 {
		for j := range 3 {
			v := 3*w + j
			t.Add(w, v, 1)
			t.Add(3+j, v, 1)
			t.Add(6+v, v, 1)
			cost := 1.0
			if w == j {
				cost, x[v] = 0, 1
			}
			p.Q = append(p.Q, cost)
			p.L, p.U = append(p.L, 0), append(p.U, Inf())
		}
	}
	y := make([]float64, 15)
	for v, q := range p.Q {
		y[6+v] = -q
	}
	p.A, _ = t.CSC(15, 9)
	return Solved("assignment", p, x, y, true, false)
}

// polygon is a linear objective over a hundred tangents of the unit circle; the
// optimum is the corner between the first two.
func polygon() Case {
	p := &qpbackend.Problem{Q: []float64{0, 0}}
	const m = 100 // Source: the problem as stated above
	var rows [][]float64
	for k := range m {
		φ := 2 * math.Pi * float64(k) / m
		rows = append(rows, []float64{math.Cos(φ), math.Sin(φ)})
		p.L, p.U = append(p.L, -Inf()), append(p.U, 1)
	}
	y := make([]float64, m)
	for k := range 2 {
		y[k] = 1
		p.Q[0] -= rows[k][0]
		p.Q[1] -= rows[k][1]
	}
	p.A = Matrix(2, rows...)
	half := math.Pi / m
	return Solved("linear, over a polygon", p, []float64{1, math.Tan(half)}, y, true, true)
}

// shapedCases have rows and columns that trip a solver.
func shapedCases() []Case {
	storedZeros := &qpbackend.Problem{
		P: Diagonal(1, 0), Q: []float64{-1, 1}, A: &sparse.CSC{
			Rows: 2, Cols: 2, ColPtr: []int{0, 2, 4}, RowIdx: []int{0, 1, 0, 1}, Val: []float64{0, 1, 1, 0},
		}, L: []float64{2, -9}, U: []float64{8, 9},
	}
	return append(read([]written{
		{"redundant equalities", "1 0; 0 1", "0 0", "1 1; 1 1; 2 2; 1 -1", "2 2 4 0", "2 2 4 0", "1 1",
			"-1 0 0 0", "x"},
		{"duplicate inequalities", "1 0; 0 1", "0 0", "1 1; 1 1; -1 -1", "2 2 -inf", "inf 9 -2", "1 1", "-1 0 0", "x"},
		{"free rows", "1 0; 0 1", "-1 -2", "1 1; 1 -1; 3 1", "-inf -1e20 -1e30", "inf 1e20 4",
			"0.7 1.9", "0 0 0.1", "xy"},
		{"only free rows", "1 0; 0 1", "-1 -2", "1 0; 0 1", "-inf -1e20", "inf 1e25", "1 2", "0 0", "xy"},
		{"fixed variables", "2 1 0; 1 2 1; 0 1 2", "1 1 1", "1 0 0; 0 1 0; 0 0 1", "1 -inf -2", "1 inf -2", "1 0 -2",
			"-3 0 3", "xy"},
		{"all variables fixed, one row more", "1 0; 0 1", "0 0", "1 0; 0 1; 1 1", "1 2 -9", "1 2 9",
			"1 2", "-1 -2 0", "xy"},
		// Variable 1 is nowhere, variable 2 only in P and q.
		{"empty columns", "1 0 0; 0 0 0; 0 0 2", "0 0 -2", "1 0 0", "4", "inf", "4 0 1", "-4", "y"},
		{"an empty row", "1 0; 0 1", "-1 0", "0 0; 1 1", "-1 0", "0 0", "0.5 -0.5", "0 0.5", "x"},
		{"more equalities than variables", "", "1 1", "1 0; 0 1; 1 1; 1 -1", "1 2 3 -1", "1 2 3 -1",
			"1 2", "-1 -1 0 0", "x"},
	}), Solved("stored zeros in A", storedZeros, []float64{1, 2}, []float64{-1, 0}, true, true))
}
