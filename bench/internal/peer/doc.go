// Package peer runs solvers in processes of their own. A process stays for many
// problems; one that hangs is killed, one that crashed is started anew for the
// next problem, and either is an answer like any other.
package peer
