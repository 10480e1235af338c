package sensitivity

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/reduce"
)

// costs is G·b.
func (d *Derivative) costs(ctx context.Context, b []float64) ([]float64, error) {
	q := d.wide(b)
	num.Scale(q, -1)
	var t qpbackend.Tangent
	err := d.convex.Forward(ctx, qpbackend.Update{Q: q}, &t)
	return t.X[:min(len(t.X), len(d.z))], err
}

// onward is GH·v.
func (d *Derivative) onward(ctx context.Context, v []float64) ([]float64, error) {
	h, err := d.curvature(ctx, v)
	if err != nil {
		return nil, err
	}
	return d.costs(ctx, h)
}

// returned is HG·v, without entries of parameters.
func (d *Derivative) returned(ctx context.Context, v []float64) ([]float64, error) {
	g, err := d.costs(ctx, v)
	if err != nil {
		return nil, err
	}
	h, err := d.curvature(ctx, g)
	if err == nil {
		d.clearParameters(h)
	}
	return h, err
}

// Change is a change of the data of a problem: of the values of parameters by name, as Forward has
// it, and along lines.
type Change struct {
	Values map[string][]float64
	Lines  []Line
}

// moved is the change of the values of the convex problem, whose columns parameters are.
func (d *Derivative) moved(ctx context.Context, c Change) (u qpbackend.Update, err error) {
	v := d.wide(nil)
	for name, values := range c.Values {
		at := slices.IndexFunc(d.p.Vars, func(v *program.Variable) bool { return v.Param && v.Name == name })
		if at < 0 {
			return u, fmt.Errorf("ccp: there is no parameter %s", name)
		}
		p := d.p.Vars[at]
		if len(values) != p.Len() && len(values) != 1 {
			return u, fmt.Errorf("ccp: the change of parameter %s has %d numbers, want 1 or %d", name, len(values),
				p.Len())
		}
		if i := num.FirstNotFinite(values); i >= 0 {
			return u, fmt.Errorf("ccp: the change of parameter %s has %g at %d", name, values[i], i)
		}
		for k := range p.Len() {
			v[p.Offset+k] = values[min(k, len(values)-1)]
		}
	}
	u = qpbackend.Update{Lo: v, Hi: slices.Clone(v)}
	for _, l := range c.Lines {
		more, err := d.between(ctx, l)
		if err != nil {
			return u, err
		}
		from := reduce.Values(&more)
		for k, to := range reduce.Values(&u) {
			if *to == nil {
				*to = *from[k]
			} else if *from[k] != nil {
				num.Axpy(*to, 1, *from[k])
			}
		}
	}
	return u, nil
}

// forward is the change of the solution of the convex problem along a change of its values.
func (d *Derivative) forward(ctx context.Context, u qpbackend.Update) (qpbackend.Tangent, error) {
	var t qpbackend.Tangent
	err := d.convex.Forward(ctx, u, &t)
	if err == nil && t.Missed > leastMargin && !d.loose {
		err = &HeldError{}
	}
	return t, err
}

// follow is Forward along the change u of the values of the convex problem.
func (d *Derivative) follow(ctx context.Context, u qpbackend.Update) (dx []float64, err error) {
	t, err := d.forward(ctx, u)
	if err != nil {
		return nil, err
	}
	return resolve(ctx, t.X[:len(d.z)], d.onward)
}

// Forward is the change of the point, with an entry for each of NumVars, along the change of the
// values of parameters by name: one number for all entries or one per entry. Parameters that are
// not named stay; numbers that are no parameters change along the lines. Errors: no such parameter,
// a wrong length, a number that is not finite; more constraints hold at the point than it has
// directions to move in along the change (*HeldError); those of Line; an end of ctx.
func (d *Derivative) Forward(ctx context.Context, change map[string][]float64, lines ...Line) (
	dx []float64, err error) {
	defer d.guard(&err)
	u, err := d.moved(ctx, Change{change, lines})
	if err != nil {
		return nil, err
	}
	return d.follow(ctx, u)
}

// Multipliers is the change of the multipliers along the change of the values of parameters, as
// Forward has it: of the constraints as in Result.Duals and of the bounds as in Result.BoundDuals.
// Errors: those of Forward; the multipliers are not unique; an equation defines a variable.
func (d *Derivative) Multipliers(ctx context.Context, change map[string][]float64) (
	duals [][]float64, bounds []float64, err error) {
	defer d.guard(&err)
	if r := d.convex.Regularity(); !r.Regular {
		return nil, nil, fmt.Errorf("ccp: no derivative of multipliers: the convex problem at the point: %s", r.Message)
	}
	if d.p.Defined() != nil {
		return nil, nil, errors.New("ccp: no derivative of multipliers: an equation defines a variable")
	}
	u, err := d.moved(ctx, Change{Values: change})
	if err != nil {
		return nil, nil, err
	}
	dx, err := d.follow(ctx, u)
	if err != nil {
		return nil, nil, err
	}
	h, err := d.curvature(ctx, dx)
	if err != nil {
		return nil, nil, err
	}
	u.Q = d.wide(h)
	num.Scale(u.Q, -1)
	t, err := d.forward(ctx, u)
	if err != nil {
		return nil, nil, err
	}
	out := d.sub.Compiled.DualTangent(d.convex.Point(), t)
	return out.Rows, out.Bounds, nil
}

