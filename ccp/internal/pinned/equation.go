package pinned

// Equation is a row with equal sides that gives column Col its value: its other columns are among Backend.Cols, or those of
// equations before it. No update changes its coefficients.
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
func (s *solver) locate(list []Equation) {
	of := make(map[int]int, len(list)) // the equation of a row, from 1
	for _, e := range list {
		s.equations = append(s.equations, equation{Equation: e, own: -1})
		of[e.Row] = len(s.equations)
	}
	a := s.p.A
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

// values writes those of the columns that are known to x, the others are zero. A value beyond the bounds goes to the nearest one: its row, without columns, is then
// one that does not hold.
func (s *solver) values(x []float64) {
	for j := range x {
		if x[j] = 0; s.pin[j] {
			x[j] = s.p.Lo[j]
		}
	}
	for t := range s.equations {
		e := &s.equations[t]
		v := s.p.L[e.Row]
		for _, o := range e.others {
			v -= s.p.A.Val[o.place] * x[o.col]
		}
		v /= s.p.A.Val[e.own]
		lo, hi := s.p.Bounds(e.Col)
		x[e.Col] = min(max(v, lo), hi)
		e.beyond = v - x[e.Col]
	}
}

// shift passes multipliers z of the columns on to their equations, those of proofs as well: in reverse, as an equation has columns of those before it.
func (s *solver) shift(y, z []float64, proof bool) {
	for t := len(s.equations) - 1; t >= 0; t-- {
		e := &s.equations[t]
		if proof && e.beyond*z[e.Col] > 0 {
			continue // the bound that the value is beyond and the row are the proof
		}
		by := z[e.Col] / s.p.A.Val[e.own]
		y[e.Row], z[e.Col] = y[e.Row]+by, 0
		for _, o := range e.others {
			z[o.col] -= s.p.A.Val[o.place] * by
		}
	}
}

// without is y without the multipliers of the equations, which the rest lacks.
func (s *solver) without(y []float64) []float64 {
	if len(s.equations) == 0 || y == nil {
		return y
	}
	out := append([]float64(nil), y...)
	for _, e := range s.equations {
		out[e.Row] = 0
	}
	return out
}
