//go:build osqp

package osqp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/base"
	"github.com/dcopt/dcopt/qpbackend/sparse"
	raw "github.com/dcopt/dcopt/third_party/osqp"
)

// Backend is OSQP. The zero value is ready for use.
type Backend struct {
	// Unpolished leaves the points of the iteration as they are. Else OSQP solves the equations of
	// the rows that seem to hold besides, which mostly gains several digits.
	Unpolished bool
}

// Version is the version of the OSQP library.
func Version() string { return raw.Version() }

// Name is "osqp".
func (Backend) Name() string { return "osqp" }

// Supports is false for every cone.
func (Backend) Supports(qpbackend.ConeKind) bool { return false }

// DefaultSettings are a tolerance of 1e-6 and 100 000 iterations, which cost
// about as much as solving with the factorised KKT matrix so many times.
func (Backend) DefaultSettings() qpbackend.Settings {
	return qpbackend.Settings{Tol: 1e-6, InfeasTol: 1e-6, MaxIter: 100_000}
}

// New checks p, has OSQP scale it and factors its KKT matrix.
func (b Backend) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	own, err := base.New(ctx, b, p, set)
	if err != nil {
		return nil, err
	}
	n, m := own.P.Dims()
	s := &solver{
		Solver: own, raw: b.settings(),
		cand: base.NewPoint(n, m), best: base.NewPoint(n, m),
		work: make([]float64, qpbackend.CertifyLen(own.P)),
	}
	if n == 0 {
		return s, nil
	}
	if err := s.checkConvex(ctx, own.P.P.Val); err != nil {
		return nil, err
	}
	if err := s.setupWhile(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// settings are OSQP's defaults but for those that the contract of a backend decides: tolerances
// and iterations are overwritten as a solve proceeds.
func (b Backend) settings() raw.Settings {
	set := raw.DefaultSettings()
	set.AllocateSolution, set.Verbose, set.WarmStarting = true, false, true
	set.Polishing = !b.Unpolished
	// By time it would make the answer depend on the clock.
	set.AdaptiveRho, set.LinsysSolver = raw.AdaptiveRhoIterations, raw.DirectSolver
	return set
}

// quickSetup is the number of rows, columns and coefficients below which C sets a
// problem up within milliseconds, even where its factor is full.
// Source: a limit of the wait after a cancellation; results do not depend on it.
const quickSetup = 1 << 10

// setupWhile is setup that is left to itself when the context ends: C's set-up, with
// its factorisation, cannot be interrupted. Its memory is freed when it is done.
func (s *solver) setupWhile(ctx context.Context) error {
	if n, m := s.P.Dims(); n+m+s.P.P.NNZ()+s.P.A.NNZ() < quickSetup {
		return s.setup()
	}
	done := make(chan error, 1)
	go func() { done <- s.setup() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		go func() {
			if <-done == nil {
				_ = s.Close()
			}
		}()
		return ctx.Err()
	}
}

// solver is a problem here and in C. It is not safe for concurrent use.
type solver struct {
	base.Solver
	rows *qpbackend.Problem // p as C has it: bounds of variables are rows
	cols []int              // the variables of these, behind the rows of p
	dual []float64          // multipliers of all these rows
	raw  raw.Settings
	c    *raw.Solver // nil for a problem without variables
	rho  float64     // ρ of a cold start, as OSQP clamped it

	// broken: a factorisation in C failed; the next Solve sets up anew.
	broken bool

	cand, best base.Point // a proof is a cand
	work       []float64
}

// setup makes the C side from p, in place of what was there.
func (s *solver) setup() error {
	if s.c != nil {
		s.c.Close()
	}
	s.rows, s.cols = s.P.BoundsAsRows()
	s.sides()
	s.dual = make([]float64, len(s.rows.L))
	c, err := raw.New(rawMatrix(s.P.P), s.P.Q, rawMatrix(s.rows.A), s.rows.L, s.rows.U, s.raw)
	if err != nil {
		s.broken = true
		return s.refusal(err)
	}
	s.c, s.rho, s.broken = c, c.Settings().Rho, false
	return nil
}

// checkConvex refuses a P with the given values that is not convex. OSQP's own
// test looks at P + σI + ρAᵀA and is lenient; σ outweighs the curvature that is accepted.
func (s *solver) checkConvex(ctx context.Context, val []float64) error {
	least, err := s.OutweighOf(ctx, val)
	if err != nil {
		return err
	}
	σ := max(raw.DefaultSettings().Sigma, least)
	s.broken = s.broken || s.c != nil && σ != s.raw.Sigma // set up anew
	s.raw.Sigma = σ
	return nil
}

// refusal translates an error of OSQP.
func (s *solver) refusal(err error) error {
	var e *raw.Error
	if errors.As(err, &e) && e.Code == raw.ErrNonconvex {
		return &qpbackend.NonconvexError{Index: -1}
	}
	return fmt.Errorf("osqp: %w", err)
}

func rawMatrix(m *sparse.CSC) raw.Matrix {
	nnz := m.NNZ()
	return raw.Matrix{Rows: m.Rows, Cols: m.Cols, ColPtr: m.ColPtr, RowIdx: m.RowIdx[:nnz], Val: m.Val[:nnz]}
}

// sides brings the sides of the rows up to date, infinite where absent.
func (s *solver) sides() {
	m := len(s.P.L)
	for i := range m {
		s.rows.L[i], s.rows.U[i] = s.P.Sides(i)
	}
	for k, j := range s.cols {
		s.rows.L[m+k], s.rows.U[m+k] = s.P.Bounds(j)
	}
}

// sameCols reports whether the variables with bounds are the rows in C.
func (s *solver) sameCols() bool {
	next := 0
	for j := range s.P.Q {
		if lo, hi := s.P.Bounds(j); math.IsInf(lo, -1) && math.IsInf(hi, 1) {
			continue
		}
		if next == len(s.cols) || s.cols[next] != j {
			return false
		}
		next++
	}
	return next == len(s.cols)
}

// matrix is A with the rows of bounds, after an update.
func (s *solver) matrix() []float64 {
	m, t := len(s.P.L), 0
	for k, i := range s.rows.A.RowIdx {
		if i < m {
			s.rows.A.Val[k] = s.P.A.Val[t]
			t++
		}
	}
	return s.rows.A.Val
}

// toRows sets s.dual to the multipliers y of rows and z of bounds.
func (s *solver) toRows(y, z []float64) []float64 {
	m := copy(s.dual, y)
	for k, j := range s.cols {
		s.dual[m+k] = z[j]
	}
	return s.dual
}

// fromRows takes the multipliers of p from s.dual.
func (s *solver) fromRows(p *base.Point) {
	m := copy(p.Y, s.dual)
	clear(p.Z)
	for k, j := range s.cols {
		p.Z[j] = s.dual[m+k]
	}
}

// Update overwrites values here and in C. New matrices cost a factorisation.
func (s *solver) Update(u qpbackend.Update) error {
	if err := s.Open(); err != nil {
		return err
	}
	// Updates that Apply would refuse need no examination.
	if s.c != nil && len(u.P) == s.P.P.NNZ() && num.FirstNotFinite(u.P) < 0 {
		if err := s.checkConvex(context.Background(), u.P); err != nil {
			return err
		}
	}
	if err := s.Apply(u); err != nil {
		return err
	}
	if s.c == nil || s.broken {
		return nil
	}
	if !s.sameCols() {
		s.broken = true // the next Solve sets up anew
		return nil
	}
	s.sides()
	q, l, up := s.P.Q, s.rows.L, s.rows.U
	var err error
	if u.P != nil || u.A != nil {
		// OSQP rounds its copies when it unscales them, so it gets all values anew.
		err = s.c.UpdateMatrices(s.P.P.Val, s.matrix())
	} else {
		if u.Q == nil {
			q = nil
		}
		if u.L == nil && u.U == nil && u.Lo == nil && u.Hi == nil {
			l, up = nil, nil
		}
	}
	if err == nil {
		err = s.c.UpdateVectors(q, l, up)
	}
	s.broken = err != nil
	return nil
}

// Close frees the C side.
func (s *solver) Close() error {
	if s.c != nil {
		s.c.Close()
	}
	return s.Solver.Close()
}
