package admm

import "fmt"

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
	bad := func(name string, value any, want string) error {
		return fmt.Errorf("admm: Options.%s = %v, want %s", name, value, want)
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
	case o.AdaptiveRhoInterval < 0:
		return bad("AdaptiveRhoInterval", o.AdaptiveRhoInterval, "at least 0")
	case !(o.AdaptiveRhoTolerance >= 1 && positive(o.AdaptiveRhoTolerance)):
		return bad("AdaptiveRhoTolerance", o.AdaptiveRhoTolerance, "at least 1")
	case o.CheckTermination < 1:
		return bad("CheckTermination", o.CheckTermination, "at least 1")
	case !positive(o.Delta):
		return bad("Delta", o.Delta, "a positive number")
	case o.PolishRefineIter < 0:
		return bad("PolishRefineIter", o.PolishRefineIter, "at least 0")
	}
	return nil
}
