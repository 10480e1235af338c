//go:build osqp

package osqp

// #include <stdio.h>
import "C"

// flushC writes out what C has buffered for any stream, so that the test that
// nothing is printed can see it.
func flushC() { C.fflush(nil) }
