// Package sparse holds the compressed-column matrices that problems are stated
// in, and a triplet builder that remembers where each entry went, so that
// values can be overwritten later without touching the pattern.
package sparse
