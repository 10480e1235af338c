package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
)

// LambdaMax is the largest eigenvalue of a symmetric matrix. Where it is multiple
// the subgradient is that of one eigenvector.
//
//	arguments  a: a symmetric matrix, n × n
//	curvature  convex
//	sign       any
//	monotone   a: nondecreasing in the Löwner order
//	domain     all
//	takes      affine
//	refuses    matrices that are not symmetric as functions
//	form       semidefinite cone of order n
//	source     Boyd and Vandenberghe 2004, section 4.6.3
func LambdaMax(a Expr) Expr { return LambdaSumLargest(a, 1) }

// LambdaMin is the smallest eigenvalue of a symmetric matrix.
//
//	arguments  a: a symmetric matrix, n × n
//	curvature  concave
//	sign       any
//	monotone   a: nondecreasing in the Löwner order
//	domain     all
//	takes      affine
//	refuses    matrices that are not symmetric as functions
//	form       semidefinite cone of order n
//	source     Boyd and Vandenberghe 2004, section 4.6.3
func LambdaMin(a Expr) Expr { return LambdaMax(a.Neg()).Neg() }

// LambdaSumLargest is the sum of the k largest eigenvalues of a symmetric matrix; for
// k = n it is the trace, which is affine.
//
//	arguments  a: a symmetric matrix, n × n; 1 ≤ k ≤ n
//	curvature  convex; affine for k = n
//	sign       any
//	monotone   a: nondecreasing in the Löwner order
//	domain     all
//	takes      affine
//	refuses    matrices that are not symmetric as functions; k < 1 or k > n
//	form       semidefinite cones, two of order n
//	source     Alizadeh 1995, section 4
func LambdaSumLargest(a Expr, k int) Expr {
	return a.as(func(a array) scalar { return lambdaSumLargest(a, k) })
}

func lambdaSumLargest(a array, k int) scalar {
	s, err := newSymmetric("lambda_max", a)
	if err != nil {
		return scalar{err: err}
	}
	switch {
	case k < 1 || k > s.n:
		return badExpr("the sum of the %d largest of %d eigenvalues", k, s.n)
	case k == s.n:
		trace := make([]convex.Linear, s.n)
		ones := make([]float64, s.n)
		for i := range trace {
			trace[i], ones[i] = s.at(i, i), 1
		}
		return scalar{lin: convex.SumLinear(trace, ones)}
	}
	f := &eigenSum{s, k}
	if a.isConst() {
		return constant("lambda_max", f.Value(nil))
	}
	return convexOf(f, s.a.Of)
}

// constant is an atom of data.
func constant(name string, v float64) scalar {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return badExpr("%s of this matrix of data has no value", name)
	}
	return constantExpr(v)
}

type eigenSum struct {
	*symmetric
	k int
}

func (f *eigenSum) Value(x []float64) float64 {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	if !w.load(f.symmetric, x, 0) || !w.eigen(false) {
		return math.NaN()
	}
	sum := 0.0
	for _, λ := range w.λ[f.n-f.k:] {
		sum += λ
	}
	return sum
}

func (f *eigenSum) AddSubgrad(dst []float64, scale float64, x []float64) {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	if !w.load(f.symmetric, x, 0) || !w.eigen(true) {
		return
	}
	for k := f.n - f.k; k < f.n; k++ {
		f.addOuter(dst, scale, f.n, w.vector(k))
	}
}

func (f *eigenSum) Support() []int { return f.indices }

// Represent: t with tI − A ⪰ 0; of k eigenvalues ks + tr Z with Z ⪰ 0 and
// Z + sI − A ⪰ 0.
func (f *eigenSum) Represent(c convex.Canon) convex.Form {
	s := convex.Column(c)
	if f.k == 1 {
		semidefinite(c, f.n, f.below(s))
		return convex.Form{Linear: s}
	}
	z, trace := free(c, f.n)
	below := f.below(s)
	semidefinite(c, f.n, z)
	semidefinite(c, f.n, func(i, j int) convex.Linear { return below(i, j).AddScaled(1, z(i, j)) })
	return convex.Form{Linear: trace.AddScaled(float64(f.k), s)}
}

// below is bI − A.
func (f *eigenSum) below(b convex.Linear) func(i, j int) convex.Linear {
	return func(i, j int) convex.Linear {
		if i == j {
			return b.AddScaled(-1, f.at(i, j))
		}
		return f.at(i, j).Scale(-1)
	}
}

// Below: bI − A ⪰ 0.
func (f *eigenSum) Below(b convex.Linear) (k convex.Cone, share []float64, ok bool) {
	if f.k > 1 {
		return convex.Cone{}, nil, false
	}
	k = semidefiniteCone(f.n, f.below(b))
	share = make([]float64, len(k.Rows))
	if k.Kind == convex.SecondOrderCone {
		share[0] = -2
	} else {
		for i := range f.n {
			share[place(i, i)] = -1
		}
	}
	return k, share, true
}

// approx: by Weyl's inequality an eigenvalue changes by no more than the norm of
// the error.
func (f *eigenSum) Approx(x []float64) convex.Approx {
	v := f.Value(x)
	return convex.Approx{V: v, E: float64(f.k) * (f.errorNorm(x) + convex.Roundoff*math.Abs(v))}
}

func (f *eigenSum) node() Node {
	n := Node{op: "lambda_max", args: f.arg()}
	if f.k > 1 {
		n.op, n.num = "lambda_sumlargest", float64(f.k)
	}
	return n
}

func (f *eigenSum) String() string {
	if f.k == 1 {
		return "lambda_max"
	}
	return "lambda_sumlargest"
}

func eigenAtoms() []constructor {
	return []constructor{
		{op: "lambda_max", args: 1, make: of(LambdaMax)},
		{op: "lambda_min", args: 1, make: of(LambdaMin)},
		{op: "lambda_sumlargest", args: 1, data: 1, make: func(args []Expr, data []float64) Expr {
			k, err := whole("lambda_sumlargest", data[0])
			if err != nil {
				return wrong(err)
			}
			return LambdaSumLargest(args[0], k)
		}},
	}
}
