package ipm

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/equil"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
	"github.com/dcopt/dcopt/qpbackend/ipm/internal/interior"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// layout keeps A by rows, and where the rows of cones are.
type layout struct {
	generalRows
	cones []qpbackend.Cone
	conic []bool // row → is one of a cone
}

// newLayout is for p, with a matrix A.
func newLayout(p *qpbackend.Problem) *layout {
	l := &layout{generalRows: newGeneralRows(p), cones: p.Cones}
	l.conic = make([]bool, l.at.Cols)
	for _, c := range l.cones {
		for i := range c.Len {
			l.conic[c.Start+i] = true
		}
	}
	return l
}

// groups are the rows that the scaling has to treat alike.
func (l *layout) groups() []equil.Group {
	var g []equil.Group
	for _, c := range l.cones {
		g = append(g, equil.Group{Start: c.Start, Len: c.Len})
	}
	return g
}

// blocks of all cones, for the values of p.
func (l *layout) blocks(p *qpbackend.Problem) (blocks []kkt.Block) {
	for _, c := range l.cones {
		b := interior.Block(c)
		if b.Order > 0 {
			b.Own = matrixVariable(p, l.at, c)
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// matrixVariable are the variables in the rows of a semidefinite cone, where each row holds one
// that has no bounds, no entry in P, and no other row of these; else nil. Of at, which may be
// scaled, it reads the pattern.
func matrixVariable(p *qpbackend.Problem, at *sparse.CSC, c qpbackend.Cone) []int {
	own, last := make([]int, 0, c.Len), -1
	for i := c.Start; i < c.Start+c.Len; i++ {
		if at.ColPtr[i+1]-at.ColPtr[i] != 1 {
			return nil
		}
		j := at.RowIdx[at.ColPtr[i]]
		if lo, hi := p.Bounds(j); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
			return nil
		}
		own, last = append(own, j), max(last, j)
	}
	in := make([]bool, last+1)
	for _, j := range own {
		if in[j] {
			return nil
		}
		in[j] = true
	}
	for k, j := range own { // which have few entries, as they are different columns
		if p.A.At(c.Start+k, j) == 0 {
			return nil
		}
	}
	if p.P == nil {
		return own
	}
	for j := range p.P.Cols {
		for e := p.P.ColPtr[j]; e < p.P.ColPtr[j+1]; e++ {
			if j <= last && in[j] || p.P.RowIdx[e] <= last && in[p.P.RowIdx[e]] {
				return nil
			}
		}
	}
	return own
}
