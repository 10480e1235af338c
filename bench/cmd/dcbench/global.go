package main

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/optima"
	"github.com/dcopt/dcopt/bench/internal/page"
)

const scipName = "scip"

func globalCommand() *cli.Command {
	return optimaCommand("global", "measure proofs of global optima", "boxqp,concave,families,nine", time.Minute,
		"Runs dcopt solve --global and dcopt verify on problems whose global optimum is wanted, and SCIP beside it")
}

func smallCommand() *cli.Command {
	return optimaCommand("small", "measure answers without flags", "small", 2*time.Second,
		"Runs dcopt solve without flags on small problems whose global optimum is known, and SCIP beside it")
}

// optimaCommand measures answers to problems of optima.Sets, by default of some sets. Its
// table is name.csv, and its report name.md, .html and .tex.
func optimaCommand(name, usage, sets string, limit time.Duration, about string) *cli.Command {
	table := name + ".csv"
	return measuring(name, usage, about+", one thread each,\none after the other. The table "+table+
		" in the folder of --out grows with each run; what it has is not run again.",
		table, fmt.Sprintf("`DIR` for %s and %s.html, .md and .tex", table, name), runOptima,
		&cli.StringFlag{Name: "sets", Value: sets,
			Usage: "sets of problems, `S1,S2`: " + strings.Join(optima.Sets, ", ")},
		&cli.StringFlag{Name: "shared", EnvVars: []string{"DCOPT_SHARED"}, Value: "../shared",
			Usage: "`DIR` with data/boxqp, data/minlp, data/dccp and reference/dc-language.md"},
		&cli.StringFlag{Name: "only", Usage: "only problems whose names match `REGEXP`"},
		&cli.StringFlag{Name: "dcopt",
			Usage: "the program, `FILE`; by default the one beside dcbench, none for none"},
		&cli.StringFlag{Name: "starts",
			Usage: "run dcopt with `N` starting points; by default those of the program and the file"},
		&cli.StringFlag{Name: "peers", Usage: "others: " + scipName},
		&cli.StringFlag{Name: "python",
			Usage: "Python that has PySCIPOpt, `FILE`; by default that of 'make scip-peer'"},
		&cli.DurationFlag{Name: "time-limit", Value: limit, Usage: "`DURATION` for a run, processor time"})
}

func runOptima(c *cli.Context, tmp string) error {
	limit, err := timeLimit(c)
	if err != nil {
		return err
	}
	cam := &optima.Campaign{Limit: limit, Dir: tmp}
	name := c.Command.Name
	title := map[string]string{"global": "Global optima", "small": "Small problems"}[name]
	if cam.Instances, err = globalInstances(c); err != nil {
		return err
	}
	if cam.Solvers, err = globalSolvers(c, tmp); err != nil {
		return err
	}
	return fill(c, name+".csv", cam.Run, func(w io.Writer, dir string, rows []optima.Row) (page.Section, error) {
		var names []string
		for _, r := range csvtable.Latest(rows) {
			names = page.AddOnce(names, r.Solver)
		}
		slices.Sort(names)
		r := newReport(title, "%s, one thread a solver. Processor time of the process; %v each.", machine(), limit)
		optima.Write(r, cam.Instances, rows, names, limit.Seconds())
		return writeReports(w, dir, name, title, r)
	})
}

func globalInstances(c *cli.Context) (all []optima.Instance, err error) {
	only, err := regexp.Compile(c.String("only"))
	if err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	for _, set := range list(c.String("sets")) {
		some, err := optima.Load(set, c.String("shared"))
		if err != nil {
			return nil, fmt.Errorf("--sets: %w", err)
		}
		all = append(all, slices.DeleteFunc(some, func(in optima.Instance) bool {
			return !only.MatchString(in.Name)
		})...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: which problems? Give --sets and --only", c.Command.Name)
	}
	return all, nil
}

func globalSolvers(c *cli.Context, tmp string) (all []optima.Solver, err error) {
	if c.String("dcopt") != "none" {
		path, err := dcoptProgram(c.String("dcopt"))
		if err != nil {
			return nil, err
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		id, err := fileID(path)
		if err != nil {
			return nil, err
		}
		s := optima.Solver{Name: program, Version: id, Program: path, Default: c.Command.Name == "small"}
		if n := c.String("starts"); n != "" {
			s.Name, s.Flags = fmt.Sprintf("%s-%sstarts", program, n), []string{"--starts", n}
		}
		all = append(all, s)
	}
	for _, name := range list(c.String("peers")) {
		if name != scipName {
			return nil, fmt.Errorf("--peers: no peer %q; there is %s", name, scipName)
		}
		s, err := scipSolver(c, tmp)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: which solvers? Give --dcopt or --peers", c.Command.Name)
	}
	return all, nil
}

func scipSolver(c *cli.Context, tmp string) (s optima.Solver, err error) {
	python, scripts, err := pythonFor(c.String("python"), "peers-scip", "scip-peer", tmp)
	if err != nil {
		return s, err
	}
	version, err := exec.CommandContext(c.Context, python, "-c",
		"import pyscipopt as p; print(p.Model().version(), p.__version__)").Output()
	if err != nil {
		return s, fmt.Errorf("--python: %s has no PySCIPOpt: %w", python, err)
	}
	return optima.Solver{Name: scipName, Version: strings.TrimSpace(string(version)),
		Argv: []string{python, filepath.Join(scripts, "python", "scip_global.py")}}, nil
}
