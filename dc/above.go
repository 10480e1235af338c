package dc

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// above states t ≥ g − ĥ: for the pieces of g one by one where h written out for
// each costs no more than a column above g.
func above(c convex.Canon, t convex.Linear, g, h convex.Representer) {
	if p, ok := g.(convex.Polyhedral); ok {
		hs := len(h.Support())
		if pieces := p.Pieces(); len(pieces) > 0 && len(pieces)*hs <= 2*(len(g.Support())+hs)+8 {
			for _, l := range pieces {
				c.Tangent(l.AddScaled(-1, t), h)
			}
			return
		}
	}
	bound := func() convex.Linear { return c.Bound(g) }
	if s, ok := g.(*sum); ok && bentIn(h) { // of −e the squares may be the same
		bound = func() convex.Linear { return s.lin.AddScaled(1, c.Bound(newSum(convex.Linear{}, s.terms))) }
	}
	c.Tangent(bound().AddScaled(-1, t), h)
}

// bentIn reports whether h has terms that are bent, see bent.
func bentIn(h convex.Representer) bool {
	s, ok := h.(*sum)
	bent := func(t term) bool { f, is := t.f.(*standIn); return is && f.of == nil && !f.part }
	return ok && slices.ContainsFunc(s.terms, bent)
}

// differences are the splits gᵢ − hᵢ of the arguments of a majorant, and the splits of minus the
// arguments, which of smooth functions are others. Its domain is common to all of them.
type differences struct {
	g, h       []convex.Representer
	minusG     []convex.Representer // minusG − minusH is −eᵢ; nil: hᵢ − gᵢ
	minusH     []convex.Representer
	everywhere bool // no part is Restricted
	bent       bool // some functions have values and subgradients alone
}

// final says of a majorant of bent functions that it stands for itself.
func (d *differences) final() bool { return d.bent }

// newDifferences: ok is false where one of es has no split.
func newDifferences(es ...scalar) (d differences, ok bool) {
	for k, e := range es {
		other := e.Neg()
		bent := e.withTangents()
		if bent {
			e.moveTangents()
			other.moveTangents()
			if e.withTangents() || other.withTangents() {
				return differences{}, false
			}
		}
		s := e.splitNow()
		d.g, d.h = append(d.g, newSum(s.lin, s.g)), append(d.h, newSum(convex.Linear{}, s.h))
		minusG, minusH := d.h[k], d.g[k]
		if bent {
			s = other.splitNow()
			minusG, minusH = newSum(s.lin, s.g), newSum(convex.Linear{}, s.h)
		}
		d.minusG, d.minusH, d.bent = append(d.minusG, minusG), append(d.minusH, minusH), d.bent || bent
	}
	if !d.bent {
		d.minusG, d.minusH = nil, nil
	}
	d.everywhere = d.all().Everywhere()
	return d, true
}

// minus is the split of −eₖ.
func (d *differences) minus(k int) (g, h convex.Representer) {
	if d.minusG == nil {
		return d.h[k], d.g[k]
	}
	return d.minusG[k], d.minusH[k]
}

// all is the sum of the gᵢ and hᵢ.
func (d *differences) all() *sum {
	s := &sum{}
	for k := range d.g {
		s.terms = append(s.terms, term{1, d.g[k]}, term{1, d.h[k]})
	}
	return s
}

// Domain is common to all parts. Where none has one they are not asked again: a fit has thousands
// of such functions.
func (d *differences) Domain() []convex.Representer {
	if d.everywhere {
		return nil
	}
	return d.all().Domain()
}

func (d *differences) isMajorant() {}

func (d *differences) Everywhere() bool { return d.everywhere }

func (d *differences) Inside(x []float64) bool { return d.everywhere || d.all().Inside(x) }

// Parts are those that a representation needs.
func (d *differences) Parts() (out []convex.Func) {
	for k := range d.g {
		g, _ := d.minus(k)
		out = append(out, d.g[k], g)
	}
	return out
}

// addSubgrad adds scale times a gradient of gₖ − hₖ, where it has one.
func (d *differences) addSubgrad(k int, dst []float64, scale float64, x []float64) {
	d.g[k].AddSubgrad(dst, scale, x)
	d.h[k].AddSubgrad(dst, -scale, x)
}

