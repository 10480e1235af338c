package verify

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/verify/internal/safe"
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

// lagrange bounds cost·objective + Σ multiplier·row from below over a region, by slopes at a point;
// size is the size of the objective.
func (p *Problem) lagrange(m *multipliers, at *values, in []safe.Span, cost, size float64) (out minorant, err error) {
	defer safe.Catch(&err)
	out.lower = math.Inf(-1)
	sum, sides := p.combined(m, cost)
	l := p.lagrangian(m, sum, at, in)
	for i := range p.rows {
		r, y := &p.rows[i], m.rows[i]
		switch side := r.sides.EndOf(y); {
		case y == 0 || r.e.isConst():
		case !math.IsInf(side, 0):
			out.slackness += math.Abs(y) * apart(l.value(r.e), side, r.unit(at, side))
		case math.Abs(y) > wrongSign*m.size(): // else rounding errors
			out.wrong = r.name
		}
	}
	q := l.run()
	out.slope, out.parts, out.free = make([]float64, p.n), l.parts, make([]float64, p.n)
	slope := make([]safe.Span, p.n)
	for j := range slope {
		s := q.slope[j]
		slope[j] = s
		free := p.away(s, at.x[j], j).Magnitude().Hi
		if z := m.bounds[j]; m.held && m.stated[j] {
			side := p.box[j].EndOf(z)
			noise := math.Abs(z)*max(1, math.Abs(at.x[j])) <= convexTol*size // rounding errors
			if z == 0 || math.IsInf(side, 0) && noise {
				z, side = 0, 0
			} else if math.IsInf(side, 0) {
				out.wrong = "bounds"
			}
			sides = sides.Plus(safe.Just(z).Times(safe.Just(side)))
			out.slackness += math.Abs(z) * apart(at.x[j], side, rowUnit(max(math.Abs(at.x[j]), math.Abs(p.usual[j]))))
			slope[j] = s.Plus(safe.Just(z))
			free = slope[j].Magnitude().Hi
		}
		out.slope[j] = slope[j].Mid()
		room := at.x[j] - in[j].Lo
		if out.slope[j] < 0 {
			room = in[j].Hi - at.x[j]
		}
		if free*room > convexTol*size {
			out.free[j] = free
		}
	}
	curvature, rest := l.remainder(q)
	lower := safe.Below(safe.Below(q.c.Lo, -sides.Hi), least(in, slope, at.x, curvature))
	out.second, out.steps = make([]float64, p.n), l.steps
	for j := range out.second {
		out.second[j] = q.second[j].Mid() + 2*q.form[[2]int{j, j}].Plus(q.squares[[2]int{j, j}]).Mid()
	}
	if out.curved = q.curved; out.curved == "" {
		out.lower = safe.Below(lower, rest)
	}
	return out, nil
}

// apart is the distance of a value and a side, 0 if it is within the tolerance of feasible points.
func apart(v, side, unit float64) float64 {
	return max(0, math.Abs(v-side)-near*max(unit, math.Abs(side)))
}

// lagrangian of a sum of objective and rows.
func (p *Problem) lagrangian(m *multipliers, sum *expr, at *values, in []safe.Span) *lagrangian {
	return &lagrangian{p: p, sum: sum, x: at.x, exact: at, duals: m.duals, bounds: m.bounds, region: in}
}

