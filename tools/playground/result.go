package playground

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
)

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

// answer writes the object of "dcopt solve --json", without "answer" and "proof"; proof may be nil.
func (t *text) answer(p *lang.Program, res *ccp.Result, proof *global.Result) {
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
			}{{"read", 0}, {"compile", res.Seconds.Compile}, {"solve", res.Seconds.Solve},
				{"backend", res.Seconds.Backend}} {
				t.key(s.name)
				t.number(s.v)
			}
		})
		t.proof(proof)
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
					}{{"objective", it.Objective}, {"max_violation", it.Violation}, {"step", it.Step},
						{"tau", it.Tau}} {
						t.key(s.name)
						t.number(s.v)
					}
				})
			}
		})
		t.key("message")
		t.string(res.Message)
		t.key("reason")
		t.string(res.Reason().String())
	})
}

// proof writes how far a point is from the optimum, and in no_bound why no more is known.
func (t *text) proof(g *global.Result) {
	if g == nil || g.NoBound == "" && math.IsInf(g.Bound, 0) {
		return
	}
	if !math.IsInf(g.Bound, 0) {
		t.key("bound")
		t.number(g.Bound)
		t.key("gap")
		t.number(g.Gap)
		t.key("nodes")
		t.int(g.Nodes)
	}
	t.key("proved")
	t.bool(g.Proved)
	if !math.IsInf(g.Bound, 0) {
		t.key("safe")
		t.bool(g.Safe)
	}
	t.named("no_bound", g.NoBound)
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
		if i > 0 && len(c.Index()) > 0 && c.Family != "" && c.Family == p.Constraints[i-1].Family &&
			slices.Equal(c.Index(), p.Constraints[i-1].Index()) {
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
