package blocks

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/program"
)

// Row is lo ≤ a ≤ hi, or one row of a cone (lo = −a.Const, the bounds of an
// interval row likewise without the constant).
type Row struct {
	A        convex.Linear // until the problem is assembled; then of rows with variables alone
	Lo, Hi   float64
	Owner    int     // index of the constraint, negative: of the objective
	Entry    int     // which entry of that constraint, −1: an auxiliary row
	Share    float64 // −∂(row)/∂b: the multiplier of f ≤ b is the sum of share·y over its rows
	TwoSided bool    // the row states |a| ≤ c: the multiplier of the constraint is |y|
}

// List has rows in order.
type List struct {
	Single    []Row // but the rows of families
	Objective []*Family
	Families  []*Family // of constraints, which come after
}

// All are the families in the order of their rows.
func (l *List) All(yield func(f *Family) bool) {
	for _, list := range [2][]*Family{l.Objective, l.Families} {
		for _, f := range list {
			if !yield(f) {
				return
			}
		}
	}
}

// Assembled says that the problem has the coefficients. Those of rows with columns beyond the first
// n, the variables, are forgotten here: of many samples they are as large as the data.
func (l *List) Assembled(n int) {
	for k := range l.Single {
		r := &l.Single[k]
		if len(r.A.Idx) > 0 && r.A.Idx[len(r.A.Idx)-1] >= n {
			r.A = convex.Linear{}
		}
	}
}

// Count is how many rows there are, those of families included.
func (l *List) Count() int { return len(l.Single) + l.Members() }

// Members is how many rows there are in families.
func (l *List) Members() int {
	n := 0
	for f := range l.All {
		n += f.Count()
	}
	return n
}

// At is row number i. Of a family it is a copy, and lacks the coefficients.
func (l *List) At(i int) *Row {
	at := i
	for f := range l.All {
		switch n := f.Count(); {
		case i < f.Row:
			return &l.Single[at]
		case i < f.Row+n && f.All == nil:
			return &Row{Lo: math.Inf(-1), Owner: -1, Entry: -1, Share: 1}
		case i < f.Row+n:
			return &Row{Lo: math.Inf(-1), Owner: f.Owner + f.Number(i-f.Row), Share: 1}
		default:
			at -= n
		}
	}
	return &l.Single[at]
}

// Each calls one with each row of Single, and many with each member of a family, in order.
func (l *List) Each(one func(i int, r *Row), many func(i int, f *Family, k int)) {
	i, at := 0, 0
	until := func(end int) {
		for ; i < end; i++ {
			one(i, &l.Single[at])
			at++
		}
	}
	for f := range l.All {
		until(f.Row)
		for k := range f.Count() {
			many(i+k, f, k)
		}
		i += f.Count()
	}
	until(i + len(l.Single) - at)
}

// Entries calls f with the coefficients of each row in order, which are good until the next call,
// and with the family and the number there of one that is not in Single.
func (l *List) Entries(f func(i int, idx []int, val []float64, of *Family, k int)) {
	var idx []int
	var val []float64
	l.Each(func(i int, r *Row) { f(i, r.A.Idx, r.A.Val, nil, 0) }, func(i int, of *Family, k int) {
		idx, val = of.Entries(idx[:0], val[:0], k)
		f(i, idx, val, of, k)
	})
}

// Zeros are multipliers of all constraints, in the memory of others that are no longer used.
func Zeros(in [][]float64, p *program.Problem) [][]float64 {
	out := in
	if len(in) != len(p.Constraints) || in == nil {
		out = make([][]float64, len(p.Constraints))
	}
	var ones []float64 // of the constraints that have one
	for i := range out {
		n := 1
		if c := &p.Constraints[i]; !c.DC {
			n = c.A.Len()
		} else if k, cone := c.Cone(); cone {
			n = len(k.Rows)
		} else if c.Order() > 0 {
			n = c.Order() * c.Order()
		}
		switch {
		case len(out[i]) == n:
			clear(out[i])
		case n == 1:
			if ones == nil {
				ones = make([]float64, len(out))
			}
			out[i] = ones[i : i+1 : i+1]
		default:
			out[i] = make([]float64, n)
		}
	}
	return out
}
