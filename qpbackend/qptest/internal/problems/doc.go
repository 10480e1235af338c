// Package problems makes the problems of package qptest, with the outcome known by construction,
// and checks points against the definitions of the cones.
package problems
