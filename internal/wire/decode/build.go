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

	convex      bool
	graph       *wire.Graph
	layout      layout
	first       *dc.Model // the one that Again was asked of; nil: there was one model
	vars        []variable
	constraints []constraint
	families    map[string]int // the number of the constraint by its family
	values      []value
}

// builder makes a Program.
type builder struct {
	ctx    context.Context
	g      *wire.Graph
	params [][]float64
	limits Limits
	m      *dc.Model
	p      *Program
	layout
	spent int             // coefficients
	taken map[string]bool // names of constraints
	named map[int]value   // the variables in the place of nodes
	lost  map[int]bool    // nodes without a value, and nodes of which one is an argument
	errs  Errors
	cheap dc.Expr // the objective without costs, where a node is priced
}

// layout is the part of a builder that does not depend on values of parameters.
type layout struct {
	shapes [][]int // of all variables, parameters and nodes
	needs  []bool  // the value is needed as a function of the parameters
	free   []bool  // a variable occurs
	owners []int   // of each entry of all parameters, one after the other, the parameter
	orders [][]int // of each parameter, see columnMajor
	frozen bool    // no node is priced
	lift   bool    // variables may stand in the place of arguments, see lifted
	// the node that is the objective, where parameters are the coefficients of variables; 0: there
	// is none
	priced int
}

// Build makes a problem of g with the given values of its parameters. The error is
// ctx.Err(), or Errors. Where constraints of one variable narrow its bounds after
// functions of it were made, all are made once more. Where functions have no split then,
// variables are put in the place of their arguments, see lifted.
func Build(ctx context.Context, g *wire.Graph, params [][]float64, limits Limits) (*Program, error) {
	return build(ctx, g, params, limits, false)
}

// build is Build. frozen: no node is priced.
func build(ctx context.Context, g *wire.Graph, params [][]float64, limits Limits, frozen bool) (*Program, error) {
	b := &builder{ctx: ctx, g: g, params: params, limits: limits, m: dc.NewModel()}
	if err := caught(b.check); err != nil {
		return nil, Errors{err}
	}
	b.own()
	if b.frozen = frozen; !frozen {
		b.priced = b.costs()
	}
	b.survey()
	final, err := b.state()
	if final {
		return nil, err
	}
	var first *dc.Model
	if m, ok := b.m.Again(); ok {
		first, b = b.m, &builder{ctx: ctx, g: g, params: params, limits: limits, m: m, layout: b.layout}
		_, err = b.state()
	}
	if err == nil {
		p, err := b.program(first)
		if err == nil || ctx.Err() != nil {
			return p, err
		}
	}
	b = &builder{ctx: ctx, g: g, params: params, limits: limits, m: again(first), layout: b.layout}
	b.layout.lift = true
	if _, err := b.state(); err != nil {
		return nil, err
	}
	return b.program(first)
}

// again is an empty model that knows the bounds of the constraints of another; nil: of none.
func again(first *dc.Model) *dc.Model {
	if first == nil {
		return dc.NewModel()
	}
	m, _ := first.Again()
	return m
}

// Rebuild is Build of the graph of p with other values of its parameters.
func (p *Program) Rebuild(ctx context.Context, params [][]float64, limits Limits) (*Program, error) {
	b := &builder{ctx: ctx, g: p.graph, params: params, limits: limits, m: again(p.first), layout: p.layout}
	if _, err := b.state(); err == nil {
		if _, again := b.m.Again(); !again {
			if q, err := b.program(p.first); err == nil {
				return q, nil
			}
		}
	}
	// constraints give other bounds, or there is a mistake to be named
	return build(ctx, p.graph, params, limits, p.layout.frozen)
}

// Frozen is Rebuild with numbers in the places of parameters that are coefficients, from now on.
func (p *Program) Frozen(ctx context.Context, params [][]float64, limits Limits) (*Program, error) {
	if p.layout.priced == 0 {
		return p, nil
	}
	return build(ctx, p.graph, params, limits, true)
}

