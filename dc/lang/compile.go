package lang

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/arrays"
	"github.com/dcopt/dcopt/internal/suggest"
)

// Compile evaluates a file into a problem. The error is of type Diagnostics, or
// ctx.Err() where ctx ended while there was much to do.
func Compile(ctx context.Context, f *File, opt Options) (*Program, error) {
	return compile(ctx, f, opt, defaultLimits())
}

func compile(ctx context.Context, f *File, opt Options, lim limits) (*Program, error) {
	if opt.Cache == nil {
		opt.Cache = &Cache{}
	}
	c := &compiler{f: f, errs: &collector{f: f}, warnings: &collector{f: f}, opt: opt, model: dc.NewModel(), later: map[string]span{}, labels: map[string]span{}, out: &Program{File: f}}
	c.ev = &evaluator{f: f, model: c.model, names: map[string]*symbol{}, rules: &rules, limits: lim, ctx: ctx, look: min(unitsFirst, lim.work),
		data: &loader{fsys: opt.FS, dir: opt.Dir, limits: arrays.Limits{Numbers: lim.entries, Side: lim.vars, Dimensions: maxDims}, cache: opt.Cache}}
	c.errs.list = append(c.errs.list, f.syntax...)
	for name := range f.lost {
		c.ev.names[name] = &symbol{bad: true, lost: true}
	}
	for _, s := range f.statements {
		names := c.later
		if s.verb > vLet {
			names = c.labels
		}
		if _, ok := names[s.name]; !ok && (s.verb <= vLet || s.verb == vConstraint && s.name != "") {
			names[s.name] = s.at
		}
	}
	c.checkSet()
	for k := 0; k < len(f.statements) && !c.errs.full(); k++ {
		c.compile(f.statements[k])
		if c.ended {
			return nil, ctx.Err()
		}
	}
	if c.goal == nil && len(f.syntax) == 0 {
		end := span{len(f.src), len(f.src)}
		if n := len(f.statements); n > 0 {
			end = f.statements[n-1].span
		}
		c.errs.addf(end, "", "the file has no minimize, maximize or find")
	}
	if err := c.errs.err(); err != nil {
		return nil, err
	}
	return c.finish(c.ev.patience())
}

// compile compiles a statement and collects its mistakes.
func (c *compiler) compile(s *statement) {
	defer func() {
		if r := recover(); r != nil {
			if c.ended = r == errEnded; !c.ended {
				panic(r)
			}
		}
	}()
	c.ev.forget()
	c.ev.keep = s.verb > vLet // to say what is linearised, parts are asked for again
	ok := c.resolve(s)
	if s.verb <= vLet && !c.free(s) {
		return
	}
	if !ok {
		c.spoil(s)
		c.goalOf(s)
		return
	}
	m := c.ev.caught(func() { c.state(s) })
	if m == nil {
		return
	}
	if s.verb != vConstraint { // which has found them all, see sides
		m = c.everyMistake(func() { c.state(s) })
	}
	c.errs.add(m.Diagnostic)
	for _, d := range m.more {
		d.also = true
		c.errs.add(d)
	}
	c.spoil(s)
}

// state adds a statement to the problem.
func (c *compiler) state(s *statement) {
	switch s.verb {
	case vParam:
		c.param(s)
	case vSet:
		c.set(s)
	case vVar:
		c.variable(s)
	case vLet:
		v := c.family(s)
		c.define(s, v, "")
		c.out.Lets = append(c.out.Lets, Let{s.name, v.shape, v.origin(), v.axes(), v})
	case vConstraint:
		c.constraint(s)
	case vOption:
		c.option(s)
	default:
		c.objective(s)
	}
}

// spoil keeps a name whose declaration failed, so that its uses are not
// reported as well.
func (c *compiler) spoil(s *statement) {
	if s.verb <= vLet && c.ev.names[s.name] == nil {
		c.ev.names[s.name] = &symbol{at: s.at, bad: true}
	}
}

