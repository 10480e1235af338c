package factorable

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// atom is an atom over columns.
func (m *maker) atom(n *expr.Node) convex.Linear {
	var us []convex.Linear // all entries, in order
	for _, a := range n.Args() {
		for _, e := range a.Scalars() {
			us = append(us, m.expr(e))
		}
	}
	if m.err != nil {
		return convex.Linear{}
	}
	op, p := n.Op(), n.Data()
	if row := atom.FindReduce(op); row != nil {
		return m.several(row, us, p)
	}
	if c := atom.Find(op); c != nil {
		return m.each(us, opOf(c), append(p, 0)[0])
	}
	switch op {
	case "sum":
		return sum(0, us, nil)
	case "quotient":
		return m.quotient(us[0], us[1])
	case "mul":
		return m.product(us[0], us[1])
	case "quad":
		return m.quad(us, p)
	case "blackbox", "":
		return m.fail("a function of the program's own is known by its values alone, which bounds nothing")
	}
	return m.fail("%s has no bounds by columns", op)
}

// several is a row of the table of functions of several numbers.
func (m *maker) several(row *atom.Reduce, us []convex.Linear, p []float64) convex.Linear {
	switch {
	case len(us) == 1 && row.Single == atom.Itself:
		return us[0]
	case len(us) == 1 && row.Single == atom.Absolute:
		return m.of(Abs, 0, us[0])
	case row.Extremes != nil:
		if row.Curvature < 0 {
			us = each(us, func(u convex.Linear) convex.Linear { return u.Scale(-1) })
		}
		return m.sumLargest(us, row.Extremes(p)).Scale(row.Sign())
	case row.Factored == nil:
		return m.fail("%s has no bounds by columns", row.Name)
	}
	var under *Underestimator
	if slices.Contains(numberedUnder, row) {
		under = &Underestimator{Of: row, Args: m.columns(us)}
		under.Cones = expr.Reduce(row, nil, convex.Entries(inPlace(row, columnsOf(under.Args))...)).G()
	}
	us = inPlace(row, us)
	l := row.Factored(factors{m}, us, p)
	if under == nil {
		return l
	}
	return m.under(ColumnOf(m.column(l)), under)
}

// inPlace are the numbers of a row in the order of its functions.
func inPlace(row *atom.Reduce, us []convex.Linear) []convex.Linear {
	if last := len(us) - 1; row.Places == atom.FirstBehind {
		return append(us[last:len(us):len(us)], us[:last]...)
	}
	return us
}

// factors states a function by terms.
type factors struct{ m *maker }

func (f factors) Sum(c *atom.Curve, p float64, u ...convex.Linear) convex.Linear {
	return f.m.each(u, opOf(c), p)
}
func (f factors) Product(u, v convex.Linear) convex.Linear   { return f.m.product(u, v) }
func (f factors) Column(l convex.Linear) convex.Linear       { return ColumnOf(f.m.column(l)) }
func (f factors) Total(parts ...convex.Linear) convex.Linear { return sum(0, parts, nil) }

// each is the sum of a function of each.
func (m *maker) each(us []convex.Linear, op Op, p float64) convex.Linear {
	parts := each(us, func(u convex.Linear) convex.Linear {
		if op == Power {
			return m.power(u, p)
		}
		return m.of(op, p, u)
	})
	if len(parts) == 1 {
		return parts[0]
	}
	return sum(0, parts, nil)
}

func (m *maker) columns(us []convex.Linear) []int { return each(us, m.column) }

// columnsOf are the functions that are one column each.
func columnsOf(cols []int) []convex.Linear { return each(cols, ColumnOf) }

// each is a list of f of the elements of another one.
func each[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for k, v := range list {
		out[k] = f(v)
	}
	return out
}

// under puts a convex function under a column that comes after its arguments: a maximum of
// which one function is known to be the largest is the column of that.
func (m *maker) under(l convex.Linear, u *Underestimator) convex.Linear {
	if len(l.Idx) == 1 && l.Val[0] == 1 && l.Const == 0 && l.Idx[0] >= m.N && slices.Max(u.Args) < l.Idx[0] {
		m.Terms[l.Idx[0]-m.N].Under = u
	}
	return l
}

// power is uᵖ. An odd power is the difference of those of u₊ and (−u)₊. Of a power that is not
// whole the domain is a row, as the power of u₊ has values everywhere.
func (m *maker) power(u convex.Linear, p float64) convex.Linear {
	whole := p > 0 && p == math.Trunc(p)
	switch {
	case p == 0:
		return convex.Linear{Const: 1}
	case p == 1:
		return u
	case p == 2:
		return m.of(Square, 0, u)
	case p == 4:
		return m.of(Square, 0, m.of(Square, 0, u))
	case p > 1 && !whole:
		if len(u.Idx) > 0 {
			m.row(u, 0, math.Inf(1), "")
		}
		return m.of(PosPower, p, u)
	case whole && math.Mod(p, 2) == 0:
		return m.of(Even, p, u)
	case whole:
		return sum(0, []convex.Linear{m.of(PosPower, p, u), m.of(PosPower, p, u.Scale(-1))}, []float64{1, -1})
	}
	return m.of(Power, p, u)
}

