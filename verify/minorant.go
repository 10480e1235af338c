package verify

import (
	"fmt"
	"math"
	"slices"
)

// minorant is what multipliers show of the Lagrangian, the objective plus the rows times their multipliers.
type minorant struct {
	lower     float64 // of the Lagrangian over the region; −Inf: none
	curved    string  // the function that is neither convex nor concave as it would have to be, "" where all are
	slope     []float64
	residual  float64 // the largest slope that bounds of variables do not hold
	relative  float64 // the same, beside the parts of the slope; those that gain next to nothing do not count
	unmatched float64 // the largest difference of a slope and the stated multiplier of a bound, in the same way
	slackness float64 // the largest product of a multiplier and the distance of its row
	wrong     string  // a row whose multiplier has the wrong sign
	second    []float64
}

// slopesAt says where the Lagrangian has its slopes.
type slopesAt uint8

const (
	atPoint   slopesAt = iota
	besideIt           // or beside the point, at squares
	withBends          // at the point, with curvatures
)

// lagrange bounds cost·objective + Σ multiplier·row from below over a region, by slopes at x. size is the unit of the
// objective.
func (p *Problem) lagrange(m *multipliers, at *values, in *reachable, cost, size float64, how slopesAt) (out minorant, err error) {
	defer func() {
		if wrong := caught(recover()); wrong != nil {
			err = wrong
		}
	}()
	l := p.lagrangian(m, at, in, cost)
	l.spread = how == besideIt
	if how == withBends {
		l.second = make([]float64, p.n)
	}
	sides, largest := span{}, m.size()
	for i := range p.rows {
		r, y := &p.rows[i], m.rows[i]
		if y == 0 || r.e.isConst() {
			continue
		}
		side := r.sideOf(y)
		if math.IsInf(side, 0) { // rounding errors, or an error
			if math.Abs(y) > wrongSign*largest {
				out.wrong = r.name
			}
			continue
		}
		l.at = append(l.at, term{r.e, y})
		sides = sides.less(just(y).times(just(side)))
	}
	l.run()
	for i := range p.rows {
		r, y := &p.rows[i], m.rows[i]
		if side := r.sideOf(y); y != 0 && !r.e.isConst() && !math.IsInf(side, 0) {
			out.slackness = max(out.slackness, math.Abs(y)*math.Abs(l.value(r.e)-side))
		}
	}
	curvature, rest := l.remainder()
	lower := below(below(l.c.lo, sides.lo), in.least(l.slope, at.x, curvature, in.spanned(p, m)))
	out.slope = make([]float64, p.n)
	for j := range p.n {
		s, z := l.slope[j], m.bounds[j]
		out.slope[j] = s.mid()
		free := p.away(s, at.x[j], j)
		out.residual = max(out.residual, free)
		reach := max(1, math.Abs(at.x[j]))
		if w := p.hi[j] - p.lo[j]; w < reach {
			reach = w
		}
		little := convexTol * size / reach
		if free > little {
			out.relative = max(out.relative, free/l.parts[j])
		}
		d := s.plus(just(z)).magnitude().hi
		if l.edge[j] && math.Abs(z) <= s.magnitude().hi && z*s.mid() <= 0 { // the end of the domain holds the rest
			d = 0
		}
		if m.stated[j] && d > little {
			out.unmatched = max(out.unmatched, d/max(l.parts[j], math.Abs(z)))
		}
	}
	if out.second = l.second; l.second != nil {
		for j := range l.second {
			l.second[j] += 2 * l.form[[2]int{j, j}].mid()
		}
	}
	out.lower, out.curved = below(lower, rest), l.curved
	if !l.convex || math.IsNaN(out.lower) {
		out.lower = math.Inf(-1)
	}
	return out, nil
}

// sideOf is the end of a row that a multiplier is of.
func (r *row) sideOf(y float64) float64 {
	if y < 0 {
		return r.lo
	}
	return r.hi
}

