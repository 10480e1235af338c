// Package arrays reads arrays and sparse matrices from files: .npy and .npz of NumPy and
// SciPy, Matrix Market, and arrays in JSON. Every number is a float64 and, but for
// dense arrays of NumPy, finite.
//
// Memory is bounded by the limit that the caller gives, whatever a file claims of
// itself: room grows with the bytes that were read. A mistake is an [Error] with its place, a
// line and column of a text or the byte of a binary file.
//
// Sources of the formats: NumPy Enhancement Proposal 1 and the module numpy.lib.format;
// scipy.sparse.save_npz; Boisvert, Pozo and Remington, The Matrix Market exchange
// formats: initial design, NISTIR 5935, 1996; RFC 8259.
package arrays
