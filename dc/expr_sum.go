package dc

// SumExprs is Sum for a slice. Equal functions count as one although they were
// made apart.
func SumExprs(es []Expr) Expr {
	lins, terms := 0, 0
	for k := range es {
		if es[k].err != nil {
			return es[k]
		}
		if !es[k].lin.isZero() {
			lins++
		}
		terms += len(es[k].g) + len(es[k].h)
	}
	if len(es) == 1 {
		return es[0]
	}
	out := Expr{lin: sumAffineParts(es, lins)}
	if terms == 0 {
		return out
	}
	all := gathered{terms: make([]term, 0, terms), few: terms <= mostPairs}
	for k := range es {
		for _, t := range es[k].g {
			all.add(t.w, t.f)
		}
		for _, t := range es[k].h {
			all.add(-t.w, t.f)
		}
	}
	mergeMatFracs(all.terms)
	if added, lin := mergeSquares(all.terms); added != nil || !lin.isZero() {
		all.terms, out.lin = append(all.terms, added...), out.lin.Plus(1, lin)
	}
	out.g, out.h = all.split()
	return out
}

// sumAffineParts adds the affine parts, count of which are not zero.
func sumAffineParts(es []Expr, count int) Linear {
	var fewLins [4]Linear
	var fewOnes [4]float64
	lins, ones := fewLins[:0], fewOnes[:0]
	if count > len(fewLins) {
		lins, ones = make([]Linear, 0, count), make([]float64, 0, count)
	}
	for k := range es {
		if !es[k].lin.isZero() {
			lins, ones = append(lins, es[k].lin), append(ones, 1)
		}
	}
	return sumLinear(lins, ones)
}

// gathered adds terms of either sign, equal functions once.
type gathered struct {
	terms []term
	few   bool // so few that each is compared with each
	share Sharer
	place []int // in terms, of what share knows
	other map[Convex]int
}

// mostPairs is up to how many terms comparing all pairs is faster than hashing.
const mostPairs = 6

func (a *gathered) add(w float64, f Convex) {
	if a.few {
		for k := range a.terms {
			if sameFunction(f, a.terms[k].f) {
				a.terms[k].w += w
				return
			}
		}
	} else if k := a.known(f); k >= 0 {
		a.terms[k].w += w
		return
	}
	a.terms = append(a.terms, term{w, f})
}

// known is the place of a function equal to f, −1 where there is none: then f is
// to go to the end.
func (a *gathered) known(f Convex) int {
	if like, ok := f.(alike); ok {
		switch k, fresh := a.share.find(f, like); {
		case fresh:
			a.place = append(a.place, len(a.terms))
			return -1
		case k >= 0:
			return a.place[k]
		}
	}
	if k, ok := a.other[f]; ok {
		return k
	}
	if a.other == nil {
		a.other = map[Convex]int{}
	}
	a.other[f] = len(a.terms)
	return -1
}

// split parts the terms by their sign, in order; those that cancel are left out.
func (a *gathered) split() (g, h []term) {
	plus, minus := 0, 0
	for _, t := range a.terms {
		if t.w > 0 {
			plus++
		} else if t.w < 0 {
			minus++
		}
	}
	if plus == len(a.terms) {
		return a.terms, nil
	}
	all := make([]term, plus+minus)
	g, h = all[:0:plus], all[plus:plus]
	for _, t := range a.terms {
		if t.w > 0 {
			g = append(g, t)
		} else if t.w < 0 {
			h = append(h, term{-t.w, t.f})
		}
	}
	if minus == 0 {
		h = nil
	}
	return g, h
}
