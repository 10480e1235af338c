// Package examples holds problem files that run as they stand, the data they
// use, and Go programs for the uses of the library; README.md lists them.
package examples
