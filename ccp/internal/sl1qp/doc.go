// Package sl1qp follows nonlinear equations, where steps of the convex-concave procedure are of the
// order of 1/τ, and smooth objectives whose h is curved, where they are of the order of the inverse
// of its curvature: sequential quadratic programming with an l1 penalty in a trust region (Fletcher
// 1987; Nocedal and Wright 2006, section 18.5).
//
// An iteration linearises equations and smooth DC functions at x (program.Problem.Linearised),
// gives their slacks the price τ, adds half the second-order term of the Lagrangian and bounds the
// step. Convex constraints stay as they are; of DC functions that are not smooth the smooth terms
// are linearised, the rest keep their convex parts. A step counts if it lowers the merit
//
//	φ(x) = f(x) + τ·Σ cᵢ(x)₊
//
// by a share of what the convex problem has predicted. One that misses the prediction at the
// region's boundary is corrected to second order (Fletcher 1982, Second order corrections for
// non-differentiable optimization), one that lowers nothing is shortened, and one that lowers the
// merit by far more than predicted is lengthened. It is a local search on its own and knows no
// status of ccp: its end is a point, and whether the convex problem there predicts any decrease.
package sl1qp
