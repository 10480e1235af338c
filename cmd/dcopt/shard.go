package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/report"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/plan"
)

func shardCommand() *cli.Command {
	return &cli.Command{
		Name:      "shard",
		Usage:     "compute shards of a plan, or join their results",
		ArgsUsage: "run PLAN | merge DIR...",
		UsageText: "dcopt shard run PLAN.json --index I --out DIR\n" +
			"   dcopt shard merge DIR...",
		Description: "run computes shards whose results are not in DIR yet, each written whole by a rename: it may be interrupted, run again\n" +
			"and run twice. merge prints what dcopt solve --independent or dcopt cv prints on one machine, times aside, and lists\n" +
			"missing shards. Both end with code 3 where results are missing.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "index", Aliases: []string{"i"}, Usage: "of run: the shards `I`, such as 7 or 0-99,200; with --of the number of a task; all if not given"},
			&cli.IntFlag{Name: "of", Usage: "of run: with --index I, the shards I, I+N, I+2N, ... of `N` tasks"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "of run: the folder `DIR` of results; of merge: the file that gets what is printed"},
			&cli.StringFlag{Name: "data", Usage: "of run: look in the folder `DIR` for data that are not in the plan"},
			&cli.IntFlag{Name: "jobs", Usage: "of run: `N` shards at a time; as many as there are processors if not given"},
			jsonFlag(),
			&cli.BoolFlag{Name: "full", Usage: "of merge: print all digits, and all entries of long variables"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no notes, no progress"},
		},
		Action: func(c *cli.Context) error {
			switch verb := c.Args().First(); verb {
			case "run":
				return runShards(c)
			case "merge":
				return mergeShards(c)
			case "":
				return usagef("shard: run or merge? Usage: %s", c.Command.UsageText)
			default:
				return unknown("verb", verb, []string{"run", "merge"}, "; want run or merge")
			}
		},
	}
}

// chosen are the shards of --index and --of.
func chosen(c *cli.Context, p *plan.Plan) ([]int, error) {
	spec, of := c.String("index"), c.Int("of")
	bad := func(err error) error { return usagef("--index %s: %w", spec, err) }
	switch {
	case c.IsSet("of") && of < 1:
		return nil, usagef("--of %d: want at least 1", of)
	case c.IsSet("of"):
		i, err := strconv.Atoi(spec)
		if err != nil || i < 0 || i >= of {
			return nil, bad(fmt.Errorf("want the number of a task from 0 to %d, as --of says", of-1))
		}
		var list []int
		for ; i < p.Shards; i += of {
			list = append(list, i)
		}
		return list, nil
	case !c.IsSet("index"):
		list := make([]int, p.Shards)
		for i := range list {
			list[i] = i
		}
		return list, nil
	}
	var list []int
	seen := map[int]bool{}
	for _, part := range strings.Split(spec, ",") {
		a, b, isRange := strings.Cut(strings.TrimSpace(part), "-")
		lo, err := strconv.Atoi(a)
		hi := lo
		if err == nil && isRange {
			hi, err = strconv.Atoi(b)
		}
		if err != nil || lo > hi {
			return nil, bad(fmt.Errorf("%q is no shard; want numbers such as 7 or 0-99,200", part))
		}
		for _, end := range []int{lo, hi} {
			if err := p.CheckShard(end); err != nil {
				return nil, bad(err)
			}
		}
		for i := lo; i <= hi; i++ {
			if !seen[i] {
				seen[i] = true
				list = append(list, i)
			}
		}
	}
	return list, nil
}

func runShards(c *cli.Context) error {
	if c.Args().Len() != 2 {
		return usagef("shard run: of which plan? One file, as in dcopt shard run PLAN.json --out DIR")
	}
	p, err := readPlan(c, c.Args().Get(1))
	if err != nil {
		return err
	}
	if c.String("out") == "" {
		return usagef("shard run: where do the results go? Give --out DIR")
	}
	list, err := chosen(c, p)
	if err != nil {
		return err
	}
	jobs := runtime.GOMAXPROCS(0)
	if c.IsSet("jobs") {
		if jobs = c.Int("jobs"); jobs < 1 {
			return usagef("--jobs %d: want at least 1", jobs)
		}
	}
	var line *progress
	if !c.Bool("quiet") {
		line = sessionOf(c).log.progress("reading")
		defer line.stop()
	}
	if p.Kind() == "fit" {
		return fitRounds(c, p, list, jobs, line)
	}
	folder, err := plan.OpenFolder(c.String("out"), p)
	if err != nil {
		return usagef("%w", err)
	}
	w := &shardRun{c: c, p: p, folder: folder, line: line}
	return w.all(list, min(jobs, len(list)))
}

