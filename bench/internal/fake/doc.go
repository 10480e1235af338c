// Package fake is solvers that misbehave, for tests: a test binary that calls
// [Main] first can be started as one of them.
package fake
