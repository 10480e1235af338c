package fleet

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/models"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/problem"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/plan"
)

func PlanCommand() *cli.Command {
	var training []cli.Flag
	for _, f := range models.Flags() {
		if !slices.Contains([]string{"backend", "json", "quiet", "seed", "max-iter", "tol"}, f.Names()[0]) {
			training = append(training, f)
		}
	}
	return &cli.Command{
		Name:      "plan",
		Usage:     "write a file that says what many machines are to compute",
		ArgsUsage: "FILE...",
		UsageText: "dcopt plan FILE.dc --grid K=A:B:N -o PLAN.json\n" +
			"   dcopt plan FILE.dc --starts N -o PLAN.json\n" +
			"   dcopt plan DATA... --target NAME -o PLAN.json\n" +
			"   dcopt plan PART... --fit --target NAME -o PLAN.json\n" +
			"   dcopt plan PLAN.json --slurm JOB.sh",
		Description: "The plan is a list of shards: the points of a sweep, the starts of a problem, the folds of a " +
			"cross-validation of\n" +
			"methods on tables, or the parts of a table that is too large for one machine. It holds problem and " +
			"data, but for parts,\n" +
			"which stay in their files. dcopt shard computes its shards, docs/cluster.md says how on many machines.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"},
				Usage: "write the plan to `FILE`, whole or not at all"},
			&cli.StringSliceFlag{Name: "grid",
				Usage: "values of a param, `K=A:B:N` for N values from A to B, or K=V1,V2,...; may be repeated: all " +
					"combinations"},
			&cli.StringFlag{Name: "points",
				Usage: "a shard for each row of the table `FILE`.csv, whose columns are params"},
			&cli.IntFlag{Name: "starts",
				Usage: "a shard for each of `N` starts of the problem; with --grid or --points, so many starts at " +
					"each point"},
			&cli.StringSliceFlag{Name: "set",
				Usage: "give a param another value at all points, `K=V`; may be repeated"},
			&cli.StringFlag{Name: "backend", Value: "auto", Usage: "solver of the convex problems, `NAME`"},
			&cli.Uint64Flag{Name: "seed", Usage: "seed `S` of what is drawn: starts, bags and folds"},
			&cli.IntFlag{Name: "max-iter",
				Usage: "at most `N` iterations from a start; of methods that train, convex problems or refits"},
			&cli.Float64Flag{Name: "tol", Usage: "converged when the objective changes by less than `T`, relatively"},
			&cli.StringFlag{Name: "method", Usage: "of tables: training methods, `NAME[,NAME...]`"},
			&cli.BoolFlag{Name: "fit",
				Usage: "of a table in parts, files or a quoted pattern: a fit whose shards are the parts, with " +
					"--folds also its cross-validation by rows"},
			&cli.StringFlag{Name: "folds", Value: "5",
				Usage: "of tables: number of folds, shuffled by the seed, or a `FILE` of folds"},
			models.BagsFlag(),
			&cli.BoolFlag{Name: "by-reference",
				Usage: "leave data in their files, which all machines must have; the plan has their SHA-256. So it " +
					"is with more than 64 MB"},
			&cli.StringFlag{Name: "slurm", Usage: "write the script of an array job to `FILE`, for sbatch"},
			&cli.StringFlag{Name: "kubernetes", Usage: "write an indexed Job to `FILE`, for kubectl"},
			&cli.IntFlag{Name: "tasks",
				Usage: "of a job: `N` tasks, of which each computes every N-th shard; 1000 at most if not given"},
			&cli.IntFlag{Name: "cpus", Value: 1, Usage: "of a job: `N` processors per task"},
			&cli.StringFlag{Name: "memory", Usage: "of a job: `SIZE` of memory per task, as the scheduler has it"},
			&cli.StringFlag{Name: "task-time", Usage: "of a job of Slurm: limit of `TIME` per task, as sbatch has it"},
			&cli.StringFlag{Name: "results", Value: "results", Usage: "of a job: the folder `DIR` of results"},
			&cli.StringFlag{Name: "data",
				Usage: "of a job: the folder `DIR` with data that are not in the plan, on the machines; where they " +
					"were if not given"},
			&cli.StringFlag{Name: "program", Value: "dcopt", Usage: "of a job: the program's `PATH` on the machines"},
			&cli.StringFlag{Name: "image", Usage: "of a job of Kubernetes: the container `IMAGE` with the program"},
			&cli.StringFlag{Name: "claim", Value: "dcopt",
				Usage: "of a job of Kubernetes: the volume claim `NAME` that holds the plan and gets the results"},
			flags.JSON(),
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no notes"},
		}, training...),
		Action: makePlan,
	}
}