// fitRounds goes through the rounds of a fit. Of each round the shards of the list come first, then those that
// other processes, which share the folder, still lack: so no process waits for another one, and each can end
// the fit alone.
func fitRounds(c *cli.Context, p *plan.Plan, list []int, jobs int, line *progress) error {
	others := make([]int, 0, p.Shards)
	first := 0
	if len(list) > 0 {
		first = list[0]
	}
	for k := range p.Shards {
		if i := (first + k) % p.Shards; !slices.Contains(list, i) {
			others = append(others, i)
		}
	}
	sources := &plan.Sources{}
	_, err := p.Rounds(c.Context, c.String("out"), func(ctx context.Context, q *plan.Plan, dir string) error {
		folder, err := plan.OpenFolder(dir, q)
		if err != nil {
			return usagef("%w", err)
		}
		title := fmt.Sprintf("round %d, ", q.Fit.Round.Number+1)
		w := &shardRun{c: c, p: q, folder: folder, line: line, title: title, sources: sources}
		if err := w.all(list, min(jobs, len(list))); err != nil || len(others) == 0 {
			return err
		}
		w = &shardRun{c: c, p: q, folder: folder, line: line, title: title, sources: sources, help: true}
		return w.all(others, min(jobs, len(others)))
	})
	line.stop()
	var f *failure
	switch {
	case err == nil:
		if !c.Bool("quiet") {
			sessionOf(c).log.note("the fit is complete; dcopt shard merge %s -o MODEL.json writes the model", c.String("out"))
		}
		return nil
	case errors.As(err, &f):
		return err
	case isContextError(err):
		return &failure{exitInterrupted, errors.New("interrupted; run it again for the rest of the fit")}
	}
	return partsError(err)
}

// shardRun computes shards of a plan into a folder.
type shardRun struct {
	c      *cli.Context
	p      *plan.Plan
	folder *plan.Folder
	line   *progress
	// Of a round of a fit.
	sources *plan.Sources
	title   string // before the numbers of the progress
	help    bool   // the shards are those of other processes, too

	mu     sync.Mutex
	done   int
	before int // of these, with results of a run before
	failed []int
	code   int   // the largest of the codes of failures
	stop   error // nothing can be written: no shard is begun any more
}

// all computes the shards of the list that have no results, so many at a time.
func (w *shardRun) all(list []int, jobs int) error {
	ctx, cancel := context.WithCancel(w.c.Context)
	defer cancel()
	w.line.portion(0, 1)
	next := make(chan int)
	var wait sync.WaitGroup
	for range jobs {
		wait.Go(func() {
			r := plan.NewRunner(w.p, w.c.String("data"))
			r.Sources = w.sources
			for i := range next {
				w.one(ctx, r, i, len(list))
			}
		})
	}
	// A step that does not look at its context is left to itself: the program ends.
	_, err := within(w.c.Context, func() (bool, error) {
		for _, i := range list {
			if ctx.Err() != nil || w.stopped() {
				break
			}
			next <- i
		}
		close(next)
		wait.Wait()
		return true, ctx.Err()
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line.stop()
	switch {
	case w.stop != nil:
		return usagef("%w", w.stop)
	case err != nil:
		return &failure{exitInterrupted, fmt.Errorf("interrupted; %d of %d shards have results, run it again for the others", w.done, len(list))}
	case len(w.failed) > 0:
		return &failure{w.code, fmt.Errorf("%d of %d shards have no result: %s", len(w.failed), len(list), plan.Ranges(w.failed))}
	}
	return nil
}

func (w *shardRun) stopped() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stop != nil
}

// one computes a shard.
func (w *shardRun) one(ctx context.Context, r *plan.Runner, i, of int) {
	var res *plan.Result
	var err error
	written := w.folder.Has(i)
	if !written {
		until, end := context.WithCancelCause(ctx)
		if w.help {
			go w.watch(until, end, i)
		}
		res, err = r.Run(until, i)
		if context.Cause(until) == errThere {
			written, err = true, nil
		}
		end(nil)
		if err == nil && !written {
			if err = w.folder.Put(res); err != nil {
				w.mu.Lock()
				w.stop = err
				w.mu.Unlock()
				return
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err == nil:
		w.done++
		if written {
			w.before++
		}
		w.line.say("%s%d of %d shards", w.title, w.done, of)
		w.line.portion(float64(w.done-w.before), float64(of-w.before))
	case ctx.Err() != nil:
	default:
		w.failed = append(w.failed, i)
		code := exitFile
		var pe *fs.PathError
		if errors.As(err, &pe) || errors.Is(err, syscall.ENOSPC) {
			code = exitUsage
		}
		w.code = max(w.code, code)
		w.tell(i, err)
	}
}

// errThere ends the computation of a shard whose result another process has written.
var errThere = errors.New("the result is there")

// watch ends a computation when its result is in the folder.
func (w *shardRun) watch(ctx context.Context, end context.CancelCauseFunc, i int) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if w.folder.Has(i) {
				end(errThere)
			}
		}
	}
}

