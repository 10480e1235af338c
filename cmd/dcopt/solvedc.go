package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/report"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/scene"
	"github.com/dcopt/dcopt/qpbackend"
)

// solveDC compiles and solves a .dc file.
func (j *job) solveDC() error {
	src, err := openSource(j.ctx, j.c, j.path)
	if err != nil {
		return err
	}
	j.line.say("compiling")
	prog, err := src.program(j.ctx, nil)
	if err != nil {
		return err
	}
	r, _, err := j.run(prog, nil)
	if err != nil {
		return err
	}
	return j.finish(r)
}

// run solves a compiled program, from x0 unless that is nil.
func (j *job) run(prog *program, x0 []float64) (*report.Report, *ccp.Result, error) {
	set, starts, err := j.settings(prog)
	if err != nil {
		return nil, nil, err
	}
	if t := prog.Options.TimeLimit; t != nil {
		j.limit(duration(*t))
	}
	switch {
	case j.c.Bool("verbose"):
		set.Recorder = ccp.Printer(j.c.App.ErrWriter)
	case j.line != nil:
		j.line.say("solving")
		if j.sweeps == nil {
			j.line.portion(0, 1)
			set.Recorder = j.line.recorder(starts)
		} else {
			set.Recorder = j.line.recorder(0) // the share is that of the values
		}
		if t, ok := j.ctx.Deadline(); ok {
			j.line.until(t)
		}
	}
	defer mindGarbage(numbersOf(prog.Problem))()
	begin := time.Now()
	j.seen.begin(prog.Problem, set.Recorder)
	set.Recorder = &j.seen
	out, err := within(j.ctx, func() (solution, error) { return j.solution(prog, x0, starts, set) })
	if out.res == nil && isContextError(err) {
		out.res = j.seen.giveUp(err, x0, set)
	}
	res, proof := out.res, out.proof
	wall := time.Since(begin).Seconds()
	switch {
	case err != nil && !isContextError(err):
		return nil, nil, j.refusal(prog, err)
	case res == nil:
		return nil, nil, err
	}
	r := dcReport(prog.Problem, res)
	r.Names(prog.Program, res.X, j.json)
	if j.plot != nil {
		r.Panels = scene.Of(prog.Program, res.X).Panels
	}
	r.Proof = proof
	r.Seconds.Read, r.Seconds.Compile = prog.read, r.Seconds.Compile+prog.compile
	r.Wall = prog.read + prog.compile + wall
	switch {
	case interrupted(j.s.ctx):
		// The best start may have ended before; the run as a whole has not.
		r.Status, r.Code = ccp.Cancelled.String(), exitInterrupted
		r.Say("interrupted before all was done; this is the best point so far")
	case err != nil && res.Status == ccp.Converged:
		r.Say("the time limit passed before all starts were done")
	}
	return r, res, nil
}

// numbersOf is about how many numbers the convex problem of p has.
func numbersOf(p *dc.Problem) int {
	const each = 16 // of a DC constraint of four variables: 5 entries, 11 costs, bounds, sides and multipliers
	n := each * len(p.Constraints)
	if f, ok := p.Objective.Function().(interface{ Coefficients() int }); ok {
		n += f.Coefficients()
	}
	return n
}

// solution is a point, and with --global the proof of it.
type solution struct {
	res   *ccp.Result
	proof *global.Result
}

// solution solves the problem as the flags say.
func (j *job) solution(prog *program, x0 []float64, starts int, set ccp.Settings) (out solution, err error) {
	switch {
	case j.c.Bool("global"):
		if out.proof, err = global.Solve(j.ctx, prog.Problem, x0, max(1, starts), set); out.proof != nil {
			out.res = out.proof.Result
		}
	case x0 == nil && starts != 1:
		out.res, err = ccp.Multistart(j.ctx, prog.Problem, starts, set)
	case j.sweeps != nil:
		out.res, err = j.sweeps.solve(j.ctx, prog, x0, set)
	default:
		out.res, err = ccp.Solve(j.ctx, prog.Problem, x0, set)
	}
	return out, err
}

