package program

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
)

// define finds the equations that define a variable: one that stands linearly
// wherever it stands, in no affine row and in no other equation. The objective and
// the constraints get the split that they have with e in its place, and Pin computes
// it. The variable's bounds remain of the equation. As two DC constraints,
// an equation would leave CCP steps no room.
func (p *Problem) define(look *cancelCheck) error {
	var d *definer
	for i := 0; i+1 < len(p.Constraints); i++ {
		if err := look.ended(); err != nil {
			return err
		}
		c := &p.Constraints[i]
		if !c.Equation {
			continue
		}
		if d == nil {
			d = newDefiner(p)
		}
		if j, ok := d.definable(c); ok {
			d.substitute(i, j)
			for _, t := range c.e.Terms {
				d.mark(t.F.Support())
			}
			d.mark(c.e.Lin.Idx) // they are in other expressions now
		}
	}
	if len(p.defined) > 0 {
		if err := d.insert(look); err != nil {
			return err
		}
		p.definedAt = make([]int, p.n)
		for k, d := range p.defined {
			p.definedAt[d.j] = k + 1
		}
	}
	return nil
}

// definer substitutes variables of p.
type definer struct {
	p         *Problem
	uses      []bool // of each variable, within functions or affine rows
	equations []int  // that each variable stands in
	by        map[int]expr.Scalar
}

func (d *definer) mark(idx []int) {
	for _, j := range idx {
		d.uses[j] = true
	}
}

func newDefiner(p *Problem) *definer {
	d := &definer{p: p, uses: make([]bool, p.n), equations: make([]int, p.n), by: map[int]expr.Scalar{}}
	expr := func(e *expr.Scalar) {
		for _, t := range e.Terms {
			d.mark(t.F.Support())
		}
	}
	expr(&p.Objective)
	for i := range p.Constraints {
		c := &p.Constraints[i]
		if !c.DC {
			d.mark(c.A.Support())
			continue
		}
		if c.members != nil {
			if c.member == 0 {
				c.members.Plan.EachVariable(func(node int, j int32) {
					if node != c.members.Plan.Top() {
						d.uses[j] = true
					}
				})
			}
			continue
		}
		expr(&c.e)
		if c.Equation {
			for _, j := range c.e.Lin.Idx {
				d.equations[j]++
			}
		}
	}
	for _, v := range p.Vars {
		if v.Param || v.Symmetric {
			for k := range v.Len() {
				d.uses[v.Offset+k] = true
			}
		}
	}
	return d
}

// definable is the variable with the largest coefficient of those that c, an
// equation, can define.
func (d *definer) definable(c *Constraint) (j int, ok bool) {
	largest := 0.0
	for k, i := range c.e.Lin.Idx {
		if v := math.Abs(c.e.Lin.Val[k]); !d.uses[i] && d.equations[i] == 1 && v > largest {
			j, largest = i, v
		}
	}
	return j, largest > 0
}

// substitute puts the expression that constraints i and i+1 give variable j in
// its place.
func (d *definer) substitute(i, j int) {
	p := d.p
	c := &p.Constraints[i]
	a, rest := without(c.e.Lin, j)
	e := c.e
	e.Lin, e.Lazy, e.Composite = rest, &expr.LazySplit{}, true
	e = e.Scale(-1 / a)
	def := definition{j: j, e: e, a: a, at: i}
	c.e.ReplaceSplit(expr.Split{}) // 0 ≤ 0 for the solver
	p.Constraints[i+1].e.ReplaceSplit(expr.Split{})
	d.by[j] = e
	for _, v := range p.Vars {
		if k := j - v.Offset; k >= 0 && k < v.Len() {
			p.keepWithin(v, k, &def)
		}
	}
	p.defined = append(p.defined, def)
}

// AddDefined completes the multipliers of the constraints and of the variables' bounds by the
// multipliers of the equations that define a variable, which the convex problem lacks: the Lagrange
// function does not change with the variable. Neither do other functions, as the variable stands
// linearly wherever it stands. cost is the weight of the objective in it, 0 of a certificate.
func (p *Problem) AddDefined(cost float64, rows [][]float64, bounds []float64) {
	for _, d := range p.defined {
		z := 0.0
		if d.lo > 0 {
			z -= rows[d.lo][0]
		}
		if d.high > 0 {
			z += rows[d.high][0]
		}
		if d.j < len(bounds) {
			bounds[d.j] += z
		}
		slope, _ := without(p.Objective.Lin, d.j)
		slope = cost*slope + z
		for i := range p.Constraints {
			if c := &p.Constraints[i]; c.DC && i != d.at && i != d.at+1 {
				if c.members != nil {
					continue // which lack the variable
				}
				w, _ := without(c.e.Lin, d.j)
				slope += rows[i][0] * w
			}
		}
		rows[d.at][0], rows[d.at+1][0] = max(-slope/d.a, 0), max(slope/d.a, 0)
	}
}

// insert puts the definitions in the place of their variables.
func (d *definer) insert(look *cancelCheck) error {
	d.insertIn(&d.p.Objective)
	for i := range d.p.Constraints {
		if err := look.ended(); err != nil {
			return err
		}
		if c := &d.p.Constraints[i]; c.DC {
			if c.member == 0 && d.standsIn(c.members) {
				part(d.p.Constraints[i:])
			}
			if c.members == nil {
				d.insertIn(&c.e)
			}
		}
	}
	return nil
}

// standsIn reports whether a variable that is defined stands in some of the members.
func (d *definer) standsIn(m *family.Members) (stands bool) {
	if m != nil {
		m.Plan.EachVariable(func(_ int, j int32) {
			_, defined := d.by[int(j)]
			stands = stands || defined
		})
	}
	return stands
}

