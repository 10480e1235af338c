// Package leastsq solves least squares problems in numbers that are not negative.
//
// References: Lawson and Hanson 1974, Solving Least Squares Problems, chapter 23.
package leastsq
