// Package reduce puts reductions before a backend. A reduction states a problem by another one that
// is easier to solve, and takes the answer back: presolve, other units, a working set of rows,
// faces of cones.
//
// A Reduction says what is solved next (Apply) and what the answer means (Invert). All else is
// here, once: the solver's life from New to Close, values that have changed since the last solve,
// warm starts, rounds of a reduction that asks for another one, residuals on the problem as stated,
// the whole problem where an answer does not hold there, and the powers of a Solver beside solving.
// The model is CVXPY's Reduction and SolvingChain (Agrawal, Verschueren, Diamond and Boyd, A
// rewriting system for convex optimization problems, J. Control Decis. 5 (2018) 42-60).
package reduce
