package ccp

import (
	"fmt"

	"github.com/dcopt/dcopt/ccp/internal/workingset"
	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/internal/heuristic"
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
	// the row are below 1/32 at the point: program.Problem.Feasible.
	FeasTol float64
	// Damping is the share of the previous point that is mixed in when a new
	// one lies at the boundary of a domain, where an h has no tangent.
	Damping float64
	// Heuristics are the parts of the procedure that a measurement may switch off; all of them are
	// on by default.
	Heuristics heuristic.Switches
	Global     Global
	// Effort bounds the work of Multistart with Automatic, and of global.Best. With Local each
	// start ends at the first point that multipliers hold, and Newton's method begins at the start.
	Effort Effort
	// Seed chooses the random starting points and the draws of searches.
	Seed uint64
	// Backend solves the convex problems; nil: ipm.Backend{}.
	Backend qpbackend.Backend
	// Recorder is told of every iteration; nil: nobody is.
	Recorder Recorder
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
		Effort: Normal, MaxIter: 200, Tol: 1e-6, FeasTol: 1e-6, Damping: 0.2,
		Heuristics: heuristic.All(),
		Global:     Global{MaxNodes: 50_000, GapTol: 1e-6},
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
	c.AtLeast("Heuristics.Search.Coordinates", s.Heuristics.Search.Coordinates, 0)
	c.AtLeast("Heuristics.Search.Descents", s.Heuristics.Search.Descents, 0)
	c.AtLeast("Heuristics.Search.Hops", s.Heuristics.Search.Hops, 0)
	return c.Err()
}

func (s Settings) backend() qpbackend.Backend {
	b := s.Backend
	if b == nil {
		b = ipm.Backend{}
	}
	if s.Heuristics.WorkingSet {
		b = reduce.Backend{Reduction: workingset.Reduction{}, Backend: b, Shares: true}
	}
	return b
}

// around is the point around which constraints get rows at first: x, or nil for all constraints.
func (s Settings) around(x []float64) []float64 {
	if s.Heuristics.WorkingSet {
		return x
	}
	return nil
}

// Effort is how much work the best of several starts, and package global, may take where it is left
// to them.
type Effort uint8

// The efforts: one start up to the first point that multipliers hold, one start with searches
// around such points, about a second of one processor, and about a minute. Where the first start
// takes longer than half of that, it is twice the work of the first start.
const (
	Local Effort = iota
	Quick
	Normal
	Thorough
)

var effortText = [...]string{Local: "local", Quick: "quick", Normal: "normal", Thorough: "thorough"}

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
