package admm

import "github.com/dcopt/dcopt/internal/setting"

// Options are the settings of the method but for those that belong to the
// contract of a backend: tolerances and iterations come from
// qpbackend.Settings, a time limit from the context, the starting point from
// WarmStart.
type Options struct {
	// Scaling is the number of equilibration passes; 0 leaves the problem as
	// it is.
	Scaling int
	// Polishing solves the equations of the rows that seem to hold. It mostly
	// gains several digits.
	Polishing bool

	Rho      float64 // ρ > 0: first step size; kept within [1e-6, 1e6]
	RhoIsVec bool    // equality rows get 1000 ρ, rows without bounds 1e-6
	Sigma    float64 // σ > 0: proximal weight of x
	Alpha    float64 // 0 < α < 2: relaxation

	AdaptiveRhoInterval  int     // iterations between looks whether another ρ is better; 0: never
	AdaptiveRhoTolerance float64 // at least 1: ρ changes only by more than this factor

	CheckTermination int // iterations between tests, at least 1

	Delta            float64 // δ > 0: regularisation in polishing
	PolishRefineIter int     // steps of iterative refinement in polishing
}

// DefaultOptions are OSQP's defaults, with polishing.
func DefaultOptions() Options {
	return Options{
		Scaling:              10,
		Polishing:            true,
		Rho:                  0.1,
		RhoIsVec:             true,
		Sigma:                1e-6,
		Alpha:                1.6,
		AdaptiveRhoInterval:  50,
		AdaptiveRhoTolerance: 5,
		CheckTermination:     25,
		Delta:                1e-6,
		PolishRefineIter:     3,
	}
}

// Validate names the first field out of range.
func (o Options) Validate() error {
	const most = 1e20 // Source: derived: products of fifteen do not overflow
	c := setting.Of("admm: Options")
	c.AtLeast("Scaling", o.Scaling, 0)
	c.Between(0, "Rho", o.Rho, most)
	c.Between(0, "Sigma", o.Sigma, most)
	c.Between(0, "Alpha", o.Alpha, 2)
	c.AtLeast("AdaptiveRhoInterval", o.AdaptiveRhoInterval, 0)
	c.That(o.AdaptiveRhoTolerance >= 1 && o.AdaptiveRhoTolerance < most, "AdaptiveRhoTolerance", o.AdaptiveRhoTolerance,
		"at least 1")
	c.AtLeast("CheckTermination", o.CheckTermination, 1)
	c.Between(0, "Delta", o.Delta, most)
	c.AtLeast("PolishRefineIter", o.PolishRefineIter, 0)
	return c.Err()
}
