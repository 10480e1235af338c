//go:build osqp

package osqp

// #cgo pkg-config: osqp
// #include "shim.h"
import "C"

// Settings mirror OSQPSettings field by field; OSQP's manual explains them.
type Settings struct {
	Device       int
	LinsysSolver int // DirectSolver or IndirectSolver

	AllocateSolution, Verbose bool
	ProfilerLevel             int
	WarmStarting              bool
	Scaling                   int
	Polishing                 bool

	Rho          float64
	RhoIsVec     bool
	Sigma, Alpha float64

	CGMaxIter, CGTolReduction int
	CGTolFraction             float64
	CGPrecond                 int

	AdaptiveRho            int // AdaptiveRhoOff, ...
	AdaptiveRhoInterval    int
	AdaptiveRhoFraction    float64
	AdaptiveRhoTolerance   float64
	MaxIter                int
	EpsAbs, EpsRel         float64
	EpsPrimInf, EpsDualInf float64
	ScaledTermination      bool
	CheckTermination       int
	CheckDualGap           bool
	TimeLimit              float64 // seconds; without effect in a library without clock

	Delta            float64
	PolishRefineIter int
}

// Values of Settings.LinsysSolver.
const (
	DirectSolver   = C.OSQP_DIRECT_SOLVER
	IndirectSolver = C.OSQP_INDIRECT_SOLVER
)

// Values of Settings.CGPrecond.
const (
	NoPreconditioner       = C.OSQP_NO_PRECONDITIONER
	DiagonalPreconditioner = C.OSQP_DIAGONAL_PRECONDITIONER
)

// Values of Settings.AdaptiveRho: when the step size may change.
const (
	AdaptiveRhoOff        = C.OSQP_ADAPTIVE_RHO_UPDATE_DISABLED
	AdaptiveRhoIterations = C.OSQP_ADAPTIVE_RHO_UPDATE_ITERATIONS
	AdaptiveRhoTime       = C.OSQP_ADAPTIVE_RHO_UPDATE_TIME
	AdaptiveRhoKKTError   = C.OSQP_ADAPTIVE_RHO_UPDATE_KKT_ERROR
)

// DefaultSettings are the defaults of the library.
func DefaultSettings() Settings {
	var c C.OSQPSettings
	C.osqp_set_default_settings(&c)
	return settingsFromC(&c)
}

func (s Settings) toC() C.OSQPSettings {
	var c C.OSQPSettings
	c.device = C.OSQPInt(s.Device)
	c.linsys_solver = uint32(s.LinsysSolver)
	c.allocate_solution = cBool(s.AllocateSolution)
	c.verbose = cBool(s.Verbose)
	c.profiler_level = C.OSQPInt(s.ProfilerLevel)
	c.warm_starting = cBool(s.WarmStarting)
	c.scaling = C.OSQPInt(s.Scaling)
	c.polishing = cBool(s.Polishing)
	c.rho = C.OSQPFloat(s.Rho)
	c.rho_is_vec = cBool(s.RhoIsVec)
	c.sigma = C.OSQPFloat(s.Sigma)
	c.alpha = C.OSQPFloat(s.Alpha)
	c.cg_max_iter = C.OSQPInt(s.CGMaxIter)
	c.cg_tol_reduction = C.OSQPInt(s.CGTolReduction)
	c.cg_tol_fraction = C.OSQPFloat(s.CGTolFraction)
	c.cg_precond = C.osqp_precond_type(s.CGPrecond)
	c.adaptive_rho = C.OSQPInt(s.AdaptiveRho)
	c.adaptive_rho_interval = C.OSQPInt(s.AdaptiveRhoInterval)
	c.adaptive_rho_fraction = C.OSQPFloat(s.AdaptiveRhoFraction)
	c.adaptive_rho_tolerance = C.OSQPFloat(s.AdaptiveRhoTolerance)
	c.max_iter = C.OSQPInt(s.MaxIter)
	c.eps_abs = C.OSQPFloat(s.EpsAbs)
	c.eps_rel = C.OSQPFloat(s.EpsRel)
	c.eps_prim_inf = C.OSQPFloat(s.EpsPrimInf)
	c.eps_dual_inf = C.OSQPFloat(s.EpsDualInf)
	c.scaled_termination = cBool(s.ScaledTermination)
	c.check_termination = C.OSQPInt(s.CheckTermination)
	c.check_dualgap = cBool(s.CheckDualGap)
	c.time_limit = C.OSQPFloat(s.TimeLimit)
	c.delta = C.OSQPFloat(s.Delta)
	c.polish_refine_iter = C.OSQPInt(s.PolishRefineIter)
	return c
}

func settingsFromC(c *C.OSQPSettings) Settings {
	return Settings{
		Device:               int(c.device),
		LinsysSolver:         int(c.linsys_solver),
		AllocateSolution:     c.allocate_solution != 0,
		Verbose:              c.verbose != 0,
		ProfilerLevel:        int(c.profiler_level),
		WarmStarting:         c.warm_starting != 0,
		Scaling:              int(c.scaling),
		Polishing:            c.polishing != 0,
		Rho:                  float64(c.rho),
		RhoIsVec:             c.rho_is_vec != 0,
		Sigma:                float64(c.sigma),
		Alpha:                float64(c.alpha),
		CGMaxIter:            int(c.cg_max_iter),
		CGTolReduction:       int(c.cg_tol_reduction),
		CGTolFraction:        float64(c.cg_tol_fraction),
		CGPrecond:            int(c.cg_precond),
		AdaptiveRho:          int(c.adaptive_rho),
		AdaptiveRhoInterval:  int(c.adaptive_rho_interval),
		AdaptiveRhoFraction:  float64(c.adaptive_rho_fraction),
		AdaptiveRhoTolerance: float64(c.adaptive_rho_tolerance),
		MaxIter:              int(c.max_iter),
		EpsAbs:               float64(c.eps_abs),
		EpsRel:               float64(c.eps_rel),
		EpsPrimInf:           float64(c.eps_prim_inf),
		EpsDualInf:           float64(c.eps_dual_inf),
		ScaledTermination:    c.scaled_termination != 0,
		CheckTermination:     int(c.check_termination),
		CheckDualGap:         c.check_dualgap != 0,
		TimeLimit:            float64(c.time_limit),
		Delta:                float64(c.delta),
		PolishRefineIter:     int(c.polish_refine_iter),
	}
}

func cBool(b bool) C.OSQPInt {
	if b {
		return 1
	}
	return 0
}
