package dc

// XExp is u·eᵘ on u ≥ 0. It is represented by w ≥ u² and u·exp(w/u) ≤ t.
//
//	arguments  u: a scalar
//	curvature  convex
//	sign       nonnegative
//	monotone   u: nondecreasing
//	domain     u ≥ 0
//	takes      affine or convex
//	refuses    others
//	form       second-order and exponential cones
//	source     Boyd and Vandenberghe 2004, section 3.1.5: its second derivative is positive
func XExp(u Operand) Expr { return applyTo("xexp", u) }
