package report

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/internal/record"
	"github.com/dcopt/dcopt/qpbackend"
)

// Facts is the record of a result.
func Facts(res *ccp.Result) record.Record {
	return record.Record{
		Status: res.Status.String(), Objective: Number(res.Objective), ObjectiveError: record.N(res.ObjectiveError),
		MaxViolation: record.N(res.Violation), Worst: res.Worst, Feasible: &res.Feasible,
		Iterations: res.Iterations, Starts: res.Starts, Start: res.Start, Backend: res.Backend,
		Seconds: &record.Seconds{
			Compile: res.Seconds.Compile, Solve: res.Seconds.Solve, Backend: res.Seconds.Backend,
		},
		NoMultipliers: (*record.Absence)(res.NoMultipliers), Loose: (*record.Loose)(res.Loose),
		Message: res.Message, Reason: res.Reason().String(),
	}
}

// Prove adds to a record how far its point is from the optimum.
func Prove(r *record.Record, g *global.Result) {
	r.Bound, r.Gap, r.Nodes, r.Proved, r.Safe = record.N(g.Bound), record.N(g.Gap), &g.Nodes, &g.Proved, &g.Safe
	r.NoBound = g.NoBound
}

// FactsOfQP is the record of a result of a backend.
func FactsOfQP(res *qpbackend.Result, backend string, seconds float64) record.Record {
	return record.Record{
		Status: res.Status.String(), Objective: Number(res.Objective), Iterations: res.Iterations, Backend: backend,
		Seconds:        &record.Seconds{Solve: seconds, Backend: seconds},
		PrimalResidual: record.N(res.Res.Primal), DualResidual: record.N(res.Res.Dual), Gap: record.N(res.Res.Gap),
		Message: res.Message,
	}
}

// History are the iterations of a result.
func History(list []ccp.Iteration) []record.Iteration {
	var out []record.Iteration
	for _, it := range list {
		out = append(out, record.Iteration{
			K: it.K, Hop: it.Hop, Objective: Number(it.Objective), Violation: Number(it.Violation),
			Step: Number(it.Step), Tau: Number(it.Tau),
		})
	}
	return out
}

// Of is the report of a solve of p.
func Of(p *program.Problem, res *ccp.Result) *Report {
	r := &Report{Record: Facts(res), History: History(res.History)}
	r.Seconds.Read = new(float64)
	if len(res.X) == p.NumVars() {
		r.Variables = Blocks(p, res.X)
	}
	if len(res.Ray) == p.NumVars() && p.NumVars() > 0 {
		for _, b := range Blocks(p, res.Ray) {
			r.Ray = append(r.Ray, Member{Name: b.Name, Value: b.JSON()})
		}
	}
	if res.Duals != nil {
		r.Duals = dualsOf(p, res.Duals)
	}
	if len(res.BoundDuals) == p.NumVars() {
		r.BoundDuals = boundDuals(p, res.BoundDuals)
	}
	return r
}

// dualsOf groups the multipliers by family: a constraint without index is a
// number, or an array if it is one of arrays; a family is the array of its
// constraints in order. The two halves of an equation or chain that is not
// affine stand side by side.
func dualsOf(p *program.Problem, duals [][]float64) Object {
	var families []*family
	byName := map[string]*family{}
	var of *family       // the family of the constraint before
	var like interface { // the members of a family
		Count() int
		SameIndex(k int) bool
	}
	first := 0 // of the constraints that like has
	for i := range p.Constraints {
		c := &p.Constraints[i]
		if c.Within { // of the bounds
			continue
		}
		if m := c.Members(); m != nil {
			like, first = m, i
		}
		if like != nil && i > first && i < first+like.Count() && !like.SameIndex(i-first) {
			if len(duals[i]) == 1 && c.DC {
				of.addNumber(Number(duals[i][0]))
			} else {
				of.add(dualOf(p, c, duals[i]))
			}
			continue
		}
		value, indexed := dualOf(p, c, duals[i]), len(c.Index()) > 0
		if of == nil || of.name != c.Family {
			if of = byName[c.Family]; of == nil {
				of = &family{name: c.Family}
				families, byName[c.Family] = append(families, of), of
			}
		} else if indexed && c.Family != "" && slices.Equal(c.Index(), p.Constraints[i-1].Index()) {
			of.unpack()
			last := &of.values[len(of.values)-1]
			*last = []any{*last, value}
			continue
		}
		of.add(value)
		of.indexed = of.indexed || indexed
	}
	o := Object{}
	for _, f := range families {
		o = append(o, Member{Name: f.name, Value: f.value()})
	}
	return ComplexDuals(o)
}

// family has the multipliers of the constraints of one name.
type family struct {
	name    string
	numbers []Number // all of them, as long as values is nil
	values  []any
	indexed bool
}

func (f *family) add(v any) {
	if n, ok := v.(Number); ok {
		f.addNumber(n)
	} else {
		f.unpack()
		f.values = append(f.values, v)
	}
}

func (f *family) addNumber(n Number) {
	if f.values == nil {
		f.numbers = append(f.numbers, n)
	} else {
		f.values = append(f.values, n)
	}
}

// unpack moves the numbers to values, each an object of its own.
func (f *family) unpack() {
	if f.values != nil {
		return
	}
	f.values = make([]any, 0, len(f.numbers)+1)
	for _, n := range f.numbers {
		f.values = append(f.values, n)
	}
	f.numbers = nil
}

// value is the multiplier of a single constraint without an index, or the list of all.
func (f *family) value() any {
	single := len(f.numbers)+len(f.values) == 1 && !f.indexed
	switch {
	case single && f.values == nil:
		return f.numbers[0]
	case single:
		return f.values[0]
	case f.values == nil:
		return f.numbers
	}
	return f.values
}

// boundDuals are the multipliers of the bounds of each variable that has any.
func boundDuals(p *program.Problem, z []float64) Object {
	var o Object
	for _, v := range p.Vars {
		bounded := false
		for k := range v.Len() {
			lo, hi := v.Bounds(k)
			bounded = bounded || !math.IsInf(lo, -1) || !math.IsInf(hi, 1)
		}
		if bounded && !v.Param {
			o = append(o, Member{Name: v.Name, Value: Nested{Shape: v.Shape, V: v.Values(z)}})
		}
	}
	return o
}

func dualOf(p *program.Problem, c *program.Constraint, y []float64) any {
	if c.DC && len(y) == 1 {
		return Number(y[0])
	}
	if dual, ok := HermitianDual(p, c, y); ok {
		return dual
	}
	return Nested{Shape: c.DualShape(len(y)), V: y}
}
