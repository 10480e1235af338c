package problems

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// solvable draws x and complementary pairs, then chooses l, u and q for them.
func (b *coneBuilder) solvable(degenerate bool) (p *qpbackend.Problem, x, y []float64) {
	rng := b.rng
	x, y = b.gaussian(b.n), make([]float64, b.m)
	s := make([]float64, b.m)
	for _, c := range b.cones {
		at := onBoundary
		switch u := rng.Float64(); {
		case u < 0.2:
			at = inPrimal
		case u < 0.35:
			at = atApex
		}
		sc, yc := pair(rng, c, at)
		if degenerate && rng.IntN(3) == 0 {
			clear(yc)
		}
		copy(s[c.Start:], sc)
		copy(y[c.Start:], yc)
	}
	// The state of interval rows: −1 at l, 1 at u, 2 at both, 0 at none.
	side := make([]int, b.m)
	equalities := 0
	for _, i := range b.inter {
		switch u := rng.Float64(); {
		case u < 0.25 && equalities < b.n/3:
			side[i], y[i] = 2, rng.NormFloat64()
			equalities++
		case u < 0.45:
			side[i], y[i] = -1, -0.2-rng.Float64()
		case u < 0.65:
			side[i], y[i] = 1, 0.2+rng.Float64()
		}
		if degenerate && rng.IntN(3) == 0 {
			y[i] = 0
		}
	}
	for i := b.box + 1; i < b.m; i++ { // the first variable stays free to move
		if rng.IntN(8) == 0 {
			side[i] = 1 - 2*rng.IntN(2)
			y[i] = float64(side[i]) * (0.2 + rng.Float64())
		}
	}
	if !degenerate {
		b.makeRoom(side)
	}
	p = b.problem(RandomPSD(rng, b.n, b.spec.Rank, b.spec.Density))
	z := b.times(x)
	for _, c := range b.cones {
		for i := c.Start; i < c.Start+c.Len; i++ {
			p.L[i], p.U[i] = z[i]-s[i], 0
		}
	}
	for _, i := range b.intervals() {
		l, u := z[i]-0.5-rng.Float64(), z[i]+0.5+rng.Float64()
		if i < b.box && side[i] != 1 && rng.IntN(2) == 0 {
			u = Inf()
		}
		if i < b.box && side[i] == 1 && rng.IntN(2) == 0 {
			l = -Inf()
		}
		switch side[i] {
		case -1:
			l = z[i]
		case 1:
			u = z[i]
		case 2:
			l, u = z[i], z[i]
		}
		p.L[i], p.U[i] = l, u
	}
	p.R = rng.NormFloat64()
	p.Q = stationary(p, x, y)
	return p, x, y
}

// intervals are all rows outside of the cones.
func (b *coneBuilder) intervals() []int {
	all := slices.Clone(b.inter)
	for i := b.box; i < b.m; i++ {
		all = append(all, i)
	}
	return all
}

// makeRoom lets the first variable lead from any optimal point to the inside of
// all cones and inequalities.
func (b *coneBuilder) makeRoom(side []int) {
	for _, c := range b.cones {
		for i, e := range InsidePoint(b.rng, c) {
			b.set(c.Start+i, 0, e)
		}
	}
	for _, i := range b.inter {
		if side[i] == 0 {
			continue
		}
		v := 0.0
		if side[i] != 2 {
			v = -float64(side[i]) * (0.3 + b.rng.Float64())
		}
		b.set(i, 0, v)
	}
}