// refusal is the error of ccp for a problem that it cannot try.
func (j *job) refusal(prog *program, err error) error {
	var no *global.UnsupportedError
	if errors.As(err, &no) {
		return usagef("%s: %w; leave out --global", j.path, err)
	}
	var cone *qpbackend.UnsupportedConeError
	if errors.As(err, &cone) {
		sum, _ := ccp.InspectContext(j.ctx, prog.Problem)
		return usagef("%s: %w; backends that can: %s", j.path, err, listOr(able(&sum), "none in this build"))
	}
	return badFile(placed{fmt.Errorf("%s: %w", j.path, err)})
}

func dcReport(p *dc.Problem, res *ccp.Result) *report.Report {
	r := &report.Report{
		Status: res.Status.String(), Code: exitNotSolved,
		Objective: res.Objective, Rounding: &res.ObjectiveError, Violation: res.Violation, Feasible: &res.Feasible, Worst: res.Worst,
		Iterations: res.Iterations, Starts: res.Starts, Start: res.Start, Backend: res.Backend,
		Seconds: report.Seconds{Compile: res.Seconds.Compile, Solve: res.Seconds.Solve, Backend: res.Seconds.Backend},
		History: res.History, Message: res.Message,
	}
	switch res.Status {
	case ccp.Converged:
		r.Code = exitOK
	case ccp.Cancelled:
		r.Code = exitInterrupted
	}
	if len(res.X) == p.NumVars() {
		r.Variables = report.Blocks(p, res.X)
	}
	if len(res.Ray) == p.NumVars() && p.NumVars() > 0 {
		for _, b := range report.Blocks(p, res.Ray) {
			r.Ray = append(r.Ray, report.Member{Name: b.Name, Value: b.JSON()})
		}
	}
	if res.Duals != nil {
		r.Duals = dcDuals(p, res.Duals)
	}
	if len(res.BoundDuals) == p.NumVars() {
		r.BoundDuals = dcBoundDuals(p, res.BoundDuals)
	}
	return r
}

// dcDuals groups the multipliers by family: a constraint without index is a
// number, or an array if it is one of arrays; a family is the array of its
// constraints in order. The two halves of an equation or chain that is not
// affine stand side by side.
func dcDuals(p *dc.Problem, duals [][]float64) report.Object {
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
	o := report.Object{}
	for _, name := range names {
		values := families[name]
		if len(values) == 1 && !indexed[name] {
			o = append(o, report.Member{Name: name, Value: values[0]})
		} else {
			o = append(o, report.Member{Name: name, Value: values})
		}
	}
	return report.ComplexDuals(o)
}

// dcBoundDuals are the multipliers of the bounds of each variable that has any.
func dcBoundDuals(p *dc.Problem, z []float64) report.Object {
	var o report.Object
	for _, v := range p.Vars {
		bounded := false
		for k := range v.Len() {
			lo, hi := v.Bounds(k)
			bounded = bounded || !math.IsInf(lo, -1) || !math.IsInf(hi, 1)
		}
		if bounded && !v.Param {
			o = append(o, report.Member{Name: v.Name, Value: report.Nested{Shape: v.Shape, V: v.Values(z)}})
		}
	}
	return o
}

func dualOf(p *dc.Problem, c *dc.Constraint, y []float64) any {
	if dual, ok := report.HermitianDual(p, c, y); ok {
		return dual
	}
	var shape []int
	if !c.DC {
		shape = c.A.Shape()
	} else if n := c.Order(); n*n == len(y) {
		shape = []int{n, n}
	} else if len(y) != 1 {
		shape = []int{len(y)}
	}
	n := 1
	for _, d := range shape {
		n *= d
	}
	if len(y) != n {
		return report.Numbers(y)
	}
	return report.Nested{Shape: shape, V: y}
}
