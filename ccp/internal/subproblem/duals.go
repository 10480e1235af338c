package subproblem

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/blocks"
	"github.com/dcopt/dcopt/ccp/internal/implied"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// closed is a slack, in the unit of its row, that may pass as none. Source: above the
// largest tolerance of feasibility that problems are solved with.
const closed = 1e-3

// Slack is the sum of the slacks in the last solution; open is that with each in
// the unit of its row or, where the terms of the constraint as it is written are smaller than
// those of the tangents, relative to them: a capped square of an outlier is at most its cap.
// With strict, units above 1 count as 1.
func (s *Problem) Slack(strict bool) (sum, priced, open float64) {
	units := s.rowUnits()
	for n, j := range s.Compiled.Slacks {
		k := s.Compiled.owners[n]
		u := units[k]
		if strict {
			u = min(u, 1)
		}
		v := max(s.Session.Res.X[j], 0)
		part := v / u
		if u > 1 && v > small && part < closed {
			part = max(part, s.Compiled.DC.RelativeViolation(s.Compiled.Soft[k],
				s.Session.Res.X[:s.Compiled.DC.NumVars()]))
		}
		sum, priced, open = sum+v, priced+v*s.Units.prices[k], open+part
	}
	return sum, priced, open
}

// Multipliers are those of the constraints and of the bounds of the variables,
// positive where an upper bound holds.
type Multipliers struct {
	Rows   [][]float64 // by constraint, see ccp.Result.Duals
	Bounds []float64   // by variable
}

// Duals distributes the multipliers of the rows in a solution to the splits of the constraints, in
// the memory of others.
func (s *Problem) Duals(in Multipliers, sol qpbackend.Tangent) Multipliers {
	out := Multipliers{Rows: s.Compiled.rowDuals(in.Rows, sol.Y, sol.Y)}
	if n := s.Compiled.DC.NumVars(); len(sol.Z) >= n {
		out.Bounds = append(in.Bounds[:0], sol.Z[:n]...)
	}
	cost := 1.0
	if s.Session.Res.Status == qpbackend.PrimalInfeasible {
		cost = 0
	}
	s.Compiled.DC.AddDefined(cost, out.Rows, out.Bounds)
	return out
}

// WrittenDuals are Duals for the constraints as they are written.
func (s *Problem) WrittenDuals(in Multipliers, sol qpbackend.Tangent) Multipliers {
	out := s.Duals(in, sol)
	s.Compiled.asWritten(out.Rows)
	return out
}

// DualTangent is the change of WrittenDuals along the change of a solution at. Multipliers of
// equations that define variables have no such change here.
func (s *Compiled) DualTangent(at, change qpbackend.Tangent) Multipliers {
	out := Multipliers{Rows: s.rowDuals(nil, at.Y, change.Y), Bounds: slices.Clone(change.Z[:s.DC.NumVars()])}
	s.asWritten(out.Rows)
	return out
}

// asWritten turns multipliers of splits into multipliers of the constraints as they are written.
// Bounds have the multipliers of constraints Within them.
func (s *Compiled) asWritten(rows [][]float64) {
	for i, y := range rows {
		if c := &s.DC.Constraints[i]; c.Within {
			y[0] = 0
		} else if c.DC && len(y) == 1 {
			y[0] *= c.SplitRate()
		}
	}
}

