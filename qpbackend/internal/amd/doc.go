// Package amd orders the rows and columns of a sparse symmetric matrix so that
// its factor L stays sparse.
//
// The method is approximate minimum degree: the graph of what is left to
// eliminate is kept as a quotient graph of variables and elements (cliques left
// behind by pivots), and the degree of a variable is bounded from above by
// sums over its elements instead of being counted.
//
// One thing differs from the paper. A pivot there costs the lists of all its
// neighbours, which on [H Aᵀ; A −C] with columns of A much longer than its rows
// is, in all, the entries of A times the length of a column. Here a variable
// whose list is long is deferred: its list stays as it is, and its degree is
// only reduced by the eliminations around it. When it seems to be of least
// degree, its list is put right and its degree counted.
//
// Another comes before: where variables with two neighbours or fewer are many they are eliminated
// in the lists of the matrix, in which an entry between the two takes their place.
//
//   - Amestoy, Davis, Duff 1996: An approximate minimum degree ordering
//     algorithm. SIAM Journal on Matrix Analysis and Applications 17.
package amd
