package campaign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/instance"
	"github.com/dcopt/dcopt/bench/internal/peer"
	"github.com/dcopt/dcopt/bench/internal/process"
	"github.com/dcopt/dcopt/bench/internal/result"
	"github.com/dcopt/dcopt/bench/internal/wire"
	"github.com/dcopt/dcopt/qpbackend"
)

// Contender is a solver and the tolerance to ask it for.
type Contender struct {
	Solver string
	Tol    float64 // 0: its defaults
	Peer   *peer.Peer
}

// Campaign says which problems and solvers are measured, and how.
type Campaign struct {
	Instances  []instance.Instance
	Contenders []Contender
	Only       *regexp.Regexp // of instances' names; nil: all
	// Limit in seconds; a process is left alone for Slack times as long, by the
	// wall clock.
	Limit, Slack float64
	Repeat       int
	Absolute     bool   // residuals are relative to nothing
	Dir          string // for the files of the problems
}

// Run makes the measurements that table lacks. It returns ctx.Err() if it was interrupted.
func (c *Campaign) Run(ctx context.Context, table *csvtable.Table[result.Row], tell csvtable.Tell) error {
	versions := make([]string, len(c.Contenders))
	for k, con := range c.Contenders {
		v, err := con.Peer.Version(ctx)
		if err != nil {
			return fmt.Errorf("solver %s: %w", con.Solver, err)
		}
		versions[k] = v
	}
	var tasks []csvtable.Task[result.Row]
	problems := csvtable.Last(func(i int) ([]*qpbackend.Problem, error) { return c.prepare(c.Instances[i]) })
	for i, in := range c.Instances {
		if c.Only != nil && !c.Only.MatchString(in.Name) {
			continue
		}
		for k, con := range c.Contenders {
			for _, mode := range modes(in) {
				row := result.Row{Group: in.Group, Instance: in.Name, Solver: con.Solver, Tol: tolText(con.Tol),
					Mode: mode, Limit: c.Limit, Repeat: c.Repeat, Version: versions[k]}
				tasks = append(tasks, csvtable.Task[result.Row]{Row: row, Instance: in.Name, Contender: con.Solver,
					Measure: func(ctx context.Context, row result.Row) (result.Row, error) {
						all, err := problems(i)
						if err != nil {
							return row, fmt.Errorf("%s: %w", in.Name, err)
						}
						row, err = c.measure(ctx, con, row, in.Want, all)
						row.Message = strings.TrimPrefix(row.Message+off(row, in), "; ")
						return row, err
					}})
			}
		}
	}
	if len(tasks) == 0 {
		return errors.New("no problem is left to solve: --only fits none")
	}
	return csvtable.Fill(ctx, table, tasks, 1, tell)
}

// sequenceGroup is the group of instances of many problems.
const sequenceGroup = "sequence"

func modes(in instance.Instance) []string {
	if strings.HasPrefix(in.Group, sequenceGroup) {
		return []string{wire.Fresh, wire.Update, wire.Warm}
	}
	return []string{wire.Fresh}
}

func tolText(tol float64) string {
	if tol == 0 {
		return "default"
	}
	return strings.Replace(strconv.FormatFloat(tol, 'e', -1, 64), "e-0", "e-", 1)
}

// prepare makes the problems and writes them to files.
func (c *Campaign) prepare(in instance.Instance) ([]*qpbackend.Problem, error) {
	problems, err := in.Make()
	if err != nil {
		return nil, err
	}
	for k, p := range problems {
		if err := p.Validate(); err != nil {
			return nil, err
		}
		if err := wire.WriteProblem(c.file(k), p); err != nil {
			return nil, err
		}
	}
	return problems, nil
}

func (c *Campaign) file(k int) string { return filepath.Join(c.Dir, fmt.Sprintf("problem%d.bin", k)) }

// measure has one contender solve the problems in one mode.
func (c *Campaign) measure(ctx context.Context, con Contender, base result.Row, want qpbackend.Status,
	problems []*qpbackend.Problem) (result.Row, error) {
	if len(problems) == 1 {
		return c.one(ctx, con, base, want, problems, 0, c.Repeat)
	}
	best, err := c.pass(ctx, con, base, problems)
	for k := 1; k < c.Repeat && err == nil && best.Status == "solved"; k++ {
		var r result.Row
		r, err = c.pass(ctx, con, base, problems)
		if r.Status == "solved" {
			best.Wall, best.CPU, best.Setup = min(best.Wall, r.Wall), min(best.CPU, r.CPU), min(best.Setup, r.Setup)
		}
	}
	return best, err
}

