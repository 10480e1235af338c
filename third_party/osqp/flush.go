//go:build osqp

package osqp

// #include <stdio.h>
import "C"

// flushC writes out the buffers of all streams of C, so that the test that
// nothing is printed can see it.
func flushC() { C.fflush(nil) }
