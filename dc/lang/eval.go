package lang

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dcopt/dcopt/dc"
)

// limits keep a small file from asking for a large machine.
type limits struct {
	entries int // of one array
	vars    int // in all
	work    int // units of evaluation: about 10 ns of time and 4 bytes of memory
	pieces  int // affine functions in one maximum
	parts   int // convex functions in one expression
}

func defaultLimits() limits {
	return limits{entries: 1 << 24, vars: 1 << 22, work: 1 << 29, pieces: 1 << 17, parts: 1 << 22}
}

// The units of frequent work.
const (
	unitsNode   = 8 // evaluating a node, or setting an index
	unitsNumber = 2
	unitsCoeff  = 4 // a coefficient of an affine function
)

// symbol is a declared name.
type symbol struct {
	at    span
	value value
	from  string // the data file it was read from, as written
	bad   bool   // its declaration failed, and that was reported
	lost  bool   // it stands in a statement that could not be read
}

// binding is an index with its present value.
type binding struct {
	name string
	at   int
}

// evaluator computes the values of expressions by walking them.
type evaluator struct {
	f       *File
	model   *dc.Model
	names   map[string]*symbol
	indices []binding
	// cache holds what does not depend on an index, while the body of a
	// family or reduction is evaluated many times, and, where keep says so, DC
	// expressions outside of those: they share what is large with their sums.
	cache map[*node]value
	keep  bool
	data  *loader
	// Room that is used again and again.
	stack    []value
	top      int // of the stack
	flatRoom []int
	sumRoom  coefficients
	limits
	spent int
	ended func() error // not nil once the compilation is to stop
	look  int          // the units of work at which ended is asked next
}

// errEnded unwinds a compilation whose context has ended.
var errEnded = errors.New("lang: ended")

// unitsLook is the work between two looks at the context: about 10 ms.
const unitsLook = 1 << 20

// mistake is what unwinds an evaluation.
type mistake struct {
	Diagnostic
	more   []Diagnostic // of other parts of the same expression
	domain bool         // a function has no value for its data
}

// maxMore is how many further mistakes an expression may have.
const maxMore = 2 * maxErrors

// stackSize is how many operands are kept without new memory.
const stackSize = 64

// operands evaluates the terms of a sum or the sides of a constraint, all of them
// even where one has a mistake. The values are good until release.
func (ev *evaluator) operands(ns []*node) []value {
	var out []value
	if ev.stack == nil {
		ev.stack = make([]value, stackSize)
	}
	if top := ev.top + len(ns); top <= len(ev.stack) {
		out = ev.stack[ev.top:top:top]
		ev.top = top
	} else {
		out = make([]value, len(ns))
	}
	var first *mistake
	for k, n := range ns {
		m := ev.attempt(n, &out[k])
		switch {
		case m == nil:
		case first == nil:
			first = m
		case len(first.more) < maxMore:
			first.more = append(append(first.more, m.Diagnostic), m.more...)
			first.domain = first.domain && m.domain
		}
		if m != nil && ev.spent > ev.work {
			break
		}
	}
	if first != nil {
		panic(*first)
	}
	return out
}

// release gives up the operands since the stack had the given height.
func (ev *evaluator) release(top int) {
	clear(ev.stack[top:ev.top]) // they may be large
	ev.top = top
}

// attempt evaluates a node and returns its mistake, if it has one.
func (ev *evaluator) attempt(n *node, v *value) (m *mistake) {
	depth, top := len(ev.indices), ev.top
	defer func() {
		if r := recover(); r != nil {
			found, ok := r.(mistake)
			if !ok {
				panic(r)
			}
			m, ev.indices = &found, ev.indices[:depth]
			ev.release(top)
		}
	}()
	*v = ev.operand(n)
	return nil
}

// fail reports a mistake at a node and unwinds to the statement.
func (ev *evaluator) fail(n *node, help, format string, args ...any) {
	ev.failWith(n, help, nil, format, args...)
}

func (ev *evaluator) failWith(n *node, help string, notes []Note, format string, args ...any) {
	panic(mistake{Diagnostic: ev.diagnostic(n, help, notes, format, args...)})
}

// failDomain reports a function that has no value for its data. A constraint
// with such a function holds nowhere; elsewhere it is a mistake.
func (ev *evaluator) failDomain(n *node, format string, args ...any) {
	panic(mistake{Diagnostic: ev.diagnostic(n, "", nil, format, args...), domain: true})
}

