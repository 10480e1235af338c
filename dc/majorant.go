package dc

// A convex function that does not decrease in its arguments may be taken of DC
// arguments where it is minimised: with eᵢ = gᵢ − hᵢ and the tangents ĥᵢ at the
// current point, f(g₁ − ĥ₁, …) is convex, nowhere less than f(e₁, …) and equal to
// it at the point. CCP asks that of a step (Lipp and Boyd 2016, section
// 1.3), and closer than the tangents of a split g − h of f(e): of |e| it is
// max(g − ĥ, h − ĝ) and not 2·max(g, h) − ĝ − ĥ. The steps for sums of squares
// are the ones of the Gauss-Newton method but for the curvature that is kept.

// majorised is implemented by functions that have such a form. It replaces them
// where they have a positive weight in an objective or on the left of ≤.
type majorised interface {
	written
	// majorant: ok is false where an argument has no split.
	majorant() (m majorant, ok bool)
}

// majorise returns e with majorants in its split.
func (e scalar) majorise() scalar { return e.majoriseBy(term.majorant) }

// withMajorant is implemented by families that are not convex: it is one times a weight as its
// majorant, if it has one.
type withMajorant interface {
	withMajorant(w float64) (term, bool)
}

// majoriseObjective is majorise for an objective, which may have leastOf too.
func (e scalar) majoriseObjective() scalar {
	e = e.apart(func(t term) bool {
		f, mixed := t.f.(withMajorant)
		if mixed {
			_, mixed = f.withMajorant(t.w)
			return !mixed
		}
		return false
	})
	return e.majoriseBy(func(t term) (term, bool) {
		if f, ok := t.f.(withMajorant); ok {
			return f.withMajorant(t.w)
		}
		if w, l := newLeastOf(t.w, t.f); l != nil {
			return term{w, l}, true
		}
		return t.majorant()
	})
}

func (e scalar) majoriseBy(majorant func(term) (term, bool)) scalar {
	some, terms := false, make([]term, len(e.terms))
	for k, t := range e.terms {
		if m, ok := majorant(t); ok {
			some, t = true, m
		}
		terms[k] = t
	}
	if some {
		e.replaceSplit(splitOf(e.lin, terms))
	}
	return e
}

// majorant is the term with its majorant, if it has one.
func (t term) majorant() (term, bool) {
	f, ok := t.f.(majorised)
	if !ok || t.w <= 0 || !isWritten(f) || f.split().isConvex() {
		return t, false
	}
	m, ok := f.majorant()
	if !ok {
		return t, false
	}
	return term{t.w, m}, true
}
