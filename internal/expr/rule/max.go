package rule

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// MaxExprs is the maximum of es.
func MaxExprs(es []expr.Scalar) expr.Scalar {
	if len(es) == 0 {
		return expr.Failed("max of nothing")
	}
	// all are convex as they are written; the split of a maximum that is not is certainly not
	// affine
	plain, bent := true, false
	for k := range es {
		if es[k].Err != nil {
			return es[k]
		}
		plain = plain && !es[k].Composite && es[k].IsConvex()
	}
	if es = undominated(es); len(es) == 1 {
		return es[0]
	}
	bent = !plain
	for k := 0; bent && k < len(es); k++ {
		bent = es[k].SubtractsSquares()
	}
	if bent {
		return expr.Composite(expr.NewMaximum(es, true), expr.OwnerOf(es...))
	}
	var few [8]expr.Split
	parts := few[:0]
	for k := range es {
		parts = append(parts, es[k].SplitNow())
	}
	s := expr.MaxSplit(parts)
	if plain {
		return expr.Scalar{Lin: s.Lin, Terms: s.G, Of: expr.OwnerOf(es...)}
	}
	return expr.AsWritten(atom.Max, nil, s, expr.Array{Fs: slices.Clone(es)})
}

// undominated leaves out the operands of a maximum that are below another one wherever
// the variables are within their bounds: a capped square of an outlier is its cap, and a
// difference of values of 1e18 is none. One with a domain stays.
func undominated(es []expr.Scalar) []expr.Scalar {
	if len(es) == 1 {
		return es
	}
	var few [8]interval.Interval
	over := few[:0]
	for k := range es {
		over = append(over, es[k].Over())
	}
	top := highestLow(over)
	dominated := func(k int) bool { return below(over[k], top) && !es[k].Restricted() }
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

// MinExprs is the minimum of us.
func MinExprs(us []expr.Scalar) expr.Scalar {
	neg := make([]expr.Scalar, len(us))
	for k, u := range us {
		neg[k] = u.Neg()
	}
	if len(neg) == 0 {
		return expr.Failed("min of nothing")
	}
	return MaxExprs(neg).Neg()
}

// NormInf is the largest absolute value of the entries.
func NormInf(a expr.Array) expr.Scalar {
	var es []expr.Scalar
	for _, e := range a.Scalars() {
		if e.IsAffineNow() {
			es = append(es, e, e.Neg())
		} else {
			es = append(es, expr.AbsOf(e))
		}
	}
	if len(es) == 0 {
		return expr.Scalar{}
	}
	return MaxExprs(es)
}
