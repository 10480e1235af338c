package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// multipliers are those of a result, by rows and variables: of lo ≤ e ≤ hi the number is
// positive where hi holds and negative where lo does.
type multipliers struct {
	rows   []float64
	bounds []float64
	duals  map[*expr]*mat.SymDense
}

// multipliers reads those of a result. The error says what does not fit.
func (p *Problem) multipliers(r *Result) (*multipliers, error) {
	if r.Duals == nil {
		return nil, errors.New("the result has none")
	}
	if p.twice {
		return nil, fmt.Errorf("%w: those of matrices of complex numbers", errUnchecked)
	}
	m := &multipliers{rows: make([]float64, len(p.rows)), bounds: make([]float64, p.n), duals: map[*expr]*mat.SymDense{}}
	for _, v := range p.vars {
		raw, ok := r.BoundDuals[v.name]
		if !ok {
			continue
		}
		flat, err := numbersOf(raw)
		if err != nil || len(flat) != len(v.at) {
			return nil, fmt.Errorf("the multipliers of the bounds of %s are not %d numbers", v.name, len(v.at))
		}
		for k, j := range v.at { // complex variables have none
			m.bounds[j] = flat[k]
		}
	}
	families := map[string][]*row{}
	var names []string
	at := map[*row]int{} // of p.rows
	all := make([]*row, 0, len(p.rows)+len(p.free))
	for i := range p.rows {
		at[&p.rows[i]] = i
		all = append(all, &p.rows[i])
	}
	for i := range p.free {
		all = append(all, &p.free[i])
	}
	for _, r := range all {
		if _, ok := families[r.from.family]; !ok {
			names = append(names, r.from.family)
		}
		families[r.from.family] = append(families[r.from.family], r)
	}
	for _, name := range names {
		rows := families[name]
		raw, ok := r.Duals[name]
		if parts := partsOf(raw); parts != nil { // of equations of complex numbers
			for imaginary, key := range map[bool]string{false: "re", true: "im"} {
				some := slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.from.imaginary != imaginary })
				if err := m.family(name, some, parts[key], at); err != nil {
					return nil, err
				}
			}
			continue
		}
		rows = slices.DeleteFunc(rows, func(r *row) bool { return r.from.imaginary }) // 0 everywhere, as there is no multiplier
		if !ok {
			if !slices.ContainsFunc(rows, (*row).bounds) { // left out, as it holds or fails by itself
				continue
			}
			return nil, fmt.Errorf("the result has none of %s", name)
		}
		if err := m.family(name, rows, raw, at); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// partsOf is the parts of complex multipliers, nil of real ones.
func partsOf(raw json.RawMessage) map[string]json.RawMessage {
	var parts map[string]json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	return parts
}

// family gives the numbers of a family to its rows.
func (m *multipliers) family(name string, rows []*row, raw json.RawMessage, at map[*row]int) error {
	flat, err := numbersOf(raw)
	if err != nil {
		return fmt.Errorf("those of %s are no numbers", name)
	}
	members := map[int]bool{} // that bound something
	for _, r := range rows {
		members[r.from.member] = members[r.from.member] || r.bounds()
	}
	some := slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return !members[r.from.member] })
	if !m.share(rows, flat, at) && !m.share(some, flat, at) {
		return fmt.Errorf("those of %s are %d numbers, which do not fit", name, len(flat))
	}
	return nil
}

// bounds: the row says something about variables.
func (r *row) bounds() bool {
	return !r.e.isConst() && !(math.IsInf(r.lo, -1) && math.IsInf(r.hi, 1))
}

func numbersOf(raw json.RawMessage) ([]float64, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	return flattenJSON(v, nil)
}

