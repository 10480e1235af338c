package decode

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/wire"
)

// grouped are the groups of argument a, g of m entries, each with an entry of argument t.
func (s *stating) grouped(t, a int) (g, m int, err *Error) {
	if g, m, err = groups(s.c.Groups, s.args[a].n()); err == nil && s.args[t].n() != g {
		err = problemf("%s of %d groups with %d entries beside them", s.c.Kind, g, s.args[t].n())
	}
	s.out.n = g * (m + 1)
	return g, m, err
}

func (s *stating) secondOrder() *Error {
	g, m, err := s.grouped(0, 1)
	if err != nil {
		return err
	}
	t, x := &s.args[0], &s.args[1]
	for k := range g {
		u := x.a.Slice(k*m, (k+1)*m)
		rest := func(dst []float64) []float64 { return dst[g+k*m : g+(k+1)*m] }
		if t.affine() && x.affine() {
			err = s.add(dc.InCone(convex.SecondOrderCone, 0, dc.Stack(t.a.At(k), u)), func(dst, y, _ []float64) {
				dst[k] = y[0]
				copy(rest(dst), y[1:])
			}, k)
		} else {
			err = s.add(dc.LE(dc.Norm2(u), t.expr(k)), func(dst, y, x []float64) {
				dst[k] = y[0]
				at := u.Values(x)
				if size := floats.Norm(at, 2); size > 0 {
					floats.ScaleTo(rest(dst), -y[0]/size, at)
				}
			}, k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// triples are cones of three entries, one from each argument.
func (s *stating) triples(kind convex.ConeKind) *Error {
	n := s.args[0].n()
	for i := range s.args {
		if s.args[i].n() != n {
			return problemf("%s of %d, %d and %d entries", s.c.Kind, s.args[0].n(), s.args[1].n(), s.args[2].n())
		}
		if !s.args[i].affine() {
			return s.curved("the arguments of " + s.c.Kind + " must be affine")
		}
	}
	alpha, err := s.alpha(n)
	if err != nil {
		return err
	}
	s.out.n = 3 * n
	for k := range n {
		spread := func(dst, y, _ []float64) { dst[k], dst[n+k], dst[2*n+k] = y[0], y[1], y[2] }
		x, y, a := s.args[0].a.At(k), s.args[1].a.At(k), 0.0
		if kind == convex.PowerCone {
			x, y, a = s.based(x), s.based(y), alpha[k]
		}
		if err := s.add(dc.InCone(kind, a, dc.Stack(x, y, s.args[2].a.At(k))), spread, k); err != nil {
			return err
		}
	}
	return nil
}

// alpha are n powers.
func (s *stating) alpha(n int) ([]float64, *Error) {
	switch {
	case s.c.Kind == "exp":
		return nil, nil
	case s.c.Alpha == nil:
		return nil, newError(wire.ErrRequest, "a constraint %s without alpha", s.c.Kind)
	}
	if err := fit("alpha", s.c.Alpha.V, n); err != nil {
		return nil, err
	}
	out := spread(s.c.Alpha.V, n)
	for k, v := range out {
		if !(v > 0 && v <= 1) || v == 1 && s.c.Kind == "pow" {
			return nil, problemf("alpha %d is %g, want 0 < alpha < 1", k, v)
		}
	}
	return out, nil
}

// power is Π W^α ≥ |z| for each group of W. A group of two is a power cone; a longer one
// is a chain of them: W₁ and a variable t₁ above |z|, W₂ and t₂ above t₁, and so on, with
// the multipliers of W and z among the ones of the cones (Chares 2009, Cones and
// interior-point algorithms for structured convex optimization involving powers and
// exponentials).
func (s *stating) power() *Error {
	g, m, err := s.grouped(1, 0)
	if err != nil {
		return err
	}
	w, z := &s.args[0], &s.args[1]
	if !w.affine() || !z.affine() {
		return s.curved("the arguments of pownd must be affine")
	}
	alpha, err := s.alpha(w.n())
	if err != nil {
		return err
	}
	for k := range g {
		part := alpha[k*m : (k+1)*m]
		left := make([]float64, m+1) // the sums of the powers from an entry on
		for j := m - 1; j >= 0; j-- {
			left[j] = left[j+1] + part[j]
		}
		if math.Abs(left[0]-1) > 1e-9 {
			return problemf("the alphas of group %d add up to %g, want 1", k, left[0])
		}
		below, at := z.a.At(k), m*g+k // and the place of its multiplier
		for side, sign := range []float64{1, -1} {
			if m > 1 {
				break
			}
			if err := s.add(dc.LE(below.Scale(sign), w.a.At(k)), func(dst, y, _ []float64) { // sign z ≤ W
				dst[k] += y[0]
				dst[at] -= sign * y[0]
			}, k, side); err != nil {
				return err
			}
		}
		for j := range m - 1 {
			rest := s.based(w.a.At(k*m + m - 1))
			if j < m-2 {
				rest = s.link(dc.StartAt(1))
			}
			c := dc.InCone(convex.PowerCone, part[j]/left[j], dc.Stack(s.based(w.a.At(k*m+j)), rest, below))
			if err := s.add(c, func(dst, y, _ []float64) {
				dst[k*m+j] = y[0]
				if j == m-2 {
					dst[k*m+j+1] = y[1]
				}
				if j == 0 {
					dst[at] = y[2]
				}
			}, k, j); err != nil {
				return err
			}
			below = rest
		}
	}
	return nil
}

// based is an argument of a power: a negative number becomes a variable with that value, as
// there is no power of it, but a cone with it, which excludes every point.
func (s *stating) based(a dc.Expr) dc.Expr {
	if l := a.Linear(0); len(l.Idx) == 0 && l.Const < 0 {
		return s.link(dc.AtLeast(l.Const), dc.AtMost(l.Const))
	}
	return a
}

func (s *stating) semidefinite() *Error {
	v, n := &s.args[0], 0
	for n*n < v.n() {
		n++
	}
	switch {
	case n*n != v.n():
		return problemf("psd of %d entries, want a square matrix", v.n())
	case !v.affine():
		return s.curved("the argument of psd must be affine")
	}
	s.out.n = n * n
	if n == 0 {
		return nil
	}
	a := v.a.Reshape(n, n)
	if _, _, ok := dc.IsSymmetric(a); !ok {
		a = a.Add(a.T()).Scale(0.5)
	}
	return s.add(dc.Semidefinite(a), nil)
}
