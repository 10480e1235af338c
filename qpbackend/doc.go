// Package qpbackend says what a solver of the convex subproblem is.
//
// A [Problem] is
//
//	minimise    ½ xᵀPx + qᵀx + r
//	subject to  lo ≤ x ≤ hi
//	            l ≤ Ax ≤ u        on the rows outside every cone
//	            Ax − l ∈ K        on the rows of each cone K
//
// A [Backend] makes a [Solver] for it: New, then any number of Update,
// WarmStart and Solve, then Close. The outcome of a solve is its [Status]; an
// error is a refusal. Residuals and certificates come from [Certify],
// [PrimalInfeasibility] and [DualInfeasibility], the same for all backends and
// always on the problem as it was stated.
//
// Signs. The dual y has one entry for each row: y[i] > 0 where the upper side
// holds, y[i] < 0 where the lower one does. The dual z has one for each variable:
// z[j] > 0 where the upper bound holds, z[j] < 0 where the lower one does. At an
// optimum Px + q + Aᵀy + z = 0. On the rows of a cone, −y lies in the dual cone.
//
// The solvers: ipm (pure Go, interior point), admm (pure Go, operator splitting) and osqp (the OSQP
// library, build tag osqp); presolve, and other reductions by package reduce, stand before any of
// them. Package backends maps names to them; package qptest is the suite that each of them, and
// yours, has to pass.
//
// Which one? ipm. From a cold start it is faster than the splitting methods on
// nearly every problem, at a tolerance of 1e-3 too. Where the same problem is
// solved again and again with small changes and 1e-3 is enough, a warm-started
// admm or osqp can be quicker; docs/lab/bench.md has numbers.
package qpbackend
