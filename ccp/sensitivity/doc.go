// Package sensitivity differentiates strict local minima of DC problems with respect to data.
//
// A point of convergence z is a fixed point of the convex-concave procedure: it solves the convex
// problem with every h linearised at z. Let G be the derivative of the solution of that problem by
// its costs, S the derivative by its other values, and H the sum of the Hessians of the h, each
// times its multiplier. The implicit function theorem on the optimality conditions of g − h with
// the active constraints gives, along a change dp of the data,
//
//	dz = S·dp + GH·dz,      and for a gradient c by z      λ = c + HG·λ,   Sᵀλ.
//
// Both are solved by GMRES (Saad and Schultz 1986); S and G are package qpbackend's. Kinks of g at
// the point are those of the convex problem and do no harm; at a kink of an h there is no
// derivative. A minimum is strict where the largest eigenvalue of GH, found by the method of
// Lanczos, is below one.
//
// Products with H are exact, apart from rounding. Functions that may have kinks, and black boxes,
// have no Hessian of package dc: for them they are central differences of gradients, of fourth
// order, with a relative error of some 1e-10.
//
// Y. Saad, M. H. Schultz, GMRES: a generalized minimal residual algorithm for solving
// nonsymmetric linear systems, SIAM J. Sci. Stat. Comput. 7 (1986) 856-869.
package sensitivity
