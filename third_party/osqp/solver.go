//go:build osqp

package osqp

// #include "shim.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Interruptible reports whether the library asks after every iteration if it
// is to go on: then Interrupt and the limit of Solve end a solve exactly there.
func Interruptible() bool { return C.dcopt_interruptible() != 0 }

// Version is the version of the library, such as "1.0.0".
func Version() string { return C.GoString(C.osqp_version()) }

// Matrix is a matrix in compressed sparse column form, row indices ascending.
// It is only read, and only during the call.
type Matrix struct {
	Rows, Cols int
	ColPtr     []int // length Cols+1
	RowIdx     []int
	Val        []float64
}

// Solver holds one problem in C memory: minimise ½ xᵀPx + qᵀx over l ≤ Ax ≤ u.
// It is for one goroutine at a time, but for Interrupt. Close frees it; a
// Solver that is forgotten is freed when the collector finds it.
type Solver struct {
	n, m       int
	nnzP, nnzA int
	h          *handle
	lo, up     []float64 // bounds on their way to C
	cleanup    runtime.Cleanup
}

// handle holds the memory that must be freed. It is apart from Solver so that the cleanup
// does not keep the Solver alive.
type handle struct {
	solver  *C.OSQPSolver
	control *C.dcopt_control
}

func (h *handle) free() {
	if h.solver != nil {
		C.osqp_cleanup(h.solver)
		C.free(unsafe.Pointer(h.control))
		h.solver, h.control = nil, nil
	}
}

// New sets a problem up: P is the upper triangle, n × n; A is m × n. Bounds of
// ±Inf are absent. OSQP scales the problem and factors its KKT matrix. It
// checks little: shapes and finiteness are the caller's business. n must be
// positive.
func New(p Matrix, q []float64, a Matrix, l, u []float64, set Settings) (*Solver, error) {
	n, m := len(q), len(l)
	if p.Rows != n || p.Cols != n || a.Cols != n || a.Rows != m || len(u) != m || n < 1 {
		return nil, fmt.Errorf("osqp: P is %d × %d, A %d × %d, q has length %d, l %d, u %d", p.Rows, p.Cols, a.Rows,
			a.Cols, n, m, len(u))
	}
	if len(p.ColPtr) != n+1 || len(a.ColPtr) != n+1 || len(p.RowIdx) != p.ColPtr[n] || len(p.Val) != p.ColPtr[n] ||
		len(a.RowIdx) != a.ColPtr[n] || len(a.Val) != a.ColPtr[n] {
		return nil, fmt.Errorf("osqp: the arrays of a matrix do not fit together")
	}
	set.AllocateSolution = true
	c := set.toC()
	s := &Solver{n: n, m: m, nnzP: p.ColPtr[n], nnzA: a.ColPtr[n], h: &handle{}, lo: make([]float64, m),
		up: make([]float64, m)}
	toBounds(s.lo, l)
	toBounds(s.up, u)
	pp, pi, ap, ai := toInts(p.ColPtr), toInts(p.RowIdx), toInts(a.ColPtr), toInts(a.RowIdx)
	flag := C.dcopt_setup(&s.h.solver, C.OSQPInt(n), C.OSQPInt(m),
		ints(pp), ints(pi), floats(p.Val), floats(q), ints(ap), ints(ai), floats(a.Val),
		floats(s.lo), floats(s.up), &c)
	if err := check("osqp_setup", flag); err != nil {
		return nil, err
	}
	s.h.control = (*C.dcopt_control)(C.calloc(1, C.sizeof_dcopt_control))
	s.cleanup = runtime.AddCleanup(s, func(h *handle) { h.free() }, s.h)
	return s, nil
}

// Close frees the C memory. A second Close does nothing; other methods on a
// closed Solver return an error or do nothing.
func (s *Solver) Close() {
	s.cleanup.Stop()
	s.h.free()
	runtime.KeepAlive(s)
}

// Dims returns the numbers of variables and of rows.
func (s *Solver) Dims() (n, m int) { return s.n, s.m }

func (s *Solver) open(call string) error {
	if s.h.solver == nil {
		return &Error{Call: call, Code: ErrNotInitialised}
	}
	return nil
}

