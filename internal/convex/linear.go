package convex

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// Linear is one affine function: the sum of Val[k]·x[Idx[k]], plus Const. Idx
// ascends strictly. It is shared freely: nobody writes to its slices.
type Linear struct {
	Idx   []int
	Val   []float64
	Const float64

	Of   *Space  // of the model; nil where that is not known
	Lost float64 // sizes of the constants that were added up to Const, less its own: the part that has cancelled
}

// NewLinear is the function with these coefficients, in any order; coefficients of one variable are
// added. It takes over the slices, which are of one length; where they are not, or a number is
// negative, the function is an error of the problem that uses it.
func NewLinear(idx []int, val []float64, c float64) Linear {
	if len(idx) != len(val) {
		return Linear{Of: &Space{Wrong: fmt.Errorf("dc: a linear function of %d variables with %d coefficients",
			len(idx), len(val))}}
	}
	if len(idx) > 0 && slices.Min(idx) < 0 {
		return Linear{Of: &Space{Wrong: fmt.Errorf("dc: a linear function of variable number %d", slices.Min(idx))}}
	}
	idx, val = compress(idx, val)
	return Linear{Idx: idx, Val: val, Const: c}
}

// Value is the function at x: Const plus the sum of Val[k]·x[Idx[k]].
func (l Linear) Value(x []float64) float64 {
	s := l.Const
	for k, j := range l.Idx {
		s += l.Val[k] * x[j]
	}
	return s
}

// ConstSize is the sum of the sizes of the constants that were added up to Const, as far as that is
// known; at least |Const|.
func (l Linear) ConstSize() float64 { return math.Abs(l.Const) + l.Lost }

// WithConstSize is l whose Const was added up from constants of which the sizes have that sum:
// their rounding errors count in Expr.Evaluate's bound where they have cancelled.
func (l Linear) WithConstSize(sum float64) Linear {
	l.Lost = max(sum-math.Abs(l.Const), 0)
	return l
}

// AddSubgrad adds scale times the coefficients to dst; x is not looked at.
func (l Linear) AddSubgrad(dst []float64, scale float64, _ []float64) {
	for k, j := range l.Idx {
		dst[j] += scale * l.Val[k]
	}
}

// Support is Idx, the variables that occur, ascending.
func (l Linear) Support() []int { return l.Idx }

// Scale returns w·l, for a w of any sign.
func (l Linear) Scale(w float64) Linear {
	if w == 1 {
		return l
	}
	if w == 0 {
		return Linear{}
	}
	val := make([]float64, len(l.Val))
	for k, v := range l.Val {
		val[k] = w * v
	}
	return Linear{l.Idx, val, w * l.Const, l.Of, math.Abs(w) * l.Lost}
}

// AddScaled returns l + w·r, for a w of any sign. It leaves l and r as they are.
func (l Linear) AddScaled(w float64, r Linear) Linear {
	if len(r.Idx) == 0 {
		l.Const, l.Of, l.Lost = l.Const+w*r.Const, l.Of.Join(r.Of), l.cancelled(w, r)
		return l
	}
	n := len(l.Idx) + len(r.Idx)
	idx, val := appendScaled(make([]int, 0, n), make([]float64, 0, n), l, w, r)
	return Linear{idx, val, l.Const + w*r.Const, l.Of.Join(r.Of), l.cancelled(w, r)}
}

// cancelled is lost of l + w·r.
func (l Linear) cancelled(w float64, r Linear) float64 {
	a, b := l.Const, w*r.Const
	return l.Lost + math.Abs(w)*r.Lost + max(math.Abs(a)+math.Abs(b)-math.Abs(a+b), 0)
}

// appendScaled appends the coefficients of l + w·r.
func appendScaled(idx []int, val []float64, l Linear, w float64, r Linear) ([]int, []float64) {
	i, k, n := 0, 0, len(l.Idx)
	if n == 0 || len(r.Idx) == 0 || l.Idx[n-1] < r.Idx[0] {
		idx, val, i = append(idx, l.Idx...), append(val, l.Val...), n
	}
	for i < len(l.Idx) || k < len(r.Idx) {
		switch {
		case k == len(r.Idx) || i < len(l.Idx) && l.Idx[i] < r.Idx[k]:
			idx, val = append(idx, l.Idx[i]), append(val, l.Val[i])
			i++
		case i == len(l.Idx) || r.Idx[k] < l.Idx[i]:
			idx, val = append(idx, r.Idx[k]), append(val, w*r.Val[k])
			k++
		default:
			if v := l.Val[i] + w*r.Val[k]; v != 0 {
				idx, val = append(idx, l.Idx[i]), append(val, v)
			}
			i, k = i+1, k+1
		}
	}
	return idx, val
}

