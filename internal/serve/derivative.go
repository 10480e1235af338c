package serve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/wire"
	"github.com/dcopt/dcopt/internal/wire/decode"
)

// differentiate makes the derivative at the point of the last solve.
func (p *problem) differentiate(ctx context.Context) {
	if p.deriv != nil {
		return
	}
	p.haveResult()
	var d *ccp.Derivative
	var err error
	if p.session != nil {
		d, err = p.session.Differentiate(ctx, p.solved)
	} else {
		d, err = ccp.Differentiate(ctx, p.prog.Problem, p.solved)
	}
	differentiable(err)
	p.deriv = d
}

// differentiable ends the request if a derivative ended with an error.
func differentiable(err error) {
	if stated := (*wire.Error)(nil); err == nil || errors.Is(err, context.Canceled) || errors.As(err, &stated) {
		ensure(err)
		return
	}
	e := wire.Errorf(wire.ErrUnsupported, "%v", err)
	var kink *ccp.KinkError
	var held *ccp.HeldError
	if errors.As(err, &kink) && kink.Weak || errors.As(err, &held) {
		e.Help = "The change of the solution one way is the derivative with one_sided."
	}
	ensure(e)
}

func (p *problem) haveResult() {
	if p.solved == nil {
		refuseAs(wire.ErrRequest, "no derivative before there is a result; solve again where parameters have changed")
	}
}

// random is a change of all entries of parameters.
func (p *problem) random() map[string][]float64 {
	rng, out := rand.New(rand.NewPCG(1, 4)), map[string][]float64{}
	for _, q := range p.graph.Parameters {
		for range entries(q) {
			out[q.Name] = append(out[q.Name], rng.NormFloat64())
		}
	}
	return out
}

// parameter is the number of a parameter of the graph.
func (p *problem) parameter(name string) int {
	k := slices.IndexFunc(p.graph.Parameters, func(q wire.Parameter) bool { return q.Name == name })
	if k < 0 {
		refuseAs(wire.ErrProblem, "there is no parameter %.60q", name)
	}
	return k
}

// stepOfData is the step of the differences of data that depend on parameters, relative to the
// parameter. Source: derived: the cube root of the unit roundoff, best for central differences;
// data are most often linear in parameters, and then any step is exact but for rounding.
const stepOfData = 6e-6

// moved are the problems with the parameters that are no dc.Param a step back and a step ahead
// along change, and the width between them.
func (p *problem) moved(
	ctx context.Context, limits decode.Limits, change map[int][]float64,
) (back, ahead *decode.Program, width float64) {
	size := 0.0
	for k, c := range change {
		for i, v := range c {
			size = max(size, math.Abs(v)/max(1, math.Abs(entry(p.params[k], i))))
		}
	}
	if size == 0 {
		return nil, nil, 0
	}
	h := stepOfData / size
	at := func(h float64) *decode.Program {
		params := slices.Clone(p.params)
		for k, c := range change {
			v := make([]float64, len(c))
			for i := range v {
				v[i] = entry(params[k], i) + h*c[i]
			}
			params[k] = v
		}
		return must(decode.Build(ctx, p.graph, params, limits))
	}
	return at(-h), at(h), 2 * h
}

// entry is the entry of a parameter whose value may be one number for all.
func entry(v []float64, i int) float64 { return v[min(i, len(v)-1)] }

// entries is their number.
func entries(q wire.Parameter) int {
	n := 1
	for _, d := range q.Shape {
		n *= d
	}
	return n
}

// change is the change of the data that the numbers of parameters at one place of arrays are: n of
// them for each parameter, or one for all.
func (p *problem) change(ctx context.Context, limits decode.Limits, given map[string][]float64) (c ccp.Change) {
	c.Values = map[string][]float64{}
	outside := map[int][]float64{}
	for name, v := range given {
		k := p.parameter(name)
		n := entries(p.graph.Parameters[k])
		if len(v) != n && len(v) != 1 {
			refuseAs(wire.ErrProblem, "the change of parameter %s has not %d numbers or 1", name, n)
		}
		change := make([]float64, n)
		for i := range change {
			if change[i] = entry(v, i); math.IsNaN(change[i]) || math.IsInf(change[i], 0) {
				refuseAs(wire.ErrProblem, "the change of parameter %s has %g at %d", name, change[i], i)
			}
		}
		if p.prog.Inside[k] && !p.prog.Structural[k] {
			c.Values[name] = p.prog.ParameterOrder(k, change)
		} else {
			outside[k] = change
		}
	}
	if back, ahead, width := p.moved(ctx, limits, outside); width > 0 {
		c.Lines = []ccp.Line{{Minus: back.Problem, Plus: ahead.Problem, Width: width}}
	}
	return c
}

// numbers of buffers.
func numbers(of map[string]*wire.Floats) map[string][]float64 {
	out := map[string][]float64{}
	for name, v := range of {
		out[name] = values(v)
	}
	return out
}

func (s *server) derivative(j *job, m *wire.Derivative) wire.Message {
	p := s.graphed(m.Problem)
	if !m.OneSided {
		p.differentiate(j.ctx)
	}
	c := p.change(j.ctx, s.cfg.Limits, numbers(m.Parameters))
	if m.OneSided {
		return p.oneSided(j.ctx, c)
	}
	dx, err := p.deriv.Forward(j.ctx, c.Values, c.Lines...)
	differentiable(err)
	return &wire.Tangent{X: wire.F(p.prog.X(dx)), Point: wire.F(p.prog.X(p.deriv.Point())),
		Regularised: !p.deriv.Unique()}
}

