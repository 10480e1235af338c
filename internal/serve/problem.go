package serve

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/wire"
	"github.com/dcopt/dcopt/internal/wire/decode"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/backends"
)

// problem is one of load or of load_data.
type problem struct {
	data *matrices // of load_data; the rest is of load

	graph    *wire.Graph
	params   [][]float64
	prog     *decode.Program
	stale    bool           // nodes without variables have the values of former parameters
	settings *wire.Settings // of load
	plan     *plan          // of these alone

	session *ccp.Session
	wanted  wire.Settings // those that the session was made for
	told    reporter
	last    []float64   // the last useful point
	solved  *ccp.Result // of the last solve; nil once parameters have changed
	deriv   *ccp.Derivative
	crew    []*problem // of batches, with sessions of their own
}

func (p *problem) close() {
	if p.session != nil {
		p.session.Close()
	}
	for _, q := range p.crew {
		q.close()
	}
	if p.data != nil {
		p.data.close()
	}
}

func (s *server) hello(_ *job, m *wire.Hello) wire.Message {
	if m.Protocol != nil && *m.Protocol != wire.Version {
		refuseAs(wire.ErrVersion, "version %d of the protocol is wanted, this is version %d", *m.Protocol,
			wire.Version)
	}
	var names []string
	for _, b := range backends.Known() {
		if b.Available {
			names = append(names, b.Name)
		}
	}
	return &wire.HelloReply{
		Protocol: wire.Version, Version: s.cfg.Version, Backends: names, Ops: decode.OpNames(),
		MaxHeader: wire.MaxHeader, MaxBody: s.cfg.MaxBody, MaxEntries: s.cfg.Limits.Entries,
		MaxNonzeros: s.cfg.Limits.Nonzeros,
		Processors:  runtime.GOMAXPROCS(0),
	}
}

// graphed is a problem of load.
func (s *server) graphed(handle uint64) *problem {
	p := known[*problem](s, key{aProblem, handle})
	if p.graph == nil {
		refuseAs(wire.ErrHandle, "problem %d is one of load_data", handle)
	}
	return p
}

func (s *server) load(j *job, m *wire.Load) wire.Message {
	s.fresh(key{aProblem, m.Problem})
	p := &problem{graph: &m.Graph, settings: m.Settings}
	for k := range m.Parameters {
		v := m.Parameters[k].Value
		if v == nil {
			id := len(m.Variables) + k
			ensure(&wire.Error{Kind: wire.ErrProblem, Text: "a parameter without a value", Node: &id,
				Name: m.Parameters[k].Name})
		}
		p.params = append(p.params, v.V)
	}
	p.plan = settingsOf(nil, p.settings)
	prog := must(decode.Build(j.ctx, p.graph, p.params, s.cfg.Limits))
	p.prog = prog
	s.keep(key{aProblem, m.Problem}, p)
	return &wire.Loaded{Problem: m.Problem, Entries: prog.Entries, Multipliers: prog.Multipliers,
		Convex: prog.Convex}
}

func (s *server) set(j *job, m *wire.Set) wire.Message {
	p := s.graphed(m.Problem)
	p.assign(j.ctx, m.Parameters, s.cfg.Limits)
	return &wire.Ok{}
}

