package elimination

import "github.com/dcopt/dcopt/qpbackend/sparse"

// Range is a semidefinite cone over Len rows, columns of a matrix from First on. Own are
// the variables of a matrix variable, one in each row, nil for a cone that is none.
type Range struct {
	First, Len int
	Own        []int
}

// Own is the matrix variable of a cone whose rows are eliminated. Where X are its variables, Y the
// rows, D the coefficients of X in these, and A those in the other rows R, the matrix has
//
//	      Aᵀ·R + D·Y = b
//	D·X  −  G·Y      = c
//	A·X + …          = …
//
// and with the data matrices A·D⁻¹ leaves −A·D⁻¹·G·D⁻¹·Aᵀ in R, as for the
// dual problem, in which the rows R are variables.
type Own struct {
	Columns []int32 // of the matrix: the other rows that hold the variables, the members
	of      []int   // the variables
	ptr     []int   // of each member, where its entries begin
	row     []int32 // of each entry, the place of its variable,
	src     []int32 // the place of its value in k,
	val     []float64
	data    []float64 // and the value over the coefficient
	coef    []float64 // D
}

// Owners finds the other rows of the matrix variables, which are columns of k from one on;
// nil for a range without one.
func Owners(k *sparse.CSC, from int, ranges []Range) []*Own {
	out := make([]*Own, len(ranges))
	owner, place := make([]int32, k.Rows), make([]int32, k.Rows) // from 1, of each variable
	for t, b := range ranges {
		if b.Own == nil {
			continue
		}
		out[t] = &Own{of: b.Own, coef: make([]float64, b.Len), ptr: []int{0}}
		for i, j := range b.Own {
			owner[j], place[j] = int32(t)+1, int32(i)
		}
	}
	inside := make([]int32, k.Cols) // the block of each row, from 1
	for t, b := range ranges {
		for i := range b.Len {
			inside[b.First+i] = int32(t) + 1
		}
	}
	for j := from; j < k.Cols; j++ {
		for e := k.ColPtr[j]; e < k.ColPtr[j+1]; e++ {
			t := owner[k.RowIdx[e]]
			if t == 0 || t == inside[j] {
				continue
			}
			o := out[t-1]
			if last := len(o.Columns) - 1; last < 0 || o.Columns[last] != int32(j) {
				o.Columns, o.ptr = append(o.Columns, int32(j)), append(o.ptr, len(o.row))
			}
			o.row, o.src = append(o.row, place[k.RowIdx[e]]), append(o.src, int32(e))
			o.ptr[len(o.Columns)] = len(o.row)
		}
	}
	for _, o := range out {
		if o != nil {
			o.val, o.data = make([]float64, len(o.row)), make([]float64, len(o.row))
		}
	}
	return out
}

// Members are the entries of the data matrices, with their places in data.
func (o *Own) Members() [][]Entry {
	out := make([][]Entry, len(o.Columns))
	for m := range out {
		for e := o.ptr[m]; e < o.ptr[m+1]; e++ {
			out[m] = append(out[m], Entry{Row: o.row[e], Place: int32(e)})
		}
	}
	return out
}

// Load takes over the values of k, in which the rows of the cone begin at column first, and
// returns the values of the data matrices.
func (o *Own) Load(k *sparse.CSC, val []float64, first int) []float64 {
	for i := range o.coef {
		o.coef[i] = val[k.ColPtr[first+i]]
	}
	for e, at := range o.src {
		o.val[e] = val[at]
		o.data[e] = val[at] / o.coef[o.row[e]]
	}
	return o.data
}

// Before takes from the right-hand sides b of the members the terms of X without them. Apply is G,
// y room for a vector, and t another; rhs is the part of b that belongs to Y.
func (o *Own) Before(b, rhs, t, y []float64, apply func(dst, x []float64)) {
	for i, j := range o.of {
		t[i] = b[j] / o.coef[i]
	}
	apply(y, t)
	for i, c := range rhs {
		y[i] = (y[i] + c) / o.coef[i]
	}
	for m, j := range o.Columns {
		sum := 0.0
		for e := o.ptr[m]; e < o.ptr[m+1]; e++ {
			sum += o.val[e] * y[o.row[e]]
		}
		b[j] -= sum
	}
}

// After finds X and Y, the members being known.
func (o *Own) After(b, rhs, t, y []float64, apply func(dst, x []float64)) {
	for i, j := range o.of {
		t[i] = b[j]
	}
	for m, j := range o.Columns {
		for e := o.ptr[m]; e < o.ptr[m+1]; e++ {
			t[o.row[e]] -= o.val[e] * b[j]
		}
	}
	for i, d := range o.coef {
		t[i] /= d
	}
	apply(y, t)
	for i, j := range o.of {
		b[j] = (y[i] + rhs[i]) / o.coef[i]
		rhs[i] = t[i]
	}
}

// Separable reports, for each range, whether its matrix variable can be eliminated for less than it
// costs: where no more rows of A hold it than it has, and none of another range. The columns of at
// are rows.
func Separable(at *sparse.CSC, ranges []Range) []bool {
	owner := make([]int32, at.Rows) // from 1, of each variable
	rows, most := make([]int, len(ranges)), at.Cols+1
	for t, b := range ranges {
		for _, j := range b.Own {
			owner[j] = int32(t) + 1
		}
	}
	next := 0 // the range that is ahead
	stamp := make([]int, len(ranges))
	for i := range at.Cols {
		for next < len(ranges) && i >= ranges[next].First+ranges[next].Len {
			next++
		}
		within := next < len(ranges) && i >= ranges[next].First
		for _, j := range at.RowIdx[at.ColPtr[i]:at.ColPtr[i+1]] {
			t := int(owner[j]) - 1
			switch {
			case t < 0 || within && t == next:
			case within:
				rows[t], rows[next] = most, most
			case stamp[t] <= i:
				stamp[t] = i + 1
				rows[t]++
			}
		}
	}
	out := make([]bool, len(ranges))
	for t, b := range ranges {
		out[t] = b.Own != nil && rows[t] <= b.Len
	}
	return out
}
