package ipm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/reduce"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// sparseProblem is one with a semidefinite cone of the order, whose data matrices have a banded
// pattern with some more entries, a small one, a row and bounds. It has a point that is strictly
// feasible, and so has its dual problem; but it is infeasible or unbounded where want says so.
func sparseProblem(seed uint64, order int, want qpbackend.Status) *qpbackend.Problem {
	rng := rand.New(rand.NewPCG(seed, 7))
	in := map[[2]int]bool{}
	for i := range order {
		for j := i; j <= min(i+1+rng.IntN(3), order-1); j++ {
			in[[2]int{i, j}] = true
		}
	}
	for range order / 10 {
		i := rng.IntN(order - 8)
		in[[2]int{i, i + 4 + rng.IntN(4)}] = true
	}
	var pattern [][2]int
	for e := range in {
		pattern = append(pattern, e)
	}
	slices.SortFunc(pattern, func(a, b [2]int) int { return (a[1]-b[1])*order + a[0] - b[0] })
	n := 8 + rng.IntN(12)
	p := &qpbackend.Problem{Q: make([]float64, n)}
	var a, quad sparse.Triplets
	rows := order * (order + 1) / 2
	p.L, p.U = make([]float64, rows+6+1), make([]float64, rows+6+1)
	at := func(e [2]int) (row int, factor float64) {
		if factor = math.Sqrt2; e[0] == e[1] {
			factor = 1
		}
		return e[1]*(e[1]+1)/2 + e[0], factor
	}
	// Y = vvᵀ + I, with which the costs are ⟨Fⱼ, Y⟩; S = D at x = 1, D diagonally dominant.
	v, sum := make([]float64, order), make([]float64, rows)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	for j := range n {
		for range 1 + rng.IntN(2*order) {
			e := pattern[rng.IntN(len(pattern))]
			r, f := at(e)
			value := rng.NormFloat64()
			if want == qpbackend.DualInfeasible && j == 0 {
				if e[0] != e[1] {
					continue
				}
				value = math.Abs(value)
			}
			a.Add(r, j, f*value)
			sum[r] += f * value
			y := v[e[0]] * v[e[1]]
			if e[0] == e[1] {
				y++
			}
			p.Q[j] += f * f * value * y
		}
	}
	for _, e := range pattern {
		r, f := at(e)
		s := f * 0.1 * rng.NormFloat64()
		if e[0] == e[1] {
			s = 1 + rng.Float64()
		}
		p.L[r] = sum[r] - s
	}
	p.Cones = []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Start: 0, Len: rows}, {Kind: qpbackend.Semidefinite, Start: rows, Len: 6}}
	for k := range 6 {
		a.Add(rows+k, rng.IntN(n), rng.NormFloat64()/4)
		p.L[rows+k] = -0.1
	}
	for _, k := range []int{0, 2, 5} {
		p.L[rows+k] = -4
	}
	for j := range n {
		a.Add(rows+6, j, 1)
	}
	p.L[rows+6], p.U[rows+6] = 0, float64(2*n)
	p.Lo, p.Hi = slices.Repeat([]float64{math.Inf(-1)}, n), slices.Repeat([]float64{math.Inf(1)}, n)
	switch want {
	case qpbackend.DualInfeasible: // along the first variable
		p.Q[0], p.Q[1], p.U[rows+6] = -1, p.Q[1]+1, math.Inf(1)
		p.Cones, p.L, p.U = p.Cones[:1], slices.Delete(p.L, rows, rows+6), slices.Delete(p.U, rows, rows+6)
		var cut sparse.Triplets
		m, _ := a.CSC(rows+7, n)
		for j := range n {
			for k := m.ColPtr[j]; k < m.ColPtr[j+1]; k++ {
				if r := m.RowIdx[k]; r < rows {
					cut.Add(r, j, m.Val[k])
				} else if r == rows+6 {
					cut.Add(rows, j, m.Val[k])
				}
			}
		}
		a = cut
	case qpbackend.PrimalInfeasible: // the middle of the diagonal would have to be negative
		k := order / 2
		r, _ := at([2]int{k, k})
		m, _ := a.CSC(len(p.L), n)
		a = sparse.Triplets{}
		for j := range n {
			for e := m.ColPtr[j]; e < m.ColPtr[j+1]; e++ {
				if m.RowIdx[e] == r {
					continue
				}
				a.Add(m.RowIdx[e], j, m.Val[e])
			}
		}
		a.Add(r, 0, 1)
		p.L[r], p.Hi[0] = 2, 1
	default:
		quad.Add(n-1, n-1, 0.1)
		p.Q[n-1] -= 0.1
		p.Lo[0], p.Hi[1] = -1, 3
	}
	p.A, _ = a.CSC(len(p.L), n)
	p.P, _ = quad.CSC(n, n)
	return p
}

