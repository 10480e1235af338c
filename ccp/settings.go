package ccp

import (
	"fmt"

	"github.com/dcopt/dcopt/ccp/internal/workingset"
	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/internal/setting"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/reduce"
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
	// MaxIter bounds the convex problems solved from one start. Where it cuts a search short, the
	// status is Converged unless a small step leads to a lower point, or multipliers hold no point
	// that is as good as the best.
	MaxIter int
	// MaxWork bounds the work of one start, in the unit of Result.Work, as MaxIter does the convex
	// problems; 0: no bound.
	MaxWork float64
	// Tol is the change of the objective at which a feasible iteration counts as
	// converged, relative to the larger of |objective| and its range over the
	// feasible iterations, but at most to the sum of the sizes of its terms
	// without the constant.
	Tol float64
	// Scale is the size to which Tol is relative, where the size of the objective is known
	// beforehand; 0: as Tol says.
	Scale float64
	// FeasTol says what feasible means: a point is feasible if it breaks no bound,
	// constraint or domain by more than FeasTol times the row's unit, rounding
	// errors of the row's terms aside. The unit is 1, or less where all terms of
	// the row are below 1/32 at the point: dc.Problem.Feasible.
	FeasTol float64
	// Damping is the share of the previous point that is mixed in when a new
	// one lies at the boundary of a domain, where an h has no tangent.
	Damping float64
	// Proximal adds ½ρ‖x − z‖² to a convex problem that is unbounded.
	Proximal bool
	// WorkingSet solves a convex problem of at least 1000 inequalities, and five times as
	// many as variables, with those rows that hold or nearly hold. The others are
	// evaluated at its solution and join where it breaks them, so it is one of the whole
	// problem, with multipliers 0 for the absent rows.
	WorkingSet bool
	// Sample lets start 1 begin at a better point, where the objective is a large sum that is not
	// convex, of functions that differ in numbers alone, and all that counts but bounds: descents
	// from up to 64 starts by values and gradients of samples of the sum are compared. The run from
	// there is one of the whole problem. Iterations, History and the recorder are of that alone;
	// Seconds.Solve has the time before.
	Sample       bool
	Acceleration Acceleration
	Search       Search
	Global       Global
	// NewtonFirst lets Acceleration.Newton begin at the start, where it can, rather than where the
	// descent has led. Starts after the first do so along equations, and every second one
	// elsewhere.
	NewtonFirst bool
	// Effort bounds the work of Multistart with Automatic, and of global.Best.
	Effort Effort
	// Seed chooses the random starting points and the draws of searches.
	Seed uint64
	// Backend solves the convex problems; nil: ipm.Backend{}.
	Backend qpbackend.Backend
	// Recorder is told of every iteration; nil: nobody is.
	Recorder Recorder
}

// Acceleration makes a descent faster, from its ninth iteration on.
type Acceleration struct {
	// LineSearch extends each step by a line search along x − z, from the point of
	// the tangents to the solution, while the merit falls: boosted DCA.
	LineSearch bool
	// Newton follows nonlinear equations by linearised ones and the second-order
	// term of the Lagrangian in a trust region: sequential quadratic programming. So it
	// does a smooth objective that is not convex under convex constraints, from where the
	// descent has converged or creeps.
	Newton bool
}

// Search looks for better points than those at which a descent has converged. Its
// cost is bounded by a share of the work of the descent.
type Search struct {
	// Coordinates bounds the jumps to better points along coordinates; 0: none.
	Coordinates int
	// Decisions begins a descent where the items of minima of quadratic functions are
	// chosen one by one, the surest first.
	Decisions bool
	// Descents bounds the descents by values and gradients from other starts, where the
	// objective is all that counts (a quasi-Newton method); 0: none.
	Descents int
	// Hops bounds the descents from points further away (monotonic basin hopping); 0:
	// none. Large problems get fewer, as their work is bounded too.
	Hops int
	// Vary lets Multistart begin every other start after the first few near the best
	// point so far.
	Vary bool
}

// Global is for package ccp/global.
type Global struct {
	// MaxNodes bounds the nodes that are solved for the bound.
	MaxNodes int
	// GapTol is the global.Result.Gap at which there is a proof.
	GapTol float64
	// Proof keeps the tree of a search over intervals for global.Result.Proof.
	Proof bool
}

// DefaultSettings suit problems whose variables and constraints are of
// moderate size.
func DefaultSettings() Settings {
	return Settings{
		Tau0: 0.001, TauMax: 1e6, TauRelative: true, Mu: 3,
		Effort: Normal, MaxIter: 200, Tol: 1e-6, FeasTol: 1e-6, Damping: 0.2, Proximal: true, WorkingSet: true,
		Sample:       true,
		Acceleration: Acceleration{LineSearch: true, Newton: true},
		Search:       Search{Coordinates: 5, Decisions: true, Descents: 100, Hops: 20, Vary: true},
		Global:       Global{MaxNodes: 50_000, GapTol: 1e-6},
	}
}

// Validate returns an error that names the first field out of range and the range; nil
// if there is none.
func (s Settings) Validate() error {
	c := setting.Of("ccp: Settings")
	c.Table(s)
	if s.TauMax < s.Tau0 {
		c.That(false, "TauMax", s.TauMax, fmt.Sprintf("at least Tau0 = %g", s.Tau0))
	}
	c.NotNegative("MaxWork", s.MaxWork)
	c.AtLeast("Search.Coordinates", s.Search.Coordinates, 0)
	c.AtLeast("Search.Descents", s.Search.Descents, 0)
	c.AtLeast("Search.Hops", s.Search.Hops, 0)
	return c.Err()
}

func (s Settings) backend() qpbackend.Backend {
	b := s.Backend
	if b == nil {
		b = ipm.Backend{}
	}
	if s.WorkingSet {
		b = reduce.Backend{Reduction: workingset.Reduction{}, Inner: b, Shares: true}
	}
	return b
}

// around is the point around which constraints get rows at first: x, or nil for all constraints.
func (s Settings) around(x []float64) []float64 {
	if s.WorkingSet {
		return x
	}
	return nil
}

// Effort is how much work the best of several starts, and package global, may take where it is left
// to them.
type Effort uint8

// The efforts: one start, about a second of one processor, and about a minute. Where the first
// start takes longer than half of that, it is twice the work of the first start.
const (
	Quick Effort = iota
	Normal
	Thorough
)

var effortText = [...]string{Quick: "quick", Normal: "normal", Thorough: "thorough"}

// String is the effort in lower case, such as "quick".
func (e Effort) String() string { return enum.String(e, "Effort", effortText[:]) }

// ParseEffort is the inverse of String.
func ParseEffort(name string) (Effort, error) {
	return enum.Parse[Effort](name, "ccp: no effort", effortText[:])
}

// Second is the work of about a second of one processor, in the unit of Result.Work.
// Source: table of docs/lab/ccp.md.
const Second = 1e8

// Work is the work of the effort, in the unit of Result.Work.
func (e Effort) Work() float64 {
	return [...]float64{Normal: Second, Thorough: 60 * Second}[min(e, Thorough)]
}
