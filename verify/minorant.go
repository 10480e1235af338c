package verify

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// minorant has the bound and the slopes of the Lagrangian, the objective plus the rows times their
// multipliers.
type minorant struct {
	lower     float64 // of the Lagrangian over the region; −Inf: none
	curved    string  // the function that is neither convex nor concave as it would have to be, "" where all are
	slope     []float64
	free      []float64 // slopes that bounds of variables do not hold; 0: it gains next to nothing
	parts     []float64 // the largest parts of the slopes
	slackness float64   // the sum of the products of multipliers and distances of their rows
	wrong     string    // a row whose multiplier has the wrong sign
	steps     int       // over expressions
	second    []float64 // the diagonal of the Hessian, as far as it is known
}

// relative is the largest of several slopes beside the sizes of their parts.
func relative(slopes, parts []float64) (worst float64) {
	for j, s := range slopes {
		if s > 0 {
			worst = max(worst, s/parts[j])
		}
	}
	return worst
}

// lagrange bounds cost·objective + Σ multiplier·row from below over a region, by slopes at a point. size is the objective's.
func (p *Problem) lagrange(m *multipliers, at *values, in []span, cost, size float64) (out minorant, err error) {
	defer catch(&err)
	sum, sides := p.combined(m, cost)
	l := p.lagrangian(m, sum, at, in)
	l.second = make([]float64, p.n)
	for i := range p.rows {
		r, y := &p.rows[i], m.rows[i]
		switch side := (span{r.lo, r.hi}).endOf(y); {
		case y == 0 || r.e.isConst():
		case !math.IsInf(side, 0):
			unit := rowUnit(max(largestTerm(r.e, at), math.Abs(side)))
			out.slackness += math.Abs(y) * apart(l.value(r.e), side, unit)
		case math.Abs(y) > wrongSign*m.size(): // else rounding errors
			out.wrong = r.name
		}
	}
	l.run()
	out.slope, out.parts, out.free = make([]float64, p.n), l.parts, make([]float64, p.n)
	for j, s := range l.slope {
		free := p.away(s, at.x[j], j).magnitude().hi
		if z := m.bounds[j]; m.held && m.stated[j] {
			side := span{p.lo[j], p.hi[j]}.endOf(z)
			if z == 0 || math.IsInf(side, 0) && math.Abs(z)*max(1, math.Abs(at.x[j])) <= convexTol*size { // rounding errors
				z, side = 0, 0
			} else if math.IsInf(side, 0) {
				out.wrong = "bounds"
			}
			sides = sides.plus(just(z).times(just(side)))
			out.slackness += math.Abs(z) * apart(at.x[j], side, rowUnit(max(math.Abs(at.x[j]), math.Abs(p.usual[j]))))
			l.slope[j] = s.plus(just(z))
			free = l.slope[j].magnitude().hi
		}
		out.slope[j] = l.slope[j].mid()
		room := at.x[j] - in[j].lo
		if out.slope[j] < 0 {
			room = in[j].hi - at.x[j]
		}
		if free*room > convexTol*size {
			out.free[j] = free
		}
	}
	curvature, rest := l.remainder()
	lower := below(below(l.c.lo, -sides.hi), least(in, l.slope, at.x, curvature))
	out.second, out.steps = l.second, l.steps
	for j := range l.second {
		l.second[j] += 2 * l.form[[2]int{j, j}].plus(l.squares[[2]int{j, j}]).mid()
	}
	out.lower, out.curved = below(lower, rest), l.curved
	if !l.convex || math.IsNaN(out.lower) {
		out.lower = math.Inf(-1)
	}
	return out, nil
}

// endOf is the end that a multiplier is of.
func (a span) endOf(y float64) float64 {
	if y < 0 {
		return a.lo
	}
	return a.hi
}

// apart is the distance of a value and a side, 0 if it is within the tolerance of feasible points.
func apart(v, side, unit float64) float64 {
	return max(0, math.Abs(v-side)-near*max(unit, math.Abs(side)))
}

// lagrangian of a sum of objective and rows.
func (p *Problem) lagrangian(m *multipliers, sum *expr, at *values, in []span) *lagrangian {
	return &lagrangian{p: p, sum: sum, x: at.x, exact: at, duals: m.duals, bounds: m.bounds, region: in}
}

// away is the part of a slope that the bounds of variable j do not hold: at a lower bound a
// positive one is held, at an upper bound a negative one.
func (p *Problem) away(s span, x float64, j int) span {
	tol := near * max(1, math.Abs(x))
	if x-p.lo[j] <= tol {
		s.lo, s.hi = min(s.lo, 0), min(s.hi, 0)
	}
	if p.hi[j]-x <= tol {
		s.lo, s.hi = max(s.lo, 0), max(s.hi, 0)
	}
	return s
}

