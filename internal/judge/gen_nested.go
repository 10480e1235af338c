package judge

import (
	"math"

	"github.com/dcopt/dcopt/internal/judge/exact"
)

// nestedAtom is a function or product of expressions that are neither convex nor
// concave.
func (s *source) nestedAtom() *exact.Node {
	switch s.IntN(14) {
	case 0, 1:
		return exact.Apply(exact.OpSquare, s.sum(0))
	case 2, 3:
		return exact.Mul(s.sum(0), s.sum(0))
	case 4:
		return exact.Mul(exact.Mul(s.affine(), s.affine()), s.affine())
	case 5:
		return exact.Pow(s.sum(0), 3)
	case 6:
		return exact.Apply(exact.OpSqrt, exact.Add(exact.Const(1), exact.Apply(exact.OpSumSq, s.affine(), s.affine())))
	case 7:
		return exact.Apply(exact.OpLog, exact.Add(exact.Const(1), exact.Pow(s.affine(), 2)))
	case 8:
		return exact.Apply([]exact.Op{exact.OpExp, exact.OpLogistic}[s.IntN(2)], s.gentleProduct())
	case 9:
		return exact.Div(s.affine(), s.positive())
	case 10:
		return exact.Div(s.sum(0), exact.Add(exact.Const(1), exact.Apply(exact.OpSumSq, s.affine(), s.affine())))
	case 11:
		return exact.Apply(exact.OpInvPos, exact.Add(exact.Const(1), exact.Pow(s.affine(), 2)))
	case 12:
		return exact.Mul(exact.Apply(exact.OpMax, s.affine(), s.affine()),
			exact.Apply(exact.OpMin, s.affine(), s.affine()))
	}
	return exact.Apply(exact.OpSquare, exact.Add(exact.Apply(exact.OpNorm2, s.affine(), s.affine()),
		exact.Const(-s.weight())))
}

// gentleProduct is a product of affine functions of at most 3 in the box.
func (s *source) gentleProduct() *exact.Node {
	u, v := s.coefs(), s.coefs()
	scale := 3 / max(s.largest(u)*s.largest(v), 1e-300)
	return exact.Scale(digits(scale, 3), exact.Mul(exact.Affine(u, 0), exact.Affine(v, 0)))
}

// nested has squares, products, quotients and functions of expressions that are
// neither convex nor concave.
func (s *source) nested() *Problem {
	s.box(1+s.IntN(3), s.log10(-2, 3))
	p := s.dcProblem()
	p.Objective = exact.Add(exact.Scale(s.sign()*s.weight(), s.nestedAtom()), p.Objective)
	if s.IntN(2) == 0 {
		if r, ok := s.feasibleRow(exact.Add(s.nestedAtom(), s.affine()), p.Planted); ok {
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
	var defining []*exact.Node
	for len(defining) < m {
		e := s.sum(0)
		if v, ok := s.value(e, p.Planted[:n]); ok {
			defining = append(defining, e)
			p.Planted = append(p.Planted, v)
		}
	}
	p.Lo, p.Hi = append(p.Lo, s.lo...), append(p.Hi, s.hi...)
	terms := []*exact.Node{exact.Scale(s.coef(), exact.Var(0))}
	for k, e := range defining {
		room := digits(100*math.Abs(p.Planted[n+k])+100, 3)
		p.Lo, p.Hi = append(p.Lo, -room), append(p.Hi, room)
		terms = append(terms, exact.Scale(s.sign()*s.weight(), exact.Var(n+k)))
		row := Row{exact.Add(exact.Var(n+k), exact.Scale(-1, e)), Equal, 0}
		p.Constraints = append(p.Constraints, Constraint{Rows: []Row{row}})
	}
	p.Objective = exact.Add(terms...)
	return p
}
