package expr

import (
	"math"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// SubtractsSquares reports whether e subtracts nothing but squares, as it is written.
func (e *Scalar) SubtractsSquares() bool {
	return !e.Composite && !slices.ContainsFunc(e.Terms, func(t Term) bool {
		return t.W < 0 && RowAt(t.F, atom.SumSquares) == nil
	})
}

// Restricted reports whether e is not finite everywhere.
func (e *Scalar) Restricted() bool {
	s := e.Split()
	in := func(t Term) bool {
		if f, is := t.F.(*StandIn); is {
			return !f.Whole
		}
		r, ok := t.F.(convex.Restricted)
		return ok && len(r.Domain()) > 0
	}
	return slices.ContainsFunc(s.G, in) || slices.ContainsFunc(s.H, in)
}

// MaxSplit is the maximum of splits.
func MaxSplit(parts []Split) Split {
	var few, fewLifted [8]Split // out of the heap
	parts = append(few[:0], parts...)
	for k := range parts {
		parts[k] = parts[k].expanded()
	}
	lifted, all, ok := LiftAll(fewLifted[:0], parts)
	if !ok {
		return maxOfConvex(parts)
	}
	return AddSplits([]Split{maxOfConvex(lifted), all}, 1, -1)
}

// beyond is the constant of an affine function, by the plausible size of the rest, from
// which on the square of the rest is below the rounding error of the square of the constant.
// Source: derived: its square is half the inverse of the unit roundoff.
const beyond = 0x1p26

// expanded writes squares in h of affine functions l + c with a far larger constant c as l² + 2c·l
// + c², and the affine part in lin: the functions that h and the sum of all share keep their digits
// then. The step of the procedure is the same, as an affine function has no tangent but itself. A
// capped square of an outlier is the cap so, as a number too.
func (s *Split) expanded() Split {
	out := *s
	for k, t := range s.H {
		a := RowAt(t.F, atom.SumSquares)
		if a == nil || a.Len() != 1 {
			continue
		}
		l := a.Linear(0)
		c := l.Const
		if !(math.Abs(c) > beyond*l.Plausible()) || math.IsInf(c*c, 0) {
			continue
		}
		if l.Const = 0; len(out.H) == len(s.H) && &out.H[0] == &s.H[0] {
			out.H = slices.Clone(s.H)
		}
		out.H[k] = Term{t.W, NewVectorAtom(atom.SumSquares, nil, l.Number())}
		out.Lin = out.Lin.AddScaled(-t.W*2*c, l).AddScaled(-t.W, convex.Linear{Const: c * c})
	}
	return out
}

// LiftAll adds the sum of all h to each split, so that none has an h: gₖ + Σ_{j≠k}
// hⱼ, behind those in lifted. all is that sum; not ok: there is no h.
func LiftAll(lifted, parts []Split) (_ []Split, all Split, ok bool) {
	var few [8]Split
	hs := few[:0]
	for k := range parts {
		if len(parts[k].H) > 0 {
			hs = append(hs, parts[k].concavePart())
		}
	}
	if len(hs) == 0 {
		return parts, Split{}, false
	}
	all = AddSplits(hs)
	for k := range parts {
		one := AddSplits([]Split{parts[k], all})
		if len(one.H) > 0 { // functions that became one in the sum do not cancel
			one = liftedBy(parts, k)
		}
		lifted = append(lifted, one)
	}
	return lifted, all, true
}

// liftedBy is the convex part of a split plus the h of all others.
func liftedBy(parts []Split, k int) Split {
	sum := []Split{parts[k].convexPart()}
	for j := range parts {
		if j != k {
			sum = append(sum, parts[j].concavePart())
		}
	}
	return AddSplits(sum)
}

// maxOfConvex is the maximum of splits without h.
func maxOfConvex(parts []Split) Split {
	constant, affine, best := true, true, math.Inf(-1)
	for k := range parts {
		affine = affine && len(parts[k].G) == 0
		constant, best = constant && parts[k].IsConst(), max(best, parts[k].Lin.Const)
	}
	switch {
	case constant:
		return Split{Lin: convex.Linear{Const: best}}
	case affine:
		lins := make([]convex.Linear, len(parts))
		for k := range parts {
			lins[k] = parts[k].Lin
		}
		return ConvexSplit(MaxOfAffine(lins))
	}
	items := make([]Scalar, len(parts))
	for k := range parts {
		items[k] = Scalar{Lin: parts[k].Lin, Terms: parts[k].G}
	}
	return ConvexSplit(maxOf(items))
}

// NewMaximum is the largest of expressions that are not all convex. Its split is made when it is
// first asked for, as an objective may take another split of a minimum, see leastOf. less says that
// some items subtract squares, and none anything else.
func NewMaximum(es []Scalar, less bool) *VectorAtom {
	es = slices.Clone(es)
	own := sync.OnceValue(func() *Parted {
		parts := make([]Split, len(es))
		for k := range es {
			parts[k] = es[k].SplitNow()
		}
		p := NewParted(MaxSplit(parts))
		return &p
	})
	f := &VectorAtom{Row: atom.Max, Args: Array{Fs: es}, Own: own, less: less, sign: 1}
	lists := make([][]int, len(es))
	for k := range es {
		lists[k] = es[k].Support()
	}
	f.Indices = convex.Union(lists...)
	return f
}

// AbsOf is |e|; e or −e where the range of e has one sign.
func AbsOf(e Scalar) Scalar {
	if e.Err != nil {
		return e
	}
	switch i := e.Over(); {
	case i.Lo >= 0:
		return e
	case i.Hi <= 0:
		return e.Neg()
	case e.IsConst():
		return Number(math.Abs(e.Split().Lin.Const))
	case e.IsAffineNow():
		return ConvexOf(NewCurveAtom(RowOf("abs"), e, nil), e.Owner())
	}
	t := e.Split()
	g, h := t.convexPart(), t.concavePart()
	s := AddSplits([]Split{MaxSplit([]Split{g, h}), g, h}, 2, -1, -1)
	own := NewParted(s)
	return Composite(NewCurveAtom(RowOf("abs"), e, &own), e.Owner())
}

// mostPieces, beside some for each item, bounds the pieces that are written out.
// Source: a limit of memory; a larger maximum is represented by columns, with the same
// value.
const mostPieces = 1000

// piecesOf are affine functions whose maximum is that of convex items; nil where some are not
// polyhedral, or they are too many.
func piecesOf(items []Scalar) []convex.Linear {
	out := []convex.Linear{}
	for k := range items {
		e := &items[k]
		p := e.Pieces()
		if p == nil || len(out)+len(p) > mostPieces+8*len(items) {
			return nil // nested maxima multiply
		}
		out = append(out, p...)
	}
	return out
}

// MaxOfAffine is the maximum of affine functions. The first one wins a tie.
func MaxOfAffine(lins []convex.Linear) *VectorAtom {
	return NewVectorAtom(atom.Max, nil, convex.Entries(lins...))
}

// maxOf is the maximum of convex functions.
func maxOf(items []Scalar) *VectorAtom {
	lists := make([][]int, len(items))
	for k := range items {
		lists[k] = items[k].Support()
	}
	return &VectorAtom{Row: atom.Max, Args: Array{Fs: items}, pieces: piecesOf(items), sign: 1,
		Indices: convex.Union(lists...)}
}

// Pieces are the pieces of a convex maximum.
func (f *VectorAtom) Pieces() []convex.Linear {
	if f.Row == atom.Max && f.affine() {
		return f.Args.Linears()
	}
	return f.pieces
}

// MaxForm is at least all of some affine functions.
func MaxForm(c convex.Canon, pieces []convex.Linear) convex.Form {
	total := 0
	for _, l := range pieces {
		total += len(l.Idx)
	}
	b := convex.Beside(c.Var(), total, len(pieces))
	for _, l := range pieces {
		c.Row(b.Plus(l, -1), math.Inf(-1), 0)
	}
	return convex.Form{Linear: b.Alone()}
}

// ActivePiece is the affine function that f has its value and subgradient from at x,
// its number among the pieces of f, and that value. ok is false where f is no maximum of
// affine functions. It is for package ccp, which finds it by assertion.
func (f *VectorAtom) ActivePiece(x []float64) (l convex.Linear, number int, value float64, ok bool) {
	if f.Row != atom.Max || !f.affine() || f.Len() == 0 {
		return convex.Linear{}, 0, 0, false
	}
	number, value = 0, math.Inf(-1)
	for k := range f.Args.C {
		if v := f.Args.At(k, x); v > value || math.IsNaN(v) {
			number, value = k, v
		}
	}
	return f.Args.Linear(number), number, value, true
}
