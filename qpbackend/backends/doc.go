// Package backends maps names to backends, for programs that read a name from
// a user. Others put the value they want, such as ipm.Backend{}, where they
// want it, and import no more than that.
//
// OSQP is in the list when the program was built with the tag osqp.
package backends
