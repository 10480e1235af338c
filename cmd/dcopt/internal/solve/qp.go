package solve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/problem"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/garbage"
	"github.com/dcopt/dcopt/internal/record"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/formats"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/presolve"
)

// solveQP solves a quadratic program by one backend, without the procedure.
func (j *job) solveQP() error {
	begin := time.Now()
	f, err := problem.ReadQP(j.ctx, j.s, j.path)
	if err != nil {
		return err
	}
	for _, n := range f.Notes {
		j.note("%s: %s", j.path, n)
	}
	read := time.Since(begin).Seconds()

	b := j.backend
	if b == nil { // auto: after presolve, docs/solvers.md
		b = presolve.Backend{Inner: ipm.Backend{}}
	}
	set := b.DefaultSettings()
	if j.c.IsSet("tol") {
		set.Tol = j.c.Float64("tol")
	}
	if j.c.IsSet("max-iter") {
		set.MaxIter = j.c.Int("max-iter")
	}
	if err := set.Validate(); err != nil {
		return exit.Usagef("%w", err)
	}
	j.line.Say("solving")
	defer garbage.Mind(garbage.Numbers(f.Problem))()
	begin = time.Now()
	res, err := session.Within(j.ctx, func() (res qpbackend.Result, err error) {
		solver, err := b.New(j.ctx, f.Problem, set)
		if err != nil {
			return res, err
		}
		defer solver.Close()
		err = solver.Solve(j.ctx, &res)
		return res, err
	})
	switch {
	case err != nil && !exit.IsContext(err):
		return qpRefusal(j.path, f, err)
	case err != nil && res.Status == qpbackend.Unknown: // the context ended in New
		none := math.NaN()
		res.Status, res.Objective = qpbackend.TimeLimit, none
		res.Res = qpbackend.Residuals{Primal: none, Dual: none, Gap: none}
		if exit.ByUser(j.s.Ctx) {
			res.Status = qpbackend.Cancelled
		}
	}
	r := qpReport(j.ctx, f, &res)
	if j.backend == nil {
		r.Message = strings.TrimSuffix("auto took "+b.Name()+"; "+r.Message, "; ")
	}
	for _, n := range f.Notes { // a result that is stored has them, too: it may be of a relaxation
		r.Message = strings.TrimSuffix(n+"; "+r.Message, "; ")
	}
	spent := time.Since(begin).Seconds()
	r.Backend, r.Seconds, r.Wall = b.Name(), &record.Seconds{Read: &read, Solve: spent, Backend: spent}, read+spent
	return j.finish(r)
}

// qpRefusal names the column of a problem that is not convex.
func qpRefusal(path string, f *formats.File, err error) error {
	var nc *qpbackend.NonconvexError
	if errors.As(err, &nc) && nc.Index >= 0 && nc.Index < len(f.ColNames) {
		err = fmt.Errorf("the objective is not convex: it has negative curvature at column %s; only convex "+
			"quadratic programs are solved", f.ColNames[nc.Index])
	}
	return exit.BadFile(exit.Placed(fmt.Errorf("%s: %w", path, err)))
}

func qpReport(ctx context.Context, f *formats.File, res *qpbackend.Result) *report.Report {
	r := &report.Report{Record: report.FactsOfQP(res, "", 0)}
	r.Starts, r.MaxViolation = 1, record.N(math.NaN())
	switch res.Status {
	case qpbackend.PrimalInfeasible:
		r.Say("no point meets the rows and bounds; the duals are the proof")
	case qpbackend.DualInfeasible:
		r.Say("the objective falls for ever; the variables are a direction in which it does")
	}
	if f.Maximize {
		r.Objective = -r.Objective
	}
	n, m := f.Problem.Dims()
	if len(res.X) == n {
		r.Columns = make(report.Object, n)
		for k, name := range f.ColNames {
			r.Columns[k] = report.Member{Name: name, Value: report.Number(res.X[k])}
		}
		if res.Status != qpbackend.DualInfeasible { // there, X is a direction
			*(*float64)(r.MaxViolation), r.Worst = qpViolation(ctx, f, res.X)
		}
	}
	if len(res.Y) == m {
		r.Duals = make(report.Object, len(f.RowNames))
		for k, name := range f.RowNames {
			r.Duals[k] = report.Member{Name: name, Value: report.Number(res.Y[k])}
		}
	}
	if len(res.Z) == n {
		r.BoundDuals = report.Object{}
		for k, name := range f.ColNames {
			if lo, hi := f.Problem.Bounds(k); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
				r.BoundDuals = append(r.BoundDuals, report.Member{Name: name, Value: report.Number(res.Z[k])})
			}
		}
	}
	if res.Status == qpbackend.PrimalInfeasible || res.Status == qpbackend.DualInfeasible {
		none := record.N(math.NaN()) // of no meaning
		r.PrimalResidual, r.DualResidual, r.Gap = none, none, none
	}
	return r
}

// qpViolation is the largest amount by which x breaks a row, a cone or a bound, and
// the name of that row or column; NaN where ctx ends before the violation of a large cone is known.
func qpViolation(ctx context.Context, f *formats.File, x []float64) (worst float64, where string) {
	worst, row, variable := qpbackend.Violation(ctx, f.Problem, x)
	switch {
	case row >= 0:
		where = f.RowNames[row]
	case variable >= 0:
		where = "the bounds of " + f.ColNames[variable]
	}
	return worst, where
}