// wrongSign is the size of multipliers of the wrong sign that are rounding errors, relative
// to the largest. Source: the tolerance of feasible points.
const wrongSign = 1e-6

// size is the largest multiplier.
func (m *multipliers) size() float64 {
	s := 0.0
	for _, y := range slices.Concat(m.rows, m.bounds) {
		s = max(s, math.Abs(y))
	}
	return s
}

// noMultipliers are all zero.
func (p *Problem) noMultipliers() *multipliers {
	return &multipliers{
		make([]float64, len(p.rows)), make([]float64, p.n), make([]bool, p.n), false, map[*expr]*mat.SymDense{},
	}
}

// estimate is the multipliers of rows and bounds that leave the smallest slope of the Lagrangian, by least squares: of those
// that hold with equality at a point, and of rows that have a multiplier in hints, which may be nil.
func (p *Problem) estimate(at *values, hints *multipliers) (m *multipliers, err error) {
	defer catch(&err)
	m = p.noMultipliers()
	cost, _ := p.combined(m, 1)
	l := p.lagrangian(m, cost, at, p.bounds())
	l.begin()
	l.descend(l.sum, just(1), 0)
	ray := func() int { return l.block(block{count: 1, ray: true}) }
	type end struct{ side, sign float64 }
	rows, signs := map[int]int{}, map[int]float64{} // by weights
	for i := range p.rows {
		r := &p.rows[i]
		if r.e.isConst() {
			continue
		}
		v := l.value(r.e)
		for _, e := range [2]end{{r.hi, 1}, {r.lo, -1}} {
			hint := hints != nil && e.sign*hints.rows[i] > 0
			if !math.IsInf(e.side, 0) && (hint || math.Abs(v-e.side) <= near*max(1, math.Abs(e.side))) {
				w := ray()
				rows[w], signs[w] = i, e.sign
				l.descend(r.e, just(e.sign), w)
			}
		}
	}
	for j := range p.n {
		for _, e := range [2]end{{p.hi[j], 1}, {p.lo[j], -1}} {
			if math.Abs(at.x[j]-e.side) <= near*max(1, math.Abs(at.x[j])) {
				l.slopes[ray()][j] = e.sign
			}
		}
	}
	if len(l.slopes) > mostWeights {
		return nil, fmt.Errorf("%w: there are too many rows", errUnchecked)
	}
	t := l.choose()
	for w, i := range rows {
		m.rows[i] += signs[w] * t[w]
	}
	return m, nil
}

// descend goes down the Lagrangian, where it is convex, until its bound is enough: any point
// gives a bound. The steps are those of Barzilai and Borwein 1988, Two-point step size
// gradient methods, in units in which the second derivatives that are known are 1. first is the minorant at the point.
func (c *checking) descend(
	m *multipliers, at *values, in []span, cost, size float64, enough func(lower float64) bool,
) (first, best minorant, err error) {
	x := slices.Clone(at.x)
	var before, slope []float64
	best.lower = math.Inf(-1)
	for k := range mostSteps {
		s, wrong := c.lagrange(m, at, in, cost, size)
		c.spent += s.steps
		if k == 0 {
			first, err = s, wrong
		}
		if wrong != nil || s.wrong != "" || math.IsInf(s.lower, -1) {
			break
		}
		if s.lower > best.lower {
			best = s
		}
		if enough(best.lower) || c.spent > mostSpent {
			break
		}
		unit := slices.Clone(s.second)
		size, known, dots, square := 0.0, true, 0.0, 0.0
		for j := range x {
			if !(unit[j] > 0) {
				unit[j], known = 1, false
			}
			size = max(size, math.Abs(s.slope[j])/unit[j])
			if before != nil {
				d, g := x[j]-before[j], s.slope[j]-slope[j]
				dots, square = dots+unit[j]*d*d, square+d*g
			}
		}
		step := dots / square
		switch {
		case before == nil && known:
			step = 1
		case !(step > 0) || math.IsInf(step, 0):
			step = 0.1 / max(size, 1e-300)
		}
		before, slope = slices.Clone(x), s.slope
		for j := range x {
			x[j] = in[j].clip(x[j] - step*slope[j]/unit[j])
		}
		at = newValues(x, false)
	}
	return first, best, err
}

// mostSteps bounds the steps of a descent, mostSpent the steps of all descents over expressions.
// Source: limits of time, some seconds.
const mostSteps, mostSpent = 50, 8_000_000