// share gives the numbers of a family to its rows, member by member. Of a chain of affine
// functions between constants an entry has one number, and of one between functions each
// relation has its array; otherwise the numbers of an entry stand together, two of an
// equation that is not affine. It reports whether the numbers fit.
func (m *multipliers) share(rows []*row, flat []float64, at map[*row]int) bool {
	take := func(n int) []float64 {
		if n > len(flat) {
			return nil
		}
		out := flat[:n]
		flat = flat[n:]
		return out
	}
	set := func(r *row, y float64) {
		if i, ok := at[r]; ok {
			m.rows[i] = y
		}
	}
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].from.member == rows[0].from.member {
			n++
		}
		member := slices.Clone(rows[:n])
		rows = rows[n:]
		straight := !slices.ContainsFunc(member, func(r *row) bool {
			_, ok := affine(r.e)
			return !ok
		})
		entries := map[int]*expr{}
		fixed := true // each entry is one function between constants
		for _, r := range member {
			e, ok := entries[r.from.entry]
			fixed = fixed && (!ok || e == r.e)
			entries[r.from.entry] = r.e
		}
		if !straight || fixed {
			slices.SortStableFunc(member, func(a, b *row) int { return a.from.entry - b.from.entry })
		}
		last, given := -1, 0.0
		for _, r := range member {
			equation := r.lo == r.hi
			e := eigenOf(r.e)
			n := 1
			switch {
			case e != nil:
				n = e.k * e.k
			case equation && !straight:
				n = 2
			case straight && fixed && r.from.entry == last: // the other end of a chain
				if y := given; r.hi == math.Inf(1) {
					set(r, min(y, 0))
				} else {
					set(r, max(y, 0))
				}
				continue
			}
			v := take(n)
			if v == nil {
				return false
			}
			last, given = r.from.entry, v[0]
			y := v[0]
			switch {
			case e != nil:
				d := mat.NewSymDense(e.k, nil)
				y = 0
				for a := range e.k {
					for b := range a + 1 {
						d.SetSym(a, b, (v[a*e.k+b]+v[b*e.k+a])/2)
					}
					y += d.At(a, a)
				}
				m.duals[e] = d
				if r.hi == math.Inf(1) {
					y = -y
				}
			case n == 2:
				if y = v[0] - v[1]; r.from.turned {
					y = -y
				}
			case equation:
				if r.from.turned {
					y = -y
				}
			case straight && fixed && chained(member, r):
				if r.hi == math.Inf(1) {
					y = min(y, 0)
				} else {
					y = max(y, 0)
				}
			case r.hi == math.Inf(1):
				y = -y
			}
			set(r, y)
		}
	}
	return len(flat) == 0
}

// chained: another row is on the same function.
func chained(rows []*row, r *row) bool {
	return slices.ContainsFunc(rows, func(o *row) bool { return o != r && o.e == r.e && o.from.entry == r.from.entry })
}

// eigenOf is the one largest eigenvalue in a row whose multiplier is a matrix: of ± the
// eigenvalue and affine functions.
func eigenOf(e *expr) *expr {
	var found *expr
	var look func(e *expr) bool
	look = func(e *expr) bool {
		switch {
		case e.op == opEigen && e.num == 1 && found == nil:
			found = e
			for _, a := range e.args {
				if _, ok := affine(a); !ok {
					return false
				}
			}
			return true
		case e.op == opSum:
			for _, a := range e.args {
				if !look(a) {
					return false
				}
			}
			return true
		}
		return e.op == opConst || e.op == opVar
	}
	if look(e) {
		return found
	}
	return nil
}

// around is the box over which a bound is shown: the bounds of the variables, and where there
// is none so far from x, relative to max(1, |x|).
func (p *Problem) around(x []float64, far float64) []span {
	out := make([]span, p.n)
	for j := range out {
		r := far * max(1, math.Abs(x[j]))
		out[j] = span{p.lo[j], p.hi[j]}
		if math.IsInf(p.lo[j], -1) {
			out[j].lo = min(x[j]-r, p.hi[j])
		}
		if math.IsInf(p.hi[j], 1) {
			out[j].hi = max(x[j]+r, p.lo[j])
		}
	}
	return out
}

// shown is the outcome of multipliers.
type shown struct {
	lower     float64 // of the Lagrangian over the region; −Inf: none
	curved    string  // the function that is neither convex nor concave as it would have to be
	residual  float64 // the largest slope of the Lagrangian that bounds or their multipliers do not hold
	scale     float64 // the largest slope of a part, and multiplier
	slackness float64 // the largest product of a multiplier and the distance of its row
	worst     string  // its row
	wrong     string  // a row whose multiplier has the wrong sign
	slope     []float64
	second    []float64 // where it was asked for: of the diagonal of the Hessian, 0 where it is not known
}

// slopesAt says where the Lagrangian has its slopes.
type slopesAt uint8

const (
	atPoint   slopesAt = iota
	besideIt           // or beside the point, at squares
	withBends          // at the point, with curvatures
)

