package optima

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/dcset"
	"github.com/dcopt/dcopt/dc/lang/reader"
	"github.com/dcopt/dcopt/verify"
)

// Row is a run of a solver on an instance.
type Row struct {
	Set       string  `csv:"set"`
	Instance  string  `csv:"instance"`
	Solver    string  `csv:"solver"`
	Version   string  `csv:"version"`
	Limit     float64 `csv:"limit_s,6"` // of processor time
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

// Table is a file of rows.
type Table = csvtable.Table[Row]

// Open reads the file at path, or makes it; fresh empties it.
func Open(path string, fresh bool) (*Table, error) {
	return csvtable.Open(path, fresh, csvtable.Tagged[Row]())
}

// Latest keeps the last row of each instance and solver.
func Latest(rows []Row) []Row {
	return csvtable.Latest(rows, func(r Row) string { return r.Instance + "\x00" + r.Solver })
}

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
	// Tell is called before each run; nil: nobody.
	Tell func(done, all int, instance, solver string)
}

// Run makes the runs that table lacks. It returns ctx.Err() if it was interrupted.
func (c *Campaign) Run(ctx context.Context, table *Table) error {
	key := func(r *Row) string {
		return fmt.Sprintf("%s\x00%s\x00%s\x00%g", r.Instance, r.Solver, r.Version, r.Limit)
	}
	have := map[string]bool{}
	for _, r := range Latest(table.Rows) {
		have[key(&r)] = true
	}
	done, all := 0, len(c.Instances)*len(c.Solvers)
	for _, in := range c.Instances {
		for _, s := range c.Solvers {
			row := Row{Set: in.Set, Instance: in.Name, Solver: s.Name, Version: s.Version, Limit: c.Limit.Seconds(),
				Objective: math.NaN(), Bound: math.NaN()}
			if done++; have[key(&row)] {
				continue
			}
			if c.Tell != nil {
				c.Tell(done-1, all, in.Name, s.Name)
			}
			if err := c.one(ctx, &in, &s, &row); err != nil {
				return err
			}
			if err := table.Add(row); err != nil {
				return err
			}
		}
	}
	return nil
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

// accepted is the word for a result and a proof that dcopt verify accepts.
const accepted = "accepted"

// mostMessage bounds the message of a failure, in bytes.
const mostMessage = 200

func (r *Row) failed(text string) {
	r.Status, r.Message = "failed", strings.TrimSpace(text)
	if len(r.Message) > mostMessage {
		r.Message = r.Message[:mostMessage]
	}
}

// number is *v, or NaN.
func number(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// answer is the part of a solver's JSON that a row has.
type answer struct {
	Status    string   `json:"status"`
	Objective *float64 `json:"objective"`
	Bound     *float64 `json:"bound"`
	Nodes     int      `json:"nodes"`
	Message   string   `json:"message"`
}

func (r *Row) take(a *answer) {
	r.Status, r.Objective, r.Bound, r.Nodes, r.Message = a.Status, number(a.Objective), number(a.Bound), a.Nodes,
		a.Message
}

// own runs dcopt solve, and dcopt verify on a proof.
func (s *Solver) own(ctx context.Context, dir, file string, limit time.Duration, row *Row) error {
	proof, result := filepath.Join(dir, "proof"), filepath.Join(dir, "result.json")
	args := append([]string{"solve", "--json", "--quiet", "--out", result}, s.Flags...)
	if !s.Default {
		args = append(args, "--global", "--proof", proof)
	}
	out, err := command(ctx, limit, append([]string{s.Program}, append(args, file)...))
	if err != nil {
		return err
	}
	row.CPU = out.cpu
	var res struct {
		answer
		Feasible bool `json:"feasible"`
	}
	text, err := os.ReadFile(result)
	if err != nil {
		row.failed(out.stderr)
		return nil
	}
	if err := json.Unmarshal(text, &res); err != nil {
		row.failed(err.Error())
		return nil
	}
	if !res.Feasible {
		res.Objective = nil
	}
	row.take(&res.answer)
	if _, err := os.Stat(proof); err != nil {
		row.Verify = "no proof"
		return nil
	}
	out, err = command(ctx, 0, []string{s.Program, "verify", "--json", "--proof", proof, file, result})
	if err != nil {
		return err
	}
	var said struct {
		Accepted bool `json:"accepted"`
	}
	row.Verify = "not accepted"
	if json.Unmarshal([]byte(out.stdout), &said) == nil && said.Accepted {
		row.Verify = accepted
	}
	return nil
}

// other runs a script on the tree of the problem.
func (s *Solver) other(ctx context.Context, dir, source string, limit time.Duration, row *Row) error {
	p, err := verify.Read(ctx, source, reader.NewData(nil, dir), nil)
	if err != nil {
		row.failed(err.Error())
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
	seconds := strconv.FormatFloat(limit.Seconds(), 'g', -1, 64)
	out, err := command(ctx, 3*limit+time.Minute, append(append([]string{}, s.Argv...), seconds, file))
	if err != nil {
		return err
	}
	row.CPU = out.cpu
	var res answer
	if err := json.Unmarshal([]byte(out.stdout), &res); err != nil {
		row.failed(out.stderr)
		return nil
	}
	row.take(&res)
	return nil
}

type output struct {
	stdout, stderr string
	cpu            float64
}

// command runs a program to its end. After so much processor time, 0 for any, it is
// interrupted, and ten seconds later killed.
func command(ctx context.Context, limit time.Duration, argv []string) (out output, err error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return out, err
	}
	over := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watch(cmd.Process, limit, over)
	}()
	_ = cmd.Wait() // its output tells of failures
	close(over)
	<-watched
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	out.stdout, out.stderr = stdout.String(), stderr.String()
	out.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return out, nil
}

// watch interrupts a process at the limit.
func watch(p *os.Process, limit time.Duration, over <-chan struct{}) {
	if limit == 0 {
		return
	}
	begin := time.Now()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var since time.Time // the interruption
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		switch used, ok := processorTime(p.Pid); {
		case !since.IsZero():
			if time.Since(since) > mostPatience {
				_ = p.Kill() // it may have ended by now
				return
			}
		case ok && used >= limit, !ok && time.Since(begin) >= limit:
			_ = p.Signal(os.Interrupt) // it may have ended by now
			since = time.Now()
		}
	}
}

// mostPatience is how long an interrupted program may write its result.
// Source: a limit of time.
const mostPatience = time.Minute

// ticks are the units of /proc/PID/stat in a second.
// Source: proc(5); Linux has 100 on all processors of today.
const ticks = 100

// processorTime is the time that a process has used; false where the system does not tell it.
func processorTime(pid int) (time.Duration, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	words := strings.Fields(rest)
	if len(words) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseInt(words[11], 10, 64)
	system, err2 := strconv.ParseInt(words[12], 10, 64)
	if err1 != nil || err2 != nil {
		return 0, false
	}
	return time.Duration(user+system) * time.Second / ticks, true
}
