package dc

import "math"

// WeightedGeoMean is the product of the entries of a to the powers wₖ/Σw. It
// restricts entries with a positive weight to aₖ ≥ 0; others do not count.
//
//	arguments  a: an array with n entries; w: n numbers ≥ 0
//	curvature  concave
//	sign       nonnegative
//	monotone   a: nondecreasing
//	domain     aₖ ≥ 0 where wₖ > 0
//	takes      affine
//	refuses    another number of weights than entries; negative, infinite or no positive weights
//	form       power cones
//	source     Chares 2009, section 4
func WeightedGeoMean(a Affine, w []float64) Expr {
	if err := a.Err(); err != nil {
		return Expr{err: err}
	}
	powers, used, err := shares(a.Len(), w)
	if err != nil {
		return Expr{err: err}
	}
	a = a.Select([]int{len(used)}, used)
	f := &negWeighted{negGeoMean{a, a.support()}, powers}
	switch {
	case a.Len() == 1:
		return a.expr()
	case a.IsConst():
		v := f.Value(nil)
		if math.IsInf(v, 1) {
			return badExpr("geomean of negative numbers")
		}
		return constantExpr(-v)
	}
	return concave(f, a.of)
}

// WeightedGeoMeanOf is WeightedGeoMean of a slice of scalars.
//
//	as         WeightedGeoMean
//	takes      affine or concave
//	refuses    others; weights as WeightedGeoMean
func WeightedGeoMeanOf[T Operand](us []T, w []float64) Expr {
	_, used, err := shares(len(us), w)
	if err != nil {
		return Expr{err: err}
	}
	ops, weights := make([]T, len(used)), make([]float64, len(used))
	for i, k := range used {
		ops[i], weights[i] = us[k], w[k]
	}
	make := func(a Affine) Expr { return WeightedGeoMean(a, weights).Neg() }
	return atomOf("geomean", make, ops, everyEntry(concaveEntry)).Neg()
}

// shares are the positive weights, to the sum 1, and their places.
func shares(n int, w []float64) (powers []float64, used []int, err error) {
	if len(w) != n {
		return nil, nil, badExpr("a weighted mean of %d entries with %d weights", n, len(w)).err
	}
	total := 0.0
	for k, v := range w {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, nil, badExpr("a weighted mean with the weight %g; want numbers >= 0", v).err
		}
		if v > 0 {
			total, used = total+v, append(used, k)
		}
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return nil, nil, badExpr("a weighted mean with weights of sum %g", total).err
	}
	for _, k := range used {
		powers = append(powers, w[k]/total)
	}
	return powers, used, nil
}

// negWeighted is −Π aₖ^wₖ with Σ wₖ = 1. Domain and range are those of the mean
// with equal weights.
type negWeighted struct {
	negGeoMean
	w []float64
}

func (f *negWeighted) Value(x []float64) float64 { return f.meanFrom(x, 0) }

func (f *negWeighted) meanFrom(x []float64, least float64) float64 {
	sum := 0.0
	for k, w := range f.w {
		v, ok := onDomain(f.a.at(k, x))
		if !ok {
			return math.Inf(1)
		}
		sum += w * math.Log(max(v, least))
	}
	return -math.Exp(sum)
}

func (f *negWeighted) AddSubgrad(dst []float64, scale float64, x []float64) {
	mean := -f.meanFrom(x, steepest)
	for k, w := range f.w {
		f.a.addRow(dst, -scale*mean*w/max(f.a.at(k, x), steepest), k)
	}
}

// Represent: with the sum W of the weights before entry k, the mean of the first
// k entries is at most aₖ^(wₖ/(W+wₖ)) times that of those before to the power
// W/(W+wₖ).
func (f *negWeighted) Represent(c Canon) Form {
	g, sum := f.a.Entry(0), f.w[0]
	for k := 1; k < f.a.Len(); k++ {
		next := column(c)
		sum += f.w[k]
		c.Cone(Cone{Kind: PowerCone, Alpha: f.w[k] / sum, Rows: []Linear{f.a.Entry(k), g, next}})
		g = next
	}
	return Form{Linear: g.Scale(-1)}
}

// approx: the relative errors of the entries count with their weights, and so do
// the logarithms, with their roundings.
func (f *negWeighted) approx(x []float64) approx {
	v, relative, logs := f.Value(x), 0.0, 0.0
	for k, w := range f.w {
		a := f.a.approx(k, x)
		if !(a.v > a.e) {
			return approx{v, f.most(x)}
		}
		relative += w * a.e / (a.v - a.e)
		logs += w * math.Abs(math.Log(a.v))
	}
	n := float64(len(f.w))
	return approx{v, math.Abs(v) * (relative + unit*((n+4)*logs+4*n))}
}

// most is the mean of the entries' upper ends: a bound where an entry may be 0.
func (f *negWeighted) most(x []float64) float64 {
	s := 0.0
	for k, w := range f.w {
		a := f.a.approx(k, x)
		s += w * math.Log(max(a.hi(), 0))
	}
	return math.Exp(s)
}

func (f *negWeighted) node() Node {
	return Node{op: "wgeomean", negative: true, args: affineArgs(&f.a), nums: f.w}
}

func weightedAtoms() []atom {
	return []atom{
		{op: "wgeomean", args: 1, data: -1, make: func(args []Array, data []float64) Expr {
			return WeightedGeoMeanOf(args[0].entries(), data)
		}},
	}
}
