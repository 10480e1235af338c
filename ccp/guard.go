package ccp

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
)

var errNoProblem = errors.New("ccp: the problem is nil; did Model.Problem return an error?")

// PanicError is a panic in code of a user that a run called: a backend, a
// function that is a user's own, or a recorder. The other runs go on.
type PanicError struct {
	Where string // the function that panicked, with its package
	Value any    // of the panic
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("ccp: panic in %s: %v", e.Where, e.Value) }

// caught makes an error of what recover returned. It is for deferred functions.
func caught(v any) error {
	p := &PanicError{Where: "an unknown function", Value: v, Stack: debug.Stack()}
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for panicking, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(f.Function, "runtime."):
			p.Where = f.Function
			return p
		}
	}
	return p
}

// guard runs f; a panic becomes an error.
func guard(f func() (*Result, error)) (res *Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = caught(v)
		}
	}()
	return f()
}

// guardClose closes the solver, which a panic may have left in any state.
func guardClose(s *subproblem.Problem) {
	defer func() { _ = recover() }()
	s.Close()
}

// check refuses what no run can begin with.
func check(p *dc.Problem, set Settings) error {
	if p == nil {
		return errNoProblem
	}
	return set.Validate()
}
