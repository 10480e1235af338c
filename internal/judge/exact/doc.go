// Package exact has expressions that are printed as .dc text and evaluated in 200-bit arithmetic,
// with a bound of the error that a computation in float64 may make.
package exact
