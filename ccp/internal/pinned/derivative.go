package pinned

import (
	"context"
	"errors"

	"github.com/dcopt/dcopt/qpbackend"
)

// derivative is that of the problem with the columns, by that of the rest, d. With v the values of the
// columns the rest has the costs q_f + P_fc v and the sides less A_c v, and the multipliers of the
// columns are z_c = −(Px + q + A'y)_c.
type derivative struct {
	s *solver
	d qpbackend.Derivative

	point    qpbackend.Tangent
	inner    qpbackend.Update
	rest     qpbackend.Tangent
	gradient qpbackend.Tangent
	x        []float64 // of all columns
	slope    []float64
}

// errOther is the error of an inner solver without derivatives.
var errOther = errors.New("ccp: the backend has no derivatives")

// Differentiate is that of qpbackend.Differentiator.
func (s *solver) Differentiate(ctx context.Context) (qpbackend.Derivative, error) {
	inner, ok := s.inner.(qpbackend.Differentiator)
	if !ok {
		return nil, errOther
	}
	return s.derivative(inner.Differentiate(ctx))
}

// DifferentiateAt is that of qpbackend.Differentiator.
func (s *solver) DifferentiateAt(ctx context.Context, x, y, z []float64) (qpbackend.Derivative, error) {
	inner, ok := s.inner.(qpbackend.Differentiator)
	if !ok {
		return nil, errOther
	}
	if err := s.p.CheckStart(x, y, z); err != nil {
		return nil, err
	}
	return s.derivative(inner.DifferentiateAt(ctx, s.part(x), y, s.part(z)))
}

func (s *solver) derivative(inner qpbackend.Derivative, err error) (qpbackend.Derivative, error) {
	if err != nil {
		return nil, err
	}
	d := &derivative{s: s, d: inner, x: make([]float64, s.n), slope: make([]float64, s.n)}
	at := inner.Point()
	x, z := make([]float64, s.n), make([]float64, s.n)
	s.spread(x, at.X)
	s.spread(z, at.Z)
	for j := range x {
		if s.pin[j] {
			x[j] = s.p.Lo[j]
		}
	}
	copy(d.slope, s.p.Q)
	s.p.P.AddSymMulVec(d.slope, 1, x)
	s.p.A.AddMulVecT(d.slope, 1, at.Y)
	for j := range z {
		if s.pin[j] {
			z[j] = -d.slope[j]
		}
	}
	d.point = qpbackend.Tangent{X: x, Y: at.Y, Z: z}
	return d, nil
}

// part is that of the free columns.
func (s *solver) part(v []float64) []float64 {
	if len(v) == 0 {
		return nil
	}
	out := make([]float64, len(s.free))
	pick(out, v, s.free)
	return out
}

// spread writes the free part of dst.
func (s *solver) spread(dst, part []float64) {
	for f, j := range s.free {
		if f < len(part) {
			dst[j] = part[f]
		}
	}
}

// Point is that of qpbackend.Derivative.
func (d *derivative) Point() qpbackend.Tangent { return d.point }

// Regularity is that of the rest.
func (d *derivative) Regularity() qpbackend.Regularity {
	r := d.d.Regularity()
	if r.Variable >= 0 {
		r.Variable = d.s.free[r.Variable]
	}
	return r
}

// Forward is that of qpbackend.Derivative.
func (d *derivative) Forward(ctx context.Context, u qpbackend.Update, dst *qpbackend.Tangent) error {
	s, p := d.s, d.s.p
	if err := d.s.check(u); err != nil {
		return err
	}
	// The change of the slopes Px + q + A'y by the data and the columns, and of the sides by them.
	slope := d.slope
	clear(slope)
	copy(slope, u.Q)
	clear(d.x)
	for j := range d.x {
		if s.pin[j] {
			d.x[j] = (at(u.Lo, j) + at(u.Hi, j)) / 2
		}
	}
	p.P.AddSymMulVec(slope, 1, d.x)
	sides := make([]float64, s.m)
	p.A.AddMulVec(sides, 1, d.x)
	in := &d.inner
	in.P, in.A = nil, nil
	if u.P != nil {
		in.P = make([]float64, len(s.pp))
		pick(in.P, u.P, s.pp)
	}
	if u.A != nil {
		in.A = make([]float64, len(s.a))
		pick(in.A, u.A, s.a)
		for j := range d.x {
			if s.pin[j] {
				for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
					sides[p.A.RowIdx[k]] += u.A[k] * d.point.X[j]
				}
			}
		}
	}
	costs := slope
	if u.P != nil { // the free part of P is for the rest
		costs = append([]float64(nil), slope...)
		dp := *p.P
		dp.Val = append([]float64(nil), u.P...)
		for _, k := range s.pp {
			dp.Val[k] = 0
		}
		dp.AddSymMulVec(costs, 1, d.point.X)
		dp.Val = u.P
		dp.AddSymMulVec(slope, 1, d.point.X)
	}
	in.Q = s.part(costs)
	in.Lo, in.Hi = s.part(u.Lo), s.part(u.Hi)
	in.L, in.U = less(u.L, sides), less(u.U, sides)
	if err := d.d.Forward(ctx, *in, &d.rest); err != nil {
		return err
	}
	dst.Missed = d.rest.Missed
	dst.X, dst.Y, dst.Z = append(dst.X[:0], d.x...), append(dst.Y[:0], d.rest.Y...), append(dst.Z[:0], make([]float64, s.n)...)
	s.spread(dst.X, d.rest.X)
	s.spread(dst.Z, d.rest.Z)
	clear(d.x)
	s.spread(d.x, d.rest.X)
	p.P.AddSymMulVec(slope, 1, d.x)
	p.A.AddMulVecT(slope, 1, dst.Y)
	if u.A != nil {
		da := *p.A
		da.Val = u.A
		da.AddMulVecT(slope, 1, d.point.Y)
	}
	for j := range slope {
		if s.pin[j] {
			dst.Z[j] = -slope[j]
		}
	}
	return nil
}

