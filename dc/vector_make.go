package dc

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// applyEntries is a row without forms of its own for some arguments.
func applyEntries(row *atom.Reduce, p []float64, a array) scalar {
	if a.bent() {
		return reduceAny(row, p, a.fs)
	}
	return reduce(row, p, a.Array)
}

// reduce is a row of the table of affine functions.
func reduce(row *atom.Reduce, p []float64, a convex.Array) scalar {
	switch one := a.Len() == 1; {
	case a.Len() == 0 && row.Single == atom.Itself:
		return badExpr("%s of nothing", row.Name)
	case one && row.Single == atom.Itself:
		return linearExpr(a.Linear(0))
	case one && row.Single == atom.Absolute:
		return absOf(linearExpr(a.Linear(0)))
	}
	f := newVectorAtom(row, p, a)
	switch {
	case !a.IsConst() && row.Curvature < 0:
		return concaveOf(f, a.Of)
	case !a.IsConst():
		return convexOf(f, a.Of)
	}
	v := f.Value(nil)
	if math.IsInf(v, 0) && !f.Everywhere() {
		return badExpr("%s at %g, outside its domain", row.Name, a.C)
	}
	return constantExpr(row.Sign() * v)
}

// reduceAny is a row of expressions: of those that the directions of the row allow it is convex or
// concave; of others see newApplied.
func reduceAny(row *atom.Reduce, p []float64, es []scalar) scalar {
	for _, e := range es {
		if e.err != nil {
			return e
		}
	}
	if allAffine(es) {
		return reduce(row, p, affineParts(es))
	}
	parts := make([]split, len(es))
	for k := range es {
		if err := fits(row, k, &es[k]); err != nil {
			if row.Slopes == nil {
				return scalar{err: err}
			}
			return newApplied(row, p, es)
		}
		parts[k] = *es[k].split()
	}
	f := newComposed(row, p, parts)
	if row.Curvature < 0 {
		return concaveOf(f, ownerOf(es...))
	}
	return convexOf(f, ownerOf(es...))
}

func allAffine(us []scalar) bool {
	return !slices.ContainsFunc(us, func(e scalar) bool { return e.err != nil || !e.IsAffine() })
}

// fits is an error where a row of which e is number k does not keep its curvature.
func fits(row *atom.Reduce, k int, e *scalar) error {
	need, ok := "affine", false
	switch m := row.Entry(k).Monotone; {
	case e.IsAffine():
		return nil
	case m == atom.Falling, m == atom.Rising && row.Curvature < 0:
		need, ok = "concave", e.IsConcave()
	case m == atom.Rising:
		need, ok = "convex", e.IsConvex()
	case m == atom.Outward && e.IsConvex():
		need, ok = "known to be nonnegative", e.split().nonnegative()
	case m == atom.Outward:
		need = "convex"
	}
	if ok {
		return nil
	}
	return badExpr("no DC split for %s of this: entry %d of it is not %s", row.Name, k+1, need).err
}

// newComposed is a row of convex or concave splits.
func newComposed(row *atom.Reduce, p []float64, parts []split) *vectorAtom {
	f := &vectorAtom{row: row, p: p, sign: row.Sign()}
	var lists [][]int
	for k := range parts {
		f.items = append(f.items, parts[k].expr())
		lists = append(lists, f.items[k].support())
	}
	f.indices = convex.Union(lists...)
	return f
}

// row is fold of a row without forms of its own for some arguments.
func (a Expr) row(row *atom.Reduce) Expr {
	return a.fold(row, func(a array) scalar { return applyEntries(row, nil, a) })
}
