package spatial

import (
	"cmp"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/global/internal/factorable"
	"github.com/dcopt/dcopt/internal/interval"
)

// choose finds the column to split: the argument of the functions that the relaxation is furthest
// off at, times their multipliers. Where no multiplier sees an error, as constraints that the
// relaxation meets have none, the errors count by themselves (Belotti, Lee, Liberti, Margot and
// Wächter 2009, Branching and bounds tightening techniques for non-convex MINLP).
func (s *Search) choose(box []factorable.Interval, x []float64, y []factorable.Interval) (col int, at float64) {
	col, best := s.scored(box, x, func(k int, off float64) float64 {
		j := s.P.N + k
		w := factorable.Middle(y[j])
		if s.P.Terms[k].Under != nil && w > 0 {
			return 0
		}
		return -w * off
	})
	if col < 0 || best < 1e-12 {
		col, best = s.scored(box, x, func(k int, off float64) float64 {
			j := s.P.N + k
			if off > 0 && s.P.Above[j] || off < 0 && s.P.Below[j] && s.P.Terms[k].Under == nil {
				return math.Abs(off)
			}
			return 0
		})
	}
	if col < 0 || best < 1e-12 {
		return s.widest(box, x)
	}
	return col, s.place(col, box, x[col])
}

// scored is the column of the largest sum of the errors of its functions, and that sum.
func (s *Search) scored(box []factorable.Interval, x []float64,
	weigh func(k int, off float64) float64) (col int, best float64) {
	score := make(map[int]float64)
	for k := range s.P.Terms {
		t, j := &s.P.Terms[k], s.P.N+k
		if t.Op == factorable.Affine || s.P.CostOnly[j] && t.Op == factorable.Square {
			continue
		}
		gap := weigh(k, t.Off(x, x[j]))
		if !(gap > 0) {
			continue
		}
		for _, c := range t.Args() {
			if b := box[c]; s.wide(c, b) {
				share := 1.0
				if b.IsFinite() { // near an end a split there changes little
					share = 0.1 + min(x[c]-b.Lo, b.Hi-x[c])/interval.Width(b)
				}
				score[c] += gap * share
			}
		}
	}
	col = -1
	for _, c := range s.branch {
		if v := score[c]; v > best {
			col, best = c, v
		}
	}
	return col, best
}

// bent reports whether column j is the argument of a size with its kink inside of an interval
// without an end.
func (s *Search) bent(j int, a factorable.Interval) bool {
	return s.sizes[j] && !a.IsFinite() && a.Lo < 0 && a.Hi > 0
}

// wide reports whether the interval of column j may be split. Terms without a bound follow
// variables.
func (s *Search) wide(j int, a factorable.Interval) bool {
	if !a.IsFinite() {
		return j < s.P.N || s.bent(j, a)
	}
	return broad(a)
}

// broad reports whether a finite interval may be split.
func broad(a factorable.Interval) bool {
	return interval.Width(a) > narrow*max(1, math.Abs(a.Lo), math.Abs(a.Hi))
}

// narrow is the width of an interval that is split no further, relative to its ends.
// Source: a hundred units in the last place of the tolerances that points are kept to.
const narrow = 1e-11

// widest is an argument of a size that keeps the cost without a bound, else the widest argument of
// a function that is not affine.
func (s *Search) widest(box []factorable.Interval, x []float64) (col int, at float64) {
	col = -1
	best := 0.0
	for k := range s.P.Terms {
		t := &s.P.Terms[k]
		if t.Op == factorable.Affine {
			continue
		}
		if t.Op == factorable.Abs && s.P.Above[s.P.N+k] && s.bent(t.A, box[t.A]) {
			return t.A, 0
		}
		for _, c := range t.Args() {
			b := box[c]
			if w := interval.Width(b) / max(1, math.Abs(b.Lo), math.Abs(b.Hi)); (w > best || math.IsNaN(w)) &&
				s.wide(c, b) {
				col, best = c, w
			}
		}
	}
	if col < 0 {
		return -1, 0
	}
	v := 0.0
	if b := box[col]; x != nil {
		v = x[col]
	} else if b.IsFinite() {
		v = factorable.Middle(b)
	}
	return col, s.place(col, box, v)
}

// beside is how far from 0 a split is beside it.
// Source: a thousandth of ccp.Settings.FeasTol, so that it moves a bound by less than that does.
const beside = 1e-9

// place is where to split: at a kink inside, or an inflection point well inside, beside the end 0
// of a factor of a product that is 0, as the other factor is 0 beyond; else between the point and
// the middle, away from the ends.
func (s *Search) place(col int, box []factorable.Interval, x float64) float64 {
	a, breaks := box[col], []float64(nil)
	for k := range s.P.Terms {
		switch t := &s.P.Terms[k]; {
		case t.OfOne() && t.A == col:
			if breaks = append(breaks, t.Breaks(a)...); t.Kink() && a.Lo < 0 && a.Hi > 0 {
				return 0
			}
		case t.Op == factorable.Product && (t.A == col || t.B == col) && a.Lo == 0 && a.Hi > 2*beside &&
			box[s.P.N+k] == (factorable.Interval{}):
			return beside
		}
	}
	x = factorable.Clip(a, x)
	switch beyond := max(1, math.Abs(x)); {
	case math.IsInf(a.Lo, -1) && math.IsInf(a.Hi, 1):
		return x
	case math.IsInf(a.Hi, 1):
		return x + beyond
	case math.IsInf(a.Lo, -1):
		return x - beyond
	}
	w := interval.Width(a)
	at := min(max(0.7*x+0.3*factorable.Middle(a), a.Lo+0.1*w), a.Hi-0.1*w)
	inside := slices.DeleteFunc(breaks, func(v float64) bool { return v < a.Lo+0.1*w || v > a.Hi-0.1*w })
	if len(inside) > 0 {
		at = slices.MinFunc(inside, func(u, v float64) int { return cmp.Compare(math.Abs(u-at), math.Abs(v-at)) })
	}
	return at
}
