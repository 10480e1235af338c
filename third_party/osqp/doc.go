// Package osqp is the raw layer over the OSQP C library, version 1.0: C calls
// with Go types, and nothing else. Use package qpbackend/osqp, which adds
// validation, certificates, cancellation and defaults.
//
// It is compiled with the build tag osqp and finds the library by
// pkg-config osqp. The command
//
//	make osqp
//
// puts one into build/ beside this file, from C sources that are not part of
// this repository (see build.sh); set PKG_CONFIG_PATH to build/lib/pkgconfig.
// A library that prints, that catches SIGINT or that is in single precision is
// refused at compile time.
//
// The library of build.sh asks hooks.c after every iteration whether to go on,
// so that [Solver.Interrupt] ends a solve at once. A system library lacks that
// (see [Interruptible]) and is stopped only by its iteration limit.
//
// Method: Stellato, Banjac, Goulart, Bemporad, Boyd 2020, OSQP: an operator
// splitting solver for quadratic programs, Math. Prog. Comp. 12.
package osqp
