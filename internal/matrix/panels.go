//go:build !lean

package matrix

// panels: eigenvectors are found with turns of rows that wait for each other, and with panels of reflections.
const panels = true
