package lang

import (
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// compiler is the state of a compilation.
type compiler struct {
	f        *File
	errs     *collector
	warnings *collector
	opt      Options
	ev       *eval.Evaluator
	model    *dc.Model
	vars     int
	later    map[string]syntax.Span // all declared names, where they are first
	labels   map[string]syntax.Span // all constraints' names, where they are first
	goal     *syntax.Statement      // the first objective
	ended    bool                   // the context has
	values   []value.Value          // of the sides of a constraint
	unnamed  int
	unknown  map[string]bool // names that were reported as unknown
	out      *Program
}

// everyMistake runs f again after a mistake, to find the mistakes in its other
// terms.
func (c *compiler) everyMistake(f func()) *eval.Mistake {
	c.ev.All = true
	defer func() { c.ev.All = false }()
	return c.ev.Caught(f)
}

func (c *compiler) define(s *syntax.Statement, v value.Value, from string) {
	c.ev.Names[s.Name] = &eval.Symbol{At: s.At, Value: v, From: from}
}

// declared are the names known so far.
func (c *compiler) declared() []string {
	out := make([]string, 0, len(c.ev.Names)+1)
	for name, s := range c.ev.Names {
		if s.Lost {
			continue
		}
		out = append(out, name)
	}
	return append(out, "pi", "inf")
}
