package playground

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
)

// Solve compiles and solves a problem. The answer is an object with diagnostics, of warnings
// or mistakes, and unless these are mistakes with result, the object that "dcopt solve
// --json" prints (docs/json.md), and scene, the picture of the point (package scene).
// While it solves, news gets objects with iterations, a list of [start, iteration,
// objective, violation], and, where there is a better point, with best: its objective,
// max_violation, feasible and variables, and with scene. It is called on the goroutine of
// Solve or one that it starts. A solve that ctx ends answers with its best point; where there
// is none yet, because the problem was still compiled, with diagnostics and stopped, true.
func (e *Engine) Solve(ctx context.Context, src string, news func([]byte)) []byte {
	begin := time.Now()
	var t text
	p, err := e.compile(ctx, src)
	if err != nil {
		t.object(func() {
			if t.failed(err); errors.Is(err, context.Canceled) {
				t.key("stopped")
				t.bool(true)
			}
		})
		return t
	}
	set, starts, err := settings(p.Options)
	if err != nil {
		t.object(func() { t.failed(err) })
		return t
	}
	if limit := p.Options.TimeLimit; limit != nil {
		var stop context.CancelFunc
		ctx, stop = ctxWithin(ctx, seconds(*limit))
		defer stop()
	}
	told := &reporter{prog: p, p: p.Problem, news: news, last: begin}
	set.Recorder = told
	compiled := time.Since(begin)
	var res *ccp.Result
	if starts == 1 {
		res, err = ccp.Solve(ctx, p.Problem, nil, set)
	} else {
		res, err = ccp.Multistart(ctx, p.Problem, starts, set)
	}
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if err != nil && !ended {
		t.object(func() { t.failed(err) })
		return t
	}
	told.flush()
	if res == nil || len(res.X) != p.Problem.NumVars() && told.best != nil {
		res = told.answer(err, set)
	}
	switch {
	case errors.Is(err, context.Canceled):
		res.Status = ccp.Cancelled
		say(res, "interrupted before all was done; this is the best point so far")
	case ended && res.Status == ccp.Converged:
		say(res, "the time limit passed before all starts were done")
	}
	res.Seconds.Compile += compiled.Seconds()
	t.object(func() {
		t.diagnostics(p.Warnings)
		t.key("result")
		t.answer(p, res)
		t.scene(p, res.X)
	})
	return t
}

func say(res *ccp.Result, message string) {
	if res.Message == "" {
		res.Message = message
	}
}

// often is the least time between two pieces of news.
// Source: ten in a second are a picture that moves; no answer depends on it.
const often = 100 * time.Millisecond

// mostEntries bounds the variables of a best point in the news.
// Source: a message of some hundred kilobytes; no answer depends on it.
const mostEntries = 20_000

// reporter collects news and keeps the best point.
type reporter struct {
	prog *lang.Program
	p    *dc.Problem // of prog
	news func([]byte)
	last time.Time
	rows text // iterations that were not told yet
	best *ccp.Result
	told bool // the best point was
	seen int  // iterations
}

// Record notes the iteration and tells those that have gathered, if it is time.
func (r *reporter) Record(it ccp.Iteration) error {
	r.seen++
	r.rows.array(func() {
		r.rows.int(it.Start)
		r.rows.int(it.K)
		r.rows.number(it.Objective)
		r.rows.number(it.Violation)
	})
	at, known := it.Result(), len(it.X) == r.p.NumVars() && !math.IsNaN(it.Objective)
	if known && (r.best == nil || at.Better(r.best, r.p.Maximize)) {
		at.X = slices.Clone(it.X)
		r.best, r.told = at, false
	}
	if time.Since(r.last) >= often {
		r.flush()
	}
	return nil
}

// flush tells the iterations that have gathered.
func (r *reporter) flush() {
	if len(r.rows) == 0 || r.news == nil {
		return
	}
	var t text
	t.object(func() {
		t.key("iterations")
		t.array(func() { t.raw(r.rows) })
		if b := r.best; b != nil && !r.told {
			t.key("best")
			t.object(func() {
				t.head(b)
				if len(b.X) <= mostEntries {
					t.key("variables")
					t.variables(r.p, b.X)
				}
			})
			if len(b.X) <= mostEntries {
				t.scene(r.prog, b.X)
			}
		}
	})
	r.rows, r.told, r.last = r.rows[:0], true, time.Now()
	r.news(t)
}

