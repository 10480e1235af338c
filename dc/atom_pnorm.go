package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
)

// NormP is the p-norm of the entries of a, (Σ |aₖ|ᵖ)^(1/p); for p = +Inf it is
// NormInf. At zero its subgradient is the one along the direction with equal parts
// of all entries, as of Norm2.
//
//	arguments  a: an array of any shape; p ≥ 1, or +Inf
//	curvature  convex
//	sign       nonnegative
//	monotone   a: by sign
//	domain     all
//	takes      affine
//	refuses    p < 1
//	form       power cones and rows; second-order cone for p = 2
//	source     Chares 2009, section 4
func NormP(a Affine, p float64) Expr {
	switch {
	case a.Err() != nil:
		return Expr{err: a.Err()}
	case !(p >= 1):
		return badExpr("the norm of order %g; want at least 1", p)
	case p == 1:
		return Norm1(a)
	case p == 2:
		return Norm2(a)
	case math.IsInf(p, 1):
		return NormInf(a)
	case a.IsConst():
		return constantExpr((&normP{a: a, p: p}).Value(nil))
	case a.Len() == 1:
		return Abs(a)
	}
	return convex(&normP{a, a.support(), p}, a.of)
}

// NormPOf is NormP of a slice of scalars.
//
//	as         NormP
//	takes      any with a split
//	refuses    p < 1
func NormPOf[T Operand](us []T, p float64) Expr {
	return atomOfAny("norm", func(a Affine) Expr { return NormP(a, p) }, us, positiveEntry, slopes{1, 1, true})
}

type normP struct {
	a       Affine
	indices []int
	p       float64
}

func (f *normP) Value(x []float64) float64 {
	vals := f.a.values(x)
	return f.of(func(k int) float64 { return math.Abs(vals.at(k)) })
}

// of is the norm of numbers ≥ 0, each asked for once and in order. With the
// largest number up to now, big, it keeps s = Σ (vₖ/big)ᵖ.
func (f *normP) of(v func(k int) float64) float64 {
	big, s := 0.0, 0.0
	for k := range f.a.c {
		switch a := v(k); {
		case a > big:
			s = 1 + s*math.Pow(big/a, f.p)
			big = a
		case a > 0:
			s += math.Pow(a/big, f.p)
		case math.IsNaN(a):
			return a
		}
	}
	if math.IsInf(big, 1) {
		return big
	}
	return big * math.Pow(s, 1/f.p)
}

func (f *normP) AddSubgrad(dst []float64, scale float64, x []float64) {
	norm := f.Value(x)
	vals := f.a.values(x)
	for k := range f.a.c {
		w := math.Pow(float64(f.a.Len()), 1/f.p-1)
		if norm > 0 {
			w = math.Copysign(math.Pow(math.Abs(vals.at(k))/norm, f.p-1), vals.at(k))
		}
		f.a.addRow(dst, scale*w, k)
	}
}

func (f *normP) Smooth() bool { return true }

func (f *normP) Support() []int { return f.indices }

// Represent: rₖ^(1/p)·t^(1−1/p) ≥ |aₖ| with Σ rₖ ≤ t.
func (f *normP) Represent(c Canon) Form {
	t := column(c)
	sum := t.Scale(-1)
	for k := range f.a.c {
		r := column(c)
		c.Cone(Cone{Kind: PowerCone, Alpha: 1 / f.p, Rows: []Linear{r, t, f.a.Entry(k)}})
		sum = sum.AddScaled(1, r)
	}
	c.Row(sum, math.Inf(-1), 0)
	return Form{Linear: t}
}

// roundings is a bound of the roundings of the value, relative to it and in
// units: each power has at most 4 + p, scaling to another largest number 8 + p
// per entry, the sum one per entry, and the root divides all of these by p.
func (f *normP) roundings() float64 { return 11*float64(len(f.a.c)) + 16 }

// approx: the norm changes by no more than the norm of the errors, which is at
// most n^(1/p − 1/2) times their Euclidean norm, or that where p ≥ 2.
func (f *normP) approx(x []float64) approx {
	v := f.Value(x)
	e := f.a.errorNorm(x) * math.Pow(float64(len(f.a.c)), max(1/f.p-0.5, 0))
	return approx{v, e + f.roundings()*unit*v}
}

func (f *normP) over() Interval {
	ends := make([]Interval, len(f.a.c))
	for k := range ends {
		ends[k] = f.a.over(k).Abs()
	}
	lo := f.of(func(k int) float64 { return ends[k].Lo })
	hi := f.of(func(k int) float64 { return ends[k].Hi })
	return interval.New(lo*(1-2*f.roundings()*unit), hi*(1+2*f.roundings()*unit))
}

func (f *normP) node() Node { return Node{op: "norm", args: affineArgs(&f.a), num: f.p} }

func (f *normP) String() string { return "norm" }

func pnormAtoms() []atom {
	return []atom{
		{op: "norm", args: 1, data: 1, make: func(args []Array, data []float64) Expr {
			p := data[0]
			if a, ok := args[0].Affine(); ok {
				return NormP(a, p)
			}
			switch {
			case p == 1:
				return norm1Of(&args[0])
			case math.IsInf(p, 1):
				return normInf(&args[0])
			}
			return NormPOf(args[0].entries(), p)
		}},
	}
}
