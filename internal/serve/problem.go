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

func (s *server) hello(_ *job, m *wire.Hello) (wire.Message, error) {
	if m.Protocol != nil && *m.Protocol != wire.Version {
		return nil, errorf(wire.ErrVersion, "version %d of the protocol is wanted, this is version %d", *m.Protocol,
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
	}, nil
}

// graphed is a problem of load.
func (s *server) graphed(handle uint64) (*problem, error) {
	p, err := known[*problem](s, key{aProblem, handle})
	if err == nil && p.graph == nil {
		err = errorf(wire.ErrHandle, "problem %d is one of load_data", handle)
	}
	return p, err
}

func (s *server) load(j *job, m *wire.Load) (wire.Message, error) {
	if err := s.fresh(key{aProblem, m.Problem}); err != nil {
		return nil, err
	}
	p := &problem{graph: &m.Graph, settings: m.Settings}
	for k := range m.Parameters {
		v := m.Parameters[k].Value
		if v == nil {
			id := len(m.Variables) + k
			return nil, &wire.Error{Kind: wire.ErrProblem, Text: "a parameter without a value", Node: &id,
				Name: m.Parameters[k].Name}
		}
		p.params = append(p.params, v.V)
	}
	var err error
	if p.plan, err = settingsOf(nil, p.settings); err != nil {
		return nil, err
	}
	prog, err := decode.Build(j.ctx, p.graph, p.params, s.cfg.Limits)
	if err != nil {
		return nil, err
	}
	p.prog = prog
	s.keep(key{aProblem, m.Problem}, p)
	return &wire.Loaded{Problem: m.Problem, Entries: prog.Entries, Multipliers: prog.Multipliers,
		Convex: prog.Convex()}, nil
}

func (s *server) set(j *job, m *wire.Set) (wire.Message, error) {
	p, err := s.graphed(m.Problem)
	if err != nil {
		return nil, err
	}
	return &wire.Ok{}, p.assign(j.ctx, m.Parameters, s.cfg.Limits)
}

// assign gives parameters other values: all or none.
func (p *problem) assign(ctx context.Context, values map[string]*wire.Floats, limits decode.Limits) error {
	if len(values) == 0 {
		return nil
	}
	p.solved, p.deriv = nil, nil
	params := slices.Clone(p.params)
	var changed []int
	rebuild := false
	for name, v := range values {
		k, err := p.parameter(name)
		if err != nil {
			return err
		}
		if v == nil {
			return errorf(wire.ErrRequest, "parameter %s has no buffer", name)
		}
		var e *wire.Error
		if n := entries(p.graph.Parameters[k]); len(v.V) != n && len(v.V) != 1 {
			if e = errorf(wire.ErrProblem, "the value has %d numbers, want %d", len(v.V), n); n != 1 {
				e.Text += " or 1"
			}
		} else if i := slices.IndexFunc(v.V, func(x float64) bool { return x-x != 0 }); i >= 0 {
			e = errorf(wire.ErrProblem, "entry %d of the value is %g", i, v.V[i])
			e.Help = "Give the parameter finite numbers."
		}
		if id := len(p.graph.Variables) + k; e != nil {
			e.Node, e.Name = &id, name
			return e
		}
		params[k] = v.V
		changed = append(changed, k)
		rebuild = rebuild || p.prog.Structural[k]
	}
	if rebuild {
		prog, err := p.prog.Rebuild(ctx, params, limits)
		if err != nil {
			return err
		}
		if p.session != nil {
			if err := p.session.Replace(ctx, prog.Problem); err != nil {
				return err
			}
		}
		p.prog, p.params, p.stale = prog, params, false
		return nil
	}
	now, inside := p.prog.Problem, map[string][]float64{}
	for _, k := range changed {
		if p.prog.Inside[k] {
			inside[p.graph.Parameters[k].Name] = p.prog.ParameterOrder(k, params[k])
		}
	}
	if p.session != nil {
		if err := p.session.SetAll(inside); err != nil {
			return err
		}
		now = p.session.Problem()
	} else {
		for name, v := range inside {
			q, err := now.With(name, v...)
			if err != nil {
				return err
			}
			now = q
		}
	}
	p.prog.Problem, p.params, p.stale = now, params, true
	return nil
}

// freeze puts numbers in the places of parameters that are coefficients: package global has no
// costs.
func (p *problem) freeze(ctx context.Context, limits decode.Limits) error {
	prog, err := p.prog.Frozen(ctx, p.params, limits)
	if err != nil || prog == p.prog {
		return err
	}
	if p.session != nil {
		p.session.Close()
	}
	p.prog, p.session, p.stale = prog, nil, false
	return nil
}

// refused is an error of ccp.
func refused(err error) error {
	var cone *qpbackend.UnsupportedConeError
	if errors.As(err, &cone) {
		return errorf(wire.ErrUnsupported, "%v", err)
	}
	return errorf(wire.ErrProblem, "%v", err)
}

func (s *server) check(j *job, m *wire.Check) (wire.Message, error) {
	p, err := s.graphed(m.Problem)
	if err != nil {
		return nil, err
	}
	sum, err := ccp.Inspect(j.ctx, p.prog.Problem)
	if err != nil {
		return nil, refused(err)
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
	return out, nil
}

func (s *server) evaluate(j *job, m *wire.Evaluate) (wire.Message, error) {
	p, err := s.graphed(m.Problem)
	if err != nil {
		return nil, err
	}
	if p.stale {
		prog, err := p.prog.Rebuild(j.ctx, p.params, s.cfg.Limits)
		if err != nil {
			return nil, err
		}
		p.prog, p.stale = prog, false
	}
	x := p.last
	if m.X != nil {
		var bad *wire.Error
		if x, bad = p.prog.Point(m.X.V); bad != nil {
			return nil, bad
		}
	}
	if len(x) != p.prog.Problem.NumVars() {
		return nil, errorf(wire.ErrRequest, "evaluate without x before there is a result")
	}
	out := &wire.Values{Values: []*wire.Floats{}}
	for _, k := range m.Nodes {
		v, bad := p.prog.ValueAt(k, x)
		if bad != nil {
			return nil, bad
		}
		out.Values = append(out.Values, wire.F(v))
	}
	return out, nil
}

func (s *server) toDC(_ *job, m *wire.Check) (wire.Message, error) {
	p, err := s.graphed(m.Problem)
	if err != nil {
		return nil, err
	}
	text, err := lang.Print(p.prog.Problem, wire.Settings{}.Over(p.settings))
	if err != nil {
		return nil, errorf(wire.ErrUnsupported, "%v", err)
	}
	return &wire.TextReply{Text: wire.T(text)}, nil
}
