package judge

import "math"

// nestedAtom is a function or product of expressions that are neither convex nor
// concave.
func (s *source) nestedAtom() *Node {
	switch s.IntN(14) {
	case 0, 1:
		return Apply(OpSquare, s.sum(0))
	case 2, 3:
		return Mul(s.sum(0), s.sum(0))
	case 4:
		return Mul(Mul(s.affine(), s.affine()), s.affine())
	case 5:
		return Pow(s.sum(0), 3)
	case 6:
		return Apply(OpSqrt, Add(Const(1), Apply(OpSumSq, s.affine(), s.affine())))
	case 7:
		return Apply(OpLog, Add(Const(1), Pow(s.affine(), 2)))
	case 8:
		return Apply([]Op{OpExp, OpLogistic}[s.IntN(2)], s.gentleProduct())
	case 9:
		return Div(s.affine(), s.positive())
	case 10:
		return Div(s.sum(0), Add(Const(1), Apply(OpSumSq, s.affine(), s.affine())))
	case 11:
		return Apply(OpInvPos, Add(Const(1), Pow(s.affine(), 2)))
	case 12:
		return Mul(Apply(OpMax, s.affine(), s.affine()), Apply(OpMin, s.affine(), s.affine()))
	}
	return Apply(OpSquare, Add(Apply(OpNorm2, s.affine(), s.affine()), Const(-s.weight())))
}

// gentleProduct is a product of affine functions of at most 3 in the box.
func (s *source) gentleProduct() *Node {
	u, v := s.coefs(), s.coefs()
	scale := 3 / max(s.largest(u)*s.largest(v), 1e-300)
	return Scale(digits(scale, 3), Mul(Affine(u, 0), Affine(v, 0)))
}

// nested has squares, products, quotients and functions of expressions that are
// neither convex nor concave.
func (s *source) nested() *Problem {
	s.box(1+s.IntN(3), s.log10(-2, 3))
	p := s.dcProblem()
	p.Objective = Add(Scale(s.sign()*s.weight(), s.nestedAtom()), p.Objective)
	if s.IntN(2) == 0 {
		if r, ok := s.feasibleRow(Add(s.nestedAtom(), s.affine()), p.Planted); ok {
			p.Constraints = append(p.Constraints, Constraint{Rows: []Row{r}})
		}
	}
	return p
}

// defined has variables that equations define: t == e(x), with the t in the
// objective. Their bounds are a hundred times their values at the planted point.
func (s *source) defined() *Problem {
	s.box(1+s.IntN(3), s.log10(-1, 2))
	n, m := len(s.lo), 1+s.IntN(2)
	p := &Problem{Planted: s.point(), Defined: m}
	var defining []*Node
	for len(defining) < m {
		e := s.sum(0)
		if v, ok := s.value(e, p.Planted[:n]); ok {
			defining = append(defining, e)
			p.Planted = append(p.Planted, v)
		}
	}
	p.Lo, p.Hi = append(p.Lo, s.lo...), append(p.Hi, s.hi...)
	terms := []*Node{Scale(s.coef(), Var(0))}
	for k, e := range defining {
		room := digits(100*math.Abs(p.Planted[n+k])+100, 3)
		p.Lo, p.Hi = append(p.Lo, -room), append(p.Hi, room)
		terms = append(terms, Scale(s.sign()*s.weight(), Var(n+k)))
		row := Row{Add(Var(n+k), Scale(-1, e)), Equal, 0}
		p.Constraints = append(p.Constraints, Constraint{Rows: []Row{row}})
	}
	p.Objective = Add(terms...)
	return p
}
