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

// Inspect compiles p without solving it. Where ctx ends before, the error is that of ctx, within
// half a second.
func Inspect(ctx context.Context, of *dc.Problem) (Summary, error) {
	p := of.Program()
	if p == nil {
		return Summary{}, errNoProblem
	}
	s, err := subproblem.Compile(ctx, p)
	if err != nil {
		return Summary{}, err
	}
	sum := SummaryOf(s.Compiled.QP)
	sum.Variables, sum.Slacks, sum.Linearised = p.NumVars(), len(s.Compiled.Slacks), s.NumCuts()
	return sum, nil
}

// count lists the cones by kind.
func (s *Summary) count(cones []qpbackend.Cone) {
	seen := map[string]int{}
	for _, c := range cones {
		name := c.Kind.String()
		k, ok := seen[name]
		if !ok {
			k = len(s.Cones)
			seen[name], s.Cones, s.ConeSizes = k, append(s.Cones, name), append(s.ConeSizes, ConeSize{})
		}
		s.ConeSizes[k].Count++
		s.ConeSizes[k].Rows += c.Len
	}
}

// SummaryOf is the size of a convex problem that is stated as such.
func SummaryOf(p *qpbackend.Problem) Summary {
	n, m := p.Dims()
	s := Summary{Variables: n, Columns: n, Rows: m, problem: p}
	if p.P != nil {
		s.NonzerosP = p.P.NNZ()
	}
	if p.A != nil {
		s.NonzerosA = p.A.NNZ()
	}
	s.count(p.Cones)
	return s
}
