package lder

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Start is the point from which training begins, the one of Ho, Le Thi and Pham
// Dinh 2020: centroids by Katsavounidis, Kuo and Zhang's rule, the Voronoi
// cells of the data around them, and least squares in each cell. The paper
// leaves open how W and M share the work; here W fits y/2 in r1 cells and M
// fits −y/2 in r2 cells of its own. x should be standardised: the rule goes by
// distances. A cell with fewer rows than coefficients, or with dependent
// columns, gets the fit of least norm.
func Start(x [][]float64, y []float64, r1, r2 int) *Model {
	half := make([]float64, len(y))
	for i, v := range y {
		half[i] = v / 2
	}
	m, centres := &Model{}, kkz(x, max(r1, r2)) // fewer are the first of more
	m.W, m.A = cellFits(x, half, centres[:r1])
	for i, v := range y {
		half[i] = -v / 2
	}
	m.M, m.B = cellFits(x, half, centres[:r2])
	return m
}

// cellFits returns an affine function for each centre's Voronoi cell.
func cellFits(x [][]float64, y []float64, centres []int) (w [][]float64, a []float64) {
	r := len(centres)
	if len(x) > manyRows {
		return manyCellFits(x, y, centres)
	}
	cells := voronoi(x, centres)
	w, a = make([][]float64, r), make([]float64, r)
	for k := range r {
		if len(cells[k]) > 0 {
			w[k], a[k] = leastSquares(x, y, cells[k])
			continue
		}
		// Only a repeated centre has an empty cell. Repeating the function of
		// its copy leaves the maximum as it is.
		twin := nearestCentre(x, centres, centres[k])
		w[k], a[k] = append([]float64(nil), w[twin]...), a[twin]
	}
	return w, a
}

// kkz returns r rows of x: the one of largest norm, then again and again the
// one farthest from its nearest predecessor. Rows repeat only where there are
// fewer than r different ones. Katsavounidis, Kuo and Zhang 1994.
func kkz(x [][]float64, r int) []int {
	dist := make([]float64, len(x)) // to the nearest centre; at first, to the origin
	for i, row := range x {
		for _, v := range row {
			dist[i] += v * v
		}
	}
	centres := make([]int, r)
	for k := range centres {
		far := 0
		for i, d := range dist {
			if d > dist[far] {
				far = i
			}
		}
		centres[k] = far
		for i, row := range x {
			d := squaredDistance(row, x[far])
			if k == 0 || d < dist[i] {
				dist[i] = d
			}
		}
	}
	return centres
}

// voronoi lists, for each centre, the rows nearer to it than to the others; the
// first centre takes ties.
func voronoi(x [][]float64, centres []int) [][]int {
	cells := make([][]int, len(centres))
	for i := range x {
		k := nearestCentre(x, centres, i)
		cells[k] = append(cells[k], i)
	}
	return cells
}

func nearestCentre(x [][]float64, centres []int, i int) int {
	best, bestDist := 0, math.Inf(1)
	for k, c := range centres {
		if d := squaredDistance(x[i], x[c]); d < bestDist {
			best, bestDist = k, d
		}
	}
	return best
}

func squaredDistance(u, v []float64) float64 {
	s := 0.0
	for j, e := range u {
		s += (e - v[j]) * (e - v[j])
	}
	return s
}

// leastSquares fits ⟨w, x⟩ + a to y on the given rows, at least one. Among all
// best fits it takes the one with the least ‖(w, a)‖; singular values below
// 1e-10 of the largest count as zero.
func leastSquares(x [][]float64, y []float64, rows []int) (w []float64, a float64) {
	n := len(x[0])
	lhs, rhs := mat.NewDense(len(rows), n+1, nil), mat.NewVecDense(len(rows), nil)
	mean := 0.0
	for k, i := range rows {
		copy(lhs.RawRowView(k), x[i])
		lhs.Set(k, n, 1)
		rhs.SetVec(k, y[i])
		mean += y[i] / float64(len(rows))
	}
	if w, a, ok := solveTall(lhs, rhs); ok {
		return w, a
	}
	var svd mat.SVD
	var sol mat.VecDense
	// The column of ones keeps the rank at 1 or more.
	if !svd.Factorize(lhs, mat.SVDThin) {
		return make([]float64, n), mean // it did not converge
	}
	svd.SolveVecTo(&sol, rhs, svd.Rank(1e-10))
	s := sol.RawVector().Data
	return s[:n:n], s[n]
}

// wellPosed bounds the condition up to which solveTall answers: columns are then
// far from dependent by the measure of leastSquares.
// Source: derived: normal equations square the condition, and four of sixteen digits
// are to be left.
const wellPosed = 1e6

// solveTall is leastSquares by a QR factorisation, in a third of the time; ok is
// false where there are fewer rows than columns or these are nearly dependent.
func solveTall(lhs *mat.Dense, rhs *mat.VecDense) (w []float64, a float64, ok bool) {
	m, n := lhs.Dims()
	if m < n {
		return nil, 0, false
	}
	var qr mat.QR
	qr.Factorize(lhs)
	var sol mat.VecDense
	if !(qr.Cond() <= wellPosed) || qr.SolveVecTo(&sol, false, rhs) != nil {
		return nil, 0, false
	}
	s := sol.RawVector().Data
	return s[: n-1 : n-1], s[n-1], true
}

// manyRows is the size of the data from which the cells' normal equations, read
// off in one pass, take the place of their own matrices.
// Source: a limit of time; the solution is the same to rounding.
const manyRows = 20000

// manyCellFits is cellFits for many rows.
func manyCellFits(x [][]float64, y []float64, centres []int) (w [][]float64, a []float64) {
	n, r := len(x[0]), len(centres)
	size := n + 1
	gram, rhs := make([]float64, r*size*size), make([]float64, r*size)
	row := make([]float64, size)
	row[n] = 1
	for i := range x {
		k := nearestCentre(x, centres, i)
		copy(row, x[i])
		g, b := gram[k*size*size:(k+1)*size*size], rhs[k*size:(k+1)*size]
		for j, v := range row {
			b[j] += v * y[i]
			line := g[j*size+j : (j+1)*size]
			for t, u := range row[j:] {
				line[t] += v * u
			}
		}
	}
	w, a = make([][]float64, r), make([]float64, r)
	for k, c := range centres {
		// A centre that repeats another has an empty cell.
		from := nearestCentre(x, centres, c)
		w[k], a[k] = normalEquations(gram[from*size*size:(from+1)*size*size], rhs[from*size:(from+1)*size])
	}
	return w, a
}

// normalEquations are solved with the least norm of (w, a); eigenvalues below
// 1e-13 of the largest count as zero. gram has the upper triangle.
func normalEquations(gram, rhs []float64) (w []float64, a float64) {
	n := len(rhs) - 1
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(n+1, append([]float64(nil), gram...)), true) {
		return make([]float64, n), rhs[n] / gram[len(gram)-1]
	}
	var u mat.Dense
	eig.VectorsTo(&u)
	λ := eig.Values(nil)
	sol := make([]float64, n+1)
	for k, v := range λ {
		if v <= 1e-13*λ[n] {
			continue
		}
		s := 0.0
		for j, b := range rhs {
			s += u.At(j, k) * b
		}
		for j := range sol {
			sol[j] += s / v * u.At(j, k)
		}
	}
	return sol[:n:n], sol[n]
}
