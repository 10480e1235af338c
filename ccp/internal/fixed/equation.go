package fixed

import (
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Equation is a row with equal sides that gives column Col its value: its other columns are among
// Reduction.Cols, or belong to equations before it. No update changes its coefficients.
type Equation struct{ Row, Col int }

// equation has the places of its coefficients in A.
type equation struct {
	Equation
	own    int
	others []entry
	beyond float64 // how far the value that it asks for is beyond the bounds of the column
}

// entry is a coefficient of another column.
type entry struct{ col, place int }

// locate finds the coefficients of the equations.
func (s *reduced) locate(a *sparse.CSC, list []Equation) {
	of := make(map[int]int, len(list)) // the equation of a row, from 1
	for _, e := range list {
		s.equations = append(s.equations, equation{Equation: e, own: -1})
		of[e.Row] = len(s.equations)
	}
	for j := range a.Cols {
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			switch t := of[a.RowIdx[k]]; {
			case t == 0:
			case s.equations[t-1].Col == j:
				s.equations[t-1].own = k
			default:
				s.equations[t-1].others = append(s.equations[t-1].others, entry{j, k})
			}
		}
	}
}

// known writes the values of the columns that are left out. A value beyond the bounds goes to the
// nearest one: its row, without columns, is then one that does not hold.
func (s *reduced) known(p *qpbackend.Problem) {
	for _, j := range s.pinned {
		s.values[j] = p.Lo[j]
	}
	for t := range s.equations {
		e := &s.equations[t]
		v := p.L[e.Row]
		for _, o := range e.others {
			v -= p.A.Val[o.place] * s.values[o.col]
		}
		v /= p.A.Val[e.own]
		s.values[e.Col] = min(max(v, p.Lo[e.Col]), p.Hi[e.Col])
		e.beyond = v - s.values[e.Col]
	}
}

// shift passes multipliers z of the columns on to their equations, also in proofs: in reverse, as
// an equation has columns of equations before it.
func (s *reduced) shift(a *sparse.CSC, y, z []float64, proof bool) {
	for t := len(s.equations) - 1; t >= 0; t-- {
		e := &s.equations[t]
		if proof && e.beyond*z[e.Col] > 0 {
			continue // the bound that the value is beyond and the row are the proof
		}
		by := z[e.Col] / a.Val[e.own]
		y[e.Row], z[e.Col] = y[e.Row]+by, 0
		for _, o := range e.others {
			z[o.col] -= a.Val[o.place] * by
		}
	}
}
