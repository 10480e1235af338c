package qptest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// longestWait is how long a backend may take to notice that its context has
// ended, on a machine that does other things too. The aim is a quarter of it.
const longestWait = 2 * time.Second

// interrupting cancels New and Solve of large problems at several moments.
func (s suite) interrupting() []Check {
	type problem struct {
		name string
		make func() *qpbackend.Problem
	}
	large := []problem{
		{"dense", func() *qpbackend.Problem { return denseQP(1200) }},
		{"sparse", func() *qpbackend.Problem { return gridQP(80) }},
	}
	if s.b.Supports(qpbackend.Semidefinite) {
		large = append(large, problem{"semidefinite", func() *qpbackend.Problem { return largeSemidefinite(50) }})
	}
	var out []Check
	for _, c := range large {
		for _, after := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond} {
			out = append(out, Check{fmt.Sprintf("context/%s, cancelled after %v", c.name, after), func(t TB) {
				s.cancelled(t, c.make(), after)
			}})
		}
	}
	return out
}

// cancelled runs New and Solve until the context ends, or the problem is solved.
func (s suite) cancelled(t TB, p *qpbackend.Problem, after time.Duration) {
	t.Helper()
	set := s.settings()
	set.Tol = 1e-12 // or it may be solved too soon
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	at := make(chan time.Time, 1)
	defer time.AfterFunc(after, func() {
		at <- time.Now()
		cancel()
	}).Stop()
	solver, err := s.b.New(ctx, p, set)
	if err == nil {
		defer solver.Close()
		err = solver.Solve(ctx, new(qpbackend.Result))
	}
	returned := time.Now()
	switch {
	case err == nil: // solved before
	case !errors.Is(err, context.Canceled):
		t.Errorf("the error is %v, want %v", err, context.Canceled)
	default:
		if late := returned.Sub(<-at); late > longestWait {
			t.Errorf("returned %v after the cancellation, want at most %v", late, longestWait)
		}
	}
}

// denseQP has a full P, and a few dense rows.
func denseQP(n int) *qpbackend.Problem {
	rng := rand.New(rand.NewPCG(uint64(n), 60))
	p := &qpbackend.Problem{P: &sparse.CSC{Rows: n, Cols: n, ColPtr: []int{0}}, Lo: problems.Filled(n, -1),
		Hi: problems.Filled(n, 1)}
	for j := range n {
		for i := range j {
			p.P.RowIdx, p.P.Val = append(p.P.RowIdx, i), append(p.P.Val, 0.1*rng.NormFloat64())
		}
		p.P.RowIdx, p.P.Val = append(p.P.RowIdx, j), append(p.P.Val, 10+float64(n)/5*rng.Float64())
		p.P.ColPtr = append(p.P.ColPtr, len(p.P.RowIdx))
		p.Q = append(p.Q, 10*rng.NormFloat64())
	}
	p.A, p.L, p.U = problems.Matrix(n, problems.Filled(n, 1)), []float64{0.5}, []float64{0.5}
	return p
}

// gridQP has a variable for each point of a k × k grid, and an equation for each
// that joins it to its neighbours and to one point far away: its factor fills in.
func gridQP(k int) *qpbackend.Problem {
	rng := rand.New(rand.NewPCG(uint64(k), 61))
	n := k * k
	var a sparse.Triplets
	p := &qpbackend.Problem{P: sparse.Identity(n), L: problems.Filled(n, -1), U: problems.Filled(n, 1)}
	for i := range n {
		a.Add(i, i, 4)
		a.Add(i, (i+1)%n, -1)
		a.Add(i, (i+k)%n, -1)
		a.Add(i, rng.IntN(n), rng.NormFloat64())
		p.Q = append(p.Q, 10*rng.NormFloat64())
	}
	p.A, _ = a.CSC(n, n)
	return p
}

// largeSemidefinite has the matrix of order k nearest to a random one, among
// those with ones on the diagonal.
func largeSemidefinite(k int) *qpbackend.Problem {
	rng := rand.New(rand.NewPCG(uint64(k), 62))
	n := problems.Triangle(k)
	p := &qpbackend.Problem{
		P: sparse.Identity(n), A: sparse.Identity(n), Lo: problems.Filled(n, -problems.Inf()),
		Hi: problems.Filled(n, problems.Inf()), L: problems.Filled(n, 0), U: problems.Filled(n, 0),
		Cones: []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Start: 0, Len: n}},
	}
	for range n {
		p.Q = append(p.Q, rng.NormFloat64())
	}
	for j, at := 0, 0; j < k; j++ {
		p.Lo[at], p.Hi[at] = 1, 1
		at += j + 2
	}
	return p
}
