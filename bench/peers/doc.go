// Package peers holds the Python scripts that run other people's solvers. Each
// is started as
//
//	python worker.py NAME
//
// and then speaks the protocol of package wire. requirements.txt pins the packages that they
// import; "make peers" installs them.
package peers
