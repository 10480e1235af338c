//go:build lean

package ldl

// supernodes leaves the computation of whole supernodes and of leading columns out: each takes 1 % of a program that runs in a browser.
const supernodes = false
