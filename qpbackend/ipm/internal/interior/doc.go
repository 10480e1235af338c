// Package interior is one run of the interior point method of package ipm over a scaled problem:
// from a first point, or from a proposed one, it steps until a Judge has seen enough. It knows no
// units, certificates or statuses.
//
// A Work has the vectors. The slacks and multipliers of one-sided bounds and of cones are two
// parts behind one interface; the problem itself and its homogeneous embedding are two methods
// behind another one. Every step takes a predictor and a corrector, by a factorisation of package
// kkt in which the parts are eliminated.
//
// References: see package ipm.
package interior
