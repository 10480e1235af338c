// Package fixed eliminates fixed columns from a backend's problem: parameters, and columns that
// equations give their values. Other values of them change sides and costs alone.
package fixed
