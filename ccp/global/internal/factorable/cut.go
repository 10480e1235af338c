package factorable

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
)

// Cut is a function of products of variables that is nowhere positive on a box: one of
// the triangle inequalities of three variables in units of their intervals, each between
// 0 and 1, with a multiplier ≥ 0.
type Cut struct {
	Kind  int    // its place in Triangles
	Cols  [3]int // of variables
	Terms [3]int // the products of the columns 0·1, 0·2 and 1·2
	Mult  float64
	Over  [3]Interval // comes back from Bound: the intervals of Cols
}

// Triangles are the coefficients of the four inequalities of u, v, w in [0, 1]: of the variables,
// of the products of Pairs, and the constant. Padberg 1989, The Boolean quadric polytope.
var Triangles = [...]struct {
	Lin, Prod [3]float64
	Const     float64
}{
	{[3]float64{1, 1, 1}, [3]float64{-1, -1, -1}, -1}, // u + v + w − uv − uw − vw ≤ 1
	{[3]float64{-1, 0, 0}, [3]float64{1, 1, -1}, 0},   // uv + uw − u − vw ≤ 0
	{[3]float64{0, -1, 0}, [3]float64{1, -1, 1}, 0},   // uv + vw − v − uw ≤ 0
	{[3]float64{0, 0, -1}, [3]float64{-1, 1, 1}, 0},   // uw + vw − w − uv ≤ 0
}

// Pairs are the places of the factors of Cut.Terms in Cut.Cols.
var Pairs = [3][2]int{{0, 1}, {0, 2}, {1, 2}}

// Row is the cut over the columns of a box, with coefficients enclosed: u = (x − lo)/w.
func (c *Cut) Row(box []Interval) (lin, prod [3]Interval, constant Interval) {
	in := &Triangles[c.Kind]
	constant = interval.Point(in.Const)
	var lo, inv [3]Interval
	for i, j := range c.Cols {
		lo[i] = interval.Point(box[j].Lo)
		inv[i] = div(interval.Point(1), interval.Point(box[j].Hi).Add(lo[i].Neg()))
		f := inv[i].Scale(in.Lin[i])
		lin[i] = lin[i].Add(f)
		constant = constant.Add(f.Mul(lo[i]).Neg())
	}
	for n, pair := range Pairs {
		a, b := pair[0], pair[1]
		f := inv[a].Mul(inv[b]).Scale(in.Prod[n]) // f·(x − lo)(z − lo)
		prod[n] = f
		lin[a] = lin[a].Add(f.Mul(lo[b]).Neg())
		lin[b] = lin[b].Add(f.Mul(lo[a]).Neg())
		constant = constant.Add(f.Mul(lo[a]).Mul(lo[b]))
	}
	return lin, prod, constant
}

// cut adds the multiple of a cut to the Lagrangian.
func (b *bounder) cut(c *Cut) {
	if !(c.Mult > 0) || math.IsInf(c.Mult, 1) {
		return
	}
	for i, j := range c.Cols {
		c.Over[i] = b.box[j]
		if !(interval.Width(b.box[j]) > 0) || !b.box[j].IsFinite() {
			return
		}
	}
	lin, prod, constant := c.Row(b.box)
	for i, j := range c.Cols {
		b.mark(j, lin[i].Scale(c.Mult))
		b.mark(c.Terms[i], prod[i].Scale(c.Mult))
	}
	b.take(constant.Scale(c.Mult).Lo)
}
