// Package workingset solves a convex problem that has many more rows than variables with some of
// its rows, those of the working set. The others are evaluated at the solution, those that it
// breaks join, and the problem is solved again, until it breaks none.
//
// A term is a column that occurs in no product and in rows of its own: a slack, the value of a
// maximum, the loss of a sample. Where one of its rows, or its bound, is above all others by far,
// the term is that affine function and goes into the costs of the other columns: neither the column
// nor the row is in the smaller problem. So at a solution the smaller problem has about as many
// rows as there are other columns, however many terms there are.
//
// The answer is one of the whole problem, by qpbackend.Certify on all rows. Multipliers of absent
// rows are 0. A proof that the rows of the working set exclude each other is one for all rows; that
// the smaller problem is unbounded proves nothing by itself, so the rows that the ray breaks join
// first.
//
// A procedure that goes on from the answer anyway may allow points that are enough (Enough).
// AlmostSolved means, beside the meaning of the backend within: such a point, which meets all rows,
// with multipliers for which no gradient is left, and a gap of at most a hundredth of its decrease.
//
// It is the cutting plane method of Kelley 1960, The cutting-plane method for solving convex
// programs, for rows that are known in advance, known as row generation.
package workingset