// away is the part of a slope that the bounds of variable j do not hold: at a lower bound a
// positive one is held, at an upper bound a negative one.
func (p *Problem) away(s safe.Span, x float64, j int) safe.Span {
	tol := near * max(1, math.Abs(x))
	if x-p.box[j].Lo <= tol {
		s.Lo, s.Hi = min(s.Lo, 0), min(s.Hi, 0)
	}
	if p.box[j].Hi-x <= tol {
		s.Lo, s.Hi = max(s.Lo, 0), max(s.Hi, 0)
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

// estimate is the multipliers of rows and bounds that leave the smallest slope of the Lagrangian,
// by least squares: of those that hold with equality at a point, and of rows that have a multiplier
// in hints, which may be nil.
func (p *Problem) estimate(at *values, hints *multipliers) (m *multipliers, err error) {
	defer safe.Catch(&err)
	m = p.noMultipliers()
	cost, _ := p.combined(m, 1)
	l := p.lagrangian(m, cost, at, p.box)
	l.begin()
	ray := func() int { return l.block(block{count: 1, ray: true}) }
	type end struct{ side, sign float64 }
	rows, signs := map[int]int{}, map[int]float64{} // by weights
	for i := range p.rows {
		r := &p.rows[i]
		if r.e.isConst() {
			continue
		}
		v := l.value(r.e)
		for _, e := range [2]end{{r.sides.Hi, 1}, {r.sides.Lo, -1}} {
			hint := hints != nil && e.sign*hints.rows[i] > 0
			if !math.IsInf(e.side, 0) && (hint || math.Abs(v-e.side) <= near*max(1, math.Abs(e.side))) {
				w := ray()
				rows[w], signs[w] = i, e.sign
				l.descend(r.e, safe.Just(e.sign), w)
			}
		}
	}
	for j := range p.n {
		for _, e := range [2]end{{p.box[j].Hi, 1}, {p.box[j].Lo, -1}} {
			if math.Abs(at.x[j]-e.side) <= near*max(1, math.Abs(at.x[j])) {
				l.slope(j, safe.Just(e.sign), ray())
			}
		}
	}
	if len(l.shares) > mostWeights {
		return nil, fmt.Errorf("%w: there are too many rows", errUnchecked)
	}
	t := l.choose()
	for w, i := range rows {
		m.rows[i] += signs[w] * t[w]
	}
	return m, nil
}

// descend is the minorant at a point, with the best bound of several points, as any point gives
// one: it goes down the Lagrangian, where it is convex, until its bound is enough. The steps are
// those of Barzilai and Borwein 1988, Two-point step size gradient methods, in units in which the
// second derivatives that are known are 1.
func (c *checking) descend(
	m *multipliers, at *values, in []safe.Span, cost, size float64, enough func(lower float64) bool,
) (out minorant, err error) {
	out, err = c.lagrange(m, at, in, cost, size)
	x, s, wrong := slices.Clone(at.x), out, err
	var before, slope []float64
	for range mostSteps {
		if c.spent += s.steps; wrong != nil || s.wrong != "" || math.IsInf(s.lower, -1) {
			break
		}
		if out.lower = max(out.lower, s.lower); enough(out.lower) || c.spent > mostSpent {
			break
		}
		unit := slices.Clone(s.second)
		steep, known, dots, square := 0.0, true, 0.0, 0.0
		for j := range x {
			if !(unit[j] > 0) {
				unit[j], known = 1, false
			}
			steep = max(steep, math.Abs(s.slope[j])/unit[j])
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
			step = 0.1 / max(steep, 1e-300)
		}
		before, slope = slices.Clone(x), s.slope
		for j := range x {
			x[j] = in[j].Clip(x[j] - step*slope[j]/unit[j])
		}
		s, wrong = c.lagrange(m, newValues(x, false), in, cost, size)
	}
	return out, err
}

// mostSteps bounds the steps of a descent, mostSpent the steps of all descents over expressions.
// Source: limits of time, some seconds.
const mostSteps, mostSpent = 50, 8_000_000

// reach is a box that has all points with a cost of at most a number: the bounds of the variables,
// as rows and objective narrow them.
func (p *Problem) reach(cost float64) []safe.Span {
	f, err := flatten(p, p.box)
	if err != nil {
		return slices.Clone(p.box)
	}
	box := slices.Clone(f.box)
	if !f.narrow(box, cost, firstRounds, progress) {
		return slices.Clone(p.box) // there are no such points, up to rounding errors
	}
	f.enclose(box)
	return box[:p.n:p.n]
}

// least bounds slope·z from below over a box. A variable without the bound that it needs may have a
// part of the quadratic form, curvature·(z − x)².
func least(box, slope []safe.Span, x, curvature []float64) (lower float64) {
	for j, s := range slope {
		at := box[j].Times(s).Lo
		if c := curvature[j]; math.IsInf(at, -1) && c > 0 { // s·d + c·d² is at least −s²/(4c)
			r := s.Magnitude()
			at = safe.Below(s.Times(safe.Just(x[j])).Lo, r.Times(r).Over(safe.Just(-4*c)).Lo)
		}
		lower = safe.Below(lower, at)
	}
	return lower
}
