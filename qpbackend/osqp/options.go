//go:build osqp

package osqp

import (
	"fmt"

	raw "github.com/dcopt/dcopt/third_party/osqp"
)

// RhoRule says when OSQP looks whether another step size ρ is better.
type RhoRule int

// The rules. OSQP's third one, by time, is left out: it would make the answer
// depend on the clock.
const (
	RhoFixed        RhoRule = iota // never
	RhoByIterations                // every AdaptiveRhoInterval iterations
	RhoByError                     // there, if the error fell below AdaptiveRhoFraction of what it was
	numRhoRule
)

// Options are the settings of OSQP but for those that belong to the contract of
// a backend: tolerances and iterations come from qpbackend.Settings, a time
// limit from the context, the starting point from WarmStart, and nothing is
// ever printed.
type Options struct {
	// Scaling is the number of equilibration passes; 0 leaves the problem as
	// it is.
	Scaling int
	// Polishing solves, at the end, the equations of the rows that seem to
	// hold. It mostly gains several digits.
	Polishing bool

	Rho      float64 // ρ > 0: first step size; OSQP keeps it within [1e-6, 1e6]
	RhoIsVec bool    // equality rows get 1000 ρ
	Sigma    float64 // σ > 0: proximal weight of x
	Alpha    float64 // 0 < α < 2: relaxation

	AdaptiveRho          RhoRule
	AdaptiveRhoInterval  int     // iterations between looks; 0: OSQP's choice
	AdaptiveRhoFraction  float64 // for RhoByError, between 0 and 1
	AdaptiveRhoTolerance float64 // at least 1: ρ changes only by more than this factor

	CheckTermination  int  // iterations between tests, at least 1
	CheckDualGap      bool // the gap is part of OSQP's test
	ScaledTermination bool // OSQP tests on the scaled problem; its certificates then mostly fail here

	Delta            float64 // δ > 0: regularisation in polishing
	PolishRefineIter int     // steps of iterative refinement in polishing

	// The lines below serve libraries other than that of make osqp, which has a
	// direct solver only.

	Indirect       bool    // conjugate gradients in place of a factorisation
	CGMaxIter      int     // at least 1
	CGTolReduction int     // at least 1: solves without an iteration before the tolerance halves
	CGTolFraction  float64 // between 0 and 1: tolerance relative to the residuals
	CGPrecondition bool    // diagonal preconditioner
	Device         int     // number of the GPU
	ProfilerLevel  int     // 0, 1 or 2: detail of annotations for a profiler
}

// DefaultOptions are OSQP's defaults, with polishing.
func DefaultOptions() Options {
	d := raw.DefaultSettings()
	return Options{
		Scaling:              d.Scaling,
		Polishing:            true,
		Rho:                  d.Rho,
		RhoIsVec:             d.RhoIsVec,
		Sigma:                d.Sigma,
		Alpha:                d.Alpha,
		AdaptiveRho:          RhoByIterations,
		AdaptiveRhoInterval:  d.AdaptiveRhoInterval,
		AdaptiveRhoFraction:  d.AdaptiveRhoFraction,
		AdaptiveRhoTolerance: d.AdaptiveRhoTolerance,
		CheckTermination:     d.CheckTermination,
		CheckDualGap:         d.CheckDualGap,
		ScaledTermination:    d.ScaledTermination,
		Delta:                d.Delta,
		PolishRefineIter:     d.PolishRefineIter,
		Indirect:             d.LinsysSolver == raw.IndirectSolver,
		CGMaxIter:            d.CGMaxIter,
		CGTolReduction:       d.CGTolReduction,
		CGTolFraction:        d.CGTolFraction,
		CGPrecondition:       d.CGPrecond != raw.NoPreconditioner,
		Device:               d.Device,
		ProfilerLevel:        d.ProfilerLevel,
	}
}

