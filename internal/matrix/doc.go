// Package matrix multiplies dense matrices, by rows in one slice each, and finds the
// eigenvalues of symmetric ones.
//
// On amd64 processors with AVX2 and FMA products run in assembler, unless the build tag
// purego is set. Results repeat bit for bit on one machine; results of different processors
// may differ by rounding.
package matrix
