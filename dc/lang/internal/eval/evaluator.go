package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/datafile"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/graph"
)

// Limits keep a small file from asking for a large machine.
type Limits struct {
	Entries int // of one array
	Vars    int // in all
	Work    int // units of evaluation: about 10 ns of time and 4 bytes of memory
	Pieces  int // affine functions in one maximum
	Parts   int // convex functions in one expression
}

// DefaultLimits are the limits of every compilation except in tests.
func DefaultLimits() Limits {
	return Limits{Entries: 1 << 24, Vars: 1 << 22, Work: 1 << 29, Pieces: 1 << 17, Parts: 1 << 22}
}

// The units of frequent work.
// Source: some ten nanoseconds each, see unitsLook; of members their memory.
const (
	UnitsNode   = 8 // evaluating a node, or setting an index
	UnitsNumber = 2
	UnitsCoeff  = 4   // a coefficient of an affine function
	UnitsMember = 192 // a member of a set that is no range
)

// Symbol is a declared name.
type Symbol struct {
	At    syntax.Span
	Value value.Value
	From  string // the data file it was read from, as written
	Bad   bool   // its declaration failed, and that was reported
	Lost  bool   // it stands in a statement that could not be read
}

// binding is an index with its current value.
type binding struct {
	Name string
	At   int
	Word string // not "": it is this word, and at its place in the set
}

// rule computes the value of a node.
type rule func(ev *Evaluator, n *syntax.Node) value.Value

// Rules says how each operation is computed.
type Rules [syntax.NumOp]rule

// Evaluator computes the values of expressions by walking them.
type Evaluator struct {
	Src     *Source
	Model   *dc.Model
	Names   map[string]*Symbol
	Indices []binding
	// memos are the nodes that keep their value while a statement is compiled:
	// those in the body of a family or reduction that depend on no index and,
	// if Keep is set, DC expressions outside of those: the sum and its terms then
	// share their functions.
	memos []*note
	stamp int // of the statement's memos
	Keep  bool
	// All: after a mistake in a term of a sum or a side of a constraint the
	// others are evaluated, too.
	All   bool
	Data  *datafile.Loader
	sums  value.Accumulator
	Args  []value.Value // of the functions that are being evaluated
	flats []int         // room for the places of entries
	lists *kept         // columns that batches keep for others of the statement
	// variables of the last affine function that was kept.
	variables []int
	Limits
	spent int
	rules *Rules
	Ctx   context.Context // of the compilation
	look  int             // the units of work at which Ctx is looked at next
}

// kept are columns that stand in several functions, or in loops of a statement over the same range:
// they are made once.
type kept struct {
	lo, n     int
	lists     map[listKey][]float64
	rows      map[rowKey]*graph.Row
	multiples graph.Multiples
}

// listKey is a list of numbers of an array, from one on by a step.
type listKey struct {
	first *float64
	step  int
}

// rowKey are the functions of an array from a place on by a step.
type rowKey struct {
	of          *dc.Expr
	first, step int
}

// New is an evaluator of a source that knows no names yet.
func New(ctx context.Context, src *Source, m *dc.Model, lim Limits, data *datafile.Loader, rules *Rules) *Evaluator {
	return &Evaluator{Src: src, Model: m, Names: map[string]*Symbol{}, Data: data, rules: rules, Limits: lim, Ctx: ctx,
		look: min(unitsFirst, lim.Work)}
}

// NoteOf is all that the compilation remembers of a node.
func (ev *Evaluator) NoteOf(n *syntax.Node) *note { return ev.Src.Of(n) }

// Forget gives up the memos and begins anew.
func (ev *Evaluator) Forget() {
	for _, n := range ev.memos {
		n.memo = value.Value{}
	}
	clear(ev.Args[:cap(ev.Args)])
	ev.memos, ev.Args, ev.Indices = ev.memos[:0], ev.Args[:0], ev.Indices[:0]
	ev.sums.Reset()
	ev.lists = nil
	ev.Src.stamp++
	ev.stamp = ev.Src.stamp
}

// ErrEnded unwinds a compilation whose context has ended.
var ErrEnded = errors.New("lang: ended")

// unitsLook is the work between two looks at the context. Source: a limit of time: less than 1 ms,
// or some 10 ms where expressions are large.
const unitsLook = 1 << 16

// unitsFirst is the work before the first look. Source: a limit of time, some 10 ms: a small
// problem is compiled even where the context has ended, and its start is an answer.
const unitsFirst = 1 << 20

