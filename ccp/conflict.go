package ccp

import (
	"context"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/dcopt/dcopt/qpbackend"
)

// infeasible is the verdict on convex constraints that exclude each other.
func (r *run) infeasible(ctx context.Context) {
	rows, cols := r.sub.rowNames(), r.sub.colNames()
	names := r.sub.conflict(ctx, rows, cols, culprits(append(rows, cols...), append(append([]float64(nil), r.sub.res.Y...), r.sub.res.Z...)))
	message := "no point meets the convex constraints"
	if len(names) > 0 {
		const most = 6
		if len(names) > most {
			names = append(names[:most:most], "...")
		}
		message += "; those in conflict: " + strings.Join(names, ", ")
	}
	r.stop(Infeasible, message)
	r.res.Objective = r.minimised(math.Inf(1))
}

// rowNames are what a user calls the rows, "" for a row of the objective or of a
// constraint whose slack can always meet it.
func (s *subproblem) rowNames() []string {
	names := make([]string, len(s.rows))
	for i, r := range s.rows {
		switch {
		case i > 0 && r.owner == s.rows[i-1].owner:
			names[i] = names[i-1]
		case r.owner >= 0 && s.p.Constraints[r.owner].Convex():
			names[i] = s.p.Constraints[r.owner].Name()
		}
	}
	return names
}

// colNames are what a user calls the bounds of the columns, "" for a column that
// is not a variable of the problem.
func (s *subproblem) colNames() []string {
	names := make([]string, len(s.qp.Q))
	for _, v := range s.p.Vars {
		for k := range v.Len() {
			names[v.Offset+k] = "bounds of " + v.Name
		}
	}
	return names
}

// culprits are the names that carry the certificate y, the heaviest first.
func culprits(all []string, y []float64) []string {
	weight := map[string]float64{}
	for i, name := range all {
		if name != "" && i < len(y) {
			weight[name] = max(weight[name], math.Abs(y[i]))
		}
	}
	var names []string
	top := 0.0
	for name, w := range weight {
		names = append(names, name)
		top = max(top, w)
	}
	sort.Slice(names, func(i, k int) bool {
		if weight[names[i]] != weight[names[k]] {
			return weight[names[i]] > weight[names[k]]
		}
		return names[i] < names[k]
	})
	for k, name := range names {
		if !(weight[name] > 1e-3*top) {
			return names[:k]
		}
	}
	return names
}

// aimless are the values of the convex problem without its objective, for the
// solver.
func (s *subproblem) aimless() qpbackend.Update {
	s.asked.strange = true
	u := s.now
	u.Q = make([]float64, len(u.Q))
	if s.qp.P != nil {
		u.P = make([]float64, s.qp.P.NNZ())
	}
	return u
}

// excluded reports whether the convex constraints exclude each other: what makes
// a backend fail may be an objective that has no least value on top of that.
func (s *subproblem) excluded(ctx context.Context) bool {
	var res qpbackend.Result
	if s.solver.Update(s.aimless()) != nil || s.solver.Solve(ctx, &res) != nil || res.Status != qpbackend.PrimalInfeasible {
		return false
	}
	s.res = res
	return true
}

// mostFiltered bounds the names that conflict tries to do without.
const mostFiltered = 24

// conflict leaves out names without which the rest is still infeasible, one
// after the other, the lightest first: what remains is a conflict from which
// nothing can be left out (the deletion filter of Chinneck and Dravnieks 1991).
func (s *subproblem) conflict(ctx context.Context, rows, cols, names []string) []string {
	if len(names) < 2 || len(names) > mostFiltered {
		return names
	}
	inCone := make([]bool, len(s.rows))
	for _, c := range s.qp.Cones {
		for i := range c.Len {
			inCone[c.Start+i] = true
		}
	}
	lo, hi := slices.Clone(s.qp.L), slices.Clone(s.now.U)
	colLo, colHi := slices.Clone(s.qp.Lo), slices.Clone(s.qp.Hi)
	need := append([]string(nil), names...)
	update := s.aimless()
	var res qpbackend.Result
	for k := len(need) - 1; k >= 0 && len(need) > 1; k-- {
		l, u := slices.Clone(lo), slices.Clone(hi)
		cl, cu := slices.Clone(colLo), slices.Clone(colHi)
		for j, name := range cols {
			if name == need[k] {
				cl[j], cu[j] = math.Inf(-1), math.Inf(1)
			}
		}
		free := true // a cone cannot be switched off by bounds
		for i, name := range rows {
			if name == need[k] {
				l[i], u[i] = math.Inf(-1), math.Inf(1)
				free = free && !inCone[i]
			}
		}
		if !free {
			continue
		}
		update.L, update.U, update.Lo, update.Hi = l, u, cl, cu
		if s.solver.Update(update) != nil || s.solver.Solve(ctx, &res) != nil {
			return names
		}
		if res.Status == qpbackend.PrimalInfeasible {
			need = append(need[:k], need[k+1:]...)
			lo, hi, colLo, colHi = l, u, cl, cu
		}
	}
	return need
}