func (ev *evaluator) diagnostic(n *node, help string, notes []Note, format string, args ...any) Diagnostic {
	msg := fmt.Sprintf(format, args...)
	if n.open {
		msg += ev.where()
	}
	return Diagnostic{span: n.span, Help: help, Notes: notes, Message: msg}
}

// where says at which indices the evaluation is.
func (ev *evaluator) where() string {
	if len(ev.indices) == 0 {
		return ""
	}
	parts := make([]string, len(ev.indices))
	for k, b := range ev.indices {
		parts[k] = fmt.Sprintf("%s = %d", b.name, b.at)
	}
	return " (at " + strings.Join(parts, ", ") + ")"
}

// note points at a part of an expression.
func (ev *evaluator) note(n *node, text string) Note {
	return Note{ev.f.place(n.span), text}
}

// say is the source of a node, for messages.
func (ev *evaluator) say(n *node) string { return ev.f.short(n.span) }

// spend counts units of work.
func (ev *evaluator) spend(n *node, units int) {
	if ev.spent += units; units < 0 || ev.spent > ev.look {
		ev.spentMuch(n, units)
	}
}

// spentMuch asks whether the compilation is to go on.
func (ev *evaluator) spentMuch(n *node, units int) {
	if ev.ended() != nil {
		panic(errEnded)
	}
	if units < 0 || ev.spent < 0 || ev.spent > ev.work {
		ev.fail(n, "", "this problem is too large: stating it takes more than %d units of work", ev.work)
	}
	ev.look = min(ev.spent+unitsLook, ev.work)
}

// room refuses arrays that are too large and counts the work of filling one.
func (ev *evaluator) room(n *node, shape []int) int {
	total := ev.fits(n, shape)
	ev.spend(n, unitsNumber*total)
	return total
}

// fits refuses arrays that are too large.
func (ev *evaluator) fits(n *node, shape []int) int {
	total := 1
	for _, d := range shape {
		if d > 0 && total > ev.entries/d {
			ev.fail(n, "", "an array of shape %s is too large; %d entries at most", shapeText(shape), ev.entries)
		}
		total *= d
	}
	return total
}

// eval is the value of n.
func (ev *evaluator) eval(n *node) value {
	if n.op == opNumber {
		return number(n.num)
	}
	ev.spend(n, unitsNode)
	if n.open || n.op == opName || len(ev.indices) == 0 && !ev.keep {
		return ev.compute(n)
	}
	if v, ok := ev.cache[n]; ok {
		return v
	}
	v := ev.compute(n)
	if len(ev.indices) > 0 || v.sort == general {
		ev.cache[n] = v
	}
	return v
}

func (ev *evaluator) compute(n *node) value {
	if (n.open || n.op == opReduce) && n.op != opName {
		if v, ok := ev.graded(n); ok {
			return v
		}
	}
	switch n.op {
	case opString:
		return value{sort: text, str: n.name}
	case opName:
		return ev.lookup(n)
	case opIndex:
		return ev.index(n)
	case opRange:
		lo, hi := ev.ends(n)
		return ev.sequence(n, lo, hi)
	case opCall:
		return ev.call(n)
	case opReduce:
		return ev.reduce(n)
	case opSum:
		top := ev.top
		v := ev.sum(n, ev.operands(n.args))
		ev.release(top)
		return v
	case opMul:
		return ev.multiply(n)
	case opDotMul:
		return ev.times(n, ev.operand(n.args[0]), ev.operand(n.args[1]))
	case opDiv, opDotDiv:
		return ev.divide(n)
	case opPower:
		return ev.power(n)
	case opNeg:
		return ev.scale(n, -1, ev.operand(n.args[0]))
	case opTrans:
		return ev.transpose(n, ev.operand(n.args[0]))
	case opCompare, opAnd, opOr, opNot:
		return ev.condition(n)
	case opChoice:
		return ev.choose(n)
	case opLiteral:
		return ev.literal(n)
	case opMembers, opFilter:
		return vector(ev.set(n))
	}
	ev.fail(n, "", "%s has no value here", ev.say(n)) // opAll
	return value{}
}

