package dc

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
)

// define finds the equations that define a variable: one that stands linearly
// wherever it stands, in no affine row and in no other equation. The objective and
// the constraints get the split that they have with e in its place, and Pin computes
// it. The variable's bounds remain of the equation. As two DC constraints,
// an equation would leave CCP steps no room.
func (p *Problem) define(look *lookout) error {
	var d *definer
	for i := 0; i+1 < len(p.Constraints); i++ {
		if err := look.ended(); err != nil {
			return err
		}
		c := &p.Constraints[i]
		if !c.opens {
			continue
		}
		if d == nil {
			d = newDefiner(p)
		}
		if j, ok := d.definable(c); ok {
			d.substitute(i, j)
			for _, t := range c.e.terms {
				d.mark(t.f.Support())
			}
			d.mark(c.e.lin.Idx) // they are in other expressions now
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
	by        map[int]scalar
}

func (d *definer) mark(idx []int) {
	for _, j := range idx {
		d.uses[j] = true
	}
}

func newDefiner(p *Problem) *definer {
	d := &definer{p: p, uses: make([]bool, p.n), equations: make([]int, p.n), by: map[int]scalar{}}
	expr := func(e *scalar) {
		for _, t := range e.terms {
			d.mark(t.f.Support())
		}
	}
	expr(p.objective())
	for i := range p.Constraints {
		c := &p.Constraints[i]
		if !c.DC {
			d.mark(c.A.support())
			continue
		}
		if c.members != nil {
			if c.member == 0 {
				c.members.plan.EachVariable(func(node int, j int32) {
					if node != c.members.plan.Top() {
						d.uses[j] = true
					}
				})
			}
			continue
		}
		expr(&c.e)
		if c.opens {
			for _, j := range c.e.lin.Idx {
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
	for k, i := range c.e.lin.Idx {
		if v := math.Abs(c.e.lin.Val[k]); !d.uses[i] && d.equations[i] == 1 && v > largest {
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
	a, rest := without(c.e.lin, j)
	e := c.e
	e.lin, e.lazy, e.composite = rest, &lazySplit{}, true
	e = e.Scale(-1 / a)
	def := definition{j: j, e: e, a: a, at: i}
	c.e.replaceSplit(split{}) // 0 ≤ 0 for the solver
	p.Constraints[i+1].e.replaceSplit(split{})
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
		slope, _ := without(p.objective().lin, d.j)
		slope = cost*slope + z
		for i := range p.Constraints {
			if c := &p.Constraints[i]; c.DC && i != d.at && i != d.at+1 {
				if c.members != nil {
					continue // which lack the variable
				}
				w, _ := without(c.e.lin, d.j)
				slope += rows[i][0] * w
			}
		}
		rows[d.at][0], rows[d.at+1][0] = max(-slope/d.a, 0), max(slope/d.a, 0)
	}
}

// insert puts the definitions in the place of their variables.
func (d *definer) insert(look *lookout) error {
	d.insertIn(d.p.objective())
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
func (d *definer) standsIn(m *members) (stands bool) {
	if m != nil {
		m.plan.EachVariable(func(_ int, j int32) {
			_, defined := d.by[int(j)]
			stands = stands || defined
		})
	}
	return stands
}

// insertIn changes the split; of the expression as it is written only the affine
// part can have such variables.
func (d *definer) insertIn(e *scalar) {
	s := *e.split()
	parts, weights := []split{{}}, []float64{1}
	idx, val := []int(nil), []float64(nil)
	for k, j := range s.lin.Idx {
		if by, ok := d.by[j]; ok {
			parts, weights = append(parts, *by.split()), append(weights, s.lin.Val[k])
		} else {
			idx, val = append(idx, j), append(val, s.lin.Val[k])
		}
	}
	if len(parts) > 1 {
		s.lin.Idx, s.lin.Val = idx, val
		parts[0] = s
		e.replaceSplit(addSplits(parts, weights...))
		e.moveTangents()
	}
}

// keepWithin states the bounds of a variable for what defines it.
func (p *Problem) keepWithin(v *Variable, k int, d *definition) {
	lo, hi := v.Bounds(k)
	e := d.e
	r := e.Range()
	add := func(f scalar) int {
		f.keepSplit()
		p.Constraints = append(p.Constraints, stated(Common{Family: v.Name, e: f, DC: true, implied: true,
			within: true}))
		return len(p.Constraints) - 1
	}
	if r.Hi > hi || lo == hi {
		d.high = add(sumExprs([]scalar{e, constantExpr(-hi)}))
		p.Constraints[d.high].opens = lo == hi
	}
	if r.Lo < lo || lo == hi {
		d.lo = add(sumExprs([]scalar{constantExpr(lo), e.Neg()}))
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
