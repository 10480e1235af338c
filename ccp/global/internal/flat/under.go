package flat

import (
	"math"

	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Kind is a convex function of several columns.
type Kind uint8

// The functions.
const (
	Norm2      Kind = iota // the Euclidean norm
	LogSumExp              // log Σ exp
	SquareOver             // ‖the others‖² by the last
	Divergence             // u·log(u/v) − u + v
	Largest                // the maximum
)

// kinds are their rows.
var kinds = [...]*atom.Reduce{
	Norm2: atom.Norm2, LogSumExp: atom.LogSumExp, SquareOver: atom.QuadOverLin, Divergence: atom.KL, Largest: atom.Max,
}

// Under is a convex function of columns.
type Under struct {
	Kind Kind
	Args []int
	Pick *Pick // of Largest: which of Args it is
	// Sizes are the terms that are absolute values of an argument of which Largest has both signs.
	Sizes []int
}

// under bounds y times the function under a term, y > 0, by the affine function with the
// slopes at the hint and the least difference to it, which is a conjugate in closed form.
// It reports false where it has none.
func (b *bounder) under(k int, y, plain float64) bool {
	u := b.Terms[k].Under
	at := func(i int) float64 { return Clip(b.box[u.Args[i]], b.d.Points[u.Args[i]]) }
	n := len(u.Args)
	s := make([]float64, n)
	c := 0.0
	switch u.Kind {
	case Norm2:
		size := 0.0
		for i := range n {
			size = math.Hypot(size, at(i))
		}
		if size == 0 {
			b.take(max(0, plain))
			return true
		}
		sq, wide := Interval{}, Interval{}
		for i, j := range u.Args {
			s[i] = y * at(i) / size
			sq = sq.Add(interval.New(num.MulDown(s[i], s[i]), num.MulUp(s[i], s[i])))
			a := b.box[j].Abs()
			wide = wide.Add(interval.New(0, num.MulUp(a.Hi, a.Hi)))
		}
		// y‖a‖ − s·a ≥ −max(0, ‖s‖ − y)·‖a‖
		if over := num.AddUp(num.Up(math.Sqrt(num.Up(sq.Hi))), -y); over > 0 {
			c = -num.MulUp(over, num.Up(math.Sqrt(wide.Hi)))
		}
	case LogSumExp:
		top := math.Inf(-1)
		for i := range n {
			top = max(top, at(i))
		}
		total := 0.0
		for i := range n {
			s[i] = math.Exp(at(i) - top)
			total += s[i]
		}
		sum, ent := Interval{}, Interval{}
		for i := range n {
			s[i] *= y / total
			sum = sum.Add(interval.Point(s[i]))
			if s[i] > 0 { // −s·log(s/y)
				ent = ent.Add(around(math.Log(s[i] / y)).Mul(interval.Point(-s[i])))
			}
		}
		// Σs·lse ≥ s·a + Σs·log(Σs) − Σ s·log s; the rest y − Σs is a rounding error.
		rest := interval.Point(y).Add(sum.Neg()).Mul(b.box[b.N+k]).Lo
		ratio := div(sum, interval.Point(y))
		ent = ent.Add(sum.Mul(interval.New(around(math.Log(ratio.Lo)).Lo, around(math.Log(ratio.Hi)).Hi)))
		c = num.AddDown(ent.Lo, rest)
	case SquareOver:
		last := n - 1
		v := at(last)
		if !(v > 0) {
			return false
		}
		sq := Interval{}
		exact := 0.0
		for i := range last {
			s[i] = 2 * y * at(i) / v
			exact += y * at(i) * at(i) / (v * v)
			sq = sq.Add(interval.New(num.MulDown(s[i], s[i]), num.MulUp(s[i], s[i])))
		}
		s[last] = -exact
		// y‖a‖²/v − s·a ≥ −v·‖s‖²/(4y)
		rest := div(sq, interval.Point(4*y)).Neg().Add(interval.Point(s[last]).Neg())
		c = rest.Mul(meet(b.box[u.Args[last]], interval.New(0, math.Inf(1)))).Lo
	case Divergence:
		p, q := at(0), at(1)
		if !(p > 0 && q > 0) {
			return false
		}
		s[0] = y * math.Log(p/q)
		e := around(math.Exp(s[0] / y))
		e = e.Mul(interval.New(1-1e-15*(1+math.Abs(s[0]/y)), 1+1e-15*(1+math.Abs(s[0]/y))))
		s[1] = y * (1 - p/q)
		rest := interval.Point(1).Add(e.Neg()).Scale(y).Add(interval.Point(s[1]).Neg())
		c = rest.Mul(meet(b.box[u.Args[1]], interval.New(0, math.Inf(1)))).Lo
	case Largest:
		w := b.d.Shares[b.N+k]
		total := 0.0
		for i := range min(n, len(w)) {
			if w[i] > 0 {
				total += w[i]
			}
		}
		if !(total > 0) || math.IsInf(total, 0) {
			return false
		}
		sum := Interval{}
		for i := range n {
			if w[i] > 0 {
				s[i] = y * (w[i] / total)
			}
			sum = sum.Add(interval.Point(s[i]))
		}
		c = interval.Point(y).Add(sum.Neg()).Mul(b.box[b.N+k]).Lo
	}
	if math.IsInf(c, 0) || math.IsNaN(c) {
		return false
	}
	for i, v := range s {
		if math.IsInf(v, 0) || math.IsNaN(v) || v != 0 && !b.box[u.Args[i]].IsFinite() {
			return false
		}
	}
	b.take(c)
	for i, j := range u.Args {
		b.y[j] = b.y[j].Add(interval.Point(s[i]))
	}
	return true
}
