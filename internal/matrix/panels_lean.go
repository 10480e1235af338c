//go:build lean

package matrix

// panels is that of other builds: here turns and reflections are made one at a time.
const panels = false
