// Package problem opens problem files as all commands do, with the values that the command line
// sets, and prints the mistakes in them.
package problem
