package sensitivity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/reduce"
)

// Line leads from the problem Minus to the problem Plus, which differ from that of a derivative, in
// the middle, by numbers that are no parameters: per unit, where the two are Width units apart.
// Numbers of the convex problem are taken for linear between them. Errors of its use: the problems
// have other variables or another structure.
type Line struct {
	Minus, Plus *dc.Problem
	Width       float64
}

// between is the change of the values of the convex problem per unit.
func (d *Derivative) between(ctx context.Context, l Line) (u qpbackend.Update, err error) {
	if l.Minus.Program() == nil || l.Plus.Program() == nil || !(l.Width > 0) {
		return u, errors.New("ccp: want two problems and a width above zero")
	}
	var at [2]*qpbackend.Problem
	for k, p := range [...]*program.Problem{l.Minus.Program(), l.Plus.Program()} {
		if p.NumVars() != len(d.z) {
			return u, fmt.Errorf("ccp: a problem with %d variables beside one with %d", p.NumVars(), len(d.z))
		}
		sub, err := d.compile(ctx, p.Exact())
		if err != nil {
			return u, err
		}
		if err := sub.Linearise(slices.Clone(d.z), d.τ); err != nil {
			return u, err
		}
		at[k] = sub.Stated()
	}
	if !subproblem.SamePattern(at[0], at[1]) || len(at[1].Q) != len(d.sub.Compiled.QP.Q) {
		return u, errors.New("ccp: no derivative: the structure of the problem changes")
	}
	minus, plus := reduce.All(at[0]), reduce.All(at[1])
	from, to := reduce.Values(&minus), reduce.Values(&plus)
	for f, out := range reduce.Values(&u) {
		*out = make([]float64, len(*from[f]))
		for i, v := range *from[f] {
			if b := (*to[f])[i]; v != b { // also where both are infinite
				(*out)[i] = (b - v) / l.Width
			}
		}
	}
	return u, nil
}

// AdjointBy is the gradient, with respect to n numbers of the problem that are no parameters, of a
// scalar function of the point whose gradient, with an entry for each of NumVars, is g. line gives
// the line along a change of the numbers, of length n. It is called three times where each number
// of the convex problem depends on one of the n at most, as coefficients do, else n times more.
// Errors: a wrong length; those of line and Line; an end of ctx.
func (d *Derivative) AdjointBy(ctx context.Context, g []float64, n int,
	line func(change []float64) (Line, error)) (gradient []float64, err error) {
	defer d.guard(&err)
	if d.rows == nil {
		if d.rows, err = d.apart(ctx); err != nil {
			return nil, err
		}
	}
	d = d.rows
	u, err := d.pull(ctx, g)
	if err != nil {
		return nil, err
	}
	along := func(change []float64) (of [7]*[]float64, err error) {
		l, err := line(change)
		if err != nil {
			return of, err
		}
		v, err := d.between(ctx, l)
		return reduce.Values(&v), err
	}
	gradient, ok, err := decoded(&u, n, along)
	if ok || err != nil {
		return gradient, err
	}
	unit := make([]float64, n)
	for i := range unit {
		unit[i] = 1
		v, err := along(unit)
		if err != nil {
			return nil, err
		}
		for f, weights := range reduce.Values(&u) {
			gradient[i] += num.Dot(*weights, *v[f])
		}
		unit[i] = 0
	}
	return gradient, nil
}

// apart is d with squares stated by columns of their own.
func (d *Derivative) apart(ctx context.Context) (*Derivative, error) {
	sub, err := subproblem.CompileApart(ctx, d.p)
	if err != nil {
		return nil, err
	}
	if subproblem.SamePattern(sub.Stated(), d.sub.Stated()) {
		return d, nil
	}
	e := &Derivative{
		p: d.p, z: slices.Clone(d.z), worth: d.worth, compile: subproblem.CompileApart, loose: d.loose, guard: d.guard,
	}
	return e, e.settle(ctx)
}

// Of decoded. Source: derived: differences of numbers that are linear in a change have errors of
// 1e-10, and a third change at random agrees by chance with the share foreign of the numbers that
// depend on several entries.
const (
	foreign = 1e-6
	whole   = 0.01 // distance of a quotient from the integer that it stands for
)

// decoded is the gradient of the inner product of u and the values of the convex problem with
// respect to n numbers, from the changes of the values along three changes of all the numbers. From
// the quotient of the first two it follows on which number a value depends, if on one; the third is
// the test. It is zero and not ok where a value depends on several.
func decoded(
	u *qpbackend.Update, n int, along func(change []float64) ([7]*[]float64, error),
) (gradient []float64, ok bool, err error) {
	rng := rand.New(rand.NewPCG(1, 5))
	var changes [3][]float64
	for range n {
		first := 1 + rng.Float64()
		changes[0] = append(changes[0], first)
		changes[1] = append(changes[1], first*float64(len(changes[0]))/float64(n))
		changes[2] = append(changes[2], 2*rng.Float64()-1)
	}
	var v [3][7]*[]float64
	for k, c := range changes {
		if v[k], err = along(c); err != nil {
			return nil, false, err
		}
	}
	gradient = make([]float64, n)
	for f, weights := range reduce.Values(u) {
		for i, weight := range *weights {
			first, second, third := (*v[0][f])[i], (*v[1][f])[i], (*v[2][f])[i]
			if weight == 0 || first == 0 && second == 0 && third == 0 {
				continue
			}
			quotient := second / first * float64(n)
			at := int(math.Round(quotient)) - 1
			if !(math.Abs(quotient-float64(at+1)) <= whole) || at < 0 || at >= n {
				return make([]float64, n), false, nil
			}
			slope := first / changes[0][at]
			if !(math.Abs(third-slope*changes[2][at]) <= foreign*math.Abs(slope)) {
				return make([]float64, n), false, nil
			}
			gradient[at] += weight * slope
		}
	}
	return gradient, true, nil
}
