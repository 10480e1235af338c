// Package pass computes properties of the functions of a graph: values, bounds of their rounding
// errors, gradients, ranges. Each is a function of the graph; members are computed in blocks, all
// nodes of one block before the next, so that nothing as long as a family is stored but its data.
package pass
