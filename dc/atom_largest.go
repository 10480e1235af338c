package dc

import (
	"math"
	"slices"
	"sync"
)

// SumLargest is the sum of the k largest entries of a, 1 ≤ k ≤ Len. Of equal
// entries those with lower index count.
// Representation: Boyd and Vandenberghe 2004, ex. 5.19.
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
		return Expr{lin: Linear{Const: s}}
	}
	if k == a.Len() {
		return a.Sum().expr()
	}
	s := &sumLargest{a: a, k: k, indices: a.support()}
	s.pool.New = func() any {
		return &ranking{value: make([]float64, a.Len()), order: make([]int, a.Len())}
	}
	return convex(s)
}

// SumLargestOf is the sum of the k largest of DC expressions, with H = Σ hⱼ:
// that of gᵢ + Σ_{j≠i} hⱼ, all convex, less k·H.
func SumLargestOf(k int, us ...Operand) Expr {
	es, _ := toExprs(us)
	var hs []Expr
	for _, e := range es {
		if e.err != nil {
			return e
		}
		if len(e.h) > 0 {
			hs = append(hs, Expr{g: e.h})
		}
	}
	all := SumExprs(hs)
	lifted := make([]Operand, len(es))
	for i, e := range es {
		lifted[i] = SumExprs([]Expr{e, all})
	}
	top := atomOf("sumlargest", func(a Affine) Expr { return SumLargest(a, k) }, lifted, everyEntry(convexEntry))
	return top.Minus(all.Scale(float64(k)))
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
		c.Row(s.a.Entry(i).Plus(-1, q).Plus(-1, t), math.Inf(-1), 0)
		parts, w = append(parts, t), append(w, 1)
	}
	return Form{Linear: sumLinear(parts, w)}
}

func (s *sumLargest) String() string { return "sumlargest" }
