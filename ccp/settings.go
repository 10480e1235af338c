package ccp

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// Settings of the procedure. Start from DefaultSettings.
type Settings struct {
	// Tau0 and TauMax are τ₀ and τmax, the first and the largest weight of the
	// slacks. With TauRelative they are multiples of the problem's own scale:
	// the largest slope of the objective at the start over the median slope
	// of the DC constraints.
	Tau0, TauMax float64
	TauRelative  bool
	// Mu is μ > 1, the growth of τ in an iteration that ends infeasible.
	Mu float64
	// MaxIter bounds the convex problems solved from one start. Where it cuts a hop
	// short, the status is Converged.
	MaxIter int
	// Tol is the change of the objective at which a feasible iteration counts as
	// converged, relative to the range of the objective over the feasible
	// iterations or, if larger, to the lesser of |objective| and the sum of the
	// sizes of its terms without the constant.
	Tol float64
	// Scale is what Tol is relative to, where the size of the objective is known
	// beforehand; 0: as Tol says.
	Scale float64
	// FeasTol says what feasible means: a point is feasible if it breaks no bound,
	// constraint or domain by more than FeasTol times the row's unit, rounding
	// errors of the row's terms aside. The unit is 1, or less where all terms of
	// the row are below 1/32: dc.Problem.Feasible.
	FeasTol float64
	// Vary lets Multistart begin every other start after the first few near the
	// best point so far.
	Vary bool
	// GiveUp lets Multistart end a start that is far behind earlier ones and slow.
	GiveUp bool
	// Damping is the share of the previous point that is mixed in when a new
	// one lies on the border of a domain, where an h has no tangent.
	Damping float64
	// Boost goes on along the step of an iteration while that pays, after the first
	// few iterations.
	Boost bool
	// Escapes bounds the attempts to leave a point at which the procedure has
	// converged but an h has a kink, by other tangents; 0: none is made.
	Escapes int
	// Inertia takes the tangents ahead of the point where steps follow each
	// other in one direction, after the first few iterations.
	Inertia bool
	// Proximal adds ½ρ‖x − z‖² to a convex problem that is unbounded.
	Proximal bool
	// Probes bounds the jumps to better points along coordinates, from points
	// at which the procedure has converged; 0: none is made.
	Probes int
	// Hops bounds the descents from points beside the one at which the procedure
	// has converged, to find a better one; 0: none is made. Large problems get
	// fewer, as their time is bounded too.
	Hops int
	// MaxNodes bounds the nodes that package global solves for its bound.
	MaxNodes int
	// GapTol is the global.Result.Gap at which package global has its proof.
	GapTol float64
	// Seed chooses the random starting points, the tangents of Escapes and what
	// Hops move.
	Seed uint64
	// Backend solves the convex problems; nil: ipm.Backend{}.
	Backend qpbackend.Backend
	// Recorder is told of every iteration; nil: nobody is.
	Recorder Recorder
}

// DefaultSettings suit problems whose variables and constraints are of
// moderate size.
func DefaultSettings() Settings {
	return Settings{
		Tau0: 0.001, TauMax: 1e6, TauRelative: true, Mu: 3,
		MaxIter: 200, Tol: 1e-6, FeasTol: 1e-6, Damping: 0.2, Vary: true, GiveUp: true,
		Boost: true, Inertia: true, Proximal: true, Escapes: 1, Probes: 5, Hops: 20,
		MaxNodes: 50_000, GapTol: 1e-6,
	}
}

// Validate names the first field out of range.
func (s Settings) Validate() error {
	switch {
	case !(s.Tau0 > 0) || math.IsInf(s.Tau0, 1):
		return fmt.Errorf("ccp: Settings.Tau0 = %g, want > 0", s.Tau0)
	case !(s.TauMax >= s.Tau0) || math.IsInf(s.TauMax, 1):
		return fmt.Errorf("ccp: Settings.TauMax = %g, want at least Tau0 = %g", s.TauMax, s.Tau0)
	case !(s.Mu > 1) || math.IsInf(s.Mu, 1):
		return fmt.Errorf("ccp: Settings.Mu = %g, want > 1", s.Mu)
	case s.MaxIter < 1:
		return fmt.Errorf("ccp: Settings.MaxIter = %d, want at least 1", s.MaxIter)
	case !(s.Tol > 0) || math.IsInf(s.Tol, 1):
		return fmt.Errorf("ccp: Settings.Tol = %g, want > 0", s.Tol)
	case !(s.Scale >= 0) || math.IsInf(s.Scale, 1):
		return fmt.Errorf("ccp: Settings.Scale = %g, want at least 0", s.Scale)
	case !(s.FeasTol > 0) || math.IsInf(s.FeasTol, 1):
		return fmt.Errorf("ccp: Settings.FeasTol = %g, want > 0", s.FeasTol)
	case s.Escapes < 0:
		return fmt.Errorf("ccp: Settings.Escapes = %d, want at least 0", s.Escapes)
	case s.Probes < 0:
		return fmt.Errorf("ccp: Settings.Probes = %d, want at least 0", s.Probes)
	case s.Hops < 0:
		return fmt.Errorf("ccp: Settings.Hops = %d, want at least 0", s.Hops)
	case s.MaxNodes < 1:
		return fmt.Errorf("ccp: Settings.MaxNodes = %d, want at least 1", s.MaxNodes)
	case !(s.GapTol > 0) || math.IsInf(s.GapTol, 1):
		return fmt.Errorf("ccp: Settings.GapTol = %g, want > 0", s.GapTol)
	case !(s.Damping > 0 && s.Damping < 1):
		return fmt.Errorf("ccp: Settings.Damping = %g, want 0 < Damping < 1", s.Damping)
	}
	return nil
}

func (s Settings) backend() qpbackend.Backend {
	if s.Backend == nil {
		return ipm.Backend{}
	}
	return s.Backend
}
