// Package formats reads the file of a convex program by the ending of its name: QPS, MPS
// and SIF, SDPA's .dat-s, .cbf and .npz, each plain or with .gz behind it.
package formats
