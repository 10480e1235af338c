package lang

import (
	"math"
	"reflect"
	"strings"

	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/setting"
	"github.com/dcopt/dcopt/internal/suggest"
)

func (c *compiler) option(s *syntax.Statement) {
	o := &c.out.Options
	r, ok := setting.Named(setting.File, s.Name)
	if !ok {
		names, help := setting.Names(setting.File), ""
		guess := suggest.DidYouMean(s.Name, names)
		if guess == "" {
			help = "the options are " + strings.Join(names, ", ")
		}
		c.ev.Fail(&syntax.Node{Span: s.At}, help, "unknown option %q%s", s.Name, guess)
	}
	if r.Get(o) != nil {
		c.ev.Fail(&syntax.Node{Span: s.At}, "", "the option %s is set twice", s.Name)
	}
	if s.Name != r.Name() {
		c.warn(&syntax.Node{Span: s.At}, "the option %s is called %s now", s.Name, r.Name())
	}
	if r.Kind() == reflect.String {
		r.Set(o, c.word(s, r))
	} else if v := c.optionValue(s, r); !math.IsNaN(v) {
		r.Set(o, v)
	}
}

// optionValue is the number of an option; it may use params. NaN: it has a mistake.
func (c *compiler) optionValue(s *syntax.Statement, r *setting.Row) float64 {
	names := &resolver{c: c}
	if names.visit(s.Value); names.failed {
		return math.NaN()
	}
	v := c.ev.Real(s.Value, c.ev.Operand(s.Value), "the option "+s.Name)
	if _, whole := eval.Whole(v); r.Kind() != reflect.Float64 && !whole && !math.IsNaN(v) {
		c.ev.Fail(s.Value, "", "the option %s must be a whole number, not %g", s.Name, v)
	}
	if !math.IsNaN(v) && !r.Range.Has(v) {
		c.ev.Fail(s.Value, "", "the option %s must be %s, not %g", s.Name, r.Range, v)
	}
	return v
}

// word is the value of an option that is a name.
func (c *compiler) word(s *syntax.Statement, r *setting.Row) string {
	n, example := s.Value, "ipm"
	if r.Words != nil {
		example = r.Words[0].Name
	}
	if (n.Op != syntax.OpName && n.Op != syntax.OpString) || n.Name == "" {
		c.ev.Fail(n, "write it as in "+s.Name+" = "+example, "the option %s is a name, not %s", s.Name, n)
	}
	if !r.Has(n.Name) {
		c.ev.Fail(n, "", "the option %s must be %s, not %s", s.Name, r.Choices(), n.Name)
	}
	return n.Name
}
