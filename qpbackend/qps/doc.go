// Package qps reads quadratic programs in the QPS format: MPS with a section
// for the quadratic objective, and the part of SIF that coincides with it.
//
//	minimise ½ xᵀPx + qᵀx + r over the rows and bounds of the file
//
// Points on which readers disagree, and the choice of this one:
//
//   - Fixed columns (names may hold spaces) or free format: fixed if every line
//     fits the columns, else free.
//   - The right-hand side of the objective row is minus the constant r.
//   - QUADOBJ, QSECTION, QUADRATIC and HESSIAN give one triangle of P, QMATRIX
//     gives both.
//   - An upper bound below zero on a variable without a stated lower bound takes
//     the lower bound away. An upper bound of zero does so in SIF only, which is
//     CUTEst's rule; other readers keep the lower bound 0.
//   - A bound or side of magnitude 1e20 or more is absent.
//   - RANGES on an E row: [rhs, rhs+R] for R > 0, [rhs+R, rhs] for R < 0.
//   - Only the first set of right-hand sides, ranges and bounds counts, and of
//     the N rows the first (or the one OBJNAME names).
//   - Integer columns are read as continuous, with a note.
//   - OBJSENSE MAX: the problem read is the minimisation of the negative.
package qps
