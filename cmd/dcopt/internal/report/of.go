package report

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/dc"
)

func Of(p *dc.Problem, res *ccp.Result) *Report {
	r := &Report{
		Status: res.Status.String(), Code: exit.NotSolved,
		Objective: res.Objective, Rounding: &res.ObjectiveError, Violation: res.Violation, Feasible: &res.Feasible, Worst: res.Worst,
		Iterations: res.Iterations, Starts: res.Starts, Start: res.Start, Backend: res.Backend,
		Seconds: Seconds{Compile: res.Seconds.Compile, Solve: res.Seconds.Solve, Backend: res.Seconds.Backend},
		History: res.History, Message: res.Message,
	}
	switch res.Status {
	case ccp.Converged:
		r.Code = exit.OK
	case ccp.Cancelled:
		r.Code = exit.Interrupted
	}
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
func dualsOf(p *dc.Problem, duals [][]float64) Object {
	var names []string
	families := map[string][]any{}
	indexed := map[string]bool{}
	for i := range p.Constraints {
		c := &p.Constraints[i]
		value := dualOf(p, c, duals[i])
		if i > 0 && len(c.Index()) > 0 && c.Family != "" && c.Family == p.Constraints[i-1].Family && slices.Equal(c.Index(), p.Constraints[i-1].Index()) {
			list := families[c.Family]
			list[len(list)-1] = []any{list[len(list)-1], value}
			continue
		}
		if _, seen := families[c.Family]; !seen {
			names = append(names, c.Family)
		}
		families[c.Family] = append(families[c.Family], value)
		indexed[c.Family] = indexed[c.Family] || len(c.Index()) > 0
	}
	o := Object{}
	for _, name := range names {
		values := families[name]
		if len(values) == 1 && !indexed[name] {
			o = append(o, Member{Name: name, Value: values[0]})
		} else {
			o = append(o, Member{Name: name, Value: values})
		}
	}
	return ComplexDuals(o)
}

// boundDuals are the multipliers of the bounds of each variable that has any.
func boundDuals(p *dc.Problem, z []float64) Object {
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

func dualOf(p *dc.Problem, c *dc.Constraint, y []float64) any {
	if dual, ok := HermitianDual(p, c, y); ok {
		return dual
	}
	return Nested{Shape: c.DualShape(len(y)), V: y}
}
