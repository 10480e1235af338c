package verify

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/verify/internal/safe"
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
	// least: one is broken by at least so much. excess is at most the largest violation in units of
	// rows.
	least, excess float64
	// named: the row that a result names is broken by at most so much; −Inf where there is none.
	named float64
}

// Evaluate encloses the objective and the violations at a point, of the length and order of
// the file's variables.
func (p *Problem) Evaluate(x []float64) (out Point, err error) {
	defer safe.Catch(&err)
	return p.measure(newValues(x, false), ""), nil
}

// measure is Evaluate, and looks at a row of a name; an expression that cannot be evaluated is a
// fault.
func (p *Problem) measure(v *values, named string) (out Point) {
	out.named = math.Inf(-1)
	broken := func(amount safe.Ball, unit float64, name string, is bool) {
		lo, hi := amount.Floats()
		if out.least = max(out.least, lo); hi > out.Violation {
			out.Violation, out.Worst = hi, name
		}
		if out.excess = max(out.excess, lo/unit); is {
			out.named = max(out.named, hi)
		}
	}
	sides := func(b safe.Ball, in safe.Span, unit func(side float64) float64, name string, is bool) {
		if math.IsInf(in.Lo, 1) || math.IsInf(in.Hi, -1) {
			// nothing keeps it: by convention broken by 1, and any number of units
			broken(safe.Exactly(1), 0, name, is)
			return
		}
		if !math.IsInf(in.Hi, 1) {
			broken(b.Sub(safe.Exactly(in.Hi)), unit(in.Hi), name, is)
		}
		if !math.IsInf(in.Lo, -1) {
			broken(safe.Exactly(in.Lo).Sub(b), unit(in.Lo), name, is)
		}
	}
	family, _, _ := strings.Cut(named, "[")
	for _, w := range p.vars {
		is := named == w.name || named == w.of || family == "bounds("+w.name+")"
		for _, j := range w.at {
			if j >= 0 {
				unit := func(side float64) float64 { return unitOf(math.Abs(v.x[j]), math.Abs(p.usual[j]), side) }
				sides(safe.Exactly(v.x[j]), p.box[j], unit, "bounds of "+w.name, is)
			}
		}
	}
	for i := range p.rows {
		r := &p.rows[i]
		if r.sides == safe.Whole() {
			continue
		}
		is := named == r.name || named == r.whole
		b, domain, err := enclose(r.e, v)
		switch {
		case err != nil:
			safe.Fail("constraint %s: %w", r.name, err)
		case domain != "":
			out.Outside = domain
			broken(safe.Ball{Lo: safe.Upper().SetInf(false), Hi: safe.Upper().SetInf(false)}, 1, r.name, is)
		default:
			sides(b, r.sides, func(side float64) float64 { return r.unit(v, side) }, r.name, is)
		}
	}
	b, domain, err := enclose(p.objective, v)
	switch {
	case err != nil:
		safe.Raise(err)
	case domain != "":
		out.Outside, out.Lo, out.Hi = domain, math.Inf(-1), math.Inf(1)
	default:
		out.Lo, out.Hi = b.Floats()
	}
	out.Violation = max(out.Violation, v.short)
	if named == "domain of the objective" {
		out.named = 0
	}
	if out.named > math.Inf(-1) { // whichever function it is
		out.named = max(out.named, v.short)
	}
	return out
}

// enclose is the value of an expression, or the function that has none at the point.
func enclose(e *expr, v *values) (b safe.Ball, domain string, err error) {
	defer func() {
		var d safe.DomainError
		if wrong := safe.Caught(recover()); errors.As(wrong, &d) {
			domain = d.What
		} else if wrong != nil {
			err = wrong
		}
	}()
	return v.of(e), "", nil
}

// leastUnit is the least unit of a row, in units at the usual point. Source: docs/json.md, The unit
// of a row.
const leastUnit = 1e-3

// unit is the unit of a side of a row at a point.
func (r *row) unit(v *values, side float64) float64 {
	_, most := v.sizes(r.e)
	return unitOf(most, r.usual, side-r.e.summands().c.Mid())
}

