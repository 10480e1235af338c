// Package amd orders the rows and columns of a sparse symmetric matrix so that
// its factor L stays sparse.
//
// The method is approximate minimum degree: the graph of what is left to
// eliminate is kept as a quotient graph of variables and elements (cliques left
// behind by pivots), and the degree of a variable is bounded from above by
// sums over its elements instead of being counted.
//
//   - Amestoy, Davis, Duff 1996: An approximate minimum degree ordering
//     algorithm. SIAM Journal on Matrix Analysis and Applications 17.
package amd
