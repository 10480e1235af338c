package dc

import (
	"github.com/dcopt/dcopt/internal/convex"
)

// Param is an array of numbers that may be changed from one solve to the next: a
// bound, a right-hand side, data of an objective. As an Expr it goes wherever
// a variable goes, as in Norm2(A.Sub(b.Expr)); the point x has entries
// for it, which hold its values.
//
// A parameter times a variable is no affine function; Model.AddCost puts such
// products into the objective.
type Param struct{ Expr }

// cost is the inner product of parameters and affine functions.
type cost struct{ p, a convex.Array }

// priced is the sum of the costs times −1 or 1. For given parameters it is
// affine, and its subgradient is that by the variables.
type priced struct {
	costs   []cost
	sign    float64
	indices []int
}

func newPriced(costs []cost, sign float64) *priced {
	var lists [][]int
	for _, c := range costs {
		lists = append(lists, c.p.Support(), c.a.Support())
	}
	return &priced{costs, sign, convex.Union(lists...)}
}

func (f *priced) Value(x []float64) float64 {
	s := 0.0
	for i := range f.costs {
		c := &f.costs[i]
		for k := range c.a.C {
			s += c.p.At(k, x) * c.a.At(k, x)
		}
	}
	return f.sign * s
}

func (f *priced) AddSubgrad(dst []float64, scale float64, x []float64) {
	for i := range f.costs {
		c := &f.costs[i]
		for k := range c.a.C {
			c.a.AddRow(dst, scale*f.sign*c.p.At(k, x), k)
		}
	}
}

func (f *priced) Approx(x []float64) convex.Approx {
	var s convex.Total
	for i := range f.costs {
		c := &f.costs[i]
		for k := range c.a.C {
			s.Add(c.p.Approx(k, x).Times(c.a.Approx(k, x)))
		}
	}
	return convex.Approx{V: f.sign * s.V, E: s.E}
}

func (f *priced) Support() []int { return f.indices }

func (f *priced) String() string { return "costs" }

// Flat: for given parameters it is affine.
func (f *priced) Flat() bool { return true }

// node are the costs as an inner product.
func (f *priced) node() Node {
	var p, a []convex.Array
	for _, c := range f.costs {
		p, a = append(p, c.p), append(a, c.a)
	}
	left, right := convex.Stack(p...), convex.Stack(a...)
	return Node{op: "cost", negative: f.sign < 0, args: affineArgs(&left, &right), key: f}
}
