// Package admm is the backend by operator splitting (ADMM): OSQP's method for
// quadratic programs without cones, in pure Go. It is fast where a loose
// tolerance is enough and a good point to start from is known.
//
// The problem is equilibrated, the quasi-definite KKT matrix is factored once,
// and each iteration solves with it. It is factored again only where a matrix,
// the step size ρ or the kind of a row changes. ρ is adapted every so many
// iterations and kept from one warm-started solve to the next; a solve without
// warm start begins with OSQP's first ρ and from zero.
//
// With polishing, the test is first at 1e-3 and the point is polished, then at
// 1e-4, and so on down to Settings.Tol: often the rows that hold are known
// early, and the polished point is accurate at once.
//
// Every 25th iterate is tested, by [qpbackend.Certify] on the problem as stated: a point is Solved
// when that says so. A certificate of infeasibility counts when [qpbackend.PrimalInfeasibility] or
// [qpbackend.DualInfeasibility] confirms it.
//
// A problem that the method does not solve stays unsolved: none is handed over to
// another backend, so that times and iterations belong to the method. On badly
// conditioned problems, and for high accuracy, ipm is the backend to take; a
// WarmStart carries the point over.
//
// The same sequence of New and Update gives, in a solve without WarmStart, the
// same answer bit for bit, whatever was solved in between. After the first
// Solve, a Solve allocates nothing but a message.
//
//   - Banjac, Goulart, Stellato, Boyd 2019: Infeasibility detection in the
//     alternating direction method of multipliers for convex optimization.
//     Journal of Optimization Theory and Applications 183.
//   - Stellato, Banjac, Goulart, Bemporad, Boyd 2020: OSQP: an operator splitting
//     solver for quadratic programs. Mathematical Programming Computation 12.
package admm
