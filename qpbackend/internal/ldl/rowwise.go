package ldl

import (
	"context"

	"github.com/dcopt/dcopt/internal/poll"
)

// rowwise computes L row by row, for factors with few entries in a row: row k
// is the solution of a triangular system with the rows before.
type rowwise struct {
	panels
	// Row k has entries in the supernodes sup[ptr[k]:ptr[k+1]], ascending, and in
	// its own.
	ptr []int32
	sup []int32
}

// leastRows is the number of rows below its first column from which a supernode pays. Source:
// times, on the KKT matrices of 16 Maros-Meszaros problems a factorisation with two or three solves
// takes least at 10 to 15: up to a sixth less than at 1, 1 % to 5 % less than at 20.
const leastRows = 12

// fundamental are the first columns of supernodes of columns with the same pattern, closed by n.
func fundamental(f *Factor) (first []int32) {
	for j := range int32(f.n) {
		if j == 0 || f.parent[j-1] != j || f.count[j-1] != f.count[j]+1 || f.count[j-1] < leastRows {
			first = append(first, j)
		}
	}
	return append(first, int32(f.n))
}

func newRowwise(ctx context.Context, f *Factor) (*rowwise, error) {
	p := poll.New(ctx)
	all, err := newPanels(&p, f, fundamental(f), nil)
	if err != nil {
		return nil, err
	}
	all.val = values(all.node[all.count()].val)
	if f.sym.up.src == nil {
		f.sym.up.src = make([]int32, len(f.sym.up.idx))
		for e := range f.sym.up.src {
			f.sym.up.src[e] = int32(e)
		}
	}
	s := &rowwise{panels: all, ptr: make([]int32, f.n+2), sup: make([]int32, len(all.row))}
	f.work = make([]float64, f.n)
	next := s.ptr[1:]
	for _, i := range s.row {
		next[i+1]++
	}
	for k := range f.n {
		next[k+1] += next[k]
	}
	for q := range int32(s.count()) {
		for _, i := range s.row[s.node[q].row:s.node[q+1].row] {
			s.sup[next[i]] = q
			next[i]++
		}
	}
	return s, nil
}

// factorise returns the pivot at which it failed, or −1, and ctx.Err() where ctx
// has ended.
func (s *rowwise) factorise(ctx context.Context, f *Factor, val []float64) (int, error) {
	work, rows := poll.New(ctx), 1+poll.Interval*f.n/(16*(1+int(f.flops))) // that are worth a look
	y := f.work
	for q := range s.node {
		s.node[q].known = 0
	}
	nodes, row, l := s.node, s.row, s.val
	up, src := f.sym.up.ptr, f.sym.up.src
	own := int32(0)
	for k := range f.n {
		lo, hi := up[k], up[k+1]
		places := src[lo:hi]
		for p, i := range f.sym.up.idx[lo:hi] {
			y[i] = val[places[p]]
		}
		d := y[k]
		y[k] = 0
		for sup := s.sup[s.ptr[k]:s.ptr[k+1]]; ; sup = sup[1:] {
			var done int
			if done, d = s.singles(sup, y, d); done == len(sup) {
				break
			}
			sup = sup[done:]
			n := &nodes[sup[0]]
			width, known := int(n.width), n.known
			n.known++
			own, panel := y[n.first:][:width], l[n.val:]
			s.forward(y, own, row[n.row:n.row+known], panel)
			d -= divide(own, panel, width, panel[(width+int(known))*width:])
		}
		if int(nodes[own+1].first) == k {
			own++
		}
		n := &nodes[own]
		width, before := int(n.width), k-int(n.first)
		if before > 0 {
			own, panel := y[n.first:k], l[n.val:]
			lower(own, panel, width)
			d -= divide(own, panel, width, panel[before*width:])
		}
		if f.expected(k, d) {
			f.d[k] = d
			f.dinv[k] = 1 / d
		} else if !f.pivot(k, d) {
			return k, nil
		}
		l[n.val+before*(width+1)] = f.dinv[k]
		if k%rows == 0 {
			if err := work.Err(poll.Interval / 16); err != nil {
				return -1, err
			}
		}
	}
	return -1, nil
}

// singles computes the entries of a row, with the values y, in the supernodes of one column that
// come first among sup, and returns their number and the pivot of the row, d before them.
func (s *rowwise) singles(sup []int32, y []float64, d float64) (int, float64) {
	nodes, row, l := s.node, s.row, s.val
	for t, q := range sup {
		n := &nodes[q]
		if n.width > 1 {
			return t, d
		}
		known := int(n.known)
		n.known++
		v := y[n.first]
		y[n.first] = 0
		w := 0.0
		if v != 0 {
			lo := int(n.row)
			at, hi := n.val+1-lo, lo+known
			for p := lo; p < hi; p++ {
				y[row[p]] -= l[at+p] * v
			}
			w = v * l[n.val]
			d -= v * w
		}
		l[n.val+1+known] = w
	}
	return len(sup), d
}

// divide sets a row of L to own, divided by the pivots of panel, which it clears. It returns the
// part of the row's own pivot.
func divide(own, panel []float64, width int, row []float64) float64 {
	sum, row := 0.0, row[:len(own)]
	for i, u := range own {
		w := u * panel[i*(width+1)]
		sum += u * w
		row[i], own[i] = w, 0
	}
	return sum
}