// tell says why a shard has no result.
func (w *shardRun) tell(i int, err error) {
	log := sessionOf(w.c).log
	var ds lang.Diagnostics
	if errors.As(err, &ds) {
		log.note("shard %d:", i)
		if log.diagnose(ds, exitFile, func(string) []byte { return []byte(w.p.Problem.Text) }) == nil {
			return
		}
	}
	log.note("shard %d: %v", i, err)
}

func mergeShards(c *cli.Context) error {
	dirs := c.Args().Tail()
	if len(dirs) == 0 {
		return usagef("shard merge: which folders of results? Usage: dcopt shard merge DIR...")
	}
	for _, name := range []string{"index", "of", "data", "jobs"} {
		if c.IsSet(name) {
			return usagef("--%s is for shard run", name)
		}
	}
	var p *plan.Plan
	var err error
	if strings.HasSuffix(strings.ToLower(dirs[0]), ".json") {
		if p, err = readPlan(c, dirs[0]); err != nil {
			return err
		}
		if dirs = dirs[1:]; len(dirs) == 0 {
			return usagef("shard merge: where are the results of %s? Give their folders behind it", c.Args().Get(1))
		}
	} else if p, err = plan.PlanIn(dirs[0]); err != nil {
		return usagef("%s: %w", dirs[0], err)
	}
	out, err := outFlag(c)
	if err != nil {
		return err
	}
	defer out.discard()
	if p.Kind() == "fit" {
		return mergeFit(c, p, dirs, out)
	}
	joined, err := within(c.Context, func() (*plan.Joined, error) { return plan.Join(p, dirs) })
	if err != nil {
		if isContextError(err) {
			return err
		}
		return usagef("%w", err)
	}
	m := &merge{c: c, p: p, joined: joined, out: out, json: c.Bool("json") || strings.HasSuffix(strings.ToLower(c.String("out")), ".json")}
	code, err := m.print()
	if err != nil {
		return err
	}
	if err := out.commit(); err != nil {
		return err
	}
	for _, d := range joined.Damaged {
		sessionOf(c).log.note("%v; the shard counts as missing", d)
	}
	if n := len(joined.Missing); n > 0 {
		return &failure{exitNotSolved, fmt.Errorf("%d of %d shards have no result: %s", n, p.Shards, plan.Ranges(joined.Missing))}
	}
	return ended(code)
}

// mergeFit writes the model of a fit.
func mergeFit(c *cli.Context, p *plan.Plan, dirs []string, out *output) error {
	switch {
	case len(dirs) != 1:
		return usagef("shard merge: the rounds of a fit are in one folder, which all its processes share")
	case c.String("out") == "":
		return usagef("shard merge: where does the model go? Give -o MODEL.json")
	}
	t, err := within(c.Context, func() (*plan.Trained, error) { return p.Rounds(c.Context, dirs[0], nil) })
	var missing *plan.MissingError
	switch {
	case errors.As(err, &missing):
		for _, d := range missing.Damaged {
			sessionOf(c).log.note("%v; the shard counts as missing", d)
		}
		return &failure{exitNotSolved, err}
	case err != nil:
		return partsError(err)
	}
	if err := writeModel(t.Model, out, nil, nil, nil); err != nil {
		return err
	}
	if err := fitSummary(c, t.Model, t.Scores, -1); err != nil {
		return err
	}
	if t.Model.Training.Status != ccp.Converged {
		return ended(exitNotSolved)
	}
	return nil
}

