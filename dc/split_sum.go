package dc

import (
	"github.com/dcopt/dcopt/internal/convex"
)

// sumAffineParts adds the affine parts, count of which are not zero.
func sumAffineParts(es []scalar, count int) convex.Linear {
	var fewLins [4]convex.Linear
	var fewOnes [4]float64
	lins, ones := fewLins[:0], fewOnes[:0]
	if count > len(fewLins) {
		lins, ones = make([]convex.Linear, 0, count), make([]float64, 0, count)
	}
	for k := range es {
		if !es[k].lin.IsZero() {
			lins, ones = append(lins, es[k].lin), append(ones, 1)
		}
	}
	return convex.SumLinear(lins, ones)
}

// gathered adds terms of either sign, equal functions once.
type gathered struct {
	terms []term
	few   bool // so few that each is compared with each
	share Sharer
	place []int // in terms, of what share knows
	other map[convex.Func]int
}

// mostPairs is up to how many terms comparing all pairs is faster than hashing.
// Source: a limit of speed; sums do not depend on it.
const mostPairs = 6

func (a *gathered) add(w float64, f convex.Func) {
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
func (a *gathered) known(f convex.Func) int {
	if like, ok := f.(noder); ok {
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
		a.other = map[convex.Func]int{}
	}
	a.other[f] = len(a.terms)
	return -1
}

// nonzero are the terms that did not cancel.
func (a *gathered) nonzero() []term {
	n := 0
	for _, t := range a.terms {
		if t.w != 0 {
			a.terms[n] = t
			n++
		}
	}
	return a.terms[:n:n]
}