// free reports a name that is taken.
func (c *compiler) free(s *statement) bool {
	switch old := c.ev.names[s.name]; {
	case old != nil && !old.lost:
		c.errs.addf(s.at, "", "%s is declared twice; first in line %d", s.name, c.f.line(old.at.pos))
	case s.name == "pi":
		c.errs.addf(s.at, "choose another name", "pi is the number 3.14159...")
	case s.name == "inf":
		c.errs.addf(s.at, "choose another name", "inf is infinity")
	default:
		return true
	}
	return false
}

// checkSet reports names in Options.Set that are no params.
func (c *compiler) checkSet() {
	var params []string
	for _, s := range c.f.statements {
		if s.verb == vParam {
			params = append(params, s.name)
		}
	}
	names := make([]string, 0, len(c.opt.Set))
	for name := range c.opt.Set {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		known := false
		for _, p := range params {
			known = known || p == name
		}
		if !known {
			c.errs.add(Diagnostic{File: c.f.Name, Set: name, Message: fmt.Sprintf("set %s=%s: the file has no param %q%s",
				name, c.opt.Set[name], name, suggest.DidYouMean(name, params))})
		}
	}
}

// goalOf remembers the objective; a file has one.
func (c *compiler) goalOf(s *statement) bool {
	if s.verb != vMinimize && s.verb != vMaximize && s.verb != vFind {
		return true
	}
	if c.goal != nil && c.goal != s {
		c.errs.addf(s.at, "", "a second objective; the first is in line %d", c.f.line(c.goal.pos))
		return false
	}
	c.goal = s
	return true
}

func (c *compiler) objective(s *statement) {
	if !c.goalOf(s) {
		return
	}
	c.out.Objective = Part{Text: c.f.text(s.span), Place: c.f.place(s.span)}
	if s.verb == vFind {
		c.out.Find = true
		return
	}
	v := c.ev.operand(s.value)
	if v.len() != 1 {
		c.ev.fail(s.value, "sum(...) adds the entries", "the objective must be a scalar, but %s is %s", c.ev.say(s.value), shapeText(v.shape))
	}
	e := v.expr(0)
	part := &c.out.Objective
	part.Text, part.Place, part.Curvature = c.f.text(s.value.span), c.f.place(s.value.span), v.curvature()
	if s.verb == vMaximize {
		c.model.Maximize(e)
		c.linearisedOf(part, s.value, v, -1)
	} else {
		c.model.Minimize(e)
		c.linearisedOf(part, s.value, v, 1)
	}
}

// finish makes the problem.
func (c *compiler) finish(ctx context.Context) (*Program, error) {
	p, err := c.model.ProblemContext(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		c.unsound(err)
		return nil, c.errs.err()
	}
	out := c.out
	out.Problem, out.Data, out.Warnings = p, c.ev.data.used, c.warnings.sorted()
	at := 0
	for k := range out.Families {
		f := &out.Families[k]
		f.First = at
		for at < len(p.Constraints) && p.Constraints[at].Family == f.Name {
			at++
		}
		f.Count = at - f.First
	}
	return out, nil
}

// unsound gives the errors of package dc a place, by the names in their messages.
func (c *compiler) unsound(err error) {
	list := []error{err}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		list = j.Unwrap()
	}
	for k := 0; k < len(list) && !c.errs.full(); k++ {
		e := list[k]
		text := e.Error()
		place := c.out.Objective.Place
		for _, f := range c.out.Families {
			if strings.HasPrefix(text, "constraint "+f.Name+":") || strings.HasPrefix(text, "constraint "+f.Name+"[") {
				place = f.Place
			}
		}
		for inner := e; inner != nil; inner = errors.Unwrap(inner) {
			text = inner.Error()
		}
		c.errs.add(Diagnostic{File: c.f.Name, Place: place, Message: strings.TrimPrefix(text, "dc: ")})
	}
}
