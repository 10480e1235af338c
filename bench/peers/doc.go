// Package peers holds the Python scripts that run other people's solvers. Each
// is started as
//
//	python worker.py NAME
//
// and then speaks the protocol of package wire. requirements.txt pins the packages that they
// import; "make peers" installs them.
//
// The scripts in dc solve the DC problems of package dcset: DCCP, CVXPY's nonlinear programs, and
// the convex-concave procedure written by hand over a solver's own interface. The problem of a
// request is the folder that dcset.Program.Write has filled, and the answer a JSON object of
// the variables, each a flat list, the last index the fastest.
package peers