func at(v []float64, j int) float64 {
	if v == nil {
		return 0
	}
	return v[j]
}

// less is v − w; v may be nil.
func less(v, w []float64) []float64 {
	out := make([]float64, len(w))
	copy(out, v)
	for i, e := range w {
		out[i] -= e
	}
	return out
}

// check refuses a change of a wrong length; the inner derivative refuses numbers that are not finite.
func (s *solver) check(u qpbackend.Update) error {
	for _, f := range [...]struct{ have, want int }{
		{len(u.Q), s.n}, {len(u.Lo), s.n}, {len(u.Hi), s.n}, {len(u.L), s.m}, {len(u.U), s.m}, {len(u.P), s.p.P.NNZ()}, {len(u.A), s.p.A.NNZ()},
	} {
		if f.have != 0 && f.have != f.want {
			return errors.New("ccp: a change of a wrong length")
		}
	}
	return nil
}

// Adjoint is that of qpbackend.Derivative.
func (d *derivative) Adjoint(ctx context.Context, g qpbackend.Tangent, dst *qpbackend.Update) error {
	s, p := d.s, d.s.p
	if len(g.X) != 0 && len(g.X) != s.n || len(g.Y) != 0 && len(g.Y) != s.m || len(g.Z) != 0 && len(g.Z) != s.n {
		return errors.New("ccp: a gradient of a wrong length")
	}
	// Of z_c: −w'(Px + q + A'y) with w the gradient with respect to it, zero elsewhere.
	w := make([]float64, s.n)
	for j := range w {
		if s.pin[j] {
			w[j] = -at(g.Z, j)
		}
	}
	gx := append(append(d.gradient.X[:0], g.X...), make([]float64, s.n-len(g.X))...)
	gy := append(append(d.gradient.Y[:0], g.Y...), make([]float64, s.m-len(g.Y))...)
	d.gradient.X, d.gradient.Y = gx, gy
	p.P.AddSymMulVec(gx, 1, w)
	p.A.AddMulVec(gy, 1, w)
	if err := d.d.Adjoint(ctx, qpbackend.Tangent{X: s.part(gx), Y: gy, Z: s.part(g.Z)}, &d.inner); err != nil {
		return err
	}
	in := &d.inner
	sides := make([]float64, s.m)
	for i := range sides {
		sides[i] = in.L[i] + in.U[i]
	}
	λ := make([]float64, s.n) // with respect to the costs
	s.spread(λ, in.Q)
	values := gx // of the columns
	p.P.AddSymMulVec(values, 1, λ)
	p.A.AddMulVecT(values, -1, sides)
	x, y := d.point.X, d.point.Y
	dst.Q = append(dst.Q[:0], λ...)
	dst.Lo, dst.Hi = append(dst.Lo[:0], make([]float64, s.n)...), append(dst.Hi[:0], make([]float64, s.n)...)
	s.spread(dst.Lo, in.Lo)
	s.spread(dst.Hi, in.Hi)
	dst.L, dst.U = append(dst.L[:0], in.L...), append(dst.U[:0], in.U...)
	dst.P, dst.A = append(dst.P[:0], make([]float64, p.P.NNZ())...), append(dst.A[:0], make([]float64, p.A.NNZ())...)
	for j := range λ {
		if s.pin[j] {
			dst.Q[j] = w[j]
			dst.Lo[j], dst.Hi[j] = values[j]/2, values[j]/2
		}
		for k := p.P.ColPtr[j]; k < p.P.ColPtr[j+1]; k++ { // one of a column at least; λ is zero there
			i := p.P.RowIdx[k]
			if dst.P[k] = (λ[j] + w[j]) * x[i]; i != j {
				dst.P[k] += (λ[i] + w[i]) * x[j]
			}
		}
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			if i := p.A.RowIdx[k]; s.pin[j] {
				dst.A[k] = w[j]*y[i] - sides[i]*x[j]
			}
		}
	}
	for k, i := range s.pp {
		dst.P[i] = in.P[k]
	}
	for k, i := range s.a {
		dst.A[i] = in.A[k]
	}
	return nil
}