// answer is the best point, or the start, of a run that gave none back; err is that of its
// context.
func (r *reporter) answer(err error, set ccp.Settings) *ccp.Result {
	res := r.best
	if res == nil {
		res = &ccp.Result{X: r.p.Start(set.Seed)}
	}
	v := r.p.Violations(res.X)
	res.Violation, res.Worst, res.Feasible = v.Largest, v.Where(), v.Excess <= set.FeasTol
	res.Objective, res.ObjectiveError = r.p.Evaluate(res.X)
	res.Iterations, res.Starts = r.seen, res.Start+1
	res.Status = ccp.TimeLimit
	if errors.Is(err, context.Canceled) {
		res.Status = ccp.Cancelled
	}
	return res
}

// head writes a point without its entries.
func (t *text) head(r *ccp.Result) {
	t.key("objective")
	t.number(r.Objective)
	t.key("objective_error")
	t.number(r.ObjectiveError)
	t.key("max_violation")
	t.number(r.Violation)
	t.key("feasible")
	t.bool(r.Feasible)
}

// answer writes the object of "dcopt solve --json".
func (t *text) answer(p *lang.Program, res *ccp.Result) {
	whole := len(res.X) == p.Problem.NumVars()
	t.object(func() {
		t.key("status")
		t.string(res.Status.String())
		t.head(res)
		t.key("iterations")
		t.int(res.Iterations)
		t.key("starts")
		t.int(res.Starts)
		t.key("backend")
		t.string(res.Backend)
		t.key("seconds")
		t.object(func() {
			for _, s := range []struct {
				name string
				v    float64
			}{{"read", 0}, {"compile", res.Seconds.Compile}, {"solve", res.Seconds.Solve}, {"backend", res.Seconds.Backend}} {
				t.key(s.name)
				t.number(s.v)
			}
		})
		t.key("variables")
		if whole {
			t.variables(p.Problem, res.X)
			t.indices(p)
			t.lets(p, res.X)
		} else {
			t.object(func() {})
		}
		if a := res.NoMultipliers; a == nil {
			t.key("duals")
			t.duals(p.Problem, res.Duals)
		} else {
			t.key("no_multipliers")
			t.object(func() {
				if a.Constraint != "" {
					t.key("constraint")
					t.string(a.Constraint)
				}
			})
		}
		if len(res.BoundDuals) == p.Problem.NumVars() {
			t.boundDuals(p.Problem, res.BoundDuals)
		}
		if l := res.Loose; l != nil {
			t.key("tolerance_decides")
			t.object(func() {
				t.key("row")
				t.string(l.Constraint)
				t.key("objective")
				t.number(l.Change)
			})
		}
		if n := p.Problem.NumVars(); n > 0 && len(res.Ray) == n {
			t.key("ray")
			t.object(func() {
				for _, v := range p.Problem.Vars {
					t.key(v.Name)
					t.nested(v.Shape, v.Values(res.Ray))
				}
			})
		}
		t.key("history")
		t.array(func() {
			for _, it := range res.History {
				t.object(func() {
					t.key("iteration")
					t.int(it.K)
					t.key("hop")
					t.int(it.Hop)
					for _, s := range []struct {
						name string
						v    float64
					}{{"objective", it.Objective}, {"max_violation", it.Violation}, {"step", it.Step}, {"tau", it.Tau}} {
						t.key(s.name)
						t.number(s.v)
					}
				})
			}
		})
		t.key("message")
		t.string(res.Message)
	})
}

func (t *text) variables(p *dc.Problem, x []float64) {
	t.object(func() {
		for _, v := range p.Vars {
			t.key(v.Name)
			t.nested(v.Shape, v.Values(x))
		}
	})
}

func (t *text) lets(p *lang.Program, x []float64) {
	if len(p.Lets) == 0 {
		return
	}
	t.key("lets")
	t.object(func() {
		for k := range p.Lets {
			l := &p.Lets[k]
			im := l.Imag(x)
			if im == nil {
				t.key(l.Name)
				t.nested(l.Shape, l.Values(x))
				continue
			}
			t.key(dc.RealPart(l.Name)) // by parts, as variables are here
			t.nested(l.Shape, l.Values(x))
			t.key(dc.ImagPart(l.Name))
			t.nested(l.Shape, im)
		}
	})
}

