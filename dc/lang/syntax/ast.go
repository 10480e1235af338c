package syntax

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Tree is the statements of a source and the lines that they stand in. Nothing changes it once it
// is read.
type Tree struct {
	Source     string // the source without a byte order mark
	lines      []int  // the offset at which each line begins
	Statements []*Statement
	Lost       map[string]bool // names in statements that could not be read
	Comments   []Span
	Nodes      int // in all statements
}

// NewTree is the tree of a source of which nothing was read yet.
func NewTree(src string) *Tree {
	f := &Tree{Source: strings.TrimPrefix(src, "\ufeff"), Lost: map[string]bool{}}
	f.lines = make([]int, 1, 1+strings.Count(src, "\n"))
	for k := range len(f.Source) {
		if f.Source[k] == '\n' {
			f.lines = append(f.lines, k+1)
		}
	}
	return f
}

// Line is the number of the line that holds the offset, from 1.
func (f *Tree) Line(pos int) int {
	return sort.SearchInts(f.lines, pos+1)
}

// Place turns offsets into a line and columns, which count characters from 1; endCol is
// the first one after the span, whose part in later lines is left out.
func (f *Tree) Place(s Span) (line, col, endCol int) {
	if s.Pos < 0 {
		return 0, 0, 0
	}
	line = f.Line(s.Pos)
	lo := f.lines[line-1]
	hi := lo + lineEnd(f.Source[lo:])
	at, end := min(s.Pos, hi), min(s.End, hi)
	col = 1 + utf8.RuneCountInString(f.Source[lo:at])
	return line, col, max(col+utf8.RuneCountInString(f.Source[at:max(at, end)]), col+1)
}

// Text is the source between two offsets as one line, without comments.
func (f *Tree) Text(s Span) string {
	raw := f.Source[s.Pos:s.End]
	if !strings.ContainsAny(raw, "\n#\t") && !strings.Contains(raw, "  ") ||
		strings.IndexByte(raw, '"') >= 0 && !strings.Contains(raw, "\n") {
		return strings.TrimSpace(raw)
	}
	var words []string
	for _, l := range strings.Split(raw, "\n") {
		if k := strings.IndexByte(l, '#'); k >= 0 && strings.Count(l[:k], `"`)%2 == 0 {
			l = l[:k]
		}
		words = append(words, strings.Fields(l)...)
	}
	return strings.Join(words, " ")
}

// maxText is the length at which short cuts a text.
// Source: a limit of the length of messages.
const maxText = 60

// Short is text, cut where it is long.
func (f *Tree) Short(s Span) string {
	t := []rune(f.Text(s))
	if len(t) > maxText {
		return string(t[:maxText-4]) + " ..."
	}
	return string(t)
}

// Verb is the kind of a statement.
type Verb uint8

const (
	Param Verb = iota
	Set
	Var
	Let
	Minimize
	Maximize
	Find
	Constraint
	Option
	Plot
)

// Statement is one declaration, objective, constraint, option or plot.
type Statement struct {
	Span
	Verb    Verb
	Name    string // of what is declared, set or constrained
	At      Span   // of the name
	Binders []Binder
	Cond    *Node
	Dims    []*Node // declared shape, of param and var
	Value   *Node   // may be nil for a param
	Attrs   []Attribute
	Rels    []Kind // between the operands of a constraint
	Args    []*Node
	Whole   *Node // a constraint as an operation on args
	Marks   []Mark
}

// Mark is one part of a plot statement: kind(args) "label".
type Mark struct {
	Span
	Kind  string
	At    Span // of the kind
	Args  []*Node
	Label string // empty: none
}

// Attribute follows a variable's name or the marks of a plot.
type Attribute struct {
	Span
	Name string // >=, <=, in, symmetric, psd, complex, hermitian, start; of a plot title, xlabel, ylabel
	Args []*Node
}

// Binder is i in I, or (i, j) in E.
type Binder struct {
	Span
	Names []string
	At    []Span // of the names
	Set   *Node
}

// Op is the operation of a node.
type Op uint8

const (
	OpNumber    Op = iota
	OpImaginary    // num times the imaginary unit
	OpString
	OpName
	OpIndex  // args[0] at the places args[1:]
	OpAll    // the : of a slice
	OpRange  // args[0]..args[1]
	OpCall   // name(args)
	OpReduce // name(binders if cond) args[0]
	OpSum    // of args, taken away where signs says so
	OpMul    // the matrix product
	OpDotMul
	OpDiv
	OpDotDiv
	OpPower
	OpNeg
	OpTrans
	OpCompare // args with rels between
	OpAnd
	OpOr
	OpNot
	OpLiteral // rows
	OpMembers // {args}
	OpFilter  // {binders if cond}
	OpTuple   // (args) in a set
	OpIn      // args[0] is a member of args[1]
	OpChoice  // if(cond, args[0], args[1])
	NumOp
)

// Node is an expression.
type Node struct {
	Span
	Op      Op
	Name    string
	Num     float64
	Args    []*Node
	Minus   []bool    // of OpSum
	Rels    []Kind    // of OpCompare
	Rows    [][]*Node // of OpLiteral
	Binders []Binder
	Cond    *Node
	ID      int // from 1 to the tree's number of nodes; 0 of a node that stands in no tree
	tree    *Tree
}

// String is the source of a node for messages, cut where it is long.
func (n *Node) String() string {
	if n.tree == nil {
		return ""
	}
	return n.tree.Short(n.Span)
}

// Each calls visit for the direct parts of n, binders' sets included.
func (n *Node) Each(visit func(*Node)) { n.Scoped(func(part *Node, _ []Binder) { visit(part) }) }

// Scoped is Each with the binders of n whose indices reach a part.
func (n *Node) Scoped(visit func(part *Node, reach []Binder)) {
	for _, a := range n.Args {
		visit(a, n.Binders)
	}
	for _, r := range n.Rows {
		for _, a := range r {
			visit(a, nil)
		}
	}
	scoped(n.Binders, n.Cond, visit)
}

// scoped visits the sets of binders and a condition.
func scoped(bs []Binder, cond *Node, visit func(part *Node, reach []Binder)) {
	for k, b := range bs {
		visit(b.Set, bs[:k])
	}
	if cond != nil {
		visit(cond, bs)
	}
}

// Each visits the expressions of a statement, the expression of a start by its arguments.
func (s *Statement) Each(visit func(*Node)) { s.Scoped(func(n *Node, _ []Binder) { visit(n) }) }

// Scoped is Each with the binders of the statement whose indices reach an expression.
func (s *Statement) Scoped(visit func(n *Node, reach []Binder)) {
	s.Outside(func(n *Node) { visit(n, nil) })
	scoped(s.Binders, s.Cond, visit)
	for _, n := range append([]*Node{s.Value}, s.Args...) {
		if n != nil {
			visit(n, s.Binders)
		}
	}
}

// Outside visits the expressions that no index of the statement reaches: dimensions, and the
// arguments of attributes and of marks.
func (s *Statement) Outside(visit func(*Node)) {
	lists := [][]*Node{s.Dims}
	for _, a := range s.Attrs {
		lists = append(lists, a.Args)
	}
	for _, m := range s.Marks {
		lists = append(lists, m.Args)
	}
	for _, n := range slices.Concat(lists...) {
		visit(n)
	}
}

// lineEnd is the place of the first line feed, or the length.
func lineEnd(s string) int {
	if k := strings.IndexByte(s, '\n'); k >= 0 {
		return k
	}
	return len(s)
}
