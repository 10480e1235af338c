package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// The exit codes.
const (
	OK          = 0
	Usage       = 1   // wrong usage, or a file that cannot be read or written
	File        = 2   // a file was read and is wrong
	NotSolved   = 3   // no feasible converged point; the best one is printed. Of fmt --check: files differ
	Incomplete  = 4   // of verify: a claim of a result is neither shown nor false
	Interrupted = 130 // by a signal; the best point is printed. Source: 128 and the number of SIGINT, as shells have it
)

// Failure ends a command with a code; Err is nil where all has been said.
type Failure struct {
	Code int
	Err  error
}

func (f *Failure) Error() string {
	if f.Err == nil {
		return fmt.Sprintf("exit %d", f.Code)
	}
	return f.Err.Error()
}

func (f *Failure) Unwrap() error { return f.Err }

// As ends a command with a code, for a reason.
func As(code int, err error) *Failure { return &Failure{code, err} }

// Usagef is wrong usage, or a file that cannot be read or written.
func Usagef(format string, args ...any) error { return As(Usage, fmt.Errorf(format, args...)) }

// BadFile says that a file which could be read is wrong.
func BadFile(err error) error { return As(File, err) }

// With is the result of a command that has printed its messages.
func With(code int) error {
	if code == OK {
		return nil
	}
	return As(code, nil)
}

// Placed marks an error that carries its place in a file, so that the program's
// name in front would be in the way of editors.
func Placed(err error) error { return placed{err} }

// HasPlace reports whether the error was marked by Placed.
func HasPlace(err error) bool {
	var p placed
	return errors.As(err, &p)
}

type placed struct{ error }

func (p placed) Unwrap() error { return p.error }

// IsContext reports whether err says that a context ended.
func IsContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// ByUser reports whether the user ended ctx.
func ByUser(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// Data tells a file that cannot be read from one that is wrong.
func Data(err error) error {
	var pe *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pe), IsContext(err):
		return Usagef("%w", err)
	}
	return BadFile(Placed(err))
}

// Of is the code that goes with the status of a solve.
func Of(status string) int {
	switch status {
	case "converged", "solved":
		return OK
	case "cancelled":
		return Interrupted
	default:
		return NotSolved
	}
}
