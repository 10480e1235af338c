//go:build lean

package dc

// withLoops: a playground has small problems, whose sums are of terms one by one.
const withLoops = false