// UpdateVectors replaces q, l and u, nil for no change. Bounds that turn into
// an equality or cease to be one cause a factorisation.
func (s *Solver) UpdateVectors(q, l, u []float64) error {
	defer runtime.KeepAlive(s)
	if err := s.open("osqp_update_data_vec"); err != nil {
		return err
	}
	if q != nil && len(q) != s.n || l != nil && len(l) != s.m || u != nil && len(u) != s.m {
		return fmt.Errorf("osqp: update of q, l, u with lengths %d, %d, %d, want %d, %d, %d or none", len(q), len(l),
			len(u), s.n, s.m, s.m)
	}
	var cl, cu *C.OSQPFloat
	if len(l) > 0 {
		toBounds(s.lo, l)
		cl = floats(s.lo)
	}
	if len(u) > 0 {
		toBounds(s.up, u)
		cu = floats(s.up)
	}
	return check("osqp_update_data_vec", C.osqp_update_data_vec(s.h.solver, floats(q), cl, cu))
}

// UpdateMatrices replaces all stored values of P and of A, in their order, nil
// for no change. OSQP scales anew and factors; the iterates are not rescaled,
// so that WarmStart or ColdStart must follow. After an error the solver is good
// for Close only.
func (s *Solver) UpdateMatrices(p, a []float64) error {
	defer runtime.KeepAlive(s)
	if err := s.open("osqp_update_data_mat"); err != nil {
		return err
	}
	if p != nil && len(p) != s.nnzP || a != nil && len(a) != s.nnzA {
		return fmt.Errorf("osqp: update of P, A with %d, %d values, want %d, %d or none", len(p), len(a), s.nnzP,
			s.nnzA)
	}
	return check("osqp_update_data_mat", C.osqp_update_data_mat(s.h.solver,
		floats(p), nil, C.OSQPInt(len(p)), floats(a), nil, C.OSQPInt(len(a))))
}

// UpdateSettings replaces the settings that OSQP lets change after the setup: all but
// Scaling, Rho (see UpdateRho), RhoIsVec, Sigma, the AdaptiveRho fields,
// LinsysSolver and AllocateSolution.
func (s *Solver) UpdateSettings(set Settings) error {
	defer runtime.KeepAlive(s)
	if err := s.open("osqp_update_settings"); err != nil {
		return err
	}
	c := set.toC()
	return check("osqp_update_settings", C.osqp_update_settings(s.h.solver, &c))
}

// Settings are those in force; Rho is the present one, as adapted.
func (s *Solver) Settings() Settings {
	defer runtime.KeepAlive(s)
	if s.h.solver == nil {
		return Settings{}
	}
	return settingsFromC(s.h.solver.settings)
}

// UpdateRho sets the step size ρ and factors.
func (s *Solver) UpdateRho(rho float64) error {
	defer runtime.KeepAlive(s)
	if err := s.open("osqp_update_rho"); err != nil {
		return err
	}
	return check("osqp_update_rho", C.osqp_update_rho(s.h.solver, C.OSQPFloat(rho)))
}

// WarmStart sets the iterates, nil for what stays.
func (s *Solver) WarmStart(x, y []float64) error {
	defer runtime.KeepAlive(s)
	if err := s.open("osqp_warm_start"); err != nil {
		return err
	}
	if x != nil && len(x) != s.n || y != nil && len(y) != s.m {
		return fmt.Errorf("osqp: warm start with lengths %d, %d, want %d, %d or none", len(x), len(y), s.n, s.m)
	}
	return check("osqp_warm_start", C.osqp_warm_start(s.h.solver, floats(x), floats(y)))
}

// ColdStart sets the iterates to zero.
func (s *Solver) ColdStart() {
	defer runtime.KeepAlive(s)
	if s.h.solver != nil {
		C.osqp_cold_start(s.h.solver)
	}
}

// Interrupt ends the present Solve after its current iteration, and every
// later one after its first, until Resume. It may be called from any goroutine,
// but not after Close. Where Interruptible is false it has no effect.
func (s *Solver) Interrupt() {
	atomic.StoreInt32((*int32)(&s.h.control.stop), 1)
	runtime.KeepAlive(s)
}

