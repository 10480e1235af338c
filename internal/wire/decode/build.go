package decode

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/wire"
)

// Limits bound the size of a graph.
type Limits struct {
	Entries  int // of all variables, parameters, nodes and constraints
	Nonzeros int // coefficients of all affine maps, multiplied out
}

// DefaultLimits suit a machine with 16 GB of memory: an entry takes up to
// 32 bytes, a coefficient 16. An entry that is not affine counts as wide entries.
func DefaultLimits() Limits { return Limits{Entries: 1 << 26, Nonzeros: 1 << 27} }

// wide is the size of a term of an entry that is not affine in units of an affine entry:
// Source: go tool pprof has 300 to 600 bytes for abs and square of affine functions.
const wide = 16

// Program is a graph as a problem.
type Program struct {
	Problem *dc.Problem
	// Entries is the number of entries of all variables, Multipliers the number of all
	// constraints' multipliers.
	Entries, Multipliers int
	// Structural reports, for each parameter, whether other values of it need another
	// Build; else Problem.With does.
	Structural []bool
	// Inside reports, for each parameter, whether the problem has it as a dc.Param.
	Inside []bool
	// Convex reports whether nothing is linearised.
	Convex bool

	source
	constraints []constraint
	places      map[string]wire.Place // by the names in dc; those of other things have none
	values      []*value              // of all variables, parameters and nodes; nil: it has been refused
}

// source is the part of all problems of a graph that no value of a parameter changes.
type source struct {
	g       *wire.Graph
	names   []string  // of all variables, parameters and nodes, as users call them
	shapes  [][]int   // of all variables, parameters and nodes
	owners  []int     // of each entry of all parameters, one after the other, the parameter
	orders  [][]int   // of each parameter, see columnMajor
	needs   []bool    // of each parameter: it is needed as a function
	numbers bool      // no node is priced
	priced  int       // the node that is the objective, where parameters are coefficients; or 0
	lift    bool      // variables may stand in the place of arguments, see lifted
	known   *dc.Model // the one that Again was asked of; nil: there was one model
}

// builder makes a Program.
type builder struct {
	source
	ctx    context.Context
	params [][]float64
	limits Limits

	m     *dc.Model
	p     *Program
	left  Limits
	named map[int]*value // the variables in the place of nodes
	errs  Errors
	cheap dc.Expr // the objective without costs, where a node is priced
}

// Build makes a problem of g with the given values of its parameters. The error is
// ctx.Err(), or Errors. Where constraints of one variable narrow its bounds after
// functions of it were made, all are made once more. Where functions have no split then,
// variables are put in the place of their arguments, see lifted.
func Build(ctx context.Context, g *wire.Graph, params [][]float64, limits Limits) (*Program, error) {
	return (&builder{source: source{g: g}, ctx: ctx, params: params, limits: limits}).build()
}

func (b *builder) build() (*Program, error) {
	if err := caught(b.check); err != nil {
		return nil, Errors{err}
	}
	b.survey()
	final, err := b.state()
	if final {
		return nil, err
	}
	if _, ok := b.m.Again(); ok {
		b.known = b.m
		_, err = b.state()
	}
	if err == nil {
		if p, err := b.program(); err == nil || b.ctx.Err() != nil {
			return p, err
		}
	}
	b.lift = true
	if _, err := b.state(); err != nil {
		return nil, err
	}
	return b.program()
}

// Rebuild is Build of the graph of p with other values of its parameters.
func (p *Program) Rebuild(ctx context.Context, params [][]float64, limits Limits) (*Program, error) {
	b := &builder{source: p.source, ctx: ctx, params: params, limits: limits}
	if _, err := b.state(); err == nil {
		if _, again := b.m.Again(); !again {
			if q, err := b.program(); err == nil {
				return q, nil
			}
		}
	}
	// constraints give other bounds, or there is a mistake to be named
	b.source = source{g: p.g, numbers: p.numbers}
	return b.build()
}

// Frozen is Rebuild with numbers in the places of parameters that are coefficients, from now on.
func (p *Program) Frozen(ctx context.Context, params [][]float64, limits Limits) (*Program, error) {
	if p.priced == 0 {
		return p, nil
	}
	b := &builder{source: source{g: p.g, numbers: true}, ctx: ctx, params: params, limits: limits}
	return b.build()
}

// program is the problem of all that has been stated.
func (b *builder) program() (_ *Program, err error) {
	p := b.p
	if p.Problem, err = b.m.Problem(b.patience()); err != nil {
		if b.ctx.Err() != nil {
			return nil, b.ctx.Err()
		}
		return nil, refused(err)
	}
	p.source = b.source
	p.Convex = p.isConvex()
	return p, nil
}

