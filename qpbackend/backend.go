package qpbackend

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/internal/setting"
)

// Settings are those that every backend understands. Settings of one backend are in the
// fields of its Backend value.
type Settings struct {
	// Tol is the largest primal residual, dual residual and gap, each relative
	// as Residuals has them, at which a point counts as solved.
	Tol float64
	// InfeasTol is the largest value of PrimalInfeasibility or
	// DualInfeasibility at which a certificate is accepted.
	InfeasTol float64
	// MaxIter bounds the iterations of one Solve.
	MaxIter int
	// Intermediate says that solutions are points to go on from, as the subproblems of a
	// convex-concave procedure are: ipm does not move them from within a face of solutions to its
	// boundary, where they would be more exact.
	Intermediate bool
	// OwnUnits says that the problem is stated in units in which sizes of 1 count, as
	// convex-concave procedures choose them: residuals are relative to 1 where the norms are
	// smaller, and rows count as they are.
	OwnUnits bool
}

// Validate returns an error that names the first field out of range and the range; nil
// if there is none.
func (s Settings) Validate() error {
	c := setting.Of("qpbackend: Settings")
	c.Between(0, "Tol", s.Tol, 1)
	c.Between(0, "InfeasTol", s.InfeasTol, 1)
	c.AtLeast("MaxIter", s.MaxIter, 1)
	return c.Err()
}

// Backend makes solvers. Its values are plain data and safe to share.
type Backend interface {
	// Name is the user's name of the backend: "ipm", "osqp".
	Name() string
	// Supports reports whether rows of the cone are accepted.
	Supports(k ConeKind) bool
	// DefaultSettings of this method.
	DefaultSettings() Settings
	// New prepares the solution of p: it checks, copies, scales, orders and
	// factors symbolically. The caller keeps p and may change it; the solver
	// does not see that. Errors: a problem that Validate refuses, a cone
	// without support (*UnsupportedConeError), settings out of range, a P that
	// is not positive semidefinite (at the latest in Solve). When ctx ends, New
	// returns ctx.Err(); the solver does not keep ctx.
	New(ctx context.Context, p *Problem, set Settings) (Solver, error)
}

// Solver solves one problem again and again while its values change. It is for
// one goroutine at a time.
type Solver interface {
	// Update overwrites values; on an error nothing has changed. The values
	// passed are copied.
	Update(u Update) error
	// WarmStart proposes a point for the next Solve only: x of length n, y of
	// length m, z (multipliers of bounds) of length n, each nil for none. A
	// backend that cannot profit ignores it. It refuses other lengths and entries
	// that are no finite numbers; an earlier proposal then stays.
	WarmStart(x, y, z []float64) error
	// Solve fills dst, reusing its slices. It returns an error only when it
	// cannot try: the solver is closed, P is not convex (*NonconvexError), or
	// the context ended, and then dst holds the last iterate with status
	// TimeLimit or Cancelled.
	Solve(ctx context.Context, dst *Result) error
	// Close frees the solver's memory. A second Close does nothing.
	Close() error
}

// Result is a point, its residuals and its status.
type Result struct {
	Status Status
	// X is the primal point, of length n; for DualInfeasible it is the
	// direction, scaled to qᵀX = −1.
	X []float64
	// Y is the dual point of the rows, of length m, and Z the dual point of the bounds of
	// the variables, of length n, signs as in the package comment; for
	// PrimalInfeasible they are the certificate, scaled to support value −1.
	Y, Z []float64
	// Objective is ½ XᵀPX + qᵀX + r; +Inf for PrimalInfeasible, −Inf for
	// DualInfeasible.
	Objective  float64
	Res        Residuals // by Certify at X, Y and Z; zero for the two certificates
	Iterations int
	// Work is about the multiplications that the iterations took; 0: the backend does not count
	// them.
	Work float64
	// Share is the part of the problem's entries that an iteration was for, in the mean; 0: all of
	// them.
	Share float64
	// Message explains the status where that needs words; often it is empty.
	Message string
}

// UnsupportedConeError refuses a problem with a cone the backend lacks.
type UnsupportedConeError struct {
	Backend string
	Kind    ConeKind
}

func (e *UnsupportedConeError) Error() string {
	return fmt.Sprintf("backend %s has no %v cone", e.Backend, e.Kind)
}

// NonconvexError refuses a problem whose P is not positive semidefinite.
type NonconvexError struct {
	// Index is the variable at which the factorisation of P met the negative
	// curvature, or −1 where that is not known.
	Index int
}

func (e *NonconvexError) Error() string {
	if e.Index < 0 {
		return "the objective is not convex: P has a negative eigenvalue"
	}
	return fmt.Sprintf("the objective is not convex: P has negative curvature at variable %d", e.Index)
}

// CheckCones returns an *UnsupportedConeError for the first cone of p that b
// does not support, else nil. New of every backend calls it.
func CheckCones(b Backend, p *Problem) error {
	for _, c := range p.Cones {
		if !b.Supports(c.Kind) {
			return &UnsupportedConeError{Backend: b.Name(), Kind: c.Kind}
		}
	}
	return nil
}
