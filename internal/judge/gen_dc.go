package judge

import (
	"math"

	"github.com/dcopt/dcopt/internal/judge/exact"
)

// atom is a function with a split, of affine arguments.
func (s *source) atom() *exact.Node {
	switch s.IntN(22) {
	case 0, 1:
		return exact.Pow(s.affine(), 2)
	case 2:
		return exact.Pow(s.affine(), 3)
	case 3:
		return exact.Pow(s.affine(), 4)
	case 4:
		return exact.Pow(s.positive(), []float64{-2, -1, 1.5, 0.25, 2.5}[s.IntN(5)])
	case 5, 6:
		return exact.Apply(exact.OpAbs, s.affine())
	case 7, 8:
		return exact.Mul(s.affine(), s.affine())
	case 9:
		return exact.Apply(exact.OpSqrt, s.positive())
	case 10:
		return exact.Apply(exact.OpLog, s.positive())
	case 11:
		return exact.Apply(exact.OpEntr, s.positive())
	case 12:
		return exact.Apply(exact.OpInvPos, s.positive())
	case 13:
		return exact.Apply(exact.OpLogistic, s.gentle())
	case 14:
		return exact.Apply(exact.OpExp, s.gentle())
	case 15:
		return exact.Apply(exact.OpNorm2, s.affine(), s.affine())
	case 16:
		return exact.Apply([]exact.Op{exact.OpNorm1, exact.OpNormInf, exact.OpSumSq}[s.IntN(3)], s.affine(), s.affine())
	case 17:
		return exact.SumLargest(2, s.affine(), s.affine(), exact.Apply(exact.OpAbs, s.affine()))
	case 18:
		return exact.Apply(exact.OpLSE, s.gentle(), s.gentle())
	case 19:
		return exact.Huber(s.affine(), s.weight())
	case 20:
		return exact.Apply(exact.OpQuadOverLin, s.affine(), s.positive())
	}
	return s.rare()
}

func (s *source) rare() *exact.Node {
	switch s.IntN(4) {
	case 0:
		return exact.Apply(exact.OpKL, s.positive(), s.positive())
	case 1:
		return exact.Apply(exact.OpGeoMean, s.positive(), s.positive())
	case 2:
		n := len(s.lo)
		q, x := make([][]float64, n), make([]*exact.Node, n)
		for i := range q {
			q[i], x[i] = make([]float64, n), exact.Var(i)
			for k := range i + 1 {
				q[i][k] = s.coef()
				q[k][i] = q[i][k]
			}
		}
		if n == 1 {
			return exact.Scale(q[0][0], exact.Pow(exact.Var(0), 2))
		}
		return exact.Quad(q, x...)
	}
	return exact.Apply(exact.OpPos, s.affine())
}

// sum is a weighted sum of atoms, maxima and minima of either sign.
func (s *source) sum(depth int) *exact.Node {
	var terms []*exact.Node
	for range 1 + s.IntN(3) {
		t := s.atom()
		if depth > 0 {
			switch s.IntN(s.choices) {
			case 0:
				t = exact.Apply(exact.OpMax, s.sum(depth-1), s.sum(depth-1))
			case 1:
				t = exact.Apply(exact.OpMin, s.sum(depth-1), s.sum(depth-1))
			case 2:
				t = exact.Apply(exact.OpAbs, s.sum(depth-1))
			}
		}
		terms = append(terms, exact.Scale(s.sign()*s.weight(), t))
	}
	return exact.Add(terms...)
}

// feasibleRow is a row that x keeps: with equality, or with room of a share of
// the value of the expression.
func (s *source) feasibleRow(e *exact.Node, x []float64) (Row, bool) {
	v, ok := s.value(e, x)
	if !ok {
		return Row{}, false
	}
	r := Row{E: e, Rel: Relation(s.IntN(2))}
	room := s.weight() * math.Abs(v) * 0.1
	if s.IntN(3) == 0 {
		room = 0
	}
	r.B = outward(v, room, r.Rel)
	return r, !math.IsInf(r.B, 0) && math.Abs(r.B) < 1e300
}

// outward is a right-hand side of at most 8 digits where that leaves v on the
// feasible side.
func outward(v, room float64, rel Relation) float64 {
	if rel == AtLeast {
		return -outward(-v, room, AtMost)
	}
	step := max(math.Abs(v)*1e-7, 1e-12)
	b := digits(v+room+step, 8)
	if b < v {
		b = v + room + step
	}
	return b
}

// dcProblem is a random DC problem in the box of s with a planted point.
func (s *source) dcProblem() *Problem {
	p := &Problem{Lo: s.lo, Hi: s.hi, Objective: s.sum(2), Maximize: s.IntN(4) == 0, Planted: s.point()}
	for rows := s.IntN(3); rows > 0; rows-- {
		e := s.sum(1)
		if r, ok := s.feasibleRow(e, p.Planted); ok {
			p.Constraints = append(p.Constraints, Constraint{Rows: []Row{r}})
		}
	}
	switch s.IntN(4) {
	case 0:
		p.Start = p.Planted
	case 1:
		p.Start = s.point()
	}
	return p
}

// boxes draws from boxes of 1e-6 to 1e6.
func (s *source) boxes() *Problem {
	s.box(1+s.IntN(4), s.log10(-6, 6))
	return s.dcProblem()
}

// decades draws coefficients over twelve decades.
func (s *source) decades() *Problem {
	s.orders = 6
	s.box(1+s.IntN(3), []float64{1, 60, 1000}[s.IntN(3)])
	return s.dcProblem()
}

// equations are DC constraints with == that a planted point meets.
func (s *source) equations() *Problem {
	s.box(2+s.IntN(3), s.log10(-3, 3))
	p := s.dcProblem()
	p.Constraints = nil
	for range 1 + s.IntN(len(s.lo)-1) {
		e := s.sum(0)
		if v, ok := s.value(e, p.Planted); ok {
			p.Constraints = append(p.Constraints, Constraint{Rows: []Row{{e, Equal, v}}})
		}
	}
	return p
}

// mixed has a box of its own for each variable, over twelve decades, bounds
// that do not lie about 0, and variables of either sign.
func (s *source) mixed() *Problem {
	n := 2 + s.IntN(3)
	s.box(n, 1)
	for k := range n {
		mid, half := s.sign()*s.log10(-6, 6), s.log10(-6, 6)
		s.lo[k], s.hi[k] = digits(mid-half, 6), digits(mid+half, 6)
		if s.IntN(3) == 0 {
			s.lo[k] = 0
			s.hi[k] = half
		}
	}
	return s.dcProblem()
}