// indices writes the members of the sets that dimensions run over, of variables and lets.
func (t *text) indices(p *lang.Program) {
	type block struct {
		name string
		axes []lang.Axis
	}
	var blocks []block
	for _, v := range p.Problem.Vars {
		if axes := p.Axes[v.Name]; axes != nil {
			blocks = append(blocks, block{v.Name, axes})
		}
	}
	for k := range p.Lets {
		if l := &p.Lets[k]; l.Axes != nil {
			blocks = append(blocks, block{l.Name, l.Axes})
		}
	}
	if blocks == nil {
		return
	}
	t.key("indices")
	t.object(func() {
		for _, b := range blocks {
			t.key(b.name)
			t.array(func() {
				for _, axis := range b.axes {
					t.axis(axis)
				}
			})
		}
	})
}

// axis writes the members of a set: null where a dimension counts; a member with several
// parts is a list.
func (t *text) axis(axis lang.Axis) {
	if axis == nil {
		t.null()
		return
	}
	part := func(v any) {
		switch v := v.(type) {
		case int:
			t.int(v)
		case string:
			t.string(v)
		}
	}
	t.array(func() {
		for _, m := range axis {
			if len(m) == 1 {
				part(m[0])
				continue
			}
			t.array(func() {
				for _, v := range m {
					part(v)
				}
			})
		}
	})
}

// duals writes the multipliers by family: a constraint without index is a number, or an
// array if it is one of arrays; a family is the array of its constraints in order. The two
// halves of an equation or chain that is not affine stand side by side.
func (t *text) duals(p *dc.Problem, duals [][]float64) {
	if duals == nil {
		t.object(func() {})
		return
	}
	type member struct{ first, last int } // constraints with one index
	var names []string
	families := map[string][]member{}
	indexed := map[string]bool{}
	for i := range p.Constraints {
		c := &p.Constraints[i]
		if c.Within() { // of the bounds
			continue
		}
		list := families[c.Family]
		if list == nil {
			names = append(names, c.Family)
		}
		if i > 0 && len(c.Index()) > 0 && c.Family != "" && c.Family == p.Constraints[i-1].Family && slices.Equal(c.Index(), p.Constraints[i-1].Index()) {
			list[len(list)-1].last = i
			continue
		}
		families[c.Family] = append(list, member{i, i})
		indexed[c.Family] = indexed[c.Family] || len(c.Index()) > 0
	}
	write := func(m member) {
		t.halves(p, duals, m.first, m.last)
	}
	t.object(func() {
		for _, name := range names {
			t.key(name)
			if list := families[name]; len(list) == 1 && !indexed[name] {
				write(list[0])
			} else {
				t.array(func() {
					for _, m := range list {
						write(m)
					}
				})
			}
		}
	})
}

// halves writes the multipliers of constraints first to last, each beside those before it.
func (t *text) halves(p *dc.Problem, duals [][]float64, first, last int) {
	if first == last {
		t.dual(&p.Constraints[first], duals[first])
		return
	}
	t.array(func() {
		t.halves(p, duals, first, last-1)
		t.dual(&p.Constraints[last], duals[last])
	})
}

func (t *text) dual(c *dc.Constraint, y []float64) { t.nested(c.DualShape(len(y)), y) }

// boundDuals writes the multipliers of the bounds of each variable that has any.
func (t *text) boundDuals(p *dc.Problem, z []float64) {
	var bounded []*dc.Variable
	for _, v := range p.Vars {
		for k := range v.Len() {
			if lo, hi := v.Bounds(k); !v.Param && (!math.IsInf(lo, -1) || !math.IsInf(hi, 1)) {
				bounded = append(bounded, v)
				break
			}
		}
	}
	if bounded == nil {
		return
	}
	t.key("bound_duals")
	t.object(func() {
		for _, v := range bounded {
			t.key(v.Name)
			t.nested(v.Shape, v.Values(z))
		}
	})
}
