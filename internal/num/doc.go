// Package num has the small operations on vectors that several packages need,
// each with one answer to NaN.
package num
