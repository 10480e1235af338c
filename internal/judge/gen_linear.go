package judge

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/judge/exact"
)

// linear is a linear program with a known optimum: whole numbers A, z and
// multipliers y >= 0 make z optimal, then rows and columns are scaled by powers
// of two, so that all of it is exact in float64. Some right-hand sides and
// bounds are of no consequence and up to 1e15.
func (s *source) linear() *Problem {
	n, m := 2+s.IntN(5), 2+s.IntN(5)
	s.box(n, 50)
	a, b, z := s.wholeMatrix(m, n), make([]float64, m), s.wholes(n, 9)
	c := make([]float64, n) // of the minimised c x
	for k := range n {
		s.lo[k], s.hi[k] = -50, 50
		switch s.IntN(4) {
		case 0: // at its lower bound, with a reduced cost
			s.lo[k], c[k] = z[k], c[k]+float64(s.IntN(5))
		case 1:
			s.hi[k], c[k] = z[k], c[k]-float64(s.IntN(5))
		case 2:
			s.hi[k] = s.log10(2, 15)
		}
	}
	for i := range m {
		b[i] = dot(a[i], z)
		switch {
		case s.IntN(2) == 0: // active, with a multiplier
			y := float64(s.IntN(4))
			for k := range n {
				c[k] -= y * a[i][k]
			}
		case s.IntN(2) == 0:
			b[i] += float64(1 + s.IntN(20))
		default:
			b[i] += s.log10(4, 15)
		}
	}
	p := &Problem{Planted: z, Convex: true}
	if s.IntN(3) == 0 {
		s.rescale(p, a, b, c)
	}
	p.Lo, p.Hi = s.lo, s.hi
	s.stateLinear(p, a, b, c)
	return p
}

// rescale multiplies rows, columns and the objective by powers of two over some
// six decades each way.
func (s *source) rescale(p *Problem, a [][]float64, b, c []float64) {
	two := func() float64 { return math.Ldexp(1, s.IntN(41)-20) }
	f := two()
	for k := range c {
		g := two()
		c[k] *= f / g
		p.Planted[k] *= g
		s.lo[k] *= g
		s.hi[k] *= g
		for i := range a {
			a[i][k] /= g
		}
	}
	for i := range a {
		g := two()
		b[i] *= g
		for k := range a[i] {
			a[i][k] *= g
		}
	}
}

// stateLinear writes the rows as one array, as a family, or each with its
// numbers, and the objective as a product of data and variables.
func (s *source) stateLinear(p *Problem, a [][]float64, b, c []float64) {
	rows := make([]Row, len(a))
	for i := range a {
		rows[i] = Row{exact.Affine(a[i], 0), AtMost, b[i]}
	}
	p.Params = append(p.Params, fmt.Sprintf("param A = %s, b = %s, c = %s", exact.Matrix(a), exact.Vector(b),
		exact.Vector(c)))
	switch s.IntN(3) {
	case 0:
		p.Constraints = []Constraint{{rows, "A*x <= b"}}
	case 1:
		p.Constraints = []Constraint{{rows, fmt.Sprintf("row[i in 1..%d]: A[i,:]*x <= b[i]", len(a))}}
	default:
		for _, r := range rows {
			p.Constraints = append(p.Constraints, Constraint{Rows: []Row{r}})
		}
	}
	p.Objective = exact.Affine(c, 0).As("c*x")
	if s.IntN(2) == 0 {
		p.Maximize = true
		neg := make([]float64, len(c))
		for k := range c {
			neg[k] = -c[k]
		}
		p.Objective = exact.Affine(neg, 0).As("(-c)*x")
	}
	switch s.IntN(3) {
	case 0:
		p.Start = s.point()
	case 1:
		p.Start = p.Planted
	}
}

func (s *source) wholes(n, most int) []float64 {
	v := make([]float64, n)
	for k := range v {
		v[k] = float64(s.IntN(2*most+1) - most)
	}
	return v
}

func (s *source) wholeMatrix(m, n int) [][]float64 {
	a := make([][]float64, m)
	for i := range a {
		a[i] = s.wholes(n, 9)
		if s.IntN(3) == 0 { // a row of one entry
			clear(a[i])
			a[i][s.IntN(n)] = float64(1 + s.IntN(9))
		}
	}
	return a
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += a[k] * b[k]
	}
	return sum
}

// quadratic is c x + the sum of squares of B x - d over A x <= b, with columns
// over twelve decades and a feasible point.
func (s *source) quadratic() *Problem {
	n, m, r := 2+s.IntN(4), 2+s.IntN(3), 2+s.IntN(3)
	s.box(n, 1)
	scale := make([]float64, n)
	for k := range n {
		scale[k] = s.log10(-6, 6)
		s.lo[k], s.hi[k] = digits(-scale[k]*s.weight(), 6), digits(scale[k]*s.weight(), 6)
	}
	matrix := func(m int) [][]float64 {
		a := make([][]float64, m)
		for i := range a {
			a[i] = make([]float64, n)
			f := 1.0
			if s.IntN(3) == 0 {
				f = s.log10(-6, 6)
			}
			for k := range n {
				a[i][k] = digits(f*s.NormFloat64()/scale[k], 6)
			}
		}
		return a
	}
	a, b, bb, d := matrix(m), make([]float64, m), matrix(r), make([]float64, r)
	p := &Problem{Lo: s.lo, Hi: s.hi, Planted: s.point(), Convex: true}
	for i := range m {
		e := exact.Affine(a[i], 0)
		v, _ := s.value(e, p.Planted)
		b[i] = outward(v, s.weight()*math.Abs(v), AtMost)
	}
	squares := make([]*exact.Node, r)
	for i := range r {
		d[i] = short(s.NormFloat64(), 3)
		squares[i] = exact.Affine(bb[i], -d[i])
	}
	s.stateLinear(p, a, b, matrix(1)[0])
	p.Start = nil
	p.Params = append(p.Params, fmt.Sprintf("param B = %s, d = %s", exact.Matrix(bb), exact.Vector(d)))
	quad := exact.Apply(exact.OpSumSq, squares...).As("sumsq(B*x - d)")
	if p.Maximize {
		quad = exact.Scale(-1, quad)
	}
	p.Objective = exact.Add(p.Objective, quad)
	return p
}
