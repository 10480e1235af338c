package lang

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// File is a parsed problem file. It is for one goroutine: Compile makes notes in
// it. It may be compiled again and again.
type File struct {
	// Name is the name of the file in diagnostics.
	Name string

	src        string
	lines      []int // the offset at which each line begins
	statements []*statement
	syntax     Diagnostics
	lost       map[string]bool // names in statements that could not be read
	comments   []span
	stamp      int // of the memos of the last statement that was compiled
}

// Source is the text that was parsed, without a byte order mark.
func (f *File) Source() string { return f.src }

// line is the number of the line that holds the offset, from 1.
func (f *File) line(pos int) int {
	return sort.SearchInts(f.lines, pos+1)
}

// place turns offsets into a line and columns; the part of a span in later lines
// is cut off.
func (f *File) place(s span) Place {
	if s.pos < 0 {
		return Place{}
	}
	n := f.line(s.pos)
	lo := f.lines[n-1]
	hi := lo + lineEnd(f.src[lo:])
	at, end := min(s.pos, hi), min(s.end, hi)
	col := 1 + utf8.RuneCountInString(f.src[lo:at])
	return Place{n, col, max(col+utf8.RuneCountInString(f.src[at:max(at, end)]), col+1)}
}

// text is the source between two offsets as one line, without comments.
func (f *File) text(s span) string {
	raw := f.src[s.pos:s.end]
	if !strings.ContainsAny(raw, "\n#\t") && !strings.Contains(raw, "  ") || strings.IndexByte(raw, '"') >= 0 && !strings.Contains(raw, "\n") {
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

// short is text, cut where it is long.
func (f *File) short(s span) string {
	t := []rune(f.text(s))
	if len(t) > maxText {
		return string(t[:maxText-4]) + " ..."
	}
	return string(t)
}

// verb is the kind of a statement.
type verb uint8

const (
	vParam verb = iota
	vSet
	vVar
	vLet
	vMinimize
	vMaximize
	vFind
	vConstraint
	vOption
)

// statement is one declaration, objective, constraint or option.
type statement struct {
	span
	verb    verb
	name    string // of what is declared, set or constrained
	at      span   // of the name
	binders []binder
	cond    *node
	dims    []*node // declared shape, of param and var
	value   *node   // may be nil for a param
	attrs   []attribute
	rels    []kind // between the operands of a constraint
	args    []*node
}

// attribute follows a variable's name.
type attribute struct {
	span
	name string // >=, <=, in, symmetric, psd, start
	args []*node
}

// binder is i in I, or (i, j) in E.
type binder struct {
	span
	names []string
	set   *node
}

// op is the operation of a node.
type op uint8

const (
	opNumber op = iota
	opString
	opName
	opIndex  // args[0] at the places args[1:]
	opAll    // the : of a slice
	opRange  // args[0]..args[1]
	opCall   // name(args)
	opReduce // name(binders if cond) args[0]
	opSum    // of args, taken away where signs says so
	opMul    // the matrix product
	opDotMul
	opDiv
	opDotDiv
	opPower
	opNeg
	opTrans
	opCompare // args with rels between
	opAnd
	opOr
	opNot
	opLiteral // rows
	opMembers // {args}
	opFilter  // {binders if cond}
	opTuple   // (args) in a set
	opIn      // args[0] is a member of args[1]
	opChoice  // if(cond, args[0], args[1])
	numOp
)

// node is an expression.
type node struct {
	span
	op      op
	name    string
	num     float64
	args    []*node
	minus   []bool    // of opSum
	rels    []kind    // of opCompare
	rows    [][]*node // of opLiteral
	binders []binder
	cond    *node

	open   bool // an index stands in it, so its value is not always the same
	domain bool // a function of it has no value for some finite data
	fn     *function
	memo   value // see evaluator.memos
	memoAt int
}

// each calls visit for the direct parts of n, binders' sets included.
func (n *node) each(visit func(*node)) {
	for _, a := range n.args {
		visit(a)
	}
	for _, r := range n.rows {
		for _, a := range r {
			visit(a)
		}
	}
	for _, b := range n.binders {
		visit(b.set)
	}
	if n.cond != nil {
		visit(n.cond)
	}
}

// lineEnd is the place of the first line feed, or the length.
func lineEnd(s string) int {
	if k := strings.IndexByte(s, '\n'); k >= 0 {
		return k
	}
	return len(s)
}