// lagrange bounds cost·objective + Σ multiplier·row from below over a region, by slopes at x.
func (p *Problem) lagrange(m *multipliers, x []float64, region []span, cost float64, how slopesAt) (out shown, err error) {
	defer func() {
		if wrong := caught(recover()); wrong != nil {
			err = wrong
		}
	}()
	l := &lagrangian{p: p, x: x, duals: m.duals, bounds: m.bounds, region: region, spread: how == besideIt}
	if how == withBends {
		l.second = make([]float64, p.n)
	}
	if cost != 0 {
		if p.Maximize {
			cost = -cost
		}
		l.at = append(l.at, term{p.objective, cost})
	}
	sides, size := span{}, max(1, m.size())
	for i := range p.rows {
		r, y := &p.rows[i], m.rows[i]
		if y == 0 || r.e.isConst() {
			continue
		}
		side := r.hi
		if y < 0 {
			side = r.lo
		}
		if math.IsInf(side, 0) { // rounding errors, or an error
			if math.Abs(y) > wrongSign*size {
				out.wrong = r.name
			}
			continue
		}
		l.at = append(l.at, term{r.e, y})
		sides = sides.less(just(y).times(just(side)))
	}
	l.run()
	for i := range p.rows {
		if r, y := &p.rows[i], m.rows[i]; y != 0 && !r.e.isConst() {
			side := r.hi
			if y < 0 {
				side = r.lo
			}
			if s := math.Abs(y) * math.Abs(l.value(r.e)-side); s > out.slackness && !math.IsInf(side, 0) {
				out.slackness, out.worst = s, r.name
			}
		}
	}
	rest := l.remainder()
	lower := below(l.c.lo, sides.lo)
	out.slope = make([]float64, p.n)
	for j := range p.n {
		s, z := l.slope[j], m.bounds[j]
		lower = below(lower, s.times(region[j]).lo)
		out.slope[j] = s.mid()
		out.residual = max(out.residual, min(out.away(s, x[j], p.lo[j], p.hi[j]), s.plus(just(z)).magnitude().hi))
		side := p.hi[j]
		if z < 0 {
			side = p.lo[j]
		}
		if d := math.Abs(z) * math.Abs(side-x[j]); z != 0 && !math.IsInf(side, 0) {
			out.slackness = max(out.slackness, d)
		}
	}
	if out.second = l.second; l.second != nil {
		for j := range l.second {
			l.second[j] += 2 * l.form[[2]int{j, j}].mid()
		}
	}
	out.scale = max(size, l.scale)
	out.lower, out.curved = below(lower, rest), l.curved
	if !l.convex || math.IsNaN(out.lower) {
		out.lower = math.Inf(-1)
	}
	return out, nil
}

