// Package facial restricts semidefinite cones to faces of theirs where the dual problem has no
// strictly feasible point for a reason that can be read off the data: a variable x without costs,
// bound on one side at most, whose data matrices F ⪰ 0 in semidefinite cones are all its entries.
// Its equation in the dual problem is ⟨F, Y⟩ = 0, so FY = 0 and
//
//	Y = V·Ȳ·Vᵀ,  Ȳ ⪰ 0,
//
// with the columns of V a basis of the null space of F. The cone of the other variables is then
// Vᵀ(S − L)V ⪰ 0, of an order that is less by the rank of F (Borwein and Wolkowicz 1981; Permenter
// and Parrilo 2018, here for one matrix at a time). An interior point method on the problem as
// stated has no central path, and x may tend to infinity: no finite one need be optimal. At the end
// it gets the least value that makes S + xF semidefinite to within an error that is a share of the
// tolerance, and beyond that the size of S: the matrix is then inside of the cone if its face is.
//
// V is sparse: by a Cholesky factor of F with pivots its rows are rows of the identity but for as
// many as the rank.
//
// References:
//
// J. M. Borwein, H. Wolkowicz, Regularizing the abstract convex program, J. Math. Anal. Appl. 83
// (1981) 495-530.
//
// F. Permenter, P. A. Parrilo, Partial facial reduction: simplified, equivalent SDPs via
// approximations of the PSD cone, Math. Program. 171 (2018) 1-54.
package facial
