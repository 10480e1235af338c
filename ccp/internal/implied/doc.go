// Package implied has the facts that rows, cones and multipliers of a convex problem imply,
// rounding errors counted: bounds of columns (Tighten), that no point meets the rows (Infeasible),
// and how low the objective may be (Least).
package implied
