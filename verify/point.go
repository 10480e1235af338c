package verify

import (
	"errors"
	"math"
	"math/big"
	"slices"
)

// Point is an evaluation of a point. The objective lies between Lo and Hi.
type Point struct {
	Lo, Hi float64
	// Violation: no bound or constraint is broken by more. Worst names one that is broken by
	// about so much.
	Violation float64
	Worst     string
	// Outside says which function has no value at the point; "" where all have one.
	Outside string
	// least: one is broken by at least so much. excess is at most the largest violation in units of rows.
	least, excess float64
}

// floats rounds an interval outward.
func (a ball) floats() (lo, hi float64) {
	lo, acc := a.lo.Float64()
	if acc == big.Above {
		lo = math.Nextafter(lo, math.Inf(-1))
	}
	hi, acc = a.hi.Float64()
	if acc == big.Below {
		hi = math.Nextafter(hi, math.Inf(1))
	}
	return lo, hi
}

func (a ball) span() span {
	lo, hi := a.floats()
	return span{lo, hi}
}

// Evaluate encloses the objective and the violations at a point, of the length and order of
// the file's variables.
func (p *Problem) Evaluate(x []float64) (out Point, err error) {
	defer catch(&err)
	return p.measure(newValues(x, false)), nil
}

// measure is Evaluate; an expression that cannot be evaluated is a fault.
func (p *Problem) measure(v *values) (out Point) {
	broken := func(amount ball, unit float64, name string) {
		lo, hi := amount.floats()
		if out.least = max(out.least, lo); hi > out.Violation {
			out.Violation, out.Worst = hi, name
		}
		out.excess = max(out.excess, lo/unit)
	}
	never := func(name string) { broken(ball{upper().SetInf(false), upper().SetInf(false)}, 1, name) }
	sides := func(b ball, in span, size, other float64, name string) {
		if math.IsInf(in.lo, 1) || math.IsInf(in.hi, -1) {
			broken(exactly(1), 0, name) // nothing keeps it: by convention it is broken by 1, and by any number of units
			return
		}
		if !math.IsInf(in.hi, 1) {
			broken(b.sub(exactly(in.hi)), unitOf(size, other, in.hi), name)
		}
		if !math.IsInf(in.lo, -1) {
			broken(exactly(in.lo).sub(b), unitOf(size, other, in.lo), name)
		}
	}
	for _, w := range p.vars {
		for _, j := range w.at {
			if j >= 0 {
				sides(exactly(v.x[j]), p.box[j], math.Abs(v.x[j]), math.Abs(p.usual[j]), "bounds of "+w.name)
			}
		}
	}
	for i := range p.rows {
		r := &p.rows[i]
		if r.sides == whole() {
			continue
		}
		b, domain, err := enclose(r.e, v)
		switch {
		case err != nil:
			fail("constraint %s: %w", r.name, err)
		case domain != "":
			out.Outside = domain
			never(r.name)
		default:
			sides(b, r.sides, largestTerm(r.e, v), r.usual, r.name)
		}
	}
	b, domain, err := enclose(p.objective, v)
	switch {
	case err != nil:
		panic(fault{err})
	case domain != "":
		out.Outside, out.Lo, out.Hi = domain, math.Inf(-1), math.Inf(1)
	default:
		out.Lo, out.Hi = b.floats()
	}
	out.Violation = max(out.Violation, v.short)
	return out
}

// enclose is the value of an expression, or the function that has none at the point.
func enclose(e *expr, v *values) (b ball, domain string, err error) {
	defer func() {
		var d domainError
		if wrong := caught(recover()); errors.As(wrong, &d) {
			domain = d.what
		} else if wrong != nil {
			err = wrong
		}
	}()
	return v.of(e), "", nil
}

// terms are those of a sum, or the one that an expression is.
func (e *expr) terms() (args []*expr, weights []float64) {
	if e.op == opSum {
		return e.args, e.weights
	}
	return []*expr{e}, []float64{1}
}

// largestTerm is the largest summand of a row at a point, of those that have a value there.
func largestTerm(e *expr, v *values) (size float64) {
	args, weights := e.terms()
	for k, a := range args {
		if b, outside, err := enclose(a, v); outside == "" && err == nil {
			if s := math.Abs(weights[k] * b.span().mid()); s < math.Inf(1) {
				size = max(size, s)
			}
		}
	}
	return size
}

// leastUnit is the least unit of a row, in units at the usual point. Source: docs/json.md, The unit
// of a row.
const leastUnit = 1e-3

// unitOf is the unit of a side of a row with terms of a size at a point, and of another one at the usual point.
func unitOf(size, usual, side float64) float64 {
	side = math.Abs(side)
	return max(rowUnit(max(size, side)), rowUnit(max(usual, side))*leastUnit)
}

