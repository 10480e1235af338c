package serve

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/report"
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

// fresh refuses a handle in use.
func fresh[T any](s *server, what string, used map[uint64]T, handle uint64) error {
	if handle == 0 || handle > wire.MaxID {
		return errorf(wire.ErrRequest, "the handle of a %s is %d, want a number from 1 to %d", what, handle,
			uint64(wire.MaxID))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := used[handle]; ok {
		return errorf(wire.ErrHandle, "the %s %d is loaded already; free it first", what, handle)
	}
	return nil
}

// known finds the problem of a handle.
func known[T any](s *server, what string, used map[uint64]T, handle uint64) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := used[handle]
	if !ok {
		return v, errorf(wire.ErrHandle, "there is no %s %d", what, handle)
	}
	return v, nil
}

// graphed is a problem of load.
func (s *server) graphed(handle uint64) (*problem, error) {
	p, err := known(s, "problem", s.problems, handle)
	if err == nil && p.graph == nil {
		err = errorf(wire.ErrHandle, "problem %d is one of load_data", handle)
	}
	return p, err
}

func (s *server) load(j *job, m *wire.Load) (wire.Message, error) {
	if err := fresh(s, "problem", s.problems, m.Problem); err != nil {
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
	keep(s, s.problems, m.Problem, p)
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
		k := slices.IndexFunc(p.graph.Parameters, func(q wire.Parameter) bool { return q.Name == name })
		if k < 0 {
			return errorf(wire.ErrProblem, "there is no parameter %.60q", name)
		}
		if v == nil {
			return errorf(wire.ErrRequest, "parameter %s has no buffer", name)
		}
		n := 1
		for _, d := range p.graph.Parameters[k].Shape {
			n *= d
		}
		id := len(p.graph.Variables) + k
		if len(v.V) != n && len(v.V) != 1 {
			e := errorf(wire.ErrProblem, "the value has %d numbers, want %d", len(v.V), n)
			if n != 1 {
				e.Text += " or 1"
			}
			e.Node, e.Name = &id, name
			return e
		}
		for i, x := range v.V {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				e := errorf(wire.ErrProblem, "entry %d of the value is %g", i, x)
				e.Help = "Give the parameter finite numbers."
				e.Node, e.Name = &id, name
				return e
			}
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

func (s *server) solve(j *job, m *wire.Solve) (wire.Message, error) {
	p, err := known(s, "problem", s.problems, m.Problem)
	if err != nil {
		return nil, err
	}
	if p.data != nil {
		return p.data.solve(j, m)
	}
	if m.Update != nil {
		return nil, errorf(wire.ErrRequest, "update belongs to problems of load_data; parameters change a graph")
	}
	plan := p.plan
	if m.Settings != nil {
		if plan, err = settingsOf(m.Settings, p.settings); err != nil {
			return nil, err
		}
	}
	if err := p.assign(j.ctx, m.Parameters, s.cfg.Limits); err != nil {
		return nil, err
	}
	if plan.global {
		if err := p.freeze(j.ctx, s.cfg.Limits); err != nil {
			return nil, err
		}
	}
	warm := m.Warm == nil || *m.Warm
	x0, err := p.start(m.Start, plan.ccp.Seed)
	if err != nil {
		return nil, err
	}
	if x0 == nil && warm && len(p.last) == p.prog.Problem.NumVars() {
		x0 = p.last
	}
	ctx := j.ctx
	if plan.limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, plan.limit)
		defer stop()
	}
	p.solved, p.deriv = nil, nil
	p.told.start(s, j, m.Progress, p.prog.Problem.Maximize)
	res, proof, err := p.run(ctx, plan, x0)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return nil, refused(err)
	}
	if res == nil || len(res.X) != p.prog.Problem.NumVars() {
		if j.ctx.Err() != nil {
			return nil, context.Canceled
		}
		return nil, errorf(wire.ErrCancelled, "the time limit passed before there was a point")
	}
	p.solved = res
	if res.Feasible {
		p.last = append(p.last[:0:0], res.X...)
	}
	out := p.result(res)
	if proof != nil {
		report.Prove(&out.Record, proof)
	}
	if j.ctx.Err() != nil {
		out.Status = ccp.Cancelled.String()
	}
	out.Seconds.Total = since(j)
	return out, nil
}

