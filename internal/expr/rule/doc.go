// Package rule has the rules by which functions of functions are written, with their splits:
// products, powers, logarithms, quotients, maxima, norms and quadratic forms.
package rule