// program is the problem of all that has been stated.
func (b *builder) program(first *dc.Model) (*Program, error) {
	p, err := b.m.Problem(b.patience())
	if err != nil && b.ctx.Err() != nil {
		return nil, b.ctx.Err()
	}
	if err != nil {
		return nil, b.refused(err)
	}
	b.p.Problem, b.p.layout, b.p.first = p, b.layout, first
	b.p.locate()
	b.p.convex = b.p.isConvex()
	return b.p, nil
}

// state states the graph in a model that has nothing yet. The error is ctx.Err(), or Errors;
// final: statements in another model are of no use then.
func (b *builder) state() (final bool, err error) {
	g := b.g
	b.p = &Program{graph: g, Structural: make([]bool, len(g.Parameters)), Inside: make([]bool, len(g.Parameters)),
		families: map[string]int{}}
	b.lost, b.named = map[int]bool{}, map[int]value{}
	b.declare()
	if len(b.errs) > 0 {
		return true, b.errs
	}
	for k := range g.Nodes {
		if k%64 == 0 && b.ctx.Err() != nil {
			return true, b.ctx.Err()
		}
		if b.lacks(g.Nodes[k].Args) {
			b.lose()
			continue
		}
		switch err := b.at(b.first()+k, caught(func() { b.node(k) })); {
		case err == nil:
		case err.Kind != wire.ErrCurvature:
			return true, append(b.errs, err)
		default: // right within the bounds of constraints, perhaps
			if len(b.lost) == 0 {
				b.fail(err)
			}
			b.lose()
		}
	}
	if g.Objective == nil || !b.lacks([]int{g.Objective.Node}) {
		if err := caught(b.objective); err != nil {
			b.fail(err)
		}
	}
	for k := range g.Constraints {
		if k%64 == 0 && b.ctx.Err() != nil {
			return true, b.ctx.Err()
		}
		if b.lacks(g.Constraints[k].Args) {
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

// lose keeps the place of a node that has no value.
func (b *builder) lose() {
	b.lost[len(b.p.values)] = true
	b.p.values = append(b.p.values, value{})
}

// lacks reports whether one of the values has been refused.
func (b *builder) lacks(ids []int) bool {
	return slices.ContainsFunc(ids, func(id int) bool { return b.lost[id] })
}

func (b *builder) fail(err *Error) {
	if len(b.errs) < mostErrors {
		b.errs = append(b.errs, err)
	}
}

// first is the number of the first node.
func (b *builder) first() int { return len(b.g.Variables) + len(b.g.Parameters) }

// nameOf is the user's name of a variable, parameter or node.
func (b *builder) nameOf(id int) string {
	switch nv := len(b.g.Variables); {
	case id < nv:
		return b.g.Variables[id].Name
	case id < b.first():
		return b.g.Parameters[id-nv].Name
	}
	return b.g.Nodes[id-b.first()].Name
}

// at gives an error the place of a node.
func (b *builder) at(id int, err *Error) *Error {
	if err != nil && err.Node == nil {
		err.Node, err.Name = &id, b.nameOf(id)
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
	if b.p.Entries <= briefEntries && b.spent <= briefNonzeros && len(b.g.Constraints) <= briefEntries {
		return context.WithoutCancel(b.ctx)
	}
	return b.ctx
}

// objective states the objective.
func (b *builder) objective() {
	o := b.g.Objective
	if o == nil {
		b.m.Minimize(dc.Num(0))
		return
	}
	v := &b.p.values[o.Node]
	if v.n() != 1 {
		panic(b.at(o.Node, problemf("the objective has shape %v, want one entry", b.shapes[o.Node])))
	}
	if k := finite(v.data); k >= 0 {
		panic(b.at(o.Node, problemf("the objective is %g", v.data[k])))
	}
	if v.isData() {
		b.structural(v.deps)
		*v = v.frozen()
	}
	e := v.expr(0)
	if b.priced > 0 {
		e = b.cheap
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
func (b *builder) refused(err error) error {
	list := []error{err}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		list = j.Unwrap()
	}
	var out Errors
	for _, e := range list[:min(len(list), mostErrors)] {
		out = append(out, newError(wire.ErrProblem, "%s", cause(e)))
	}
	return out
}
