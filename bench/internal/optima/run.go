package optima

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/dcset"
	"github.com/dcopt/dcopt/bench/internal/process"
	"github.com/dcopt/dcopt/dc/lang/reader"
	"github.com/dcopt/dcopt/verify"
)

// Row is a run of a solver on an instance.
type Row struct {
	Set       string  `csv:"set"`
	Instance  string  `csv:"instance" key:"place"`
	Solver    string  `csv:"solver" key:"place"`
	Version   string  `csv:"version" key:"terms"`
	Limit     float64 `csv:"limit_s,6" key:"terms"` // of processor time
	Status    string  `csv:"status"`
	Objective float64 `csv:"objective,17"`
	Bound     float64 `csv:"bound,17"`
	Nodes     int     `csv:"nodes"`
	CPU       float64 `csv:"cpu_s,6"` // processor time of the process
	Verify    string  `csv:"verify"`  // of dcopt: the word of dcopt verify on result and proof
	Message   string  `csv:"message"`
}

// Gap is |objective − bound| / max(1, |objective|), +Inf if one of them is missing.
func (r *Row) Gap() float64 {
	gap := math.Abs(r.Objective-r.Bound) / max(1, math.Abs(r.Objective))
	if math.IsNaN(gap) {
		return math.Inf(1)
	}
	return gap
}

// Right: the objective is the published one to four digits.
func (r *Row) Right(optimum float64) bool {
	const digits = 1e-4 // Source: the accuracy to which optima are published
	return math.Abs(r.Objective-optimum) <= digits*max(1, math.Abs(optimum))
}

// Proved: the gap is at most 1e-6.
func (r *Row) Proved() bool { return r.Gap() <= 1.0001e-6 }

// Solver is a program.
type Solver struct {
	Name    string
	Version string
	// Program is dcopt; or Argv has the command of another, before the limit in seconds and
	// the file of the problem's tree.
	Program string
	Default bool     // dcopt solve without --global
	Flags   []string // of dcopt solve
	Argv    []string
}

// Campaign lists the runs.
type Campaign struct {
	Instances []Instance
	Solvers   []Solver
	Limit     time.Duration // of a run, processor time
	Dir       string        // for the problems; the files of one instance at a time
}

// Run makes the runs that table lacks. It returns ctx.Err() if it was interrupted.
func (c *Campaign) Run(ctx context.Context, table *csvtable.Table[Row], tell csvtable.Tell) error {
	var tasks []csvtable.Task[Row]
	for _, in := range c.Instances {
		for _, s := range c.Solvers {
			row := Row{Set: in.Set, Instance: in.Name, Solver: s.Name, Version: s.Version, Limit: c.Limit.Seconds(),
				Objective: math.NaN(), Bound: math.NaN()}
			tasks = append(tasks, csvtable.Task[Row]{Row: row, Instance: in.Name, Contender: s.Name,
				Measure: func(ctx context.Context, row Row) (Row, error) {
					err := c.one(ctx, &in, &s, &row)
					return row, err
				}})
		}
	}
	return csvtable.Fill(ctx, table, tasks, 1, tell)
}

// one solves an instance in a folder of its own, which is gone afterwards.
func (c *Campaign) one(ctx context.Context, in *Instance, s *Solver, row *Row) error {
	dir, err := os.MkdirTemp(c.Dir, in.Name+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := (&dcset.Program{Source: in.Source, Files: in.Files}).Write(dir); err != nil {
		return err
	}
	file := filepath.Join(dir, dcset.SourceFile)
	if s.Program != "" {
		return s.own(ctx, dir, file, c.Limit, row)
	}
	return s.other(ctx, dir, in.Source, c.Limit, row)
}

// accepted is the word for a result and a proof that dcopt verify accepts, failed the status of a
// run without an answer.
const accepted, failed = "accepted", "failed"

// oneThread keeps a program to one thread.
var oneThread = []string{"GOMAXPROCS=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"}

// take fills the row from an answer, whose objective is one of a feasible point or says so, or
// tells why there is none.
func (r *Row) take(data []byte, ran process.Outcome, feasible bool) {
	a, err := process.Decode(data)
	if err != nil {
		r.Status, r.Message = failed, ran.Blame(err)
		return
	}
	if !feasible && !a.Feasible {
		a.Objective = math.NaN()
	}
	r.Status, r.Objective, r.Bound, r.Nodes, r.Message = a.Status, a.Objective, a.Bound, a.Nodes, a.Message
}

// own runs dcopt solve, and dcopt verify on a proof.
func (s *Solver) own(ctx context.Context, dir, file string, limit time.Duration, row *Row) error {
	proof, result := filepath.Join(dir, "proof"), filepath.Join(dir, "result.json")
	argv := append([]string{s.Program, "solve", "--json", "--quiet", "--out", result}, s.Flags...)
	if !s.Default {
		argv = append(argv, "--global", "--proof", proof)
	}
	ran, err := process.Command{Argv: append(argv, file), Env: oneThread, CPU: limit}.Run(ctx)
	if err != nil {
		return err
	}
	row.CPU = ran.CPU
	text, _ := os.ReadFile(result) // without it there is no answer
	row.take(text, ran, false)
	if row.Status == failed {
		return nil
	}
	if _, err := os.Stat(proof); err != nil {
		row.Verify = "no proof"
		return nil
	}
	argv = []string{s.Program, "verify", "--json", "--proof", proof, file, result}
	if ran, err = (process.Command{Argv: argv, Env: oneThread}).Run(ctx); err != nil {
		return err
	}
	var said struct {
		Accepted bool `json:"accepted"`
	}
	row.Verify = "not accepted"
	if json.Unmarshal(ran.Stdout, &said) == nil && said.Accepted {
		row.Verify = accepted
	}
	return nil
}

// other runs a script on the tree of the problem.
func (s *Solver) other(ctx context.Context, dir, source string, limit time.Duration, row *Row) error {
	p, err := verify.Read(ctx, source, reader.NewData(nil, dir), nil)
	if err != nil {
		row.Status, row.Message = failed, process.Short(err.Error())
		return ctx.Err()
	}
	var tree bytes.Buffer
	if err := p.WriteTree(&tree); err != nil {
		row.Status, row.Message = "refused", err.Error()
		return nil
	}
	file := filepath.Join(dir, "tree.json")
	if err := os.WriteFile(file, tree.Bytes(), 0o644); err != nil {
		return err
	}
	argv := append(slices.Clone(s.Argv), strconv.FormatFloat(limit.Seconds(), 'g', -1, 64), file)
	ran, err := process.Command{Argv: argv, Env: oneThread, CPU: 3*limit + time.Minute}.Run(ctx)
	if err != nil {
		return err
	}
	row.CPU = ran.CPU
	row.take(ran.Stdout, ran, true)
	return nil
}
