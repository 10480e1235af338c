package fixed

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// divisor is the least coefficient, beside the largest of its row, that a column is computed with.
// Source: that of package presolve.
const divisor = 1e-3

// Find returns the rows of p with equal sides that give columns their values, where the values of
// cols are known: one after the other, as x[i,j] == 0 and then x[j,i] == x[i,j] do. No update may
// change their coefficients. Columns of a matrix variable stay: a backend eliminates them with the
// rows of its cone, for less.
func Find(p *qpbackend.Problem, cols []int) (found []Equation) {
	n, m := p.Dims()
	known := make([]bool, n)
	for _, j := range cols {
		known[j] = true
	}
	left := make([]int, m) // of the columns of an equation: those that are not known
	for j := range n {
		if known[j] {
			continue
		}
		for _, i := range p.A.RowIdx[p.A.ColPtr[j]:p.A.ColPtr[j+1]] {
			left[i]++
		}
	}
	var queue []int
	for i, count := range left {
		if p.L[i] != p.U[i] {
			left[i] = -1
		} else if count == 1 {
			queue = append(queue, i)
		}
	}
	if len(queue) == 0 {
		return nil
	}
	at, _ := p.A.Transpose()
	stays := matrixVariables(at, p.Cones)
	for ; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		col, own, most := -1, 0.0, 0.0
		for k := at.ColPtr[i]; k < at.ColPtr[i+1]; k++ {
			v := math.Abs(at.Val[k])
			most = max(most, v)
			if j := at.RowIdx[k]; !known[j] {
				col, own = j, v
			}
		}
		if col < 0 || stays[col] || !(own > divisor*most) {
			continue
		}
		known[col] = true
		found = append(found, Equation{Row: i, Col: col})
		for _, i := range p.A.RowIdx[p.A.ColPtr[col]:p.A.ColPtr[col+1]] {
			if left[i]--; left[i] == 1 {
				queue = append(queue, i)
			}
		}
	}
	return found
}

// matrixVariables marks the columns of semidefinite cones whose rows have one each, which no other
// such cone has. The columns of at are rows.
func matrixVariables(at *sparse.CSC, cones []qpbackend.Cone) []bool {
	marks := make([]bool, at.Rows)
	in, shared := make([]int, at.Rows), make([]bool, len(cones)) // in: a cone of each column, from 1
	for t, c := range cones {
		if c.Kind != qpbackend.Semidefinite {
			continue
		}
		for i := c.Start; i < c.Start+c.Len; i++ {
			idx := at.RowIdx[at.ColPtr[i]:at.ColPtr[i+1]]
			shared[t] = shared[t] || len(idx) != 1
			for _, j := range idx {
				if other := in[j] - 1; other >= 0 && other != t {
					shared[t], shared[other] = true, true
				}
				in[j] = t + 1
			}
		}
	}
	for j, t := range in {
		marks[j] = t > 0 && !shared[t-1]
	}
	return marks
}
