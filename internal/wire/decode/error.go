package decode

import (
	"errors"
	"strings"

	"github.com/dcopt/dcopt/internal/wire"
)

// Error is a mistake in a graph, with its place.
type Error = wire.Error

// Errors are several.
type Errors []*Error

func (es Errors) Error() string {
	parts := make([]string, len(es))
	for k, e := range es {
		parts[k] = e.Error()
	}
	return strings.Join(parts, "; ")
}

// mostErrors is how many are reported together.
// Source: the rule of go/parser.
const mostErrors = 10

// problemf says that a graph says nothing sensible.
func problemf(format string, args ...any) *Error {
	return wire.Errorf(wire.ErrProblem, format, args...)
}

// refuse says that a graph says nothing sensible, and unwinds to the node or constraint at hand.
func refuse(format string, args ...any) { panic(problemf(format, args...)) }

// refuseAs is refuse with an error of another kind.
func refuseAs(kind, format string, args ...any) { panic(wire.Errorf(kind, format, args...)) }

// caught runs f and returns the error that unwound it, if any.
func caught(f func()) (err *Error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// cause is the message of dc, without its name.
func cause(err error) string {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		if list := joined.Unwrap(); len(list) > 0 {
			err = list[0]
		}
	}
	return strings.ReplaceAll(err.Error(), "dc: ", "")
}