// IsConst reports whether no variable occurs.
func (l Linear) IsConst() bool { return len(l.Idx) == 0 }

// IsZero reports whether l is the number 0.
func (l Linear) IsZero() bool { return len(l.Idx) == 0 && l.Const == 0 }

// is reports whether l = w·r, exactly.
func (l Linear) is(w float64, r Linear) bool {
	if l.Const != w*r.Const || len(l.Idx) != len(r.Idx) {
		return false
	}
	for k := range l.Idx {
		if l.Idx[k] != r.Idx[k] || l.Val[k] != w*r.Val[k] {
			return false
		}
	}
	return true
}

// Equal reports whether l and r have the same coefficients and constant.
func (l Linear) Equal(r Linear) bool { return l.is(1, r) }

// IsNegative reports whether l = −r.
func (l Linear) IsNegative(r Linear) bool { return l.is(-1, r) }

// MultipleOf returns the w with l = w·r, if there is one, exactly.
func (l Linear) MultipleOf(r Linear) (w float64, ok bool) {
	if len(r.Idx) == 0 || len(l.Idx) == 0 {
		return 0, false
	}
	w = l.Val[0] / r.Val[0]
	return w, l.is(w, r)
}

// SumLinear adds many functions in one go, each with its weight; nil: 1 for each.
func SumLinear(parts []Linear, weights []float64) Linear {
	weight := func(k int) float64 {
		if weights == nil {
			return 1
		}
		return weights[k]
	}
	switch len(parts) {
	case 0:
		return Linear{}
	case 1:
		return parts[0].Scale(weight(0))
	case 2:
		return parts[0].Scale(weight(0)).AddScaled(weight(1), parts[1])
	}
	var idx []int
	var val []float64
	var of *Space
	c, size := 0.0, 0.0
	for p, l := range parts {
		w := weight(p)
		c, size, of = c+w*l.Const, size+math.Abs(w)*l.ConstSize(), of.Join(l.Of)
		for k, j := range l.Idx {
			idx, val = append(idx, j), append(val, w*l.Val[k])
		}
	}
	idx, val = compress(idx, val)
	return Linear{Idx: idx, Val: val, Const: c, Of: of}.WithConstSize(size)
}

// compress sorts the pairs by index, adds the pairs of one index and drops zeros.
// It works in place.
func compress(idx []int, val []float64) ([]int, []float64) {
	if !sort.IntsAreSorted(idx) {
		sort.Stable(pairs{idx, val})
	}
	n := 0
	for k := 0; k < len(idx); {
		j, v := idx[k], 0.0
		for ; k < len(idx) && idx[k] == j; k++ {
			v += val[k]
		}
		if v != 0 {
			idx[n], val[n] = j, v
			n++
		}
	}
	return idx[:n:n], val[:n:n]
}

type pairs struct {
	idx []int
	val []float64
}

func (p pairs) Len() int           { return len(p.idx) }
func (p pairs) Less(i, j int) bool { return p.idx[i] < p.idx[j] }
func (p pairs) Swap(i, j int) {
	p.idx[i], p.idx[j] = p.idx[j], p.idx[i]
	p.val[i], p.val[j] = p.val[j], p.val[i]
}

// Union is the ascending union of index lists. It may be one of them.
func Union(lists ...[]int) []int {
	if one, ok := onlyList(lists); ok {
		return one
	}
	total, top := 0, -1
	for _, l := range lists {
		total += len(l)
		for _, j := range l {
			top = max(top, j)
		}
	}
	if top < 4*total { // marks are faster than sorting
		return marked(lists, top)
	}
	all := make([]int, 0, total)
	for _, l := range lists {
		all = append(all, l...)
	}
	slices.Sort(all)
	return slices.Clip(slices.Compact(all))
}

// onlyList is the list that all lists are, but for empty ones, if it ascends.
func onlyList(lists [][]int) (one []int, ok bool) {
	for _, l := range lists {
		switch {
		case len(l) == 0:
		case len(one) == 0:
			one = l
		case !slices.Equal(l, one):
			return nil, false
		}
	}
	for k := 1; k < len(one); k++ {
		if one[k-1] >= one[k] {
			return nil, false
		}
	}
	return slices.Clip(one), true
}

// marked is union by one mark for each index up to top.
func marked(lists [][]int, top int) []int {
	seen := make([]bool, top+1)
	n := 0
	for _, l := range lists {
		for _, j := range l {
			if !seen[j] {
				seen[j] = true
				n++
			}
		}
	}
	out := make([]int, 0, n)
	for j, s := range seen {
		if s {
			out = append(out, j)
		}
	}
	return out
}

// NotFinite reports whether a number of l is not finite.
func NotFinite(l Linear) bool {
	s := l.Const - l.Const
	for _, v := range l.Val {
		s += v - v
	}
	return s != 0 // also for NaN
}
