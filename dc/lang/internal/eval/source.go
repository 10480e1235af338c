package eval

import (
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

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
	memo               value.Value // see Evaluator.memos
	memoAt             int
}

// NewSource is a source of whose nodes nothing is known.
func NewSource(t *syntax.Tree) *Source { return &Source{Tree: t, notes: make([]note, t.Nodes+1)} }

// Of is the note of a node.
func (s *Source) Of(n *syntax.Node) *note { return &s.notes[n.ID] }

// Function is a function of the language.
type Function struct {
	Least, Most int // numbers of arguments; Most < 0: any
	Eval        func(ev *Evaluator, n *syntax.Node, args []value.Value) value.Value
	Domain      bool // it has no value for some finite data
	Text        bool // its arguments are strings
	Inf         bool // data may be infinite
	Sparse      bool // data may be sparse
	// Complex computes it where an argument is complex; nil: it takes real ones. Real: its
	// value is real all the same.
	Complex func(ev *Evaluator, n *syntax.Node, args []value.Pair) value.Value
	Real    bool
}
