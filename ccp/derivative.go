package ccp

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/implicit"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// Derivative is the derivative of a strict local minimum with respect to the parameters of the
// problem.
//
// A point of convergence z is a fixed point of the procedure: it solves the convex problem
// with every h linearised at z. With dz = G·b the derivative of the solution of that problem by its
// costs, and H the sum of the Hessians of the h, each times its multiplier, dz = S·dp + GH·dz,
// where S is the derivative by the values of the parameters: the implicit function theorem on
// the optimality conditions of g − h with the active constraints. Kinks of g at the
// point are those of the convex problem and do no harm; at a kink of an h there is
// no derivative. A minimum is strict where the largest eigenvalue of GH is below one.
//
// Products with H are exact, apart from rounding; of functions that may have kinks they are central
// differences of gradients, of fourth order, with a relative error of some 1e-10.
type Derivative struct {
	p       *dc.Problem // without majorants
	z       []float64   // the point, all variables and parameters
	curves  []curve
	sub     *subproblem.Problem // linearised at the point
	compile compiler            // that made it
	d       qpbackend.Derivative
	cols    int // of the convex problem; the first are z
	τ       float64
	worth   float64     // of slacks
	loose   bool        // the solution of a convex problem is not unique
	rows    *Derivative // the same with squares by columns of their own; nil: not yet
}

// curve is an h with the sum of its multipliers.
type curve struct {
	subproblem.Curve
	weight float64
}

// KinkError says where an expression has no derivative.
type KinkError struct {
	// Expression is "the objective", the name of the constraint, or that of the variable whose bound it is.
	Expression string
	// Weak: the expression holds with multiplier zero, so that it is about to let go or to take hold. Session.OneSided has the
	// change of the point along one change of the parameters. Else it is a kink of the part −h.
	Weak bool
}

func (e *KinkError) Error() string {
	if e.Weak {
		return fmt.Sprintf("ccp: no derivative: %s holds at the solution with multiplier zero, or nearly so; the derivatives are one-sided", e.Expression)
	}
	return fmt.Sprintf("ccp: no derivative: the solution is at a kink of the part −h of %s", e.Expression)
}

// Differentiate linearises at res, the result of the last Solve on the present values of the parameters. The point
// is refined to a fixed point of the procedure first; Point is it. The derivative is good until the next one of
// the session. Where the solution of a convex problem is not unique the derivative is regularised: see Unique. Errors: res is not
// converged, or of another problem; the point of a problem that is not convex is no strict local minimum, or its refinement
// leads elsewhere; there is a kink (*KinkError); ctx ended.
// linearised is Differentiate at points that may have no derivative.
// at linearises at the solution of the convex problem that res has, with a solver that is kept. It reports whether that is
// a solution.
func (d *Derivative) at(ctx context.Context, sub *subproblem.Problem, kept *subproblem.Differentiator, res *Result) (bool, error) {
	point := res.convex
	n, m := sub.QP.Dims()
	if len(point.X) != n || len(point.Y) != m || len(point.Z) != n || !slices.Equal(point.X[:len(d.z)], d.z) {
		return false, nil
	}
	if err := sub.Linearise(d.z, 0); err != nil { // parameters may have had other values since
		return false, err
	}
	var err error
	if d.d, err = kept.At(ctx, ipm.Backend{}, sub, point); err != nil {
		return false, err
	}
	if !(d.d.Regularity().Residual <= leastMargin) {
		return false, nil
	}
	d.worth, d.compile, d.cols, d.sub = 1, subproblem.Compile, n, sub
	point = d.d.Point()
	d.weigh(sub, point.Y)
	copy(d.z, point.X)
	d.p.Pin(d.z)
	return true, nil
}

// Differentiate is Session.Differentiate for a result of p from anywhere. The derivative does not change.
func Differentiate(ctx context.Context, p *dc.Problem, res *Result) (d *Derivative, err error) {
	defer recovered(&err)
	if err := differentiable(p, res); err != nil {
		return nil, err
	}
	d = &Derivative{p: p.Exact(), z: slices.Clone(res.X)}
	if err := d.settle(ctx, subproblem.Compile, largestMultiplier(res)); err != nil {
		return nil, err
	}
	return d, d.examine(ctx)
}

