package flat

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
)

// atom is an atom over columns.
func (m *maker) atom(n *dc.Node) dc.Linear {
	args := n.Args()
	var us []dc.Linear // all entries, in order
	for k := range args {
		for i := range args[k].Len() {
			us = append(us, m.expr(args[k].Entry(i)))
		}
	}
	if m.err != nil {
		return dc.Linear{}
	}
	data := n.Data()
	p := 0.0
	if len(data) > 0 {
		p = data[0]
	}
	switch op := n.Op(); op {
	case "pos":
		return m.largest(m.undominated([]dc.Linear{us[0], {}}))
	case "sqrt":
		return m.of(Power, 0.5, us[0])
	case "invpos":
		return m.of(Power, -1, us[0])
	case "power":
		return m.power(us[0], p)
	case "sumsq":
		return m.each(us, Square, 0)
	case "norm1":
		return m.each(us, Abs, 0)
	case "sum":
		return sum(0, us, nil)
	case "quotient":
		return m.quotient(us[0], us[1])
	case "mul":
		return m.product(us[0], us[1])
	case "inner":
		parts := make([]dc.Linear, len(us)/2)
		for k := range parts {
			parts[k] = m.product(us[k], us[len(us)/2+k])
		}
		return sum(0, parts, nil)
	case "quad":
		return m.quad(us, data)
	case "norm2":
		return m.norm2(us)
	case "norm":
		return m.norm(us, p)
	case "norminf":
		return m.normInf(us)
	case "max":
		return m.largest(m.undominated(us))
	case "min":
		return m.largest(m.undominated(negated(us))).Scale(-1)
	case "sumlargest":
		return m.sumLargest(us, int(p))
	case "sumsmallest":
		return m.sumLargest(negated(us), int(p)).Scale(-1)
	case "lse":
		cols := m.columns(us)
		return m.under(m.of(Log, 0, m.each(us, Exp, 0)), &Under{Kind: LogSumExp, Args: cols})
	case "quadoverlin":
		last := len(us) - 1
		square, cols := m.column(m.each(us[:last], Square, 0)), m.columns(us)
		inverse := m.column(m.of(Power, -1, ColumnOf(cols[last])))
		return m.under(m.times(square, inverse), &Under{Kind: SquareOver, Args: cols})
	case "kl": // u·log(u/v) − u + v
		u, v := m.column(us[0]), m.column(us[1])
		j := m.times(u, m.column(m.of(Log, 0, ColumnOf(v))))
		divergence := m.column(sum(0, []dc.Linear{m.of(Entropy, 0, ColumnOf(u)), j, ColumnOf(u), ColumnOf(v)}, []float64{-1, -1, -1, 1}))
		return m.under(ColumnOf(divergence), &Under{Kind: Divergence, Args: []int{u, v}})
	case "geomean":
		w := make([]float64, len(us))
		for k := range w {
			w[k] = 1 / float64(len(us))
		}
		return m.geomean(us, w)
	case "wgeomean":
		total := 0.0
		for _, w := range data {
			total += w
		}
		w := make([]float64, len(data))
		for k := range w {
			w[k] = data[k] / total
		}
		return m.geomean(us, w)
	case "blackbox", "":
		return m.fail("a function of the program's own is known by its values alone, which bounds nothing")
	default:
		if op := named(op); op != Affine {
			return m.each(us, op, p)
		}
		return m.fail("%s has no bounds by columns", op)
	}
}

// each is the sum of a function of each.
func (m *maker) each(us []dc.Linear, op Op, p float64) dc.Linear {
	parts := make([]dc.Linear, len(us))
	for k, u := range us {
		parts[k] = m.of(op, p, u)
	}
	return sum(0, parts, nil)
}

func (m *maker) columns(us []dc.Linear) []int {
	cols := make([]int, len(us))
	for k, u := range us {
		cols[k] = m.column(u)
	}
	return cols
}

func negated(us []dc.Linear) []dc.Linear {
	out := make([]dc.Linear, len(us))
	for k, u := range us {
		out[k] = u.Scale(-1)
	}
	return out
}

// under puts a convex function under a column that comes after its arguments: a maximum of
// which one function is known to be the largest is the column of that.
func (m *maker) under(l dc.Linear, u *Under) dc.Linear {
	if len(l.Idx) == 1 && l.Val[0] == 1 && l.Const == 0 && l.Idx[0] >= m.N && slices.Max(u.Args) < l.Idx[0] {
		m.Terms[l.Idx[0]-m.N].Under = u
	}
	return l
}

// power is uᵖ. An odd power is the difference of those of u₊ and (−u)₊.
func (m *maker) power(u dc.Linear, p float64) dc.Linear {
	whole := p > 0 && p == math.Trunc(p)
	switch {
	case p == 0:
		return dc.Linear{Const: 1}
	case p == 1:
		return u
	case p == 2:
		return m.of(Square, 0, u)
	case p == 4:
		return m.of(Square, 0, m.of(Square, 0, u))
	case p > 1 && !whole:
		return m.of(PosPower, p, u)
	case whole && math.Mod(p, 2) == 0:
		return m.of(Even, p, u)
	case whole:
		return sum(0, []dc.Linear{m.of(PosPower, p, u), m.of(PosPower, p, u.Scale(-1))}, []float64{1, -1})
	}
	return m.of(Power, p, u)
}

