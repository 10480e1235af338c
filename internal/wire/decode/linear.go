package decode

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/wire"
)

// times is a product, or a quotient; of is that of functions.
func times(inverse bool, of func(x, y dc.Expr) dc.Expr) func(c *call) *value {
	return func(c *call) *value {
		n, x, y := c.common(), c.args[0], c.args[1]
		if x.isData() && !inverse {
			x, y = y, x
		}
		if !y.isData() {
			return c.each(func(us []dc.Expr) dc.Expr { return of(us[0], us[1]) })
		}
		w := spread(y.data, n)
		for k, v := range w {
			if w[k] = 1 / v; !inverse {
				w[k] = v
			} else if v == 0 || finite(w[k:k+1]) >= 0 {
				refuse("a division by entry %d of the divisor, %g", k, v)
			}
		}
		a, terms := x.broadcast(n).ScaleEach(w), 1
		switch {
		case !x.affine():
			terms = x.terms
			c.spend(n, terms)
		case x.isData():
			return number(a.Values(nil))
		}
		c.multiply(n)
		return &value{all: a, terms: terms}
	}
}

// sum adds its arguments, each times a factor.
func sum(c *call) *value {
	n, w := c.common(), c.attrs.Factors
	switch {
	case w == nil:
		w = slices.Repeat([]float64{1}, len(c.args))
	case len(w) != len(c.args):
		refuse("%d factors for %d arguments", len(w), len(c.args))
	}
	affine, terms := true, 0
	for _, v := range c.args {
		affine, terms = affine && v.affine(), terms+v.terms
	}
	c.multiply(n * len(c.args))
	add := func() dc.Expr {
		parts := make([]dc.Expr, len(c.args))
		for i, v := range c.args {
			parts[i] = v.broadcast(n).Scale(w[i])
			c.multiply(parts[i].NNZ())
		}
		return parts[0].Add(parts[1:]...)
	}
	switch {
	case c.data:
		out := make([]float64, n)
		for i, v := range c.args {
			for k := range out {
				out[k] += w[i] * v.at(k, 0)
			}
		}
		return c.dependent(out, add)
	case affine:
		return c.array(add(), 1)
	default:
		c.spend(n, terms)
		return c.array(add(), terms)
	}
}

func constant(c *call) *value {
	var given []float64
	switch d, v := c.attrs.Data, c.attrs.Value; {
	case (d == nil) == (v == nil):
		refuseAs(wire.ErrRequest, "const wants one of the attributes data and value")
	case v != nil:
		given = []float64{*v}
	default:
		given = d.V
	}
	data := fitted("data", given, c.n)
	if k := slices.IndexFunc(data, func(v float64) bool { return math.IsNaN(v) }); k >= 0 {
		refuse("entry %d is NaN", k)
	}
	return number(data)
}