// lagrangian of the objective alone.
func (p *Problem) lagrangian(m *multipliers, at *values, in *reachable, cost float64) *lagrangian {
	l := &lagrangian{p: p, x: at.x, exact: at, duals: m.duals, bounds: m.bounds, region: in.box}
	if cost != 0 {
		l.at = append(l.at, term{p.objective, p.cost(cost)})
	}
	return l
}

// away is the size of a slope that the bounds of variable j do not hold: at a lower bound a
// positive one is held, at an upper bound a negative one.
func (p *Problem) away(s span, x float64, j int) float64 {
	tol := near * max(1, math.Abs(x))
	if x-p.lo[j] <= tol {
		s.lo, s.hi = min(s.lo, 0), min(s.hi, 0)
	}
	if p.hi[j]-x <= tol {
		s.lo, s.hi = max(s.lo, 0), max(s.hi, 0)
	}
	return s.magnitude().hi
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
	return &multipliers{rows: make([]float64, len(p.rows)), bounds: make([]float64, p.n), stated: make([]bool, p.n), duals: newDuals()}
}

// estimate is the multipliers of rows and bounds that hold with equality at a point which leave the smallest slope of the
// Lagrangian, by least squares.
func (p *Problem) estimate(at *values) (m *multipliers, err error) {
	defer func() {
		if wrong := caught(recover()); wrong != nil {
			err = wrong
		}
	}()
	m = p.noMultipliers()
	l := p.lagrangian(m, at, &reachable{box: p.bounds()}, 1)
	l.begin()
	l.pass()
	ray := func() int {
		w := len(l.slopes)
		l.blocks = append(l.blocks, block{first: w, count: 1, ray: true})
		l.slopes = append(l.slopes, map[int]float64{})
		return w
	}
	rows := map[int]float64{} // by weights, the sign
	of := map[int]int{}
	for i := range p.rows {
		r := &p.rows[i]
		if r.e.isConst() {
			continue
		}
		v := l.value(r.e)
		for side, sign := range map[float64]float64{r.hi: 1, r.lo: -1} {
			if math.Abs(v-side) <= near*max(1, math.Abs(side)) {
				w := ray()
				rows[w], of[w] = sign, i
				l.descend(r.e, just(sign), w)
			}
		}
		if r.lo == r.hi && math.Abs(v-r.hi) <= near*max(1, math.Abs(r.hi)) { // the map above has one of them
			w := ray()
			rows[w], of[w] = -1, i
			l.descend(r.e, just(-1), w)
		}
	}
	for j := range p.n {
		if tol := near * max(1, math.Abs(at.x[j])); at.x[j]-p.lo[j] <= tol {
			l.slopes[ray()][j] = -1
		}
		if tol := near * max(1, math.Abs(at.x[j])); p.hi[j]-at.x[j] <= tol {
			l.slopes[ray()][j] = 1
		}
	}
	if len(l.slopes) > mostWeights {
		return nil, fmt.Errorf("%w: there are too many rows", errUnchecked)
	}
	t := l.choose()
	for w, sign := range rows {
		m.rows[of[w]] += sign * t[w]
	}
	return m, nil
}

// descend goes down the Lagrangian, where it is convex, until its bound is enough: any point
// gives a bound. The steps are those of Barzilai and Borwein 1988, Two-point step size
// gradient methods, in units in which the second derivatives that are known are 1.
func (p *Problem) descend(m *multipliers, start []float64, in *reachable, cost, size float64, enough func(lower float64) bool) (best float64) {
	x := slices.Clone(start)
	for j := range x {
		x[j] = in.box[j].clip(x[j])
	}
	var before, slope []float64
	best = math.Inf(-1)
	for range mostSteps {
		s, err := p.lagrange(m, newValues(x, false), in, cost, size, withBends)
		if err != nil || s.wrong != "" || math.IsInf(s.lower, -1) {
			break
		}
		if best = max(best, s.lower); enough(best) {
			break
		}
		unit := s.second
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
			x[j] = in.box[j].clip(x[j] - step*slope[j]/unit[j])
		}
	}
	return best
}

// mostSteps bounds the steps. Source: a limit of time.
const mostSteps = 50
