package lang

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/datafile"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
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
// Source: some ten nanoseconds each, see unitsLook.
const (
	unitsNode   = 8 // evaluating a node, or setting an index
	unitsNumber = 2
	unitsCoeff  = 4 // a coefficient of an affine function
)

// symbol is a declared name.
type symbol struct {
	at    syntax.Span
	value value.Value
	from  string // the data file it was read from, as written
	bad   bool   // its declaration failed, and that was reported
	lost  bool   // it stands in a statement that could not be read
}

// binding is an index with its current value.
type binding struct {
	name string
	at   int
	word string // not "": it is this word, and at its place in the set
}

// ofComplex is the place of the rule for nodes that may be complex, behind those of operations.
const ofComplex = syntax.NumOp

// rule computes the value of a node.
type rule func(ev *evaluator, n *syntax.Node) value.Value

// evaluator computes the values of expressions by walking them.
type evaluator struct {
	src     *source
	model   *dc.Model
	names   map[string]*symbol
	indices []binding
	// memos are the nodes that keep their value while a statement is compiled:
	// those in the body of a family or reduction that depend on no index and,
	// if keep is set, DC expressions outside of those: the sum and its terms then
	// share their functions.
	memos []*note
	stamp int // of the statement's memos
	keep  bool
	// all: after a mistake in a term of a sum or a side of a constraint the
	// others are evaluated, too.
	all   bool
	data  *datafile.Loader
	sums  value.Accumulator
	args  []value.Value // of the functions that are being evaluated
	flats []int         // room for the places of entries
	limits
	spent int
	rules *[ofComplex + 1]rule // how each operation is computed, and those of complex numbers
	ctx   context.Context      // of the compilation
	look  int                  // the units of work at which ctx is looked at next
}

// newEvaluator is an evaluator of a source that knows no names yet.
func newEvaluator(ctx context.Context, src *source, m *dc.Model, lim limits, data *datafile.Loader) *evaluator {
	return &evaluator{src: src, model: m, names: map[string]*symbol{}, data: data, rules: &rules, limits: lim, ctx: ctx, look: min(unitsFirst, lim.work)}
}

// noteOf is all that the compilation remembers of a node.
func (ev *evaluator) noteOf(n *syntax.Node) *note { return ev.src.of(n) }

// forget gives up the memos and begins anew.
func (ev *evaluator) forget() {
	for _, n := range ev.memos {
		n.memo = value.Value{}
	}
	clear(ev.args[:cap(ev.args)])
	ev.memos, ev.args, ev.indices = ev.memos[:0], ev.args[:0], ev.indices[:0]
	ev.sums.Reset()
	ev.src.stamp++
	ev.stamp = ev.src.stamp
}

// errEnded unwinds a compilation whose context has ended.
var errEnded = errors.New("lang: ended")

// unitsLook is the work between two looks at the context: less than 1 ms, or some 10 ms where expressions are large.
const unitsLook = 1 << 16

// unitsFirst is the work before the first look, some 10 ms: a small problem is
// compiled even where the context has ended, and its start is an answer.
const unitsFirst = 1 << 20

// mistake is the panic that unwinds an evaluation.
type mistake struct {
	syntax.Mistake
	param  string           // not "": it is about the value of that param in the options, and at no place of the file
	more   []syntax.Mistake // of other parts of the same expression
	domain bool             // a function has no value for its data
}

// maxMore is how many further mistakes an expression may have.
const maxMore = 2 * syntax.MaxErrors

// depth is how far the evaluation has descended into an expression.
type depth struct {
	indices, args int
	sums          value.Mark
}

func (ev *evaluator) depth() depth { return depth{len(ev.indices), len(ev.args), ev.sums.Mark()} }

// unwind goes back to where the evaluation was.
func (ev *evaluator) unwind(at depth) {
	ev.indices, ev.args = ev.indices[:at.indices], ev.args[:at.args]
	ev.sums.BackTo(at.sums)
}

// caught runs f and returns the mistake that unwound it, if any.
func (ev *evaluator) caught(f func()) (m *mistake) {
	at := ev.depth()
	defer func() {
		if r := recover(); r != nil {
			found, ok := r.(mistake)
			if !ok {
				panic(r)
			}
			m = &found
			ev.unwind(at)
		}
	}()
	f()
	return nil
}

// each evaluates count parts by f, all of them even where one has a mistake, if
// that is asked for.
func (ev *evaluator) each(count int, f func(k int)) {
	if !ev.all {
		for k := range count {
			f(k)
		}
		return
	}
	var first *mistake
	for k := range count {
		m := ev.caught(func() { f(k) })
		switch {
		case m == nil:
		case first == nil:
			first = m
		case len(first.more) < maxMore:
			first.more = append(append(first.more, m.Mistake), m.more...)
			first.domain = first.domain && m.domain
		}
		if ev.spent > ev.work {
			break
		}
	}
	if first != nil {
		panic(*first)
	}
}

