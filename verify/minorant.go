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
	out.lower = math.Inf(-1)
	sum, sides := p.combined(m, cost)
	l := p.lagrangian(m, sum, at, in)
	for i := range p.rows {
		r, y := &p.rows[i], m.rows[i]
		switch side := r.sides.endOf(y); {
		case y == 0 || r.e.isConst():
		case !math.IsInf(side, 0):
			unit := rowUnit(max(largestTerm(r.e, at), math.Abs(side)))
			out.slackness += math.Abs(y) * apart(l.value(r.e), side, unit)
		case math.Abs(y) > wrongSign*m.size(): // else rounding errors
			out.wrong = r.name
		}
	}
	q := l.run()
	out.slope, out.parts, out.free = make([]float64, p.n), l.parts, make([]float64, p.n)
	slope := make([]span, p.n)
	for j := range slope {
		s := q.slope[j]
		slope[j] = s
		free := p.away(s, at.x[j], j).magnitude().hi
		if z := m.bounds[j]; m.held && m.stated[j] {
			side := p.box[j].endOf(z)
			if z == 0 || math.IsInf(side, 0) && math.Abs(z)*max(1, math.Abs(at.x[j])) <= convexTol*size { // rounding errors
				z, side = 0, 0
			} else if math.IsInf(side, 0) {
				out.wrong = "bounds"
			}
			sides = sides.plus(just(z).times(just(side)))
			out.slackness += math.Abs(z) * apart(at.x[j], side, rowUnit(max(math.Abs(at.x[j]), math.Abs(p.usual[j]))))
			slope[j] = s.plus(just(z))
			free = slope[j].magnitude().hi
		}
		out.slope[j] = slope[j].mid()
		room := at.x[j] - in[j].lo
		if out.slope[j] < 0 {
			room = in[j].hi - at.x[j]
		}
		if free*room > convexTol*size {
			out.free[j] = free
		}
	}
	curvature, rest := l.remainder(q)
	lower := below(below(q.c.lo, -sides.hi), least(in, slope, at.x, curvature))
	out.second, out.steps = make([]float64, p.n), l.steps
	for j := range out.second {
		out.second[j] = q.second[j].mid() + 2*q.form[[2]int{j, j}].plus(q.squares[[2]int{j, j}]).mid()
	}
	if out.curved = q.curved; out.curved == "" {
		out.lower = below(lower, rest)
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
	if x-p.box[j].lo <= tol {
		s.lo, s.hi = min(s.lo, 0), min(s.hi, 0)
	}
	if p.box[j].hi-x <= tol {
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
		for _, e := range [2]end{{r.sides.hi, 1}, {r.sides.lo, -1}} {
			hint := hints != nil && e.sign*hints.rows[i] > 0
			if !math.IsInf(e.side, 0) && (hint || math.Abs(v-e.side) <= near*max(1, math.Abs(e.side))) {
				w := ray()
				rows[w], signs[w] = i, e.sign
				l.descend(r.e, just(e.sign), w)
			}
		}
	}
	for j := range p.n {
		for _, e := range [2]end{{p.box[j].hi, 1}, {p.box[j].lo, -1}} {
			if math.Abs(at.x[j]-e.side) <= near*max(1, math.Abs(at.x[j])) {
				l.slope(j, just(e.sign), ray())
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
	m *multipliers, at *values, in []span, cost, size float64, enough func(lower float64) bool,
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
			x[j] = in[j].clip(x[j] - step*slope[j]/unit[j])
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
func (p *Problem) reach(cost float64) []span {
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

// enclose gives variables bounds that have none in a box: by affine functions of them whose values
// have bounds, if their matrix is shown to have an inverse. Any number may stand for the inverse.
func (f *flat) enclose(box []span) {
	free := []int{}
	for j := range f.n {
		if !box[j].finite() {
			free = append(free, j)
		}
	}
	n := len(free)
	if n == 0 || n > mostWeights {
		return
	}
	var rows [][]span
	var values []span
	for k := range f.cols {
		c := &f.cols[k]
		row, value := make([]span, n), box[f.n+k].less(c.lin.constant())
		for i, j := range c.lin.idx {
			if at, found := slices.BinarySearch(free, j); found {
				row[at] = c.lin.val[i]
			} else {
				value = value.less(c.lin.val[i].times(box[j]))
			}
		}
		if c.kind == isAffine && value.finite() && len(rows) < mostWeights {
			rows, values = append(rows, row), append(values, value)
		}
	}
	if n > len(rows) {
		return
	}
	m, weights := mat.NewDense(len(rows), n, nil), mat.NewDense(len(rows), len(rows), nil)
	for k, row := range rows {
		w := 1 / max(values[k].magnitude().hi, 1e-300)
		weights.Set(k, k, w)
		for i, v := range row {
			m.Set(k, i, w*v.mid())
		}
	}
	var inverse mat.Dense
	if inverse.Solve(m, weights) != nil {
		return
	}
	far, off := 0.0, 0.0 // x is inverse·values + (1 − inverse·rows)·x
	for i := range n {
		x, rest := span{}, make([]span, n)
		rest[i] = just(1)
		for k, row := range rows {
			w := just(inverse.At(i, k))
			x = x.plus(w.times(values[k]))
			for q, v := range row {
				rest[q] = rest[q].less(w.times(v))
			}
		}
		sum := span{}
		for _, v := range rest {
			sum = sum.plus(v.magnitude())
		}
		far, off = max(far, x.magnitude().hi), max(off, sum.hi)
	}
	if off < 1 {
		far = just(far).over(just(1).less(just(off))).hi
		for _, j := range free {
			box[j] = box[j].meet(span{-far, far})
		}
	}
}

// least bounds slope·z from below over a box. A variable without the bound that it needs may have a
// part of the quadratic form, curvature·(z − x)².
func least(box, slope []span, x, curvature []float64) (lower float64) {
	for j, s := range slope {
		at := box[j].times(s).lo
		if c := curvature[j]; math.IsInf(at, -1) && c > 0 { // s·d + c·d² is at least −s²/(4c)
			r := s.magnitude()
			at = below(s.times(just(x[j])).lo, r.times(r).over(just(-4*c)).lo)
		}
		lower = below(lower, at)
	}
	return lower
}