// absAbove is the majorant of |e|, and squareAbove the majorant of e².
type absAbove struct {
	differences
	e       scalar
	indices []int
}

func newAbsAbove(e scalar) (absAbove, bool) {
	d, ok := newDifferences(e)
	f := absAbove{differences: d, e: e}
	if ok {
		g, h := f.minus(0)
		f.indices = convex.Union(f.g[0].Support(), f.h[0].Support(), g.Support(), h.Support())
	}
	return f, ok
}

func (f *absAbove) Support() []int { return f.indices }

func (f *absAbove) Value(x []float64) float64 { return math.Abs(f.e.Value(x)) }

// AddSubgrad adds a gradient of |e| where it has one.
func (f *absAbove) AddSubgrad(dst []float64, scale float64, x []float64) {
	if f.e.Value(x) < 0 {
		scale = -scale
	}
	f.addSubgrad(0, dst, scale, x)
}

// column is t ≥ g − ĥ, and t ≥ −e in the same way.
func (f *absAbove) column(c convex.Canon) convex.Linear {
	t := convex.Column(c)
	above(c, t, f.g[0], f.h[0])
	g, h := f.minus(0)
	above(c, t, g, h)
	return t
}

func (f *absAbove) Represent(c convex.Canon) convex.Form { return convex.Form{Linear: f.column(c)} }

func (f *absAbove) node() Node { return Node{op: "abs above", args: exprArgs(f.e)} }

func (f *absAbove) String() string { return "abs" }

type squareAbove struct{ absAbove }

func (f *squareAbove) Value(x []float64) float64 { v := f.e.Value(x); return v * v }

func (f *squareAbove) AddSubgrad(dst []float64, scale float64, x []float64) {
	scale *= 2 * f.e.Value(x)
	f.addSubgrad(0, dst, scale, x)
}

func (f *squareAbove) Represent(c convex.Canon) convex.Form {
	return convex.Form{Quad: []convex.Quadratic{{Weight: 1, Arg: f.column(c).Number()}}}
}

func (f *squareAbove) node() Node { return Node{op: "square above", args: exprArgs(f.e)} }

func (f *squareAbove) String() string { return "square" }

// appliedAbove is the majorant of f(e₁, …): f of tₖ ≥ |eₖ|, or of tₖ ≥ eₖ, which is one t for all
// of a maximum.
type appliedAbove struct {
	of *vectorAtom
	differences
}

func (f *appliedAbove) Represent(c convex.Canon) convex.Form {
	rows, largest := make([]convex.Linear, len(f.g)), f.of.row == atom.Max
	for k := range rows {
		if k == 0 || !largest {
			rows[k] = convex.Column(c)
		} else {
			rows[k] = rows[0]
		}
		above(c, rows[k], f.g[k], f.h[k])
		if f.of.row.Entry(k).Monotone == atom.Outward {
			g, h := f.minus(k)
			above(c, rows[k], g, h)
		}
	}
	if largest {
		return convex.Form{Linear: rows[0]}
	}
	return represent(c, f.of.row, f.of.p, rows)
}

func (f *appliedAbove) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.of.AddSubgrad(dst, scale, x)
}

func (f *appliedAbove) Value(x []float64) float64 { return f.of.Value(x) }

func (f *appliedAbove) Approx(x []float64) convex.Approx { return f.of.Approx(x) }

func (f *appliedAbove) Over() interval.Interval { return f.of.Over() }

func (f *appliedAbove) split() *split { return f.of.split() }

func (f *appliedAbove) Support() []int { return f.of.indices }

func (f *appliedAbove) String() string { return f.of.String() }

func (f *appliedAbove) node() Node {
	n := f.of.node()
	n.op, n.row = n.Op()+" above", nil
	return n
}

func (f *vectorAtom) majorant() (majorant, bool) {
	if f.row.Slopes == nil || f.row == atom.SumLargest {
		return nil, false
	}
	d, ok := newDifferences(f.items...)
	return &appliedAbove{f, d}, ok
}

func (c *curveAtom) majorant() (majorant, bool) {
	switch {
	case c.f.is("square"):
		m, ok := newAbsAbove(*c.e())
		return &squareAbove{m}, ok
	case c.f.is("abs"):
		m, ok := newAbsAbove(*c.e())
		return &m, ok
	}
	return nil, false
}
