// Package dense factors dense matrices under a context: a call of gonum takes a small
// part of a second, or goes on by itself when the context has ended.
//
// References: Golub and Van Loan 2013, Matrix Computations, section 4.2.
package dense
