package program

import (
	"fmt"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
)

// cost is the inner product of parameters and affine functions.
type cost struct{ p, a convex.Array }

// priced is the sum of the costs times −1 or 1. For given parameters it is
// affine, and its subgradient is that by the variables.
type priced struct {
	costs   []cost
	sign    float64
	indices []int
}

func newPriced(costs []cost, sign float64) *priced {
	var lists [][]int
	for _, c := range costs {
		lists = append(lists, c.p.Support(), c.a.Support())
	}
	return &priced{costs, sign, convex.Union(lists...)}
}

func (f *priced) Value(x []float64) float64 {
	s := 0.0
	for i := range f.costs {
		c := &f.costs[i]
		for k := range c.a.C {
			s += c.p.At(k, x) * c.a.At(k, x)
		}
	}
	return f.sign * s
}

func (f *priced) AddSubgrad(dst []float64, scale float64, x []float64) {
	for i := range f.costs {
		c := &f.costs[i]
		for k := range c.a.C {
			c.a.AddRow(dst, scale*f.sign*c.p.At(k, x), k)
		}
	}
}

func (f *priced) Approx(x []float64) convex.Approx {
	var s convex.Total
	for i := range f.costs {
		c := &f.costs[i]
		for k := range c.a.C {
			s.Add(c.p.Approx(k, x).Times(c.a.Approx(k, x)))
		}
	}
	return convex.Approx{V: f.sign * s.V, E: s.E}
}

func (f *priced) Support() []int { return f.indices }

func (f *priced) String() string { return "costs" }

// Flat: for given parameters it is affine.
func (f *priced) Flat() bool { return true }

// Node are the costs as an inner product.
func (f *priced) Node() expr.Node {
	var p, a []convex.Array
	for _, c := range f.costs {
		p, a = append(p, c.p), append(a, c.a)
	}
	in := [2]expr.Array{{Array: convex.Stack(p...)}, {Array: convex.Stack(a...)}}
	return expr.Node{Name: "cost", Minus: f.sign < 0, Inputs: in, Key: f}
}

// With returns the problem with other values of a parameter, one for all entries
// or one per entry in row-major order. All else is shared.
func (p *Problem) With(param string, values ...float64) (*Problem, error) {
	k, err := p.parameter(param, values)
	if err != nil {
		return nil, err
	}
	w := *p.Vars[k]
	w.Fix(make([]float64, w.Len()))
	w.Set(values)
	q := p.withVariable(k, &w)
	if p.exact != nil {
		q.exact = sync.OnceValue(func() *Problem { return p.exact().withVariable(k, &w) })
	}
	return q, nil
}

// Instance is a copy of p, which shares all but the values of the parameters: Assign changes them.
func (p *Problem) Instance() *Problem {
	q := *p
	q.Vars, q.typical = slices.Clone(p.Vars), slices.Clone(p.typical)
	for k, v := range q.Vars {
		if v.Param {
			w := *v
			w.Fix(slices.Clone(v.Lo))
			q.Vars[k] = &w
		}
	}
	if p.exact != nil {
		q.exact = sync.OnceValue(func() *Problem {
			e := *p.exact()
			e.Vars, e.typical = q.Vars, q.typical
			return &e
		})
	}
	return &q
}

// Assign gives parameters of p, an Instance that no other goroutine reads now, other values: With
// has the form of these. On an error nothing has changed.
func (p *Problem) Assign(values map[string][]float64) error {
	for param, x := range values {
		if _, err := p.parameter(param, x); err != nil {
			return err
		}
	}
	for param, x := range values {
		k, _ := p.parameter(param, x)
		v := p.Vars[k]
		v.Set(x)
		v.typical(p.typical[v.Offset:])
	}
	return nil
}

// parameter is the number of a parameter, which may have the values.
func (p *Problem) parameter(param string, values []float64) (int, error) {
	for k, v := range p.Vars {
		if v.Name != param {
			continue
		}
		if !v.Param {
			return 0, fmt.Errorf("dc: %s is a variable, not a parameter", param)
		}
		if err := v.Takes(values); err != nil {
			return 0, fmt.Errorf("dc: parameter %s: %w", param, err)
		}
		return k, nil
	}
	return 0, fmt.Errorf("dc: there is no parameter %s", param)
}

// withVariable is p with another variable k of the same size.
func (p *Problem) withVariable(k int, v *Variable) *Problem {
	q := *p
	q.Vars = append([]*Variable(nil), p.Vars...)
	q.Vars[k] = v
	q.typical = q.typicalPoint()
	return &q
}

// Pin writes the values of the parameters into x, and the values of the variables
// that an equation defines. Who makes a point, a start or a step, pins it before the
// problem is evaluated there.
func (p *Problem) Pin(x []float64) {
	for _, v := range p.Vars {
		if v.Param {
			copy(x[v.Offset:], v.Lo)
		}
	}
	for _, d := range p.defined {
		x[d.j] = d.e.Value(x)
	}
}

// Confine moves x into the Box, and pins it.
func (p *Problem) Confine(x []float64) {
	for _, v := range p.Vars {
		for k := range v.Len() {
			lo, hi := p.box(v, k)
			x[v.Offset+k] = min(max(x[v.Offset+k], lo), hi)
		}
	}
	p.Pin(x)
}

// BoundDefined moves the entries of x that an equation defines, and that are beyond their bounds,
// to them: Pin computes these entries with rounding errors. It reports whether there are any.
func (p *Problem) BoundDefined(x []float64) (moved bool) {
	if p.definedAt == nil {
		return false
	}
	for _, v := range p.Vars {
		for k := range v.Len() {
			j := v.Offset + k
			if lo, hi := v.Bounds(k); p.definedAt[j] > 0 && (x[j] < lo || x[j] > hi) {
				x[j] = min(max(x[j], lo), hi)
				moved = true
			}
		}
	}
	return moved
}

// Defined marks the entries of x, NumVars of them, that an equation defines as functions
// of others; nil: no entry is.
func (p *Problem) Defined() []bool {
	if p.definedAt == nil {
		return nil
	}
	out := make([]bool, p.n)
	for j, k := range p.definedAt {
		out[j] = k > 0
	}
	return out
}
