package presolve

import (
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// bothTriangles is the symmetric matrix without stored zeros, given its upper
// triangle.
func bothTriangles(p *sparse.CSC) *sparse.CSC {
	lower, _ := p.Transpose()
	full := &sparse.CSC{Rows: p.Rows, Cols: p.Cols, ColPtr: make([]int, 1, p.Cols+1)}
	for j := range p.Cols {
		for _, half := range [...]*sparse.CSC{p, lower} {
			for k := half.ColPtr[j]; k < half.ColPtr[j+1]; k++ {
				i, v := half.RowIdx[k], half.Val[k]
				if v != 0 && (half == p || i != j) {
					full.RowIdx, full.Val = append(full.RowIdx, i), append(full.Val, v)
				}
			}
		}
		full.ColPtr = append(full.ColPtr, len(full.RowIdx))
	}
	return full
}

// problem is the reduced problem.
func (r *reduction) problem() *qpbackend.Problem {
	place := make([]int, len(r.colAlive))
	for k, j := range r.cols {
		place[j] = k
	}
	rowPlace := make([]int, len(r.rowAlive))
	for k, i := range r.rows {
		rowPlace[i] = k
	}
	var a, h sparse.Triplets
	for k, j := range r.cols {
		for e := r.p.A.ColPtr[j]; e < r.p.A.ColPtr[j+1]; e++ {
			if i := r.p.A.RowIdx[e]; r.rowAlive[i] && r.p.A.Val[e] != 0 {
				a.Add(rowPlace[i], k, r.p.A.Val[e])
			}
		}
		for e := r.p.pFull.ColPtr[j]; e < r.p.pFull.ColPtr[j+1]; e++ {
			if i := r.p.pFull.RowIdx[e]; i <= j && r.colAlive[i] {
				h.Add(place[i], k, r.p.pFull.Val[e])
			}
		}
	}
	out := &qpbackend.Problem{
		Q: gather(r.q, r.cols), Lo: gather(r.lo, r.cols), Hi: gather(r.hi, r.cols),
		L: gather(r.l, r.rows), U: gather(r.u, r.rows),
	}
	out.A, _ = a.CSC(len(r.rows), len(r.cols))
	out.P, _ = h.CSC(len(r.cols), len(r.cols))
	return out
}
