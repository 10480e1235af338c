package verify

import (
	"fmt"
	"math"
	"slices"
)

// infeasible: multipliers, a proof or interval arithmetic show that no point is feasible.
func (c *checking) infeasible(proof *Proved) {
	why, ok := c.farkas()
	switch {
	case ok:
	case proof != nil:
		ok, why = math.IsInf(c.lower, 1), "the proof does not show that no point is feasible"
		if ok {
			why = c.by + " shows that no point is feasible"
		}
	default:
		ok, why = c.empty(c.box)
	}
	c.add("status", verdict(ok, Incomplete), "%s", why)
}

// empty reports whether interval arithmetic shows that no point of a box is feasible.
func (p *Problem) empty(box []span) (ok bool, why string) {
	const none = "no point is feasible: interval arithmetic leaves nothing of the bounds"
	if slices.ContainsFunc(p.rows, func(r row) bool { return r.e.isConst() && !r.sides.has(r.e.num) }) {
		return true, none
	}
	f, err := flatten(&Problem{objective: number(0), rows: p.rows, n: p.n}, box)
	if err != nil {
		return false, err.Error()
	}
	for i := range f.rows { // rows on the same function share a column
		r := &f.rows[i]
		j, err := f.column(r.lin)
		f.box[j] = f.box[j].meet(r.sides.less(err))
	}
	if slices.ContainsFunc(f.box, span.empty) || !f.narrow(slices.Clone(f.box), math.Inf(1), 1000, progress) {
		return true, none
	}
	return false, "that no point is feasible is not shown: interval arithmetic leaves a part of the bounds; " +
		"solve --global --proof writes a proof where one is found"
}

// farkas shows by multipliers that no point is feasible: their combination of the constraints is
// positive over the whole region.
func (c *checking) farkas() (why string, ok bool) {
	if len(c.r.duals) == 0 {
		return "", false
	}
	m, err := c.multipliers(c.r)
	if err != nil {
		c.add("duals", Incomplete, "%v", err)
		return "", false
	}
	start, err := c.point(c.r.variables)
	if err != nil {
		start = make([]float64, c.n)
	}
	in, largest := c.reach(math.Inf(1)), m.size()
	for i, y := range m.rows {
		if math.Abs(y) <= wrongSign*largest { // rounding errors, of rows that need not be convex
			m.rows[i] = 0
		}
	}
	sum, _ := c.descend(m, newValues(start, false), in, 0, 1, func(lower float64) bool { return lower > 0 })
	if ok = sum.wrong == "" && sum.lower > 0; !ok { // the sum as one row
		e, side := c.combined(m, 0)
		one := &Problem{objective: number(0), n: c.n, rows: []row{{e: e, sides: span{math.Inf(-1), side.hi}}}}
		ok, _ = one.empty(in)
	}
	why = "the sum of the constraints, times their multipliers, is positive within the bounds"
	if !ok {
		why = fmt.Sprintf("the sum of the constraints, times their multipliers, is at least %.3g", sum.lower)
	}
	c.add("duals", verdict(ok, Incomplete), "%s", why)
	return "no point is feasible: " + why, ok
}
