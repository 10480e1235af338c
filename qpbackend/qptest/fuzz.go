package qptest

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Fuzz lets the fuzzer choose random problems of every awkward kind: with the cones that the
// backend has, none, one kind or several; solvable, primal or dual infeasible by construction,
// degenerate, with and without points inside of the cones, in units that vary over many decades,
// with rows and columns of zeros, with rows stated twice. The backend has to end by itself, with a
// certified answer or a status that claims nothing, and never with a claim that the construction
// refutes.
func Fuzz(f *testing.F, b qpbackend.Backend, g Grade) {
	for seed := range uint64(60) {
		f.Add(seed, uint8(seed), uint8(0))
		f.Add(seed, uint8(seed), uint8(seed/4))
	}
	s := suite{b, g}
	f.Fuzz(func(t *testing.T, seed uint64, kind, cones uint8) {
		p, want := awkward(seed, kind, chosen(s.supported(), cones))
		s.endsHonestly(t, p, want, kind&(scaled|degenerate) != 0)
	})
}

// chosen are the kinds whose bits are set in which.
func chosen(have []qpbackend.ConeKind, which uint8) (kinds []qpbackend.ConeKind) {
	for k, c := range have {
		if which&(1<<k) != 0 {
			kinds = append(kinds, c)
		}
	}
	return kinds
}

// Source: scaled and degenerate are the bits above the bits of the outcomes.
// scaled is the bit of kind for units that vary over decades. In them a
// certificate that holds to InfeasTol may stand beside a solution: it says that
// every solution is huge.
const scaled = 16

// Source: as scaled.
// degenerate is the bit of problems that may have no point inside of their cones: next to them
// there are infeasible ones.
const degenerate = 32

// awkward is the problem of a seed, with cones of the kinds given. kind chooses its outcome and the
// changes that it undergoes.
func awkward(seed uint64, kind uint8, kinds []qpbackend.ConeKind) (*qpbackend.Problem, qpbackend.Status) {
	rng := rand.New(rand.NewPCG(seed, 256+uint64(kind)))
	n := 1 + rng.IntN(12)
	s := ConeSpec{
		Want: qpbackend.Solved, Kinds: kinds, Cones: 1 + rng.IntN(4), Rows: 1 + rng.IntN(9), Order: 1 + rng.IntN(4),
		Vars: n, Intervals: rng.IntN(n + 1), Rank: rng.IntN(n + 1), Density: rng.Float64(),
		Degenerate: kind&degenerate != 0,
	}
	if len(kinds) == 0 {
		s.Cones, s.Intervals = 0, 1+rng.IntN(2*n)
	}
	switch kind % 4 {
	case 0:
		s.Want = qpbackend.PrimalInfeasible
	case 1:
		s.Want = qpbackend.DualInfeasible
	}
	if kind&scaled != 0 {
		s.Decades = 6 * rng.Float64()
	}
	c := s.Case(seed)
	if kind&4 != 0 {
		repeatRows(rng, c.Problem)
	}
	if kind&8 != 0 {
		addZeros(c.Problem)
	}
	return c.Problem, c.Want
}

// repeatRows states some rows outside of cones once more, a few of them times a factor.
func repeatRows(rng *rand.Rand, p *qpbackend.Problem) {
	n, m := p.Dims()
	var t sparse.Triplets
	times := make([]float64, m) // 0: not repeated
	place := make([]int, m)
	rows := m
	for i := range m {
		if rng.IntN(3) == 0 && !problems.InCone(p, i) {
			times[i], place[i] = 1, rows
			if rng.IntN(2) == 0 {
				times[i] = 0.5 + rng.Float64()
			}
			p.L, p.U = append(p.L, times[i]*p.L[i]), append(p.U, times[i]*p.U[i])
			rows++
		}
	}
	for j := range n {
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			i := p.A.RowIdx[k]
			t.Add(i, j, p.A.Val[k])
			if times[i] != 0 {
				t.Add(place[i], j, times[i]*p.A.Val[k])
			}
		}
	}
	p.A, _ = t.CSC(rows, n)
}

// addZeros appends a row and a column without entries, the column without
// cost.
func addZeros(p *qpbackend.Problem) {
	n, _ := p.Dims()
	p.Q = append(p.Q, 0)
	p.L, p.U = append(p.L, -1), append(p.U, problems.Inf())
	p.A.Rows, p.A.Cols = p.A.Rows+1, n+1
	p.A.ColPtr = append(p.A.ColPtr, p.A.ColPtr[n])
	p.P.Rows, p.P.Cols = n+1, n+1
	p.P.ColPtr = append(p.P.ColPtr, p.P.ColPtr[n])
}

// endsHonestly solves p and checks the claims.
func (s suite) endsHonestly(t TB, p *qpbackend.Problem, want qpbackend.Status, wild bool) {
	t.Helper()
	defer reportPanic(t)
	var res qpbackend.Result
	solver, err := s.b.New(context.Background(), p, s.settings())
	if err == nil {
		defer solver.Close()
		err = solver.Solve(context.Background(), &res)
	}
	if nc := (*qpbackend.NonconvexError)(nil); errors.As(err, &nc) { // in units over many decades rounding may bend P
		return
	}
	must(t, "New or Solve", err)
	shaped(t, p, &res)
	switch res.Status {
	case qpbackend.Solved:
		if s.certified(t, p, &res); want != qpbackend.Solved && !wild {
			t.Errorf("solved, but the problem is %v by construction", want)
		}
	case qpbackend.PrimalInfeasible, qpbackend.DualInfeasible:
		// An infeasible problem may be infeasible both ways.
		if want == qpbackend.Solved && !wild {
			t.Errorf("%v, but the problem has a solution by construction", res.Status)
		}
		certificate(t, p, &res, s.settings().InfeasTol*1.001)
	case qpbackend.Unknown, qpbackend.TimeLimit, qpbackend.Cancelled:
		t.Errorf("the status is %v without a reason", res.Status)
	}
}