// away is the size of a slope that the bounds of a variable do not hold: at a lower bound a
// positive one is held, at an upper bound a negative one.
func (*shown) away(s span, x, lo, hi float64) float64 {
	tol := near * max(1, math.Abs(x))
	if x-lo <= tol {
		s.lo, s.hi = min(s.lo, 0), min(s.hi, 0)
	}
	if hi-x <= tol {
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
	for _, y := range m.rows {
		s = max(s, math.Abs(y))
	}
	for _, y := range m.bounds {
		s = max(s, math.Abs(y))
	}
	return s
}

// nearby is how far from the point a bound is shown where variables have no bounds. Source:
// any number does; the finding tells it.
const nearby = 10

// curved names a function that is not convex with the sign that it stands with, "" where
// there is none.
func (p *Problem) curved(x []float64) string {
	any := &multipliers{rows: make([]float64, len(p.rows)), bounds: make([]float64, p.n)}
	for i := range p.rows {
		if any.rows[i] = 1; math.IsInf(p.rows[i].hi, 1) {
			any.rows[i] = -1
		}
	}
	s, err := p.lagrange(any, x, p.around(x, nearby), 1, atPoint)
	if err != nil {
		return ""
	}
	return s.curved
}

// checkMultipliers says what the multipliers of a result show.
func (p *Problem) checkMultipliers(r *Result, x []float64, pt Point, add func(ok bool, format string, args ...any)) {
	if len(r.Duals)+len(r.BoundDuals) == 0 && r.Bound != nil { // the point comes from a search: it has none
		return
	}
	if r.Duals == nil {
		return
	}
	converged := r.Status == "converged"
	m, err := p.multipliers(r)
	if errors.Is(err, errUnchecked) {
		add(true, "%v", err)
		return
	}
	if err != nil {
		if len(r.Duals)+len(r.BoundDuals) == 0 { // the point was found by values and gradients
			if curved := p.curved(x); curved != "" {
				add(true, "the result has no multipliers, and says nothing of other points: %s is not convex", curved)
				return
			}
		}
		add(false, "the multipliers: %v", err)
		return
	}
	s, err := p.lagrange(m, x, p.around(x, nearby), 1, atPoint)
	switch {
	case errors.Is(err, errUnchecked):
		add(true, "%v", err)
		return
	case err != nil:
		add(true, "%v: %v", errUnchecked, err)
		return
	}
	if s.wrong != "" {
		add(!converged, "the multiplier of %s has the wrong sign", s.wrong)
		return
	}
	value := pt.Hi
	if p.Maximize {
		value = -pt.Lo
	}
	enough := func(lower float64) bool { return value-lower <= convexTol*max(1, math.Abs(value)) }
	if !math.IsInf(s.lower, -1) && !enough(s.lower) { // a tangent beside the point may be better
		if t, err := p.lagrange(m, x, p.around(x, nearby), 1, besideIt); err == nil {
			s.lower = max(s.lower, t.lower)
		}
	}
	if !math.IsInf(s.lower, -1) && !enough(s.lower) {
		s.lower = max(s.lower, p.descend(m, x, p.around(x, nearby), 1, enough))
	}
	kkt := fmt.Sprintf("slope of the Lagrangian at most %.3g, products with slacks at most %.3g", s.residual, s.slackness)
	if !math.IsInf(s.lower, -1) {
		word, bound := "below", s.lower
		if p.Maximize {
			word, bound = "above", -bound
		}
		add(!converged || enough(s.lower), "the multipliers show that no feasible point%s has an objective %s %.17g; %s", p.within(nearby), word, bound, kkt)
		return
	}
	add(!converged || s.residual <= localTol*s.scale && s.slackness <= localTol*max(s.scale, math.Abs(value)), "the multipliers: %s; they bound no other point, as %s is not convex", kkt, s.curved)
}

// Tolerances of bounds of convex problems, and of first-order conditions of others. Source: objectives off by more than
// 1e-5 count as wrong in comparisons of solvers (docs/bench.md); the second one tells multipliers of another point or
// problem, whose slopes are as large as their terms, and is no accuracy.
const (
	convexTol = 1e-5
	localTol  = 0.1
)

// checkFarkas says whether the multipliers of an infeasible problem show that: their
// combination of the constraints is positive over the whole region.
func (p *Problem) checkFarkas(r *Result, add func(ok bool, format string, args ...any)) bool {
	m, err := p.multipliers(r)
	if err != nil {
		return false
	}
	start, err := p.point(r.Variables)
	if err != nil {
		start = make([]float64, p.n)
	}
	clear(m.bounds) // the bounds are in the region
	for _, far := range []float64{1e6, 1e3, nearby} {
		region := p.around(start, far)
		if least := p.descend(m, start, region, 0, func(lower float64) bool { return lower > 0 }); least > 0 {
			add(true, "the multipliers show that no point%s is feasible: their sum of the constraints is at least %.3g", p.within(far), least)
			return true
		}
	}
	return false
}

// within tells the region of a bound.
func (p *Problem) within(far float64) string {
	infinite := func(v float64) bool { return math.IsInf(v, 0) }
	if slices.ContainsFunc(p.lo, infinite) || slices.ContainsFunc(p.hi, infinite) {
		return fmt.Sprintf(" within %g times max(1, abs(x)) of the result's", far)
	}
	return ""
}

// descend goes down the Lagrangian, where it is convex, until its bound is enough: any point
// gives a bound. The steps are those of Barzilai and Borwein 1988, Two-point step size
// gradient methods, in units in which the second derivatives that are known are 1.
func (p *Problem) descend(m *multipliers, start []float64, region []span, cost float64, enough func(lower float64) bool) (best float64) {
	x := slices.Clone(start)
	for j := range x {
		x[j] = region[j].clip(x[j])
	}
	var before, slope []float64
	best = math.Inf(-1)
	for range mostSteps {
		s, err := p.lagrange(m, x, region, cost, withBends)
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
			x[j] = region[j].clip(x[j] - step*slope[j]/unit[j])
		}
	}
	return best
}

// mostSteps bounds the steps. Source: a limit of time.
const mostSteps = 50
