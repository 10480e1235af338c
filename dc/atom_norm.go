package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Norm1 is the sum of |aₖ|. At aₖ = 0 the subgradient of |aₖ| is 0.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      affine
//	refuses    nothing
//	form       rows
//	source     Boyd and Vandenberghe 2004, section 6.1.1
func Norm1(a Affine) Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if a.IsConst() {
		s := 0.0
		for _, v := range a.c {
			s += math.Abs(v)
		}
		return constantExpr(s)
	}
	return convex(&norm1{a, a.support()}, a.of)
}

type norm1 struct {
	a       Affine
	indices []int
}

func (f *norm1) Value(x []float64) float64 {
	s := 0.0
	vals := f.a.values(x)
	for k := range f.a.c {
		s += math.Abs(vals.at(k))
	}
	return s
}

func (f *norm1) AddSubgrad(dst []float64, scale float64, x []float64) {
	vals := f.a.values(x)
	for k := range f.a.c {
		switch v := vals.at(k); {
		case v > 0:
			f.a.addRow(dst, scale, k)
		case v < 0:
			f.a.addRow(dst, -scale, k)
		}
	}
}

func (f *norm1) Support() []int { return f.indices }

func (f *norm1) Represent(c Canon) Form {
	parts, ones := make([]Linear, f.a.Len()), make([]float64, f.a.Len())
	for k := range f.a.c {
		parts[k], ones[k] = magnitude(c, f.a.Entry(k)), 1
	}
	return Form{Linear: sumLinear(parts, ones)}
}

func (f *norm1) approx(x []float64) approx {
	var s total
	for k := range f.a.c {
		a := f.a.approx(k, x)
		s.add(approx{math.Abs(a.v), a.e})
	}
	return s.approx
}

func (f *norm1) over() Interval {
	i := point(0)
	for k := range f.a.c {
		i = i.Add(f.a.over(k).Abs())
	}
	return i
}

func (f *norm1) node() Node     { return Node{op: "norm1", args: affineArgs(&f.a)} }
func (f *norm1) String() string { return "norm1" }

// Norm2 is the Euclidean norm of the entries of a. At zero its subgradient is
// the one along the direction with equal parts of all entries: a linearisation
// there still says "move away", where the zero subgradient would say nothing.
//
//	arguments  a: an array of any shape
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      affine
//	refuses    nothing
//	form       second-order cone
//	source     Lobo, Vandenberghe, Boyd and Lebret 1998, section 2
func Norm2(a Affine) Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	if a.IsConst() {
		return constantExpr((&norm2{a: a}).Value(nil))
	}
	if a.Len() == 1 {
		return Abs(a)
	}
	return convex(&norm2{a, a.support()}, a.of)
}

// Norm2Of is Norm2 of a slice of scalars.
//
//	as         Norm2
//	takes      any with a split
//	refuses    nothing
func Norm2Of[T Operand](us []T) Expr {
	return atomOfAny("norm2", Norm2, us, positiveEntry, slopes{1, 1, true})
}

type norm2 struct {
	a       Affine
	indices []int
}

// Value is the root of the sum of the squares, as it is where that is far from overflow and underflow.
func (f *norm2) Value(x []float64) float64 {
	sum, vals := 0.0, f.a.values(x)
	for k := range f.a.c {
		v := vals.at(k)
		sum += v * v
	}
	if sum > leastSquares && sum < mostSquares {
		return math.Sqrt(sum)
	}
	vals = f.a.values(x) // from the first entry again
	return num.ScaledNorm2(f.a.Len(), vals.at)
}

// Between these a sum of squares has no term that matters and has underflowed, and none
// has overflowed. Source: derived: 1/leastSquares is 2^800, squares lose digits from 2^-970 down.
const (
	leastSquares = 0x1p-800
	mostSquares  = 0x1p+1000
)

func (f *norm2) AddSubgrad(dst []float64, scale float64, x []float64) {
	norm := f.Value(x)
	vals := f.a.values(x)
	for k := range f.a.c {
		w := 1 / math.Sqrt(float64(f.a.Len()))
		if norm > 0 {
			w = vals.at(k) / norm
		}
		f.a.addRow(dst, scale*w, k)
	}
}

func (f *norm2) Smooth() bool { return true }

func (f *norm2) Support() []int { return f.indices }

func (f *norm2) Represent(c Canon) Form {
	t := column(c)
	k, _, _ := f.Below(t)
	c.Cone(k)
	return Form{Linear: t}
}

// Line: |a| ≤ b of one entry and a constant b.
func (f *norm2) Line(b Linear) (row Linear, lo, hi, share float64, ok bool) {
	a := qrReduced(f.a)
	if !(b.IsConst() && b.Const >= 0) || a.Len() != 1 {
		return Linear{}, 0, 0, 0, false
	}
	return a.Entry(0), -b.Const, b.Const, 1, true
}

// Below: the cone (b, a).
func (f *norm2) Below(b Linear) (k Cone, share []float64, ok bool) {
	a := qrReduced(f.a)
	rows, share := make([]Linear, 1, a.Len()+1), make([]float64, a.Len()+1)
	rows[0], share[0] = b, -1
	for k := range a.c {
		rows = append(rows, a.Entry(k))
	}
	return Cone{Kind: SecondOrderCone, Rows: rows}, share, true
}

// approx: the norm changes by no more than the norm of the errors. Its own
// rounding errors are those of the squares, half of them, and of three more
// operations an entry.
func (f *norm2) approx(x []float64) approx {
	v := f.Value(x)
	return approx{v, f.a.errorNorm(x) + float64(4*len(f.a.c)+3)*unit*v}
}

func (f *norm2) over() Interval {
	lo, hi := 0.0, 0.0
	for k := range f.a.c {
		i := f.a.over(k).Square()
		lo, hi = num.AddDown(lo, i.Lo), num.AddUp(hi, i.Hi)
	}
	return interval.Image(interval.New(lo, hi), math.Sqrt, true, 1).Max(point(0))
}

func (f *norm2) node() Node     { return Node{op: "norm2", args: affineArgs(&f.a)} }
func (f *norm2) String() string { return "norm2" }

func normAtoms() []atom {
	return []atom{
		{op: "norm1", args: 1, make: func(args []Array, _ []float64) Expr { return norm1Of(&args[0]) }},
		{op: "norm2", args: 1, make: ofArray(Norm2, Norm2Of[Expr])},
	}
}

// norm1Of is the sum of |aₖ|.
func norm1Of(a *Array) Expr {
	if l, ok := a.Affine(); ok {
		return Norm1(l)
	}
	return sumExprs(a.each(func(e Expr) Expr { return Abs(e) }))
}

func (f *norm1) Maxima(each func(weight float64, pieces []Linear)) (lin Linear, ok bool) {
	for k := range f.a.c {
		l := f.a.Entry(k)
		each(1, []Linear{l, l.Scale(-1)})
	}
	return Linear{}, true
}