// pass solves a sequence once. The row has the mean times of the steps but for
// the first, which cannot start from anything, the sum of their iterations and
// the largest of their residuals; the status comes from the first step that was
// not solved, and NaN residuals stay.
func (c *Campaign) pass(ctx context.Context, con Contender, base result.Row,
	problems []*qpbackend.Problem) (result.Row, error) {
	sum := base
	sum.Status = "solved"
	for k := range problems {
		step := base
		if k == 0 {
			step.Mode = wire.Fresh
		}
		r, err := c.one(ctx, con, step, qpbackend.Solved, problems, k, 1)
		if err != nil {
			return r, err
		}
		if r.Status != "solved" {
			if sum.Status == "solved" {
				sum.Status, sum.Message = r.Status, fmt.Sprintf("step %d %s", k, r.Message)
			}
			if math.IsNaN(r.Residual()) { // no point: the sequence ends here
				r.Status, r.Message, r.Mode = sum.Status, sum.Message, base.Mode
				return r, nil
			}
		}
		sum.N, sum.M, sum.NNZ, sum.Version, sum.Objective = r.N, r.M, r.NNZ, r.Version, r.Objective
		if k > 0 {
			sum.Wall += r.Wall / float64(len(problems)-1)
			sum.CPU += r.CPU / float64(len(problems)-1)
			sum.Setup += r.Setup / float64(len(problems)-1)
			sum.Iterations += r.Iterations
			sum.Primal, sum.Dual, sum.Gap = max(sum.Primal, r.Primal), max(sum.Dual, r.Dual), max(sum.Gap, r.Gap)
		}
	}
	return sum, nil
}

// off says that a claim of a solution has another value than the published one; else it is
// empty.
func off(row result.Row, in instance.Instance) string {
	if in.Error == 0 || row.Status != "solved" || math.Abs(row.Objective-in.Optimum) <= in.Error {
		return ""
	}
	return fmt.Sprintf("; the objective is not the published %g", in.Optimum)
}

// one has a problem solved and measures the point. Where the problem is
// infeasible, the residual is the worth of the proof, and none of another claim.
func (c *Campaign) one(ctx context.Context, con Contender, row result.Row, want qpbackend.Status,
	problems []*qpbackend.Problem, k, repeat int) (result.Row, error) {
	p := problems[k]
	row.N, row.M = p.Dims()
	row.NNZ = entries(p)
	reply, err := con.Peer.Solve(ctx, p, wire.Request{
		Problem: c.file(k), Mode: row.Mode, Tol: con.Tol, Limit: c.Limit * c.Slack, Repeat: repeat,
	})
	if err != nil {
		return row, err
	}
	row.Status, row.Iterations, row.Message = reply.Status, reply.Iterations, process.Short(reply.Message)
	row.Wall, row.CPU, row.Setup = reply.Wall, reply.CPU, reply.Setup
	if reply.X == nil && reply.Y == nil {
		row.Wall, row.CPU, row.Setup = math.NaN(), math.NaN(), math.NaN()
		return row.Nowhere(), nil
	}
	switch want {
	case qpbackend.PrimalInfeasible:
		row.Primal, row.Objective = inf, inf
		if row.Status == want.String() {
			row.Primal = qpbackend.PrimalInfeasibility(p, reply.Y, reply.Z)
		}
		return row, nil
	case qpbackend.DualInfeasible:
		row.Dual, row.Objective = inf, -inf
		if row.Status == want.String() {
			row.Dual = qpbackend.DualInfeasibility(p, reply.X)
		}
		return row, nil
	}
	certify := qpbackend.Certify
	if c.Absolute {
		certify = absolute
	}
	res := certify(p, reply.X, reply.Y, reply.Z)
	row.Primal, row.Dual, row.Gap = res.Primal, res.Dual, res.Gap
	row.Objective = p.Objective(reply.X)
	return row, nil
}

var inf = math.Inf(1)

// entries of A and of the whole of P.
func entries(p *qpbackend.Problem) int {
	nnz := 0
	if p.A != nil {
		nnz += p.A.NNZ()
	}
	if p.P != nil {
		for j := range p.P.Cols {
			for _, i := range p.P.RowIdx[p.P.ColPtr[j]:p.P.ColPtr[j+1]] {
				nnz++
				if i != j {
					nnz++
				}
			}
		}
	}
	return nnz
}
