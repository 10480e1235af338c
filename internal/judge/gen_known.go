package judge

import (
	"math"

	"github.com/dcopt/dcopt/internal/judge/exact"
)

// convexAtom is a convex function of affine arguments.
func (s *source) convexAtom() *exact.Node {
	switch s.IntN(16) {
	case 0, 1:
		return exact.Pow(s.affine(), float64(2+2*s.IntN(2)))
	case 2, 3:
		return exact.Apply(exact.OpAbs, s.affine())
	case 4:
		return exact.Scale(-1, exact.Apply(exact.OpSqrt, s.positive()))
	case 5:
		return exact.Scale(-1, exact.Apply(exact.OpLog, s.positive()))
	case 6:
		return exact.Scale(-1, exact.Apply(exact.OpEntr, s.positive()))
	case 7:
		return exact.Apply(exact.OpInvPos, s.positive())
	case 8:
		return exact.Apply(exact.OpExp, s.gentle())
	case 9:
		return exact.Apply(exact.OpLogistic, s.gentle())
	case 10:
		return exact.Apply(exact.OpNorm2, s.affine(), s.affine(), s.affine())
	case 11:
		return exact.Apply(exact.OpQuadOverLin, s.affine(), s.positive())
	case 12:
		return exact.Huber(s.affine(), s.weight())
	case 13:
		return exact.Apply(exact.OpLSE, s.gentle(), s.gentle(), s.gentle())
	case 14:
		return exact.Apply(exact.OpKL, s.positive(), s.positive())
	}
	return exact.Apply(exact.OpMax, s.affine(), s.affine(), s.convexSum(1))
}

func (s *source) convexSum(terms int) *exact.Node {
	list := make([]*exact.Node, terms)
	for k := range list {
		list[k] = exact.Scale(s.weight(), s.convexAtom())
	}
	return exact.Add(list...)
}

// convex problems have a feasible point, which bounds the optimum.
func (s *source) convex() *Problem {
	s.box(1+s.IntN(4), s.log10(-3, 4))
	p := &Problem{Lo: s.lo, Hi: s.hi, Objective: s.convexSum(1 + s.IntN(3)), Planted: s.point(), Convex: true}
	for range s.IntN(3) {
		e := s.convexSum(1 + s.IntN(2))
		if v, ok := s.value(e, p.Planted); ok {
			b := outward(v, s.weight()*math.Abs(v), AtMost)
			p.Constraints = append(p.Constraints, Constraint{Rows: []Row{{e, AtMost, b}}})
		}
	}
	if s.IntN(2) == 0 {
		p.Start = p.Planted
	}
	return p
}

// infeasible problems break some row by more than a tenth of its terms at every
// point of the box.
func (s *source) infeasible() *Problem {
	s.box(1+s.IntN(3), s.log10(-3, 4))
	p := &Problem{Lo: s.lo, Hi: s.hi, Objective: s.sum(1), Infeasible: true}
	if s.IntN(2) == 0 {
		p.Objective = s.affine()
	}
	row := func(e *exact.Node, rel Relation, b float64) {
		p.Constraints = append(p.Constraints, Constraint{Rows: []Row{{e, rel, b}}})
	}
	c := s.coefs()
	top := s.largest(c)
	switch s.IntN(5) {
	case 0: // beyond the box
		row(exact.Affine(c, 0), AtLeast, digits(1.5*top, 6))
	case 1: // beyond the box, DC
		row(exact.Apply(exact.OpNorm2, exact.Affine(c, 0), exact.Var(0)), AtLeast, digits(2*(top+s.hi[0]), 6))
	case 2: // squares below 0
		row(exact.Apply(exact.OpSumSq, s.affine(), s.affine()), AtMost, -s.weight())
	case 3: // between two that do not overlap
		e, b := exact.Apply(exact.OpNorm1, s.affine(), s.affine()), s.weight()*top
		row(e, AtMost, digits(b, 6))
		row(e, AtLeast, digits(2*b, 6))
	default: // an equation beyond the box
		row(exact.Affine(c, 0), Equal, -digits(1.5*top, 6))
	}
	if r, ok := s.feasibleRow(s.sum(0), s.point()); ok {
		p.Constraints = append(p.Constraints, Constraint{Rows: []Row{r}})
	}
	return p
}

// unbounded problems are so along a variable that no row has, without a local
// minimum on the way but at a kink.
func (s *source) unbounded() *Problem {
	n := 2 + s.IntN(2)
	s.box(n, 1000)
	u, w := exact.Var(n-1), s.weight()
	s.lo, s.hi = s.lo[:n-1], s.hi[:n-1] // for what the others do
	rest := s.convexSum(1)
	row, ok := s.feasibleRow(s.convexSum(1), s.point())
	inf := math.Inf(1)
	p := &Problem{Unbounded: true}
	for k := range n {
		p.Lo, p.Hi = append(p.Lo, -inf), append(p.Hi, inf)
		if k < n-1 { // bounds are rows: a line of the declaration has all or none
			p.Constraints = append(p.Constraints, Constraint{Rows: []Row{{exact.Var(k), AtMost, s.hi[k]}}},
				Constraint{Rows: []Row{{exact.Var(k), AtLeast, s.lo[k]}}})
		}
	}
	if ok {
		row.Rel, row.B = AtMost, math.Abs(row.B)*2+1
		p.Constraints = append(p.Constraints, Constraint{Rows: []Row{row}})
	}
	var down *exact.Node
	switch s.IntN(6) {
	case 0:
		down = exact.Scale(w, u)
	case 1:
		down = exact.Scale(-w, exact.Apply(exact.OpAbs, u))
	case 2:
		down = exact.Scale(-w, exact.Pow(u, 2))
	case 3:
		down = exact.Scale(w, exact.Pow(u, 3))
	case 4:
		down = exact.Add(u, exact.Scale(-w, exact.Apply(exact.OpExp, u)))
	default:
		down = exact.Add(exact.Scale(-1, exact.Apply(exact.OpNorm1, u, exact.Scale(2, u))),
			exact.Apply(exact.OpNorm2, u, exact.Scale(w, exact.Var(0))))
	}
	p.Objective = exact.Add(rest, down)
	return p
}
