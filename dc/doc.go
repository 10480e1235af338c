// Package dc states difference-of-convex (DC) programs
//
//	minimise    g₀(x) − h₀(x)
//	subject to  gᵢ(x) − hᵢ(x) ≤ 0
//
// with all g and h convex. The split is found, not asked for: arrays of variables go
// into atoms ([Norm1], [Max], [SumSquares], ...), atoms are added, scaled, negated,
// multiplied and compared, and every [Expr] carries its g and h.
//
// An Expr is an array with a shape, affine or not. Functions of a number, as [Abs] and
// [Mul], go entry by entry, and a number meets all entries of an array. Functions of an
// array, as [Sum] and [Norm2], take all entries, or by [Expr.Along] those along an axis.
// [Pairs] and [Expr.Rows] make the two sides of all pairs.
//
// [LE], [GE], [EQ] and [Between] state a [Constraint] for each entry of the arrays that
// they compare; [Constraint.Named] and [Constraint.ForEach] name them.
//
// A [Model] collects variables, an objective and constraints; Model.Problem checks them.
// [Model.SubjectTo] returns a [Statement], which has the multipliers of its constraints
// at a solution. Solving is package ccp's work: it needs of a g that it can be
// represented by rows, a quadratic and cones ([Representer]), and of an h only
// values and subgradients ([Convex]); so a function of yours may be an h
// ([Oracle]). Numbers that change from one solve to the next are a [Param].
//
// The comment of every atom has its arguments, curvature, sign, direction and
// domain, the arguments that it takes and refuses, the form of its
// representation and the source of that; docs/atoms.md is made of these comments.
//
// Mistakes do not panic. An Expr made from mismatched shapes or by an unknown
// rule carries the error along; it comes out of Err and of Model.Problem.
//
// References: Lipp and Boyd 2016, Variations and extension of the
// convex-concave procedure; Shen, Diamond, Gu and Boyd 2016, Disciplined
// convex-concave programming; Boyd and Vandenberghe 2004, Convex Optimization;
// Horst and Thoai 1999, DC programming: overview; Grant, Boyd and Ye 2006,
// Disciplined convex programming; Alizadeh 1995, Interior point methods in
// semidefinite programming with applications to combinatorial optimization;
// Ben-Tal and Nemirovski 2001, Lectures on modern convex optimization; Recht,
// Fazel and Parrilo 2010, Guaranteed minimum-rank solutions of linear matrix
// equations via nuclear norm minimization; Chares 2009, Cones and
// interior-point algorithms for structured convex optimization involving powers
// and exponentials; Lobo, Vandenberghe, Boyd and Lebret 1998, Applications of
// second-order cone programming; Huber 1964, Robust estimation of a location
// parameter; Mangasarian and Musicant 2000, Robust linear and support vector
// regression.
package dc
