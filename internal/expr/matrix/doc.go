// Package matrix has functions of matrices of affine functions: eigenvalues, singular values,
// determinants and inverses, with their semidefinite cones.
package matrix
