// Package value has the values of expressions of the language: numbers, affine functions,
// DC expressions, truths, words, sets, sparse and complex arrays. Values are shared and
// never changed. Package eval computes them.
package value
