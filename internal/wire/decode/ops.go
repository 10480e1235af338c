package decode

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/wire"
)

// first and second are bits of operation.frozen.
const (
	first  = 1 << 0
	second = 1 << 1
)

// ops are the operations by name, in the order of docs/protocol.md; beside those that stand here,
// all functions of one number and of one array.
var ops = map[string]operation{
	"const":  {0, 0, "data value ", true, 0, constant},
	"affine": {0, -1, "indptr indices data constant data_map ", true, 0, affineMap},
	"sum":    {1, -1, "factors ", true, 0, sum},
	"mul":    {2, 2, "", false, first | second, times(false, dc.Mul)},
	"div":    {2, 2, "", false, first | second, times(true, dc.Quotient)},
	"matmul": {2, 2, "", false, first | second, matmul},
	"cumsum": {1, 1, "groups ", false, 0, cumsum},

	"power":    {1, 1, "p ", false, 0, power},
	"sqrt":     {1, 1, "", false, 0, sqrt},
	"invpos":   entrywise(1, nil),
	"pow":      entrywise(2, nil),
	"huber":    {1, 1, "m ", false, 0, huber},
	"kl":       entrywise(2, func(us []dc.Expr) dc.Expr { return dc.KL(us[0], us[1]) }),
	"rel_entr": entrywise(2, func(us []dc.Expr) dc.Expr { return dc.KL(us[0], us[1]).Add(us[0]).Sub(us[1]) }),
	"max":      {1, -1, "groups ", false, 0, extreme(atom.Max, dc.Max)},
	"min":      {1, -1, "groups ", false, 0, extreme(atom.Min, dc.Min)},

	"norminf":    fold("", atom.Max, true, nil, nil),
	"norm":       fold("p ", atom.NormP, true, (*call).exponent, nil),
	"sumlargest": fold("k ", atom.SumLargest, false, (*call).largest, nil),
	"dotsort":    fold("weights ", atom.SumLargest, true, (*call).weights, dc.DotSort),
	"wgeomean":   fold("weights ", atom.WeightedGeoMean, false, (*call).weights, nil),

	"quadoverlin": {2, 2, "groups ", false, 0, quadOverLin},
	"quad":        {1, 2, "matrix indptr indices data ", false, second, quad},

	"logdet":     {1, 1, "", false, 0, whole},
	"lambda_max": {1, 1, "", false, 0, whole},
	"lambda_min": {1, 1, "", false, 0, whole},
	"lambda_sumlargest": {1, 1, "k ", false, 0, func(c *call) *value {
		a := c.matrix(0)
		return c.scalar(dc.LambdaSumLargest(a, c.count(a.Shape()[0])))
	}},
	"sigma_max": {1, 1, "", false, 0, spectral},
	"normnuc":   {1, 1, "", false, 0, spectral},
	"matfrac":   {2, 2, "", false, second, matFrac},
	"tr_inv": {1, 1, "", false, 0, func(c *call) *value {
		a := c.matrix(0)
		n := a.Shape()[0]
		return c.scalar(dc.MatFrac(dc.Mat(mat.NewDiagDense(n, slices.Repeat([]float64{1}, n))), a))
	}},
}

var _ = withRows(ops)

// withRows adds the rows of the tables of functions.
func withRows(ops map[string]operation) bool {
	for _, c := range atom.Curves() {
		if _, known := ops[c.Name]; !known && !c.HasParameter {
			ops[c.Name] = entrywise(1, nil)
		}
	}
	for _, f := range atom.Reduces() {
		if _, known := ops[f.Name]; !known && f.OfArray() {
			ops[f.Name] = fold("", f, f.Single != atom.Itself, nil, nil)
		}
	}
	return true
}

// entrywise is a function of so many numbers; nil: that of dc with the operation's name.
func entrywise(args int, f func(us []dc.Expr) dc.Expr) operation {
	return operation{args, args, "", false, 0, func(c *call) *value {
		if f == nil {
			return c.each(func(us []dc.Expr) dc.Expr { return dc.Apply(c.node.Op, nil, us...) })
		}
		return c.each(f)
	}}
}

