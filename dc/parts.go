package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
)

// G is the convex part, the affine part included. It is a Representer unless
// an Oracle or another function without representation is in it; see
// Unrepresentable.
func (e scalar) G() convex.Representer {
	e.moveTangents()
	s := e.splitNow()
	return newSum(s.lin, s.g)
}

// H is the convex part that is subtracted: the expression is G − H.
func (e scalar) H() convex.Func {
	e.moveTangents()
	s := e.splitNow()
	return newSum(convex.Linear{}, s.h)
}

// Unrepresentable returns a function in g that has values and subgradients
// only, so that it could only be an h; nil if there is none.
func (e scalar) Unrepresentable() convex.Func {
	e.moveTangents()
	s := e.splitNow()
	for _, t := range s.g {
		if !representable(t.f) {
			return t.f
		}
	}
	return nil
}

// HasSplit reports whether e is known as a difference of convex functions. Of others, smooth
// functions without bounds of their second derivatives, as quotients through 0, are linearised
// without the guarantees of a split.
func (e scalar) HasSplit() bool {
	e.moveTangents()
	s := e.splitNow()
	in := func(t term) bool { return tangentIn(t.f) }
	return !s.touches && !slices.ContainsFunc(s.g, in) && !slices.ContainsFunc(s.h, in)
}

// tangentInside is a function in h with a part that is linearised without a split, nil if there is
// none.
func (e *scalar) tangentInside() convex.Func {
	s := e.splitNow()
	for _, t := range s.h {
		if !t.linearised() && tangentIn(t.f) {
			return t.f
		}
	}
	return nil
}

// representable looks into sums and compositions, at each function once.
func representable(f convex.Func) bool {
	if _, ok := f.(convex.Compound); !ok {
		_, ok := f.(convex.Representer)
		return ok
	}
	return representableIn(f, map[convex.Func]bool{})
}

func representableIn(f convex.Func, seen map[convex.Func]bool) bool {
	if _, ok := f.(convex.Linear); ok {
		return true // and no key for a map
	}
	if seen[f] {
		return true // or reported where it was seen first
	}
	seen[f] = true
	if p, ok := f.(convex.Compound); ok {
		for _, q := range p.Parts() {
			if !representableIn(q, seen) {
				return false
			}
		}
	}
	if r, ok := f.(interface{ represented() bool }); ok && !r.represented() {
		return false
	}
	_, ok := f.(convex.Representer)
	return ok
}

// linearised is a function f of es whose split is made when the expression is complete, by bounds
// of its second derivative; functions of it are such functions too. Without such bounds, CCP takes
// the tangent at the current point, as Newton's method does; the domain is tested at all points.
// Functions of es that are not smooth need the bounds: err refuses others.
func linearised(f func(parted) written, err error, es ...scalar) scalar {
	var lists [][]int
	smooth := true
	for k := range es {
		smooth = smooth && es[k].smooth()
		lists = append(lists, es[k].support())
	}
	t := &standIn{sign: -1, all: &sum{}, indices: convex.Union(lists...)}
	for k := range es {
		p := es[k].splitNow()
		t.all.terms = append(append(t.all.terms, p.g...), p.h...)
	}
	t.of = f(parted{split{h: []term{{1, t}}}, t.indices})
	t.e = scalar{terms: []term{{-1, t.of}}}
	p, ok := t.of.(interface{ partial() bool })
	t.everywhere = !(ok && p.partial()) && t.all.Everywhere()
	e := node(t.of, ownerOf(es...))
	if !smooth && !(e.HasSplit() && e.Neg().HasSplit()) {
		return scalar{err: err}
	}
	return e
}

// IsAffine, IsConvex and IsConcave say what the splits of all entries show; a function may be
// convex although its split does not show it.
func (a Expr) IsAffine() bool { return a.every(scalar.IsAffine) }

// IsConst reports whether no variable occurs in any entry.
func (a Expr) IsConst() bool { return len(a.arr.Idx) == 0 && a.every(scalar.IsConst) }

// IsConvex reports whether the splits prove all entries convex.
func (a Expr) IsConvex() bool { return a.every(scalar.IsConvex) }

// IsConcave reports whether the splits prove all entries concave.
func (a Expr) IsConcave() bool { return a.every(scalar.IsConcave) }
