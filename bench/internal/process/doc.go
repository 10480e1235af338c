// Package process runs a program once, from its start to its end, within limits of time, and
// measures its time and memory.
package process