// rowDuals distributes dy, the multipliers y of the rows or a change of them, in the memory of
// others.
func (s *Compiled) rowDuals(in [][]float64, y, dy []float64) [][]float64 {
	out := blocks.Zeros(in, s.DC)
	var cones map[int][]float64 // of semidefinite constraints: the multipliers of rows
	var shares map[int]float64
	for i := range out {
		if c := &s.DC.Constraints[i]; c.DC && c.Order() > 0 {
			if cones == nil {
				cones, shares = map[int][]float64{}, map[int]float64{}
			}
			cones[i] = []float64{}
		}
	}
	s.Rows.Each(func(i int, r *blocks.Row) {
		if r.Owner >= 0 && r.Entry >= 0 && i < len(dy) {
			v := dy[i]
			if r.TwoSided && y[i] < 0 {
				v = -v
			}
			out[r.Owner][r.Entry] += r.Share * v
			if list, ok := cones[r.Owner]; ok {
				if len(list) == 0 {
					shares[r.Owner] = r.Share
				}
				cones[r.Owner] = append(list, v)
			}
		}
	}, func(i int, f *blocks.Family, k int) {
		if f.All != nil && i < len(dy) {
			out[f.Owner+f.Number(k)][0] += dy[i]
		}
	})
	for i, y := range cones {
		if z := matrixMultiplier(s.DC.Constraints[i].Order(), y, shares[i]); z != nil {
			out[i] = z
		}
	}
	return out
}

// matrixMultiplier is the multiplier of a constraint of that order, a positive
// semidefinite matrix in row-major order, from the multipliers y of the rows of
// its cone. share is that of dc.Sublevel.Below for the first diagonal entry. The
// trace is the multiplier of the bound of the eigenvalue. It is nil where the
// cone has another number of rows.
func matrixMultiplier(order int, y []float64, share float64) []float64 {
	out := make([]float64, order*order)
	if order == 2 && len(y) == 3 { // of the rows a + d, a − d, 2b
		share /= 2
		out[0], out[3] = share*(y[0]+y[1]), share*(y[0]-y[1])
		out[1], out[2] = share*y[2], share*y[2]
		return out
	}
	if len(y) != order*(order+1)/2 {
		return nil
	}
	all := implied.Matrix(y, share)
	for k := range out {
		out[k] = all.At(k/order, k%order)
	}
	return out
}

// SlacksRun reports whether a slack grows along the direction that proves the convex
// problem unbounded.
func (s *Problem) SlacksRun() bool {
	tiny := 1e-9 * num.NormInf(s.Session.Res.X)
	return slices.ContainsFunc(s.Compiled.Slacks, func(j int) bool { return s.Session.Res.X[j] > tiny })
}

// LeastNear is a lower bound of the objective, minimised, with h as linearised, over the points
// that keep the constraints and are no further from the last solution than its own size: by weak
// duality, whatever the backend says of its accuracy. One that is at least enough may be lower than
// need be.
func (s *Problem) LeastNear(enough float64) float64 {
	x := s.Session.Res.X
	if len(x) != len(s.Compiled.QP.Q) || s.HasProximal() {
		return math.Inf(-1)
	}
	reach := s.reach()
	for _, j := range s.Compiled.Hidden.Cols {
		reach[j] = 0
	}
	constant := s.Compiled.QP.R - s.tangentAt0() // a session may keep the solver of another constant
	return s.Session.Solver.LeastWithin(reach, s.Compiled.DC.NumVars(), enough-constant) + constant
}

// reach is, until the room is used again, column by column, the size of the last solution, or the
// unit where that is larger.
func (s *Problem) reach() []float64 {
	reach := append(s.Units.room[:0], s.columnUnits()...)
	s.Units.room = reach
	for j, v := range s.Session.Res.X {
		reach[j] = max(reach[j], math.Abs(v))
	}
	return reach
}

// Near reports whether x is among the points of LeastNear.
func (s *Problem) Near(x []float64) bool {
	reach := s.reach()
	for j, v := range x {
		if !(math.Abs(v-s.Session.Res.X[j]) <= reach[j]) {
			return false
		}
	}
	return true
}

// tangentAt0 is the constant of the tangent of the objective's h.
func (s *Problem) tangentAt0() float64 {
	if s.Compiled.H0 == nil {
		return 0
	}
	at := s.Session.Res.X[:s.Compiled.DC.NumVars()]
	c := s.Compiled.H0.Value(at)
	for _, j := range s.Compiled.H0.Support() {
		c -= (s.Compiled.QP.Q[j] - s.Lin.Now.Q[j]) * at[j]
	}
	return c
}
