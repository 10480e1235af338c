// Package process runs a program once, from its start to its end, within limits of time, and
// measures what it took.
package process
