package dc

import (
	"slices"
)

// MulSparse is the product of a sparse matrix and the entries of a, a vector. The
// matrix has its rows in compressed form: row i has the coefficients
// val[ptr[i]:ptr[i+1]] of the entries idx[ptr[i]:ptr[i+1]], counted from 0 in
// row-major order; equal ones are added. A coefficient that is 0 is kept, so that
// matrices of one pattern give functions of one pattern.
func (a Expr) MulSparse(ptr, idx []int, val []float64) Expr {
	if err := a.Err(); err != nil {
		return wrong(err)
	}
	if err := checkRows(ptr, idx, val, a.Len()); err != nil {
		return wrong(err)
	}
	rows := len(ptr) - 1
	if a.bent() {
		all, fs := a.functions(), make([]scalar, rows)
		for i := range fs {
			parts := make([]scalar, 0, ptr[i+1]-ptr[i])
			for p := ptr[i]; p < ptr[i+1]; p++ {
				parts = append(parts, all[idx[p]].Scale(val[p]))
			}
			fs[i] = sumExprs(parts)
		}
		return arrayOf([]int{rows}, fs)
	}
	return affineExpr(a.arr.MulSparse(ptr, idx, val))
}

// checkRows refuses rows in compressed form that are none.
func checkRows(ptr, idx []int, val []float64, cols int) error {
	switch {
	case len(ptr) == 0 || ptr[0] != 0 || ptr[len(ptr)-1] != len(idx):
		return badExpr("the row pointers of a sparse matrix must go from 0 to the number of its %d coefficients",
			len(idx)).err
	case len(idx) != len(val):
		return badExpr("a sparse matrix with %d places and %d coefficients", len(idx), len(val)).err
	case !slices.IsSorted(ptr):
		return badExpr("the row pointers of a sparse matrix must not descend").err
	}
	for _, k := range idx {
		if k < 0 || k >= cols {
			return badExpr("a sparse matrix has a coefficient in column %d of %d, counted from 0", k, cols).err
		}
	}
	return nil
}
