package expr

import (
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
		if pieces := p.Pieces(); len(pieces) > 0 && FewPieces(len(pieces), len(g.Support()), hs) {
			for _, l := range pieces {
				c.Tangent(l.AddScaled(-1, t), h)
			}
			return
		}
	}
	bound := func() convex.Linear { return c.Bound(g) }
	if s, ok := g.(*Scalar); ok && bentIn(h) { // of −e the squares may be the same
		bound = func() convex.Linear { return s.Lin.AddScaled(1, c.Bound(newSum(convex.Linear{}, s.Terms))) }
	}
	c.Tangent(bound().AddScaled(-1, t), h)
}

// FewPieces reports whether an h of some variables written out for each piece of g costs no more
// than a column above g.
func FewPieces(pieces, variablesOfG, variablesOfH int) bool {
	return pieces*variablesOfH <= 2*(variablesOfG+variablesOfH)+8
}

// bentIn reports whether h has terms that are bent, see bent.
func bentIn(h convex.Representer) bool {
	s, ok := h.(*Scalar)
	bent := func(t Term) bool { f, is := t.F.(*StandIn); return is && f.of == nil && !f.Part }
	return ok && slices.ContainsFunc(s.Terms, bent)
}

// differences are the splits gᵢ − hᵢ of the arguments of a majorant, and the splits of minus the
// arguments, which of smooth functions are others. Its domain is common to all of them.
type differences struct {
	G, H       []convex.Representer
	minusG     []convex.Representer // minusG − minusH is −eᵢ; nil: hᵢ − gᵢ
	minusH     []convex.Representer
	everywhere bool // no part is Restricted
	bent       bool // some functions have values and subgradients alone
}

// newDifferences: ok is false where one of es has no split.
func newDifferences(es ...Scalar) (d differences, ok bool) {
	for k, e := range es {
		other := e.Neg()
		bent := e.WithTangents()
		if bent {
			e.MoveTangents()
			other.MoveTangents()
			if e.WithTangents() || other.WithTangents() {
				return differences{}, false
			}
		}
		s := e.SplitNow()
		d.G, d.H = append(d.G, newSum(s.Lin, s.G)), append(d.H, newSum(convex.Linear{}, s.H))
		minusG, minusH := d.H[k], d.G[k]
		if bent {
			s = other.SplitNow()
			minusG, minusH = newSum(s.Lin, s.G), newSum(convex.Linear{}, s.H)
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
		return d.H[k], d.G[k]
	}
	return d.minusG[k], d.minusH[k]
}

// all is the sum of the gᵢ and hᵢ.
func (d *differences) all() *Scalar { return sumOfPairs(d.G, d.H) }

// Domain is common to all parts. Where none has one they are not asked again: a fit has thousands
// of such functions.
func (d *differences) Domain() []convex.Representer {
	if d.everywhere {
		return nil
	}
	return d.all().Domain()
}

func (d *differences) IsMajorant() {}

func (d *differences) Everywhere() bool { return d.everywhere }

func (d *differences) Inside(x []float64) bool { return d.everywhere || d.all().Inside(x) }

// Parts are those that a representation needs.
func (d *differences) Parts() (out []convex.Func) {
	for k := range d.G {
		g, _ := d.minus(k)
		out = append(out, d.G[k], g)
	}
	return out
}

// ColumnAbove is a column that is at least |g − h|, by tangents of h and of g.
func ColumnAbove(c convex.Canon, g, h convex.Representer) convex.Linear {
	t := convex.Column(c)
	above(c, t, g, h)
	above(c, t, h, g)
	return t
}

// appliedAbove is the majorant of f(e₁, …): f of tₖ ≥ |eₖ|, or of tₖ ≥ eₖ, which is one t for all
// of a maximum.
type appliedAbove struct {
	of *VectorAtom
	differences
}

func (f *appliedAbove) Represent(c convex.Canon) convex.Form {
	rows, largest := make([]convex.Linear, len(f.G)), f.of.Row == atom.Max
	for k := range rows {
		if k == 0 || !largest {
			rows[k] = convex.Column(c)
		} else {
			rows[k] = rows[0]
		}
		above(c, rows[k], f.G[k], f.H[k])
		if f.of.Row.Entry(k).Monotone == atom.Outward {
			g, h := f.minus(k)
			above(c, rows[k], g, h)
		}
	}
	switch {
	case largest:
		return convex.Form{Linear: rows[0]}
	case f.of.Row == atom.Norm1: // of numbers that are not negative
		return convex.Form{Linear: convex.SumLinear(rows, nil)}
	}
	return represent(c, f.of.Row, f.of.P, rows)
}

func (f *appliedAbove) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.of.AddSubgrad(dst, scale, x)
}