func makePlan(c *cli.Context) error {
	if !c.Args().Present() {
		return exit.Usagef("plan: of which file? Usage: %s", c.Command.UsageText)
	}
	first := c.Args().First()
	path := c.String("out")
	var p *plan.Plan
	var err error
	switch {
	case strings.HasSuffix(strings.ToLower(first), ".json"):
		if path != "" {
			return exit.Usagef("--out: %s is a plan already; only --slurm and --kubernetes go with it", first)
		}
		path = first
		p, err = readPlan(c, first)
	case c.Bool("fit"):
		p, err = planFit(c)
	case c.IsSet("target"):
		p, err = planStudy(c)
	default:
		p, err = planProblem(c, first)
	}
	if err != nil {
		return err
	}
	jobs, err := writeJobs(c, p, path)
	if err != nil {
		return err
	}
	if first != path {
		if path == "" {
			return exit.Usagef("plan: where does the plan go? Give -o PLAN.json")
		}
		if err := writePlan(c, p); err != nil {
			return err
		}
	} else if jobs == 0 {
		return exit.Usagef("plan: %s is a plan already; give --slurm or --kubernetes, or the problem", first)
	}
	if c.Bool("json") {
		return report.Print(c.App.Writer, report.Object{{Name: "plan", Value: p.ID()}, {Name: "kind", Value: p.Kind()},
			{Name: "shards", Value: p.Shards}})
	}
	if !c.Bool("quiet") {
		fmt.Fprintf(c.App.Writer, "%s %s: %d shards\n", p.Kind(), p.ID(), p.Shards)
	}
	return nil
}

// writePlan writes the file of the plan.
func writePlan(c *cli.Context, p *plan.Plan) error {
	b, err := p.Encode()
	if err != nil {
		return exit.Usagef("%w", err)
	}
	out, err := flags.Out(c)
	if err != nil {
		return err
	}
	defer out.Discard()
	out.Write(b) // commit has the error
	return out.Commit()
}

// writeJobs writes the files of schedulers that are asked for and counts them.
func writeJobs(c *cli.Context, p *plan.Plan, path string) (count int, err error) {
	job := plan.Job{
		Plan: path, Out: c.String("results"), Data: c.String("data"), Program: c.String("program"),
		Tasks: min(p.Shards, plan.UsualArraySize), CPUs: c.Int("cpus"),
		Memory: c.String("memory"), Time: c.String("task-time"), Image: c.String("image"), Claim: c.String("claim"),
	}
	if c.IsSet("tasks") {
		job.Tasks = c.Int("tasks")
	}
	for _, kind := range []struct {
		flag string
		text func(*plan.Job, *plan.Plan) (string, error)
	}{{"slurm", (*plan.Job).Slurm}, {"kubernetes", (*plan.Job).Kubernetes}} {
		if !c.IsSet(kind.flag) {
			continue
		}
		count++
		text, err := kind.text(&job, p)
		if err != nil {
			return 0, exit.Usagef("--%s: %w", kind.flag, err)
		}
		if c.String(kind.flag) == "" {
			return 0, exit.Usagef("--%s: the name of the file is empty", kind.flag)
		}
		out, err := session.Of(c).Create(c.String(kind.flag))
		if err != nil {
			return 0, err
		}
		io.WriteString(out, text) // commit has the error
		if err := out.Commit(); err != nil {
			out.Discard()
			return 0, err
		}
	}
	return count, nil
}

