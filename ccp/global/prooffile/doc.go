// Package prooffile writes proofs of package global to files that dcopt verify reads.
package prooffile
