// Package kkt examines first-order conditions (Karush, Kuhn and Tucker) at a point of a DC problem,
// of its functions as they are written, and finds multipliers that meet them.
package kkt
