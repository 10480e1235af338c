//go:build !lean

package dc

// withLoops reports whether sums may be looped.
const withLoops = true
