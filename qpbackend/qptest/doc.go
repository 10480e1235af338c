// Package qptest is the suite that every backend passes, also a user's own:
//
//	func TestSuite(t *testing.T) { qptest.Run(t, mine.Backend{}, qptest.Exact) }
//
// It solves small problems, without cones and with those that the backend has,
// whose solutions are known, infeasible ones whose certificates it checks, and
// random ones that are made around a solution; it compares updated solvers with
// fresh ones, and tries the refusals, limits and cancellations that package
// qpbackend promises. Whatever a backend says about itself is recomputed by
// [qpbackend.Certify], and points, duals and certificates of cones are looked at
// cone by cone, by formulas of this package's own.
//
// [Problems], [ConeProblems], [ConeSpec] and [RandomConeCase] hand out the
// problems, for comparisons.
package qptest
