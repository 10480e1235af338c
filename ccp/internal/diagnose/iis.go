package diagnose

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/implied"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
)

// Conflict names constraints and bounds that exclude each other, none of which can
// be left out. The last solve has proved the convex problem infeasible.
func Conflict(ctx context.Context, s *subproblem.Problem) []string {
	rows, cols := rowNames(s), colNames(s)
	weights := append(append([]float64(nil), s.Session.Res.Y...), s.Session.Res.Z...)
	return filter(ctx, s, rows, cols, byWeight(append(rows, cols...), weights))
}

// rowNames are the user's names of the rows, "" for a row of the objective or of a
// constraint whose slack can always meet it.
func rowNames(s *subproblem.Problem) []string {
	names := make([]string, s.Compiled.Rows.Count())
	before := -1
	for i := range names {
		r := s.Compiled.Rows.At(i)
		switch {
		case i > 0 && r.Owner == before:
			names[i] = names[i-1]
		case r.Owner >= 0 && s.Compiled.DC.Constraints[r.Owner].Convex():
			names[i] = s.Compiled.DC.Constraints[r.Owner].Name()
		}
		before = r.Owner
	}
	return names
}

// colNames are the user's names of the bounds of the columns, "" for a column that
// is not a variable of the problem.
func colNames(s *subproblem.Problem) []string {
	names := make([]string, len(s.Compiled.QP.Q))
	for _, v := range s.Compiled.DC.Vars {
		for k := range v.Len() {
			names[v.Offset+k] = "bounds of " + v.Name
		}
	}
	return names
}

// byWeight are the names that carry the certificate y, the heaviest first.
func byWeight(all []string, y []float64) []string {
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
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b))
	})
	return slices.DeleteFunc(names, func(name string) bool { return !(weight[name] > 1e-3*top) })
}

// mostFiltered bounds the names that filter tries to do without.
// Source: a limit of time: a convex problem for each name.
const mostFiltered = 24

// filter leaves out names without which the rest is still infeasible, one
// after the other, the lightest first: the rest is a conflict from which
// nothing can be left out (the deletion filter of Chinneck and Dravnieks 1991).
func filter(ctx context.Context, s *subproblem.Problem, rows, cols, names []string) []string {
	if len(names) < 2 || len(names) > mostFiltered {
		return names
	}
	inCone := implied.InCones(s.Compiled.QP)
	lo, hi := slices.Clone(s.Compiled.QP.L), slices.Clone(s.Lin.Now.U)
	colLo, colHi := slices.Clone(s.Compiled.QP.Lo), slices.Clone(s.Compiled.QP.Hi)
	need := append([]string(nil), names...)
	update := s.Lin.NoObjective()
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
		res, err := s.Session.Ask(ctx, update)
		if err != nil {
			return names
		}
		if s.Proves(update, &res) {
			need = append(need[:k], need[k+1:]...)
			lo, hi, colLo, colHi = l, u, cl, cu
		}
	}
	return need
}