// Mistake is the panic that unwinds an evaluation.
type Mistake struct {
	syntax.Mistake
	Param  string           // not "": it is about the value of that param in the options, and at no place of the file
	More   []syntax.Mistake // of other parts of the same expression
	Domain bool             // a function has no value for its data
	// the same of a quotient, which is a mistake in a constraint, too, where the file itself has
	// the data
	Pole bool
}

// maxMore is how many further mistakes an expression may have.
// Source: derived: some stand at one place, and as many as are shown have to be left.
const maxMore = 2 * syntax.MaxErrors

// depth is how far the evaluation has descended into an expression.
type depth struct {
	indices, args int
	sums          value.Mark
}

func (ev *Evaluator) Depth() depth { return depth{len(ev.Indices), len(ev.Args), ev.sums.Mark()} }

// Unwind goes back to where the evaluation was.
func (ev *Evaluator) Unwind(at depth) {
	ev.Indices, ev.Args = ev.Indices[:at.indices], ev.Args[:at.args]
	ev.sums.BackTo(at.sums)
}

// Caught runs f and returns the mistake that unwound it, if any.
func (ev *Evaluator) Caught(f func()) (m *Mistake) {
	at := ev.Depth()
	defer func() {
		if r := recover(); r != nil {
			found, ok := r.(Mistake)
			if !ok {
				panic(r)
			}
			m = &found
			ev.Unwind(at)
		}
	}()
	f()
	return nil
}

// Each evaluates count parts by f, all of them even where one has a mistake, if
// that is asked for.
func (ev *Evaluator) Each(count int, f func(k int)) {
	if !ev.All {
		for k := range count {
			f(k)
		}
		return
	}
	var first *Mistake
	for k := range count {
		m := ev.Caught(func() { f(k) })
		switch {
		case m == nil:
		case first == nil:
			first = m
		case len(first.More) < maxMore:
			first.More = append(append(first.More, m.Mistake), m.More...)
			first.Domain = first.Domain && m.Domain
			first.Pole = first.Pole || m.Pole
		}
		if ev.spent > ev.Work {
			break
		}
	}
	if first != nil {
		panic(*first)
	}
}

// Fail reports a mistake at a node and unwinds to the statement.
func (ev *Evaluator) Fail(n *syntax.Node, help, format string, args ...any) {
	ev.FailWith(n, help, nil, format, args...)
}

func (ev *Evaluator) FailWith(n *syntax.Node, help string, notes []syntax.Note, format string, args ...any) {
	panic(Mistake{Mistake: ev.mistake(n, help, notes, format, args...)})
}

// FailDomain reports a function that has no value for its data. A constraint
// with such a function holds nowhere; elsewhere it is a mistake.
func (ev *Evaluator) FailDomain(n *syntax.Node, format string, args ...any) {
	panic(Mistake{Mistake: ev.mistake(n, "", nil, format, args...), Domain: true})
}

// failPole reports a division by zero.
func (ev *Evaluator) failPole(n *syntax.Node) {
	panic(Mistake{Mistake: ev.mistake(n, "", nil, "%s is a division by zero", n), Domain: true, Pole: true})
}

func (ev *Evaluator) mistake(n *syntax.Node, help string, notes []syntax.Note, format string,
	args ...any) syntax.Mistake {
	msg := fmt.Sprintf(format, args...)
	if ev.NoteOf(n).Open {
		msg += ev.Where()
	}
	return syntax.Mistake{Span: n.Span, Message: msg, Help: help, Notes: notes}
}

// At are the indices at which the evaluation is, with their values.
func (ev *Evaluator) At() string {
	parts := make([]string, len(ev.Indices))
	for k, b := range ev.Indices {
		if parts[k] = fmt.Sprintf("%s = %d", b.Name, b.At); b.Word != "" {
			parts[k] = b.Name + " = " + syntax.Quoted(b.Word)
		}
	}
	return strings.Join(parts, ", ")
}

// Where says in a message at which indices the evaluation is.
func (ev *Evaluator) Where() string {
	if len(ev.Indices) == 0 {
		return ""
	}
	return " (at " + ev.At() + ")"
}

// Note points at a part of an expression.
func (ev *Evaluator) Note(n *syntax.Node, text string) syntax.Note {
	return syntax.Note{Span: n.Span, Text: text}
}

// Is says a number and, where it does not stand there, the expression for it.
func (ev *Evaluator) Is(n *syntax.Node, x float64) string {
	if n.Op == syntax.OpNumber {
		return fmt.Sprintf("%g", x)
	}
	return fmt.Sprintf("%g, the value of %s", x, n)
}

