// Package penalty is the schedule of τ, the weight of the slacks: the first convex problem of
// the first start puts the constraints first; if that leaves slacks open, τ begins small
// and grows while they stay open. It knows numbers alone, and no problem.
//
// References: Lipp and Boyd 2016, Variations and extension of the convex-concave procedure,
// Algorithm 3.1.
package penalty
