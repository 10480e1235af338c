// Package export writes a trained regressor as source text: a function of its
// own in Go, Python or C that needs nothing else, and a formula for readers, as
// plain text or LaTeX.
//
// The functions fill gaps, standardise, evaluate and clip in the order that
// lder.Regressor.Predict does, so that they give the same numbers but for the
// last bits.
package export
