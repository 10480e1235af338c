package lang

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/datafile"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/function"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/arrays"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/internal/setting"
	"github.com/dcopt/dcopt/internal/suggest"
)

// Compile evaluates a file into a problem. The error is of type Diagnostics, or
// ctx.Err() where ctx ended while there was much to do.
func Compile(ctx context.Context, f *File, opt Options) (*Program, error) {
	return compile(ctx, f, opt, eval.DefaultLimits())
}

// newCompiler is a compiler that has seen the names that the statements declare.
func newCompiler(ctx context.Context, f *File, opt Options, lim eval.Limits, m *dc.Model) *compiler {
	if opt.Cache == nil {
		opt.Cache = &Cache{}
	}
	c := &compiler{f: f, errs: &collector{f: f}, warnings: &collector{f: f}, opt: opt, model: m,
		later: map[string]syntax.Span{}, labels: map[string]syntax.Span{}, unknown: map[string]bool{},
		out: &Program{File: f}}
	c.ev = eval.New(ctx, f.src, m, lim,
		&datafile.Loader{FS: opt.FS, Dir: opt.Dir,
			Limits: arrays.Limits{Numbers: lim.Entries, Side: lim.Vars, Dimensions: value.MaxDims},
			Cache:  &opt.Cache.files}, &function.Rules)
	c.errs.list = append(c.errs.list, f.syntax...)
	for name := range f.src.Tree.Lost {
		c.ev.Names[name] = &eval.Symbol{Bad: true, Lost: true}
	}
	for _, s := range f.src.Tree.Statements {
		names := c.later
		if s.Verb > syntax.Let {
			names = c.labels
		}
		if _, ok := names[s.Name]; !ok && (s.Verb <= syntax.Let || s.Verb == syntax.Constraint && s.Name != "") {
			names[s.Name] = s.At
		}
	}
	return c
}

// compile compiles a file, and once more where constraints of one variable have narrowed
// its bounds after functions of it were made.
func compile(ctx context.Context, f *File, opt Options, lim eval.Limits) (*Program, error) {
	c := newCompiler(ctx, f, opt, lim, dc.NewModel())
	err := c.statements(ctx)
	if m, ok := c.model.Again(); ok && err == nil {
		c = c.again(m)
		err = c.statements(ctx)
	}
	if err == nil {
		err = c.errs.err()
	}
	if err != nil {
		return nil, err
	}
	return c.finish(c.ev.Patience())
}

// again is a compiler for the same file; m knows the bounds that constraints give.
func (c *compiler) again(m *dc.Model) *compiler {
	return newCompiler(c.ev.Ctx, c.f, c.opt, c.ev.Limits, m) // the options have the files that were read
}

// statements compiles the statements and collects their mistakes. The error is ctx.Err().
func (c *compiler) statements(ctx context.Context) error {
	f := c.f
	c.checkSet()
	for k := 0; k < len(f.src.Tree.Statements) && !c.errs.full(); k++ {
		c.compile(f.src.Tree.Statements[k])
		if c.ended {
			return ctx.Err()
		}
	}
	if c.goal == nil && len(f.syntax) == 0 {
		end := syntax.Span{Pos: len(f.src.Tree.Source), End: len(f.src.Tree.Source)}
		if n := len(f.src.Tree.Statements); n > 0 {
			end = f.src.Tree.Statements[n-1].Span
		}
		c.errs.addf(end, "", "the file has no minimize, maximize or find")
	}
	return nil
}

