package fleet

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/models"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/record"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/plan"
)

func mergeShards(c *cli.Context) error {
	dirs := c.Args().Tail()
	if len(dirs) == 0 {
		return exit.Usagef("shard merge: which folders of results? Usage: dcopt shard merge DIR...")
	}
	for _, name := range []string{"index", "of", "data", "jobs"} {
		if c.IsSet(name) {
			return exit.Usagef("--%s is for shard run", name)
		}
	}
	var p *plan.Plan
	var err error
	if strings.HasSuffix(strings.ToLower(dirs[0]), ".json") {
		if p, err = readPlan(c, dirs[0]); err != nil {
			return err
		}
		if dirs = dirs[1:]; len(dirs) == 0 {
			return exit.Usagef("shard merge: where are the results of %s? Give their folders behind it",
				c.Args().Get(1))
		}
	} else if p, err = plan.PlanIn(dirs[0]); err != nil {
		return exit.Usagef("%s: %w", dirs[0], err)
	}
	out, err := flags.Out(c)
	if err != nil {
		return err
	}
	defer out.Discard()
	if p.Kind() == "fit" {
		return mergeFit(c, p, dirs, out)
	}
	joined, err := session.Within(c.Context, func() (*plan.Joined, error) { return plan.Join(p, dirs) })
	if err != nil {
		if exit.IsContext(err) {
			return err
		}
		return exit.Usagef("%w", err)
	}
	m := &merge{c: c, p: p, joined: joined, out: out, json: c.Bool("json") ||
		strings.HasSuffix(strings.ToLower(c.String("out")), ".json")}
	code, err := m.print()
	if err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	for _, d := range joined.Damaged {
		session.Of(c).Log.Note("%v; the shard counts as missing", d)
	}
	if n := len(joined.Missing); n > 0 {
		return exit.As(exit.NotSolved, fmt.Errorf("%d of %d shards have no result: %s", n, p.Shards,
			plan.Ranges(joined.Missing)))
	}
	return exit.With(code)
}

// mergeFit writes the model of a fit.
func mergeFit(c *cli.Context, p *plan.Plan, dirs []string, out *session.Output) error {
	switch {
	case len(dirs) != 1:
		return exit.Usagef("shard merge: the rounds of a fit are in one folder, which all its processes share")
	case c.String("out") == "":
		return exit.Usagef("shard merge: where does the model go? Give -o MODEL.json")
	}
	t, err := session.Within(c.Context, func() (*plan.Trained, error) { return p.Rounds(c.Context, dirs[0], nil) })
	var missing *plan.MissingError
	switch {
	case errors.As(err, &missing):
		for _, d := range missing.Damaged {
			session.Of(c).Log.Note("%v; the shard counts as missing", d)
		}
		return exit.As(exit.NotSolved, err)
	case err != nil:
		return models.PartsError(err)
	}
	if err := models.Write(t.Model, out, nil, nil, nil); err != nil {
		return err
	}
	if err := models.Summary(c, t.Model, t.Scores, -1); err != nil {
		return err
	}
	if t.Model.Training.Status != ccp.Converged {
		return exit.With(exit.NotSolved)
	}
	return nil
}

// merge prints the results of a plan.
type merge struct {
	c      *cli.Context
	p      *plan.Plan
	joined *plan.Joined
	out    *session.Output
	json   bool
}

// print prints them and returns the exit code that one machine would give.
func (m *merge) print() (code int, err error) {
	if len(m.joined.Results) == 0 {
		return exit.OK, nil
	}
	switch m.p.Kind() {
	case "study":
		return exit.OK, m.study()
	case "starts":
		return m.starts()
	}
	return m.sweep()
}

// program is the compiled problem of a shard.
func (m *merge) program(r *plan.Runner, i int) (*lang.Program, error) {
	prog, err := session.Within(m.c.Context, func() (*lang.Program, error) { return r.Compile(m.c.Context, i) })
	if err != nil && !exit.IsContext(err) {
		err = exit.BadFile(fmt.Errorf("shard %d: %w", i, err))
	}
	return prog, err
}