// FromFile says from which file the data of a name come.
func (ev *Evaluator) FromFile(n *syntax.Node) string {
	if n.Op == syntax.OpName {
		if s := ev.Names[n.Name]; s != nil && s.From != "" {
			return " (from " + s.From + ")"
		}
	}
	return ""
}

// Count is "1 index", "2 indices".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Spend counts units of work.
func (ev *Evaluator) Spend(n *syntax.Node, units int) {
	if ev.spent += units; units < 0 || ev.spent > ev.look {
		ev.spentMuch(n, units)
	}
}

// GoOn unwinds the compilation where the error comes from its context.
func (ev *Evaluator) GoOn(err error) {
	if err != nil {
		panic(ErrEnded)
	}
}

// Patience is the context for work that was counted: of a small problem it does not end.
func (ev *Evaluator) Patience() context.Context {
	if ev.spent < unitsFirst {
		return context.Background()
	}
	return ev.Ctx
}

// spentMuch asks whether the compilation is to go on.
func (ev *Evaluator) spentMuch(n *syntax.Node, units int) {
	ev.GoOn(ev.Ctx.Err())
	if units < 0 || ev.spent < 0 || ev.spent > ev.Work {
		ev.Fail(n, "", "this problem is too large: stating it takes more than %d units of work", ev.Work)
	}
	ev.look = min(ev.spent+unitsLook, ev.Work)
}

// Afford counts the work of a composition and refuses one that costs too much.
func (ev *Evaluator) Afford(n *syntax.Node, c value.Cost) value.Cost {
	if c.Pieces > ev.Pieces || c.Parts > ev.Parts {
		ev.Fail(n, "name parts of it as variables, as in t >= part",
			"the split of %s is too large: more than %d functions", n, min(ev.Pieces, ev.Parts))
	}
	ev.Spend(n, min(c.Weight, 1<<20)+min(c.Parts, 1<<20))
	return c
}

// Room refuses arrays that are too large and counts the work of filling one.
func (ev *Evaluator) Room(n *syntax.Node, shape []int) int {
	total := ev.Fits(n, shape)
	ev.Spend(n, UnitsNumber*total)
	return total
}

// Fits refuses arrays that are too large.
func (ev *Evaluator) Fits(n *syntax.Node, shape []int) int {
	total := 1
	for _, d := range shape {
		if d > 0 && total > ev.Entries/d {
			ev.Fail(n, "", "an array of shape %s is too large; %d entries at most", value.Shape(shape), ev.Entries)
		}
		total *= d
	}
	return total
}

// Cause is the text of an error of package dc.
func Cause(err error) string {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		if list := j.Unwrap(); len(list) > 0 {
			return Cause(list[0])
		}
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return strings.TrimPrefix(err.Error(), "dc: ")
}

// Source is a parsed text with all that a compilation remembers of its nodes.
type Source struct {
	Tree  *syntax.Tree
	notes []note // by the nodes' numbers
	stamp int    // of the memos of the last statement that was compiled
}

// note is all that a compilation remembers of a node.
type note struct {
	Open   bool // an index stands in it, so its value is not always the same
	Domain bool // a function of it has no value for some finite data
	Fn     *Function
	// Complex: its value may be. OfComplex: it is a function of complex arguments.
	Complex, OfComplex bool
	together           bool        // see Evaluator.Together
	memo               value.Value // see Evaluator.memos
	memoAt             int
}

// NewSource is a source of whose nodes nothing is known.
func NewSource(t *syntax.Tree) *Source { return &Source{Tree: t, notes: make([]note, t.Nodes+1)} }

// Of is the note of a node.
func (s *Source) Of(n *syntax.Node) *note { return &s.notes[n.ID] }

// Apply is the value of the call n of a function for the values of its arguments.
type Apply = func(ev *Evaluator, n *syntax.Node, args []value.Value) value.Value

// ApplyComplex is Apply of complex arguments.
type ApplyComplex = func(ev *Evaluator, n *syntax.Node, args []value.Pair) value.Value

// Function is a function of the language.
type Function struct {
	Least, Most int // numbers of arguments; Most < 0: any
	Eval        Apply
	Domain      bool // it has no value for some finite data
	Text        bool // its arguments are strings
	Inf         bool // data may be infinite
	Sparse      bool // data may be sparse
	// Complex computes it where an argument is complex; nil: it takes real ones. Real: its
	// value is real all the same.
	Complex ApplyComplex
	Real    bool
	// OfSum is its sum over the entries of an affine array in one piece, of a number for its second
	// argument, 1 where there is none. nil: the sum has a term for each.
	OfSum func(x dc.Expr, m float64) dc.Expr
}
