package dc

import "slices"

// fewestMembers is from how many members on a family is made: from about that
// number on its value costs no more than that of its members.
// Source: BenchmarkFamily: 0.9 times as much for hinges, 0.8 for norms, 0.6 for minima of squares.
const fewestMembers = 16

// inArrays is implemented by functions that are looped.
type inArrays interface {
	// addTo adds the functions of a term to the family that they are members of.
	addTo(groups map[string]*family, t term, of *space) *family
	// chooses reports whether they are the least of some functions, see leastOf.
	chooses() bool
	// convexFamily is a term of convex functions as a family.
	convexFamily(t term, known sharedLists) term
}

// gatherFamilies replaces terms that differ in numbers alone by families.
func gatherFamilies(terms []term, of *space, known sharedLists) []term {
	return gatherFrom(fewestMembers, terms, of, known)
}

func gatherFrom(fewest int, terms []term, of *space, known sharedLists) []term {
	if len(terms) < fewest && !(withLoops && (&Expr{terms: terms}).series() != nil) {
		return terms
	}
	var r memberReader
	groups := map[string]*family{}
	member, packed := make([]*family, len(terms)), false
	for k, t := range terms {
		if withLoops {
			if s, ok := t.f.(inArrays); ok {
				member[k], packed = s.addTo(groups, t, of), true
				continue
			}
		}
		if !r.read(t.f) {
			continue
		}
		g := groups[string(r.text)]
		if g == nil {
			g = newFamily(&r, of)
			groups[string(r.text)] = g
		}
		if withLoops && packed {
			g.unfolded()
			g.unpack(len(g.w))
		}
		if len(g.w) == manyMembers {
			g.expect(len(terms) - k)
			g.w = slices.Grow(g.w, len(terms)-k)
		}
		g.add(t.w, &r)
		member[k] = g
	}
	var out []term
	for k, t := range terms {
		switch g := member[k]; {
		case g == nil || len(g.w) < fewest:
			out = append(out, t)
		case g.pool.New == nil: // it is the first member
			g.finish(known)
			out = append(out, term{1, g.joined()})
		}
	}
	return out
}

// gather makes families of the terms of all functions.
func (p *Problem) gather(look *lookout) error {
	p.Objective.gather()
	for k := range p.Constraints {
		if err := look.ended(); err != nil {
			return err
		}
		if c := &p.Constraints[k]; c.DC && c.members == nil {
			c.e.gather()
		}
	}
	return nil
}

// gather makes families of the terms of e, of its h, and one square of those of g.
func (e *Expr) gather() {
	if len(e.terms) < fewestMembers && !(withLoops && e.series() != nil) || e.err != nil {
		return
	}
	s := *e.split()
	known := sharedLists{}
	s.g, s.h = gatherLeast(stackSquares(s.g), e.of, known), gatherFamilies(s.h, e.of, known)
	e.terms = gatherFamilies(e.terms, e.of, known)
	e.replaceSplit(s)
}

// folded is e with the families of its terms that g has, the same expression after gather: the members take no memory then.
func (e Expr) folded(g *Expr) Expr {
	if len(g.terms) == len(e.terms) && !(withLoops && e.series() != nil) {
		return e
	}
	return Expr{lin: e.lin, terms: g.terms, composite: true, of: e.of, err: e.err}
}

// unfolded is e with the members of families as terms.
func (e Expr) unfolded() Expr {
	parts := []Expr{{lin: e.lin, of: e.of, err: e.err}}
	some := false
	for _, t := range e.terms {
		f, ok := t.f.(*family)
		if !ok {
			parts = append(parts, Expr{terms: []term{t}, composite: e.composite, of: e.of})
			continue
		}
		some = true
		for _, m := range f.members() {
			parts = append(parts, m.Scale(t.w))
		}
	}
	if !some {
		return e
	}
	return sumExprs(parts)
}

// stackSquares makes one term of all sums of squares with one weight.
func stackSquares(terms []term) []term {
	parts := map[float64][]Affine{}
	for _, t := range terms {
		if f, ok := t.f.(*sumSquares); ok {
			parts[t.w] = append(parts[t.w], f.a)
		}
	}
	var out []term
	for _, t := range terms {
		_, ok := t.f.(*sumSquares)
		if !ok || len(parts[t.w]) == 1 {
			out = append(out, t)
		} else if list := parts[t.w]; list != nil {
			a := Stack(list...)
			out, parts[t.w] = append(out, term{t.w, &sumSquares{a, a.support()}}), nil
		}
	}
	return out
}

// gatherLeast makes families of the least of some functions among terms.
func gatherLeast(terms []term, of *space, known sharedLists) []term {
	var least, rest []term
	for _, t := range terms {
		if withLoops {
			if s, ok := t.f.(inArrays); ok {
				if s.chooses() {
					least = append(least, t)
				} else {
					rest = append(rest, s.convexFamily(t, known))
				}
				continue
			}
		}
		if _, ok := t.f.(*leastOf); ok {
			least = append(least, t)
		} else {
			rest = append(rest, t)
		}
	}
	return append(rest, gatherFamilies(least, of, known)...)
}

// joined is the family as a function.
func (f *family) joined() Convex {
	if f.steps[len(f.steps)-1].op == opLeast {
		return &leastFamily{f}
	}
	return f
}
