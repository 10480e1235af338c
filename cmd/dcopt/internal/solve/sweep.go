package solve

import (
	"context"
	"reflect"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/problem"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/internal/table"
)

// sweep solves once a value, each time from the last useful point, and prints
// a line for each as it comes.
func (j *job) sweep() error {
	r, err := flags.ParseRange("--sweep", j.c.String("sweep"))
	if err != nil {
		return err
	}
	src, err := problem.Open(j.ctx, j.c, j.path)
	if err != nil {
		return err
	}
	code := exit.OK
	var last []float64
	alone := j.c.Bool("independent")
	if !alone {
		j.sweeps = &swept{}
		defer func() {
			if !j.seen.over { // else its solver is in use
				j.sweeps.close()
			}
		}()
	}
	for k, v := range r.Values {
		j.line.Say("compiling")
		j.line.Portion(float64(k), float64(len(r.Values)))
		prog, err := src.Compile(j.ctx, &report.Member{Name: r.Name, Value: v})
		if err != nil {
			return err
		}
		if alone || len(last) != prog.Problem.NumVars() {
			last = nil // another value, another size
		}
		rep, res, err := j.run(prog, last)
		if err != nil {
			return err
		}
		at, _ := table.Float(v)
		rep.Sweep = report.Object{{Name: r.Name, Value: report.Number(at)}}
		j.line.Wipe()
		if k == 0 && !j.json {
			report.SweepHead(j.out, []string{r.Name}, true)
		}
		if err := j.sweepLine(rep); err != nil {
			return err
		}
		if code = max(code, exit.Of(rep.Status)); j.ctx.Err() != nil {
			break
		}
		switch res.Status {
		case ccp.Infeasible, ccp.Unbounded, ccp.Numerical:
		default:
			last = res.X
		}
	}
	if err := j.out.Commit(); err != nil {
		return err
	}
	return exit.With(code)
}

// swept is the session of a sweep: where the convex problems of one value and the next
// differ in numbers alone, the backend's solver is kept, with its analysis.
type swept struct {
	session *ccp.Session
	options lang.ProblemOptions // for which it was made
}

func (s *swept) solve(ctx context.Context, prog *problem.Program, x0 []float64, set ccp.Settings) (*ccp.Result, error) {
	if s.session != nil && !reflect.DeepEqual(s.options, prog.Options) {
		s.close()
	}
	var err error
	if s.session == nil {
		s.options = prog.Options
		s.session, err = ccp.NewSession(ctx, prog.Problem, set)
	} else {
		err = s.session.Replace(ctx, prog.Problem)
	}
	if err != nil {
		return nil, err
	}
	return s.session.Solve(ctx, x0)
}

func (s *swept) close() {
	if s.session != nil {
		s.session.Close()
		s.session = nil
	}
}

func (j *job) sweepLine(r *report.Report) error {
	if j.json {
		return j.printJSON(r)
	}
	r.SweepText(j.out, j.full())
	return nil
}
