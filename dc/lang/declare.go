package lang

import (
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/datafile"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

// param declares data.
func (c *compiler) param(s *syntax.Statement) {
	v, from, ok := c.override(s)
	switch {
	case ok:
	case s.Value == nil:
		at := &syntax.Node{Span: s.At}
		c.ev.fail(at, fmt.Sprintf("write %s = ..., or set it from outside", s.Name), "the param %s has no value", s.Name)
	case s.Binders != nil:
		v = c.family(s)
	default:
		v = c.ev.anyArray(s.Value)
		if s.Value.Op == syntax.OpCall && c.ev.noteOf(s.Value).fn.text {
			from = fmt.Sprintf("%s %q", s.Value.Name, s.Value.Args[0].Name)
		}
	}
	if !v.isData() && v.sort != sparseNumbers && !v.complexData() {
		c.ev.fail(s.Value, "let names an expression of variables", "a param must be data, but %s depends on a variable", c.ev.say(s.Value))
	}
	if s.Dims != nil {
		v = c.checkShape(s, v, from)
	}
	if s.Binders != nil && ok {
		to := c.extents(s)
		v = c.fit(s, v, &to, from)
	}
	c.define(s, v, from)
	if v.isData() || v.complexData() {
		c.out.Params = append(c.out.Params, letOf(s.Name, v))
	}
}

// override is the value that Options.Set has for a param.
func (c *compiler) override(s *syntax.Statement) (v value, from string, ok bool) {
	text, ok := c.opt.Set[s.Name]
	if !ok {
		return value{}, "", false
	}
	refuse := func(message, help string) {
		panic(mistake{param: s.Name, Mistake: syntax.Mistake{Message: fmt.Sprintf("set %s=%s: %s", s.Name, text, message), Help: help}})
	}
	if read := datafile.ReaderOf(text); read != "" {
		l := *c.ev.data
		if l.FS == nil {
			l.Dir = ""
		}
		a, err := l.File(read, text, "")
		if err != nil {
			refuse(err.Error(), "")
		}
		c.ev.data.Used = l.Used
		return ofArray(a), fmt.Sprintf("%s %q", read, text), true
	}
	tree, n, wrong := syntax.ParseExpr(text)
	f := newFile(c.f.Name, tree)
	sub := &collector{f: f, list: f.diagnostics(wrong)}
	if n != nil {
		r := &resolver{c: &compiler{f: f, errs: sub, ev: c.ev, later: c.later}}
		r.visit(n)
		if r.failed && len(sub.list) == 0 {
			sub.addf(n.Span, "", "it uses a name whose declaration is wrong")
		}
	}
	if ds := sub.sorted(); len(ds) > 0 {
		refuse(ds[0].Message, ds[0].Help)
	}
	defer func(src *source) {
		c.ev.src = src
		if r := recover(); r != nil {
			m, isMistake := r.(mistake)
			if !isMistake {
				panic(r)
			}
			refuse(m.Message, m.Help)
		}
	}(c.ev.src)
	c.ev.src = f.src
	return c.ev.complexDataOf(n, "the value"), "", true
}

// dims evaluates declared dimensions: sizes, ranges of indices, or sets.
func (c *compiler) dims(s *syntax.Statement) (out axes) {
	if len(s.Dims) > maxDims {
		c.ev.fail(s.Dims[maxDims], "", "more than %d dimensions", maxDims)
	}
	for _, d := range s.Dims {
		if v := c.ev.eval(d); d.Op == syntax.OpRange || len(v.shape) == 1 && (v.isData() || v.sort == members) {
			c.axis(&out, d)
			continue
		}
		out.add(c.ev.dimension(d, c.ev.operand(d)), 1, nil)
	}
	return out
}

// axis adds the dimension whose indices are the members of a range or set.
func (c *compiler) axis(to *axes, d *syntax.Node) {
	lo, hi, list, set := c.ev.members(d)
	switch {
	case set != nil:
		to.add(len(set.list), 1, set)
		return
	case list == nil:
		to.add(max(0, hi-lo+1), lo, nil)
		return
	}
	set = &memberSet{width: 1}
	run := true
	for k, i := range list {
		run = run && i == list[0]+k
		set.add(key{{k: i}})
	}
	switch {
	case len(list) == 0:
		to.add(0, 1, nil)
	case run:
		to.add(len(list), list[0], nil)
	default:
		if len(set.list) < len(list) {
			c.ev.fail(d, "", "the dimension %s has an index twice", c.ev.say(d))
		}
		to.add(len(list), 1, set)
	}
}

func (c *compiler) checkShape(s *syntax.Statement, v value, from string) value {
	to := c.dims(s)
	return c.fit(s, v, &to, from)
}

// fit checks a value against a declared shape; dimensions of size 1 may be left
// out.
func (c *compiler) fit(s *syntax.Statement, v value, to *axes, from string) value {
	if v.sort == sparseNumbers && slices.Equal(v.shape, to.shape) && to.plain() {
		return v
	}
	if v.sort == complexPairs {
		return v.both(func(part value) value { return c.fit(s, part, to, from) })
	}
	v = c.ev.dense(&syntax.Node{Span: s.At}, v)
	if !slices.Equal(squeeze(v.shape), squeeze(to.shape)) {
		if from != "" {
			from = " (from " + from + ")"
		}
		c.ev.fail(&syntax.Node{Span: s.At}, "", "shapes differ: %s is declared as %s, its value is %s%s", s.Name, shapeText(to.shape), shapeText(v.shape), from)
	}
	return v.reshape(to.shape...).along(to)
}

// extents are the dimensions that the indices of a declaration span.
func (c *compiler) extents(s *syntax.Statement) (out axes) {
	if s.Cond != nil {
		c.ev.fail(s.Cond, "", "%s needs a value for every index; a condition has no place here", s.Name)
	}
	for _, b := range s.Binders {
		if c.ev.noteOf(b.Set).open {
			c.ev.fail(b.Set, "", "the range of %s depends on another index; %s needs a full array", b.Names[0], s.Name)
		}
		c.axis(&out, b.Set)
	}
	return out
}

// family evaluates name[i in I, ...] = expr into one array; without indices it
// is the expression's value. The entries may be arrays themselves.
func (c *compiler) family(s *syntax.Statement) value {
	ev := c.ev
	if s.Binders == nil {
		return ev.dense(s.Value, ev.anyArray(s.Value))
	}
	to := c.extents(s)
	if ev.noteOf(s.Value).complex {
		return c.complexFamily(s, &to)
	}
	shape := to.shape
	ev.room(s.Value, shape)
	var rows rows
	var vs []value
	ev.loop(s.Value, s.Binders, nil, func() {
		v := ev.member(s.Value, &rows, vs != nil)
		if v.cells == nil {
			return
		}
		if vs == nil {
			vs = rows.values(ev.model)
		}
		if len(vs) > 0 && !slices.Equal(vs[0].shape, v.shape) {
			ev.fail(s.Value, "", "the members of %s differ in shape: %s and %s", s.Name, shapeText(vs[0].shape), shapeText(v.shape))
		}
		vs = append(vs, v)
		ev.fits(s.Value, append(shape[:len(shape):len(shape)], v.shape...))
	})
	if vs == nil {
		return rows.array(ev.model, shape).along(&to)
	}
	var refs []ref
	for k := range vs {
		for i := range vs[k].len() {
			refs = append(refs, ref{&vs[k], i})
		}
	}
	for _, d := range vs[0].shape {
		to.add(d, 1, nil)
	}
	if len(to.shape) > maxDims {
		ev.fail(s.Value, "", "more than %d dimensions", maxDims)
	}
	return assemble(to.shape, refs).along(&to)
}

// set declares a set.
func (c *compiler) set(s *syntax.Statement) {
	v := c.ev.eval(s.Value)
	if v.sort == members {
		c.define(s, v, "")
		return
	}
	v = c.ev.dataOf(s.Value, "a set")
	switch len(v.shape) {
	case 1:
		c.ev.members(s.Value)
	case 2:
		v = c.ev.pairs(s.Value, v)
	default:
		c.ev.fail(s.Value, "", "a set is a range, {...}, a vector or a matrix with a member per row, but %s is %s", c.ev.say(s.Value), shapeText(v.shape))
	}
	c.define(s, v, "")
}

// variable declares a variable.
func (c *compiler) variable(s *syntax.Statement) {
	ev := c.ev
	to := c.dims(s)
	shape := to.shape
	n := 1
	for k, d := range shape {
		if n *= d; n > ev.vars-c.vars || isComplex(s) && n > (ev.vars-c.vars)/2 {
			ev.fail(s.Dims[k], "", "too many variables; %d at most", ev.vars)
		}
	}
	v := varParts{s: s, shape: shape, n: n, opts: []dc.VarOption{dc.CountFrom(to.origin...)}}
	v.complex = isComplex(s)
	for k := range s.Attrs {
		c.attribute(&v, &s.Attrs[k])
	}
	if v.complex {
		c.complexVariable(&v, &to)
		return
	}
	if start, ok := c.given(&v); ok {
		v.opts = append(v.opts, start)
	}
	crossing := c.agree(&v)
	if v.lo != nil {
		v.opts = append(v.opts, dc.AtLeast(v.lo...))
	}
	if v.hi != nil {
		v.opts = append(v.opts, dc.AtMost(v.hi...))
	}
	ev.spend(&syntax.Node{Span: s.At}, n)
	if v.psd {
		ev.factored(&syntax.Node{Span: s.At}, shape[0], shape[0])
	}
	c.vars += n
	a := c.model.Var(s.Name, shape, v.opts...)
	x := fromAffine(a)
	if slices.ContainsFunc(to.origin, func(o int) bool { return o != 1 }) || slices.ContainsFunc(to.sets, func(s *memberSet) bool { return s != nil }) {
		x = x.along(&to)
	}
	c.define(s, x, "")
	if axes := axesOf(&x); axes != nil {
		if c.out.Axes == nil {
			c.out.Axes = map[string][]Axis{}
		}
		c.out.Axes[s.Name] = axes
	}
	if v.psd {
		c.out.Families = append(c.out.Families, Family{Name: fmt.Sprintf("psd(%s)", s.Name), Members: 1,
			Part: Part{Text: c.f.src.tree.Text(s.Span), Place: c.f.place(s.At), Curvature: Convex}})
	}
	c.cross(&v, a, crossing)
}

func (c *compiler) attribute(v *varParts, a *syntax.Attribute) {
	ev, at := c.ev, &syntax.Node{Span: a.Span}
	if v.complex {
		c.complexAttribute(v, a)
		return
	}
	switch a.Name {
	case ">=":
		c.bound(v, at, a.Args[0], &v.lo)
	case "<=":
		c.bound(v, at, a.Args[0], &v.hi)
	case "in":
		c.bound(v, at, a.Args[0], &v.lo)
		c.bound(v, at, a.Args[1], &v.hi)
	case "symmetric", "psd":
		if len(v.shape) != 2 || v.shape[0] != v.shape[1] {
			ev.fail(at, "", "%s wants a square matrix, but %s is %s", a.Name, v.s.Name, shapeText(v.shape))
		}
		v.symmetric = true
		if v.psd = v.psd || a.Name == "psd"; v.psd {
			v.opts = append(v.opts, dc.PSD())
		} else {
			v.opts = append(v.opts, dc.Symmetric())
		}
	default:
		if v.started {
			ev.fail(at, "", "%s has two starts", v.s.Name)
		}
		v.started = true
		v.opts = append(v.opts, c.start(v, a.Args[0]))
	}
}

func (c *compiler) bound(v *varParts, at, n *syntax.Node, dst *[]float64) {
	if *dst != nil {
		c.ev.fail(at, "", "%s has this bound twice", v.s.Name)
	}
	*dst = c.filling(v, n, "a bound")
}

// complexFamily is family for members that may be complex.
func (c *compiler) complexFamily(s *syntax.Statement, to *axes) value {
	ev := c.ev
	ev.room(s.Value, to.shape)
	var parts []pair
	var im []value
	ev.loop(s.Value, s.Binders, nil, func() {
		p := ev.pairOf(s.Value)
		if len(parts) > 0 && !slices.Equal(parts[0].re.shape, p.re.shape) {
			ev.fail(s.Value, "", "the members of %s differ in shape: %s and %s", s.Name, shapeText(parts[0].re.shape), shapeText(p.re.shape))
		}
		parts, im = append(parts, p), append(im, p.imag())
		ev.fits(s.Value, append(to.shape[:len(to.shape):len(to.shape)], p.re.shape...))
	})
	var refs [2][]ref
	for k := range parts {
		for i := range parts[k].re.len() {
			refs[0], refs[1] = append(refs[0], ref{&parts[k].re, i}), append(refs[1], ref{&im[k], i})
		}
	}
	if len(parts) > 0 {
		for _, d := range parts[0].re.shape {
			to.add(d, 1, nil)
		}
	}
	if len(to.shape) > maxDims {
		ev.fail(s.Value, "", "more than %d dimensions", maxDims)
	}
	return complexOf(assemble(to.shape, refs[0]).along(to), assemble(to.shape, refs[1]).along(to))
}
