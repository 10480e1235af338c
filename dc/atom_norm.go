package dc

import "github.com/dcopt/dcopt/internal/graph/atom"

// Norm1 is the sum of |aₖ|. At aₖ = 0 the subgradient of |aₖ| is 0.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      affine
//	refuses    nothing
//	form       rows
//	source     Boyd and Vandenberghe 2004, section 6.1.1
func Norm1(a Affine) Expr { return reduce(atom.Norm1, nil, a) }

// Norm2 is the Euclidean norm of the entries of a. At zero its subgradient is
// the one along the direction with equal parts of all entries: a linearisation
// there still says "move away", where the zero subgradient would say nothing.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      affine
//	refuses    nothing
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2
func Norm2(a Affine) Expr { return reduce(atom.Norm2, nil, a) }

// Norm2Of is Norm2 of a slice of scalars.
//
//	as         Norm2
//	takes      any with a split
//	refuses    nothing
func Norm2Of[T Operand](us []T) Expr { return reduceAny(atom.Norm2, nil, exprs(us)) }

// sumOfEach is the sum of |eₖ|, or of eₖ².
func sumOfEach(row *atom.Reduce, es []Expr) Expr {
	if allAffine(es) {
		return reduceAny(row, nil, es)
	}
	parts := make([]Expr, len(es))
	for k, e := range es {
		if parts[k] = Abs(e); row == atom.SumSquares {
			parts[k] = Square(e)
		}
	}
	return sumExprs(parts)
}