// Resume takes an Interrupt back.
func (s *Solver) Resume() {
	if s.h.control != nil {
		atomic.StoreInt32((*int32)(&s.h.control.stop), 0)
	}
	runtime.KeepAlive(s)
}

// Solve iterates from the iterates as they are, or from zero where
// WarmStarting is false. A limit > 0 interrupts after that many iterations if
// the library is Interruptible: unlike MaxIter, which ends with a test at ten
// times the tolerances, it leaves the iterates alone. The error is not nil when
// osqp_solve left early; an interrupt is none.
func (s *Solver) Solve(limit int) (Info, error) {
	defer runtime.KeepAlive(s)
	if err := s.open("osqp_solve"); err != nil {
		return Info{}, err
	}
	s.h.control.limit = C.int64_t(limit)
	flag := C.dcopt_solve(s.h.solver, s.h.control)
	info := s.Info()
	if info.Status == Interrupted {
		return info, nil
	}
	return info, check("osqp_solve", flag)
}

// Info is OSQP's account of the last solve.
func (s *Solver) Info() Info {
	defer runtime.KeepAlive(s)
	if s.h.solver == nil {
		return Info{Status: Unsolved}
	}
	c := s.h.solver.info
	return Info{
		Status:             Status(c.status_val),
		Polish:             PolishStatus(c.status_polish),
		Objective:          float64(c.obj_val),
		DualObjective:      float64(c.dual_obj_val),
		PrimalResidual:     float64(c.prim_res),
		DualResidual:       float64(c.dual_res),
		DualityGap:         float64(c.duality_gap),
		Iterations:         int(s.h.control.iter), // c.iter is stale after an interrupt
		RhoUpdates:         int(c.rho_updates),
		RhoEstimate:        float64(c.rho_estimate),
		SetupTime:          float64(c.setup_time),
		SolveTime:          float64(c.solve_time),
		UpdateTime:         float64(c.update_time),
		PolishTime:         float64(c.polish_time),
		RunTime:            float64(c.run_time),
		PrimalDualIntegral: float64(c.primdual_int),
		RelativeKKTErr:     float64(c.rel_kkt_error),
	}
}

// Solution copies x (length n) and y (length m) of the last solve, NaN where
// the status has no solution.
func (s *Solver) Solution(x, y []float64) {
	if s.h.solver != nil {
		copyFrom(x, s.h.solver.solution.x, s.n)
		copyFrom(y, s.h.solver.solution.y, s.m)
	}
	runtime.KeepAlive(s)
}

// PrimalCertificate copies the certificate of primal infeasibility, of length
// m and largest entry 1; NaN where there is none.
func (s *Solver) PrimalCertificate(y []float64) {
	if s.h.solver != nil {
		copyFrom(y, s.h.solver.solution.prim_inf_cert, s.m)
	}
	runtime.KeepAlive(s)
}

// DualCertificate copies the certificate of dual infeasibility, of length n and
// largest entry 1; NaN where there is none.
func (s *Solver) DualCertificate(d []float64) {
	if s.h.solver != nil {
		copyFrom(d, s.h.solver.solution.dual_inf_cert, s.n)
	}
	runtime.KeepAlive(s)
}

// toBounds copies bounds for C: bounds that are infinite, or too large for OSQP to
// count as finite, become ±OSQP_INFTY. No bound reaches C on another way, and
// none comes back.
func toBounds(dst, src []float64) {
	for i, b := range src {
		dst[i] = math.Min(math.Max(b, -C.OSQP_INFTY), C.OSQP_INFTY)
	}
}

func toInts(v []int) []C.OSQPInt {
	c := make([]C.OSQPInt, len(v))
	for i, e := range v {
		c[i] = C.OSQPInt(e)
	}
	return c
}

// ints and floats are the address of the first entry, nil for an empty slice.
func ints(v []C.OSQPInt) *C.OSQPInt { return unsafe.SliceData(v[:len(v):len(v)]) }

func floats(v []float64) *C.OSQPFloat {
	if len(v) == 0 {
		return nil
	}
	return (*C.OSQPFloat)(unsafe.Pointer(&v[0]))
}

func copyFrom(dst []float64, src *C.OSQPFloat, n int) {
	if n > 0 {
		copy(dst, unsafe.Slice((*float64)(unsafe.Pointer(src)), n))
	}
}
