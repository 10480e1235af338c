// Package dense factors dense symmetric matrices under a context: what it calls of gonum
// at a time takes a small part of a second.
//
// References: Golub and Van Loan 2013, Matrix Computations, section 4.2.
package dense
