// Package convex has the types of convex functions that others use: values, subgradients and the
// variables of a function (Func), and its rows and cones in a convex problem (Representer, Canon,
// Form). Affine functions and arrays of them in compressed rows are here too, with the bounds of
// the variables, and bounds of second derivatives.
package convex
