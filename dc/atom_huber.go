package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
)

// Huber is the sum over the entries of aₖ² where |aₖ| ≤ m and 2m|aₖ| − m² beyond.
//
//	arguments  a: an array of any shape; m > 0, finite
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      affine
//	refuses    m ≤ 0, infinite or NaN
//	form       quadratic and rows
//	source     Huber 1964; form: Mangasarian and Musicant 2000
func Huber(a Affine, m float64) Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if !(m > 0) || math.IsInf(m, 1) {
		return badExpr("huber with threshold %g, want it positive and finite", m)
	}
	if a.IsConst() {
		return constantExpr((&huber{a: a, m: m}).Value(nil))
	}
	near, far := pastKinks(a, m)
	if near == nil {
		return far
	}
	f := &huber{*near, m, near.support()}
	e := convex(f, a.of)
	e.lin = far.lin
	return e
}

// pastKinks is the sum of the affine functions 2m|aₖ| − m² of those entries that are
// beyond m wherever the variables are within their bounds, and the other entries, nil
// where there are none. The far ones are of the size of outliers, and have no kink.
func pastKinks(a Affine, m float64) (near *Affine, far Expr) {
	var rest, lins []Linear
	var w []float64
	constant := 0.0
	for k := range a.c {
		i := a.over(k)
		slip := apart * max(math.Abs(i.Lo), math.Abs(i.Hi))
		sign := 0.0
		if i.Lo > m+slip {
			sign = 1
		} else if i.Hi < -m-slip {
			sign = -1
		}
		if sign == 0 || math.IsNaN(slip) {
			rest = append(rest, a.Entry(k))
			continue
		}
		lins, w = append(lins, a.Entry(k)), append(w, 2*m*sign)
		constant -= m * m
	}
	if lins == nil {
		return &a, Expr{}
	}
	far = Expr{lin: sumLinear(lins, w).AddScaled(1, Linear{Const: constant}), of: a.of}
	if rest == nil {
		return nil, far
	}
	part := Entries(rest...)
	return &part, far
}

// HuberOf is Huber of a slice of scalars.
//
//	as         Huber
//	takes      any with a split
//	refuses    m ≤ 0, infinite or NaN
func HuberOf[T Operand](us []T, m float64) Expr {
	return atomOfAny("huber", func(a Affine) Expr { return Huber(a, m) }, us, positiveEntry, slopes{2 * m, 2 * m, true})
}

type huber struct {
	a       Affine
	m       float64
	indices []int
}

func (f *huber) Value(x []float64) float64 {
	s := 0.0
	vals := f.a.values(x)
	for k := range f.a.c {
		s += f.of(vals.at(k))
	}
	return s
}

func (f *huber) AddSubgrad(dst []float64, scale float64, x []float64) {
	vals := f.a.values(x)
	for k := range f.a.c {
		v := vals.at(k)
		f.a.addRow(dst, 2*scale*min(max(v, -f.m), f.m), k)
	}
}

func (f *huber) Smooth() bool { return true }

func (f *huber) Support() []int { return f.indices }

// Represent: the least n² + 2m·t over a = n + s, t ≥ |s|.
func (f *huber) Represent(c Canon) Form {
	var inner, outer []Linear
	w := make([]float64, 0, f.a.Len())
	for k := range f.a.c {
		n := Linear{Idx: []int{c.Var()}, Val: []float64{1}}
		t := Linear{Idx: []int{c.Var()}, Val: []float64{1}}
		s := f.a.Entry(k).AddScaled(-1, n)
		c.Row(s.AddScaled(-1, t), math.Inf(-1), 0)
		c.Row(s.AddScaled(1, t), 0, math.Inf(1))
		inner, outer, w = append(inner, n), append(outer, t), append(w, 2*f.m)
	}
	return Form{Linear: sumLinear(outer, w), Quad: []Quadratic{{Weight: 1, Arg: Entries(inner...)}}}
}

func (f *huber) of(v float64) float64 {
	if v = math.Abs(v); v > f.m {
		return 2*f.m*v - f.m*f.m
	}
	return v * v
}

func (f *huber) approx(x []float64) approx {
	var s total
	for k := range f.a.c {
		a := f.a.approx(k, x)
		s.add(a.through(f.of(a.v), 2*min(math.Abs(a.v), f.m), f.of(a.lo()), f.of(a.hi()), 3))
	}
	return s.approx
}

func (f *huber) over() Interval {
	i := point(0)
	for k := range f.a.c {
		i = i.Add(interval.Image(f.a.over(k).Abs(), f.of, true, 3).Max(point(0)))
	}
	return i
}

func (f *huber) node() Node { return Node{op: "huber", args: affineArgs(&f.a), num: f.m} }

func (f *huber) String() string { return "huber" }

func huberAtoms() []atom {
	return []atom{{op: "huber", args: 1, data: 1, make: func(args []Array, data []float64) Expr {
		if a, ok := args[0].Affine(); ok {
			return Huber(a, data[0])
		}
		return HuberOf(args[0].entries(), data[0])
	}}}
}
