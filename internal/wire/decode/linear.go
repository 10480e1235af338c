package decode

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/wire"
)

// times is a product, or a quotient; of is that of functions.
func times(inverse bool, of func(x, y dc.Expr) dc.Expr) func(c *call) value {
	return func(c *call) value {
		n := c.common()
		x, y := &c.args[0], &c.args[1]
		if x.isData() && !inverse {
			x, y = y, x
		}
		if !y.isData() {
			return c.each(func(us []dc.Expr) dc.Expr { return of(us[0], us[1]) })
		}
		w := make([]float64, n)
		for k := range w {
			if w[k] = y.at(k); !inverse {
				continue
			}
			if w[k] = 1 / w[k]; y.at(k) == 0 || finite(w[k:k+1]) >= 0 {
				refuse("a division by entry %d of the divisor, %g", k, y.at(k))
			}
		}
		return c.scaled(x, w, y.deps)
	}
}

// scaled multiplies each entry by a number; deps are the parameters in these.
func (c *call) scaled(v *value, w []float64, deps []int) value {
	a, n := v.broadcast(len(w)).ScaleEach(w), len(w)
	if !v.affine() {
		c.spend(n, v.terms)
		return value{a: a, terms: v.terms}
	}
	c.multiply(n)
	if v.isData() {
		return number(a.Values(nil), union(deps, v.deps))
	}
	return value{a: a, terms: 1}
}

// sum adds its arguments, each times a factor.
func sum(c *call) value {
	n := c.common()
	w := c.attrs.Factors
	switch {
	case w == nil:
		w = slices.Repeat([]float64{1}, len(c.args))
	case len(w) != len(c.args):
		refuse("%d factors for %d arguments", len(w), len(c.args))
	}
	affine, data, terms := true, true, 0
	var deps []int
	parts := make([]dc.Expr, len(c.args))
	for i := range c.args {
		v := &c.args[i]
		affine, data = affine && v.affine(), data && v.isData()
		deps, terms = union(deps, v.deps), terms+v.terms
		parts[i] = v.broadcast(n).Scale(w[i])
		c.multiply(parts[i].NNZ() + n)
	}
	if affine {
		terms = 1
	} else {
		c.spend(n, terms)
	}
	out := c.array(parts[0].Add(parts[1:]...), terms)
	if data {
		out.data, out.deps = make([]float64, n), deps
		for i := range c.args {
			for k := range out.data {
				out.data[k] += w[i] * c.args[i].at(k)
			}
		}
	}
	return out
}

func constant(c *call) value {
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
	return number(data, nil)
}
