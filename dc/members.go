package dc

import (
	"slices"
	"sync"
)

// members are DC constraints of one name that differ in numbers alone: each E is an
// affine function plus weighted convex functions, the last step of the program.
type members struct {
	program
	count  int
	width  int
	index  []int32   // of the names, width numbers for each member
	signs  []float64 // of the weights in the last step
	convex bool      // there is no h
	plain  bool      // g is affine, and the tangent of h is none of an affine piece
	below  []bool    // by step: h consists of it
	pool   sync.Pool // of *familyWork
}

// add adds a constraint that was read, with the numbers of its name.
func (m *members) add(index []int, r *memberReader) {
	m.count++
	for _, i := range index {
		m.index = append(m.index, int32(i))
	}
	m.append(r)
}

// finished are the members so far, ready for use. More may be added to m.
func (m *members) finished() *members {
	out := &members{program: m.program, count: m.count, width: m.width, index: slices.Clip(m.index), signs: m.signs, convex: true, plain: true, below: make([]bool, len(m.steps))}
	out.rows, out.nums = make([]rowData, len(m.rows)), slices.Clone(m.nums)
	for k, d := range m.rows {
		out.rows[k] = rowData{idx: slices.Clone(d.idx), val: slices.Clone(d.val), c: d.c}
	}
	out.pack()
	top := m.top()
	for a, arg := range top.args {
		if out.signs[a] < 0 {
			out.convex, out.below[arg] = false, true
			out.plain = out.plain && m.steps[arg].op != "max"
		} else {
			out.plain = false
		}
	}
	for k := len(m.steps) - 2; k >= 0; k-- {
		for _, arg := range m.steps[k].args {
			out.below[arg] = out.below[arg] || out.below[k]
		}
	}
	out.plain = out.plain && !out.convex
	out.pool.New = func() any { return newFamilyWork(&out.program) }
	return out
}

// top is the last step, E.
func (p *program) top() *step { return &p.steps[len(p.steps)-1] }

// finite reports whether all numbers are.
func (m *members) finite() bool {
	all := func(list []float64) bool {
		return !slices.ContainsFunc(list, func(v float64) bool { return !finite(v) })
	}
	for k := range m.rows {
		if d := &m.rows[k]; !all(d.c) || slices.ContainsFunc(d.val, func(v []float64) bool { return !all(v) }) {
			return false
		}
	}
	return !slices.ContainsFunc(m.nums, func(v []float64) bool { return !all(v) })
}

// expr is E of a member.
func (m *members) expr(k int) Expr {
	top := m.top()
	e := Expr{lin: m.rows[top.row].linear(k, m.of), terms: make([]term, len(top.args)), of: m.of}
	at := make([]Expr, len(m.steps)-1)
	for s := range at {
		at[s] = m.member(&m.steps[s], k, at)
	}
	for a, arg := range top.args {
		e.terms[a] = term{pick(m.nums[top.nums[a]], k), at[arg].terms[0].f}
	}
	return e
}

func (m *members) indexOf(k int) []int {
	out := make([]int, m.width)
	for d := range out {
		out[d] = int(m.index[k*m.width+d])
	}
	return out
}

// value is E of a member at x.
func (m *members) value(k int, x []float64) float64 {
	w := m.pool.Get().(*familyWork)
	defer m.pool.Put(w)
	m.begin(w, x)
	m.forward(w, k, 1, x)
	return w.v[len(m.steps)-1][0]
}

// blocks computes the steps of all members, a block at a time.
func (m *members) blocks(x []float64, each func(lo, n int, w *familyWork)) {
	w := m.pool.Get().(*familyWork)
	defer m.pool.Put(w)
	m.begin(w, x)
	for lo := 0; lo < m.count; lo += memberBlock {
		n := min(memberBlock, m.count-lo)
		m.forward(w, lo, n, x)
		each(lo, n, w)
	}
}

// support lists, ascending, the variables of a member, those of the affine function
// included.
func (m *members) support(k int) []int {
	return m.appendSupport(nil, k, func(int) bool { return true })
}

// appendSupport appends, ascending, the variables that stand in some steps of a member.
func (m *members) appendSupport(to []int, k int, in func(step int) bool) []int {
	from := len(to)
	for s := range m.steps {
		if st := &m.steps[s]; (st.op == opRow || st.op == opSum) && in(s) {
			for _, idx := range m.rows[st.row].idx {
				to = append(to, int(pick(idx, k)))
			}
		}
	}
	slices.Sort(to[from:])
	return to[:from+len(slices.Compact(to[from:]))]
}

// eachVariable calls f with the variables of all rows, some more than once.
func (m *members) eachVariable(f func(row, j int)) {
	for k := range m.rows {
		for _, idx := range m.rows[k].idx {
			for _, j := range idx {
				f(k, int(j))
			}
		}
	}
}

// sharedBy is the type of Constraint.Members. Package ccp finds it by assertion.
type sharedBy interface {
	// Count is how many constraints there are.
	Count() int
	// Values writes E of all at x to dst.
	Values(dst, x []float64)
	// Plain reports whether each is l − h with an affine l and a convex h that is finite
	// everywhere.
	Plain() bool
	// Affine is l of number k.
	Affine(k int) Linear
	// AppendSupport appends, ascending, the variables of h of number k.
	AppendSupport(to []int, k int) []int
	// Tangents calls each with the number of each constraint, and its h at x. The gradient of
	// h there is in grad, of length Problem.NumVars, for the variables of h.
	Tangents(x, grad []float64, each func(k int, h float64))
}

func (m *members) Count() int          { return m.count }
func (m *members) Plain() bool         { return m.plain }
func (m *members) Affine(k int) Linear { return m.rows[m.top().row].linear(k, m.of) }

func (m *members) Values(dst, x []float64) {
	last := len(m.steps) - 1
	m.blocks(x, func(lo, n int, w *familyWork) { copy(dst[lo:lo+n], w.v[last]) })
}

func (m *members) AppendSupport(to []int, k int) []int {
	return m.appendSupport(to, k, func(step int) bool { return m.below[step] })
}

func (m *members) Tangents(x, grad []float64, each func(k int, h float64)) {
	top := m.top()
	m.blocks(x, func(lo, n int, w *familyWork) {
		for k := range w.adj {
			clear(w.adj[k][:n])
		}
		h := w.zeros(n)
		for a, arg := range top.args {
			if m.signs[a] > 0 {
				continue
			}
			adj, v := w.adj[arg], w.v[arg]
			for i := range n {
				weight := -pick(m.nums[top.nums[a]], lo+i)
				adj[i] += weight
				h[i] += weight * v[i]
			}
		}
		for k := len(m.steps) - 2; k >= 0; k-- {
			if m.below[k] {
				m.adjoints(w, k, lo, n)
			}
		}
		for i := range n {
			for pass := range 2 { // zeros first
				for k := range m.steps {
					if s := &m.steps[k]; m.below[k] && (s.op == opRow || s.op == opSum) {
						m.rows[s.row].addMember(grad, pass, w.adj[k][i], lo+i)
					}
				}
			}
			each(lo+i, h[i])
		}
	})
}

// addMember adds g times the gradient of a member's row to grad; in pass 0 it clears the
// places.
func (d *rowData) addMember(grad []float64, pass int, g float64, i int) {
	for t := range d.idx {
		if j := pick(d.idx[t], i); pass == 0 {
			grad[j] = 0
		} else {
			grad[j] += g * pick(d.val[t], i)
		}
	}
}
