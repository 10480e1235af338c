package dc

import (
	"cmp"
	"math"
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
	out := Expr{shape: []int{rows}, c: make([]float64, rows), of: a.of}
	room := 0
	for _, k := range idx {
		if a.ptr != nil {
			room += a.ptr[k+1] - a.ptr[k]
		}
	}
	if room == 0 {
		for i := range rows {
			for p := ptr[i]; p < ptr[i+1]; p++ {
				out.c[i] += val[p] * a.c[idx[p]]
			}
			out.lost = max(out.lost, a.cancelledBy(idx[ptr[i]:ptr[i+1]], val[ptr[i]:ptr[i+1]]))
		}
		return out
	}
	out.ptr, out.idx, out.val = make([]int, 1, rows+1), make([]int, 0, room), make([]float64, 0, room)
	top := 0
	for _, j := range a.idx {
		top = max(top, j+1)
	}
	w := scatter{sum: make([]float64, top), seen: make([]bool, top)}
	for i := range rows {
		from := len(out.idx)
		out.lost = max(out.lost, a.cancelledBy(idx[ptr[i]:ptr[i+1]], val[ptr[i]:ptr[i+1]]))
		for p := ptr[i]; p < ptr[i+1]; p++ {
			k, v := idx[p], val[p]
			out.c[i] += v * a.c[k]
			for q := a.ptr[k]; q < a.ptr[k+1]; q++ {
				j := a.idx[q]
				if !w.seen[j] {
					w.seen[j] = true
					out.idx = append(out.idx, j)
				}
				w.sum[j] += v * a.val[q]
			}
		}
		row := out.idx[from:]
		if !slices.IsSortedFunc(row, cmp.Compare[int]) {
			slices.Sort(row)
		}
		for _, j := range row {
			out.val = append(out.val, w.sum[j])
			w.sum[j], w.seen[j] = 0, false
		}
		out.ptr = append(out.ptr, len(out.idx))
	}
	return out
}

// cancelledBy is lost of the sum of entries idx, each times its val.
func (a Expr) cancelledBy(idx []int, val []float64) float64 {
	sum, size := 0.0, 0.0
	for p, k := range idx {
		sum, size = sum+val[p]*a.c[k], size+math.Abs(val[p])*(math.Abs(a.c[k])+a.lost)
	}
	return Linear{Const: sum}.WithConstSize(size).lost
}

// scatter adds up a row of coefficients by variable.
type scatter struct {
	sum  []float64
	seen []bool
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
