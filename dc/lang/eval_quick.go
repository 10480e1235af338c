package lang

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
)

// grade says which scalar expressions are evaluated without making a value of
// each part: big families consist of them.
type grade uint8

const (
	anyGrade    grade = iota // all others
	dataGrade                // arithmetic of numbers, indices and entries of data
	affineGrade              // sums of entries of variables with such factors, and of inner products with data
)

// ifData is the grade of what only data can be of.
func (g grade) ifData() grade {
	if g == dataGrade {
		return dataGrade
	}
	return anyGrade
}

// gradeOf is that of a resolved node whose parts have theirs.
func (r *resolver) gradeOf(n *node) grade {
	switch n.op {
	case opNumber:
		return dataGrade
	case opName:
		return r.gradeOfName(n)
	case opSum, opNeg:
		top := dataGrade
		for _, a := range n.args {
			if a.grade == anyGrade {
				return anyGrade
			}
			top = max(top, a.grade)
		}
		return top
	case opMul, opDotMul:
		a, b := n.args[0].grade, n.args[1].grade
		if min(a, b) == dataGrade {
			return max(a, b)
		}
		if n.op == opMul && a == anyGrade && b == anyGrade {
			va, vb := r.vector(n.args[0]), r.vector(n.args[1])
			if n.inner = min(va, vb) == dataGrade && max(va, vb) == affineGrade; n.inner {
				return affineGrade
			}
		}
	case opDiv, opDotDiv:
		if n.args[1].grade == dataGrade {
			return n.args[0].grade
		}
	case opPower:
		if n.args[0].grade == dataGrade {
			return n.args[1].grade.ifData()
		}
	case opCall:
		if n.fn != nil && n.fn.number != nil && len(n.args) == 1 {
			return n.args[0].grade.ifData()
		}
	case opIndex:
		for _, a := range n.args[1:] {
			if a.grade != dataGrade {
				return anyGrade
			}
		}
		if s := r.c.ev.names[n.args[0].name]; n.args[0].op == opName && s != nil && len(s.value.shape) == len(n.args)-1 {
			return gradeOfSort(s)
		}
	}
	return anyGrade
}

func (r *resolver) gradeOfName(n *node) grade {
	for _, name := range r.scope {
		if name == n.name {
			return dataGrade
		}
	}
	if s := r.c.ev.names[n.name]; s != nil && s.value.scalar() {
		return gradeOfSort(s)
	}
	return anyGrade
}

func gradeOfSort(s *symbol) grade {
	switch {
	case s.bad || s.lost:
	case s.value.sort == numbers:
		return dataGrade
	case s.value.sort == affine:
		return affineGrade
	}
	return anyGrade
}

// number is the value of a node of data grade. ok is false where there is
// something to report, which the general way does.
func (ev *evaluator) number(n *node) (x float64, ok bool) {
	ev.spend(n, unitsNode)
	switch n.op {
	case opNumber:
		return n.num, true
	case opName:
		for k := len(ev.indices) - 1; k >= 0; k-- {
			if ev.indices[k].name == n.name {
				return float64(ev.indices[k].at), true
			}
		}
		return ev.names[n.name].value.x, true
	case opIndex:
		v := &ev.names[n.args[0].name].value
		k, ok := ev.flat(n, v)
		if !ok {
			return 0, false
		}
		return v.at(k), true
	case opNeg:
		x, ok = ev.number(n.args[0])
		return -x, ok
	case opCall:
		if x, ok = ev.number(n.args[0]); !ok {
			return 0, false
		}
		x = n.fn.number(x)
	case opSum:
		for k, a := range n.args {
			y, ok := ev.number(a)
			if !ok {
				return 0, false
			}
			if n.minus[k] {
				y = -y
			}
			x += y
		}
	default:
		y, okY := ev.number(n.args[1])
		x, ok = ev.number(n.args[0])
		if !ok || !okY {
			return 0, false
		}
		switch n.op {
		case opPower:
			x = math.Pow(x, y)
		case opDiv, opDotDiv:
			if y == 0 {
				return 0, false
			}
			x /= y
		default:
			x *= y
		}
	}
	return x, x-x == 0
}

// flat is the place of the entry that an index of data grade names.
func (ev *evaluator) flat(n *node, v *value) (k int, ok bool) {
	for d, a := range n.args[1:] {
		x, ok := ev.number(a)
		if !ok {
			return 0, false
		}
		i, ok := whole(x)
		if i -= v.first(d); !ok || i < 0 || i >= v.shape[d] {
			return 0, false
		}
		k = k*v.shape[d] + i
	}
	return k, true
}

// coefficients collects an affine function.
type coefficients struct {
	idx []int
	val []float64
	c   float64
}

