package lang

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/function"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/suggest"
)

// resolver checks the names of a statement before it is evaluated, binds
// functions, and marks the nodes that depend on an index.
type resolver struct {
	c      *compiler
	scope  []string
	failed bool
}

// resolve reports all unknown names of a statement, and whether it can be
// evaluated: with no such names, and none whose declaration failed.
func (c *compiler) resolve(s *syntax.Statement) bool {
	r := &resolver{c: c}
	s.Outside(func(n *syntax.Node) { r.visit(n) })
	r.bind(s.Binders)
	if s.Cond != nil {
		r.visit(s.Cond)
	}
	if s.Value != nil && s.Verb != syntax.Option {
		r.visit(s.Value)
	}
	for _, a := range s.Args {
		r.visit(a)
	}
	return !r.failed
}

func (r *resolver) fail(n syntax.Span, help, format string, args ...any) {
	r.failed = true
	r.c.errs.mistake(syntax.Mistake{Span: n, Help: help, Message: fmt.Sprintf(format, args...)}, true)
}

// told reports whether a name is known to be unknown, and remembers it: one
// message for each is enough.
func (r *resolver) told(name string) bool {
	if r.c.unknown[name] {
		r.failed = true
		return true
	}
	r.c.unknown[name] = true
	return false
}

// mask is the set of indices, by place in the scope, that a node depends on.
type mask uint64

func bit(k int) mask { return 1 << min(k, 63) }

// bind checks binders from left to right and puts their names into scope.
func (r *resolver) bind(bs []syntax.Binder) mask {
	var m mask
	for _, b := range bs {
		m |= r.visit(b.Set)
		for _, name := range b.Names {
			if slices.Contains(r.scope, name) {
				r.fail(b.Span, "choose another name", "the index %s stands inside another index %s", name, name)
			}
			if s := r.c.ev.Names[name]; s != nil && !s.Lost {
				r.fail(b.Span, "choose another name", "the index %s hides %s, declared in line %d", name, name,
					r.c.f.src.Tree.Line(s.At.Pos))
			}
			r.scope = append(r.scope, name)
		}
	}
	return m
}

// visit resolves a node and its parts and returns the indices that it depends on.
func (r *resolver) visit(n *syntax.Node) (m mask) {
	outer := len(r.scope)
	switch n.Op {
	case syntax.OpName:
		m = r.name(n)
	case syntax.OpReduce, syntax.OpFilter:
		if n.Op == syntax.OpReduce && n.Name != "sum" && n.Name != "max" && n.Name != "min" {
			help := ""
			if syntax.Quantifiers[n.Name] {
				help = "write the indices behind the constraint's name: name[i in 1..n]: ..."
			}
			r.fail(n.Span, help, "%s has no indices; sum, max and min do", n.Name)
		}
		m = r.bind(n.Binders)
		if n.Cond != nil {
			m |= r.visit(n.Cond)
		}
		for _, a := range n.Args {
			m |= r.visit(a)
		}
		r.scope = r.scope[:outer]
		if outer < 63 {
			m &= bit(outer) - 1
		}
	default:
		if n.Op == syntax.OpCall {
			r.arity(n)
		}
		fn := r.c.f.src.Of(n).Fn
		n.Each(func(a *syntax.Node) {
			if fn == nil || !fn.Text || a.Op != syntax.OpName { // which it refuses, known or not
				m |= r.visit(a)
			} else if s := r.c.ev.Names[a.Name]; s != nil && s.Bad {
				r.failed = true // it has no value that could be refused
			}
		})
	}
	r.c.f.src.Of(n).Open = m != 0
	r.complex(n)
	return m
}

// name looks a name up.
func (r *resolver) name(n *syntax.Node) mask {
	for k := len(r.scope) - 1; k >= 0; k-- {
		if r.scope[k] == n.Name {
			return bit(k)
		}
	}
	if s, ok := r.c.ev.Names[n.Name]; ok {
		r.failed = r.failed || s.Bad
		return 0
	}
	if _, ok := eval.Fixed[n.Name]; ok || r.told(n.Name) {
		return 0
	}
	help := ""
	if function.Table[n.Name] != nil {
		help = fmt.Sprintf("functions take their arguments in parentheses: %s(...)", n.Name)
	} else if at, ok := r.c.later[n.Name]; ok {
		help = fmt.Sprintf("it is declared in line %d; names are declared before use", r.c.f.src.Tree.Line(at.Pos))
	}
	guess := ""
	if help == "" && !r.c.errs.full() {
		guess = suggest.DidYouMean(n.Name, append(r.c.declared(), r.scope...))
	}
	r.fail(n.Span, help, "unknown name %q%s", n.Name, guess)
	return 0
}

// arity binds a function and counts its arguments.
func (r *resolver) arity(n *syntax.Node) {
	f := function.Table[n.Name]
	at := r.c.f.src.Of(n)
	at.Fn = f
	if f == nil {
		r.unknownFunction(n)
		return
	}
	at.Domain = f.Domain
	switch k := len(n.Args); {
	case k >= f.Least && (k <= f.Most || f.Most < 0):
	case f.Most < 0:
		r.fail(n.Span, "", "%s takes %s or more, not %d", n.Name, eval.Count(f.Least, "argument", "arguments"), k)
	case f.Least == f.Most:
		r.fail(n.Span, "", "%s takes %s, not %d", n.Name, eval.Count(f.Least, "argument", "arguments"), k)
	default:
		r.fail(n.Span, "", "%s takes %d to %d arguments, not %d", n.Name, f.Least, f.Most, k)
	}
}

func (r *resolver) unknownFunction(n *syntax.Node) {
	if r.told(n.Name + "(") {
		return
	}
	guess := function.OtherNames[n.Name]
	switch s := r.c.ev.Names[n.Name]; {
	case s != nil && s.Lost:
		r.failed = true
	case s != nil:
		r.fail(n.Span, fmt.Sprintf("index with %s[...], multiply with %s*(...)", n.Name, n.Name),
			"%s is not a function", n.Name)
	case function.Instead[n.Name] != "":
		r.fail(n.Span, function.Instead[n.Name], "unknown function %q", n.Name)
	case guess != "":
		r.fail(n.Span, "", "unknown function %q; did you mean %q?", n.Name, guess)
	case r.c.errs.full():
		r.failed = true
	default:
		r.fail(n.Span, "", "unknown function %q%s", n.Name, suggest.DidYouMean(n.Name,
			slices.Collect(maps.Keys(function.Table))))
	}
}

// complex marks a node that may be complex, and a function of complex arguments.
func (r *resolver) complex(n *syntax.Node) {
	src := r.c.f.src
	at := src.Of(n)
	at.Complex, at.OfComplex = n.Op == syntax.OpImaginary, false
	if n.Op == syntax.OpName {
		s := r.c.ev.Names[n.Name]
		at.Complex = s != nil && s.Value.Cells != nil && s.Value.Sort == value.ComplexPairs &&
			!slices.Contains(r.scope, n.Name)
	}
	n.Each(func(a *syntax.Node) { at.Complex = at.Complex || src.Of(a).Complex })
	if at.Complex && n.Op == syntax.OpCall {
		at.OfComplex, at.Complex = true, at.Fn == nil || !at.Fn.Real
	}
}