// OneSided is the change of a solution where the data move that way alone. Errors: as of
// ccp.Session.OneSided.
func OneSided(ctx context.Context, at Source, c Change) (dx []float64, err error) {
	d, err := linearised(ctx, at)
	if err != nil {
		return nil, err
	}
	u, err := d.moved(ctx, c)
	if err != nil {
		return nil, err
	}
	fixed := d.wide(nil)
	copy(fixed, u.Q)
	dx = slices.Clone(u.Lo[:len(d.z)])
	for range mostOneSided {
		h, err := d.curvature(ctx, dx)
		if err != nil {
			return nil, err
		}
		u.Q = slices.Clone(fixed)
		num.Axpy(u.Q[:len(h)], -1, h)
		t, err := qpbackend.OneSided(ctx, ipm.Backend{}, d.sub.Stated(), d.convex.Point(), u)
		if err != nil {
			return nil, err
		}
		apart := num.DistInf(t.X[:len(dx)], dx)
		if copy(dx, t.X); len(d.curves) == 0 || apart <= settled*max(1, num.NormInf(dx)) {
			return dx, nil
		}
	}
	return nil, errors.New("ccp: no one-sided derivative: the point is not a strict local minimum, or nearly not")
}

// Of OneSided. Source: derived: a step multiplies the error by the largest eigenvalue of GH; with
// 0.9 it is 1e-8 after 175.
const (
	mostOneSided = 200
	settled      = 1e-8
)

// Adjoint is the gradient, by the name of the parameter, of a scalar function of the point whose
// gradient with respect to the point, with an entry for each of NumVars, is g. Where not all
// entries of parameters move by themselves, as those of a symmetric matrix, along has changes that
// the parameters can take, at random among these: the gradient counts for such changes alone.
// Errors: a wrong length, a number that is not finite; Forward refuses a change of along or,
// without any, one of all entries at random; an end of ctx.
func (d *Derivative) Adjoint(ctx context.Context, g []float64, along ...Change) (
	gradient map[string][]float64, err error) {
	defer d.guard(&err)
	if err := d.followed(ctx, along); err != nil {
		return nil, err
	}
	u, err := d.pull(ctx, g)
	if err != nil {
		return nil, err
	}
	bent := make([]bool, len(d.z)) // in the support of an h
	for k := range d.curves {
		for _, j := range d.curves[k].h.Support() {
			bent[j] = true
		}
	}
	gradient = map[string][]float64{}
	unit := make([]float64, len(d.z))
	for _, v := range d.p.Vars {
		if !v.Param {
			continue
		}
		out := make([]float64, v.Len())
		for k := range out {
			j := v.Offset + k
			if out[k] = u.Lo[j] + u.Hi[j]; bent[j] {
				unit[j] = 1
				h, err := d.curvature(ctx, unit)
				if err != nil {
					return nil, err
				}
				unit[j] = 0
				out[k] -= num.Dot(h, u.Q[:len(h)]) // costs fall by H·dz
			}
		}
		gradient[v.Name] = out
	}
	return gradient, nil
}

// followed refuses changes that the point does not follow; without any, one of all parameters at
// random.
func (d *Derivative) followed(ctx context.Context, along []Change) error {
	if d.Regular() || d.loose {
		return nil
	}
	if len(along) == 0 {
		rng, all := rand.New(rand.NewPCG(1, 3)), map[string][]float64{}
		for _, v := range d.p.Vars {
			for k := 0; v.Param && k < v.Len(); k++ {
				all[v.Name] = append(all[v.Name], rng.NormFloat64())
			}
		}
		along = []Change{{Values: all}}
	}
	for _, c := range along {
		u, err := d.moved(ctx, c)
		if err != nil {
			return err
		}
		if _, err := d.forward(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// pull is the gradient with respect to the values of the convex problem, with g the one with
// respect to the point: the h follow the point, not the values of parameters.
func (d *Derivative) pull(ctx context.Context, g []float64) (u qpbackend.Update, err error) {
	if len(g) != len(d.z) {
		return u, fmt.Errorf("ccp: the gradient has %d entries, want %d", len(g), len(d.z))
	}
	if i := num.FirstNotFinite(g); i >= 0 {
		return u, fmt.Errorf("ccp: the gradient has %g at %d", g[i], i)
	}
	free := slices.Clone(g)
	d.clearParameters(free)
	if free, err = resolve(ctx, free, d.returned); err != nil {
		return u, err
	}
	for _, v := range d.p.Vars {
		if v.Param {
			copy(free[v.Offset:], g[v.Offset:][:v.Len()])
		}
	}
	return u, d.convex.Adjoint(ctx, qpbackend.Tangent{X: d.wide(free)}, &u)
}
