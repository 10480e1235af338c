package implicitdiff

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/equil"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// rows holds A by rows, scaled, as it is and in the bases of the cones.
type rows struct {
	a    *sparse.CSC // scaled
	at   *sparse.CSC // n × m: column i is row i in the basis of its cone
	slot []int       // of each entry of a, its place in at
	cone []bool      // of each row: it is one of a cone
	l, u []float64   // the sides, scaled

	cols  [][]int // of each cone with a basis, the columns that are in its rows
	first [][]int // of each further row of a long cone, the places in at of the entries of its first row
	room  []float64
}

// mostTurned bounds the entries of A in the bases of cones.
// Source: a limit of memory: 1e8 float64 have 0.8 GB.
const mostTurned = 1e8

func newRows(p *qpbackend.Problem) (*rows, error) {
	n, m := p.Dims()
	r := &rows{
		a: p.A.Clone(), cone: make([]bool, m), l: make([]float64, m), u: make([]float64, m),
		slot: make([]int, p.A.NNZ()), cols: make([][]int, len(p.Cones)), first: make([][]int, m),
	}
	byRow, from := p.A.Transpose()
	row := func(i int) []int { return byRow.RowIdx[byRow.ColPtr[i]:byRow.ColPtr[i+1]] }
	pattern := make([][]int, m)
	for i := range m {
		pattern[i] = row(i)
	}
	longest := 0
	for k, c := range p.Cones {
		longest = max(longest, c.Len)
		for i := c.Start; i < c.Start+c.Len; i++ {
			r.cone[i] = true
			switch {
			case long(c) && i > c.Start:
				pattern[i] = union(pattern[c.Start], row(i))
			case c.Kind != qpbackend.SecondOrder || c.Len == 2:
				r.cols[k] = union(r.cols[k], row(i))
			}
		}
		if r.cols[k] != nil {
			for i := c.Start; i < c.Start+c.Len; i++ {
				pattern[i] = r.cols[k]
			}
		}
	}
	r.room = make([]float64, longest)
	r.at = &sparse.CSC{Rows: n, Cols: m, ColPtr: make([]int, m+1)}
	for i, v := range pattern {
		r.at.ColPtr[i+1] = r.at.ColPtr[i] + len(v)
	}
	nnz := r.at.ColPtr[m]
	if nnz > mostTurned {
		return nil, fmt.Errorf("derivative: A has %d entries in the bases of its cones, more than %g", nnz,
			float64(mostTurned))
	}
	r.at.RowIdx, r.at.Val = make([]int, 0, nnz), make([]float64, nnz)
	for i, v := range pattern {
		at := len(r.at.RowIdx)
		r.at.RowIdx = append(r.at.RowIdx, v...)
		own := row(i)
		for t, j := range own {
			r.slot[from[byRow.ColPtr[i]+t]] = at + place(own, v, t, j)
		}
	}
	for _, c := range p.Cones {
		if !long(c) {
			continue
		}
		for i := c.Start + 1; i < c.Start+c.Len; i++ {
			head := pattern[c.Start]
			r.first[i] = make([]int, len(head))
			for t, j := range head {
				r.first[i][t] = r.at.ColPtr[i] + place(head, pattern[i], t, j)
			}
		}
	}
	return r, nil
}

// place is the place in the ascending list all of v, entry t of a part of it.
func place(part, all []int, t, v int) int {
	if len(part) < len(all) {
		t, _ = slices.BinarySearch(all, v)
	}
	return t
}

// union is that of two ascending lists; a where they are equal.
func union(a, b []int) []int {
	if slices.Equal(a, b) {
		return a
	}
	var u []int
	i := 0
	for _, v := range b {
		for i < len(a) && a[i] < v {
			u = append(u, a[i])
			i++
		}
		if i == len(a) || a[i] != v {
			u = append(u, v)
		}
	}
	return append(u, a[i:]...)
}

// load takes over the values of a.
func (r *rows) load(a *sparse.CSC, sc *equil.Scaling) {
	for j := range a.Cols {
		for e := a.ColPtr[j]; e < a.ColPtr[j+1]; e++ {
			r.a.Val[e] = sc.E[a.RowIdx[e]] * sc.D[j] * a.Val[e]
		}
	}
}

// offset takes over the sides.
func (r *rows) offset(p *qpbackend.Problem, sc *equil.Scaling) {
	for i := range r.l {
		l, u := p.Sides(i)
		if r.cone[i] {
			u = math.Inf(1)
		}
		r.l[i], r.u[i] = l*sc.E[i]/sc.B, u*sc.E[i]/sc.B
	}
}

// turn sets at to the rows in the bases of the cones, times √(1−d).
func (r *rows) turn(pieces []*piece) {
	clear(r.at.Val)
	for e, at := range r.slot {
		r.at.Val[at] = r.a.Val[e]
	}
	for k, pc := range pieces {
		if r.cols[k] == nil {
			head := r.of(pc.Start)
			if pc.plane {
				for i, e := range pc.tail {
					for t, at := range r.first[pc.Start+1+i] {
						r.at.Val[at] -= e * head[t]
					}
				}
			}
			for i, e := range pc.d {
				num.Scale(r.of(pc.Start+i), weight(e))
			}
			continue
		}
		v := r.room[:pc.Len]
		for t := range r.cols[k] {
			for i := range v {
				v[i] = r.at.Val[r.at.ColPtr[pc.Start+i]+t]
			}
			pc.turn(v)
			for i, e := range v {
				r.at.Val[r.at.ColPtr[pc.Start+i]+t] = weight(pc.d[i]) * e
			}
		}
	}
}

// of is row i of at.
func (r *rows) of(i int) []float64 { return r.at.Val[r.at.ColPtr[i]:r.at.ColPtr[i+1]] }

// weight is √(1−d).
func weight(d float64) float64 { return math.Sqrt(1 - d) }
