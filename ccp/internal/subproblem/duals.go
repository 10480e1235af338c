package subproblem

import (
	"math"

	"github.com/dcopt/dcopt/dc"
)

// Slack is the sum of the slacks in the last solution; open is that with each in
// the unit of its row. With strict, units above 1 count as 1.
func (s *Problem) Slack(strict bool) (sum, priced, open float64) {
	units := s.rowUnits()
	for k, j := range s.Slacks {
		u := units[k]
		if strict {
			u = min(u, 1)
		}
		v := max(s.Res.X[j], 0)
		sum, priced, open = sum+v, priced+v*s.prices[k], open+v/u
	}
	return sum, priced, open
}

// Multipliers are those of the constraints and of the bounds of the variables,
// positive where an upper bound holds.
type Multipliers struct {
	Rows   [][]float64 // by constraint, see ccp.Result.Duals
	Bounds []float64   // by variable
}

// Duals distributes the multipliers of the rows to the constraints.
func (s *Problem) Duals() Multipliers {
	out := Multipliers{Rows: s.rowDuals()}
	if n := s.DC.NumVars(); len(s.Res.Z) >= n {
		out.Bounds = append(out.Bounds, s.Res.Z[:n]...)
	}
	s.DC.AddDefined(out.Rows, out.Bounds)
	return out
}

func (s *Problem) rowDuals() [][]float64 {
	out := make([][]float64, len(s.DC.Constraints))
	cones := map[int][]float64{} // multipliers of the rows of semidefinite constraints
	shares := map[int]float64{}
	for i := range out {
		n := 1
		if c := &s.DC.Constraints[i]; !c.DC {
			n = c.A.Len()
		} else if k, ok := c.Cone(); ok {
			n = len(k.Rows)
		} else if c.Order() > 0 {
			cones[i] = []float64{}
		}
		out[i] = make([]float64, n)
	}
	for i, r := range s.Rows {
		if r.Owner >= 0 && r.Entry >= 0 && i < len(s.Res.Y) {
			y := s.Res.Y[i]
			if r.twoSided {
				y = math.Abs(y)
			}
			out[r.Owner][r.Entry] += r.share * y
			if list, ok := cones[r.Owner]; ok {
				if len(list) == 0 {
					shares[r.Owner] = r.share
				}
				cones[r.Owner] = append(list, y)
			}
		}
	}
	for i, y := range cones {
		if z := dc.MatrixMultiplier(s.DC.Constraints[i].Order(), y, shares[i]); z != nil {
			out[i] = z
		}
	}
	return out
}

// SlacksRun reports whether a slack grows along the direction that proves the convex
// problem unbounded.
func (s *Problem) SlacksRun() bool {
	tiny := 1e-9 * MaxAbs(s.Res.X)
	for _, j := range s.Slacks {
		if s.Res.X[j] > tiny {
			return true
		}
	}
	return false
}
