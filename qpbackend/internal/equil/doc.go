// Package equil scales quadratic programs so that the rows and columns of
// their KKT matrix have entries of size one.
//
// Reference: D. Ruiz, A scaling algorithm to equilibrate both rows and columns
// norms in matrices, Rutherford Appleton Laboratory RAL-TR-2001-034, 2001.
package equil