// completionProblem is one with a matrix variable of which most entries are bound by the cone
// alone.
func completionProblem(seed uint64, order int, want qpbackend.Status) *qpbackend.Problem {
	rng := rand.New(rand.NewPCG(seed, 8))
	rows := order * (order + 1) / 2
	p := &qpbackend.Problem{Q: make([]float64, rows+2)}
	var a, quad sparse.Triplets
	for i := range rows {
		f := 1 + rng.Float64()
		a.Add(i, i, f)
		p.L, p.U = append(p.L, 0.2*f*float64(i%2)), append(p.U, 0)
	}
	p.Cones = []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Start: 0, Len: rows}}
	at := func(i, j int) int { return max(i, j)*(max(i, j)+1)/2 + min(i, j) }
	equal := func(v float64) int {
		p.L, p.U = append(p.L, v), append(p.U, v)
		return len(p.L) - 1
	}
	for i := range order {
		for j := i + 1; j <= min(i+1+rng.IntN(3), order-1); j++ {
			p.Q[at(i, j)] = rng.NormFloat64()
		}
		if want == qpbackend.DualInfeasible && i == 0 {
			p.Q[at(0, 0)] = -1
			continue
		}
		v := 1 + rng.Float64()
		if want == qpbackend.PrimalInfeasible && i == order/2 {
			v = -1
		}
		a.Add(equal(v), at(i, i), 1)
	}
	for range 4 { // with two others
		i := rng.IntN(order - 1)
		r := equal(0.1)
		a.Add(r, at(i, i+1), 1)
		a.Add(r, rows+rng.IntN(2), 1)
	}
	quad.Add(rows, rows, 1)
	quad.Add(rows+1, rows+1, 1)
	p.A, _ = a.CSC(len(p.L), rows+2)
	p.P, _ = quad.CSC(rows+2, rows+2)
	return p
}

// TestPieces: in pieces a problem has the solution, or the proof, that it has as a whole.
func TestPieces(t *testing.T) {
	count := uint64(3)
	if shared.Race {
		count = 1
	}
	for _, want := range []qpbackend.Status{qpbackend.Solved, qpbackend.PrimalInfeasible, qpbackend.DualInfeasible} {
		almost := want
		if want == qpbackend.Solved {
			almost = qpbackend.AlmostSolved
		}
		for seed := range 2 * count {
			p := sparseProblem(seed, 60+int(seed%8)*5, want)
			if seed >= count {
				p = completionProblem(seed, 110+int(seed%8)*5, want)
			}
			got := run(t, p, Backend{}, true)
			whole := run(t, p, Backend{KKT: Schur}, false)
			if got.Status != want && got.Status != almost || whole.Status != want {
				t.Errorf("seed %d: %v, as a whole %v; want %v", seed, got.Status, whole.Status, want)
				continue
			}
			switch want {
			case qpbackend.PrimalInfeasible:
				if worth := qpbackend.PrimalInfeasibility(p, got.Y, got.Z); !(worth <= 1e-8) {
					t.Errorf("seed %d: the proof of infeasibility is worth %g", seed, worth)
				}
			case qpbackend.DualInfeasible:
				if worth := qpbackend.DualInfeasibility(p, got.X); !(worth <= 1e-8) {
					t.Errorf("seed %d: the direction is worth %g", seed, worth)
				}
			default:
				if res := qpbackend.Certify(p, got.X, got.Y, got.Z); !(res.Max() <= 1e-7) || res != got.Res {
					t.Errorf("seed %d: residuals %v, stated %v", seed, res, got.Res)
				}
				if !(math.Abs(got.Objective-whole.Objective) <= 1e-6*(1+math.Abs(whole.Objective))) {
					t.Errorf("seed %d: the minimum is %.9g, as a whole %.9g", seed, got.Objective, whole.Objective)
				}
			}
		}
	}
}