// checked is a result that was read, nil if its statements are wrong: its shard
// then counts as missing.
func (m *merge) checked(prog *lang.Program, one *plan.Result) *ccp.Result {
	err := m.p.CheckResult(prog, one)
	if err == nil {
		var res *ccp.Result
		if res, err = one.Solved.Result(); err == nil {
			return res
		}
	}
	m.joined.Damaged = append(m.joined.Damaged, fmt.Errorf("%s: shard %d: %w", one.File, one.Shard, err))
	m.joined.Missing = append(m.joined.Missing, one.Shard)
	slices.Sort(m.joined.Missing)
	return nil
}

// report is the report of a result, as solve prints it.
func (m *merge) report(prog *lang.Program, res *ccp.Result) *report.Report {
	rep := report.Of(prog.Problem.Program(), res)
	rep.Names(prog, res.X, m.json)
	none := math.NaN()
	rep.Wall, rep.Seconds = none, &record.Seconds{Read: &none, Compile: none, Solve: none, Backend: none}
	return rep
}

func (m *merge) sweep() (code int, err error) {
	q := m.p.Problem
	r := plan.NewRunner(m.p, m.c.String("data"))
	if !m.json {
		report.SweepHead(m.out, q.Params, false)
	}
	for _, one := range m.joined.Results {
		prog, err := m.program(r, one.Shard)
		if err != nil {
			return 0, err
		}
		res := m.checked(prog, one)
		if res == nil {
			continue
		}
		rep := m.report(prog, res)
		for k, v := range q.Point(one.Shard) {
			value := any(v)
			if x, ok := flags.Finite(v); ok {
				value = report.Number(x)
			}
			rep.Sweep = append(rep.Sweep, report.Member{Name: q.Params[k], Value: value})
		}
		code = max(code, exit.Of(rep.Status))
		if m.json {
			b, err := report.Line(rep.JSON())
			if err != nil {
				return 0, err
			}
			m.out.Write(b) // commit has the error
			continue
		}
		rep.SweepText(m.out, m.c.Bool("full") || m.out.ToFile())
	}
	return code, nil
}

func (m *merge) starts() (code int, err error) {
	prog, err := m.program(plan.NewRunner(m.p, m.c.String("data")), 0)
	if err != nil {
		return 0, err
	}
	var best *ccp.Result
	for left := m.joined.Results; best == nil; {
		all := make([]*ccp.Result, len(left))
		for k, one := range left {
			if all[k], err = one.Solved.Result(); err != nil {
				return 0, err
			}
		}
		k := slices.Index(all, ccp.Best(prog.Problem.Program().Maximize, all))
		if k < 0 {
			return exit.NotSolved, nil // all are wrong; the missing shards are told
		}
		if m.checked(prog, left[k]) != nil {
			best = all[k]
		}
		left = slices.Delete(slices.Clone(left), k, k+1)
	}
	rep := m.report(prog, best)
	if !m.json {
		rep.Text(m.out, m.c.Bool("quiet"), m.c.Bool("full") || m.out.ToFile())
		return exit.Of(rep.Status), nil
	}
	b, err := report.Line(rep.JSON())
	if err != nil {
		return 0, err
	}
	m.out.Write(b) // commit has the error
	return exit.Of(rep.Status), nil
}

func (m *merge) study() error {
	s := m.p.Study
	var sets []lder.Settings
	for k := range s.Methods {
		set, err := s.Methods[k].Settings()
		if err != nil {
			return exit.BadFile(err)
		}
		sets = append(sets, set)
	}
	var names []string
	for _, table := range s.Tables {
		names = append(names, m.p.Files[table.File].Name)
	}
	t := models.NewTable(m.out, m.json, sets, names)
	t.Head()
	results := m.joined.Results
	whole := 0
	for k, table := range s.Tables {
		complete := true
		for j := range s.Methods {
			var res lder.CVResult
			for ; len(results) > 0; results = results[1:] {
				at, method, _ := s.At(results[0].Shard)
				if at != k || method != j {
					break
				}
				fvu, mse := results[0].Fold.Values()
				res.FVU, res.MSE = append(res.FVU, fvu), append(res.MSE, mse)
			}
			if len(res.FVU) < table.Folds {
				complete = false
				continue
			}
			if err := t.Row(m.p.Files[table.File].Name, j, &res, math.NaN()); err != nil {
				return exit.Usagef("cannot write the result: %w", err)
			}
		}
		if complete {
			whole++
		}
	}
	if whole == len(s.Tables) {
		t.Foot(whole)
	}
	return nil
}