// differentiable refuses a result that is not one of p.
func differentiable(p *dc.Problem, res *Result) error {
	switch {
	case p == nil:
		return errNoProblem
	case res == nil || res.Status != Converged:
		status := Unknown
		if res != nil {
			status = res.Status
		}
		return fmt.Errorf("ccp: no derivative: the run is %v, want %v", status, Converged)
	case len(res.X) != p.NumVars():
		return fmt.Errorf("ccp: no derivative: the result has %d entries, the problem %d", len(res.X), p.NumVars())
	}
	for _, v := range p.Vars {
		if v.Param && !slices.Equal(v.Lo, res.X[v.Offset:][:v.Len()]) {
			return fmt.Errorf("ccp: no derivative: parameter %s has changed since the run; solve again", v.Name)
		}
	}
	return nil
}

func largestMultiplier(res *Result) float64 {
	top := 1.0
	for _, y := range res.Duals {
		top = max(top, num.NormInf(y))
	}
	return top
}

// Of the refinement. Source: derived: Newton's method converges quadratically from an accuracy of
// 1e-2, so that six steps are more than enough; slacks are paid at least twice their worth.
const (
	maxRefinements = 12
	refined        = 1e-10 // change of the point, relative to its size
	strays         = 0.05  // beyond it the point is another one
	aboveWorth     = 2
	steepest       = 1e9
)

// compiler states a problem as one whose h are linearised.
type compiler func(context.Context, *dc.Problem) (*subproblem.Problem, error)

// settle refines the point by Newton's method on z = S(z), with the convex problem as compile states it.
func (d *Derivative) settle(ctx context.Context, compile compiler, worth float64) error {
	sub, err := compile(ctx, d.p)
	if err != nil {
		return err
	}
	d.worth, d.compile, d.cols, d.sub = worth, compile, len(sub.QP.Q), sub
	start, size := slices.Clone(d.z), max(num.NormInf(d.z), 1)
	b := ipm.Backend{}
	var solver qpbackend.Solver
	for k, τ := 0, aboveWorth*worth; ; k++ {
		if err := sub.Linearise(d.z, τ); err != nil {
			return err
		}
		if solver == nil {
			solver, err = b.New(ctx, sub.Stated(), b.DefaultSettings())
		} else {
			err = solver.Update(sub.Now)
		}
		if err != nil {
			return err
		}
		var res qpbackend.Result
		if err := solver.Solve(ctx, &res); err != nil {
			return err
		}
		if res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
			return fmt.Errorf("ccp: no derivative: the convex problem at the point is %v", res.Status)
		}
		if open := openSlacks(sub, &res); open && τ < steepest*worth {
			τ *= 10
			k--
			continue
		}
		if d.d, err = solver.(qpbackend.Differentiator).Differentiate(ctx); err != nil {
			return err
		}
		d.τ = τ
		point := d.d.Point()
		d.weigh(sub, point.Y)
		if sub.Convex() { // its solution is the point; an h that is linear for given parameters counts in derivatives by these
			copy(d.z, point.X)
			d.p.Pin(d.z)
			return nil
		}
		step := make([]float64, len(d.z))
		for j := range step {
			step[j] = point.X[j] - d.z[j]
		}
		if num.NormInf(step) <= refined*size {
			return nil
		}
		if k == maxRefinements {
			return errors.New("ccp: no derivative: the point cannot be refined to a strict local minimum")
		}
		if step, err = implicit.Resolve(ctx, step, d.onward); err != nil {
			return err
		}
		num.Axpy(d.z, 1, step)
		d.p.Pin(d.z)
		for j, v := range d.z {
			if !(math.Abs(v-start[j]) <= strays*size) {
				return errors.New("ccp: no derivative: the point is not near a strict local minimum")
			}
		}
	}
}

// openSlacks reports whether a slack is not zero, or would be where it cost less.
func openSlacks(sub *subproblem.Problem, res *qpbackend.Result) bool {
	for _, j := range sub.Slacks {
		if !(-res.Z[j] > res.X[j]) { // both have the unit of the row's terms, to within the price
			return true
		}
	}
	return false
}

