package dc

import (
	"math"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// Max is the largest of all entries of all arrays, or along an axis of one: see Expr.Along. Of DC
// functions it is DC: maxᵢ(gᵢ − hᵢ) = maxᵢ(gᵢ + Σ_{j≠i} hⱼ) − Σⱼ hⱼ. Where several entries attain
// the maximum, the subgradient is that of the first.
//
//	arguments  us: arrays of any shapes
//	curvature  convex
//	sign       any
//	monotone   us: nondecreasing
//	domain     all
//	takes      any with a split
//	refuses    no entries
//	form       rows
//	source     Boyd and Vandenberghe 2004, section 4.3.1; split: Horst and Thoai 1999, proposition 2.1
func Max(us ...Expr) Expr {
	return joined(us).fold(atom.Max, func(a array) scalar { return maxExprs(a.scalars()) })
}

func maxExprs(es []scalar) scalar {
	if len(es) == 0 {
		return badExpr("max of nothing")
	}
	// all are convex as they are written; the split of a maximum that is not is certainly not
	// affine
	plain, bent := true, false
	for k := range es {
		if es[k].err != nil {
			return es[k]
		}
		plain = plain && !es[k].composite && es[k].IsConvex()
	}
	if es = undominated(es); len(es) == 1 {
		return es[0]
	}
	bent = !plain
	for k := 0; bent && k < len(es); k++ {
		bent = es[k].subtractsSquares()
	}
	if bent {
		return node(newMaximum(es, true), ownerOf(es...))
	}
	var few [8]split
	parts := few[:0]
	for k := range es {
		parts = append(parts, es[k].splitNow())
	}
	s := maxSplit(parts)
	if plain {
		return scalar{lin: s.lin, terms: s.g, of: ownerOf(es...)}
	}
	own := newParted(s)
	return node(newWritten(atom.Max, nil, slices.Clone(es), &own), ownerOf(es...))
}

// subtractsSquares reports whether e subtracts nothing but squares, as it is written.
func (e *scalar) subtractsSquares() bool {
	return !e.composite && !slices.ContainsFunc(e.terms, func(t term) bool {
		return t.w < 0 && rowAt(t.f, atom.SumSquares) == nil
	})
}

// undominated leaves out the operands of a maximum that are below another one wherever
// the variables are within their bounds: a capped square of an outlier is its cap, and a
// difference of values of 1e18 is none. One with a domain stays.
func undominated(es []scalar) []scalar {
	if len(es) == 1 {
		return es
	}
	var few [8]interval.Interval
	over := few[:0]
	for k := range es {
		over = append(over, es[k].Range())
	}
	top := highestLow(over)
	dominated := func(k int) bool { return below(over[k], top) && !es[k].restricted() }
	for k := range es {
		if !dominated(k) {
			continue
		}
		kept := slices.Clone(es[:k])
		for i := k + 1; i < len(es); i++ {
			if !dominated(i) {
				kept = append(kept, es[i])
			}
		}
		return kept
	}
	return es
}

// highestLow is the largest of the lower ends, which a maximum is nowhere below.
func highestLow(over []interval.Interval) float64 {
	top := math.Inf(-1)
	for k := range over {
		top = max(top, over[k].Lo)
	}
	return top
}

// below reports whether all of i is below v, beyond rounding errors.
func below(i interval.Interval, v float64) bool {
	return i.Hi < v-convex.Apart*(math.Abs(i.Hi)+math.Abs(v))
}

// restricted reports whether e is not finite everywhere.
func (e *scalar) restricted() bool {
	s := e.split()
	in := func(t term) bool {
		r, ok := t.f.(convex.Restricted)
		return ok && len(r.Domain()) > 0
	}
	return slices.ContainsFunc(s.g, in) || slices.ContainsFunc(s.h, in)
}

// maxSplit is the maximum of splits.
func maxSplit(parts []split) split {
	var few, fewLifted [8]split // out of the heap
	parts = append(few[:0], parts...)
	for k := range parts {
		parts[k] = parts[k].expanded()
	}
	lifted, all, ok := liftAll(fewLifted[:0], parts)
	if !ok {
		return maxOfConvex(parts)
	}
	return addSplits([]split{maxOfConvex(lifted), all}, 1, -1)
}

// beyond is the constant of an affine function, by the plausible size of the rest, from
// which on the square of the rest is below the rounding error of the square of the constant.
// Source: derived: its square is the inverse of the unit roundoff, but for a factor of two.
const beyond = 0x1p26

// expanded writes squares in h of affine functions l + c with a far larger constant c as l² + 2c·l
// + c², and the affine part in lin: the functions that h and the sum of all share keep their digits
// then. The step of the procedure is the same, as an affine function has no tangent but itself. A
// capped square of an outlier is the cap so, as a number too.
func (s *split) expanded() split {
	out := *s
	for k, t := range s.h {
		a := rowAt(t.f, atom.SumSquares)
		if a == nil || a.Len() != 1 {
			continue
		}
		l := a.Linear(0)
		c := l.Const
		if !(math.Abs(c) > beyond*l.Plausible()) || math.IsInf(c*c, 0) {
			continue
		}
		if l.Const = 0; len(out.h) == len(s.h) && &out.h[0] == &s.h[0] {
			out.h = slices.Clone(s.h)
		}
		out.h[k] = term{t.w, newVectorAtom(atom.SumSquares, nil, l.Number())}
		out.lin = out.lin.AddScaled(-t.w*2*c, l).AddScaled(-t.w, convex.Linear{Const: c * c})
	}
	return out
}

// liftAll adds the sum of all h to each split, so that none has an h: gₖ + Σ_{j≠k}
// hⱼ, behind those in lifted. all is that sum; not ok: there is no h.
func liftAll(lifted, parts []split) (_ []split, all split, ok bool) {
	var few [8]split
	hs := few[:0]
	for k := range parts {
		if len(parts[k].h) > 0 {
			hs = append(hs, parts[k].concavePart())
		}
	}
	if len(hs) == 0 {
		return parts, split{}, false
	}
	all = addSplits(hs)
	for k := range parts {
		one := addSplits([]split{parts[k], all})
		if len(one.h) > 0 { // functions that became one in the sum do not cancel
			one = liftedBy(parts, k)
		}
		lifted = append(lifted, one)
	}
	return lifted, all, true
}

// liftedBy is the convex part of a split plus the h of all others.
func liftedBy(parts []split, k int) split {
	sum := []split{parts[k].convexPart()}
	for j := range parts {
		if j != k {
			sum = append(sum, parts[j].concavePart())
		}
	}
	return addSplits(sum)
}

// maxOfConvex is the maximum of splits without h.
func maxOfConvex(parts []split) split {
	constant, affine, best := true, true, math.Inf(-1)
	for k := range parts {
		affine = affine && len(parts[k].g) == 0
		constant, best = constant && parts[k].isConst(), max(best, parts[k].lin.Const)
	}
	switch {
	case constant:
		return split{lin: convex.Linear{Const: best}}
	case affine:
		lins := make([]convex.Linear, len(parts))
		for k := range parts {
			lins[k] = parts[k].lin
		}
		return convexSplit(newMaxOfAffine(lins))
	}
	items := make([]scalar, len(parts))
	for k := range parts {
		items[k] = scalar{lin: parts[k].lin, terms: parts[k].g}
	}
	return convexSplit(newMaxOf(items))
}

// newMaximum is the largest of expressions that are not all convex. Its split is made when it is
// first asked for, as an objective may take another split of a minimum, see leastOf. less says that
// some items subtract squares, and none anything else.
func newMaximum(es []scalar, less bool) *vectorAtom {
	es = slices.Clone(es)
	own := sync.OnceValue(func() *parted {
		parts := make([]split, len(es))
		for k := range es {
			parts[k] = es[k].splitNow()
		}
		p := newParted(maxSplit(parts))
		return &p
	})
	f := &vectorAtom{row: atom.Max, items: es, own: own, less: less, sign: 1}
	lists := make([][]int, len(es))
	for k := range es {
		lists[k] = es[k].support()
	}
	f.indices = convex.Union(lists...)
	return f
}

// Min is the least of all entries of all arrays, or along an axis of one: the negative of Max of
// the negatives.
//
//	arguments  us: arrays of any shapes
//	curvature  concave
//	sign       any
//	monotone   us: nondecreasing
//	domain     all
//	takes      any with a split
//	refuses    no entries
//	form       rows
//	source     Boyd and Vandenberghe 2004, section 4.3.1
func Min(us ...Expr) Expr {
	return joined(us).fold(atom.Min, func(a array) scalar { return minExprs(a.scalars()) })
}

func minExprs(us []scalar) scalar {
	neg := make([]scalar, len(us))
	for k, u := range us {
		neg[k] = u.Neg()
	}
	if len(neg) == 0 {
		return badExpr("min of nothing")
	}
	return maxExprs(neg).Neg()
}

// Abs is |o|; of a DC function 2·max(g, h) − (g + h). At zero the subgradient of
// |o|, o affine, is 0.
func Abs(o Expr) Expr { return o.each(absOf) }

func absOf(e scalar) scalar {
	if e.err != nil {
		return e
	}
	switch i := e.Range(); {
	case i.Lo >= 0:
		return e
	case i.Hi <= 0:
		return e.Neg()
	case e.IsConst():
		return constantExpr(math.Abs(e.split().lin.Const))
	case e.isAffineNow():
		return convexOf(newCurveAtom(rowOf("abs"), e, nil), e.owner())
	}
	t := e.split()
	g, h := t.convexPart(), t.concavePart()
	s := addSplits([]split{maxSplit([]split{g, h}), g, h}, 2, -1, -1)
	own := newParted(s)
	return node(newCurveAtom(rowOf("abs"), e, &own), e.owner())
}

// Pos is max(e, 0), the positive part.
func Pos(e Expr) Expr {
	return e.each(func(e scalar) scalar { return maxExprs([]scalar{e, {}}) })
}

// NormInf is the largest |aₖ|; 0 without entries.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      any with a split
//	refuses    nothing
//	form       rows
//	source     Boyd and Vandenberghe 2004, section 6.1.1
func NormInf(a Expr) Expr { return a.groups(normInf) }

func normInf(a array) scalar {
	var es []scalar
	for _, e := range a.scalars() {
		if e.isAffineNow() {
			es = append(es, e, e.Neg())
		} else {
			es = append(es, absOf(e))
		}
	}
	if len(es) == 0 {
		return scalar{}
	}
	return maxExprs(es)
}

func maxAtoms() []constructor {
	return []constructor{
		{op: "abs", args: 1, make: of(Abs)},
		{op: "pos", args: 1, make: of(Pos)},
		{op: "norminf", args: 1, make: of(NormInf)},
	}
}
