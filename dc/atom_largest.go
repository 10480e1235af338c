package dc

import (
	"math"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/interval"
)

// SumLargest is the sum of the k largest entries of a. Of equal entries those with
// lower index count.
//
//	arguments  a: an array with n entries; 1 ≤ k ≤ n
//	curvature  convex
//	sign       any
//	monotone   a: nondecreasing
//	domain     all
//	takes      affine
//	refuses    k < 1 or k > n
//	form       rows
//	source     Boyd and Vandenberghe 2004, exercise 5.19
func SumLargest(a Affine, k int) Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if k < 1 || k > a.Len() {
		return badExpr("the sum of the %d largest of %d entries", k, a.Len())
	}
	if a.IsConst() {
		v := slices.Clone(a.c)
		slices.Sort(v)
		s := 0.0
		for _, e := range v[len(v)-k:] {
			s += e
		}
		return constantExpr(s)
	}
	if k == a.Len() {
		return a.Sum().expr()
	}
	s := &sumLargest{a: a, k: k, indices: a.support()}
	s.pool.New = func() any {
		return &ranking{value: make([]float64, a.Len()), order: make([]int, a.Len())}
	}
	return convex(s, a.of)
}

// SumLargestOf is SumLargest of a slice of scalars. Of DC functions, with H = Σ hⱼ,
// it is that of gᵢ + Σ_{j≠i} hⱼ, all convex, less k·H.
//
//	as         SumLargest
//	takes      any with a split
//	refuses    k < 1 or k > n
func SumLargestOf[T Operand](us []T, k int) Expr {
	es, lins := toExprs(us)
	affine, plain := true, true
	parts := make([]split, 0, len(es))
	for _, e := range es {
		if e.err != nil {
			return e
		}
		s := e.split()
		affine, plain = affine && s.isAffine(), plain && !e.composite && s.isConvex()
		parts = append(parts, *s)
	}
	switch {
	case k < 1 || k > len(es):
		return badExpr("the sum of the %d largest of %d entries", k, len(es))
	case affine:
		return SumLargest(Entries(lins...), k)
	case k == len(es):
		return sumExprs(es)
	}
	lifted, all, lifts := liftAll(nil, parts)
	if lifts {
		parts = lifted
	}
	top, err := newComposed("sumlargest", func(a Affine) Expr { return SumLargest(a, k) }, parts)
	switch {
	case err != nil:
		return Expr{err: err}
	case plain:
		top.largest = &largestOf{items: es, k: k}
		return convex(top, ownerOf(es...))
	}
	s := convexSplit(top)
	if lifts {
		s = addSplits([]split{s, all}, 1, -float64(k))
	}
	return node(&largestOf{newParted(s), es, k}, ownerOf(es...))
}

// largestOf is the sum of the k largest of expressions that are not all convex.
type largestOf struct {
	parted
	items []Expr
	k     int
}

func (f *largestOf) AddSubgrad(dst []float64, scale float64, x []float64) {
	addLargest(f.items, f.k, dst, scale, x)
}

func (f *largestOf) Value(x []float64) float64 { return f.approx(x).v }
func (f *largestOf) approx(x []float64) approx { return sumOfLargest(approxAll(f.items, x), f.k) }
func (f *largestOf) String() string            { return "sumlargest" }

func (f *largestOf) node() Node {
	return Node{op: "sumlargest", args: exprArgs(f.items...), num: float64(f.k)}
}

type sumLargest struct {
	a       Affine
	k       int
	indices []int
	pool    sync.Pool // of *ranking
}

// ranking is the room that sorting needs.
type ranking struct {
	value []float64
	order []int
}

// sort orders by descending value, then by ascending index.
func (r *ranking) sort(a *Affine, x []float64) {
	a.ValueTo(r.value, x)
	for i := range r.order {
		r.order[i] = i
	}
	slices.SortFunc(r.order, func(i, j int) int {
		switch {
		case r.value[i] > r.value[j]:
			return -1
		case r.value[i] < r.value[j]:
			return 1
		}
		return i - j
	})
}

func (s *sumLargest) Value(x []float64) float64 {
	r := s.pool.Get().(*ranking)
	defer s.pool.Put(r)
	r.sort(&s.a, x)
	v := 0.0
	for _, i := range r.order[:s.k] {
		v += r.value[i]
	}
	return v
}