// fold is a function of groups that is a row, or made of it, with parameters that an attribute has
// (nil: none); f nil: that of dc with the operation's name. zero: of no entries it is 0.
func fold(attr string, row *atom.Reduce, zero bool, params func(c *call) []float64,
	f func(a dc.Expr, params []float64) dc.Expr) operation {
	return operation{1, 1, attr + "groups ", false, 0, func(c *call) *value {
		p, f := []float64(nil), f
		if params != nil {
			p = params(c)
		}
		if f == nil {
			f = func(a dc.Expr, p []float64) dc.Expr { return dc.Apply(c.node.Op, p, a) }
		}
		return c.fold(row, zero, func(a dc.Expr) dc.Expr { return f(a, p) })
	}}
}

// whole is a function of a square matrix.
func whole(c *call) *value {
	a := c.matrix(0)
	return c.scalar(dc.Apply(c.node.Op, nil, a))
}

// spectral is a function of the singular values.
func spectral(c *call) *value {
	shape := c.shapes[0]
	switch {
	case len(shape) != 2:
		refuse("%s of shape %v, want a matrix", c.node.Op, shape)
	case c.args[0].n() == 0:
		return number([]float64{0})
	}
	return c.scalar(dc.Apply(c.node.Op, nil, c.args[0].array().Reshape(shape[1], shape[0]).T()))
}

// extreme is max or min: of several arguments entry by entry, of one its entries.
func extreme(row *atom.Reduce, f func(us ...dc.Expr) dc.Expr) func(c *call) *value {
	return func(c *call) *value {
		if len(c.args) == 1 {
			return c.fold(row, false, func(a dc.Expr) dc.Expr { return f(a) })
		}
		if c.attrs.Groups != nil {
			refuseAs(wire.ErrRequest, "groups belong to %s of one argument", c.node.Op)
		}
		return c.each(func(us []dc.Expr) dc.Expr {
			return f(dc.Stack(us...).Reshape(len(us), us[0].Len()).Along(0))
		})
	}
}

func power(c *call) *value {
	c.wants("p", c.attrs.P != nil)
	if *c.attrs.P == 0.5 {
		return sqrt(c)
	}
	return c.each(func(us []dc.Expr) dc.Expr { return dc.Power(us[0], *c.attrs.P) })
}

// sqrt is the square root; the root of a sum of squares is the norm, whose convexity the
// root of a convex function does not show.
func sqrt(c *call) *value {
	if k := c.node.Args[0] - c.first(); k >= 0 && c.g.Nodes[k].Op == "sumsq" && !c.args[0].isData() {
		inner := *c
		inner.node = &c.g.Nodes[k]
		inner.args = []*value{c.p.values[inner.node.Args[0]]}
		if inner.attrs = inner.node.Attrs; inner.attrs == nil {
			inner.attrs = &wire.Attrs{}
		}
		return inner.fold(atom.Norm2, true, dc.Norm2)
	}
	return c.each(func(us []dc.Expr) dc.Expr { return dc.Sqrt(us[0]) })
}

func huber(c *call) *value {
	m := 1.0
	if c.attrs.M != nil {
		m = *c.attrs.M
	}
	if !(m > 0) || math.IsInf(m, 1) {
		refuse("huber with m = %g, want a number > 0", m)
	}
	return c.each(func(us []dc.Expr) dc.Expr { return dc.Huber(us[0].Reshape(us[0].Len(), 1).Along(1), m) })
}

// wants refuses an operation that lacks an attribute.
func (c *call) wants(attr string, there bool) {
	if !there {
		refuseAs(wire.ErrRequest, "%s without the attribute %s", c.node.Op, attr)
	}
}

// exponent is the attribute p of a norm.
func (c *call) exponent() []float64 {
	c.wants("p", c.attrs.P != nil)
	if p := *c.attrs.P; !(p >= 1) {
		refuse("norm with p = %g, want p >= 1", p)
	}
	return []float64{*c.attrs.P}
}

