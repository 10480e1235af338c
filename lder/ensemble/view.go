package ensemble

import (
	"slices"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// stageChosen is added to the stages of random numbers for models of chosen features.
const stageChosen = 1 << 9

// view is the columns that models use, the constant last. A nil view has all of them.
type view struct {
	bags  [][]int // of each bag, chosen by its training rows
	whole []int   // chosen by all rows
}

// of are the columns of bag k; nil: all.
func (v *view) of(k int) []int {
	if v == nil {
		return nil
	}
	return v.bags[k]
}

// widest is the largest number of columns of a fit; all is the number in the data.
func (v *view) widest(all int) int {
	if v == nil {
		return all
	}
	n := len(v.whole)
	for _, c := range v.bags {
		n = max(n, len(c))
	}
	return n
}

// stage is the number that keeps the random numbers of views apart.
func (v *view) stage() int {
	if v == nil {
		return 0
	}
	return stageChosen
}

// gather copies the whole columns of all rows.
func (v *view) gather(d *refit.Data) *refit.Data {
	if v == nil {
		return d
	}
	rows := make([]int, d.M)
	for i := range rows {
		rows[i] = i
	}
	out := &refit.Data{}
	d.Gather(out, rows, v.whole)
	return out
}

// scatter copies pieces of some columns to pieces of all n, with slope 0 for the others;
// nil: they are all.
func scatter(pieces []float64, columns []int, n int) []float64 {
	if columns == nil {
		return slices.Clone(pieces)
	}
	k := len(columns)
	out := make([]float64, len(pieces)/k*n)
	for at := 0; at*k < len(pieces); at++ {
		for t, j := range columns {
			out[at*n+j] = pieces[at*k+t]
		}
	}
	return out
}

// gathered is the inverse of scatter.
func gathered(pieces []float64, columns []int, n int) []float64 {
	if columns == nil {
		return pieces
	}
	var out []float64
	for at := 0; at < len(pieces); at += n {
		for _, j := range columns {
			out = append(out, pieces[at+j])
		}
	}
	return out
}
