package lang

import (
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// source is a parsed text with all that a compilation remembers of its nodes.
type source struct {
	tree  *syntax.Tree
	notes []note // by the nodes' numbers
	stamp int    // of the memos of the last statement that was compiled
}

// note is all that a compilation remembers of a node.
type note struct {
	open   bool // an index stands in it, so its value is not always the same
	domain bool // a function of it has no value for some finite data
	fn     *function
	// complex: its value may be. ofComplex: it is a function of complex arguments.
	complex, ofComplex bool
	memo               value.Value // see evaluator.memos
	memoAt             int
}

func newSource(t *syntax.Tree) *source { return &source{tree: t, notes: make([]note, t.Nodes+1)} }

// of is the note of a node.
func (s *source) of(n *syntax.Node) *note { return &s.notes[n.ID] }