// compile compiles a statement and collects its mistakes.
func (c *compiler) compile(s *syntax.Statement) {
	defer func() {
		if r := recover(); r != nil {
			if c.ended = r == eval.ErrEnded; !c.ended {
				panic(r)
			}
		}
	}()
	c.ev.Forget()
	c.ev.Keep = s.Verb > syntax.Let // to say what is linearised, parts are asked for again
	ok := c.resolve(s)
	if s.Verb <= syntax.Let && !c.free(s) {
		return
	}
	if !ok {
		c.spoil(s)
		c.goalOf(s)
		return
	}
	m := c.ev.Caught(func() { c.state(s) })
	if m == nil {
		return
	}
	if s.Verb != syntax.Constraint { // which has found them all, see sides
		m = c.everyMistake(func() { c.state(s) })
	}
	if with := c.with(s); m.Domain && with != "" {
		c.nowhere(s, with, m.Message)
		return
	}
	if m.Param != "" {
		c.errs.add(Diagnostic{File: c.f.Name, Message: m.Message, Help: m.Help, Set: m.Param})
	} else {
		c.errs.mistake(m.Mistake, false)
	}
	for _, d := range m.More {
		c.errs.mistake(d, true)
	}
	c.spoil(s)
}

// state adds a statement to the problem.
func (c *compiler) state(s *syntax.Statement) {
	switch s.Verb {
	case syntax.Param:
		c.param(s)
	case syntax.Set:
		c.set(s)
	case syntax.Var:
		c.variable(s)
	case syntax.Let:
		v := c.family(s)
		c.define(s, v, "")
		c.out.Lets = append(c.out.Lets, letOf(s.Name, v))
	case syntax.Constraint:
		c.constraint(s)
	case syntax.Option:
		c.option(s)
	case syntax.Plot:
		c.plot(s)
	default:
		c.objective(s)
	}
}

// spoil keeps a name whose declaration failed, so that its uses are not
// reported as well.
func (c *compiler) spoil(s *syntax.Statement) {
	if s.Verb <= syntax.Let && c.ev.Names[s.Name] == nil {
		c.ev.Names[s.Name] = &eval.Symbol{At: s.At, Bad: true}
	}
}

// free reports a name that is taken.
func (c *compiler) free(s *syntax.Statement) bool {
	switch old := c.ev.Names[s.Name]; {
	case old != nil && !old.Lost:
		c.errs.addf(s.At, "", "%s is declared twice; first in line %d", s.Name, c.f.src.Tree.Line(old.At.Pos))
	case s.Name == "pi":
		c.errs.addf(s.At, "choose another name", "pi is the number 3.14159...")
	case s.Name == "inf":
		c.errs.addf(s.At, "choose another name", "inf is infinity")
	default:
		return true
	}
	return false
}

