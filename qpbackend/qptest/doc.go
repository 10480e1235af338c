// Package qptest is the suite that every backend passes, also a user's own:
//
//	func TestSuite(t *testing.T) { qptest.Run(t, mine.Backend{}, qptest.Exact) }
//
// It solves small problems whose solutions are known, infeasible ones whose
// certificates it checks, and random ones that are made around a solution; it
// compares updated solvers with fresh ones, and tries the refusals, limits and
// cancellations that package qpbackend promises. Whatever a backend says about
// itself is recomputed by [qpbackend.Certify].
package qptest
