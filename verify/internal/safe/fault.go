package safe

import (
	"fmt"
	"math/big"
)

// Fault is a reason why a problem or a result cannot be read.
type Fault struct{ error }

// Caught is the fault that a panic carries; other panics go on. v comes from recover.
func Caught(v any) error {
	switch v := v.(type) {
	case nil:
		return nil
	case Fault:
		return v.error
	case big.ErrNaN:
		return fmt.Errorf("a value is not finite: %s", v.Error())
	}
	panic(v)
}

// Catch is to be deferred: it makes a fault an error.
func Catch(err *error) {
	if wrong := Caught(recover()); wrong != nil {
		*err = wrong
	}
}

// Raise and Fail panic with a fault.
func Raise(err error) { panic(Fault{err}) }

func Fail(format string, args ...any) { Raise(fmt.Errorf(format, args...)) }

// DomainError says that a function has no value.
type DomainError struct{ What string }

func (e DomainError) Error() string { return "the point is outside the domain of " + e.What }
func Outside(what string)           { Raise(DomainError{what}) }
