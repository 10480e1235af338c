package verify

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

// flatten states a problem by columns. A row or an objective with a function that has no
// bounds by columns is a fault: a row may be left out, as that only weakens bounds.
// box has the bounds of the variables.
func flatten(p *Problem, box []safe.Span) (f *flat, err error) {
	f = newFlat(p.n, box)
	defer safe.Catch(&err)
	f.cost = f.of(p.objective)
	if p.Maximize {
		f.cost = f.scale(f.cost, safe.Just(-1))
	}
	for _, r := range p.rows {
		if r.sides == safe.Whole() {
			continue
		}
		if l, err := f.try(r.e); err == nil {
			f.rows = append(f.rows, f.unsquared(flatRow{l, r.sides}))
		}
	}
	return f, nil
}

// unsquared is the row of an argument where r says that a function of it without a negative value
// is 0.
func (f *flat) unsquared(r flatRow) flatRow {
	l := &r.lin
	if len(l.idx) != 1 || l.idx[0] < f.n || l.constant() != (safe.Span{}) ||
		!(l.val[0].Lo > 0 && r.sides.Hi == 0 || l.val[0].Hi < 0 && r.sides.Lo == 0) {
		return r
	}
	if c := f.cols[l.idx[0]-f.n]; c.of.Kind == safe.Square || c.of.Kind == safe.Abs || c.of.Kind == safe.Even {
		return flatRow{only(c.a), safe.Span{}}
	}
	return r
}

// try is of, with an error for a function without bounds.
func (f *flat) try(e *expr) (l form, err error) {
	defer safe.Catch(&err)
	return f.of(e), nil
}

// all is each of several expressions.
func (f *flat) all(es []*expr) []form {
	ls := make([]form, len(es))
	for k, e := range es {
		ls[k] = f.of(e)
	}
	return ls
}

func (f *flat) each(es []*expr, k safe.Kind, p float64) form {
	ls := f.all(es)
	for i, l := range ls {
		ls[i] = f.single(k, p, l)
	}
	return f.weighted(ls, slices.Repeat([]float64{1}, len(ls))...)
}

// beneath puts a bundle under a function l that is at least the bundle − off.
func (f *flat) beneath(l form, b *bundle, off float64) form {
	if len(l.idx) == 0 {
		return l
	}
	j, err := f.column(l)
	if off = safe.Above(off, err.Magnitude().Hi); j < f.n || slices.Max(b.args) >= j || math.IsInf(off, 1) {
		return l
	}
	c := &f.cols[j-f.n]
	c.under, c.off = b, off
	out := only(j)
	out.err = err
	return out
}

// exactColumns are columns that equal expressions.
func (f *flat) exactColumns(es []*expr) []int {
	var cols []int
	for _, e := range es {
		cols = append(cols, f.exactly(f.of(e)))
	}
	return cols
}

// of is an expression over columns.
func (f *flat) of(e *expr) form {
	switch e.op {
	case opConst:
		return form{c: e.num}
	case opVar:
		if r := f.along; r != nil {
			return f.scale(form{idx: []int{0}, val: []safe.Span{safe.Just(r.d[e.k])}, c: r.x[e.k]}, safe.Just(1))
		}
		return only(e.k)
	}
	if l, ok := f.memo[e]; ok {
		return l
	}
	var l form
	if v, ok := e.fixed(); ok {
		l = form{err: v}.centred()
	} else {
		l = f.make(e)
	}
	f.memo[e] = l
	return l
}

// columnsOf are columns, and off plus the largest differences of expressions and them.
func (f *flat) columnsOf(es []*expr, off float64) ([]int, float64) {
	var cols []int
	for _, e := range es {
		j, err := f.column(f.of(e))
		cols, off = append(cols, j), safe.Above(off, err.Magnitude().Hi)
	}
	return cols, off
}