// readPlan reads the file of a plan.
func readPlan(c *cli.Context, path string) (*plan.Plan, error) {
	in, err := session.Of(c).Open(c.Context, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	p, err := session.Within(c.Context, func() (*plan.Plan, error) { return plan.Read(in, path) })
	if err != nil && !exit.IsContext(err) {
		return nil, exit.BadFile(exit.Placed(err))
	}
	return p, err
}

// planProblem is the plan of a sweep or of starts.
func planProblem(c *cli.Context, path string) (*plan.Plan, error) {
	if _, err := flags.OneFile(c); err != nil {
		return nil, err
	}
	if err := refuseFlags(c, "goes with tables and --target", "method", "folds", "bags"); err != nil {
		return nil, err
	}
	if _, err := flags.BackendOf(c); err != nil {
		return nil, err
	}
	src, err := problem.Open(c.Context, c, path)
	if err != nil {
		return nil, err
	}
	q := plan.Problem{Name: src.Path, Set: src.Options.Set, Settings: problem.Overrides(c)}
	if err := points(c, &q); err != nil {
		return nil, err
	}
	if q.Params == nil {
		if q.Settings.Starts == nil {
			return nil, exit.Usagef("plan: what are the shards? Give --grid, --points or --starts")
		}
		q.Starts, q.Settings.Starts = *q.Settings.Starts, nil
		if q.Starts < 1 {
			return nil, exit.Usagef("--starts %d: want at least 1", q.Starts)
		}
	}
	p, err := session.Within(c.Context, func() (*plan.Plan, error) {
		return plan.OfProblem(c.Context, q, src.Text, src.Options.Dir, c.Bool("by-reference"))
	})
	var ds lang.Diagnostics
	switch {
	case err == nil:
		for _, f := range p.Files {
			if err := session.Of(c).ReadsPath(filepath.FromSlash(f.Path)); err != nil {
				return nil, err
			}
		}
		noteFiles(c, p)
		return p, nil
	case exit.IsContext(err):
		return nil, err
	case errors.As(err, &ds):
		return nil, src.Diagnose(err)
	}
	return nil, exit.Usagef("plan: %w", err)
}

// noteFiles says where the data are.
func noteFiles(c *cli.Context, p *plan.Plan) {
	if c.Bool("quiet") {
		return
	}
	for _, f := range p.Files {
		if f.Gzip == nil {
			session.Of(c).Log.Note("%s stays where it is: every machine needs a copy, at the same path or in the "+
				"folder of --data", f.Path)
		}
	}
}

// points reads --grid or --points.
func points(c *cli.Context, q *plan.Problem) error {
	specs := c.StringSlice("grid")
	switch {
	case len(specs) > 0 && c.IsSet("points"):
		return exit.Usagef("--grid and --points exclude each other")
	case c.IsSet("points"):
		return pointsOf(c, q)
	}
	for _, s := range specs {
		r, err := flags.ParseRange("--grid", s)
		if err != nil {
			return err
		}
		if slices.Contains(q.Params, r.Name) {
			return exit.Usagef("--grid gives %s two lists of values", r.Name)
		}
		q.Params, q.Grid = append(q.Params, r.Name), append(q.Grid, r.Values)
	}
	return nil
}

// pointsOf reads the table of --points: a header of params, then rows of values as --set
// takes them.
func pointsOf(c *cli.Context, q *plan.Problem) error {
	path := c.String("points")
	in, err := session.Of(c).Open(c.Context, path)
	if err != nil {
		return err
	}
	defer in.Close()
	rows, err := session.Within(c.Context, func() (rows [][]string, err error) {
		r := csv.NewReader(in)
		r.TrimLeadingSpace = true
		for len(rows) <= plan.MostShards+1 && err == nil {
			var row []string
			if row, err = r.Read(); err == nil {
				rows = append(rows, row)
			}
		}
		if err == nil {
			err = fmt.Errorf("more than %d points", plan.MostShards)
		} else if err == io.EOF {
			err = nil
		}
		return rows, err
	})
	if exit.IsContext(err) {
		return err
	}
	if err != nil {
		return exit.BadFile(fmt.Errorf("%s: %w", path, err))
	}
	if len(rows) < 2 {
		return exit.BadFile(fmt.Errorf("%s: want a row of params, then a row of values for each point", path))
	}
	q.Params, q.Points = rows[0], rows[1:]
	for k := range q.Params {
		q.Params[k] = strings.TrimSpace(strings.TrimPrefix(q.Params[k], "\ufeff"))
	}
	for i, row := range q.Points {
		for k := range row {
			if row[k] = strings.TrimSpace(row[k]); row[k] == "" {
				return exit.BadFile(fmt.Errorf("%s: point %d has no value of %s", path, i+1, q.Params[k]))
			}
		}
	}
	return nil
}

// refuseFlags refuses flags that go with something else.
func refuseFlags(c *cli.Context, why string, names ...string) error {
	for _, name := range names {
		if c.IsSet(name) {
			return exit.Usagef("--%s %s", name, why)
		}
	}
	return nil
}

// trainingDefaults gives flags the defaults of training: of problems they have none, for the file
// says.
func trainingDefaults(c *cli.Context) error {
	set := lder.DefaultSettings()
	for name, value := range map[string]any{"max-iter": set.MaxIter, "tol": set.Tol} {
		if !c.IsSet(name) {
			if err := c.Set(name, fmt.Sprint(value)); err != nil {
				return err
			}
		}
	}
	return nil
}

// planFit is the plan of a fit over a table in parts.
func planFit(c *cli.Context) (*plan.Plan, error) {
	if err := refuseFlags(c, "goes with a .dc problem, not with --fit", "grid", "points", "starts", "set"); err != nil {
		return nil, err
	}
	if err := refuseFlags(c, "needs the table as one file; without --fit the plan is a study of whole tables",
		"drop-text", "categorical"); err != nil {
		return nil, err
	}
	paths, err := models.Parts(c)
	if err != nil {
		return nil, err
	}
	if paths == nil {
		paths = c.Args().Slice()
	}
	if err := trainingDefaults(c); err != nil {
		return nil, err
	}
	name := lder.Refit.String()
	if c.IsSet("method") {
		name = c.String("method")
	}
	set, err := models.Settings(c, name)
	if err != nil {
		return nil, err
	}
	f := plan.Fit{Target: c.String("target"), Exclude: c.StringSlice("exclude"), DecimalComma: c.Bool("decimal-comma"),
		Training: plan.TrainingOf(set, "")}
	if f.Bags, err = models.Bags(c, set.Method); err != nil {
		return nil, err
	}
	if c.IsSet("folds") {
		if f.Bags > 0 {
			return nil, exit.Usagef("--bags and --folds exclude each other: the rows that a bag has not drawn are " +
				"its test")
		}
		if f.Folds, err = strconv.Atoi(c.String("folds")); err != nil || f.Folds < 2 {
			return nil, exit.Usagef("--folds %s: want a number from 2; rows of parts are dealt by their hash",
				c.String("folds"))
		}
	}
	for _, path := range paths {
		if err := session.Of(c).ReadsPath(path); err != nil {
			return nil, err
		}
	}
	p, err := session.Within(c.Context, func() (*plan.Plan, error) { return plan.OfFit(c.Context, f, paths) })
	switch {
	case err == nil:
		return p, nil
	case exit.IsContext(err):
		return nil, err
	}
	return nil, exit.Usagef("plan: %w", err)
}

// planStudy is the plan of a cross-validation.
func planStudy(c *cli.Context) (*plan.Plan, error) {
	if err := refuseFlags(c, "goes with a .dc problem, not with --target", "grid", "points", "starts",
		"set"); err != nil {
		return nil, err
	}
	if err := refuseFlags(c, "goes with --fit", "bags"); err != nil {
		return nil, err
	}
	s := plan.Study{Selection: plan.Selection{
		Target: c.String("target"), Exclude: c.StringSlice("exclude"), DropText: c.Bool("drop-text"),
		Categorical: c.String("categorical"), DecimalComma: c.Bool("decimal-comma"),
	}}
	if err := trainingDefaults(c); err != nil {
		return nil, err
	}
	names := models.Method(c)
	if names == "" {
		names = "auto"
	}
	for _, name := range strings.Split(names, ",") {
		set, err := models.Settings(c, strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		backend := ""
		if set.Backend != nil {
			backend = c.String("backend")
		}
		s.Methods = append(s.Methods, plan.TrainingOf(set, backend))
	}
	if c.Uint64("seed") <= math.MaxUint32 {
		s.FoldSeed = uint32(c.Uint64("seed"))
	}
	trials, err := models.Trials(c)
	if err != nil {
		return nil, err
	}
	var tables []plan.StudyFile
	for _, t := range trials {
		f := plan.StudyFile{Path: t.Path, Folds: len(t.Folds)}
		if again, err := dataset.ShuffledKFold(len(t.Data.Y), len(t.Folds), s.FoldSeed); err != nil ||
			!slices.EqualFunc(again, t.Folds, slices.Equal) {
			f.Lists = t.Folds
		}
		tables = append(tables, f)
	}
	p, err := session.Within(c.Context, func() (*plan.Plan, error) {
		return plan.OfStudy(s, tables, c.Bool("by-reference"))
	})
	switch {
	case exit.IsContext(err):
		return nil, err
	case err != nil:
		return nil, exit.Usagef("plan: %w", err)
	}
	noteFiles(c, p)
	return p, nil
}
