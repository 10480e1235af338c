package sensitivity

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// Derivative is the derivative of a strict local minimum with respect to the parameters of the
// problem. Its methods return an error of package ccp where a function of the user's panics.
type Derivative struct {
	p       *program.Problem // without majorants
	z       []float64        // the point, all variables and parameters
	curves  []curve
	sub     *subproblem.Problem // linearised at the point
	compile compiler            // that made it
	convex  qpbackend.Derivative
	τ       float64
	worth   float64     // of slacks
	loose   bool        // the solution of a convex problem is not unique
	rows    *Derivative // the same with squares by columns of their own; nil: not yet
	guard   func(*error)
}

// compiler states a problem as one whose h are linearised.
type compiler func(context.Context, *program.Problem) (*subproblem.Problem, error)

// Source is a solution to differentiate.
type Source struct {
	Problem  *program.Problem
	X        []float64           // with an entry for each of NumVars, parameters as in Problem
	Worth    float64             // the largest multiplier, at least 1
	Solved   *subproblem.Problem // of a convex Problem, with a solver; or nil
	Solution qpbackend.Tangent   // of Solved, if its X begins with this X
	Recover  func(*error)        // is deferred: it makes the error of a panic
}

// KinkError says where an expression has no derivative.
type KinkError struct {
	// Expression is "the objective", the name of the constraint, or that of the variable whose
	// bound it is.
	Expression string
	// Weak: the expression holds with multiplier zero, so that it is about to let go or to take
	// hold. Session.OneSided has the change of the point along one change of the parameters. Else
	// it is a kink of the part −h.
	Weak bool
}

func (e *KinkError) Error() string {
	if e.Weak {
		return fmt.Sprintf("ccp: no derivative: %s holds at the solution with multiplier zero, or nearly so; "+
			"the derivatives are one-sided", e.Expression)
	}
	return fmt.Sprintf("ccp: no derivative: the solution is at a kink of the part −h of %s", e.Expression)
}

// HeldError is the error along a change that the point does not follow: more constraints hold than
// it has directions to move in. Session.OneSided has the change of the point where the constraints
// are linear.
type HeldError struct{}

func (*HeldError) Error() string {
	return "ccp: no derivative: more constraints hold at the point than it has directions to move in along " +
		"the change of the parameters; the derivatives are one-sided"
}

// New is the derivative at a solution. Errors: as of ccp.Differentiate.
func New(ctx context.Context, at Source) (*Derivative, error) {
	d, err := linearised(ctx, at)
	if err != nil {
		return nil, err
	}
	return d, d.examine(ctx)
}

// linearised is New at points that may have no derivative.
func linearised(ctx context.Context, at Source) (*Derivative, error) {
	d := &Derivative{
		p: at.Problem.Exact(), z: slices.Clone(at.X), worth: at.Worth, compile: subproblem.Compile, guard: at.Recover,
	}
	if s := at.Solved; s != nil && d.p == at.Problem && s.Convex() && d.at(ctx, s, at.Solution) {
		return d, nil
	}
	return d, d.settle(ctx)
}

// at linearises at a solution of the convex problem, by the solver that it has. It reports whether
// that is possible.
func (d *Derivative) at(ctx context.Context, sub *subproblem.Problem, point qpbackend.Tangent) bool {
	n, m := sub.Compiled.QP.Dims()
	if len(point.X) != n || len(point.Y) != m || len(point.Z) != n {
		return false
	}
	convex, ok := linearisedAt(ctx, sub, d.z, point)
	if d.sub, d.convex = sub, convex; ok {
		d.accept()
	}
	return ok
}

// accept moves to the solution of a convex problem, which is the point.
func (d *Derivative) accept() {
	d.weigh()
	copy(d.z, d.convex.Point().X)
	d.p.Pin(d.z)
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

// settle refines the point by Newton's method on z = S(z).
func (d *Derivative) settle(ctx context.Context) (err error) {
	if d.sub, err = d.compile(ctx, d.p); err != nil {
		return err
	}
	start, size := slices.Clone(d.z), max(num.NormInf(d.z), 1)
	var solver qpbackend.Differentiator
	d.τ = aboveWorth * d.worth
	for k := 0; ; {
		if solver, err = d.solve(ctx, solver); err != nil {
			return err
		}
		var res qpbackend.Result
		if err := solver.Solve(ctx, &res); err != nil {
			return err
		}
		if res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
			return fmt.Errorf("ccp: no derivative: the convex problem at the point is %v", res.Status)
		}
		if d.openSlacks(&res) && d.τ < steepest*d.worth {
			d.τ *= 10
			continue
		}
		if d.convex, err = solver.Differentiate(ctx); err != nil {
			return err
		}
		if d.sub.Convex() { // an h that is linear for given parameters counts in derivatives by these
			d.accept()
			return nil
		}
		d.weigh()
		step := slices.Clone(d.convex.Point().X[:len(d.z)])
		num.Axpy(step, -1, d.z)
		if num.NormInf(step) <= refined*size {
			return nil
		}
		if k++; k > maxRefinements {
			return errors.New("ccp: no derivative: the point cannot be refined to a strict local minimum")
		}
		if step, err = resolve(ctx, step, d.onward); err != nil {
			return err
		}
		num.Axpy(d.z, 1, step)
		d.p.Pin(d.z)
		if !(num.DistInf(d.z, start) <= strays*size) {
			return errors.New("ccp: no derivative: the point is not near a strict local minimum")
		}
	}
}

