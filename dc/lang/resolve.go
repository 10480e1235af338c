package lang

import (
	"fmt"
	"slices"

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
func (c *compiler) resolve(s *statement) bool {
	r := &resolver{c: c}
	for _, d := range s.dims {
		r.visit(d)
	}
	r.bind(s.binders)
	if s.cond != nil {
		r.visit(s.cond)
	}
	if s.value != nil && s.verb != vOption {
		r.visit(s.value)
	}
	for _, a := range s.args {
		r.visit(a)
	}
	for _, at := range s.attrs {
		for _, a := range at.args {
			if at.name == "start" && a.op == opCall && (a.name == "normal" || a.name == "uniform") {
				r.arity(a)
			}
			r.visit(a)
		}
	}
	return !r.failed
}

func (r *resolver) fail(n span, help, format string, args ...any) {
	r.failed = true
	r.c.errs.add(Diagnostic{span: n, Help: help, Message: fmt.Sprintf(format, args...), also: true})
}

// told reports whether a name is known to be unknown, and remembers it: one
// message for each is enough.
func (r *resolver) told(name string) bool {
	if r.c.unknown[name] {
		r.failed = true
		return true
	}
	if r.c.unknown == nil {
		r.c.unknown = map[string]bool{}
	}
	r.c.unknown[name] = true
	return false
}

// mask is the set of indices, by place in the scope, that a node depends on.
type mask uint64

func bit(k int) mask { return 1 << min(k, 63) }

// bind checks binders from left to right and puts their names into scope.
func (r *resolver) bind(bs []binder) mask {
	var m mask
	for _, b := range bs {
		m |= r.visit(b.set)
		for _, name := range b.names {
			if slices.Contains(r.scope, name) {
				r.fail(b.span, "choose another name", "the index %s stands inside another index %s", name, name)
			}
			if s := r.c.ev.names[name]; s != nil && !s.lost {
				r.fail(b.span, "choose another name", "the index %s hides %s, declared in line %d", name, name, r.c.f.line(s.at.pos))
			}
			r.scope = append(r.scope, name)
		}
	}
	return m
}

// visit resolves a node and its parts and returns the indices that it depends on.
func (r *resolver) visit(n *node) (m mask) {
	outer := len(r.scope)
	switch n.op {
	case opName:
		m = r.name(n)
	case opReduce, opFilter:
		if n.op == opReduce && n.name != "sum" && n.name != "max" && n.name != "min" {
			help := ""
			if quantifiers[n.name] {
				help = "write the indices behind the constraint's name: name[i in 1..n]: ..."
			}
			r.fail(n.span, help, "%s has no indices; sum, max and min do", n.name)
		}
		m = r.bind(n.binders)
		if n.cond != nil {
			m |= r.visit(n.cond)
		}
		for _, a := range n.args {
			m |= r.visit(a)
		}
		r.scope = r.scope[:outer]
		if outer < 63 {
			m &= bit(outer) - 1
		}
	default:
		if n.op == opCall {
			r.arity(n)
		}
		n.each(func(a *node) {
			if n.fn == nil || !n.fn.text || a.op != opName { // which it refuses, known or not
				m |= r.visit(a)
			}
		})
	}
	n.open = m != 0
	return m
}

// name looks a name up.
func (r *resolver) name(n *node) mask {
	for k := len(r.scope) - 1; k >= 0; k-- {
		if r.scope[k] == n.name {
			return bit(k)
		}
	}
	if s, ok := r.c.ev.names[n.name]; ok {
		r.failed = r.failed || s.bad
		return 0
	}
	if _, ok := fixed[n.name]; ok || r.told(n.name) {
		return 0
	}
	help := ""
	if functions[n.name] != nil {
		help = fmt.Sprintf("functions take their arguments in parentheses: %s(...)", n.name)
	} else if at, ok := r.c.later[n.name]; ok {
		help = fmt.Sprintf("it is declared in line %d; names are declared before use", r.c.f.line(at.pos))
	}
	guess := ""
	if help == "" && !r.c.errs.full() {
		guess = suggest.DidYouMean(n.name, append(r.c.declared(), r.scope...))
	}
	r.fail(n.span, help, "unknown name %q%s", n.name, guess)
	return 0
}

// arity binds a function and counts its arguments.
func (r *resolver) arity(n *node) {
	f := functions[n.name]
	n.fn = f
	if f == nil {
		r.unknownFunction(n)
		return
	}
	n.domain = f.domain
	switch k := len(n.args); {
	case k >= f.least && (k <= f.most || f.most < 0):
	case f.most < 0:
		r.fail(n.span, "", "%s takes %s or more, not %d", n.name, count(f.least, "argument", "arguments"), k)
	case f.least == f.most:
		r.fail(n.span, "", "%s takes %s, not %d", n.name, count(f.least, "argument", "arguments"), k)
	default:
		r.fail(n.span, "", "%s takes %d to %d arguments, not %d", n.name, f.least, f.most, k)
	}
}

func (r *resolver) unknownFunction(n *node) {
	if r.told(n.name + "(") {
		return
	}
	guess, known := otherNames[n.name]
	names := make([]string, 0, len(functions))
	for name := range functions {
		names = append(names, name)
	}
	switch s := r.c.ev.names[n.name]; {
	case s != nil && s.lost:
		r.failed = true
	case s != nil:
		r.fail(n.span, fmt.Sprintf("index with %s[...], multiply with %s*(...)", n.name, n.name), "%s is not a function", n.name)
	case n.name == "prod":
		r.fail(n.span, "write the factors with *", "unknown function %q", n.name)
	case n.name == "pow" || n.name == "power":
		r.fail(n.span, "write x^p for a power", "unknown function %q", n.name)
	case n.name == "dot":
		r.fail(n.span, "* of two vectors is their inner product", "unknown function %q", n.name)
	case n.name == "transpose":
		r.fail(n.span, "write A' for the transpose", "unknown function %q", n.name)
	case known:
		r.fail(n.span, "", "unknown function %q; did you mean %q?", n.name, guess)
	case r.c.errs.full():
		r.failed = true
	default:
		r.fail(n.span, "", "unknown function %q%s", n.name, suggest.DidYouMean(n.name, names))
	}
}