func (f *appliedAbove) Value(x []float64) float64 { return f.of.Value(x) }

func (f *appliedAbove) Approx(x []float64) convex.Approx { return f.of.Approx(x) }

func (f *appliedAbove) Over() interval.Interval { return f.of.Over() }

func (f *appliedAbove) Support() []int { return f.of.Indices }

func (f *appliedAbove) String() string { return f.of.String() }

func (f *appliedAbove) Node() Node {
	n := f.of.Node()
	n.Name, n.Row = n.Op()+" above", nil
	return n
}

// Majorant: of functions with a split that is no square and no absolute value, the split is used
// where it is one of convex functions.
func (f *VectorAtom) Majorant() (Majorant, bool) {
	if f.Row.Slopes == nil || f.Row == atom.SumLargest {
		return nil, false
	}
	d, ok := newDifferences(f.Args.Fs...)
	return &appliedAbove{f, d}, ok && d.bent
}

func (c *CurveAtom) Majorant() (Majorant, bool) {
	if !c.F.Is("square") && !c.F.Is("abs") {
		return nil, false
	}
	d, ok := newDifferences(*c.E())
	return &appliedAbove{NewWritten(c.F.Row.Sum, nil, Array{Fs: c.args[:]}, c.Own), d}, ok
}

// A convex function that does not decrease in its arguments may be taken of DC
// arguments where it is minimised: with eᵢ = gᵢ − hᵢ and the tangents ĥᵢ at the
// current point, f(g₁ − ĥ₁, …) is convex, nowhere less than f(e₁, …) and equal to
// it at the point. CCP asks this of a step (Lipp and Boyd 2016, section
// 1.3), and closer than the tangents of a split g − h of f(e): of |e| it is
// max(g − ĥ, h − ĝ) and not 2·max(g, h) − ĝ − ĥ. The steps for sums of squares
// are the ones of the Gauss-Newton method, with the curvature that is kept.

// majorised is implemented by functions that have such a form. It replaces them
// where they have a positive weight in an objective or on the left of ≤.
type majorised interface {
	Written
	// Majorant: ok is false where an argument has no split.
	Majorant() (m Majorant, ok bool)
}

// Majorise returns e with majorants in its split.
func (e Scalar) Majorise() Scalar { return e.MajoriseBy(Term.Majorant) }

// MajoriseBy is Majorise with other majorants of the terms.
func (e Scalar) MajoriseBy(majorant func(Term) (Term, bool)) Scalar {
	some, terms := false, make([]Term, len(e.Terms))
	for k, t := range e.Terms {
		if m, ok := majorant(t); ok {
			some, t = true, m
		}
		terms[k] = t
	}
	if some {
		e.ReplaceSplit(splitOf(e.Lin, terms))
	}
	return e
}

// Majorant is the term with its majorant, if it has one.
func (t Term) Majorant() (Term, bool) {
	f, ok := t.F.(majorised)
	if !ok || t.W <= 0 || !isWritten(f) || f.Split().IsConvex() {
		return t, false
	}
	m, ok := f.Majorant()
	if !ok {
		return t, false
	}
	return Term{t.W, m}, true
}
