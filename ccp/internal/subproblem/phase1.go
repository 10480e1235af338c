package subproblem

import (
	"context"
	"math"
	"time"

	"github.com/dcopt/dcopt/ccp/internal/fixed"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/reduce"
)

// Project finds the point nearest to x0 that meets the convex constraints and lies within the
// domains of the h's, away from their borders where there is room: minimise ½‖x − x0‖² + ρ·Σ(1 +
// dᵢ)₊, dᵢ ≤ 0 the domains' functions. It returns x0 itself where there is none: the first convex
// problem will tell.
func Project(ctx context.Context, p *program.Problem, s *Problem, x0 []float64,
	backend qpbackend.Backend) (x []float64, err error) {
	defer Unwound(&err)
	b := NewBuilder(ctx, p.NumVars())
	for j, v := range x0 {
		b.square(0.5, convex.Linear{Idx: []int{j}, Val: []float64{1}, Const: -v})
	}
	const ρ = 1e3 // Source: docs/lab/ccp.md, Constants
	for _, r := range s.Compiled.Domain {
		for _, f := range r.Domain() {
			short := convex.Linear{Idx: []int{b.Var()}, Val: []float64{1}}
			b.BoundColumn(short.Idx[0], 0, math.Inf(1))
			b.within(f)
			b.Row(b.Bound(f).AddScaled(-1, short), math.Inf(-1), -1)
			b.AddLinear(short.Scale(ρ))
		}
	}
	b.BoundVariables(p)
	for i := range p.Constraints {
		b.meet(&p.Constraints[i])
	}
	qp := b.Problem()
	defer s.took(time.Now())
	known := fixed.Reduction{Equations: fixed.Find(qp, nil)}
	solver, err := reduce.Chain(backend, known).New(ctx, qp, backend.DefaultSettings())
	if err != nil {
		return nil, err
	}
	defer solver.Close()
	var res qpbackend.Result
	if err := solver.Solve(ctx, &res); err != nil {
		return nil, err
	}
	s.Session.Meter.Add(&res, float64(qp.A.NNZ()))
	if !(res.Res.Max() <= enough) || res.Status == qpbackend.PrimalInfeasible {
		return x0, nil
	}
	return res.X[:p.NumVars()], nil
}

// enough is the residual up to which a backend's answer counts.
// Source: docs/lab/ccp.md, Constants.
const enough = 1e-4
