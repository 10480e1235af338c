// Package input reads files that may be made to exhaust memory: plain or compressed by gzip, whole
// or line by line. Memory is bounded by the bytes that a file takes where it is stored, so that
// a few bytes cannot ask for much.
package input
