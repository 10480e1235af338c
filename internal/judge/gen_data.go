package judge

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/judge/exact"
)

// outliers are robust fits of data in which a few values are wrong by up to
// 1e12: sums of capped squares, of capped absolute values, trimmed squares,
// k-means with far points, and a capped sum as a constraint.
func (s *source) outliers() *Problem {
	if s.IntN(4) == 0 {
		return s.centres()
	}
	m := 6 + s.IntN(15)
	u, v := make([]float64, m), make([]float64, m)
	slope, shift := short(s.NormFloat64(), 2), short(s.NormFloat64(), 2)
	for i := range m {
		u[i] = short(3*s.NormFloat64(), 3)
		v[i] = short(slope*u[i]+shift+0.1*s.NormFloat64(), 4)
	}
	far := 1 + s.IntN(3)
	for range far {
		v[s.IntN(m)] = s.sign() * s.log10(min(3, s.far), s.far)
		if s.IntN(4) == 0 {
			u[s.IntN(m)] = s.sign() * s.log10(min(3, s.far), s.far)
		}
	}
	p := &Problem{Params: []string{fmt.Sprintf("param u = %s, v = %s", exact.Vector(u), exact.Vector(v))}}
	s.box(2, []float64{10, math.Inf(1)}[s.IntN(2)])
	p.Lo, p.Hi = s.lo, s.hi
	p.NonNegative = true
	residual := make([]*exact.Node, m)
	for i := range m {
		residual[i] = exact.Affine([]float64{-u[i], -1}, v[i])
	}
	s.robust(p, residual, far)
	return p
}

// robust states one of the fits of the residuals v[i] - x[1] u[i] - x[2].
func (s *source) robust(p *Problem, residual []*exact.Node, far int) {
	m := len(residual)
	const r = "(v[i] - x[1]*u[i] - x[2])"
	each := func(f func(*exact.Node) *exact.Node) []*exact.Node {
		out := make([]*exact.Node, m)
		for i := range out {
			out[i] = f(residual[i])
		}
		return out
	}
	capped := exact.Add(each(func(e *exact.Node) *exact.Node {
		return exact.Apply(exact.OpMin, exact.Apply(exact.OpSquare, e), exact.Const(1))
	})...).
		As("(sum(i in 1..%d) min(%s^2, 1))", m, r)
	switch s.IntN(5) {
	case 0:
		p.Objective = capped
	case 1:
		p.Objective = exact.Add(each(func(e *exact.Node) *exact.Node {
			return exact.Apply(exact.OpMin, exact.Apply(exact.OpAbs, e), exact.Const(2))
		})...).
			As("sum(i in 1..%d) min(abs(%s), 2)", m, r)
	case 2: // the sum of the m - far smallest
		p.Params = append(p.Params, fmt.Sprintf("param m = %d", m))
		kept := exact.SumLargest(m-far, each(func(e *exact.Node) *exact.Node {
			return exact.Scale(-1, exact.Apply(exact.OpSquare, e))
		})...)
		p.Objective = exact.Scale(-1, kept).As("sum(i in 1..m) %s^2 - sumlargest((v - x[1]*u - x[2])^2, %d)", r, far)
	case 3:
		p.Objective = exact.Add(each(func(e *exact.Node) *exact.Node {
			return exact.Huber(e, 1)
		})...).As("sum(i in 1..%d) huber(%s, 1)", m, r)
		p.Convex = true
		p.Planted = []float64{0, 0}
	default:
		p.Objective = exact.Apply(exact.OpAbs, exact.Add(exact.Var(0), exact.Const(-5)))
		p.Constraints = []Constraint{{[]Row{{capped, AtMost, float64(far + 2)}},
			fmt.Sprintf("%s <= %d", capped, far+2)}}
	}
}

// centres is k-means with a far point, or several.
func (s *source) centres() *Problem {
	m, k := 8+s.IntN(12), 2+s.IntN(2)
	points := make([][]float64, m)
	for i := range points {
		points[i] = []float64{short(float64(3*s.IntN(k))+0.3*s.NormFloat64(), 3), short(s.NormFloat64(), 3)}
	}
	for range 1 + s.IntN(2) {
		points[s.IntN(m)] = []float64{s.log10(2, 0.75*s.far), s.sign() * s.log10(2, 0.75*s.far)}
	}
	nearest := make([]*exact.Node, m)
	for i, q := range points {
		var to []*exact.Node
		for c := range k {
			to = append(to,
				exact.Apply(exact.OpSumSq, exact.Add(exact.Const(q[0]), exact.Scale(-1, exact.Var(2*c))),
					exact.Add(exact.Const(q[1]), exact.Scale(-1, exact.Var(2*c+1)))))
		}
		nearest[i] = exact.Apply(exact.OpMin, to...)
	}
	p := &Problem{Params: []string{"param P = " + exact.Matrix(points)}, NonNegative: true}
	s.box(2*k, math.Inf(1))
	p.Lo, p.Hi = s.lo, s.hi
	p.Objective = exact.Add(nearest...).As("sum(i in 1..%d) min(k in 1..%d) sumsq(P[i,:] - [x[2*k-1], x[2*k]])", m, k)
	p.Start = make([]float64, 2*k)
	for c := range p.Start {
		p.Start[c] = short(3*s.Float64(), 3)
	}
	return p
}