// primalInfeasible makes Aᵀy = 0 for a y inside the polars, and l for which the
// support value of y is −1. The dual has points strictly inside.
func (b *coneBuilder) primalInfeasible() *qpbackend.Problem {
	rng := b.rng
	y := make([]float64, b.m)
	for _, c := range b.cones {
		copy(y[c.Start:], polarPoint(rng, c))
	}
	for _, i := range b.inter {
		if len(b.cones) == 0 || rng.IntN(2) == 0 {
			y[i] = rng.NormFloat64()
		}
	}
	top := num.NormInf(y)
	var strong []int // rows with a large multiplier
	for i, v := range y {
		if math.Abs(v) > top/4 {
			strong = append(strong, i)
		}
	}
	sum := make([]float64, b.n)
	at := make([]int, b.n)
	for j := range at {
		at[j] = strong[rng.IntN(len(strong))]
		b.set(at[j], j, 0)
	}
	for i, row := range b.rows {
		for _, e := range row {
			sum[e.j] += y[i] * e.v
		}
	}
	for j, i := range at {
		b.set(i, j, -sum[j]/y[i])
	}
	p := b.problem(RandomPSD(rng, b.n, b.spec.Rank, b.spec.Density))
	s, yy := 0.0, 0.0
	for _, c := range b.cones {
		for i := c.Start; i < c.Start+c.Len; i++ {
			p.L[i], p.U[i] = rng.NormFloat64(), 0
			s, yy = s+y[i]*p.L[i], yy+y[i]*y[i]
		}
	}
	for _, i := range b.intervals() {
		p.L[i], p.U[i] = -1-rng.Float64(), 1+rng.Float64()
		switch {
		case y[i] > 0:
			s += y[i] * p.U[i]
			p.L[i] = -Inf()
		case y[i] < 0:
			s += y[i] * p.L[i]
			p.U[i] = Inf()
		}
	}
	for _, c := range b.cones {
		for i := c.Start; i < c.Start+c.Len; i++ {
			p.L[i] -= (s + 1) / yy * y[i]
		}
	}
	if len(b.cones) == 0 {
		yy = num.Dot(y, y)
		for i, v := range y { // one of the two is infinite
			p.L[i] -= (s + 1) / yy * v
			p.U[i] -= (s + 1) / yy * v
		}
	}
	for _, c := range b.cones {
		copy(y[c.Start:], polarPoint(rng, c))
	}
	p.Q = stationary(p, b.gaussian(b.n), y)
	return p
}

// dualInfeasible makes Pd = 0, qᵀd = −1 and Ad inside the cones for a direction
// d, and l and u for which there are points strictly inside.
func (b *coneBuilder) dualInfeasible() (p *qpbackend.Problem, d []float64) {
	rng := b.rng
	// Powers of two make sums that must vanish do so without rounding: to a
	// solver that rounds better, the problem would be bounded, far out.
	d = make([]float64, b.n)
	x := b.gaussian(b.n)
	for j := range d {
		d[j] = math.Ldexp(float64(1-2*rng.IntN(2)), rng.IntN(3)-1)
	}
	want := make([]float64, b.m)
	for _, c := range b.cones {
		copy(want[c.Start:], InsidePoint(rng, c))
	}
	for _, i := range b.inter {
		if want[i] = float64(rng.IntN(3) - 1); want[i] == 0 { // an interval
			b.rows[i] = b.across(d)
		}
	}
	ad := b.times(d)
	for i := range b.rows {
		if e := &b.rows[i][0]; want[i] != ad[i] {
			e.v += (want[i] - ad[i]) / d[e.j]
		}
	}
	p = b.problem(b.flatAlong(d))
	z := b.times(x)
	for _, c := range b.cones {
		for i, e := range InsidePoint(rng, c) {
			p.L[c.Start+i], p.U[c.Start+i] = z[c.Start+i]-e, 0
		}
	}
	for _, i := range b.inter {
		if want[i] <= 0 {
			p.U[i] = z[i] + 0.2 + rng.Float64()
		}
		if want[i] >= 0 {
			p.L[i] = z[i] - 0.2 - rng.Float64()
		}
	}
	p.Q = b.gaussian(b.n)
	fall := (num.Dot(p.Q, d) + 1) / num.Dot(d, d)
	for j := range p.Q {
		p.Q[j] -= fall * d[j]
	}
	return p, d
}

// across is a row that is zero along d: one of two entries, or a stored zero.
func (b *coneBuilder) across(d []float64) []entry {
	i, j := b.rng.IntN(b.n), b.rng.IntN(b.n)
	if i == j {
		return []entry{{i, 0}}
	}
	v := b.rng.NormFloat64()
	return []entry{{i, v * d[j]}, {j, -v * d[i]}}
}

// flatAlong is a P with Pd = 0: a sum of squares of pairs of variables.
func (b *coneBuilder) flatAlong(d []float64) *sparse.CSC {
	var t sparse.Triplets
	for range b.spec.Rank {
		i, j := b.rng.IntN(b.n), b.rng.IntN(b.n)
		if i == j {
			continue
		}
		i, j = min(i, j), max(i, j)
		v := float64(1+b.rng.IntN(15)) / 16 // few digits, so that their sums are exact
		t.Add(i, i, v*d[j]*d[j])
		t.Add(i, j, -v*d[i]*d[j])
		t.Add(j, j, v*d[i]*d[i])
	}
	p, _ := t.CSC(b.n, b.n)
	return p
}
