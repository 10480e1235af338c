package lang

import (
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/internal/datafile"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/function"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// param declares data.
func (c *compiler) param(s *syntax.Statement) {
	v, from, ok := c.override(s)
	switch {
	case ok:
	case s.Value == nil:
		at := &syntax.Node{Span: s.At}
		c.ev.Fail(at, fmt.Sprintf("write %s = ..., or set it from outside", s.Name), "the param %s has no value",
			s.Name)
	case s.Binders != nil:
		v = c.family(s)
	default:
		v = c.ev.AnyArray(s.Value)
		if s.Value.Op == syntax.OpCall && c.ev.NoteOf(s.Value).Fn.Text {
			from = fmt.Sprintf("%s %q", s.Value.Name, s.Value.Args[0].Name)
		}
	}
	if !v.IsData() && v.Sort != value.SparseNumbers && !v.ComplexData() {
		c.ev.Fail(s.Value, "let names an expression of variables", "a param must be data, but %s depends on a variable",
			s.Value)
	}
	if s.Dims != nil {
		to := c.dims(s, &v)
		v = c.fit(s, v, &to, from)
	}
	if s.Binders != nil && ok {
		to := c.extents(s)
		v = c.fit(s, v, &to, from)
	}
	c.define(s, v, from)
	if v.IsData() || v.ComplexData() {
		c.out.Params = append(c.out.Params, letOf(s.Name, v))
	}
}

// override is the value that Options.Set has for a param.
func (c *compiler) override(s *syntax.Statement) (v value.Value, from string, ok bool) {
	text, ok := c.opt.Set[s.Name]
	if !ok {
		return value.Value{}, "", false
	}
	refuse := func(message, help string) {
		panic(eval.Mistake{Param: s.Name, Mistake: syntax.Mistake{Message: fmt.Sprintf("set %s=%s: %s", s.Name, text,
			message), Help: help}})
	}
	if read := datafile.ReaderOf(text); read != "" {
		l := *c.ev.Data
		if l.FS == nil {
			l.Dir = ""
		}
		a, err := l.File(read, text, "")
		if err != nil {
			refuse(err.Error(), "")
		}
		c.ev.Data.Used = l.Used
		return function.OfArray(a), fmt.Sprintf("%s %q", read, text), true
	}
	tree, n, wrong := syntax.ParseExpr(text)
	f := newFile(c.f.Name, tree)
	sub := &collector{f: f, list: f.diagnostics(wrong)}
	if n != nil {
		r := &resolver{c: &compiler{f: f, errs: sub, ev: c.ev, later: c.later, unknown: map[string]bool{}}}
		r.visit(n)
		if r.failed && len(sub.list) == 0 {
			sub.addf(n.Span, "", "it uses a name whose declaration is wrong")
		}
	}
	if ds := sub.sorted(); len(ds) > 0 {
		refuse(ds[0].Message, ds[0].Help)
	}
	defer func(src *eval.Source) { c.ev.Src = src }(c.ev.Src)
	c.ev.Src = f.src
	if m := c.ev.Caught(func() { v = c.ev.ComplexDataOf(n, "the value") }); m != nil {
		refuse(m.Message, m.Help)
	}
	return v, "", true
}

// dims evaluates declared dimensions: sizes, ranges of indices, or sets. A colon takes the size of
// the value, nil of variables.
func (c *compiler) dims(s *syntax.Statement, v *value.Value) (out value.Axes) {
	if len(s.Dims) > value.MaxDims {
		c.ev.Fail(s.Dims[value.MaxDims], "", "more than %d dimensions", value.MaxDims)
	}
	for k, d := range s.Dims {
		if d.Op == syntax.OpAll {
			if v == nil || len(v.Shape) != len(s.Dims) {
				c.ev.Fail(d, "write its size, or a set", "%s has no value with a size for this dimension", s.Name)
			}
			out.Add(v.Shape[k], 1, nil)
			continue
		}
		if v := c.ev.Eval(d); d.Op == syntax.OpRange || len(v.Shape) == 1 && (v.IsData() || v.Sort == value.Members) {
			c.axis(&out, d)
			continue
		}
		out.Add(c.ev.Dimension(d, c.ev.Operand(d)), 1, nil)
	}
	return out
}

// axis adds the dimension whose indices are the members of a range or set.
func (c *compiler) axis(to *value.Axes, d *syntax.Node) {
	m := c.ev.Members(d)
	if m.Set != nil || m.List == nil {
		to.Add(m.N, m.Lo, m.Set)
		return
	}
	set := &value.Set{Width: 1}
	run := true
	for k, i := range m.List {
		run = run && i == m.List[0]+k
		set.Add(value.Member{{K: i}})
	}
	switch {
	case m.N == 0:
		to.Add(0, 1, nil)
	case run:
		to.Add(m.N, m.List[0], nil)
	default:
		if len(set.List) < m.N {
			c.ev.Fail(d, "", "the dimension %s has an index twice", d)
		}
		to.Add(m.N, 1, set)
	}
}

// fit checks a value against a declared shape; dimensions of size 1 may be left
// out.
func (c *compiler) fit(s *syntax.Statement, v value.Value, to *value.Axes, from string) value.Value {
	if v.Sort == value.SparseNumbers && slices.Equal(v.Shape, to.Shape) && to.Plain() {
		return v
	}
	if v.Sort == value.ComplexPairs {
		return v.Both(func(part value.Value) value.Value { return c.fit(s, part, to, from) })
	}
	v = c.ev.Dense(&syntax.Node{Span: s.At}, v)
	if !slices.Equal(value.Squeeze(v.Shape), value.Squeeze(to.Shape)) {
		if from != "" {
			from = " (from " + from + ")"
		}
		c.ev.Fail(&syntax.Node{Span: s.At}, "", "shapes differ: %s is declared as %s, its value is %s%s", s.Name,
			value.Shape(to.Shape), v.Shape, from)
	}
	return v.Reshape(to.Shape...).Along(to)
}

// extents are the dimensions that the indices of a declaration span.
func (c *compiler) extents(s *syntax.Statement) (out value.Axes) {
	if s.Cond != nil {
		c.ev.Fail(s.Cond, "", "%s needs a value for every index; a condition has no place here", s.Name)
	}
	for _, b := range s.Binders {
		if c.ev.NoteOf(b.Set).Open {
			c.ev.Fail(b.Set, "", "the range of %s depends on another index; %s needs a full array", b.Names[0], s.Name)
		}
		c.axis(&out, b.Set)
	}
	return out
}

// family evaluates name[i in I, ...] = expr into one array; without indices it
// is the expression's value. The entries may be arrays themselves.
func (c *compiler) family(s *syntax.Statement) value.Value {
	ev := c.ev
	if s.Binders == nil {
		return ev.Dense(s.Value, ev.AnyArray(s.Value))
	}
	to := c.extents(s)
	shape := to.Shape
	ev.Room(s.Value, shape)
	var rows value.Value
	if ev.AtOnce(s.Value, s.Binders, nil, fewestAtOnce, func(b *eval.Batch) (ok bool) {
		rows, ok = b.Rows(s.Value, shape)
		return ok
	}) {
		return rows.Along(&to)
	}
	var vs []value.Value
	ev.Loop(s.Value, s.Binders, nil, func() {
		v := ev.Side(s.Value)
		if len(vs) > 0 && !slices.Equal(vs[0].Shape, v.Shape) {
			ev.Fail(s.Value, "", "the members of %s differ in shape: %s and %s", s.Name, vs[0].Shape, v.Shape)
		}
		vs = append(vs, v)
		ev.Fits(s.Value, append(shape[:len(shape):len(shape)], v.Shape...))
	})
	if len(vs) > 0 {
		for _, d := range vs[0].Shape {
			to.Add(d, 1, nil)
		}
	}
	if len(to.Shape) > value.MaxDims {
		ev.Fail(s.Value, "", "more than %d dimensions", value.MaxDims)
	}
	all := value.Stack(vs...)
	return all.Reshape(to.Shape...).Along(&to)
}

// fewestAtOnce is from how many members on a family of functions is evaluated in one batch. Source:
// a limit of time: a batch has the cost of some members.
const fewestAtOnce = 32

// set declares a set.
func (c *compiler) set(s *syntax.Statement) {
	v := c.ev.Eval(s.Value)
	if v.Sort == value.Members {
		c.define(s, v, "")
		return
	}
	v = c.ev.DataOf(s.Value, "a set")
	switch len(v.Shape) {
	case 1:
		c.ev.Members(s.Value)
	case 2:
		v = c.ev.Pairs(s.Value, v)
	default:
		c.ev.Fail(s.Value, "", "a set is a range, {...}, a vector or a matrix with a member per row, but %s is %s",
			s.Value, v.Shape)
	}
	c.define(s, v, "")
}
