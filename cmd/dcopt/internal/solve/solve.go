package solve

import (
	"bufio"
	"context"
	"math"
	"strings"
	"time"

	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/ccp/global/prooffile"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/picture"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/formats"
)

func Command() *cli.Command {
	return &cli.Command{
		Name:      "solve",
		Usage:     "solve the problem in a file",
		ArgsUsage: "FILE",
		Description: "FILE is a .dc problem (- reads one from standard input), or a convex program in a .qps, .mps, " +
			".sif, .cbf,\n" +
			".dat-s or .npz file, plain or with .gz. The result goes to standard output, everything else to " +
			"standard error.\n\n" +
			"Exit codes: 0 converged or solved, 1 wrong usage or unreadable file, 2 wrong problem file,\n" +
			"3 no feasible converged point (the best point is printed), 130 interrupted (likewise).",
		Flags: []cli.Flag{
			flags.Backend(),
			&cli.IntFlag{Name: "starts",
				Usage: "solve from `N` starting points and keep the best, without a bound; by default as many as " +
					"--effort buys; goes before option starts"},
			&cli.StringFlag{Name: "effort",
				Usage: "the work for starts and a bound, `E`: local (one start, to the first point that " +
					"multipliers hold), quick (one start, with searches), normal (about a second of one processor, " +
					"or twice the first start) or thorough (a minute); goes before option effort"},
			&cli.Uint64Flag{Name: "seed", Usage: "draw starting points from seed `S`; goes before option seed"},
			&cli.StringSliceFlag{Name: "set",
				Usage: "give a param another value, `K=V`, V a number, a literal or a file .csv, .npy, .npz or " +
					".mtx; may be repeated"},
			&cli.StringFlag{Name: "start",
				Usage: "start from the point in `FILE`, a result of solve in JSON or CSV; goes before the starts in " +
					"the problem"},
			&cli.StringFlag{Name: "sweep",
				Usage: "one solve per value of a param, each from the last point: `K=A:B:N` for N values from A to " +
					"B, or K=V1,V2,..."},
			&cli.BoolFlag{Name: "independent",
				Usage: "each value of a sweep as if it were the only one; without --sweep, each start: the answers " +
					"of dcopt plan's shards"},
			&cli.BoolFlag{Name: "global",
				Usage: "prove how far the best point is from the optimum; variables need bounds, or constraints " +
					"that give them some"},
			&cli.IntFlag{Name: "max-nodes", Usage: "with --global, at most `N` nodes for the proof"},
			&cli.StringFlag{Name: "proof",
				Usage: "with --global, write the proof of the bound to `FILE` for dcopt verify; all bounds are then " +
					"safe"},
			&cli.IntFlag{Name: "max-iter", Usage: "at most `N` iterations from a start"},
			&cli.Float64Flag{Name: "tol",
				Usage: "converged when the objective changes by less than `T`, relatively; of a QP file, the " +
					"largest residual"},
			&cli.StringFlag{Name: "time-limit",
				Usage: "stop after `DURATION`, such as 90s or 1.5m; a number alone is seconds"},
			flags.JSON(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"},
				Usage: "write the result to `FILE`, whole or not at all; in JSON if its name ends in .json, the " +
					"variables as a table if in .csv"},
			picture.Flag("draw the solution to `FILE`.svg or .png"), picture.Width(), picture.DPI(),
			&cli.StringFlag{Name: "panels", Value: panelsSolution, Usage: "with --plot, `WHAT` to draw: solution, " +
				"run (objective and violation by iteration of the start that gave the point), all"},
			&cli.BoolFlag{Name: "watch", Aliases: []string{"w"},
				Usage: "solve again each time the problem or its data are saved, until Ctrl-C"},
			&cli.BoolFlag{Name: "full",
				Usage: "print all entries of long variables, and all digits: what is printed reads back as the same " +
					"numbers"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"},
				Usage: "a line for each iteration, on standard error"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"},
				Usage: "no variables in the table, no notes, no progress"},
		},
		Action: solve,
	}
}

// job is a solve with its flags checked.
type job struct {
	c       *cli.Context
	s       *session.Session
	ctx     context.Context // ends at a signal or the time limit
	cancel  func()          // ends ctx
	limited bool            // ctx has a time limit
	path    string
	backend qpbackend.Backend // nil: the default
	out     *session.Output
	plot    *picture.File     // nil: none
	drawn   panels            // on it
	proof   *session.Output   // nil: none
	tree    *global.Proof     // for it, or the result; nil: there is none
	line    *session.Progress // nil: none
	json    bool
	csv     bool
	sweeps  *swept // state that a sweep keeps from value to value; nil: no sweep
	seen    latest
}