func (s *sumLargest) AddSubgrad(dst []float64, scale float64, x []float64) {
	r := s.pool.Get().(*ranking)
	defer s.pool.Put(r)
	r.sort(&s.a, x)
	for _, i := range r.order[:s.k] {
		s.a.addRow(dst, scale, i)
	}
}

func (s *sumLargest) Support() []int { return s.indices }

func (s *sumLargest) Represent(c Canon) Form {
	q := column(c)
	parts, w := []Linear{q}, []float64{float64(s.k)}
	for i := range s.a.c {
		t := column(c)
		c.Row(t, 0, math.Inf(1))
		c.Row(s.a.Entry(i).AddScaled(-1, q).AddScaled(-1, t), math.Inf(-1), 0)
		parts, w = append(parts, t), append(w, 1)
	}
	return Form{Linear: sumLinear(parts, w)}
}

func (s *sumLargest) approx(x []float64) approx {
	all := make([]approx, s.a.Len())
	for k := range all {
		all[k] = s.a.approx(k, x)
	}
	return sumOfLargest(all, s.k)
}

func (s *sumLargest) node() Node {
	return Node{op: "sumlargest", args: affineArgs(&s.a), num: float64(s.k)}
}

func (s *sumLargest) String() string { return "sumlargest" }

// over: the sum of the k largest of the lower ends, and of the upper ones.
func (s *sumLargest) over() Interval {
	lo, hi := make([]float64, s.a.Len()), make([]float64, s.a.Len())
	for k := range lo {
		i := s.a.over(k)
		lo[k], hi[k] = -i.Lo, -i.Hi
	}
	slices.Sort(lo)
	slices.Sort(hi)
	sum := point(0)
	for k := range s.k {
		sum = sum.Add(interval.New(-lo[k], -hi[k]))
	}
	return sum
}

func approxAll(es []Expr, x []float64) []approx {
	out := make([]approx, len(es))
	for k := range es {
		out[k] = es[k].approx(x)
	}
	return out
}

// sumOfLargest is the sum of the k largest values. The exact one is between the
// sums of the k largest lower and of the k largest upper ends.
func sumOfLargest(all []approx, k int) approx {
	size := 0.0
	sum := func(end func(a approx) float64) float64 {
		v := make([]float64, len(all))
		for i, a := range all {
			v[i] = end(a)
		}
		slices.Sort(v)
		s, abs := 0.0, 0.0
		for _, e := range v[len(v)-k:] { // the smallest first
			s += e
			abs += math.Abs(e)
		}
		size = max(size, abs)
		return s
	}
	v := sum(func(a approx) float64 { return a.v })
	lo, hi := sum(approx.lo), sum(approx.hi)
	return approx{v, max(hi-v, v-lo) + 2*float64(k)*unit*size}
}

func largestAtoms() []atom {
	return []atom{
		{op: "sumlargest", args: 1, data: 1, make: func(args []Array, data []float64) Expr {
			k, err := whole("sumlargest", data[0])
			if err != nil {
				return Expr{err: err}
			}
			return SumLargestOf(args[0].entries(), k)
		}},
		{op: "sumsmallest", args: 1, data: 1, make: func(args []Array, data []float64) Expr {
			k, err := whole("sumsmallest", float64(args[0].Len())-data[0])
			if err != nil {
				return Expr{err: err}
			}
			es := args[0].entries()
			return sumExprs(append(es, SumLargestOf(args[0].entries(), k).Neg()))
		}},
	}
}

// Maxima: the largest of all sums of k entries, where these are few.
func (s *sumLargest) Maxima(each func(weight float64, pieces []Linear)) (lin Linear, ok bool) {
	pieces := choose(s.a, s.k)
	if pieces == nil {
		return Linear{}, false
	}
	each(1, pieces)
	return Linear{}, true
}

// choose are the sums of k entries of a, nil where there are too many.
func choose(a Affine, k int) []Linear {
	count := 1
	for i := range k {
		if count = count * (a.Len() - i) / (i + 1); count > mostChoices {
			return nil
		}
	}
	var out []Linear
	var add func(from, left int, s Linear)
	add = func(from, left int, s Linear) {
		if left == 0 {
			out = append(out, s)
			return
		}
		for i := from; i <= a.Len()-left; i++ {
			add(i+1, left-1, s.AddScaled(1, a.Entry(i)))
		}
	}
	add(0, k, Linear{})
	return out
}