// fail reports a mistake at a node and unwinds to the statement.
func (ev *evaluator) fail(n *syntax.Node, help, format string, args ...any) {
	ev.failWith(n, help, nil, format, args...)
}

func (ev *evaluator) failWith(n *syntax.Node, help string, notes []syntax.Note, format string, args ...any) {
	panic(mistake{Mistake: ev.mistake(n, help, notes, format, args...)})
}

// failDomain reports a function that has no value for its data. A constraint
// with such a function holds nowhere; elsewhere it is a mistake.
func (ev *evaluator) failDomain(n *syntax.Node, format string, args ...any) {
	panic(mistake{Mistake: ev.mistake(n, "", nil, format, args...), domain: true})
}

func (ev *evaluator) mistake(n *syntax.Node, help string, notes []syntax.Note, format string, args ...any) syntax.Mistake {
	msg := fmt.Sprintf(format, args...)
	if ev.noteOf(n).open {
		msg += ev.where()
	}
	return syntax.Mistake{Span: n.Span, Message: msg, Help: help, Notes: notes}
}

// where says at which indices the evaluation is.
func (ev *evaluator) where() string {
	if len(ev.indices) == 0 {
		return ""
	}
	parts := make([]string, len(ev.indices))
	for k, b := range ev.indices {
		if parts[k] = fmt.Sprintf("%s = %d", b.name, b.at); b.word != "" {
			parts[k] = fmt.Sprintf("%s = %q", b.name, b.word)
		}
	}
	return " (at " + strings.Join(parts, ", ") + ")"
}

// note points at a part of an expression.
func (ev *evaluator) note(n *syntax.Node, text string) syntax.Note {
	return syntax.Note{Span: n.Span, Text: text}
}

// say is the source of a node, for messages.
func (ev *evaluator) say(n *syntax.Node) string { return ev.src.tree.Short(n.Span) }

// is says a number and, where it does not stand there, the expression for it.
func (ev *evaluator) is(n *syntax.Node, x float64) string {
	if n.Op == syntax.OpNumber {
		return fmt.Sprintf("%g", x)
	}
	return fmt.Sprintf("%g, the value of %s", x, ev.say(n))
}

// fromFile says from which file the data of a name come.
func (ev *evaluator) fromFile(n *syntax.Node) string {
	if n.Op == syntax.OpName {
		if s := ev.names[n.Name]; s != nil && s.from != "" {
			return " (from " + s.from + ")"
		}
	}
	return ""
}

// count is "1 index", "2 indices".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// spend counts units of work.
func (ev *evaluator) spend(n *syntax.Node, units int) {
	if ev.spent += units; units < 0 || ev.spent > ev.look {
		ev.spentMuch(n, units)
	}
}

// goOn unwinds the compilation where the error is that of its context.
func (ev *evaluator) goOn(err error) {
	if err != nil {
		panic(errEnded)
	}
}

// patience is the context for work that was counted: of a small problem it does not end.
func (ev *evaluator) patience() context.Context {
	if ev.spent < unitsFirst {
		return context.Background()
	}
	return ev.ctx
}

// spentMuch asks whether the compilation is to go on.
func (ev *evaluator) spentMuch(n *syntax.Node, units int) {
	ev.goOn(ev.ctx.Err())
	if units < 0 || ev.spent < 0 || ev.spent > ev.work {
		ev.fail(n, "", "this problem is too large: stating it takes more than %d units of work", ev.work)
	}
	ev.look = min(ev.spent+unitsLook, ev.work)
}

// afford counts the work of a composition and refuses one that costs too much.
func (ev *evaluator) afford(n *syntax.Node, c value.Cost) value.Cost {
	if c.Pieces > ev.pieces || c.Parts > ev.parts {
		ev.fail(n, "name parts of it as variables, as in t >= part", "the split of %s is too large: more than %d functions", ev.say(n), min(ev.pieces, ev.parts))
	}
	ev.spend(n, min(c.Weight, 1<<20)+min(c.Parts, 1<<20))
	return c
}

// room refuses arrays that are too large and counts the work of filling one.
func (ev *evaluator) room(n *syntax.Node, shape []int) int {
	total := ev.fits(n, shape)
	ev.spend(n, unitsNumber*total)
	return total
}

// fits refuses arrays that are too large.
func (ev *evaluator) fits(n *syntax.Node, shape []int) int {
	total := 1
	for _, d := range shape {
		if d > 0 && total > ev.entries/d {
			ev.fail(n, "", "an array of shape %s is too large; %d entries at most", value.ShapeText(shape), ev.entries)
		}
		total *= d
	}
	return total
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