// solve gives the solver, nil for a new one, the convex problem at the point.
func (d *Derivative) solve(ctx context.Context, solver qpbackend.Differentiator) (qpbackend.Differentiator, error) {
	if err := d.sub.Linearise(d.z, d.τ); err != nil {
		return nil, err
	}
	if solver != nil {
		return solver, solver.Update(d.sub.Lin.Now)
	}
	made, err := ipm.Backend{}.New(ctx, d.sub.Stated(), ipm.Backend{}.DefaultSettings())
	if err != nil {
		return nil, err
	}
	return made.(qpbackend.Differentiator), nil
}

// openSlacks reports whether a slack is not zero, or would be where it cost less.
func (d *Derivative) openSlacks(res *qpbackend.Result) bool {
	return slices.ContainsFunc(d.sub.Compiled.Slacks, func(j int) bool {
		return !(-res.Z[j] > res.X[j]) // both have the unit of the row's terms, to within the price
	})
}

// weigh notes the h that have multipliers.
func (d *Derivative) weigh() {
	d.curves = d.curves[:0]
	y := d.convex.Point().Y
	if h := d.sub.Compiled.H0; h != nil {
		d.curves = append(d.curves, curve{h, "the objective", 1})
	}
	for k := range d.sub.Compiled.Cuts {
		c := &d.sub.Compiled.Cuts[k]
		if !c.Same {
			d.curves = append(d.curves, curve{h: c.H, name: d.name(c.Row)})
		}
		d.curves[len(d.curves)-1].weight += y[c.Row]
	}
	for _, f := range d.sub.Compiled.Rows.Families {
		for k := range f.Count() {
			i := f.Row + k
			d.curves = append(d.curves, curve{d.p.Constraints[f.Owner+f.Number(k)].Function().H(), d.name(i), y[i]})
		}
	}
	d.curves = slices.DeleteFunc(d.curves, func(c curve) bool { return !(c.weight > 0) })
}

// name is the name of the constraint of a row.
func (d *Derivative) name(row int) string {
	owner := d.sub.Compiled.Rows.At(row).Owner
	if owner < 0 {
		return "a term of the objective"
	}
	if name := d.p.Constraints[owner].Name(); name != "" {
		return name
	}
	return fmt.Sprintf("constraint %d, counted from 1", owner+1)
}

// Point is the refined point, with an entry for each of NumVars. It is the derivative's own.
func (d *Derivative) Point() []float64 { return d.z }

// Unique reports whether the solution is. Where that of a convex problem is not, derivatives are
// the least squares solution of least norm of the linearised optimality conditions, in the scaled
// problem: parts of the point that nothing holds do not move, and gradients with respect to them do
// not count. Other points that are not unique are refused.
func (d *Derivative) Unique() bool { return !d.loose }

// Regular reports whether the multipliers of the convex problem at the point are unique, too: then
// the point follows any change of the parameters, else those that Forward takes.
func (d *Derivative) Regular() bool { return d.convex.Regularity().Regular }

// leastMargin is the least margin of a regular solution, and the share of a right-hand side that
// may be left over. Source: that of qpbackend.Regularity.
const leastMargin = 1e-6

// examine refuses points where there is no derivative.
func (d *Derivative) examine(ctx context.Context) error {
	r := d.convex.Regularity()
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
	d.clearParameters(free)
	if !r.Regular {
		var t qpbackend.Tangent
		if err := d.convex.Forward(ctx, qpbackend.Update{Q: d.wide(free)}, &t); err != nil {
			return err
		}
		if d.loose = t.Missed > leastMargin; d.loose && !d.sub.Convex() {
			return errors.New("ccp: no derivative: the solution of the convex problem at the point is not unique")
		}
	}
	if _, err := d.curvature(ctx, all); err != nil {
		return err
	}
	strict, err := contracts(ctx, free, d.costs, d.curvature)
	if err == nil && !strict {
		err = errors.New("ccp: no derivative: the point is not a strict local minimum")
	}
	return err
}

// place names the expression of the nearest kink.
func (d *Derivative) place(r qpbackend.Regularity) string {
	if r.Row >= 0 {
		return d.name(r.Row)
	}
	for _, v := range d.p.Vars {
		if k := r.Variable - v.Offset; k >= 0 && k < v.Len() {
			return "a bound of " + v.Name
		}
	}
	return "a bound of an auxiliary variable"
}

// clearParameters makes the entries of parameters 0.
func (d *Derivative) clearParameters(v []float64) {
	for _, p := range d.p.Vars {
		if p.Param {
			clear(v[p.Offset:][:p.Len()])
		}
	}
}

// wide is v with zeros for the other columns of the convex problem.
func (d *Derivative) wide(v []float64) []float64 {
	return append(slices.Clone(v), make([]float64, len(d.sub.Compiled.QP.Q)-len(v))...)
}
