// Package derivatives has programs that differentiate solutions: they tune a weight, learn costs
// from observed controls, and estimate the returns that an investor expects. docs/derivatives.md
// says how.
package derivatives