// usualPoint has variables of the size of their starts and bounds, by the rule of docs/json.md, The
// unit of a row.
func (p *Problem) usualPoint() []float64 {
	x := make([]float64, p.n)
	entry := 0
	for _, v := range p.vars {
		size := 0.0
		for _, j := range v.at {
			if j < 0 {
				continue
			}
			for _, b := range [2]float64{p.box[j].lo, p.box[j].hi} {
				if !math.IsInf(b, 0) {
					size = max(size, math.Abs(b))
				}
			}
		}
		if v.start > 0 && size > 0 {
			size = min(size, v.start)
		} else if size = max(size, v.start); size == 0 {
			size = 1
		}
		for k, j := range v.at {
			entry++
			if j < 0 {
				continue
			}
			_, u := math.Modf(float64(entry) * math.Phi)
			u = size * (1 + u) / 2
			if (k%2 == 1 || u > p.box[j].hi) && -u >= p.box[j].lo {
				u = -u
			}
			x[j] = p.box[j].clip(u)
		}
	}
	return x
}

// rowUnit is the unit of a row by its largest term: the power of 1024 next to it, at most 1.
// Source: docs/json.md.
func rowUnit(size float64) float64 {
	if !(size > 0) || math.IsInf(size, 1) {
		return 1
	}
	return min(1, math.Ldexp(1, 10*int(math.Floor(math.Log2(size)/10+0.5))))
}

// values are those of expressions at a point, each computed once. If they round, each encloses the
// values that float64 arithmetic gives in any order of the terms.
type values struct {
	x      []float64
	rounds bool
	memo   map[*expr]ball
	sizes  map[*expr]float64 // see variation
	short  float64           // how far arguments may be outside domains by rounding
}

func newValues(x []float64, rounds bool) *values {
	return &values{x: x, rounds: rounds, memo: map[*expr]ball{}, sizes: map[*expr]float64{}}
}

// of evaluates an expression. A function without a value at the point is a fault.
func (v *values) of(e *expr) ball {
	switch out, ok := v.memo[e]; {
	case ok:
		return out
	case e.op == opVar:
		return exactly(v.x[e.k])
	case e.op == opConst:
		if math.IsInf(e.num, 0) || math.IsNaN(e.num) {
			fail("a number is %g", e.num)
		}
		return exactly(e.num)
	}
	args := make([]ball, len(e.args))
	for k, a := range e.args {
		args[k] = v.of(a)
	}
	if v.rounds {
		v.clip(e, args)
	}
	b := e.combine(args)
	if v.rounds {
		b = e.rounded(args, b)
	}
	v.memo[e] = b
	return b
}

// mid is a number in the middle of a value.
func (v *values) mid(e *expr) float64 { return v.of(e).span().mid() }

// rounding is the relative error of an operation of float64 arithmetic with n terms. Source: n + 1 half units in the last place
// for sums in any order, and 32 for elementary functions, whose tests allow a few.
func rounding(n int) float64 { return float64(n+33) * 0x1p-53 }

// rounded widens a value of e by the rounding errors of its parts.
func (e *expr) rounded(args []ball, b ball) ball {
	size := upper().Set(b.abs().hi)
	errorOf := func(size *big.Float, n int) *big.Float { return upper().Mul(size, upper().SetFloat64(rounding(n))) }
	add := func(w float64, a ball) { size.Add(size, upper().Mul(upper().SetFloat64(math.Abs(w)), a.abs().hi)) }
	switch e.op {
	case opSum:
		for k, a := range args {
			add(e.weights[k], a)
		}
	case opKL:
		add(1, args[0])
		add(1, args[1])
	case opLSE:
		add(1, largestOf(args))
		add(1, exactly(1))
	case opLargest: // of those that may be among them
		ends := slices.SortedFunc(slices.Values(args), func(a, b ball) int { return b.lo.Cmp(a.lo) })
		for _, a := range args {
			if a.hi.Cmp(ends[e.k-1].lo) >= 0 {
				add(1, a)
			}
		}
	case opCurve:
		f := &curves[e.k]
		if _, most := args[0].abs().floats(); f.size != nil {
			add(f.size(most, e.num), exactly(1))
		}
		if f.plain != nil { // of one number of size 1 and of an argument that is rounded before
			b = e.combine([]ball{args[0].wide(upper().SetMantExp(args[0].abs().hi, -52))})
			add(1, exactly(1))
		}
	case opEigen, opLogDet, opRoots, opMatFrac: // by rounding errors of the matrix
		all := errorOf(sumOfAll(args, ball.abs).hi, e.k)
		wide := make([]ball, len(args))
		for k, a := range args {
			wide[k] = a.wide(all)
		}
		b = e.combine(wide)
	}
	return b.wide(errorOf(size, len(args)))
}

// clip moves arguments to the end of a domain that they are beyond by rounding errors.
func (v *values) clip(e *expr, args []ball) {
	switch e.op {
	case opPower:
		if e.num == math.Trunc(e.num) {
			return
		}
	case opGeo, opKL:
	case opCurve: // that has a value at the end
		if c := (&column{kind: kind(e.k)}); c.domain().lo != 0 || !c.value(0).finite() {
			return
		}
	default:
		return
	}
	for k, a := range args {
		if a.lo.Sign() < 0 && a.hi.Sign() >= 0 {
			_, off := a.neg().floats()
			v.short, args[k].lo = max(v.short, off), lower()
		}
	}
}

// wide adds an error.
func (a ball) wide(err *big.Float) ball { return ball{lower().Sub(a.lo, err), upper().Add(a.hi, err)} }
