// Command quickstart states a difference-of-convex problem in Go and solves it
// from two starting points.
package main
