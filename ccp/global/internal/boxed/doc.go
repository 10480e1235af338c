// Package boxed looks for good points of quadratic functions over boxes: tabu search by moves of one
// coordinate, and paths between the best points.
//
// References: Glover, Kochenberger and Alidaee 1998, Adaptive memory tabu search for binary quadratic
// programs; Wang, Lü, Glover and Hao 2012, Path relinking for unconstrained binary quadratic programming.
package boxed
