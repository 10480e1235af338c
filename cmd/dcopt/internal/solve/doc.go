// Package solve is the command dcopt solve: one solve, a sweep, or a watch over files.
package solve
