package scale

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// Row is a run of a solver on an instance.
type Row struct {
	Instance   string  `csv:"instance"`
	Seed       int     `csv:"seed"`
	Solver     string  `csv:"solver"`
	Version    string  `csv:"version"`
	Limit      float64 `csv:"limit_s,6"`
	Status     string  `csv:"status"`
	Objective  float64 `csv:"objective,12"`
	Violation  float64 `csv:"violation,6"`
	Iterations int     `csv:"iterations"`
	CPU        float64 `csv:"cpu_s,6"` // processor time of the process, reading and compiling included
	Wall       float64 `csv:"wall_s,6"`
	Memory     float64 `csv:"peak_mb,6"` // the largest resident size
	Message    string  `csv:"message"`
}

func (r Row) terms() string {
	return fmt.Sprintf("%s\x00%d\x00%s\x00%s\x00%g", r.Instance, r.Seed, r.Solver, r.Version, r.Limit)
}

// Table is a file of rows.
type Table = csvtable.Table[Row]

// Open reads the file at path, or makes it; fresh empties it.
func Open(path string, fresh bool) (*Table, error) {
	return csvtable.Open(path, fresh, csvtable.Tagged[Row]())
}

// Latest keeps the last row of each instance, seed and solver.
func Latest(rows []Row) []Row {
	return csvtable.Latest(rows, func(r Row) string {
		return fmt.Sprintf("%s\x00%d\x00%s", r.Instance, r.Seed, r.Solver)
	})
}

// Solver is a program that prints a result of dcopt solve --json for a folder.
type Solver struct {
	Name     string
	Version  string
	Argv     []string // before the name of the problem file, or of its folder
	Folder   bool     // the argument is the folder
	Families []string // that it can do; nil: all
}

// Campaign lists the runs.
type Campaign struct {
	Instances []Instance
	Solvers   []Solver
	Limit     time.Duration // of a run, by the wall clock
	Dir       string        // for the problems; the files of one instance at a time
	// Tell is called before each run; nil: nobody.
	Tell func(done, all int, instance, solver string)
}

// Run makes the runs that table lacks, the runs of an instance one after the other. It returns
// ctx.Err() if it was interrupted.
func (c *Campaign) Run(ctx context.Context, table *Table) error {
	have := map[string]bool{}
	for _, r := range Latest(table.Rows) {
		have[r.terms()] = true
	}
	done, all := 0, len(c.Instances)*len(c.Solvers)
	for _, in := range c.Instances {
		folder := ""
		for _, s := range c.Solvers {
			row := Row{Instance: in.Name(), Seed: int(in.Seed), Solver: s.Name, Version: s.Version,
				Limit: c.Limit.Seconds()}
			if done++; have[row.terms()] || s.Families != nil && !slices.Contains(s.Families, in.Family) {
				continue
			}
			if c.Tell != nil {
				c.Tell(done-1, all, in.Name(), s.Name)
			}
			if folder == "" {
				folder = filepath.Join(c.Dir, in.Name())
				if err := in.Write(folder); err != nil {
					return err
				}
			}
			if err := s.run(ctx, folder, &row); err != nil {
				return err
			}
			if err := table.Add(row); err != nil {
				return err
			}
		}
		if folder != "" {
			if err := os.RemoveAll(folder); err != nil {
				return err
			}
		}
	}
	return nil
}

// The states of a run that ended without a result.
const (
	killed = "time limit" // killed after Campaign.Limit
	failed = "failed"
)

// run fills in the outcome.
func (s *Solver) run(ctx context.Context, folder string, row *Row) error {
	limited, cancel := context.WithTimeout(ctx, time.Duration(row.Limit*float64(time.Second)))
	defer cancel()
	file := folder
	if !s.Folder {
		file = filepath.Join(folder, Source)
	}
	cmd := exec.CommandContext(limited, s.Argv[0], append(slices.Clone(s.Argv[1:]), file)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	begin := time.Now()
	err := cmd.Run()
	row.Wall = time.Since(begin).Seconds()
	row.Objective, row.Violation = math.NaN(), math.NaN()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if cmd.ProcessState == nil {
		return err
	}
	row.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	row.Memory = peak(cmd.ProcessState.SysUsage())
	if limited.Err() != nil {
		row.Status = killed
		return nil
	}
	if bad := row.decode(stdout.Bytes()); bad != nil {
		row.Status, row.Message = failed, strings.TrimSpace(stderr.String())
		if row.Message == "" {
			row.Message = bad.Error()
		}
		if len(row.Message) > mostMessage {
			row.Message = row.Message[:mostMessage]
		}
	}
	return nil
}

// mostMessage bounds the message of a failure, in bytes.
const mostMessage = 200

// peak is the largest resident size in MB, 0 where the system does not tell it.
func peak(usage any) float64 {
	u, ok := usage.(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // in bytes, elsewhere in KiB
		return float64(u.Maxrss) / 1e6
	}
	return float64(u.Maxrss) * 1024 / 1e6
}

// decode reads the output of dcopt solve --json.
func (r *Row) decode(data []byte) error {
	var raw struct {
		Status     string   `json:"status"`
		Objective  *float64 `json:"objective"`
		Violation  *float64 `json:"max_violation"`
		Iterations int      `json:"iterations"`
		Message    string   `json:"message"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	if raw.Status == "" {
		return errors.New("no status")
	}
	r.Status, r.Iterations, r.Message = raw.Status, raw.Iterations, raw.Message
	if raw.Objective != nil {
		r.Objective = *raw.Objective
	}
	if raw.Violation != nil {
		r.Violation = *raw.Violation
	}
	return nil
}

// finished reports whether the run ended by itself with a result.
func (r Row) finished() bool { return r.Status != killed && r.Status != failed }