// count is the attribute k, from 1 to n.
func (c *call) count(n int) int {
	c.wants("k", c.attrs.K != nil)
	if k := *c.attrs.K; k < 1 || k > n {
		refuse("%s adds 1 to %d entries, not %d", c.node.Op, n, k)
	}
	return *c.attrs.K
}

// largest is how many entries of a group count.
func (c *call) largest() []float64 {
	_, m := c.groups()
	return []float64{float64(c.count(m))}
}

// weights of the entries of a group.
func (c *call) weights() []float64 {
	_, m := c.groups()
	c.wants("weights", c.attrs.Weights != nil)
	switch w := c.attrs.Weights.V; {
	case len(w) != m:
		refuse("%d weights for groups of %d entries", len(w), m)
	case finite(w) >= 0:
		refuse("weight %d is %g", finite(w), w[finite(w)])
	}
	return c.attrs.Weights.V
}

func quadOverLin(c *call) *value {
	g, m := c.groups()
	x, y := c.args[0], c.args[1]
	if y.n() != g && y.n() != 1 {
		refuse("quadoverlin of %d groups over %d entries", g, y.n())
	}
	terms := 1
	if !x.affine() || !y.affine() {
		terms = m*x.terms + y.terms
	}
	c.spend(g, terms)
	parts, over := make([]dc.Expr, g), y.broadcast(g)
	for k := range parts {
		parts[k] = dc.QuadOverLin(x.array().Slice(k*m, (k+1)*m), over.At(k))
	}
	return c.array(dc.Stack(parts...), terms)
}

func quad(c *call) *value {
	n, a := c.args[0].n(), c.attrs
	if n > 0 && n > c.left.Entries/n {
		refuseAs(wire.ErrLimit, "quad with a matrix of order %d", n)
	}
	var full []float64
	switch sparse := a.Indptr != nil || a.Indices != nil || a.Data != nil; {
	case (len(c.args) == 2) == (a.Matrix != nil || sparse) || a.Matrix != nil && sparse:
		refuseAs(wire.ErrRequest, "quad wants one matrix: a second argument, the attribute matrix, "+
			"or indptr, indices and data")
	case sparse:
		c.rows(a.Indptr, a.Indices, a.Data, n, n)
		full = make([]float64, n*n)
		for i := range n {
			for k := a.Indptr.V[i]; k < a.Indptr.V[i+1]; k++ {
				full[i*n+a.Indices.V[k]] += a.Data.V[k]
			}
		}
	case a.Matrix != nil:
		full = a.Matrix.V
	case !c.args[1].isData():
		c.noSplit(errors.New("its second argument must be data"))
	default:
		full = c.args[1].data
	}
	switch k := finite(full); {
	case len(full) != n*n:
		refuse("quad of %d entries with a matrix of %d", n, len(full))
	case n == 0:
		return number([]float64{0})
	case k >= 0:
		refuse("the matrix of quad holds %g", full[k])
	}
	q, largest := mat.NewSymDense(n, nil), floats.Norm(full, math.Inf(1))
	for i := range n {
		for j := i; j < n; j++ {
			u, v := full[i*n+j], full[j*n+i]
			if math.Abs(u-v) > expr.MirrorTol*largest {
				err := problemf("the matrix of quad is not symmetric: entries (%d, %d) and (%d, %d), counted from "+
					"0, are %g and %g", i, j, j, i, u, v)
				err.Help = "take (P + P')/2"
				panic(err)
			}
			q.SetSym(i, j, u/2+v/2)
		}
	}
	return c.scalar(dc.Quad(c.ctx, c.args[0].array(), q))
}

func matFrac(c *call) *value {
	p := c.matrix(1)
	x, n := c.args[0], p.Shape()[0]
	switch shape := c.shapes[0]; {
	case len(shape) > 2 || len(shape) > 0 && shape[0] != n || len(shape) == 0 && n != 1:
		refuse("matfrac of shape %v over a matrix of order %d", shape, n)
	case x.n() == 0:
		return number([]float64{0})
	}
	return c.scalar(dc.MatFrac(x.array().Reshape(x.n()/n, n).T(), p))
}