func (f *flat) make(e *expr) form {
	switch e.op {
	case opSum:
		return f.weighted(f.all(e.args), e.weights...)
	case opMul:
		u, v := e.args[0], e.args[1]
		if w := v.args; v.op == opPower && v.num == -1 && w[0].op == opMul && w[0].args[0] == u && w[0].args[1] == u {
			l := f.of(u) // u/u² within bounds that show the sign of u
			for _, sign := range [2]float64{1, -1} {
				if l := f.scale(l, safe.Just(sign)); f.reach(l).Lo >= 0 {
					return f.scale(f.single(safe.Power, -1, l), safe.Just(sign))
				}
			}
		}
		for _, sign := range [2]float64{1, -1} {
			for _, by := range [2][2]*expr{{u, v}, {v, u}} {
				if l, ok := f.timesLogs(scaled(sign, by[0]), scaled(sign, by[1])); ok {
					return l
				}
			}
		}
		return f.product(f.of(u), f.of(v))
	case opPower:
		if l, ok := f.powerOfPower(e); ok {
			return l
		}
		_, _, straight := affine(e.args[0])
		return f.power(f.of(e.args[0]), e.num, straight)
	case opCurve:
		if !e.is(safe.Log) {
			return f.single(safe.Kind(e.k), e.num, f.of(e.args[0]))
		}
		parts, c := f.logs(e.args[0])
		ls, ws := []form{form{err: c}.centred()}, []safe.Span{safe.Just(1)}
		for _, p := range parts {
			ls, ws = append(ls, f.single(safe.Log, 0, f.of(p.e))), append(ws, p.w)
		}
		return f.add(ls, ws)
	case opMax:
		return f.largest(f.undominated(f.all(e.args)))
	case opNorm:
		if e.num != 2 {
			return f.single(safe.Power, 1/e.num, f.each(e.args, safe.Even, e.num))
		}
		cols, off := f.columnsOf(e.args, 0)
		return f.beneath(f.single(safe.Power, 0.5, f.each(e.args, safe.Square, 0)), &bundle{safe.Norm, cols}, off)
	case opLSE:
		cols, off := f.columnsOf(e.args, 0)
		return f.beneath(f.single(safe.Log, 0, f.each(e.args, safe.Exp, 0)), &bundle{safe.LogSumExp, cols}, off)
	case opLargest:
		return f.sumLargest(e)
	case opGeo:
		out := form{c: 1}
		for k, a := range e.args {
			if e.weights[k] > 0 {
				out = f.product(out, f.power(f.of(a), e.weights[k], false))
			}
		}
		return out
	case opQuadOver:
		last := len(e.args) - 1
		square := f.exactly(f.each(e.args[:last], safe.Square, 0))
		cols := f.exactColumns(e.args)
		inverse := f.exactly(f.single(safe.Power, -1, only(cols[last])))
		return f.beneath(f.pair(square, inverse), &bundle{safe.SquareOver, cols}, 0)
	case opKL:
		cols := f.exactColumns(e.args)
		u, v := cols[0], cols[1]
		j := f.pair(u, f.exactly(f.single(safe.Log, 0, only(v))))
		all := f.weighted([]form{f.single(safe.Entropy, 0, only(u)), j, only(u), only(v)}, -1, -1, -1, 1)
		return f.beneath(only(f.exactly(all)), &bundle{safe.Divergence, cols}, 0)
	}
	safe.Fail("a function of a matrix has no bounds by columns")
	return form{}
}

// power is uᵖ, by the columns that the writer of proofs makes of it. affine: u is so in the
// variables.
func (f *flat) power(u form, p float64, affine bool) form {
	a, odd := f.reach(u), math.Mod(p, 2) != 0
	straight := affine || a.Lo >= 0 || a.Hi <= 0
	switch {
	case p == 0:
		return form{c: 1}
	case p == 1:
		return u
	case p == 2:
		return f.single(safe.Square, 0, u)
	case p < 1:
		return f.single(safe.Power, p, u)
	case p != math.Trunc(p): // its domain is a row
		if len(u.idx) > 0 {
			f.rows = append(f.rows, flatRow{u, safe.Positive})
		}
		return f.single(safe.PosPower, p, u)
	case odd && straight:
		part := func(sign float64) form { return f.single(safe.PosPower, p, f.scale(u, safe.Just(sign))) }
		return f.weighted([]form{part(1), part(-1)}, 1, -1)
	case odd:
		return f.product(u, f.power(f.power(u, (p-1)/2, false), 2, false))
	case p == 4 && affine, !straight:
		return f.power(f.power(u, p/2, false), 2, false)
	}
	return f.single(safe.PosPower, p, f.single(safe.Abs, 0, u))
}

// larger is (u + v + |u − v|)/2.
func (f *flat) larger(u, v form) form {
	d := f.weighted([]form{u, v}, 1, -1)
	return f.weighted([]form{u, v, f.single(safe.Abs, 0, d)}, 0.5, 0.5, 0.5)
}

func (f *flat) largest(us []form) form {
	if len(us) == 1 {
		return us[0]
	}
	args := make([]int, len(us))
	off := 0.0
	for k, u := range us {
		var err safe.Span
		args[k], err = f.column(u)
		off = max(off, err.Magnitude().Hi)
	}
	half := len(us) / 2
	l := f.larger(f.part(us[:half]), f.part(us[half:]))
	j, err := f.column(l)
	l = only(j)
	l.err = err
	return f.beneath(l, &bundle{safe.Largest, args}, off)
}

// part is the largest of some of several: two have no column of their own.
func (f *flat) part(us []form) form {
	if len(us) == 2 {
		return f.larger(us[0], us[1])
	}
	return f.largest(us)
}

// undominated leaves out functions that are nowhere the largest, by their ranges.
func (f *flat) undominated(us []form) (out []form) {
	top := math.Inf(-1)
	for _, u := range us {
		top = max(top, f.reach(u).Lo)
	}
	first := true // of those that reach no further than the top
	for _, u := range us {
		a := f.reach(u)
		if more := a.Hi > top; more || a.Lo >= top && first {
			out, first = append(out, u), first && more
		}
	}
	return out
}

func (f *flat) sumLargest(e *expr) form {
	us := f.all(e.args)
	n := len(us)
	if e.k*n > 5000 {
		safe.Fail("a sum of the largest of %d has no bounds by columns", n)
	}
	var out form
	for r := range min(e.k, n) {
		for i := range n - 1 - r {
			u, v := us[i], us[i+1]
			us[i+1] = f.larger(u, v)
			us[i] = f.weighted([]form{u, v, us[i+1]}, 1, 1, -1)
		}
		out = f.weighted([]form{out, us[n-1-r]}, 1, 1)
	}
	return out
}
