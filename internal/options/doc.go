// Package options turns the options that a problem file states into settings of the
// procedure: the program, the shards of a plan and the engine of a page solve a file alike.
package options
