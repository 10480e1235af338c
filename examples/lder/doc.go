// Command lder fits a difference of two maxima of affine functions to a table
// and predicts with it.
package main