// state states the graph in a model that has nothing yet. The error is ctx.Err(), or Errors;
// final: statements in another model are of no use then.
func (b *builder) state() (final bool, err error) {
	g, n := b.g, len(b.g.Parameters)
	b.p = &Program{Structural: make([]bool, n), Inside: make([]bool, n), places: map[string]wire.Place{},
		values: make([]*value, 0, len(b.shapes))}
	b.left, b.named, b.errs, b.m = b.limits, map[int]*value{}, nil, dc.NewModel()
	if b.known != nil {
		b.m, _ = b.known.Again()
	}
	for id, name := range b.names[:b.first()] {
		if b.take(name); id < len(g.Variables) {
			b.p.places[name] = wire.Place{Variable: &id}
			b.p.places["psd("+name+")"] = b.p.places[name]
		}
		if err := b.at(id, caught(func() { b.declare(id) })); err != nil {
			b.fail(err)
		}
	}
	if len(b.errs) > 0 {
		return true, b.errs
	}
	for k := range g.Nodes {
		if k%64 == 0 && b.ctx.Err() != nil {
			return true, b.ctx.Err()
		}
		var v *value
		if !b.lacks(g.Nodes[k].Args...) {
			err := b.at(b.first()+k, caught(func() { v = b.node(k) }))
			switch {
			case err == nil:
			case err.Kind != wire.ErrCurvature:
				return true, append(b.errs, err)
			case len(b.errs) == 0: // right within the bounds of constraints, perhaps
				b.fail(err)
			}
		}
		b.p.values = append(b.p.values, v)
	}
	if o := g.Objective; o == nil {
		b.m.Minimize(dc.Num(0))
	} else if !b.lacks(o.Node) {
		if err := caught(b.objective); err != nil {
			b.fail(err)
		}
	}
	for k := range g.Constraints {
		if k%64 == 0 && b.ctx.Err() != nil {
			return true, b.ctx.Err()
		}
		if b.lacks(g.Constraints[k].Args...) {
			continue
		}
		if err := caught(func() { b.constrain(k) }); err != nil {
			b.fail(b.placed(err, k))
		}
	}
	if len(b.errs) > 0 {
		return false, b.errs
	}
	return false, nil
}

// lacks reports whether one of the values has been refused.
func (b *builder) lacks(ids ...int) bool {
	return slices.ContainsFunc(ids, func(id int) bool { return b.p.values[id] == nil })
}

func (b *builder) fail(err *Error) {
	if len(b.errs) < mostErrors {
		b.errs = append(b.errs, err)
	}
}

// first is the number of the first node.
func (s *source) first() int { return len(s.g.Variables) + len(s.g.Parameters) }

// at gives an error the place of a node.
func (b *builder) at(id int, err *Error) *Error {
	if err != nil && err.Node == nil {
		err.Node, err.Name = &id, b.names[id]
	}
	return err
}

// A problem of so many entries of variables, and of so many coefficients, is made in less than a
// millisecond: eigenvalues of a full matrix take the cube of the one, all else a few operations for
// each of the others. Source: a limit of time; no answer depends on it.
const briefEntries, briefNonzeros = 64, 10_000

// patience is ctx, or one that does not end where the graph is small: whoever may be interrupted
// works in a goroutine of its own, which costs a small problem a tenth of its time.
func (b *builder) patience() context.Context {
	if b.p.Entries <= briefEntries && len(b.g.Constraints) <= briefEntries &&
		b.limits.Nonzeros-b.left.Nonzeros <= briefNonzeros {
		return context.WithoutCancel(b.ctx)
	}
	return b.ctx
}

// objective states the objective.
func (b *builder) objective() {
	o := b.g.Objective
	v := b.p.values[o.Node]
	if v.n() != 1 {
		panic(b.at(o.Node, problemf("the objective has shape %v, want one entry", b.shapes[o.Node])))
	}
	if k := finite(v.data); k >= 0 {
		panic(b.at(o.Node, problemf("the objective is %g", v.data[k])))
	}
	e := b.cheap
	if b.priced == 0 {
		v = b.frozen(v)
		b.p.values[o.Node], e = v, v.expr(0)
	}
	switch o.Sense {
	case "minimize":
		b.m.Minimize(e)
	case "maximize":
		b.m.Maximize(e)
	default:
		refuse("the sense of the objective is %.40q, want minimize or maximize", o.Sense)
	}
}

// refused turns the errors of Model.Problem into errors of constraints.
func refused(err error) (out Errors) {
	list := []error{err}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		list = j.Unwrap()
	}
	for _, e := range list[:min(len(list), mostErrors)] {
		out = append(out, problemf("%s", cause(e)))
	}
	return out
}
