// Package elimination forms the Schur complement that a semidefinite cone leaves behind
// when its rows are eliminated from a KKT matrix,
//
//	Sᵢⱼ = ⟨Fᵢ, M·Fⱼ·M⟩
//
// with the symmetric data matrices Fᵢ, one per variable in the rows of the cone, and a
// dense symmetric M, the inverse of the scaling; of a matrix variable, see [Own], one per other
// row that has it, and the scaling. For each j one of three forms is taken by
// the number of entries of the matrices: the product M·Fⱼ·M as a whole, its entries where
// the other matrices have theirs out of M·Fⱼ, or out of M alone.
//
// Reference: K. Fujisawa, M. Kojima, K. Nakata, Exploiting sparsity in primal-dual
// interior-point methods for semidefinite programming, Math. Program. 79 (1997) 235-253,
// section 3, F-1 to F-3.
package elimination
