package factorable

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// numberedUnder are the functions that may be under terms, with their numbers in a proof.
var numberedUnder = []*atom.Reduce{atom.Norm2, atom.LogSumExp, atom.QuadOverLin, atom.KL, atom.Max}

// Underestimator is a convex function of columns: a row of numberedUnder.
type Underestimator struct {
	Of   *atom.Reduce
	Args []int
	// Cones is the function of the columns; nil for the maximum, which rows state.
	Cones convex.Representer
	Pick  *Pick // of the maximum: which of Args it is
	// Sizes are the terms that are absolute values of an argument of which the maximum has both
	// signs.
	Sizes []int
}

// Number is the number of the function in a proof.
func (u *Underestimator) Number() int { return slices.Index(numberedUnder, u.Of) }

// Largest reports whether the function is the maximum.
func (u *Underestimator) Largest() bool { return u != nil && u.Of == atom.Max }

// under bounds y times the function under a term, y > 0, by the affine function with the
// slopes at the hint and the least difference to it, which is a conjugate in closed form.
// It reports false where it has none.
func (b *bounder) under(k int, y, plain float64) bool {
	u := b.Terms[k].Under
	n := len(u.Args)
	at, s, c := make([]float64, n), make([]float64, n), 0.0
	for i, j := range u.Args {
		at[i] = Clip(b.box[j], b.d.Points[j])
	}
	// rest is the least of what y and the slopes leave of a column that is not negative.
	rest := func(j int, of Interval, slope float64) float64 {
		return of.Add(interval.Point(-slope)).Mul(meet(b.box[j], interval.New(0, math.Inf(1)))).Lo
	}
	switch last := n - 1; u.Of {
	case atom.Norm2:
		size := 0.0
		for _, v := range at {
			size = math.Hypot(size, v)
		}
		if size == 0 {
			b.take(max(0, plain))
			return true
		}
		var sq, wide Interval
		for i, j := range u.Args {
			s[i] = y * at[i] / size
			sq, wide = sq.Add(interval.Point(s[i]).Square()), wide.Add(b.box[j].Square())
		}
		// y‖a‖ − s·a ≥ −max(0, ‖s‖ − y)·‖a‖
		if over := num.AddUp(num.Up(math.Sqrt(num.Up(sq.Hi))), -y); over > 0 {
			c = -num.MulUp(over, num.Up(math.Sqrt(wide.Hi)))
		}
	case atom.LogSumExp:
		top, total := slices.Max(at), 0.0
		for i, v := range at {
			s[i] = math.Exp(v - top)
			total += s[i]
		}
		var sum, ent Interval
		for i := range s {
			s[i] *= y / total
			sum = sum.Add(interval.Point(s[i]))
			if s[i] > 0 { // −s·log(s/y)
				ent = ent.Add(around(math.Log(s[i] / y)).Mul(interval.Point(-s[i])))
			}
		}
		// Σs·lse ≥ s·a + Σs·log(Σs) − Σ s·log s; the rest y − Σs is a rounding error.
		ratio := div(sum, interval.Point(y))
		ent = ent.Add(sum.Mul(interval.New(around(math.Log(ratio.Lo)).Lo, around(math.Log(ratio.Hi)).Hi)))
		c = num.AddDown(ent.Lo, interval.Point(y).Add(sum.Neg()).Mul(b.box[b.N+k]).Lo)
	case atom.QuadOverLin:
		v, sq := at[last], Interval{}
		if !(v > 0) {
			return false
		}
		for i, a := range at[:last] {
			s[i] = 2 * y * a / v
			s[last] -= y * a * a / (v * v)
			sq = sq.Add(interval.Point(s[i]).Square())
		}
		// y‖a‖²/v − s·a ≥ −v·‖s‖²/(4y)
		c = rest(u.Args[last], div(sq, interval.Point(4*y)).Neg(), s[last])
	case atom.KL: // u·log(u/v) − u + v
		if !(at[0] > 0 && at[1] > 0) {
			return false
		}
		s[0], s[1] = y*math.Log(at[0]/at[1]), y*(1-at[0]/at[1])
		off := 1e-15 * (1 + math.Abs(s[0]/y))
		e := around(math.Exp(s[0] / y)).Mul(interval.New(1-off, 1+off))
		c = rest(u.Args[1], interval.Point(1).Add(e.Neg()).Scale(y), s[1])
	case atom.Max:
		w := b.d.Shares[b.N+k]
		total, sum := 0.0, Interval{}
		for _, v := range w {
			if v > 0 {
				total += v
			}
		}
		if !(total > 0) || math.IsInf(total, 0) {
			return false
		}
		for i, v := range w {
			if v > 0 {
				s[i] = y * (v / total)
			}
			sum = sum.Add(interval.Point(s[i]))
		}
		c = interval.Point(y).Add(sum.Neg()).Mul(b.box[b.N+k]).Lo
	}
	if !num.Finite(c) {
		return false
	}
	for i, v := range s {
		if !num.Finite(v) || v != 0 && !b.box[u.Args[i]].IsFinite() {
			return false
		}
	}
	b.take(c)
	for i, j := range u.Args {
		b.mark(j, interval.Point(s[i]))
	}
	return true
}
