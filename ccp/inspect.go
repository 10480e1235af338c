package ccp

import (
	"context"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
)

// Summary is the size of the convex problem that an iteration solves.
type Summary struct {
	Variables            int        // of the problem
	Columns, Rows        int        // of the convex problem, slacks and auxiliary columns included
	NonzerosP, NonzerosA int        // stored entries, P's upper triangle
	Slacks               int        // DC constraints
	Linearised           int        // rows that change from iteration to iteration
	Cones                []string   // kinds, each once; empty for a QP
	ConeSizes            []ConeSize // of each kind, in the order of Cones
	problem              *qpbackend.Problem
}

// ConeSize is how many cones of a kind there are, and how many rows they have.
type ConeSize struct{ Count, Rows int }

// Supported reports whether the backend takes all cones of the convex problem.
func (s *Summary) Supported(b qpbackend.Backend) bool {
	return qpbackend.CheckCones(b, s.problem) == nil
}

// Inspect is InspectContext without a context.
func Inspect(p *dc.Problem) (Summary, error) { return InspectContext(context.Background(), p) }

// InspectContext compiles p without solving it. Where ctx ends before, the error is that
// of ctx, within half a second.
func InspectContext(ctx context.Context, p *dc.Problem) (Summary, error) {
	if p == nil {
		return Summary{}, errNoProblem
	}
	s, err := subproblem.Compile(ctx, p)
	if err != nil {
		return Summary{}, err
	}
	n, m := s.QP.Dims()
	sum := Summary{
		Variables: p.NumVars(), Columns: n, Rows: m, NonzerosP: s.QP.P.NNZ(), NonzerosA: s.QP.A.NNZ(),
		Slacks: len(s.Slacks), Linearised: len(s.Cuts), problem: s.QP,
	}
	seen := map[string]int{}
	for _, c := range s.QP.Cones {
		name := c.Kind.String()
		k, ok := seen[name]
		if !ok {
			k = len(sum.Cones)
			seen[name], sum.Cones, sum.ConeSizes = k, append(sum.Cones, name), append(sum.ConeSizes, ConeSize{})
		}
		sum.ConeSizes[k].Count++
		sum.ConeSizes[k].Rows += c.Len
	}
	return sum, nil
}
