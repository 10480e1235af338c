// Package shards trains l-DER regressors on tables in parts that together are larger than
// the memory.
//
// The refit of package lder needs of the rows in each region a Gram matrix and a vector of moments,
// and the errors at a few step lengths. [Fit] reads the parts once per iteration, or twice, and
// adds their sums in the order of the parts, so that a model depends on the parts and their order
// alone, to the last bit, and not on the number of processors. On a table that is one part with at
// most as many rows as [SampleRows] it is, but for rounding, the model of the method refit.
//
// Gaps are filled and features standardised by moments of all rows: Chan, Golub and LeVeque
// 1983, Algorithms for computing the sample variance. The start is lder.Start on a
// sample of the rows, refitted on it.
package shards