// Validate names the first field out of range.
func (o Options) Validate() error {
	bad := func(name string, value any, want string) error {
		return fmt.Errorf("osqp: Options.%s = %v, want %s", name, value, want)
	}
	// Positive numbers must also be finite, and small enough not to overflow.
	positive := func(v float64) bool { return v > 0 && v <= 1e20 }
	switch {
	case o.Scaling < 0:
		return bad("Scaling", o.Scaling, "at least 0")
	case !positive(o.Rho):
		return bad("Rho", o.Rho, "a positive number")
	case !positive(o.Sigma):
		return bad("Sigma", o.Sigma, "a positive number")
	case !(o.Alpha > 0 && o.Alpha < 2):
		return bad("Alpha", o.Alpha, "0 < Alpha < 2")
	case o.AdaptiveRho < 0 || o.AdaptiveRho >= numRhoRule:
		return bad("AdaptiveRho", o.AdaptiveRho, "RhoFixed, RhoByIterations or RhoByError")
	case o.AdaptiveRhoInterval < 0:
		return bad("AdaptiveRhoInterval", o.AdaptiveRhoInterval, "at least 0")
	case !(o.AdaptiveRhoFraction > 0 && o.AdaptiveRhoFraction < 1):
		return bad("AdaptiveRhoFraction", o.AdaptiveRhoFraction, "0 < AdaptiveRhoFraction < 1")
	case !(o.AdaptiveRhoTolerance >= 1 && positive(o.AdaptiveRhoTolerance)):
		return bad("AdaptiveRhoTolerance", o.AdaptiveRhoTolerance, "at least 1")
	case o.CheckTermination < 1:
		return bad("CheckTermination", o.CheckTermination, "at least 1")
	case !positive(o.Delta):
		return bad("Delta", o.Delta, "a positive number")
	case o.PolishRefineIter < 0:
		return bad("PolishRefineIter", o.PolishRefineIter, "at least 0")
	case o.CGMaxIter < 1:
		return bad("CGMaxIter", o.CGMaxIter, "at least 1")
	case o.CGTolReduction < 1:
		return bad("CGTolReduction", o.CGTolReduction, "at least 1")
	case !(o.CGTolFraction > 0 && o.CGTolFraction < 1):
		return bad("CGTolFraction", o.CGTolFraction, "0 < CGTolFraction < 1")
	case o.Device < 0:
		return bad("Device", o.Device, "at least 0")
	case o.ProfilerLevel < 0 || o.ProfilerLevel > 2:
		return bad("ProfilerLevel", o.ProfilerLevel, "0, 1 or 2")
	case o.Indirect && !raw.HasIndirectSolver():
		return bad("Indirect", o.Indirect, "false: this OSQP library has no indirect solver")
	}
	return nil
}

// settings are OSQP's for a solve; tolerances and MaxIter are overwritten as it
// proceeds.
func (o Options) settings() raw.Settings {
	s := raw.DefaultSettings()
	s.AllocateSolution, s.Verbose, s.WarmStarting = true, false, true
	s.Scaling, s.Polishing = o.Scaling, o.Polishing
	s.Rho, s.RhoIsVec, s.Sigma, s.Alpha = o.Rho, o.RhoIsVec, o.Sigma, o.Alpha
	switch o.AdaptiveRho {
	case RhoFixed:
		s.AdaptiveRho = raw.AdaptiveRhoOff
	case RhoByIterations:
		s.AdaptiveRho = raw.AdaptiveRhoIterations
	case RhoByError:
		s.AdaptiveRho = raw.AdaptiveRhoKKTError
	}
	s.AdaptiveRhoInterval = o.AdaptiveRhoInterval
	s.AdaptiveRhoFraction = o.AdaptiveRhoFraction
	s.AdaptiveRhoTolerance = o.AdaptiveRhoTolerance
	s.CheckTermination, s.CheckDualGap = o.CheckTermination, o.CheckDualGap
	s.ScaledTermination = o.ScaledTermination
	s.Delta, s.PolishRefineIter = o.Delta, o.PolishRefineIter
	s.LinsysSolver = raw.DirectSolver
	if o.Indirect {
		s.LinsysSolver = raw.IndirectSolver
	}
	s.CGMaxIter, s.CGTolReduction, s.CGTolFraction = o.CGMaxIter, o.CGTolReduction, o.CGTolFraction
	s.CGPrecond = raw.NoPreconditioner
	if o.CGPrecondition {
		s.CGPrecond = raw.DiagonalPreconditioner
	}
	s.Device, s.ProfilerLevel = o.Device, o.ProfilerLevel
	return s
}
