// Package input reads files that may be made to exhaust memory: plain or compressed by gzip, whole
// or line by line. What is kept of a file is bounded by the bytes that it takes where it is stored,
// so that a few bytes cannot ask for much.
package input
