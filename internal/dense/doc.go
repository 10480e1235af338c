// Package dense factors dense symmetric matrices under a context: a call of gonum
// takes a small part of a second, eigenvalues aside.
//
// References: Golub and Van Loan 2013, Matrix Computations, section 4.2.
package dense
