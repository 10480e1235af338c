// Package lang reads the .dc problem language and compiles it to a dc.Problem.
//
//	param r = csv("r.csv")
//	param n = len(r)
//	var   c[n,2]  start normal(0, 10)
//	minimize  max(i in 1..n) ( norminf(c[i,:]) + r[i] )
//	subject to
//	  apart[i in 1..n, j in i+1..n]:  norm2(c[i,:] - c[j,:]) >= r[i] + r[j]
//	option starts = 3, seed = 1
//
// Parse makes a File of the bytes, Compile a Program of the File: data are
// read, names and shapes checked, families written out, and every expression
// split into convex g and h by package dc. Mistakes come back as
// Diagnostics, all of a file together, each with its place.
//
// Format lays a file out. docs/language.md is for those who write such files; the
// grammar is in grammar.ebnf. Values are arrays of numbers, of affine
// functions or of DC expressions. Their shape may have up to eight dimensions;
// vectors have no direction, so a transpose leaves them alone, and * of two is
// their inner product. An array with one entry goes with any shape, as a scalar
// does. : keeps the indices of its dimension; any other slice counts from 1.
// Functions of one number, such as abs, sqrt or kl, and ^ apply to every entry. max,
// min, and sum of one array reduce it; max and min of several compare them entry by entry. std
// divides by n. Data that are not finite are refused, in files and in
// intermediate results, unless inf says so.
//
// A constraint on data alone is checked and left out; one that does not hold
// stays, with a warning, so that the problem is infeasible. Of a symmetric variable
// the problem has the upper triangle alone; psd adds a family named psd(x).
// Constraints without a name are called c1, c2, ...
package lang