// start is the point with the given values of variables; nil: none are given.
func (p *problem) start(values map[string]*wire.Floats, seed uint64) ([]float64, error) {
	if len(values) == 0 {
		return nil, nil
	}
	x0 := p.prog.Problem.Start(seed)
	for name, v := range values {
		if v == nil {
			return nil, errorf(wire.ErrRequest, "the start of %s has no buffer", name)
		}
		for _, e := range v.V {
			if math.IsInf(e, 0) {
				return nil, errorf(wire.ErrProblem, "the start of %s has the entry %g", name, e)
			}
		}
		if err := p.prog.Place(x0, name, v.V); err != nil {
			return nil, err
		}
	}
	p.prog.Problem.Settle(x0)
	return x0, nil
}

// run solves as the plan says, from x0 unless that is nil.
func (p *problem) run(ctx context.Context, plan *plan, x0 []float64) (*ccp.Result, *global.Result, error) {
	plan.ccp.Recorder = &p.told
	switch {
	case plan.global:
		proof, err := global.Solve(ctx, p.prog.Problem, x0, plan.starts, plan.ccp)
		if proof == nil {
			return nil, nil, err
		}
		return proof.Result, proof, err
	case plan.starts > 1 && x0 == nil:
		res, err := ccp.Multistart(ctx, p.prog.Problem, plan.starts, plan.ccp)
		return res, nil, err
	}
	first := p.session == nil
	if p.session == nil || !reflect.DeepEqual(p.wanted, plan.wire) {
		session, err := ccp.NewSession(ctx, p.prog.Problem, plan.ccp)
		if err != nil {
			return nil, nil, err
		}
		if p.session != nil {
			p.session.Close()
		}
		p.session, p.wanted = session, plan.wire
	}
	if first && x0 == nil && plan.starts == ccp.Automatic && plan.ccp.Effort > ccp.Quick && !p.session.Convex() {
		proof, err := global.Best(ctx, p.prog.Problem, plan.ccp)
		if proof == nil {
			return nil, nil, err
		}
		return proof.Result, proof, err
	}
	if x0 == nil {
		p.session.Restart()
	}
	res, err := p.session.Solve(ctx, x0)
	if err != nil || plan.starts <= 1 {
		return res, nil, err
	}
	more, err := ccp.Multistart(ctx, p.prog.Problem, plan.starts-1, plan.ccp)
	if more != nil && more.Better(res, p.prog.Problem.Maximize) {
		more.Iterations, more.Starts, more.Start = more.Iterations+res.Iterations, more.Starts+1, more.Start+1
		return more, nil, err
	}
	if more != nil {
		res.Iterations, res.Starts = more.Iterations+res.Iterations, more.Starts+1
	}
	return res, nil, err
}

// result brings a result into the graph's order.
func (p *problem) result(res *ccp.Result) *wire.Result {
	out := &wire.Result{Record: report.Facts(res), X: wire.F(p.prog.X(res.X))}
	if res.Duals != nil {
		out.Multipliers = wire.F(p.prog.MultipliersAt(res.Duals, res.X))
		out.PSDMultipliers = p.prog.PSDMultipliers(res.Duals)
	}
	if z := p.prog.BoundMultipliers(res.BoundDuals); z != nil {
		out.BoundMultipliers = wire.F(z)
	}
	switch res.Status {
	case ccp.Infeasible:
		if out.Multipliers != nil {
			out.Certificate = "infeasible"
		}
		for _, name := range res.Conflict {
			if place, _, ok := p.prog.WhereIs(name); ok {
				out.Conflict = append(out.Conflict, place)
			}
		}
	case ccp.Unbounded:
		if res.Ray != nil {
			out.Certificate, out.Ray = "unbounded", wire.F(p.prog.X(res.Ray))
		}
	}
	return out
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

func (s *server) free(_ *job, m *wire.Free) (wire.Message, error) {
	switch {
	case given(m.Problem)+given(m.Model)+given(m.Batch) != 1:
		return nil, errorf(wire.ErrRequest, "free wants problem, model or batch")
	case m.Problem != nil:
		p, err := known(s, "problem", s.problems, *m.Problem)
		if err != nil {
			return nil, err
		}
		p.close()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.problems, *m.Problem)
		for handle, b := range s.batches {
			if b.p == p {
				delete(s.batches, handle)
				s.tidy(key{'b', handle})
			}
		}
	case m.Batch != nil:
		if _, err := known(s, "batch", s.batches, *m.Batch); err != nil {
			return nil, err
		}
		forget(s, s.batches, *m.Batch)
	default:
		if _, err := known(s, "model", s.models, *m.Model); err != nil {
			return nil, err
		}
		forget(s, s.models, *m.Model)
	}
	return &wire.Ok{}, nil
}

func given(handle *uint64) int {
	if handle == nil {
		return 0
	}
	return 1
}