// oneSided is the derivative one way. It takes the place of the one that is kept.
func (p *problem) oneSided(ctx context.Context, c ccp.Change) wire.Message {
	p.deriv = nil
	if p.haveResult(); p.session == nil {
		refuseAs(wire.ErrUnsupported, "there are no one-sided derivatives after a global search")
	}
	dx, err := p.session.OneSided(ctx, p.solved, c.Values, c.Lines...)
	differentiable(err)
	return &wire.Tangent{X: wire.F(p.prog.X(dx)), Point: wire.F(p.prog.X(p.solved.X))}
}

// adjoint is the gradient at the solution of the last solve, or at those of a batch.
func (s *server) adjoint(j *job, m *wire.Adjoint) wire.Message {
	p := s.graphed(m.Problem)
	n, sets, of := p.prog.Entries, 1, ""
	each := func(f func(ctx context.Context, q *problem, i int)) { f(j.ctx, p, 0) }
	if m.Batch != nil {
		b := known[*batch](s, key{aBatch, *m.Batch})
		if b.p != p {
			refuseAs(wire.ErrHandle, "batch %d is one of another problem", *m.Batch)
		}
		sets, of = len(b.sets), fmt.Sprintf(" for each of %d sets", len(b.sets))
		p.ofSet("the change of parameter %s has", m.Along, 0, sets)
		each = func(f func(ctx context.Context, q *problem, i int)) {
			b.each(j.ctx, func(ctx context.Context, q *problem, i int) {
				q.assign(ctx, b.sets[i], s.cfg.Limits)
				q.solved, q.deriv = b.found[i], nil
				f(ctx, q, i)
			})
		}
	}
	if len(values(m.X)) != n*sets {
		refuseAs(wire.ErrProblem, "the gradient x has not %d numbers%s", n, of)
	}
	names := p.names(m.Parameters)
	regularised := make([]bool, sets)
	out := &wire.Gradient{Parameters: map[string]*wire.Floats{}, Point: wire.F(make([]float64, n*sets))}
	for _, k := range names {
		out.Parameters[p.graph.Parameters[k].Name] = wire.F(make([]float64, sets*entries(p.graph.Parameters[k])))
	}
	each(func(ctx context.Context, q *problem, i int) {
		q.differentiate(ctx)
		copy(out.Point.V[i*n:], q.prog.X(q.deriv.Point()))
		regularised[i] = !q.deriv.Unique()
		along := numbers(m.Along)
		if m.Batch != nil {
			along = p.ofSet("", m.Along, i, sets)
		}
		q.gradient(ctx, s.cfg.Limits, m.X.V[i*n:][:n], along, names, func(k int) []float64 {
			w := entries(p.graph.Parameters[k])
			return out.Parameters[p.graph.Parameters[k].Name].V[i*w:][:w]
		})
	})
	out.Regularised = slices.Contains(regularised, true)
	return out
}

// names are the numbers of the parameters with the names; nil: of all.
func (p *problem) names(list []string) (out []int) {
	if list == nil {
		for k := range p.graph.Parameters {
			out = append(out, k)
		}
	}
	for _, name := range list {
		k := p.parameter(name)
		out = append(out, k)
	}
	return out
}

// gradient writes the gradient of a function with the gradient x with respect to the solution, with
// respect to the parameters of names, to where into says. Whether the solution follows its
// parameters is judged by the changes along; none: by one of all entries at random.
func (p *problem) gradient(
	ctx context.Context, limits decode.Limits, x []float64, along map[string][]float64,
	names []int, into func(k int) []float64,
) {
	// X gathers entries; its transpose scatters them.
	places := make([]float64, p.prog.Problem.NumVars())
	for i := range places {
		places[i] = float64(i)
	}
	g := make([]float64, len(places))
	for i, at := range p.prog.X(places) {
		g[int(at)] += x[i]
	}
	var judged []ccp.Change
	if !p.deriv.Regular() {
		if len(along) == 0 {
			along = p.random()
		}
		c := p.change(ctx, limits, along)
		judged = append(judged, c)
	}
	inside, err := p.deriv.Adjoint(ctx, g, judged...)
	differentiable(err)
	var built []int // parameters whose other values make another problem
	for _, k := range names {
		grad := into(k)
		if p.prog.Inside[k] && !p.prog.Structural[k] {
			at := make([]float64, len(grad))
			for i := range at {
				at[i] = float64(i)
			}
			for to, from := range p.prog.ParameterOrder(k, at) {
				grad[int(from)] = inside[p.graph.Parameters[k].Name][to]
			}
			continue
		}
		built = append(built, k)
	}
	for _, k := range built {
		grad := into(k)
		by, err := p.deriv.AdjointBy(ctx, g, len(grad), func(change []float64) (line ccp.Line, err error) {
			err = recovering("adjoint", func() {
				back, ahead, width := p.moved(ctx, limits, map[int][]float64{k: change})
				line = ccp.Line{Minus: back.Problem, Plus: ahead.Problem, Width: width}
			})
			return line, err
		})
		differentiable(err)
		copy(grad, by)
	}
}
