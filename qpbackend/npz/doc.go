// Package npz reads quadratic programs that NumPy saved as an archive of arrays, .npz, as
// those of qpbenchmark:
//
//	minimise ½ xᵀPx + qᵀx  subject to  Gx ≤ h, Ax = b, lb ≤ x ≤ ub
//
// P and q must be there; any other part may be missing, or a saved None. The rows of a
// problem are those of G, then those of A. Pickled objects are refused: nothing of a file
// is executed.
//
// Reference: S. Caron, A. Zaki, P. Otta, D. Arnström, J. Carpentier, F. Yang,
// P.-A. Leziart, qpbenchmark: benchmark for quadratic programming solvers available in
// Python, 2022-2025.
package npz
