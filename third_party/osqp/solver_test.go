//go:build osqp

package osqp

import (
	"errors"
	"math"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// demo is the problem of OSQP's own introduction: minimise
// 2x₀² + x₀x₁ + x₁² + x₀ + x₁ over x₀ + x₁ = 1, 0 ≤ x ≤ 0.7, with the solution
// (0.3, 0.7) and the multipliers (−2.9, 0, 0.2).
func demo(t *testing.T, set Settings) *Solver {
	t.Helper()
	p := Matrix{2, 2, []int{0, 1, 3}, []int{0, 0, 1}, []float64{4, 1, 2}}
	a := Matrix{3, 2, []int{0, 2, 4}, []int{0, 1, 0, 2}, []float64{1, 1, 1, 1}}
	s, err := New(p, []float64{1, 1}, a, []float64{1, 0, 0}, []float64{1, 0.7, 0.7}, set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func tight() Settings {
	set := DefaultSettings()
	set.Verbose, set.Polishing = false, true
	set.EpsAbs, set.EpsRel = 1e-8, 1e-8
	return set
}

func near(t *testing.T, name string, got, want []float64, tol float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			t.Errorf("%s = %v, want %v", name, got, want)
			return
		}
	}
}

func TestSolve(t *testing.T) {
	s := demo(t, tight())
	info, err := s.Solve(0)
	if err != nil || info.Status != Solved || info.Polish != PolishSuccess {
		t.Fatalf("status %v, polish %v, error %v", info.Status, info.Polish, err)
	}
	x, y := make([]float64, 2), make([]float64, 3)
	s.Solution(x, y)
	near(t, "x", x, []float64{0.3, 0.7}, 1e-7)
	near(t, "y", y, []float64{-2.9, 0, 0.2}, 1e-6)
	if math.Abs(info.Objective-1.88) > 1e-7 || info.Iterations < 1 {
		t.Errorf("objective %g after %d iterations, want 1.88", info.Objective, info.Iterations)
	}
	if !strings.HasPrefix(Version(), "1.") {
		t.Errorf("version %q", Version())
	}
}

func TestUpdates(t *testing.T) {
	s := demo(t, tight())
	x, y := make([]float64, 2), make([]float64, 3)
	// min 2x₀² + x₁² + ... with the bounds of x₁ gone: x = (¼, ¾).
	inf := math.Inf(1)
	if err := s.UpdateVectors([]float64{1, 1}, []float64{1, -inf, -inf}, []float64{1, inf, inf}); err != nil {
		t.Fatal(err)
	}
	s.ColdStart()
	if info, err := s.Solve(0); err != nil || info.Status != Solved {
		t.Fatal(info.Status, err)
	}
	s.Solution(x, y)
	near(t, "x after new bounds", x, []float64{0.25, 0.75}, 1e-7)
	// Without the coupling of P and with a doubled row: 2(x₀+x₁) = 1.
	if err := s.UpdateMatrices([]float64{2, 0, 2}, []float64{2, 1, 2, 1}); err != nil {
		t.Fatal(err)
	}
	if err := s.WarmStart(x, y); err != nil {
		t.Fatal(err)
	}
	if info, err := s.Solve(0); err != nil || info.Status != Solved {
		t.Fatal(info.Status, err)
	}
	s.Solution(x, y)
	near(t, "x after new matrices", x, []float64{0.25, 0.25}, 1e-7)
	// OSQP would report the status of the last solve again here.
	set := tight()
	set.MaxIter = 1
	if err := s.UpdateSettings(set); err != nil {
		t.Fatal(err)
	}
	s.ColdStart()
	if info, err := s.Solve(0); err != nil || info.Status != MaxIterReached || info.Iterations != 1 {
		t.Errorf("one iteration: %v after %d, %v", info.Status, info.Iterations, err)
	}
}

func TestCertificates(t *testing.T) {
	one := Matrix{1, 1, []int{0, 1}, []int{0}, []float64{0}}
	rows := Matrix{2, 1, []int{0, 2}, []int{0, 1}, []float64{1, 1}}
	inf := math.Inf(1)
	s, err := New(one, []float64{1}, rows, []float64{1, -inf}, []float64{inf, 0}, tight())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	y, d := make([]float64, 2), make([]float64, 1)
	if info, err := s.Solve(0); err != nil || info.Status != PrimalInfeasible || info.Status.HasSolution() {
		t.Fatal(info.Status, err)
	}
	s.PrimalCertificate(y) // x ≥ 1 and x ≤ 0: (−1, 1)
	near(t, "certificate", y, []float64{-1, 1}, 1e-6)

	if err := s.UpdateVectors(nil, []float64{-inf, -inf}, []float64{1, 2}); err != nil {
		t.Fatal(err)
	}
	if info, err := s.Solve(0); err != nil || info.Status != DualInfeasible {
		t.Fatal(info.Status, err)
	}
	s.DualCertificate(d) // x → −∞
	near(t, "direction", d, []float64{-1}, 1e-6)
}

// TestInterrupt counts instead of timing: an interrupt that stands before the
// solve ends it after one iteration, a limit exactly at the limit.
func TestInterrupt(t *testing.T) {
	if !Interruptible() {
		s := demo(t, tight())
		s.Interrupt()
		if info, err := s.Solve(1); err != nil || info.Status != Solved {
			t.Errorf("a library without hooks obeyed: %v, %v", info.Status, err)
		}
		return
	}
	set := tight()
	set.EpsAbs, set.EpsRel, set.MaxIter = 1e-300, 0, 1<<40
	s := demo(t, set)
	for _, limit := range []int{1, 7, 25, 1000} {
		s.ColdStart()
		info, err := s.Solve(limit)
		if err != nil || info.Status != Interrupted || info.Iterations != limit {
			t.Errorf("limit %d: %v after %d iterations, %v", limit, info.Status, info.Iterations, err)
		}
	}
	x, y := make([]float64, 2), make([]float64, 3)
	s.Solution(x, y)
	near(t, "x at the limit", x, []float64{0.3, 0.7}, 1e-6)
	s.Interrupt()
	if info, _ := s.Solve(0); info.Status != Interrupted || info.Iterations != 1 {
		t.Errorf("interrupted: %v after %d iterations", info.Status, info.Iterations)
	}
	s.Resume()
	if info, _ := s.Solve(2); info.Iterations != 2 {
		t.Errorf("resumed: %d iterations, want 2", info.Iterations)
	}
}

// TestSettingsReachC gives every field a value of its own and reads it back
// from the solver.
func TestSettingsReachC(t *testing.T) {
	set := Settings{
		LinsysSolver: DirectSolver, AllocateSolution: true, Verbose: true, ProfilerLevel: 2,
		WarmStarting: true, Scaling: 7, Polishing: true,
		Rho: 0.25, RhoIsVec: true, Sigma: 3e-6, Alpha: 1.5,
		CGMaxIter: 21, CGTolReduction: 11, CGTolFraction: 0.375, CGPrecond: DiagonalPreconditioner,
		AdaptiveRho: AdaptiveRhoKKTError, AdaptiveRhoInterval: 33, AdaptiveRhoFraction: 0.5, AdaptiveRhoTolerance: 4,
		MaxIter: 1234, EpsAbs: 1e-5, EpsRel: 2e-5, EpsPrimInf: 3e-5, EpsDualInf: 4e-5,
		ScaledTermination: true, CheckTermination: 17, CheckDualGap: true, TimeLimit: 99,
		Delta: 5e-6, PolishRefineIter: 6,
	}
	v := reflect.ValueOf(set)
	for i := range v.NumField() {
		if f := v.Type().Field(i).Name; v.Field(i).IsZero() && f != "Device" {
			t.Errorf("the test sets no %s", f)
		}
	}
	set.Device = 1
	s := demo(t, set)
	if got := s.Settings(); got != set {
		t.Errorf("settings of the solver\n %+v, want\n %+v", got, set)
	}
	// What may change later, changes.
	set.Alpha, set.MaxIter, set.EpsAbs, set.Polishing, set.Delta = 1.25, 77, 1e-4, false, 1e-5
	if err := s.UpdateSettings(set); err != nil {
		t.Fatal(err)
	}
	if err := s.UpdateRho(0.5); err != nil {
		t.Fatal(err)
	}
	set.Rho = 0.5
	if got := s.Settings(); got != set {
		t.Errorf("settings after the update\n %+v, want\n %+v", got, set)
	}
}

func TestRefusals(t *testing.T) {
	p := Matrix{1, 1, []int{0, 1}, []int{0}, []float64{-1}}
	none := Matrix{0, 1, []int{0, 0}, nil, nil}
	var e *Error
	if _, err := New(p, []float64{0}, none, nil, nil, tight()); !errors.As(err, &e) || e.Code != ErrNonconvex {
		t.Errorf("P = −1: %v", err)
	}
	set := tight()
	set.Alpha = 3
	p.Val[0] = 1
	if _, err := New(p, []float64{0}, none, nil, nil, set); !errors.As(err, &e) || e.Code != ErrSettingsValidation {
		t.Errorf("alpha = 3: %v", err)
	}
	one := Matrix{1, 1, []int{0, 1}, []int{0}, []float64{1}}
	if _, err := New(p, []float64{0}, one, []float64{1}, []float64{0}, tight()); !errors.As(err, &e) || e.Code != ErrDataValidation {
		t.Errorf("l > u: %v", err)
	}
	if _, err := New(p, []float64{0, 0}, none, nil, nil, tight()); err == nil {
		t.Error("a P of the wrong size was accepted")
	}
	s, err := New(p, []float64{1}, none, nil, nil, tight())
	if err != nil {
		t.Fatal(err)
	}
	if info, err := s.Solve(0); err != nil || info.Status != Solved {
		t.Errorf("without rows: %v, %v", info.Status, err)
	}
	s.Close()
	s.Close()
	if _, err := s.Solve(0); !errors.As(err, &e) || e.Code != ErrNotInitialised {
		t.Errorf("solve after close: %v", err)
	}
	for _, err := range []error{s.UpdateVectors(nil, nil, nil), s.UpdateMatrices(nil, nil), s.UpdateSettings(tight()), s.UpdateRho(1), s.WarmStart(nil, nil)} {
		if !errors.As(err, &e) || !strings.Contains(e.Error(), "closed") {
			t.Errorf("after close: %v", err)
		}
	}
}

// TestNoLeak sets up, fails to set up, solves and forgets so often that a leak
// of one problem a turn would show in the resident size of the process.
func TestNoLeak(t *testing.T) {
	const n = 30000 // some 20 MB a problem
	p, a := eye(n), eye(n)
	q, l, u := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range u {
		u[i] = 1
	}
	turn := func(value float64, forget bool) {
		p.Val[n-1] = value
		s, err := New(p, q, a, l, u, tight())
		if (err != nil) != (value < 0) {
			t.Fatal(err)
		}
		if err == nil {
			if _, err := s.Solve(0); err != nil {
				t.Fatal(err)
			}
			if !forget {
				s.Close()
			}
		}
	}
	all := func() {
		turn(-1, false)
		turn(-1, false)
		turn(1, false)
		turn(1, true)
		runtime.GC() // finds what was forgotten in the turn before
	}
	all()
	all()
	before := resident(t)
	for range 20 {
		all()
	}
	grown := resident(t) - before
	t.Logf("the process grew by %d MB", grown>>20)
	if grown > 100<<20 {
		t.Errorf("the process grew by %d MB", grown>>20)
	}
}

func eye(n int) Matrix {
	m := Matrix{Rows: n, Cols: n, ColPtr: make([]int, n+1), RowIdx: make([]int, n), Val: make([]float64, n)}
	for j := range n {
		m.ColPtr[j+1], m.RowIdx[j], m.Val[j] = j+1, j, 1
	}
	return m
}

// resident is the resident size of this process in bytes, 0 where /proc is not
// there.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory() // the Go side is not looked for
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages := 0
	for _, c := range strings.Fields(string(b))[1] {
		pages = 10*pages + int(c-'0')
	}
	return pages * os.Getpagesize()
}