// insertIn changes the split; of the expression as it is written only the affine
// part can have such variables.
func (d *definer) insertIn(e *expr.Scalar) {
	s := *e.Split()
	parts, weights := []expr.Split{{}}, []float64{1}
	idx, val := []int(nil), []float64(nil)
	for k, j := range s.Lin.Idx {
		if by, ok := d.by[j]; ok {
			parts, weights = append(parts, *by.Split()), append(weights, s.Lin.Val[k])
		} else {
			idx, val = append(idx, j), append(val, s.Lin.Val[k])
		}
	}
	if len(parts) > 1 {
		s.Lin.Idx, s.Lin.Val = idx, val
		parts[0] = s
		e.ReplaceSplit(expr.AddSplits(parts, weights...))
		e.MoveTangents()
	}
}

// keepWithin states the bounds of a variable for what defines it.
func (p *Problem) keepWithin(v *Variable, k int, d *definition) {
	lo, hi := v.Bounds(k)
	e := d.e
	r := e.Over()
	add := func(f expr.Scalar) int {
		f.KeepSplit()
		p.Constraints = append(p.Constraints, stated(Common{Family: v.Name, e: f, DC: true, Implied: true,
			Within: true}))
		return len(p.Constraints) - 1
	}
	if r.Hi > hi || lo == hi {
		d.high = add(expr.SumOf([]expr.Scalar{e, expr.Number(-hi)}))
		p.Constraints[d.high].Equation = lo == hi
	}
	if r.Lo < lo || lo == hi {
		d.lo = add(expr.SumOf([]expr.Scalar{expr.Number(lo), e.Neg()}))
	}
}

// without is the coefficient of variable j, and l without it.
func without(l convex.Linear, j int) (float64, convex.Linear) {
	k, ok := slices.BinarySearch(l.Idx, j)
	if !ok {
		return 0, l
	}
	w := l.Val[k]
	return w, l.AddScaled(-1, convex.Linear{Idx: []int{j}, Val: []float64{w}})
}

// cancelCheck looks at a context now and then.
type cancelCheck struct {
	ctx  context.Context
	left int
}

// looksApart is how many constraints are worked on between two looks at the context.
// Source: some 1 ms for constraints with a few terms.
const looksApart = 256

// ended is the error of the context, looked at once in a while.
func (l *cancelCheck) ended() error {
	if l.left--; l.left > 0 {
		return nil
	}
	l.left = looksApart
	return l.ctx.Err()
}

// Linearised returns p with other splits: smooth functions of DC constraints and of nonlinear
// equations, which are two of them, have no convex part; of functions that are not smooth this
// holds for the smooth terms of the split. CCP then subtracts −f itself, and its tangent the
// linearisation of f, as Newton's method needs it. Values of expressions are as they were.
// equations tells whether p has such equations; ok is false where nothing is linearised.
func (p *Problem) Linearised() (q *Problem, equations, ok bool) {
	out := *p
	out.Constraints = slices.Clone(p.Constraints)
	second := false // half of an equation
	for k := range out.Constraints {
		c := &out.Constraints[k]
		half := second || c.Equation
		if c.members != nil {
			part(out.Constraints[k:])
		} else if c.DC {
			*c = stated(*c.Common)
		}
		if c.DC && !c.e.IsAffine() && (half || !c.e.IsConvex()) && p.linearise(&c.e) {
			equations, ok = equations || half, true
		}
		second = c.Equation
	}
	if e := &out.Objective; !e.IsAffine() && (equations || e.Smooth() && !e.IsConvex()) {
		ok = p.linearise(e) || ok
	}
	return &out, equations, ok
}

// linearise replaces the split g − h by g₁ − (h₁ − s), where s is the smooth functions of both and
// the others stay; of a smooth e the split is 0 − (−e). It reports false where no function is
// smooth. The gradient of a smooth e is the gradient of e as it is written: the gradient of a split
// may be of another function with the same sign, see hyperbola. Definitions stand in the place of
// their variables.
func (p *Problem) linearise(e *expr.Scalar) bool {
	written, defined := *e, false
	for _, d := range p.defined {
		if w, rest := without(written.Lin, d.j); w != 0 {
			written.Lin = rest
			written, defined = expr.SumOf([]expr.Scalar{written, d.e.Scale(w)}), true
		}
	}
	s := written.NewSplit()
	part, rest := s, expr.Split{}
	if !written.Smooth() {
		if !defined { // of maxima of functions that are linearised no other one is a split
			s = *e.Split()
		}
		part, rest = expr.Split{}, expr.Split{Lin: s.Lin, Touches: s.Touches}
		part.G, rest.G = bySmoothness(s.G)
		part.H, rest.H = bySmoothness(s.H)
		written = expr.Scalar{Terms: append(slices.Clone(part.G), expr.ScaleTerms(part.H, -1)...), Of: e.Of}
	}
	if part.IsAffine() {
		return false
	}
	all := &expr.Scalar{Terms: append(slices.Clone(part.G), part.H...)}
	f := &expr.StandIn{E: written.Neg(), Part: true, All: all, Whole: all.Everywhere()}
	f.Indices = expr.NewParted(part).Indices
	rest.H = append(rest.H, expr.Term{W: 1, F: f})
	e.ReplaceSplit(rest)
	return true
}

func bySmoothness(terms []expr.Term) (is, others []expr.Term) {
	for _, t := range terms {
		if convex.IsSmooth(t.F) {
			is = append(is, t)
		} else {
			others = append(others, t)
		}
	}
	return is, others
}