// weigh notes the h that have multipliers.
func (d *Derivative) weigh(sub *subproblem.Problem, y []float64) {
	d.curves = d.curves[:0]
	for _, c := range sub.Curves() {
		weight := 1.0
		if c.Rows != nil {
			weight = 0
			for _, i := range c.Rows {
				weight += y[i]
			}
		}
		if weight > 0 {
			d.curves = append(d.curves, curve{c, weight})
		}
	}
}

// Point is the refined point, with an entry for each of NumVars. It is the derivative's own.
func (d *Derivative) Point() []float64 { return d.z }

// Unique reports whether the solution is. Where that of a convex problem is not, derivatives are the least squares solution of least norm of
// the linearised optimality conditions, in the scaled problem: parts of the point that nothing holds do not move, and gradients with respect to them do not count.
// Other points that are not unique are refused.
func (d *Derivative) Unique() bool { return !d.loose }

// Regular reports whether the multipliers of the convex problem at the point are unique, too: then the point follows any change of the parameters, else those
// that Forward takes.
func (d *Derivative) Regular() bool { return d.d.Regularity().Regular }

// examine refuses points where there is no derivative.
func (d *Derivative) examine(ctx context.Context) error {
	r := d.d.Regularity()
	if !(r.Residual <= leastMargin) {
		return fmt.Errorf("ccp: no derivative: the convex problem at the point: %s", r.Message)
	}
	if !(r.Margin >= leastMargin) {
		return &KinkError{d.place(r), true}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	all, free := make([]float64, len(d.z)), make([]float64, len(d.z))
	for j := range all {
		all[j], free[j] = rng.NormFloat64(), rng.NormFloat64()
	}
	for _, v := range d.p.Vars {
		if v.Param {
			clear(free[v.Offset:][:v.Len()])
		}
	}
	if !r.Regular {
		var t qpbackend.Tangent
		if err := d.d.Forward(ctx, qpbackend.Update{Q: d.wide(free)}, &t); err != nil {
			return err
		}
		if d.loose = t.Missed > leastMargin; d.loose && !d.sub.Convex() {
			return errors.New("ccp: no derivative: the solution of the convex problem at the point is not unique")
		}
	}
	if _, err := d.curvature(all); err != nil {
		return err
	}
	return d.strict(ctx, free)
}

// place names the expression of the nearest kink.
func (d *Derivative) place(r qpbackend.Regularity) string {
	if r.Row >= 0 {
		return d.sub.NameOf(r.Row)
	}
	for _, v := range d.p.Vars {
		if k := r.Variable - v.Offset; k >= 0 && k < v.Len() {
			return "a bound of " + v.Name
		}
	}
	return "a bound of an auxiliary variable"
}

// HeldError is the error along a change that the point does not follow: more constraints hold than it has directions to move in.
// Session.OneSided has the change of the point where the constraints are linear.
type HeldError struct{}

func (*HeldError) Error() string {
	return "ccp: no derivative: more constraints hold at the point than it has directions to move in along the change of the parameters; the derivatives are one-sided"
}

// forward is the change of the solution of the convex problem along a change of its values.
func (d *Derivative) forward(ctx context.Context, u qpbackend.Update) (qpbackend.Tangent, error) {
	var t qpbackend.Tangent
	err := d.d.Forward(ctx, u, &t)
	if err == nil && t.Missed > leastMargin && !d.loose {
		err = &HeldError{}
	}
	return t, err
}

// leastMargin is the least margin of a regular solution, and the share of a right-hand side that may be left over.
// Source: that of qpbackend.Regularity.
const leastMargin = 1e-6

// strict refuses a point where the largest eigenvalue of GH is not below one, by the method of
// Lanczos from v: GH is symmetric in the inner product of H, of which the vectors are orthonormal.
func (d *Derivative) strict(ctx context.Context, v []float64) error {
	var vs, hs [][]float64 // and their products with H
	var on, beside []float64
	last := math.Inf(1)
	h, err := d.curvature(v)
	for err == nil && len(vs) < len(v) { // until the eigenvalue settles
		size := math.Sqrt(num.Dot(v, h))
		if len(vs) > 0 {
			beside = append(beside, size)
		}
		if !(size > lost*max(num.NormInf(beside), num.NormInf(on))) {
			return nil // v is made of those before, or H knows nothing of it
		}
		num.Scale(v, 1/size)
		num.Scale(h, 1/size)
		vs, hs = append(vs, v), append(hs, h)
		if v, err = d.costs(ctx, h); err != nil {
			return err
		}
		if h, err = d.curvature(v); err != nil {
			return err
		}
		on = append(on, num.Dot(v, hs[len(hs)-1]))
		for k := len(vs) - 1; k >= 0; k-- {
			w := -num.Dot(v, hs[k])
			num.Axpy(v, w, vs[k])
			num.Axpy(h, w, hs[k])
		}
		top := largestEigenvalue(on, beside)
		if top >= 1-leastMargin {
			return errors.New("ccp: no derivative: the point is not a strict local minimum")
		}
		if math.Abs(top-last) <= 0.01*(1-top) {
			return nil
		}
		last = top
	}
	return err
}

// lost is the length, relative to the eigenvalues, of a vector of rounding errors alone. Source:
// derived: half the digits of float64.
const lost = 0x1p-26

// largestEigenvalue is that of a symmetric tridiagonal matrix, with on the diagonal and beside it,
// by bisection: where σ is above all eigenvalues, the pivots of the matrix less σ are below zero.
func largestEigenvalue(on, beside []float64) float64 {
	lo := slices.Max(on)
	hi := lo + 2*num.NormInf(beside[:len(on)-1])
	for {
		σ := lo + (hi-lo)/2
		if σ <= lo || σ >= hi {
			return lo
		}
		pivot := on[0] - σ
		for k := 1; k < len(on) && pivot < 0; k++ {
			pivot = on[k] - σ - beside[k-1]*beside[k-1]/pivot
		}
		if pivot < 0 {
			hi = σ
		} else {
			lo = σ
		}
	}
}

// wide is v with zeros for the other columns of the convex problem.
func (d *Derivative) wide(v []float64) []float64 {
	return append(slices.Clone(v), make([]float64, d.cols-len(v))...)
}

// costs is G·b.
func (d *Derivative) costs(ctx context.Context, b []float64) ([]float64, error) {
	q := d.wide(b)
	num.Scale(q, -1)
	var t qpbackend.Tangent
	if err := d.d.Forward(ctx, qpbackend.Update{Q: q}, &t); err != nil {
		return nil, err
	}
	return t.X[:len(d.z)], nil
}

// onward is GH·v, and returned HG·v.
func (d *Derivative) onward(ctx context.Context, v []float64) ([]float64, error) {
	h, err := d.curvature(v)
	if err != nil {
		return nil, err
	}
	return d.costs(ctx, h)
}

func (d *Derivative) returned(ctx context.Context, v []float64) ([]float64, error) {
	g, err := d.costs(ctx, v)
	if err != nil {
		return nil, err
	}
	return d.curvature(g)
}

// curvature is H·v.
func (d *Derivative) curvature(v []float64) ([]float64, error) {
	out := make([]float64, len(d.z))
	for k := range d.curves {
		c := &d.curves[k]
		if err := implicit.AddProduct(out, c.weight, c.H, d.z, v); err != nil {
			name := c.Name
			if c.Rows == nil {
				name = "the objective"
			} else if name == "" {
				name = "a constraint"
			}
			return nil, &KinkError{Expression: name}
		}
	}
	return out, nil
}

// Forward is the change of the point, with an entry for each of NumVars, along the change of the values of
// parameters by name: one number for all entries or one per entry. Parameters that are not named
// stay; numbers that are no parameters change along the lines. Errors: no such parameter, a wrong length, a number that is not finite; more constraints hold at the point than
// it has directions to move in along the change (*HeldError); those of Line; an end of ctx.
func (d *Derivative) Forward(ctx context.Context, change map[string][]float64, lines ...Line) (dx []float64, err error) {
	defer recovered(&err)
	u, err := d.moved(ctx, change, lines)
	if err != nil {
		return nil, err
	}
	t, err := d.forward(ctx, u)
	if err != nil {
		return nil, err
	}
	return implicit.Resolve(ctx, t.X[:len(d.z)], d.onward)
}

// Multipliers is the change of the multipliers along the change of the values of parameters, as Forward has it: of the constraints as in
// Result.Duals and of the bounds as in Result.BoundDuals. Errors: those of Forward; the multipliers are not unique; an equation defines a variable.
func (d *Derivative) Multipliers(ctx context.Context, change map[string][]float64) (duals [][]float64, bounds []float64, err error) {
	defer recovered(&err)
	if r := d.d.Regularity(); !r.Regular {
		return nil, nil, fmt.Errorf("ccp: no derivative of multipliers: the convex problem at the point: %s", r.Message)
	}
	if d.p.Defined() != nil {
		return nil, nil, errors.New("ccp: no derivative of multipliers: an equation defines a variable")
	}
	dx, err := d.Forward(ctx, change)
	if err != nil {
		return nil, nil, err
	}
	h, err := d.curvature(dx)
	if err != nil {
		return nil, nil, err
	}
	u, err := d.moved(ctx, change, nil)
	if err != nil {
		return nil, nil, err
	}
	u.Q = d.wide(h)
	num.Scale(u.Q, -1)
	t, err := d.forward(ctx, u)
	if err != nil {
		return nil, nil, err
	}
	out := d.sub.DualTangent(d.d.Point(), t)
	return out.Rows, out.Bounds, nil
}

// moved is the change of the values of the convex problem, whose columns parameters are.
func (d *Derivative) moved(ctx context.Context, change map[string][]float64, lines []Line) (u qpbackend.Update, err error) {
	v := make([]float64, d.cols)
	for name, values := range change {
		p, err := d.param(name)
		if err != nil {
			return u, err
		}
		if len(values) != p.Len() && len(values) != 1 {
			return u, fmt.Errorf("ccp: the change of parameter %s has %d numbers, want 1 or %d", name, len(values), p.Len())
		}
		if i := num.FirstNotFinite(values); i >= 0 {
			return u, fmt.Errorf("ccp: the change of parameter %s has %g at %d", name, values[i], i)
		}
		for k := range p.Len() {
			v[p.Offset+k] = values[min(k, len(values)-1)]
		}
	}
	u = qpbackend.Update{Lo: v, Hi: slices.Clone(v)}
	for _, l := range lines {
		more, err := d.between(ctx, l)
		if err != nil {
			return u, err
		}
		for to, from := range pairs(&u, &more) {
			if *to == nil {
				*to = from
			} else if from != nil {
				num.Axpy(*to, 1, from)
			}
		}
	}
	return u, nil
}

// pairs are the parts of two changes that belong together.
func pairs(a, b *qpbackend.Update) iter.Seq2[*[]float64, []float64] {
	return func(yield func(*[]float64, []float64) bool) {
		_ = yield(&a.Q, b.Q) && yield(&a.Lo, b.Lo) && yield(&a.Hi, b.Hi) && yield(&a.L, b.L) && yield(&a.U, b.U) && yield(&a.P, b.P) && yield(&a.A, b.A)
	}
}

// OneSided is the change of the refined point along the change of the values of parameters, as Derivative.Forward has it, where these move that way alone: it
// exists also where a constraint holds with multiplier zero, which Differentiate refuses, and is then another one backwards. With H the curvature
// of the h it is a fixed point as z is: the change of the solution of the convex problem with costs −H·dz, found by as many quadratic
// programs as that takes. Errors: those of Differentiate but for that one; the convex problem has cones that are not of second order (qpbackend.ErrCurved).
// Of OneSided. Source: derived: the error falls by the largest eigenvalue of GH a step, from .9 to 1e-8 in 175.
const (
	mostOneSided = 200
	settled      = 1e-8
)

// param is the parameter of that name.
func (d *Derivative) param(name string) (*dc.Variable, error) {
	for _, v := range d.p.Vars {
		if v.Param && v.Name == name {
			return v, nil
		}
	}
	return nil, fmt.Errorf("ccp: there is no parameter %s", name)
}

// Change is a change of the data of a problem: of the values of parameters by name, as Forward has it, and along lines.
type Change struct {
	Values map[string][]float64
	Lines  []Line
}

// Adjoint is the gradient, by the name of the parameter, of a scalar function of the point whose gradient with respect to the point,
// with an entry for each of NumVars, is g. Where not all entries of parameters move by themselves, as those of a symmetric matrix, along has changes that the parameters can take, at
// random among these: the gradient counts for such changes alone. Errors: a wrong length, a number that is not finite; Forward refuses a change of
// along or, without any, one of all entries at random; an end of ctx.
func (d *Derivative) Adjoint(ctx context.Context, g []float64, along ...Change) (gradient map[string][]float64, err error) {
	defer recovered(&err)
	if len(g) != len(d.z) {
		return nil, fmt.Errorf("ccp: the gradient has %d entries, want %d", len(g), len(d.z))
	}
	if i := num.FirstNotFinite(g); i >= 0 {
		return nil, fmt.Errorf("ccp: the gradient has %g at %d", g[i], i)
	}
	if err := d.followed(ctx, along); err != nil {
		return nil, err
	}
	u, err := d.pull(ctx, g)
	if err != nil {
		return nil, err
	}
	gradient = map[string][]float64{}
	bent := make([]bool, len(d.z)) // in the support of an h
	for k := range d.curves {
		if d.curves[k].flat() {
			continue
		}
		for _, j := range d.curves[k].H.Support() {
			bent[j] = true
		}
	}
	mixed := d.mixed(u.Q[:len(d.z)])
	unit := make([]float64, len(d.z))
	for _, v := range d.p.Vars {
		if !v.Param {
			continue
		}
		out := make([]float64, v.Len())
		for k := range out {
			j := v.Offset + k
			out[k] = u.Lo[j] + u.Hi[j]
			if bent[j] {
				unit[j] = 1
				h, err := d.curvature(unit)
				if err != nil {
					return nil, err
				}
				unit[j] = 0
				out[k] -= num.Dot(h, u.Q[:len(h)]) // costs fall by H·dz
			}
			out[k] -= mixed(j)
		}
		gradient[v.Name] = out
	}
	return gradient, nil
}

// followed refuses changes that the point does not follow; without any, one of all parameters at random.
func (d *Derivative) followed(ctx context.Context, along []Change) error {
	if d.d.Regularity().Regular || d.loose {
		return nil
	}
	if len(along) == 0 {
		rng, all := rand.New(rand.NewPCG(1, 3)), map[string][]float64{}
		for _, v := range d.p.Vars {
			if v.Param {
				for range v.Len() {
					all[v.Name] = append(all[v.Name], rng.NormFloat64())
				}
			}
		}
		along = []Change{{Values: all}}
	}
	for _, c := range along {
		u, err := d.moved(ctx, c.Values, c.Lines)
		if err != nil {
			return err
		}
		if _, err := d.forward(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// mixed returns the function that gives the derivative by entry j, one of a parameter, of the products of the gradients of the flat h
// and v. These are linear in parameters.
func (d *Derivative) mixed(v []float64) func(j int) float64 {
	at, grad := slices.Clone(d.z), make([]float64, len(d.z))
	products := func(j int) float64 {
		sum := 0.0
		for k := range d.curves {
			c := &d.curves[k]
			if idx := c.H.Support(); c.flat() {
				if _, ok := slices.BinarySearch(idx, j); !ok {
					continue
				}
				for _, i := range idx {
					grad[i] = 0
				}
				c.H.AddSubgrad(grad, c.weight, at)
				for _, i := range idx {
					sum += grad[i] * v[i]
				}
			}
		}
		return sum
	}
	return func(j int) float64 {
		step := max(1, math.Abs(d.z[j]))
		at[j] = d.z[j] + step
		up := products(j)
		at[j] = d.z[j] - step
		down := products(j)
		at[j] = d.z[j]
		return (up - down) / (2 * step)
	}
}

// flat reports whether the h is affine for given parameters.
func (c *curve) flat() bool {
	f, ok := c.H.(interface{ Flat() bool })
	return ok && f.Flat()
}

// pull is the gradient with respect to the values of the convex problem, with g that with respect to the
// point: the h follow the point, not the values of parameters.
func (d *Derivative) pull(ctx context.Context, g []float64) (u qpbackend.Update, err error) {
	free := slices.Clone(g)
	for _, v := range d.p.Vars {
		if v.Param {
			clear(free[v.Offset:][:v.Len()])
		}
	}
	held := func(ctx context.Context, v []float64) ([]float64, error) { // of the variables alone
		h, err := d.returned(ctx, v)
		if err != nil {
			return nil, err
		}
		for _, p := range d.p.Vars {
			if p.Param {
				clear(h[p.Offset:][:p.Len()])
			}
		}
		return h, nil
	}
	if free, err = implicit.Resolve(ctx, free, held); err != nil {
		return u, err
	}
	for _, v := range d.p.Vars {
		if v.Param {
			copy(free[v.Offset:], g[v.Offset:][:v.Len()])
		}
	}
	return u, d.d.Adjoint(ctx, qpbackend.Tangent{X: d.wide(free)}, &u)
}

// Line leads from the problem Minus to the problem Plus, which differ from that of a derivative, in the middle, by numbers that are no
// parameters: per unit, where the two are Width units apart. Numbers of the convex problem are taken for linear between
// them. Errors of its use: the problems have other variables or another structure.
type Line struct {
	Minus, Plus *dc.Problem
	Width       float64
}

// AdjointBy is the gradient, with respect to n numbers of the problem that are no parameters, of a scalar function of the point whose gradient, with
// an entry for each of NumVars, is g. line gives the line along a change of the numbers, of length n. It is called three times where each number of the convex problem
// depends on one of the n at most, as coefficients do, else n times more. Errors: a wrong length; those of line and Line; an end of ctx.
func (d *Derivative) AdjointBy(ctx context.Context, g []float64, n int, line func(change []float64) (Line, error)) (gradient []float64, err error) {
	defer recovered(&err)
	if len(g) != len(d.z) || num.FirstNotFinite(g) >= 0 {
		return nil, fmt.Errorf("ccp: the gradient has %d entries, want %d finite ones", len(g), len(d.z))
	}
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
	along := func(change []float64) (v qpbackend.Update, err error) {
		l, err := line(change)
		if err != nil {
			return v, err
		}
		return d.between(ctx, l)
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
		for a, b := range pairs(&u, &v) {
			if b != nil {
				gradient[i] += num.Dot(*a, b)
			}
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
	e := &Derivative{p: d.p, z: slices.Clone(d.z), loose: d.loose}
	return e, e.settle(ctx, subproblem.CompileApart, d.worth)
}

// Of decoded. Source: derived: differences of numbers that are linear in a change have errors of 1e-10, and a third change at random agrees by chance with
// the share foreign of the numbers that depend on several entries.
const (
	foreign = 1e-6
	whole   = 0.01 // distance of a quotient from the integer that it stands for
)

// decoded is the gradient of the inner product of u and the values of the convex problem with respect to n numbers, from the changes of the values along three changes of all the
// numbers. From the quotient of the first two it follows on which number a value depends, if on one; the third is the test. It is zero and not ok where a value depends on several.
func decoded(u *qpbackend.Update, n int, along func(change []float64) (qpbackend.Update, error)) (gradient []float64, ok bool, err error) {
	rng := rand.New(rand.NewPCG(1, 5))
	var changes [3][]float64
	for k := range changes {
		changes[k] = make([]float64, n)
	}
	for i := range n {
		changes[0][i] = 1 + rng.Float64()
		changes[1][i] = changes[0][i] * float64(i+1) / float64(n)
		changes[2][i] = 2*rng.Float64() - 1
	}
	var v [3]qpbackend.Update
	for k, c := range changes {
		if v[k], err = along(c); err != nil {
			return nil, false, err
		}
	}
	gradient = make([]float64, n)
	var parts [3][][]float64
	for k := range v {
		for _, b := range pairs(u, &v[k]) {
			parts[k] = append(parts[k], b)
		}
	}
	part := 0
	for a := range pairs(u, u) {
		for i, weight := range *a {
			if weight == 0 || parts[0][part] == nil {
				continue
			}
			first, second, third := parts[0][part][i], parts[1][part][i], parts[2][part][i]
			if first == 0 && second == 0 && third == 0 {
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
		part++
	}
	return gradient, true, nil
}

// between is the change of the values of the convex problem per unit.
func (d *Derivative) between(ctx context.Context, l Line) (u qpbackend.Update, err error) {
	if l.Minus == nil || l.Plus == nil || !(l.Width > 0) {
		return u, errors.New("ccp: want two problems and a width above zero")
	}
	var at [2]*qpbackend.Problem
	for k, p := range [...]*dc.Problem{l.Minus, l.Plus} {
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
	a, b := at[0], at[1]
	if !subproblem.SamePattern(a, b) || len(b.Q) != d.cols {
		return u, errors.New("ccp: no derivative: the structure of the problem changes")
	}
	change := func(a, b []float64) []float64 {
		out := make([]float64, len(a))
		for i, v := range a {
			if v != b[i] { // also where both are infinite
				out[i] = (b[i] - v) / l.Width
			}
		}
		return out
	}
	u = qpbackend.Update{Q: change(a.Q, b.Q), L: change(a.L, b.L), U: change(a.U, b.U), A: change(a.A.Val, b.A.Val)}
	if a.P != nil {
		u.P = change(a.P.Val, b.P.Val)
	}
	if a.Lo != nil && a.Hi != nil {
		u.Lo, u.Hi = change(a.Lo, b.Lo), change(a.Hi, b.Hi)
	}
	return u, nil
}

// Batch solves p for each set of values of its parameters, by name, on all processors, and calls f with the
// number of the set, a session with these values and the result. The calls of f run at the same
// time; each has a session of its own, which is closed after it, so that results do not
// depend on their order. The first error by number ends the batch: that of f, or of values that p
// refuses, or of ctx.
// one is number k of a batch.
// polish replaces the solution of a convex problem by the one that Newton steps on its optimality
// conditions lead to, with the sides and cones that hold there: an objective to Tol fixes a point
// to √Tol alone where it is flat. The point stays where the steps fail or lead to a worse one: one
// that breaks constraints by more than the point before and by more than rounding errors do, or
// whose objective is higher by more than these change it or, where it breaks less, by more than Tol.
func (r *run) polish(ctx context.Context, end *outcome) {
	s := r.sub
	if end.status() != Converged || !s.Convex() || s.Damped() || !(s.Res.Res.Max() > polished) ||
		!bent(s.QP) || entries(s.QP) > mostRefined {
		return
	}
	at := s.Point()
	if n := len(r.res.X); len(at.X) < n || !slices.Equal(at.X[:n], r.res.X) {
		return
	}
	kept := r.seed.tangent
	if kept == nil {
		kept = new(subproblem.Differentiator)
		defer kept.Close()
	}
	d := &Derivative{p: r.p, z: slices.Clone(r.res.X)}
	if done, err := d.at(ctx, s, kept, &Result{X: r.res.X, convex: at}); !done || err != nil {
		return
	}
	for j, v := range d.z {
		if math.Abs(v) <= rounded*s.Size(j) {
			d.z[j] = 0
		}
	}
	var it Iteration
	before, most := r.worthOf(r.res.X).broken.Relative, r.noise(r.res.X)
	r.measure(&it, d.z)
	if most += it.noise(); it.Relative < before {
		most += r.gap.Tol
	}
	rise := r.minimised(it.Objective) - r.minimised(r.res.Objective)
	if !num.Finite(it.Objective) || !(rise <= most) || !(it.Relative <= max(before, rounded)) {
		return
	}
	r.res.moveTo(it.Result())
	r.res.nearly = it.Feasible || it.Relative <= r.set.FeasTol
	p := d.d.Point()
	r.res.convex = qpbackend.Tangent{X: slices.Clone(p.X), Y: slices.Clone(p.Y), Z: slices.Clone(p.Z)}
	r.res.take(s.WrittenDuals(p))
}

// bent reports whether the objective may be flat at a solution that is no vertex: the problem has
// squares or cones.
func bent(p *qpbackend.Problem) bool { return len(p.Cones) > 0 || p.P != nil && p.P.NNZ() > 0 }

// entries counts those of the matrices, and of the bases of the cones.
func entries(p *qpbackend.Problem) int {
	n := p.A.NNZ()
	if p.P != nil {
		n += p.P.NNZ()
	}
	for _, c := range p.Cones {
		if c.Kind != qpbackend.SecondOrder {
			n += c.Len * c.Len
		}
	}
	return n
}

const (
	// polished is the residual of a convex problem whose solution is a polished one.
	// Source: derived: its root is an accuracy of 1e-7.
	polished = 1e-14
	// rounded is the violation, relative to the terms of a constraint, that counts as none.
	// Source: derived: some ten unit roundoffs of each of 100 terms.
	rounded = 1e-13
	// mostRefined bounds the entries of a convex problem that is polished. Source: a limit of time:
	// the steps take a third of the time of a small solve, and five times the time of one with a
	// matrix of order 25 in a cone. Session.Differentiate refines the points of larger ones.
	mostRefined = 20_000
)
