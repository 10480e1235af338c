//go:build osqp

package osqp

import (
	"github.com/dcopt/dcopt/internal/setting"
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

	// The lines below serve libraries other than the one of make osqp, which has a
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
	const most = 1e20 // Source: derived: products of fifteen do not overflow
	c := setting.Of("osqp: Options")
	c.AtLeast("Scaling", o.Scaling, 0)
	c.Between(0, "Rho", o.Rho, most)
	c.Between(0, "Sigma", o.Sigma, most)
	c.Between(0, "Alpha", o.Alpha, 2)
	c.That(o.AdaptiveRho >= 0 && o.AdaptiveRho < numRhoRule, "AdaptiveRho", o.AdaptiveRho,
		"RhoFixed, RhoByIterations or RhoByError")
	c.AtLeast("AdaptiveRhoInterval", o.AdaptiveRhoInterval, 0)
	c.Between(0, "AdaptiveRhoFraction", o.AdaptiveRhoFraction, 1)
	c.That(o.AdaptiveRhoTolerance >= 1 && o.AdaptiveRhoTolerance < most, "AdaptiveRhoTolerance", o.AdaptiveRhoTolerance,
		"at least 1")
	c.AtLeast("CheckTermination", o.CheckTermination, 1)
	c.Between(0, "Delta", o.Delta, most)
	c.AtLeast("PolishRefineIter", o.PolishRefineIter, 0)
	c.AtLeast("CGMaxIter", o.CGMaxIter, 1)
	c.AtLeast("CGTolReduction", o.CGTolReduction, 1)
	c.Between(0, "CGTolFraction", o.CGTolFraction, 1)
	c.AtLeast("Device", o.Device, 0)
	c.That(o.ProfilerLevel >= 0 && o.ProfilerLevel <= 2, "ProfilerLevel", o.ProfilerLevel, "0, 1 or 2")
	c.That(!o.Indirect || raw.HasIndirectSolver(), "Indirect", o.Indirect,
		"false: this OSQP library has no indirect solver")
	return c.Err()
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
