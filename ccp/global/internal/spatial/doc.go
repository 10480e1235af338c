// Package spatial bounds a flat problem by branch and bound over the intervals of its
// columns: a node's convex problem has the functions that are convex as they are, chords
// over concave ones, and the planes of McCormick for products. Its multipliers become a
// bound that is safe against rounding.
//
// References: Horst and Tuy 1996, Global Optimization; Tawarmalani and Sahinidis 2004,
// Global optimization of mixed-integer nonlinear programs; Neumaier and Shcherbina 2004,
// Safe bounds in linear and mixed-integer linear programming.
package spatial
