// Package npz reads quadratic programs that NumPy saved as an archive of arrays, .npz, in
// the form of qpbenchmark or in the form of OSQP:
//
//	minimise ½ xᵀPx + qᵀx + r  subject to  Gx ≤ h, Ax = b, lb ≤ x ≤ ub
//	minimise ½ xᵀPx + qᵀx + r  subject to  Gx ≤ h, l ≤ Ax ≤ u, lb ≤ x ≤ ub
//
// P and q must be there; any other part may be missing, or a saved None. The rows of a
// problem are the rows of G, then the rows of A. A matrix is one array, for example A, or its
// compressed columns (CSC) as SciPy calls them, A_data, A_indices and A_indptr; an array
// shape holds the numbers of rows and columns of A, or is missing. P is symmetric, or, as
// OSQP takes it, has its upper triangle alone as compressed columns. Pickled objects are
// refused: nothing of a file is executed.
//
// References: S. Caron, A. Zaki, P. Otta, D. Arnström, J. Carpentier, F. Yang,
// P.-A. Leziart, qpbenchmark: benchmark for quadratic programming solvers available in
// Python, 2022-2025. B. Stellato, G. Banjac, P. Goulart, A. Bemporad, S. Boyd, OSQP: an
// operator splitting solver for quadratic programs, 2020.
package npz
