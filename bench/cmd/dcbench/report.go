package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/dcreport"
	"github.com/dcopt/dcopt/bench/internal/dcrun"
	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/internal/report"
	"github.com/dcopt/dcopt/bench/internal/result"
	"github.com/dcopt/dcopt/bench/internal/study"
)

// The files in the folder of --out.
const (
	tableName   = "results.csv"
	reportName  = "report" // .md, .html, .tex
	reportTitle = "Quadratic and conic programs"
	allPageName = "all.html"
)

// lookFlags say how the table is looked at.
func lookFlags() []cli.Flag {
	return []cli.Flag{
		clockFlag(),
		&cli.Float64Flag{Name: "level", Value: 1e-6, Usage: "accuracy `E` at which times are compared"},
		&cli.StringFlag{Name: "against",
			Usage: "compare dcopt's solvers with `SOLVER`, problem by problem; by default the first peer"},
	}
}

func clockFlag() cli.Flag {
	return &cli.StringFlag{Name: "clock", Value: "cpu",
		Usage: "compare times by `CLOCK`: cpu, that of the solver's process, or wall"}
}

func lookOf(c *cli.Context) (report.Options, error) {
	opt := report.Options{Clock: c.String("clock"), Level: c.Float64("level"), Against: c.String("against")}
	return opt, checkLook(opt.Clock, "level", opt.Level)
}

// checkLook checks a clock, and a flag that is an accuracy.
func checkLook(clock, flag string, accuracy float64) error {
	if clock != "cpu" && clock != "wall" {
		return fmt.Errorf("--clock %s: want cpu or wall", clock)
	}
	if !(accuracy > 0 && accuracy < 1) {
		return fmt.Errorf("--%s %g: want a number between 0 and 1", flag, accuracy)
	}
	return nil
}

func reportCommand() *cli.Command {
	return &cli.Command{
		Name: "report", Usage: "make the reports and pictures of folders again, and one page of all",
		ArgsUsage: "DIR...",
		UsageText: "dcbench report [FLAGS] DIR...",
		Flags: append(lookFlags(), feasibleFlag(),
			&cli.StringFlag{Name: "page",
				Usage: "`FILE` for all reports on one page; by default all.html in the first folder"}),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return errors.New("report: want the folders of results.csv, dc.csv or regression.csv, behind the flags")
			}
			return reportAll(c, c.Args().Slice())
		},
	}
}

// reportAll makes the reports of all tables in the folders, and a page of them.
func reportAll(c *cli.Context, dirs []string) error {
	opt, err := lookOf(c)
	if err != nil {
		return err
	}
	look, err := dcLookOf(c)
	if err != nil {
		return err
	}
	var all []page.Section
	for _, dir := range dirs {
		sections, err := reportFolder(c.App.Writer, dir, opt, look)
		if err != nil {
			return err
		}
		all = append(all, sections...)
	}
	path := c.String("page")
	if path == "" {
		path = filepath.Join(dirs[0], allPageName)
	}
	if err := writeFile(path, func(w io.Writer) error {
		return page.Write(w, "Measurements of dcopt", all...)
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.App.Writer, path)
	return err
}

// reportFolder makes the reports of all tables in dir.
func reportFolder(w io.Writer, dir string, opt report.Options, look dcreport.Options) ([]page.Section, error) {
	qp, err1 := reportTable(dir, tableName, func(rows []result.Row) (page.Section, error) {
		return writeReport(w, dir, rows, opt)
	})
	dc, err2 := reportTable(dir, dcTableName, func(rows []dcrun.Row) (page.Section, error) {
		return writeDC(w, dir, rows, look)
	})
	models, err3 := reportTable(dir, studyTableName, func(rows []study.Row) (page.Section, error) {
		return writeStudy(w, dir, rows)
	})
	all := slices.Concat(qp, dc, models)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no %s, %s or %s", dir, tableName, dcTableName, studyTableName)
	}
	return all, nil
}

// reportTable makes the report of the table of that name in dir; no table, no
// report.
func reportTable[R any](dir, name string,
	write func(rows []R) (page.Section, error)) ([]page.Section, error) {
	path := filepath.Join(dir, name)
	rows, err := csvtable.Read[R](path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, fmt.Errorf("%s has no rows", path)
	}
	section, err := write(rows)
	return []page.Section{section}, err
}

// writeReport puts the report and the profiles into dir and names the page on w.
func writeReport(w io.Writer, dir string, rows []result.Row, opt report.Options) (page.Section, error) {
	var none page.Section
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
		return none, fmt.Errorf("--against %s: the table has %s", opt.Against, strings.Join(all, ", "))
	}

	image := func(group string) string { return "profile-" + group }
	for _, g := range groups {
		if !g.HasProfile() {
			continue
		}
		path := filepath.Join(dir, image(g.Name))
		if err := g.Plot(opt, path+".svg", path+".png"); err != nil {
			return none, fmt.Errorf("profile of %s: %w", g.Name, err)
		}
	}
	r := newReport(reportTitle, "%s, one thread a solver; the least time of the runs.", machine())
	report.Write(r, groups, opt, func(group string) string { return image(group) + ".svg" })
	return writeReports(w, dir, reportName, reportTitle, r)
}