// unitOf is the unit of a side of a row with terms of a size at a point, and of another one at the
// usual point.
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
			for _, b := range [2]float64{p.box[j].Lo, p.box[j].Hi} {
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
			if (k%2 == 1 || u > p.box[j].Hi) && -u >= p.box[j].Lo {
				u = -u
			}
			x[j] = p.box[j].Clip(u)
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

// sizes are the sum of the sizes of an expression's summands, and the largest, of those that have a
// value at the point.
func (v *values) sizes(e *expr) (sum, most float64) {
	for _, t := range e.summands().terms {
		if b, outside, err := enclose(t.e, v); outside == "" && err == nil {
			if s := math.Abs(t.w.Mid() * b.Span().Mid()); s < math.Inf(1) {
				sum, most = sum+s, max(most, s)
			}
		}
	}
	return sum, most
}

// values are those of expressions at a point, each computed once. If they round, each encloses the
// values that float64 arithmetic gives in any order of the terms.
type values struct {
	x      []float64
	rounds bool
	memo   map[*expr]safe.Ball
	short  float64 // how far arguments may be outside domains by rounding
	reach  float64 // see inside
	inner  float64 // how far inside it moves arguments at the open ends of domains
}

func newValues(x []float64, rounds bool) *values {
	return &values{x: x, rounds: rounds, memo: map[*expr]safe.Ball{}}
}

// of evaluates an expression. A function without a value at the point is a fault.
func (v *values) of(e *expr) safe.Ball {
	switch out, ok := v.memo[e]; {
	case ok:
		return out
	case e.op == opVar:
		return safe.Exactly(v.x[e.k])
	case e.op == opConst:
		if math.IsInf(e.num, 0) || math.IsNaN(e.num) {
			safe.Fail("a number is %g", e.num)
		}
		b := safe.Exactly(e.num)
		if v.rounds && e.off > 0 {
			b = b.Wide(safe.Upper().SetFloat64(e.off))
		}
		return b
	}
	args := make([]safe.Ball, len(e.args))
	for k, a := range e.args {
		args[k] = v.of(a)
	}
	switch {
	case v.reach > 0:
		v.inside(e, args)
	case v.rounds:
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
func (v *values) mid(e *expr) float64 { return v.of(e).Span().Mid() }

// rounding is the relative error of an operation of float64 arithmetic with n terms. Source: n + 1
// half units in the last place for sums in any order, and 32 for elementary functions, whose tests
// allow a few.
func rounding(n int) float64 { return float64(n+33) * 0x1p-53 }

// rounded widens a value of e by the rounding errors of its parts.
func (e *expr) rounded(args []safe.Ball, b safe.Ball) safe.Ball {
	size := safe.Upper().Set(b.Abs().Hi)
	errorOf := func(size *big.Float, n int) *big.Float {
		return safe.Upper().Mul(size, safe.Upper().SetFloat64(rounding(n)))
	}
	add := func(w float64, a safe.Ball) {
		size.Add(size, safe.Upper().Mul(safe.Upper().SetFloat64(math.Abs(w)), a.Abs().Hi))
	}
	switch e.op {
	case opSum:
		for k, a := range args {
			add(e.weights[k], a)
		}
	case opKL:
		add(1, args[0])
		add(1, args[1])
	case opLSE:
		add(1, safe.LargestOf(args))
		add(1, safe.Exactly(1))
	case opLargest: // of those that may be among them
		ends := slices.SortedFunc(slices.Values(args), func(a, b safe.Ball) int { return b.Lo.Cmp(a.Lo) })
		for _, a := range args {
			if a.Hi.Cmp(ends[e.k-1].Lo) >= 0 {
				add(1, a)
			}
		}
	case opCurve:
		f := &safe.Curves[e.k]
		if _, most := args[0].Abs().Floats(); f.Size != nil {
			add(f.Size(most, e.num), safe.Exactly(1))
		}
		if f.Plain != nil { // of one number of size 1 and of an argument that is rounded before
			b = e.combine([]safe.Ball{args[0].Wide(safe.Upper().SetMantExp(args[0].Abs().Hi, -52))})
			add(1, safe.Exactly(1))
		}
	case opEigen, opLogDet, opRoots, opMatFrac: // by rounding errors of the matrix
		all := errorOf(safe.SumOfAll(args, safe.Ball.Abs).Hi, e.k)
		wide := make([]safe.Ball, len(args))
		for k, a := range args {
			wide[k] = a.Wide(all)
		}
		b = e.combine(wide)
	}
	return b.Wide(errorOf(size, len(args)))
}

// clip moves arguments to the end of a domain that they are beyond by rounding errors.
func (v *values) clip(e *expr, args []safe.Ball) {
	switch e.op {
	case opPower:
		if e.num == math.Trunc(e.num) {
			return
		}
	case opGeo, opKL:
	case opCurve: // that has a value at the end
		if c := (safe.Function{Kind: safe.Kind(e.k)}); c.Domain().Lo != 0 || !c.Value(0).Finite() {
			return
		}
	default:
		return
	}
	for k, a := range args {
		if a.Lo.Sign() < 0 && a.Hi.Sign() >= 0 {
			_, off := a.Neg().Floats()
			v.short, args[k].Lo = max(v.short, off), safe.Lower()
		}
	}
}

// inside moves arguments that are beyond a domain by no more than reach to its end; where open says
// so, into a domain without its end.
func (v *values) inside(e *expr, args []safe.Ball) {
	first, closed := 0, true
	switch e.op {
	case opPower:
		if closed = e.num > 0; closed && e.num == math.Trunc(e.num) {
			return
		}
	case opGeo, opKL:
		closed = e.op == opGeo
	case opQuadOver:
		first, closed = len(args)-1, false
	case opCurve:
		c := safe.Function{Kind: safe.Kind(e.k)}
		if closed = c.Value(0).Finite(); c.Domain().Lo != 0 {
			return
		}
	default:
		return
	}
	end := safe.Exactly(0)
	if !closed {
		end = safe.Exactly(v.inner)
	}
	for k, a := range args[first:] {
		if _, off := a.Neg().Floats(); a.Lo.Sign() <= 0 && off <= v.reach {
			v.short, args[first+k] = max(v.short, off), end
		}
	}
}

// combine is the operation on values of the arguments.
func (e *expr) combine(a []safe.Ball) safe.Ball {
	switch e.op {
	case opSum:
		out := safe.Exactly(0)
		for k := range a {
			out = out.Add(a[k].Mul(safe.Exactly(e.weights[k])))
		}
		return out
	case opMul:
		if e.args[0] == e.args[1] {
			return a[0].Square()
		}
		return a[0].Mul(a[1])
	case opPower:
		return a[0].Power(e.num)
	case opCurve:
		return safe.Curves[e.k].Exact(a[0], e.num)
	case opMax:
		return safe.LargestOf(a)
	case opNorm:
		return safe.SumOfAll(a, func(b safe.Ball) safe.Ball { return b.Abs().Power(e.num) }).Root(e.num)
	case opLSE:
		top := safe.Ball{Lo: safe.LargestOf(a).Lo, Hi: safe.LargestOf(a).Lo}
		return safe.SumOfAll(a, func(b safe.Ball) safe.Ball { return b.Sub(top).Exp() }).Log().Add(top)
	case opLargest:
		return safe.SumOfLargest(a, e.k)
	case opGeo:
		out := safe.Exactly(1)
		for k := range a {
			if e.weights[k] > 0 {
				out = out.Mul(a[k].Power(e.weights[k]))
			}
		}
		return out
	case opQuadOver:
		n := len(a) - 1
		if a[n].Lo.Sign() <= 0 {
			safe.Outside("quadoverlin")
		}
		return safe.SumOfAll(a[:n], safe.Ball.Square).Mul(a[n].Inverse())
	case opKL:
		if a[1].Lo.Sign() <= 0 || a[0].Lo.Sign() < 0 {
			safe.Outside("kl")
		}
		return a[0].Mul(a[1].Inverse()).TimesLog().Mul(a[1]).Sub(a[0]).Add(a[1])
	}
	return e.ofMatrix(a)
}

// gram is AᵀA of a matrix with n columns.
func gram(a []safe.Ball, n int) []safe.Ball {
	out := make([]safe.Ball, n*n)
	for i := range n {
		for j := range n {
			s := safe.Exactly(0)
			for r := 0; r < len(a); r += n {
				s = s.Add(a[r+i].Mul(a[r+j]))
			}
			out[i*n+j] = s
		}
	}
	return out
}

// ofMatrix is a function of a matrix, all but one by its eigenvalues.
func (e *expr) ofMatrix(a []safe.Ball) safe.Ball {
	if e.op == opMatFrac { // Σ over columns of xᵀP⁻¹x, by the solution of P·Z = X
		return safe.MatFrac(a[:e.k*e.k], a[e.k*e.k:], e.k, int(e.num))
	}
	if e.op == opRoots { // of AᵀA: in float64 its rounding errors would count by their roots
		a = gram(a, e.k)
	}
	ev := safe.Eigenvalues(a, e.k)
	slices.Reverse(ev)
	if e.op == opEigen {
		ev = ev[:min(len(ev), int(e.num))]
	}
	return safe.SumOfAll(ev, func(v safe.Ball) safe.Ball {
		switch e.op {
		case opLogDet:
			if v.Lo.Sign() <= 0 {
				safe.Outside("logdet")
			}
			return v.Log()
		case opRoots:
			return v.Max(safe.Exactly(0)).Sqrt()
		}
		return v
	})
}