// gather adds w times a node of affine or data grade. ok is false as for number.
func (ev *evaluator) gather(n *node, w float64, to *coefficients) (ok bool) {
	if n.grade == dataGrade {
		x, ok := ev.number(n)
		to.c += w * x
		return ok
	}
	ev.spend(n, unitsNode)
	switch n.op {
	case opName:
		return to.add(w, ev.names[n.name].value.linear(0))
	case opIndex:
		v := &ev.names[n.args[0].name].value
		k, ok := ev.flat(n, v)
		return ok && to.add(w, v.linear(k))
	case opNeg:
		return ev.gather(n.args[0], -w, to)
	case opSum:
		for k, a := range n.args {
			sign := w
			if n.minus[k] {
				sign = -w
			}
			if !ev.gather(a, sign, to) {
				return false
			}
		}
		return true
	}
	if n.inner {
		return ev.gatherInner(n, w, to)
	}
	f, x := n.args[1], n.args[0]
	if n.args[0].grade == dataGrade {
		f, x = n.args[0], n.args[1]
	}
	y, ok := ev.number(f)
	switch {
	case !ok:
		return false
	case n.op == opDiv || n.op == opDotDiv:
		if y == 0 {
			return false
		}
		y = 1 / y
	}
	return ev.gather(x, w*y, to)
}

func (to *coefficients) add(w float64, l dc.Linear) bool {
	to.c += w * l.Const
	for k, j := range l.Idx {
		to.idx, to.val = append(to.idx, j), append(to.val, w*l.Val[k])
	}
	return true
}

// affineSum is the value of a scalar sum of affine grade.
func (ev *evaluator) affineSum(n *node) (value, bool) {
	to := ev.empty()
	if !ev.gather(n, 1, to) {
		return value{}, false
	}
	return ev.collected(n, to)
}

// empty is room for coefficients, used again and again.
func (ev *evaluator) empty() *coefficients {
	to := &ev.sumRoom
	to.idx, to.val, to.c = to.idx[:0], to.val[:0], 0
	return to
}

// sumOver is the value of a sum over indices whose terms have a grade.
func (ev *evaluator) sumOver(n *node) (v value, ok bool) {
	to := ev.empty()
	members, body := 0, n.args[0]
	ok = true
	ev.loop(n, n.binders, n.cond, func() {
		members++
		ok = ok && ev.gather(body, 1, to)
	})
	if !ok || members == 0 {
		return value{}, false
	}
	return ev.collected(n, to)
}

// collected is the affine function; ok is false if not all of it is finite.
func (ev *evaluator) collected(n *node, to *coefficients) (value, bool) {
	l, ok := ev.sumOf(n, to, 0)
	switch {
	case !ok:
		return value{}, false
	case l.IsConst():
		return number(l.Const), true
	case cap(l.Idx) > keptRoom: // too large to be kept beside a copy
		ev.sumRoom = coefficients{}
		return fromLinear(l), true
	}
	l.Idx, l.Val = slices.Clone(l.Idx), slices.Clone(l.Val)
	return fromLinear(l), true
}

// keptRoom is how many coefficients are copied rather than handed over.
const keptRoom = 1 << 14

// sumOf is the affine function of the coefficients from a place on, in their
// room; ok is false if not all of it is finite.
func (ev *evaluator) sumOf(n *node, to *coefficients, from int) (l dc.Linear, ok bool) {
	idx, val := to.idx[from:], to.val[from:]
	sum, last, plain := to.c-to.c, -1, true
	for k, v := range val {
		sum += v - v
		plain = plain && v != 0 && idx[k] > last
		last = idx[k]
	}
	ev.spend(n, unitsCoeff*len(idx))
	if sum != 0 {
		return dc.Linear{}, false
	}
	if plain {
		return ev.model.Own(dc.Linear{Idx: idx, Val: val, Const: to.c}), true
	}
	return ev.model.Own(dc.NewLinear(idx, val, to.c)), true
}

// affineFamily is the array of the members of a family of affine grade, unless
// they are all constant or something is to be reported.
func (ev *evaluator) affineFamily(s *statement, shape []int) (v value, ok bool) {
	var to coefficients
	var ends []int
	var consts []float64
	ok = true
	ev.loop(s.value, s.binders, nil, func() {
		from := len(to.idx)
		to.c = 0
		if ok = ok && ev.gather(s.value, 1, &to); !ok {
			return
		}
		var l dc.Linear
		l, ok = ev.sumOf(s.value, &to, from)
		to.idx, to.val = to.idx[:from+len(l.Idx)], to.val[:from+len(l.Idx)]
		ends, consts = append(ends, len(to.idx)), append(consts, l.Const)
	})
	if !ok || len(to.idx) == 0 {
		return value{}, false
	}
	rows := make([]dc.Linear, len(ends))
	from := 0
	for k, end := range ends {
		rows[k] = ev.model.Own(dc.Linear{Idx: to.idx[from:end:end], Val: to.val[from:end:end], Const: consts[k]})
		from = end
	}
	return fromAffine(dc.Entries(rows...).Reshape(shape...)), true
}
