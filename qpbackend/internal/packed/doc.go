// Package packed has symmetric matrices as the rows of a semidefinite cone hold them: the upper
// triangle column by column, with the entries off the diagonal times √2.
package packed
