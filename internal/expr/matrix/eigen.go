package matrix

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
)

// LambdaSumLargest is the sum of the k largest eigenvalues.
func LambdaSumLargest(a expr.Array, k int) expr.Scalar {
	s, err := newSymmetric("lambda_max", a)
	if err != nil {
		return expr.Scalar{Err: err}
	}
	switch {
	case k < 1 || k > s.N:
		return expr.Failed("the sum of the %d largest of %d eigenvalues", k, s.N)
	case k == s.N:
		trace := make([]convex.Linear, s.N)
		ones := make([]float64, s.N)
		for i := range trace {
			trace[i], ones[i] = s.at(i, i), 1
		}
		return expr.Scalar{Lin: convex.SumLinear(trace, ones)}
	}
	f := &EigenSum{s, k}
	if a.IsConst() {
		return constant("lambda_max", f.Value(nil))
	}
	return expr.ConvexOf(f, s.a.Of)
}

// constant is an atom of data.
func constant(name string, v float64) expr.Scalar {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return expr.Failed("%s of this matrix of data has no value", name)
	}
	return expr.Number(v)
}

// EigenSum is the sum of the largest eigenvalues of a symmetric matrix of affine functions.
type EigenSum struct {
	*symmetric
	K int
}

func (f *EigenSum) Value(x []float64) float64 {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	if !w.load(f.symmetric, x, 0) || !w.eigen(false) {
		return math.NaN()
	}
	sum := 0.0
	for _, λ := range w.λ[f.N-f.K:] {
		sum += λ
	}
	return sum
}

func (f *EigenSum) AddSubgrad(dst []float64, scale float64, x []float64) {
	w := f.pool.Get().(*symWork)
	defer f.pool.Put(w)
	if !w.load(f.symmetric, x, 0) || !w.eigen(true) {
		return
	}
	for k := f.N - f.K; k < f.N; k++ {
		f.addOuter(dst, scale, f.N, w.vector(k))
	}
}

func (f *EigenSum) Support() []int { return f.indices }

// Represent: t with tI − A ⪰ 0; of k eigenvalues ks + tr Z with Z ⪰ 0 and
// Z + sI − A ⪰ 0.
func (f *EigenSum) Represent(c convex.Canon) convex.Form {
	s := convex.Column(c)
	if f.K == 1 {
		semidefinite(c, f.N, f.below(s))
		return convex.Form{Linear: s}
	}
	z, trace := free(c, f.N)
	below := f.below(s)
	semidefinite(c, f.N, z)
	semidefinite(c, f.N, func(i, j int) convex.Linear { return below(i, j).AddScaled(1, z(i, j)) })
	return convex.Form{Linear: trace.AddScaled(float64(f.K), s)}
}

// below is bI − A.
func (f *EigenSum) below(b convex.Linear) func(i, j int) convex.Linear {
	return func(i, j int) convex.Linear {
		if i == j {
			return b.AddScaled(-1, f.at(i, j))
		}
		return f.at(i, j).Scale(-1)
	}
}

// Below: bI − A ⪰ 0.
func (f *EigenSum) Below(b convex.Linear) (k convex.Cone, share []float64, ok bool) {
	if f.K > 1 {
		return convex.Cone{}, nil, false
	}
	k = semidefiniteCone(f.N, f.below(b))
	share = make([]float64, len(k.Rows))
	if k.Kind == convex.SecondOrderCone {
		share[0] = -2
	} else {
		for i := range f.N {
			share[expr.Place(i, i)] = -1
		}
	}
	return k, share, true
}

// Approx: by Weyl's inequality an eigenvalue changes by no more than the norm of
// the error.
func (f *EigenSum) Approx(x []float64) convex.Approx {
	v := f.Value(x)
	return convex.Approx{V: v, E: float64(f.K) * (f.errorNorm(x) + convex.Roundoff*math.Abs(v))}
}

func (f *EigenSum) Node() expr.Node {
	n := expr.Node{Name: "lambda_max", Inputs: f.arg()}
	if f.K > 1 {
		n.Name, n.Num = "lambda_sumlargest", float64(f.K)
	}
	return n
}

func (f *EigenSum) String() string {
	if f.K == 1 {
		return "lambda_max"
	}
	return "lambda_sumlargest"
}