// assign gives parameters other values: all or none.
func (p *problem) assign(ctx context.Context, values map[string]*wire.Floats, limits decode.Limits) {
	if len(values) == 0 {
		return
	}
	p.solved, p.deriv = nil, nil
	params := slices.Clone(p.params)
	var changed []int
	rebuild := false
	for name, v := range values {
		k := p.parameter(name)
		if v == nil {
			refuseAs(wire.ErrRequest, "parameter %s has no buffer", name)
		}
		var e *wire.Error
		if n := entries(p.graph.Parameters[k]); len(v.V) != n && len(v.V) != 1 {
			if e = wire.Errorf(wire.ErrProblem, "the value has %d numbers, want %d", len(v.V), n); n != 1 {
				e.Text += " or 1"
			}
		} else if i := slices.IndexFunc(v.V, func(x float64) bool { return x-x != 0 }); i >= 0 {
			e = wire.Errorf(wire.ErrProblem, "entry %d of the value is %g", i, v.V[i])
			e.Help = "Give the parameter finite numbers."
		}
		if id := len(p.graph.Variables) + k; e != nil {
			e.Node, e.Name = &id, name
			ensure(e)
		}
		params[k] = v.V
		changed = append(changed, k)
		rebuild = rebuild || p.prog.Structural[k]
	}
	if rebuild {
		prog := must(p.prog.Rebuild(ctx, params, limits))
		if p.session != nil {
			ensure(p.session.Replace(ctx, prog.Problem))
		}
		p.prog, p.params, p.stale = prog, params, false
		return
	}
	now, inside := p.prog.Problem, map[string][]float64{}
	for _, k := range changed {
		if p.prog.Inside[k] {
			inside[p.graph.Parameters[k].Name] = p.prog.ParameterOrder(k, params[k])
		}
	}
	if p.session != nil {
		ensure(p.session.SetAll(inside))
		now = p.session.Problem()
	} else {
		for name, v := range inside {
			now = must(now.With(name, v...))
		}
	}
	p.prog.Problem, p.params, p.stale = now, params, true
}

// freeze puts numbers in the places of parameters that are coefficients: package global has no
// costs.
func (p *problem) freeze(ctx context.Context, limits decode.Limits) {
	prog := must(p.prog.Frozen(ctx, p.params, limits))
	if prog == p.prog {
		return
	}
	if p.session != nil {
		p.session.Close()
	}
	p.prog, p.session, p.stale = prog, nil, false
}

// refused is an error of ccp.
func refused(err error) error {
	var cone *qpbackend.UnsupportedConeError
	if errors.As(err, &cone) {
		return wire.Errorf(wire.ErrUnsupported, "%v", err)
	}
	return wire.Errorf(wire.ErrProblem, "%v", err)
}

func (s *server) check(j *job, m *wire.Check) wire.Message {
	p := s.graphed(m.Problem)
	sum, err := ccp.Inspect(j.ctx, p.prog.Problem)
	if err != nil {
		ensure(refused(err))
	}
	out := &wire.Checked{Linearised: sum.Linearised, Columns: sum.Columns, Rows: sum.Rows,
		Nonzeros: sum.NonzerosA + sum.NonzerosP, Cones: map[string]int{}, Backends: []string{}}
	out.Objective, out.Constraints = p.prog.Curvatures()
	for k, name := range sum.Cones {
		out.Cones[name] = sum.ConeSizes[k].Rows
	}
	for _, b := range backends.Known() {
		if b.Available {
			if solver, err := backends.ByName(b.Name); err == nil && sum.Supported(solver) {
				out.Backends = append(out.Backends, b.Name)
			}
		}
	}
	return out
}

func (s *server) evaluate(j *job, m *wire.Evaluate) wire.Message {
	p := s.graphed(m.Problem)
	if p.stale {
		p.prog, p.stale = must(p.prog.Rebuild(j.ctx, p.params, s.cfg.Limits)), false
	}
	x := p.last
	if m.X != nil {
		x = must(p.prog.Point(m.X.V))
	}
	if len(x) != p.prog.Problem.NumVars() {
		refuseAs(wire.ErrRequest, "evaluate without x before there is a result")
	}
	out := &wire.Values{Values: []*wire.Floats{}}
	for _, k := range m.Nodes {
		out.Values = append(out.Values, wire.F(must(p.prog.ValueAt(k, x))))
	}
	return out
}

func (s *server) toDC(_ *job, m *wire.Check) wire.Message {
	p := s.graphed(m.Problem)
	text, err := lang.Print(p.prog.Problem, wire.Settings{}.Over(p.settings))
	ensureAs(wire.ErrUnsupported, err)
	return &wire.TextReply{Text: wire.T(text)}
}