// isReduced reports whether the answer of a solver is one of a problem in pieces or faces.
func isReduced(s qpbackend.Solver) bool {
	c, ok := s.(reduce.Solver)
	return ok && c.Reduced()
}

// run solves p, which is in pieces or not.
func run(t *testing.T, p *qpbackend.Problem, b Backend, pieces bool) *qpbackend.Result {
	t.Helper()
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := isReduced(s); got != pieces {
		t.Fatalf("in pieces: %v, want %v", got, pieces)
	}
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil {
		t.Fatal(err)
	}
	if isReduced(s) != pieces {
		t.Error("the answer of the pieces did not hold")
	}
	return &res
}

// TestPiecesAfterUpdate: values that come and go, and with them the pattern, leave no trace.
func TestPiecesAfterUpdate(t *testing.T) {
	ctx := context.Background()
	p := sparseProblem(3, 50, qpbackend.Solved)
	fresh := run(t, p, Backend{}, true)
	s, err := Backend{}.New(ctx, p, Backend{}.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	other := p.Clone()
	for i := range other.A.Val {
		other.A.Val[i] *= 1 + 0.1*rng.NormFloat64()
	}
	other.Q[2] += 0.1
	dense := p.Clone()
	for i := range dense.Cones[0].Len {
		dense.L[i] += 1e-3 * rng.NormFloat64()
	}
	var res qpbackend.Result
	solve := func(v *qpbackend.Problem, pieces bool) {
		t.Helper()
		if err := s.Update(qpbackend.Update{Q: v.Q, L: v.L, A: v.A.Val}); err != nil {
			t.Fatal(err)
		}
		if err := s.Solve(ctx, &res); err != nil || res.Status != qpbackend.Solved {
			t.Fatalf("%v, %v", res.Status, err)
		}
		if got := isReduced(s); got != pieces {
			t.Fatalf("in pieces: %v, want %v", got, pieces)
		}
		if cert := qpbackend.Certify(v, res.X, res.Y, res.Z); cert != res.Res || !(cert.Max() <= 1e-8) {
			t.Errorf("residuals %v, stated %v", cert, res.Res)
		}
	}
	solve(other, true)
	solve(dense, false)
	solve(p, true)
	without, err := Backend{}.New(ctx, dense, Backend{}.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	if s = without; isReduced(s) {
		t.Error("in pieces, with constants in all rows")
	}
	solve(p, true)
	if !slices.Equal(res.X, fresh.X) || !slices.Equal(res.Y, fresh.Y) {
		t.Error("another result than that of a fresh solver")
	}
}

// TestPiecesAfterUpdateOfCosts: an entry that nothing bound gets a cost, and loses it again.
func TestPiecesAfterUpdateOfCosts(t *testing.T) {
	ctx := context.Background()
	p := completionProblem(3, 110, qpbackend.Solved)
	fresh := run(t, p, Backend{}, true)
	s, err := Backend{}.New(ctx, p, Backend{}.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other := p.Clone()
	other.Q[30*31/2+3] = 0.5 // entry (3, 30)
	var res qpbackend.Result
	for _, v := range []*qpbackend.Problem{other, p} {
		if err := s.Update(qpbackend.Update{Q: v.Q}); err != nil {
			t.Fatal(err)
		}
		if err := s.Solve(ctx, &res); err != nil || res.Status != qpbackend.Solved {
			t.Fatalf("%v, %v", res.Status, err)
		}
		if cert := qpbackend.Certify(v, res.X, res.Y, res.Z); cert != res.Res || !isReduced(s) {
			t.Errorf("residuals %v, stated %v", cert, res.Res)
		}
	}
	if !slices.Equal(res.X, fresh.X) || !slices.Equal(res.Y, fresh.Y) {
		t.Error("another result than that of a fresh solver")
	}
}

// TestPiecesNonconvex: the error names the variable as stated.
func TestPiecesNonconvex(t *testing.T) {
	p := completionProblem(4, 110, qpbackend.Solved)
	p.P.Val[1] = -1
	s, err := Backend{}.New(context.Background(), p, Backend{}.DefaultSettings())
	if err == nil {
		err = s.Solve(context.Background(), new(qpbackend.Result))
	}
	var nonconvex *qpbackend.NonconvexError
	if want := len(p.Q) - 1; !errors.As(err, &nonconvex) || nonconvex.Index != want {
		t.Errorf("%v, want variable %d", err, want)
	}
}

// TestPiecesDerivative: that of the solution as a whole.
func TestPiecesDerivative(t *testing.T) {
	ctx := context.Background()
	p := sparseProblem(4, 40, qpbackend.Solved)
	d := qpbackend.Update{Q: make([]float64, len(p.Q))}
	d.Q[0], d.Q[3] = 1, -1
	var of [2]qpbackend.Tangent
	for k, b := range []Backend{{}, {KKT: Schur}} {
		s, err := b.New(ctx, p, b.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		diff := s.(qpbackend.Differentiator)
		if _, err := diff.Differentiate(ctx); err == nil {
			t.Error("a derivative before the solution")
		}
		var res qpbackend.Result
		if err := s.Solve(ctx, &res); err != nil {
			t.Fatal(err)
		}
		deriv, err := diff.Differentiate(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := deriv.Forward(ctx, d, &of[k]); err != nil {
			t.Fatal(err)
		}
	}
	for j, v := range of[0].X {
		if w := of[1].X[j]; !(math.Abs(v-w) <= 1e-4*(1+math.Abs(w))) {
			t.Errorf("variable %d changes by %g, as a whole by %g", j, v, w)
		}
	}
}

// TestPiecesCancelled: where the context ends the error says so, and there is a point.
func TestPiecesCancelled(t *testing.T) {
	p := sparseProblem(5, 60, qpbackend.Solved)
	n, m := p.Dims()
	ended := 0
	for looks := 1; looks < 1<<12; looks *= 2 {
		s, err := Backend{}.New(context.Background(), p, Backend{}.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		var res qpbackend.Result
		if err = s.Solve(shared.Countdown(looks, context.DeadlineExceeded), &res); err == nil {
			break
		}
		ended++
		if res.Status != qpbackend.TimeLimit || len(res.X) != n || len(res.Y) != m || len(res.Z) != n {
			t.Errorf("after %d looks: %v and %v", looks, err, res.Status)
		}
		s.Close()
		if err := s.Solve(context.Background(), &res); err == nil {
			t.Error("a closed solver solves")
		}
	}
	if ended < 3 {
		t.Errorf("ended %d times", ended)
	}
}

// TestPiecesEstimate: less than for the cone as a whole.
func TestPiecesEstimate(t *testing.T) {
	p := sparseProblem(6, 120, qpbackend.Solved)
	dense := p.Clone()
	for i := range dense.Cones[0].Len {
		dense.L[i] += 1
	}
	in, whole := Semidefinite(p), Semidefinite(dense)
	if !(in.Seconds > 0 && in.Bytes > 0 && in.Seconds < whole.Seconds/2) {
		t.Errorf("%+v, as a whole %+v", in, whole)
	}
}
