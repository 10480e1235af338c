// Package osqp is the backend over the OSQP library: operator splitting (ADMM)
// on quadratic programs without cones. It is compiled with the build tag osqp;
// make osqp provides the library.
//
// OSQP is fast where a loose tolerance is enough and a good point to start from
// is known; where accuracy counts, an interior point method is faster. A step
// size ρ is kept from one warm-started solve to the next; a solve without warm
// start begins with OSQP's first ρ and from zero.
//
// With polishing, OSQP first goes for 1e-3 and polishes, then for 1e-4, and so
// on down to Settings.Tol: often the rows that hold are known early, and the
// polished point is accurate at once.
//
// Claims of OSQP are checked. A point is Solved when [qpbackend.Certify] says
// so: where OSQP's own test passes too early, its tolerance is tightened and it
// goes on. A certificate of infeasibility counts when
// [qpbackend.PrimalInfeasibility] or [qpbackend.DualInfeasibility] confirms it;
// a refuted one tightens the tolerance for certificates, and OSQP starts again
// from zero. All this happens within Settings.MaxIter iterations.
//
// AlmostSolved means: OSQP's own test passed, further iterations did not reach
// Settings.Tol, and the largest residual is at most 100 Settings.Tol.
//
// A context that ends stops OSQP after the iteration at hand with the library
// of make osqp, and after at most 200 iterations with a system library. The
// clock has no influence on the answer.
//
// The same sequence of New and Update gives, in a solve without WarmStart, the
// same answer bit for bit, whatever was solved in between. A solver whose
// matrices were updated may differ in the last digits from one made anew,
// because OSQP unscales and scales again.
//
// Reference: Stellato, Banjac, Goulart, Bemporad, Boyd 2020, OSQP: an operator
// splitting solver for quadratic programs, Math. Prog. Comp. 12.
package osqp