// quotient is u/v, for a v without a known sign u·v/v².
func (m *maker) quotient(u, v convex.Linear) convex.Linear {
	switch i := m.reach(v); {
	case i.Lo >= 0:
		return m.product(u, m.of(Power, -1, v))
	case i.Hi <= 0:
		return m.product(u.Scale(-1), m.of(Power, -1, v.Scale(-1)))
	}
	return m.product(u, m.product(v, m.of(Power, -1, m.of(Square, 0, v))))
}

// quad is uᵀQu by entries.
func (m *maker) quad(us []convex.Linear, q []float64) convex.Linear {
	n := len(us)
	var parts []convex.Linear
	var weights []float64
	for i := range n {
		for j := i; j < n; j++ {
			w := q[i*n+j]
			if j > i {
				w += q[j*n+i]
			}
			if w != 0 {
				parts, weights = append(parts, m.product(us[i], us[j])), append(weights, w)
			}
		}
		if len(m.Terms) > 2*mostTerms {
			break
		}
	}
	return sum(0, parts, weights)
}

// reach is the range of a function within the bounds of the variables.
func (m *maker) reach(l convex.Linear) Interval { return over(l, m.Box) }

// undominated leaves out functions that are nowhere the largest, by their ranges.
func (m *maker) undominated(us []convex.Linear) []convex.Linear {
	top := math.Inf(-1)
	for _, u := range us {
		top = max(top, m.reach(u).Lo)
	}
	var out []convex.Linear
	first := true // of those that reach no further than the top
	for _, u := range us {
		a := m.reach(u)
		if more := a.Hi > top; more || a.Lo >= top && first {
			out, first = append(out, u), first && more
		}
	}
	return out
}

// larger is the larger of two, (u + v + |u − v|)/2, and which of the picks that they are the values
// of it is.
func (m *maker) larger(u, v convex.Linear, left, right *Pick) (convex.Linear, *Pick) {
	d := sum(0, []convex.Linear{u, v}, []float64{1, -1})
	size, pick := m.of(Abs, 0, d), (*Pick)(nil)
	switch a := m.reach(d); {
	case m.err != nil:
	case a.Lo >= 0:
		pick = left
	case a.Hi <= 0:
		pick = right
	default:
		pick = &Pick{By: m.Terms[size.Idx[0]-m.N].A, Down: d.Val[0] < 0, Left: left, Right: right}
	}
	return sum(0, []convex.Linear{u, v, size}, []float64{0.5, 0.5, 0.5}), pick
}

// largest is the largest of several, two by two, and which of them it is, numbered from first on.
// It has a column of its own, unless it is the larger of two among others.
func (m *maker) largest(us []convex.Linear, first int, own bool) (convex.Linear, *Pick) {
	switch len(us) {
	case 0:
		return m.fail("the maximum of nothing has no bounds"), nil
	case 1:
		return us[0], &Pick{Item: first}
	}
	var args []int
	if own || len(us) > 2 {
		args = m.columns(us)
	}
	half := len(us) / 2
	u, left := m.largest(us[:half], first, false)
	v, right := m.largest(us[half:], first+half, false)
	l, pick := m.larger(u, v, left, right)
	if args != nil {
		under := &Underestimator{Of: atom.Max, Args: args}
		if own {
			under.Pick = pick
		}
		l = m.under(ColumnOf(m.column(l)), under)
	}
	return l, pick
}

// mostSorted bounds the comparisons of a sum of the largest.
// Source: a limit of size.
const mostSorted = 5000

// sumLargest is the sum of the k largest: k rounds of comparisons leave them at the end.
func (m *maker) sumLargest(us []convex.Linear, k int) convex.Linear {
	if k == 1 {
		l, _ := m.largest(m.undominated(us), 0, true)
		return l
	}
	if k*len(us) > mostSorted {
		return m.fail("the sum of the %d largest of %d is too large for bounds by columns", k, len(us))
	}
	us = slices.Clone(us)
	n := len(us)
	out := convex.Linear{}
	for r := range min(k, n) {
		for i := range n - 1 - r {
			u, v := us[i], us[i+1]
			us[i+1], _ = m.larger(u, v, nil, nil)
			us[i] = sum(0, []convex.Linear{u, v, us[i+1]}, []float64{1, 1, -1})
		}
		out = sum(0, []convex.Linear{out, us[n-1-r]}, nil)
	}
	return out
}
