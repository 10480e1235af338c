package decode

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/wire"
)

// grouped are the groups of argument a, g of m entries, each with an entry of argument t.
func (s *stating) grouped(t, a int) (g, m int) {
	if g, m = groups(s.c.Groups, s.args[a].n()); s.args[t].n() != g {
		refuse("%s of %d groups with %d entries beside them", s.c.Kind, g, s.args[t].n())
	}
	s.out.n = g * (m + 1)
	return g, m
}

func (s *stating) secondOrder() {
	g, m := s.grouped(0, 1)
	t, x := s.args[0].array(), s.args[1].array()
	affine := s.args[0].affine() && s.args[1].affine()
	for k := range g {
		u := x.Slice(k*m, (k+1)*m)
		rest := func(dst []float64) []float64 { return dst[g+k*m : g+(k+1)*m] }
		if affine {
			s.add(dc.InCone(convex.SecondOrderCone, 0, dc.Stack(t.At(k), u)), func(dst, y, _ []float64) {
				dst[k] = y[0]
				copy(rest(dst), y[1:])
			}, k)
		} else {
			s.add(dc.LE(dc.Norm2(u), t.At(k)), func(dst, y, x []float64) {
				dst[k] = y[0]
				at := u.Values(x)
				if size := floats.Norm(at, 2); size > 0 {
					floats.ScaleTo(rest(dst), -y[0]/size, at)
				}
			}, k)
		}
	}
}

// triples are cones of three entries, one from each argument.
func (s *stating) triples(kind convex.ConeKind) {
	n := s.args[0].n()
	for _, v := range s.args {
		if v.n() != n {
			refuse("%s of %d, %d and %d entries", s.c.Kind, s.args[0].n(), s.args[1].n(), s.args[2].n())
		}
		if !v.affine() {
			s.curved("the arguments of " + s.c.Kind + " must be affine")
		}
	}
	alpha := s.alpha(n)
	s.out.n = 3 * n
	for k := range n {
		spread := func(dst, y, _ []float64) { dst[k], dst[n+k], dst[2*n+k] = y[0], y[1], y[2] }
		x, y, a := s.args[0].expr(k), s.args[1].expr(k), 0.0
		if kind == convex.PowerCone {
			x, y, a = s.based(x), s.based(y), alpha[k]
		}
		s.add(dc.InCone(kind, a, dc.Stack(x, y, s.args[2].expr(k))), spread, k)
	}
}

// alpha are n powers.
func (s *stating) alpha(n int) []float64 {
	switch {
	case s.c.Kind == "exp":
		return nil
	case s.c.Alpha == nil:
		refuseAs(wire.ErrRequest, "a constraint %s without alpha", s.c.Kind)
	}
	out := fitted("alpha", s.c.Alpha.V, n)
	for k, v := range out {
		if !(v > 0 && v <= 1) || v == 1 && s.c.Kind == "pow" {
			refuse("alpha %d is %g, want 0 < alpha < 1", k, v)
		}
	}
	return out
}

// power is Π W^α ≥ |z| for each group of W. A group of two is a power cone; a longer one
// is a chain of them: W₁ and a variable t₁ above |z|, W₂ and t₂ above t₁, and so on, with
// the multipliers of W and z among the ones of the cones (Chares 2009, Cones and
// interior-point algorithms for structured convex optimization involving powers and
// exponentials).
func (s *stating) power() {
	g, m := s.grouped(1, 0)
	w, z := s.args[0], s.args[1]
	if !w.affine() || !z.affine() {
		s.curved("the arguments of pownd must be affine")
	}
	alpha := s.alpha(w.n())
	for k := range g {
		part := alpha[k*m : (k+1)*m]
		left := make([]float64, m+1) // the sums of the powers from an entry on
		for j := m - 1; j >= 0; j-- {
			left[j] = left[j+1] + part[j]
		}
		if math.Abs(left[0]-1) > 1e-9 {
			refuse("the alphas of group %d add up to %g, want 1", k, left[0])
		}
		below, at := z.expr(k), m*g+k // and the place of its multiplier
		for side, sign := range []float64{1, -1} {
			if m > 1 {
				break
			}
			s.add(dc.LE(below.Scale(sign), w.expr(k)), func(dst, y, _ []float64) { // sign z ≤ W
				dst[k] += y[0]
				dst[at] -= sign * y[0]
			}, k, side)
		}
		for j := range m - 1 {
			rest := s.based(w.expr(k*m + m - 1))
			if j < m-2 {
				rest = s.link(dc.StartAt(1))
			}
			c := dc.InCone(convex.PowerCone, part[j]/left[j], dc.Stack(s.based(w.expr(k*m+j)), rest, below))
			s.add(c, func(dst, y, _ []float64) {
				dst[k*m+j] = y[0]
				if j == m-2 {
					dst[k*m+j+1] = y[1]
				}
				if j == 0 {
					dst[at] = y[2]
				}
			}, k, j)
			below = rest
		}
	}
}

// based is an argument of a power: a negative number becomes a variable with that value, as
// there is no power of it, but a cone with it, which excludes every point.
func (s *stating) based(a dc.Expr) dc.Expr {
	if l := a.Linear(0); len(l.Idx) == 0 && l.Const < 0 {
		return s.link(dc.AtLeast(l.Const), dc.AtMost(l.Const))
	}
	return a
}

func (s *stating) semidefinite() {
	v := s.args[0]
	n, ok := v.order()
	switch {
	case !ok:
		refuse("psd of %d entries, want a square matrix", v.n())
	case !v.affine():
		s.curved("the argument of psd must be affine")
	}
	s.out.n = n * n
	if n == 0 {
		return
	}
	a := v.array().Reshape(n, n)
	if _, _, ok := dc.IsSymmetric(a); !ok {
		a = a.Add(a.T()).Scale(0.5)
	}
	s.add(dc.Semidefinite(a), nil)
}
