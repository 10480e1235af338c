package facial

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// rewrite makes problem. It returns false where that has many more entries.
func (r *faces) rewrite(p *qpbackend.Problem) bool {
	out := &qpbackend.Problem{R: p.R, A: &sparse.CSC{ColPtr: []int{0}}, P: &sparse.CSC{ColPtr: []int{0}}}
	to := make([]int, r.m) // of each row that stays, its place; of a row of a face, −1 − its cone
	for i, k := 0, 0; i < r.m; {
		length := 1
		if k < len(p.Cones) && p.Cones[k].Start == i {
			c := p.Cones[k]
			length = c.Len
			if c.Start = len(out.L); r.faces[k] != nil {
				w := r.faces[k].order()
				c.Len = w * (w + 1) / 2
			}
			r.first = append(r.first, c.Start)
			out.Cones = append(out.Cones, c)
			if f := r.faces[k]; f != nil {
				l := make([]float64, c.Len)
				for _, e := range f.restrict(nil, entriesOf(p.L[i:i+length]), make([]float64, f.order()*f.order())) {
					l[e.row] = e.v
				}
				out.L, out.U = append(out.L, l...), append(out.U, slices.Repeat([]float64{math.Inf(1)}, c.Len)...)
				for t := range length {
					to[i+t] = -1 - k
				}
				i, k = i+length, k+1
				continue
			}
			k++
		}
		for t := range length {
			to[i+t] = len(out.L) + t
		}
		out.L, out.U = append(out.L, p.L[i:i+length]...), append(out.U, p.U[i:i+length]...)
		i += length
	}
	place := r.columns(p, out)
	full := make([][]float64, len(p.Cones))
	var column, own []entry
	for _, j := range r.kept {
		column = column[:0]
		for e, end := p.A.ColPtr[j], p.A.ColPtr[j+1]; e < end; {
			i := p.A.RowIdx[e]
			if to[i] >= 0 {
				column = append(column, entry{to[i], p.A.Val[e]})
				e++
				continue
			}
			k := -1 - to[i]
			f, c := r.faces[k], p.Cones[k]
			if full[k] == nil {
				full[k] = make([]float64, f.order()*f.order())
			}
			own = own[:0]
			for ; e < end && p.A.RowIdx[e] < c.Start+c.Len; e++ {
				own = append(own, entry{p.A.RowIdx[e] - c.Start, p.A.Val[e]})
			}
			from := len(column)
			column = f.restrict(column, own, full[k])
			for t := from; t < len(column); t++ {
				column[t].row += r.first[k]
			}
		}
		for _, e := range column {
			out.A.RowIdx, out.A.Val = append(out.A.RowIdx, e.row), append(out.A.Val, e.v)
		}
		out.A.ColPtr = append(out.A.ColPtr, len(out.A.RowIdx))
		if len(out.A.RowIdx) > mostFill*p.A.NNZ() {
			return false
		}
		for e := p.P.ColPtr[j]; e < p.P.ColPtr[j+1]; e++ {
			out.P.RowIdx, out.P.Val = append(out.P.RowIdx, place[p.P.RowIdx[e]]), append(out.P.Val, p.P.Val[e])
		}
		out.P.ColPtr = append(out.P.ColPtr, len(out.P.RowIdx))
	}
	n := len(r.kept)
	out.A.Rows, out.A.Cols, out.P.Rows, out.P.Cols = len(out.L), n, n, n
	r.problem = out
	return true
}

// mostFill is how many times as many entries A may have with the faces. Source: a limit of time:
// with twice as many an iteration takes up to twice as long, and without strict interior a run two
// to four times as many of them.
const mostFill = 2

// columns sets the variables that stay, their costs and bounds, and returns the place of each.
func (r *faces) columns(p, out *qpbackend.Problem) (place []int) {
	place = make([]int, r.n)
	for _, ray := range r.rays {
		place[ray.variable] = -1
	}
	for j := range place {
		if place[j] < 0 {
			continue
		}
		place[j] = len(r.kept)
		r.kept = append(r.kept, j)
		out.Q, out.Lo, out.Hi = append(out.Q, p.Q[j]), append(out.Lo, p.Lo[j]), append(out.Hi, p.Hi[j])
	}
	return place
}

func entriesOf(v []float64) (list []entry) {
	for i, e := range v {
		if e != 0 {
			list = append(list, entry{i, e})
		}
	}
	return list
}
