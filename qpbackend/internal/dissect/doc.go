// Package dissect finds separators in the graph of a sparse symmetric matrix, for
// an order of its rows and columns by nested dissection: vertices that separate
// the rest into two parts of similar weight come last, before them those that
// separate the parts, and so on, until parts are small. Where package amd orders the
// vertices of each stage by their degrees in the whole graph, the factor has fewer
// entries than where each part is ordered by itself.
//
// A separator is found on several levels. Neighbouring vertices are matched and
// joined, again and again, until few are left; there a part is grown from one
// vertex, and the vertices between it and the rest are a separator. On the way
// back it is moved on each level, vertex by vertex, where that makes it lighter.
//
//   - George 1973: Nested dissection of a regular finite element mesh. SIAM
//     Journal on Numerical Analysis 10.
//   - Fiduccia, Mattheyses 1982: A linear-time heuristic for improving network
//     partitions. 19th Design Automation Conference.
//   - Ashcraft, Liu 1998: Robust ordering of sparse matrices using multisection.
//     SIAM Journal on Matrix Analysis and Applications 19.
//   - Karypis, Kumar 1998: A fast and high quality multilevel scheme for
//     partitioning irregular graphs. SIAM Journal on Scientific Computing 20.
package dissect
