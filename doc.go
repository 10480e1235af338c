// Package dcopt is the root of a toolkit for difference-of-convex (DC)
// optimisation. It holds no code; the packages are
//
//   - dc: DC programs: variables, affine maps, atoms and the calculus that
//     splits an expression into g − h; dc/lang reads them from .dc files;
//   - ccp: the convex-concave procedure, which solves them;
//   - qpbackend: the interface of a solver of the convex subproblem, with the residuals
//     by which each is judged; qpbackend/ipm is the default, qpbackend/osqp
//     binds the OSQP library, qpbackend/backends knows them by name,
//     qpbackend/formats reads and writes files of them and qpbackend/qptest tests a
//     backend, also yours;
//   - lder: l-DER, a piecewise-linear regressor trained by DC programming, with
//     lder/dataset for its tables.
//
// The program is cmd/dcopt. The import graph and the rules of the house are
// written down, and tested, in internal/house.
package dcopt
