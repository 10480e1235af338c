package convex

import (
	"cmp"
	"math"
	"slices"
)

// MulSparse is the product of rows in compressed form and the entries.
func (a *Array) MulSparse(ptr, idx []int, val []float64) Array {
	rows := len(ptr) - 1
	out := Array{Shape: []int{rows}, C: make([]float64, rows), Of: a.Of}
	room := 0
	for _, k := range idx {
		if a.Ptr != nil {
			room += a.Ptr[k+1] - a.Ptr[k]
		}
	}
	if room == 0 {
		for i := range rows {
			for p := ptr[i]; p < ptr[i+1]; p++ {
				out.C[i] += val[p] * a.C[idx[p]]
			}
			out.Lost = max(out.Lost, a.cancelledBy(idx[ptr[i]:ptr[i+1]], val[ptr[i]:ptr[i+1]]))
		}
		return out
	}
	out.Ptr, out.Idx, out.Val = make([]int, 1, rows+1), make([]int, 0, room), make([]float64, 0, room)
	top := 0
	for _, j := range a.Idx {
		top = max(top, j+1)
	}
	w := scatter{sum: make([]float64, top), seen: make([]bool, top)}
	for i := range rows {
		from := len(out.Idx)
		out.Lost = max(out.Lost, a.cancelledBy(idx[ptr[i]:ptr[i+1]], val[ptr[i]:ptr[i+1]]))
		for p := ptr[i]; p < ptr[i+1]; p++ {
			k, v := idx[p], val[p]
			out.C[i] += v * a.C[k]
			for q := a.Ptr[k]; q < a.Ptr[k+1]; q++ {
				j := a.Idx[q]
				if !w.seen[j] {
					w.seen[j] = true
					out.Idx = append(out.Idx, j)
				}
				w.sum[j] += v * a.Val[q]
			}
		}
		row := out.Idx[from:]
		if !slices.IsSortedFunc(row, cmp.Compare[int]) {
			slices.Sort(row)
		}
		for _, j := range row {
			out.Val = append(out.Val, w.sum[j])
			w.sum[j], w.seen[j] = 0, false
		}
		out.Ptr = append(out.Ptr, len(out.Idx))
	}
	return out
}

// cancelledBy is lost of the sum of entries idx, each times its val.
func (a *Array) cancelledBy(idx []int, val []float64) float64 {
	sum, size := 0.0, 0.0
	for p, k := range idx {
		sum, size = sum+val[p]*a.C[k], size+math.Abs(val[p])*(math.Abs(a.C[k])+a.Lost)
	}
	return Linear{Const: sum}.WithConstSize(size).Lost
}

// scatter adds up a row of coefficients by variable.
type scatter struct {
	sum  []float64
	seen []bool
}
