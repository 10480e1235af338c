// Package implicit has the linear algebra of the implicit function theorem at a fixed point of the
// convex-concave procedure: products with Hessians of functions that have gradients alone, and
// equations u = b + T·u for an operator T.
//
// Y. Saad, M. H. Schultz, GMRES: a generalized minimal residual algorithm for solving
// nonsymmetric linear systems, SIAM J. Sci. Stat. Comput. 7 (1986) 856-869.
package implicit
