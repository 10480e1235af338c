// Package stats sums up times of solvers, and tells whether differences between
// systems are significant.
//
// E. D. Dolan, J. J. Moré, Benchmarking optimization software with performance
// profiles, Math. Prog. 91 (2002) 201-213.
package stats
