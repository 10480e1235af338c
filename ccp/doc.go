// Package ccp solves difference-of-convex programs by the convex-concave
// procedure: at the current point every h is replaced by its tangent, the
// convex problem that remains is solved, and its solution is the next point.
//
// Solve runs it from one point, Multistart from several. Each true DC
// constraint has a slack s ≥ 0 with weight τ in the objective, as Lipp and Boyd
// have it; convex constraints are kept as they are, and the h of the objective
// is linearised in place. The tangent of h lies below h, so each convex problem
// majorises the penalised one and its value never rises while τ stays.
//
// The convex problem is assembled once. Its pattern is frozen; an iteration
// overwrites the objective's linear part, some values of A and some bounds,
// and the backend updates its factorisation. A Session keeps all this while the
// parameters of a problem change.
//
// A Result always holds the best point met, with an honest Status. Deadlines
// and cancellation come by the context.
//
// References: Yuille and Rangarajan 2003, The concave-convex procedure; Lipp
// and Boyd 2016, Variations and extension of the convex-concave procedure,
// Algorithm 3.1; Shen, Diamond, Gu and Boyd 2016, Disciplined convex-concave
// programming; Oliveira and Valle 2023, Least-squares linear dilation-erosion
// regressor trained using a convex-concave procedure, Algorithm 1.
package ccp
