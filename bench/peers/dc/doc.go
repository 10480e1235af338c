// Package dc holds the Python scripts that solve the DC problems of package
// dcset: DCCP, CVXPY's nonlinear programs, and the convex-concave procedure
// written by hand over a solver's own interface. Each is started as
//
//	python worker.py NAME
//
// and speaks the protocol of package wire; the problem of a request is the
// folder that dcset.Program.Write has filled, and the answer a JSON object of
// the variables, each a flat list, the last index the fastest.
package dc