// merge prints the results of a plan.
type merge struct {
	c      *cli.Context
	p      *plan.Plan
	joined *plan.Joined
	out    *output
	json   bool
}

// print prints them and returns the exit code that one machine would give.
func (m *merge) print() (code int, err error) {
	if len(m.joined.Results) == 0 {
		return exitOK, nil
	}
	switch m.p.Kind() {
	case "study":
		return exitOK, m.study()
	case "starts":
		return m.starts()
	}
	return m.sweep()
}

// report is the report of a result, as solve prints it.
func (m *merge) report(r *plan.Runner, i int, res *ccp.Result) (*report.Report, error) {
	prog, err := within(m.c.Context, func() (*lang.Program, error) { return r.Compile(m.c.Context, i) })
	if err != nil {
		if isContextError(err) {
			return nil, err
		}
		return nil, badFile(fmt.Errorf("shard %d: %w", i, err))
	}
	rep := dcReport(prog.Problem, res)
	rep.Names(prog, res.X, m.json)
	none := math.NaN()
	rep.Wall, rep.Seconds = none, report.Seconds{Read: none, Compile: none, Solve: none, Backend: none}
	return rep, nil
}

func (m *merge) sweep() (code int, err error) {
	q := m.p.Problem
	r := plan.NewRunner(m.p, m.c.String("data"))
	if !m.json {
		sweepHead(m.out, q.Params, false)
	}
	for _, one := range m.joined.Results {
		res, err := one.Solved.Result()
		if err != nil {
			return 0, err
		}
		rep, err := m.report(r, one.Shard, res)
		if err != nil {
			return 0, err
		}
		for k, v := range q.Point(one.Shard) {
			value := any(v)
			if x, ok := finite(v); ok {
				value = report.Number(x)
			}
			rep.Sweep = append(rep.Sweep, report.Member{Name: q.Params[k], Value: value})
		}
		code = max(code, rep.Code)
		if m.json {
			b, err := report.Line(rep.JSON())
			if err != nil {
				return 0, err
			}
			m.out.Write(b) // commit has the error
			continue
		}
		rep.SweepText(m.out, m.c.Bool("full") || m.out.toFile())
	}
	return code, nil
}

func (m *merge) starts() (code int, err error) {
	var all []*ccp.Result
	for _, one := range m.joined.Results {
		res, err := one.Solved.Result()
		if err != nil {
			return 0, err
		}
		all = append(all, res)
	}
	r := plan.NewRunner(m.p, m.c.String("data"))
	prog, err := r.Compile(m.c.Context, 0)
	if err != nil {
		return 0, badFile(err)
	}
	rep, err := m.report(r, 0, ccp.Best(prog.Problem.Maximize, all))
	if err != nil {
		return 0, err
	}
	if !m.json {
		rep.Text(m.out, m.c.Bool("quiet"), m.c.Bool("full") || m.out.toFile())
		return rep.Code, nil
	}
	b, err := report.Line(rep.JSON())
	if err != nil {
		return 0, err
	}
	m.out.Write(b) // commit has the error
	return rep.Code, nil
}

func (m *merge) study() error {
	s := m.p.Study
	t := cvTable{w: m.out, json: m.json}
	for k := range s.Methods {
		set, err := s.Methods[k].Settings()
		if err != nil {
			return badFile(err)
		}
		t.sets = append(t.sets, set)
	}
	t.total = make([]cvTotal, len(t.sets))
	for _, table := range s.Tables {
		t.width = max(t.width, len(m.p.Files[table.File].Name))
	}
	t.head()
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
			if err := t.row(m.p.Files[table.File].Name, j, &res, math.NaN()); err != nil {
				return usagef("cannot write the result: %w", err)
			}
		}
		if complete {
			whole++
		}
	}
	if whole == len(s.Tables) {
		t.foot(whole)
	}
	return nil
}
