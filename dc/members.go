package dc

import (
	"math"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/num"
)

// members are DC constraints of one name that differ in numbers alone: each E is an
// affine function plus weighted convex functions, the last step of the program.
type members struct {
	program
	count  int
	width  int
	packed bool      // lists may have one number for all members so far
	index  []int32   // of the names, width numbers for each member
	signs  []float64 // of the weights in the last step
	convex bool      // there is no h
	plain  bool      // g is affine, and the tangent of h is none of an affine piece
	below  []bool    // by step: h consists of it
	pool   sync.Pool // of *familyWork
	once   sync.Once // of steep
	steep  steep
	known  known
}

// add adds a constraint that was read, with the numbers of its name.
func (m *members) add(index []int, r *memberReader) {
	if m.packed {
		m.unpack(m.count)
		m.packed = false
	}
	m.count++
	for _, i := range index {
		m.index = append(m.index, int32(i))
	}
	m.append(r)
}

// finished are the members so far, ready for use. More may be added to m.
func (m *members) finished() *members {
	out := &members{program: m.program, count: m.count, width: m.width, index: upTo(len(m.index), m.index), signs: m.signs, convex: true, plain: true, below: make([]bool, len(m.steps))}
	out.rows, out.nums = make([]rowData, len(m.rows)), slices.Clone(m.nums)
	for k, d := range m.rows {
		out.rows[k] = rowData{idx: slices.Clone(d.idx), val: slices.Clone(d.val), c: d.c, lost: d.lost}
	}
	out.pack()
	for k := range out.rows {
		d := &out.rows[k]
		d.c = upTo(m.count, d.c)
		for t := range d.idx {
			d.idx[t], d.val[t] = upTo(m.count, d.idx[t]), upTo(m.count, d.val[t])
		}
	}
	out.shareLists(sharedLists{})
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

func (m *members) SameIndex(k int) bool {
	now := m.index[k*m.width : (k+1)*m.width]
	return k > 0 && slices.Equal(now, m.index[(k-1)*m.width:k*m.width])
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
	// SameIndex reports whether number k has the numbers in brackets of number k − 1.
	SameIndex(k int) bool
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
	// Broken calls each with the numbers of the constraints that x breaks, ascending, and E there.
	Broken(x []float64, each func(k int, v float64))
	// Near lists about that many constraints that the least changes at x may break. As long as no variable differs by more than
	// reach, all others hold, and so do their tangents; number k does as long as none of its own variables differs by more than reaches[k].
	Near(x []float64, most int) (list []int32, reach float64, reaches []float64, ok bool)
	// Beyond lists, ascending, the constraints of which a variable has moved by more than their reach.
	Beyond(reaches, moved []float64) []int32
	// Part has the constraints of the list alone, as an object of the same type.
	Part(list []int32) any
	// Slope is a Lipschitz constant of number k in the largest change of a variable, +Inf where there is none; Blur bounds the rounding errors
	// of its values at x then.
	Slope(k int) float64
	Blur(x []float64) float64
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

// steep bounds how fast the functions of members change.
type steep struct {
	slope []float64 // by member: a Lipschitz constant of E, of its h and of l, in the largest change of a variable; nil: there is none
	size  float64   // the largest term of all at 0
	count int       // variables that members stand in
}

// steepness is computed when it is first asked for.
func (m *members) steepness() *steep {
	m.once.Do(func() {
		s := &m.steep
		n := m.count
		if m.uniform() {
			n = 1
		}
		slope := make([]float64, n)
		at := make([]float64, len(m.steps))
		for k := range slope {
			slope[k] = m.lipschitz(at, k, func(d *rowData) float64 {
				sum := 0.0
				for t := range d.val {
					sum += math.Abs(pick(d.val[t], k))
				}
				return sum
			})
			if !finite(slope[k]) || slope[k] == 0 {
				return
			}
		}
		for k := range m.count {
			s.size = max(s.size, m.lipschitz(at, k, func(d *rowData) float64 { return math.Abs(pick(d.c, k)) }))
		}
		s.slope = onlyOne(slope)
		seen := map[int]bool{}
		m.eachVariable(func(_, j int) { seen[j] = true })
		s.count = len(seen)
	})
	return &m.steep
}

// uniform reports whether members differ in variables and constants alone.
func (m *members) uniform() bool {
	for k := range m.rows {
		for _, val := range m.rows[k].val {
			if len(val) > 1 {
				return false
			}
		}
	}
	return !slices.ContainsFunc(m.nums, func(v []float64) bool { return len(v) > 1 })
}

// lipschitz bounds the change of E of a member by that of its rows; +Inf where nothing bounds it. at has room for the steps.
func (m *members) lipschitz(at []float64, k int, row func(d *rowData) float64) float64 {
	for i := range m.steps {
		s, sum, sq, top := &m.steps[i], 0.0, 0.0, 0.0
		for a, arg := range s.args {
			v := at[arg]
			if s.op == opSum {
				v *= math.Abs(pick(m.nums[s.nums[a]], k))
			}
			sum, sq, top = sum+v, math.Hypot(sq, v), max(top, v)
		}
		switch s.op {
		case opRow, opSum:
			at[i] = row(&m.rows[s.row]) + sum
		case "norm2":
			at[i] = sq
		case "abs", "norm1":
			at[i] = sum
		case "max", opLeast:
			at[i] = top
		case "huber": // 2·num·|u| − num² outside of its parabola
			at[i] = 2 * s.num * sum
		default:
			return math.Inf(1)
		}
	}
	return at[len(at)-1]
}

// Slope is a Lipschitz constant of a member in the largest change of a variable; +Inf where there is none.
func (m *members) Slope(k int) float64 {
	if s := m.steepness(); s.slope != nil {
		return pick(s.slope, k)
	}
	return math.Inf(1)
}

// Blur bounds the rounding errors of members with a Slope at x.
func (m *members) Blur(x []float64) float64 {
	s := m.steepness()
	return blur * (s.size + num.NormInf(s.slope)*num.NormInf(x))
}

// blur is, relative to the size of the terms, above the rounding errors of two values of E.
// Source: derived: 2^12 roundings of 2^−53, more than the steps and the coefficients of a member are.
const blur = 0x1p-40

// nearVariables is how many members are watched for each variable. Source: docs/large.md, "Constraints that are far".
const nearVariables = 16

// known are points that members were looked at from, one for each of those who look at a time.
type known struct {
	sync.Mutex
	free []*around
}

// take is the last one that was put back.
func (l *known) take() *around {
	l.Lock()
	defer l.Unlock()
	n := len(l.free)
	if n == 0 {
		return new(around)
	}
	r := l.free[n-1]
	l.free = l.free[:n-1]
	return r
}

func (l *known) put(r *around) {
	l.Lock()
	defer l.Unlock()
	l.free = append(l.free, r)
}

// around is a point and the members that may be broken near it.
type around struct {
	x       []float64
	reach   float64   // changes of the variables up to which all other members hold
	reaches []float64 // the same for each member and its own variables
	list    []int32   // the members, ascending
	part    *members  // these alone; nil: there is no such point
	room    []float64
}

// covers reports whether the members that are not in the list hold at x.
func (r *around) covers(x []float64) bool { return r.part != nil && num.DistInf(r.x, x) <= r.reach }

// Broken calls each with the members, ascending, that x breaks, and their E there, which is positive or NaN. Those that no
// change since the last look can have broken are not evaluated.
func (m *members) Broken(x []float64, each func(k int, v float64)) {
	s := m.steepness()
	most := nearVariables * s.count
	if s.slope == nil || m.count < 2*most {
		m.broken(x, each)
		return
	}
	r := m.known.take()
	defer m.known.put(r)
	if r.covers(x) {
		r.part.broken(x, func(k int, v float64) { each(int(r.list[k]), v) })
		return
	}
	r.look(m, x, most, each)
	if r.part = nil; r.reach > 0 {
		r.x, r.part = append(r.x[:0], x...), m.part(r.list)
	}
}

// broken is Broken by the values of all.
func (m *members) broken(x []float64, each func(k int, v float64)) {
	last := len(m.steps) - 1
	m.blocks(x, func(lo, n int, w *familyWork) {
		for i, v := range w.v[last][:n] {
			if !(v <= 0) {
				each(lo+i, v)
			}
		}
	})
}

// Near lists about that many members, ascending, those that the least changes of variables at x may break, and the largest change of a
// variable by which all others still hold, and the tangents of them at any point within that distance. reaches are these changes for each
// member and its own variables. ok is false where no change is known to be harmless.
func (m *members) Near(x []float64, most int) (list []int32, reach float64, reaches []float64, ok bool) {
	if s := m.steepness(); s.slope == nil || most >= m.count {
		return nil, 0, nil, false
	}
	var r around
	r.look(m, x, most, func(int, float64) {})
	return r.list, r.reach, r.reaches, r.reach > 0
}

// Beyond lists, ascending, the members of which a variable has moved by more than their reach. A move that is no number is too far.
func (m *members) Beyond(reaches, moved []float64) (list []int32) {
	if slices.ContainsFunc(moved, math.IsNaN) {
		moved = slices.Clone(moved)
		for j, v := range moved {
			if math.IsNaN(v) {
				moved[j] = math.Inf(1)
			}
		}
	}
	var tops [memberBlock]float64
	for lo := 0; lo < m.count; lo += memberBlock {
		top := tops[:min(memberBlock, m.count-lo)]
		clear(top)
		for k := range m.rows {
			for _, idx := range m.rows[k].idx {
				raise(top, idx, lo, moved)
			}
		}
		for i, r := range reaches[lo : lo+len(top)] {
			if !(top[i] <= r) {
				list = append(list, int32(lo+i))
			}
		}
	}
	return list
}

// raise makes the largest moves at least those of one variable of each member from lo on.
func raise(top []float64, idx []int32, lo int, moved []float64) {
	if len(idx) == 1 {
		for i, t := range top {
			top[i] = max(t, moved[idx[0]])
		}
		return
	}
	for i, j := range idx[lo : lo+len(top)] {
		if v := moved[j]; v > top[i] {
			top[i] = v
		}
	}
}

// look lists about that many members, those that the least changes at x may break, and calls each with those that x breaks.
func (r *around) look(m *members, x []float64, most int, each func(k int, v float64)) {
	s := m.steepness()
	r.room = slices.Grow(r.room[:0], m.count)[:m.count]
	r.reaches = slices.Grow(r.reaches[:0], m.count)[:m.count]
	reaches, size, last := r.reaches, num.NormInf(x), len(m.steps)-1
	m.blocks(x, func(lo, n int, w *familyWork) {
		for i, v := range w.v[last][:n] {
			k := lo + i
			if !(v <= 0) {
				reaches[k] = -1 // also of NaN
				each(k, v)
				continue
			}
			l := pick(s.slope, k)
			reaches[k] = (-v - blur*(s.size+l*size)) / l
		}
	})
	r.reach = smallest(append(r.room[:0], reaches...), most)
	r.list = r.list[:0]
	for k, v := range reaches {
		if v < r.reach {
			r.list = append(r.list, int32(k))
		}
	}
}

// smallest is number k, from 0, of the list in ascending order, which it reorders: Hoare's selection.
func smallest(list []float64, k int) float64 {
	for lo, hi := 0, len(list)-1; lo < hi; {
		pivot := list[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for list[i] < pivot {
				i++
			}
			for pivot < list[j] {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return list[k]
		}
	}
	return list[k]
}

// part are some of the members, in the order of the list.
func (m *members) part(list []int32) *members {
	out := &members{program: m.program.part(list), count: len(list), width: m.width, signs: m.signs, convex: m.convex, plain: m.plain, below: m.below}
	for _, k := range list {
		out.index = append(out.index, m.index[int(k)*m.width:int(k+1)*m.width]...)
	}
	out.pool.New = func() any { return newFamilyWork(&out.program) }
	return out
}

// Part has the members of the list, in its order, as another object of the type of m.
func (m *members) Part(list []int32) any { return m.part(list) }
