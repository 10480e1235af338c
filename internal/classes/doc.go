// Package classes draws the random quadratic programs of the OSQP paper, for tests and
// benchmarks, and has the builder with which they are put together.
//
// Reference: B. Stellato, G. Banjac, P. Goulart, A. Bemporad, S. Boyd, OSQP: an operator
// splitting solver for quadratic programs, Math. Prog. Comp. 12 (2020) 637-672,
// appendix A.
package classes
