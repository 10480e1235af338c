// Package equil scales quadratic programs so that the rows and columns of
// their KKT matrix have entries of size one. Rows of a cone get one factor, see
// [Scaling].Groups.
//
// References:
//
//   - D. Ruiz, A scaling algorithm to equilibrate both rows and columns norms in
//     matrices, Rutherford Appleton Laboratory RAL-TR-2001-034, 2001.
//   - B. Stellato, G. Banjac, P. Goulart, A. Bemporad, S. Boyd, OSQP: an operator
//     splitting solver for quadratic programs, Math. Prog. Comp. 12 (2020)
//     637-672.
package equil
