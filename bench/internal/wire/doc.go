// Package wire is the protocol by which dcbench and the processes that run solvers talk to each
// other.
//
// A process first writes a Hello, when all that it imports is loaded. Then, for
// each Request, a JSON object on a line of its standard input, it writes one or
// more lines: {"begin":true} before each run, and an Answer. Lines that do not
// start with a brace are no part of the protocol. It ends with its input.
//
// Numbers in bulk go through files, little-endian. A problem:
//
//	"dcopt-qp", then int64 n, m, entries of P, entries of A, cones, then
//	float64 r, q (n), l (m), u (m), and P (upper triangle) and A by columns,
//	each as int64 column pointers (n+1), int64 row indices, float64 values;
//	then for each cone int64 kind (qpbackend.ConeKind), first row, number of
//	rows, and float64 α
//
// An answer: float64 x (n), y (m), y of the sign of package qpbackend. Beside the
// status primal_infeasible y is the certificate, beside dual_infeasible x is the
// direction, of any size.
package wire