func solve(c *cli.Context) error {
	if c.Bool("watch") {
		return watch(c)
	}
	j, err := newJob(c)
	if err != nil {
		return err
	}
	defer j.out.Discard()
	defer j.plot.Discard()
	defer j.proof.Discard()
	if !c.Bool("quiet") && !c.Bool("verbose") {
		j.line = j.s.Log.Progress("reading")
		defer j.line.Stop()
	}
	defer func() { j.cancel() }()
	if c.IsSet("time-limit") {
		limit, err := flags.Limit(c.String("time-limit"))
		if err != nil {
			return err
		}
		j.limit(limit)
	}
	if formats.Is(j.path) {
		for _, name := range []string{"start", "starts", "effort", "seed", "set", "sweep", "independent", "plot",
			"width", "dpi", "panels", "global", "max-nodes", "proof"} {
			if c.IsSet(name) {
				return exit.Usagef("flag --%s is for .dc problems, not for %s", name, j.path)
			}
		}
		return j.solveQP()
	}
	if c.IsSet("sweep") {
		return j.sweep()
	}
	return j.solveDC()
}

func newJob(c *cli.Context) (*job, error) {
	path, err := flags.OneFile(c)
	if err != nil {
		return nil, err
	}
	j := &job{c: c, s: session.Of(c), ctx: c.Context, cancel: func() {}, path: path}
	if j.backend, err = flags.BackendOf(c); err != nil {
		return nil, err
	}
	switch {
	case c.IsSet("starts") && c.Int("starts") < 1:
		return nil, exit.Usagef("--starts %d: want at least 1", c.Int("starts"))
	case c.IsSet("starts") && c.IsSet("effort"):
		return nil, exit.Usagef("--starts and --effort exclude each other")
	case c.IsSet("max-iter") && c.Int("max-iter") < 1:
		return nil, exit.Usagef("--max-iter %d: want at least 1", c.Int("max-iter"))
	case c.IsSet("max-nodes") && !c.Bool("global"):
		return nil, exit.Usagef("--max-nodes goes with --global")
	case c.IsSet("proof") && (!c.Bool("global") || c.String("proof") == "" || c.IsSet("sweep")):
		return nil, exit.Usagef("--proof FILE goes with --global, and not with --sweep")
	case c.IsSet("max-nodes") && c.Int("max-nodes") < 1:
		return nil, exit.Usagef("--max-nodes %d: want at least 1", c.Int("max-nodes"))
	case c.IsSet("tol") && (!(c.Float64("tol") > 0) || math.IsInf(c.Float64("tol"), 1)):
		return nil, exit.Usagef("--tol %g: want a number > 0", c.Float64("tol"))
	case c.Bool("quiet") && c.Bool("verbose"):
		return nil, exit.Usagef("-q and -v exclude each other")
	}
	if c.IsSet("plot") && c.IsSet("sweep") {
		return nil, exit.Usagef("--plot draws one run; it does not go with --sweep")
	}
	if err := panelsFlag(c); err != nil {
		return nil, err
	}
	if j.out, err = flags.Out(c); err != nil {
		return nil, err
	}
	if j.plot, err = picture.Of(c); err != nil {
		return nil, err
	}
	if c.IsSet("proof") {
		if j.proof, err = session.Of(c).Create(c.String("proof")); err != nil {
			return nil, err
		}
	}
	name := strings.ToLower(c.String("out"))
	j.csv = strings.HasSuffix(name, ".csv")
	j.json = !j.csv && (c.Bool("json") || strings.HasSuffix(name, ".json"))
	switch {
	case j.csv && c.IsSet("sweep"):
		return nil, exit.Usagef("--out %s: a table of variables has one point; a sweep goes to JSON", c.String("out"))
	case j.csv && c.Bool("json"):
		return nil, exit.Usagef("--out %s is a table; leave --json out", c.String("out"))
	}
	return j, nil
}

// limit sets the time limit, from the start of the program on. The first one
// counts.
func (j *job) limit(d time.Duration) {
	if !j.limited {
		j.ctx, j.cancel = context.WithDeadline(j.ctx, j.s.Begin.Add(d))
		j.limited = true
	}
}

// note writes remarks that do not belong to the result to standard error.
func (j *job) note(format string, args ...any) {
	if !j.c.Bool("quiet") {
		j.s.Log.Note(format, args...)
	}
}

// print writes one report in the form asked for.
func (j *job) print(r *report.Report) error {
	if j.csv {
		r.CSV(j.out)
		return nil
	}
	if !j.json {
		r.Color = j.out.Colours()
		w := bufio.NewWriter(j.out)
		r.Text(w, j.c.Bool("quiet"), j.full())
		w.Flush() // commit has the error
		return nil
	}
	return j.printJSON(r)
}

// full reports whether a table has all entries and all digits.
func (j *job) full() bool { return j.c.Bool("full") || j.out.ToFile() }

func (j *job) printJSON(r *report.Report) error {
	b, err := report.Line(r.JSON())
	if err != nil {
		return err
	}
	j.out.Write(b) // commit has the error
	return nil
}

// finish prints the only report of a job.
func (j *job) finish(r *report.Report) error {
	j.line.Stop()
	if err := j.print(r); err != nil {
		return err
	}
	if err := j.out.Commit(); err != nil {
		return err
	}
	if j.proof != nil && j.tree != nil {
		if err := prooffile.Write(j.proof, j.tree); err != nil {
			return err
		}
		if err := j.proof.Commit(); err != nil {
			return err
		}
	}
	if j.plot != nil {
		if err := j.draw(); err != nil {
			return err
		}
	}
	return exit.With(exit.Of(r.Status))
}
