// Package boxqp looks for good points of quadratic functions over boxes: tabu search by moves of
// one coordinate, from random vertices.
//
// Reference: Glover, Kochenberger and Alidaee 1998, Adaptive memory tabu search for binary
// quadratic programs.
package boxqp
