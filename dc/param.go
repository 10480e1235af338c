package dc

// Param is an array of numbers that may be changed from one solve to the next: a
// bound, a right-hand side, data of an objective. As an Expr it goes wherever
// a variable goes, as in Norm2(A.Sub(b.Expr)); the point x has entries
// for it, which hold its values.
//
// A parameter times a variable is no affine function; Model.AddCost puts such
// products into the objective.
type Param struct{ Expr }

// cost is the inner product of parameters and affine functions.
type cost struct{ p, a Expr }

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
		lists = append(lists, c.p.support(), c.a.support())
	}
	return &priced{costs, sign, union(lists...)}
}

func (f *priced) Value(x []float64) float64 {
	s := 0.0
	for i := range f.costs {
		c := &f.costs[i]
		for k := range c.a.c {
			s += c.p.at(k, x) * c.a.at(k, x)
		}
	}
	return f.sign * s
}

func (f *priced) AddSubgrad(dst []float64, scale float64, x []float64) {
	for i := range f.costs {
		c := &f.costs[i]
		for k := range c.a.c {
			c.a.addRow(dst, scale*f.sign*c.p.at(k, x), k)
		}
	}
}

func (f *priced) approx(x []float64) approx {
	var s total
	for i := range f.costs {
		c := &f.costs[i]
		for k := range c.a.c {
			s.add(c.p.approx(k, x).times(c.a.approx(k, x)))
		}
	}
	return approx{f.sign * s.v, s.e}
}

func (f *priced) Support() []int { return f.indices }

func (f *priced) String() string { return "costs" }

// Flat: for given parameters it is affine.
func (f *priced) Flat() bool { return true }

// node are the costs as an inner product.
func (f *priced) node() Node {
	var p, a []Expr
	for _, c := range f.costs {
		p, a = append(p, c.p), append(a, c.a)
	}
	left, right := Stack(p...), Stack(a...)
	return Node{op: "cost", negative: f.sign < 0, args: affineArgs(&left, &right), key: f}
}