// checkSet reports names in Options.Set that are no params.
func (c *compiler) checkSet() {
	var params []string
	for _, s := range c.f.src.Tree.Statements {
		if s.Verb == syntax.Param {
			params = append(params, s.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.opt.Set)) {
		if !slices.Contains(params, name) {
			guess := suggest.DidYouMean(name, params)
			if _, is := setting.Named(setting.File, name); is {
				guess = "; it is an option of the file or a flag of solve"
			}
			message := fmt.Sprintf("set %s=%s: the file has no param %q%s", name, c.opt.Set[name], name, guess)
			c.errs.add(Diagnostic{File: c.f.Name, Set: name, Message: message})
		}
	}
}

// goalOf remembers the objective; a file has one.
func (c *compiler) goalOf(s *syntax.Statement) bool {
	if s.Verb != syntax.Minimize && s.Verb != syntax.Maximize && s.Verb != syntax.Find {
		return true
	}
	if c.goal != nil && c.goal != s {
		c.errs.addf(s.At, "", "a second objective; the first is in line %d", c.f.src.Tree.Line(c.goal.Pos))
		return false
	}
	c.goal = s
	return true
}

func (c *compiler) objective(s *syntax.Statement) {
	if !c.goalOf(s) {
		return
	}
	c.out.Objective = Part{Text: c.f.src.Tree.Text(s.Span), Place: c.f.place(s.Span)}
	if s.Verb == syntax.Find {
		c.out.Find = true
		return
	}
	c.ev.Together(s.Value)
	v := c.ev.Side(s.Value)
	if v.Sort == value.ComplexPairs {
		c.ev.Fail(s.Value, "minimise or maximise re, im or abs of it", "the objective must be real, but %s is complex",
			s.Value)
	}
	if v.Len() != 1 {
		c.ev.Fail(s.Value, "sum(...) adds the entries", "the objective must be a scalar, but %s is %s", s.Value,
			v.Shape)
	}
	e := v.Expr(0)
	part := &c.out.Objective
	part.Text, part.Place, part.Curvature = c.f.src.Tree.Text(s.Value.Span), c.f.place(s.Value.Span),
		Curvature(v.Curvature())
	if s.Verb == syntax.Maximize {
		c.model.Maximize(e)
		c.linearisedOf(part, s.Value, v, -1)
	} else {
		c.model.Minimize(e)
		c.linearisedOf(part, s.Value, v, 1)
	}
}

// nowhere is a declaration or an objective that has no value, whatever the variables are, for data
// from outside of the file: no point is feasible. Statements that use a name without a value are
// left out.
func (c *compiler) nowhere(s *syntax.Statement, with, why string) {
	c.spoil(s)
	at, f := s.Span, Family{Name: s.Name}
	if s.Verb > syntax.Let {
		at, f.Name = s.Value.Span, "objective"
		c.out.Objective.Text, c.out.Objective.Place = c.f.src.Tree.Text(at), c.f.place(at)
	}
	f.Part = Part{Text: c.f.src.Tree.Text(at), Place: c.f.place(at)}
	if c.labels[f.Name] != (syntax.Span{}) {
		f.Name = c.numbered(f.Name)
	}
	c.warn(&syntax.Node{Span: at}, "%s has no value%s, and no point is feasible: %s", f.Name, with, why)
	c.model.SubjectTo(dc.LE(dc.Num(1), dc.Num(0)).Named(f.Name))
	c.out.Families = append(c.out.Families, f)
}

// with says which values from outside of the file a statement depends on; empty: none.
func (c *compiler) with(s *syntax.Statement) string {
	var list []string
	seen := map[string]bool{}
	var visit func(n *syntax.Node)
	visit = func(n *syntax.Node) {
		n.Each(visit)
		if n.Op != syntax.OpName && n.Op != syntax.OpIndex || seen[n.Name] {
			return
		}
		seen[n.Name] = true
		if text, ok := c.opt.Set[n.Name]; ok {
			list = append(list, n.Name+" = "+text)
			return
		}
		for _, d := range c.f.src.Tree.Statements {
			if d.Verb <= syntax.Let && d.Name == n.Name {
				d.Each(visit)
			}
		}
	}
	if len(c.opt.Set) > 0 {
		s.Each(visit)
	}
	if len(list) == 0 {
		return ""
	}
	sort.Strings(list)
	return " with " + strings.Join(list, ", ")
}

// finish makes the problem.
func (c *compiler) finish(ctx context.Context) (*Program, error) {
	c.ev.Forget() // values of the last statement, which take the memory of all members of its sums
	p, err := c.model.Problem(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		c.unsound(err)
		return nil, c.errs.err()
	}
	out := c.out
	out.Problem, out.Warnings = p, c.warnings.sorted()
	for _, d := range c.ev.Data.Used {
		out.Data = append(out.Data, DataFile(d))
	}
	at := 0
	for k := range out.Families {
		f := &out.Families[k]
		f.First = at
		for ; at < len(p.Program().Constraints); at++ {
			name, _, _ := program.PartOf(p.Program().Constraints[at].Family)
			if name != f.Name { // of the equation of parts
				break
			}
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
			for _, name := range []string{f.Name, program.RealPart(f.Name), program.ImagPart(f.Name)} {
				if strings.HasPrefix(text, "constraint "+name+":") || strings.HasPrefix(text, "constraint "+name+"[") {
					place = f.Place
				}
			}
		}
		for inner := e; inner != nil; inner = errors.Unwrap(inner) {
			text = inner.Error()
		}
		c.errs.add(Diagnostic{File: c.f.Name, Place: place, Message: strings.TrimPrefix(text, "dc: ")})
	}
}
