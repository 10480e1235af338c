// Package platt turns decisions of classifiers into probabilities by logistic functions
// (Platt 1999, Probabilistic outputs for support vector machines).
package platt