// graded is the value of a node with a grade, and of sums over such.
func (ev *evaluator) graded(n *node) (v value, ok bool) {
	switch {
	case n.grade == dataGrade:
		x, ok := ev.number(n)
		return number(x), ok
	case n.grade == affineGrade && n.op != opIndex:
		return ev.affineSum(n)
	case n.op == opReduce && n.name == "sum" && n.args[0].grade == affineGrade:
		return ev.sumOver(n)
	}
	return value{}, false
}

// operand is the value of n where an array of numbers or functions is wanted.
func (ev *evaluator) operand(n *node) value {
	v := ev.eval(n)
	switch v.sort {
	case truth:
		ev.fail(n, "", "%s is a condition, not a number", ev.say(n))
	case text:
		ev.fail(n, "", "a string is no number; did you mean csv(%q)?", v.str)
	}
	return v
}

// numeric is the value of n where data are wanted.
func (ev *evaluator) numeric(n *node, what string) value {
	v := ev.operand(n)
	if v.sort != numbers {
		ev.fail(n, "", "%s must be data, but %s depends on a variable", what, ev.say(n))
	}
	return v
}

// real is a single number.
func (ev *evaluator) real(n *node, what string) float64 {
	if n.grade == dataGrade {
		if x, ok := ev.number(n); ok {
			return x
		}
	}
	v := ev.numeric(n, what)
	if v.len() != 1 {
		ev.fail(n, "", "%s must be one number, but %s is %s", what, ev.say(n), shapeText(v.shape))
	}
	return v.at(0)
}

// is says a number and, where it does not stand there, the expression for it.
func (ev *evaluator) is(n *node, x float64) string {
	if n.op == opNumber {
		return fmt.Sprintf("%g", x)
	}
	return fmt.Sprintf("%g, the value of %s", x, ev.say(n))
}

// nearInteger is how far rounding may have moved a whole number.
const nearInteger = 1e-9

// integer is a single whole number.
func (ev *evaluator) integer(n *node, what string) int {
	x := ev.real(n, what)
	k, ok := whole(x)
	if !ok {
		ev.fail(n, "", "%s must be a whole number, not %s", what, ev.is(n, x))
	}
	return k
}

// whole rounds what is a whole number but for rounding errors, of at most 2^53.
func whole(x float64) (int, bool) {
	r := math.Round(x)
	if !(math.Abs(x-r) <= nearInteger*max(1, math.Abs(x))) || !(math.Abs(r) <= 1<<53) {
		return 0, false
	}
	return int(r), true
}

// lookup is the value of a name; the resolver has seen to it that it exists.
func (ev *evaluator) lookup(n *node) value {
	for k := len(ev.indices) - 1; k >= 0; k-- {
		if ev.indices[k].name == n.name {
			return number(float64(ev.indices[k].at))
		}
	}
	if s, ok := ev.names[n.name]; ok {
		return s.value
	}
	return number(math.Pi) // the only constant
}

// ends are the first and the last number of a range.
func (ev *evaluator) ends(n *node) (lo, hi int) {
	lo = ev.integer(n.args[0], "the start of a range")
	hi = ev.integer(n.args[1], "the end of a range")
	if hi-lo >= ev.work {
		ev.fail(n, "", "the range %s has %d members, too many", ev.say(n), hi-lo+1)
	}
	return lo, hi
}

func (ev *evaluator) sequence(n *node, lo, hi int) value {
	count := max(0, hi-lo+1)
	ev.room(n, []int{count})
	v := make([]float64, count)
	for k := range v {
		v[k] = float64(lo + k)
	}
	return vector(v)
}

// finite refuses numbers that are not.
func (ev *evaluator) finite(n *node, v value) value {
	bad := func(x float64) {
		what := "too large for a number"
		if math.IsNaN(x) {
			what = "not a number"
		}
		if n.fn != nil && n.fn.domain || n.op == opPower && math.IsNaN(x) {
			ev.failDomain(n, "the value of %s is %s", ev.say(n), what)
		}
		ev.fail(n, "", "the value of %s is %s", ev.say(n), what)
	}
	if len(v.shape) == 0 {
		if v.x-v.x != 0 {
			bad(v.x)
		}
		return v
	}
	for _, x := range v.num {
		if x-x != 0 {
			bad(x)
		}
	}
	return v
}

// cause is the text of an error of package dc.
func cause(err error) string {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		if list := j.Unwrap(); len(list) > 0 {
			return cause(list[0])
		}
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return strings.TrimPrefix(err.Error(), "dc: ")
}
