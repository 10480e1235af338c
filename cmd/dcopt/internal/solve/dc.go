package solve

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/ccp/global/prooffile"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/picture"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/problem"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/garbage"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/internal/scene"
	"github.com/dcopt/dcopt/internal/setting"
	"github.com/dcopt/dcopt/plan"
	"github.com/dcopt/dcopt/qpbackend"
)

// solveDC compiles and solves a .dc file.
func (j *job) solveDC() error {
	src, err := problem.Open(j.ctx, j.c, j.path)
	if err != nil {
		return err
	}
	j.line.Say("compiling")
	prog, err := src.Compile(j.ctx, nil)
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
func (j *job) run(prog *problem.Program, x0 []float64) (*report.Report, *ccp.Result, error) {
	set, starts, err := j.settings(prog)
	if err != nil {
		return nil, nil, err
	}
	if t := prog.Options.TimeLimit; t != nil {
		j.limit(flags.Duration(*t))
	}
	switch {
	case j.c.Bool("verbose"):
		set.Recorder = ccp.Printer(j.c.App.ErrWriter)
	case j.line != nil:
		j.line.Say("solving")
		if j.sweeps == nil {
			j.line.Portion(0, 1)
			set.Recorder = j.line.Recorder(starts)
		} else {
			set.Recorder = j.line.Recorder(0) // the share belongs to the values
		}
		if t, ok := j.ctx.Deadline(); ok {
			j.line.Until(t)
		}
	}
	if !j.c.Bool("global") { // whose tree grows
		defer garbage.Mind(numbersOf(prog.Problem.Program()))()
	}
	begin := time.Now()
	j.seen.begin(prog.Problem.Program(), set.Recorder)
	set.Recorder = &j.seen
	out, err := session.Briefly(j.ctx, func() (solution, error) { return j.solution(prog, x0, starts, set) })
	if out.res == nil && exit.IsContext(err) {
		if out.res = j.seen.giveUp(err, x0, set); j.c.Bool("global") {
			out.proof = j.seen.proof(out.res)
		}
	}
	res, proof := out.res, out.proof
	wall := time.Since(begin).Seconds()
	switch {
	case err != nil && !exit.IsContext(err):
		return nil, nil, j.refusal(prog, err)
	case res == nil:
		return nil, nil, err
	}
	r := report.Of(prog.Problem.Program(), res)
	r.Names(prog.Program, res.X, j.json)
	if j.plot != nil {
		run := picture.Run(res.History, prog.Problem.Program().Maximize)
		j.drawn = panels{prog.Title, scene.Of(prog.Program, res.X).Panels, run}
		if s := j.drawn.solution; len(s) == 1 && (len(prog.Plots) == 0 || prog.Plots[0].Title == "") {
			s[0].Title = prog.Title
		}
	}
	j.tree = nil
	// of a convex problem there is no more to say
	if proof != nil && (j.c.Bool("global") || proof.NoBound != "" || !math.IsInf(proof.Bound, 0)) {
		report.Prove(&r.Record, proof)
		j.tree = proof.Proof
	}
	if j.json && j.proof == nil && j.tree != nil {
		var b bytes.Buffer
		if err := prooffile.Write(&b, j.tree); err == nil && b.Len() <= mostInline {
			r.Inline = b.Bytes()
		}
	}
	if proof != nil && proof.Proof == nil && j.proof != nil {
		r.Message = strings.TrimPrefix(r.Message+"; no proof file is written", "; ")
	}
	r.Seconds.Read, r.Seconds.Compile = &prog.ReadSeconds, r.Seconds.Compile+prog.CompileSeconds
	r.Wall = prog.ReadSeconds + prog.CompileSeconds + wall
	switch {
	case exit.ByUser(j.s.Ctx):
		r.Interrupt()
	case err != nil && res.Status == ccp.Converged:
		r.Say("the time limit passed before all starts were done")
	}
	return r, res, nil
}

// mostInline bounds the proof that stands in a result. Source: a limit of size; a longer one is for
// --proof.
const mostInline = 256 << 10

// numbersOf is about how many numbers the convex problem of p has. Of large families with Lipschitz
// constants some members alone have rows.
func numbersOf(p *program.Problem) int {
	const (
		// Source: a count, of a DC constraint of four variables: 5 entries, 11 costs, bounds, sides
		// and multipliers
		each        = 16
		perVariable = 8 // Source: PerVariable of ccp/internal/blocks, which is how many there are at first
	)
	rows := 0
	for k := 0; k < len(p.Constraints); {
		all, some := 1, 1
		if m := p.Constraints[k].Members(); m != nil {
			all, some = m.Count(), m.Count()
			if most := perVariable * p.NumVars(); all >= 2*most && !math.IsInf(m.Slope(0), 1) {
				some = most
			}
		}
		rows, k = rows+some, k+all
	}
	return each*rows + family.Coefficients(p.Objective)
}

// solution is a point, and with --global the proof of it.
type solution struct {
	res   *ccp.Result
	proof *global.Result
}

// solution solves the problem as the flags say.
func (j *job) solution(prog *problem.Program, x0 []float64, starts int, set ccp.Settings) (out solution, err error) {
	switch {
	case j.c.Bool("global"):
		if out.proof, err = global.Solve(j.ctx, prog.Problem, x0, starts, set); out.proof != nil {
			out.res = out.proof.Result
		}
	case x0 == nil && starts == ccp.Automatic && set.Effort > ccp.Quick:
		if out.proof, err = global.Best(j.ctx, prog.Problem, set); out.proof != nil {
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
func (j *job) refusal(prog *problem.Program, err error) error {
	var cone *qpbackend.UnsupportedConeError
	if errors.As(err, &cone) {
		sum, _ := ccp.Inspect(j.ctx, prog.Problem)
		return exit.Usagef("%s: %w; backends that can: %s", j.path, cone,
			report.ListOr(problem.Backends(&sum), "none in this build"))
	}
	return exit.BadFile(exit.Placed(fmt.Errorf("%s: %w", j.path, err)))
}

// settings of the file, with the flags before them, and the number
// of starts.
func (j *job) settings(prog *problem.Program) (ccp.Settings, int, error) {
	o := problem.Overrides(j.c)
	if err := o.Check(setting.File); err != nil {
		return ccp.Settings{}, 0, exit.Usagef("%v", err)
	}
	set, starts, err := plan.Settings(o, prog.Options)
	if err != nil {
		return set, 0, exit.BadFile(fmt.Errorf("%s: %w", prog.Path, err))
	}
	if j.c.IsSet("start") && o.Starts == nil && prog.Options.Starts == nil {
		starts = 1
	}
	if j.c.IsSet("sweep") && o.Effort == nil && prog.Options.Effort == nil { // one of many
		set.Effort = ccp.Quick
	}
	if j.c.IsSet("max-nodes") {
		set.Global.MaxNodes = j.c.Int("max-nodes")
	}
	set.Global.Proof = j.proof != nil
	if j.c.Bool("independent") && !j.c.IsSet("sweep") {
		set.Heuristics.Search.Vary = false
	}
	return set, starts, nil
}