// quotient is u/v, for a v without a known sign u·v/v².
func (m *maker) quotient(u, v dc.Linear) dc.Linear {
	switch i := m.reach(v); {
	case i.Lo >= 0:
		return m.product(u, m.of(Power, -1, v))
	case i.Hi <= 0:
		return m.product(u.Scale(-1), m.of(Power, -1, v.Scale(-1)))
	}
	return m.product(u, m.product(v, m.of(Power, -1, m.of(Square, 0, v))))
}

// quad is uᵀQu by entries.
func (m *maker) quad(us []dc.Linear, q []float64) dc.Linear {
	n := len(us)
	var parts []dc.Linear
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

func (m *maker) norm2(us []dc.Linear) dc.Linear {
	if len(us) == 1 {
		return m.of(Abs, 0, us[0])
	}
	cols := m.columns(us)
	return m.under(m.of(Power, 0.5, m.each(us, Square, 0)), &Under{Kind: Norm2, Args: cols})
}

func (m *maker) norm(us []dc.Linear, p float64) dc.Linear {
	switch {
	case p == 1 || len(us) == 1:
		return m.each(us, Abs, 0)
	case p == 2:
		return m.norm2(us)
	case math.IsInf(p, 1):
		return m.normInf(us)
	}
	return m.of(Power, 1/p, m.each(us, Even, p))
}

// normInf is the largest of the functions and their negatives.
func (m *maker) normInf(us []dc.Linear) dc.Linear {
	var both []dc.Linear
	for _, u := range us {
		both = append(both, u, u.Scale(-1))
	}
	return m.largest(m.undominated(both))
}

// reach is the range of a function within the bounds of the variables.
func (m *maker) reach(l dc.Linear) Interval {
	return over(l, m.Box)
}

// undominated leaves out functions that are nowhere the largest, by their ranges.
func (m *maker) undominated(us []dc.Linear) []dc.Linear {
	top, near := math.Inf(-1), 0.0
	for _, u := range us {
		if lo := m.reach(u).Lo; lo > top {
			top, near = lo, m.noise(u)
		}
	}
	var out []dc.Linear
	first := true // of those that reach no further than the top
	for _, u := range us {
		a := m.reach(u)
		if more := a.Hi > top+near; more || a.Lo >= top-near && first {
			out, first = append(out, u), first && more
		}
	}
	return out
}

// max is (u + v + |u − v|)/2.
func (m *maker) max(u, v dc.Linear) dc.Linear {
	return sum(0, []dc.Linear{u, v, m.of(Abs, 0, sum(0, []dc.Linear{u, v}, []float64{1, -1}))}, []float64{0.5, 0.5, 0.5})
}

// largest is the largest of several, two by two.
func (m *maker) largest(us []dc.Linear) dc.Linear {
	switch len(us) {
	case 0:
		return m.fail("the maximum of nothing has no bounds")
	case 1:
		return us[0]
	}
	args := m.columns(us)
	half := len(us) / 2
	l := m.max(m.part(us[:half]), m.part(us[half:]))
	return m.under(ColumnOf(m.column(l)), &Under{Kind: Largest, Args: args})
}

// part is the largest of some of several: two have no column of their own.
func (m *maker) part(us []dc.Linear) dc.Linear {
	if len(us) == 2 {
		return m.max(us[0], us[1])
	}
	return m.largest(us)
}

// mostSorted bounds the comparisons of a sum of the largest.
// Source: a limit of size.
const mostSorted = 5000

// sumLargest is the sum of the k largest: k rounds of comparisons leave them at the end.
func (m *maker) sumLargest(us []dc.Linear, k int) dc.Linear {
	if k*len(us) > mostSorted {
		return m.fail("the sum of the %d largest of %d is too large for bounds by columns", k, len(us))
	}
	us = append([]dc.Linear(nil), us...)
	n := len(us)
	out := dc.Linear{}
	for r := range min(k, n) {
		for i := range n - 1 - r {
			u, v := us[i], us[i+1]
			us[i+1] = m.max(u, v)
			us[i] = sum(0, []dc.Linear{u, v, us[i+1]}, []float64{1, 1, -1})
		}
		out = sum(0, []dc.Linear{out, us[n-1-r]}, nil)
	}
	return out
}

// geomean is the product of the powers.
func (m *maker) geomean(us []dc.Linear, w []float64) dc.Linear {
	out := dc.Linear{Const: 1}
	for k, u := range us {
		if w[k] > 0 {
			out = m.product(out, m.power(u, w[k]))
		}
	}
	return out
}
