package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/dcrun"
	"github.com/dcopt/dcopt/bench/internal/report"
	"github.com/dcopt/dcopt/bench/internal/result"
	"github.com/dcopt/dcopt/bench/internal/study"
)

// The files in the folder of --out.
const (
	tableName  = "results.csv"
	reportName = "report.md"
)

// lookFlags say how the table is looked at.
func lookFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "clock", Value: "cpu", Usage: "compare times by `CLOCK`: cpu, that of the solver's process, or wall"},
		&cli.Float64Flag{Name: "level", Value: 1e-6, Usage: "accuracy `E` at which times are compared"},
		&cli.StringFlag{Name: "against", Usage: "compare dcopt's solvers with `SOLVER`, problem by problem; by default the first peer"},
	}
}

func lookOf(c *cli.Context) (report.Options, error) {
	opt := report.Options{Clock: c.String("clock"), Level: c.Float64("level"), Against: c.String("against")}
	if opt.Clock != "cpu" && opt.Clock != "wall" {
		return opt, fmt.Errorf("--clock %s: want cpu or wall", opt.Clock)
	}
	if !(opt.Level > 0 && opt.Level < 1) {
		return opt, fmt.Errorf("--level %g: want a number between 0 and 1", opt.Level)
	}
	return opt, nil
}

func reportCommand() *cli.Command {
	return &cli.Command{
		Name: "report", Usage: "make the reports and pictures of a folder again", ArgsUsage: "DIR", UsageText: "dcbench report [FLAGS] DIR",
		Flags: append(lookFlags(), feasibleFlag()),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return errors.New("report: want the folder of results.csv, dc.csv or regression.csv, behind the flags")
			}
			return reportAll(c, c.Args().First())
		},
	}
}

// reportAll makes the reports of all tables in dir.
func reportAll(c *cli.Context, dir string) error {
	opt, err := lookOf(c)
	if err != nil {
		return err
	}
	look, err := dcLookOf(c)
	if err != nil {
		return err
	}
	w, found := c.App.Writer, false
	for _, t := range []struct {
		name   string
		report func(path string) (rows int, err error)
	}{
		{tableName, func(path string) (int, error) {
			rows, err := result.Read(path)
			if err != nil || len(rows) == 0 {
				return 0, err
			}
			return len(rows), writeReport(w, dir, rows, opt)
		}},
		{dcTableName, func(path string) (int, error) {
			rows, err := dcrun.Read(path)
			if err != nil || len(rows) == 0 {
				return 0, err
			}
			return len(rows), writeDC(w, dir, rows, look)
		}},
		{studyTableName, func(path string) (int, error) {
			rows, err := csvtable.Read(path, study.Format())
			if err != nil || len(rows) == 0 {
				return 0, err
			}
			return len(rows), writeStudy(w, dir, rows)
		}},
	} {
		path := filepath.Join(dir, t.name)
		rows, err := t.report(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case rows == 0:
			return fmt.Errorf("%s has no rows", path)
		}
		found = true
	}
	if !found {
		return fmt.Errorf("%s has no %s, %s or %s", dir, tableName, dcTableName, studyTableName)
	}
	return nil
}

// writeReport puts report.md and the profiles into dir and names them on w.
func writeReport(w io.Writer, dir string, rows []result.Row, opt report.Options) error {
	groups := report.Groups(rows)
	var all []string
	for _, g := range groups {
		for _, c := range g.Contenders {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	for _, c := range all {
		if strings.HasPrefix(c, ownPrefix) {
			opt.Own = append(opt.Own, c)
		} else if opt.Against == "" {
			opt.Against = c
		}
	}
	if opt.Against != "" && !slices.Contains(all, opt.Against) {
		return fmt.Errorf("--against %s: the table has %s", opt.Against, strings.Join(all, ", "))
	}

	image := func(group string) string { return "profile-" + group }
	for _, g := range groups {
		if len(g.Contenders) < 2 {
			continue
		}
		path := filepath.Join(dir, image(g.Name))
		if err := g.Plot(opt, path+".svg", path+".png"); err != nil {
			return fmt.Errorf("profile of %s: %w", g.Name, err)
		}
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "# Measurements\n\n%s, %d cores (%s/%s), one thread a solver; the least time of the runs.\n",
		cpuModel(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	if err := report.Write(&text, groups, opt, func(group string) string { return image(group) + ".svg" }); err != nil {
		return err
	}
	path := filepath.Join(dir, reportName)
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, path)
	return err
}

// cpuModel is the name of the processor where the system tells it.
func cpuModel() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(data)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "Unknown processor"
}
