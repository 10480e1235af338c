package subproblem

import (
	"math"
)

// Slack is the sum of the slacks in the last solution; open is that with each in
// the unit of its row. With strict, units above 1 count as 1.
func (s *Problem) Slack(strict bool) (sum, open float64) {
	units := s.rowUnits()
	for k, j := range s.Slacks {
		u := units[k]
		if strict {
			u = min(u, 1)
		}
		v := max(s.Res.X[j], 0)
		sum, open = sum+v, open+v/u
	}
	return sum, open
}

// Duals distributes the multipliers of the rows to the constraints.
func (s *Problem) Duals() [][]float64 {
	out := make([][]float64, len(s.DC.Constraints))
	for i := range out {
		n := 1
		if c := &s.DC.Constraints[i]; !c.DC {
			n = c.A.Len()
		}
		out[i] = make([]float64, n)
	}
	for i, r := range s.Rows {
		if r.Owner >= 0 && r.Entry >= 0 && i < len(s.Res.Y) {
			y := s.Res.Y[i]
			if r.either {
				y = math.Abs(y)
			}
			out[r.Owner][r.Entry] += r.share * y
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
