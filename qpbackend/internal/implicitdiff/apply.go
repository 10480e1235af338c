package implicitdiff

import (
	"context"
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// Forward implements qpbackend.Derivative.
func (d *Derivative) Forward(ctx context.Context, u qpbackend.Update, dst *qpbackend.Tangent) error {
	p := d.prob
	for _, f := range [...]struct {
		name string
		v    []float64
		n    int
	}{
		{"q", u.Q, d.n}, {"lo", u.Lo, d.n}, {"hi", u.Hi, d.n}, {"l", u.L, d.m}, {"u", u.U, d.m},
		{"P", u.P, p.P.NNZ()}, {"A", u.A, p.A.NNZ()},
	} {
		if err := check("change of "+f.name, f.v, f.n); err != nil {
			return err
		}
	}
	clear(d.room.b1)
	clear(d.room.b2)
	clear(d.room.b3)
	copy(d.room.b1, u.Q)
	if u.P != nil {
		dp := *p.P
		dp.Val = u.P
		dp.AddSymMulVec(d.room.b1, 1, d.out.X)
	}
	if u.A != nil {
		da := *p.A
		da.Val = u.A
		da.AddMulBoth(d.room.b2, d.room.b1, d.out.X, d.out.Y)
	}
	for j := range d.n {
		d.room.b3[j] -= moved(d.side[j], u.Lo, u.Hi, j)
	}
	for i := range d.m {
		d.room.b2[i] -= moved(d.side[d.n+i], u.L, u.U, i)
	}
	return d.apply(ctx, dst)
}

// moved is the change of the side that holds.
func moved(at side, lo, hi []float64, i int) float64 {
	get := func(v []float64) float64 {
		if v == nil {
			return 0
		}
		return v[i]
	}
	switch at {
	case lower, conic:
		return get(lo)
	case upper:
		return get(hi)
	case both:
		return (get(lo) + get(hi)) / 2
	}
	return 0
}

// apply solves for the right-hand sides b in the units of the problem.
func (d *Derivative) apply(ctx context.Context, dst *qpbackend.Tangent) error {
	sc := d.scale
	for j := range d.n {
		d.room.b1[j] *= sc.C * sc.D[j]
		d.room.b3[j] /= sc.B * sc.D[j]
	}
	for i := range d.m {
		d.room.b2[i] *= sc.E[i] / sc.B
	}
	if err := d.solve(ctx); err != nil {
		return err
	}
	dst.Missed = d.missed
	dst.X, dst.Y, dst.Z = resize(dst.X, d.n), resize(dst.Y, d.m), resize(dst.Z, d.n)
	for j := range d.n {
		dst.X[j] = sc.B * sc.D[j] * d.room.dx[j]
		dst.Z[j] = d.room.dz[j] / (sc.C * sc.D[j])
	}
	for i := range d.m {
		dst.Y[i] = sc.E[i] / sc.C * d.room.dy[i]
	}
	return nil
}

func resize(v []float64, n int) []float64 { return slices.Grow(v[:0], n)[:n] }

func check(what string, v []float64, n int) error {
	if v != nil && len(v) != n {
		return fmt.Errorf("qpbackend: the %s has length %d, want %d or nil", what, len(v), n)
	}
	if i := num.FirstNotFinite(v); i >= 0 {
		return fmt.Errorf("qpbackend: the %s has %g at %d", what, v[i], i)
	}
	return nil
}

// Adjoint implements qpbackend.Derivative. With G the symmetric map from b to the change of
// the solution, −G, the gradient with respect to b is −Gᵀg = −Gg.
func (d *Derivative) Adjoint(ctx context.Context, g qpbackend.Tangent, dst *qpbackend.Update) error {
	for _, f := range [...]struct {
		name string
		from []float64
		to   []float64
	}{{"x", g.X, d.room.b1}, {"y", g.Y, d.room.b2}, {"z", g.Z, d.room.b3}} {
		if err := check("gradient with respect to "+f.name, f.from, len(f.to)); err != nil {
			return err
		}
		clear(f.to)
		for i, v := range f.from {
			f.to[i] = -v
		}
	}
	var λ qpbackend.Tangent // in room of its own: dst and g may share slices
	if err := d.apply(ctx, &λ); err != nil {
		return err
	}
	p := d.prob
	dst.Q, dst.Lo, dst.Hi = resize(dst.Q, d.n), resize(dst.Lo, d.n), resize(dst.Hi, d.n)
	dst.L, dst.U = resize(dst.L, d.m), resize(dst.U, d.m)
	dst.P, dst.A = resize(dst.P, p.P.NNZ()), resize(dst.A, p.A.NNZ())
	for j, v := range λ.X {
		dst.Q[j] = -v
		dst.Lo[j], dst.Hi[j] = share(d.side[j], λ.Z[j])
		for e := p.P.ColPtr[j]; e < p.P.ColPtr[j+1]; e++ {
			i := p.P.RowIdx[e]
			if dst.P[e] = -v * d.out.X[i]; i != j {
				dst.P[e] -= λ.X[i] * d.out.X[j]
			}
		}
		for e := p.A.ColPtr[j]; e < p.A.ColPtr[j+1]; e++ {
			i := p.A.RowIdx[e]
			dst.A[e] = -v*d.out.Y[i] - λ.Y[i]*d.out.X[j]
		}
	}
	for i, v := range λ.Y {
		dst.L[i], dst.U[i] = share(d.side[d.n+i], v)
	}
	return nil
}

// share is the gradient with respect to the two sides.
func share(at side, v float64) (lo, hi float64) {
	switch at {
	case lower, conic:
		return v, 0
	case upper:
		return 0, v
	case both:
		return v / 2, v / 2
	}
	return 0, 0
}
