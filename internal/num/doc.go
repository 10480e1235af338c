// Package num has the small operations on vectors that several packages need,
// each with one answer to NaN, and sums and products that are rounded down or up.
package num
