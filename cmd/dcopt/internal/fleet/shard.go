package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/models"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/plan"
)

func ShardCommand() *cli.Command {
	return &cli.Command{
		Name:      "shard",
		Usage:     "compute shards of a plan, or join their results",
		ArgsUsage: "run PLAN | merge DIR...",
		UsageText: "dcopt shard run PLAN.json --index I --out DIR\n" +
			"   dcopt shard merge DIR...",
		Description: "run computes shards whose results are not in DIR yet, each written whole by a rename: it may " +
			"be interrupted, run again\n" +
			"and run twice. merge prints what dcopt solve --independent or dcopt cv prints on one machine, times " +
			"aside, and lists\n" +
			"missing shards. Both end with code 3 where results are missing.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "index", Aliases: []string{"i"},
				Usage: "of run: the shards `I`, such as 7 or 0-99,200; with --of the number of a task; " +
					"all if not given"},
			&cli.IntFlag{Name: "of", Usage: "of run: with --index I, the shards I, I+N, I+2N, ... of `N` tasks"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"},
				Usage: "of run: the folder `DIR` of results; of merge: the file that gets what is printed"},
			&cli.StringFlag{Name: "data", Usage: "of run: look in the folder `DIR` for data that are not in the plan"},
			&cli.IntFlag{Name: "jobs",
				Usage: "of run: `N` shards at a time; as many as there are processors if not given"},
			flags.JSON(),
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
				return exit.Usagef("shard: run or merge? Usage: %s", c.Command.UsageText)
			default:
				return flags.Unknown("verb", verb, []string{"run", "merge"}, "; want run or merge")
			}
		},
	}
}

// chosen are the shards of --index and --of.
func chosen(c *cli.Context, p *plan.Plan) ([]int, error) {
	spec, of := c.String("index"), c.Int("of")
	bad := func(err error) error { return exit.Usagef("--index %s: %w", spec, err) }
	switch {
	case c.IsSet("of") && of < 1:
		return nil, exit.Usagef("--of %d: want at least 1", of)
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
		return exit.Usagef("shard run: of which plan? One file, as in dcopt shard run PLAN.json --out DIR")
	}
	p, err := readPlan(c, c.Args().Get(1))
	if err != nil {
		return err
	}
	if c.String("out") == "" {
		return exit.Usagef("shard run: where do the results go? Give --out DIR")
	}
	list, err := chosen(c, p)
	if err != nil {
		return err
	}
	jobs := runtime.GOMAXPROCS(0)
	if c.IsSet("jobs") {
		if jobs = c.Int("jobs"); jobs < 1 {
			return exit.Usagef("--jobs %d: want at least 1", jobs)
		}
	}
	var line *session.Progress
	if !c.Bool("quiet") {
		line = session.Of(c).Log.Progress("reading")
		defer line.Stop()
	}
	if p.Kind() == "fit" {
		return fitRounds(c, p, list, jobs, line)
	}
	folder, err := plan.OpenFolder(c.String("out"), p)
	if err != nil {
		return exit.Usagef("%w", err)
	}
	w := &shardRun{c: c, p: p, folder: folder, line: line}
	return w.all(list, min(jobs, len(list)))
}

// fitRounds goes through the rounds of a fit. Of each round the shards of the list come first, then
// those that other processes, which share the folder, still lack: so no process waits for another
// one, and each can end the fit alone.
func fitRounds(c *cli.Context, p *plan.Plan, list []int, jobs int, line *session.Progress) error {
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
			return exit.Usagef("%w", err)
		}
		title := fmt.Sprintf("round %d, ", q.Fit.Round.Number+1)
		w := &shardRun{c: c, p: q, folder: folder, line: line, title: title, sources: sources}
		if err := w.all(list, min(jobs, len(list))); err != nil || len(others) == 0 {
			return err
		}
		w = &shardRun{c: c, p: q, folder: folder, line: line, title: title, sources: sources, help: true}
		return w.all(others, min(jobs, len(others)))
	})
	line.Stop()
	var f *exit.Failure
	switch {
	case err == nil:
		if !c.Bool("quiet") {
			session.Of(c).Log.Note("the fit is complete; dcopt shard merge %s -o MODEL.json writes the model",
				c.String("out"))
		}
		return nil
	case errors.As(err, &f):
		return err
	case exit.IsContext(err):
		return exit.As(exit.Interrupted, errors.New("interrupted; run it again for the rest of the fit"))
	}
	return models.PartsError(err)
}

// shardRun computes shards of a plan into a folder.
type shardRun struct {
	c      *cli.Context
	p      *plan.Plan
	folder *plan.Folder
	line   *session.Progress
	// Of a round of a fit.
	sources *plan.Sources
	title   string // before the numbers of the progress
	help    bool   // the shards belong to other processes, too

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
	w.line.Portion(0, 1)
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
	_, err := session.Within(w.c.Context, func() (bool, error) {
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
	w.line.Stop()
	switch {
	case w.stop != nil:
		return exit.Usagef("%w", w.stop)
	case err != nil:
		return exit.As(exit.Interrupted, fmt.Errorf("interrupted; %d of %d shards have results, run it again for "+
			"the others", w.done, len(list)))
	case len(w.failed) > 0:
		return exit.As(w.code, fmt.Errorf("%d of %d shards have no result: %s", len(w.failed), len(list),
			plan.Ranges(w.failed)))
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
		w.line.Say("%s%d of %d shards", w.title, w.done, of)
		w.line.Portion(float64(w.done-w.before), float64(of-w.before))
	case ctx.Err() != nil:
	default:
		w.failed = append(w.failed, i)
		code := exit.File
		var pe *fs.PathError
		if errors.As(err, &pe) || errors.Is(err, syscall.ENOSPC) {
			code = exit.Usage
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
	log := session.Of(w.c).Log
	var ds lang.Diagnostics
	if errors.As(err, &ds) {
		log.Note("shard %d:", i)
		if log.Diagnose(ds, exit.File, func(string) []byte { return []byte(w.p.Problem.Text) }) == nil {
			return
		}
	}
	log.Note("shard %d: %v", i, err)
}
