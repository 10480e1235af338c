package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/bench/internal/optima"
	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/peers"
)

// The files in the folder of --out.
const (
	globalTableName  = "global.csv"
	globalReportName = "global" // .md, .html, .tex
)

const scipName = "scip"

func globalCommand() *cli.Command {
	return &cli.Command{
		Name: "global", Usage: "measure proofs of global optima", UsageText: "dcbench global [FLAGS]",
		Description: "Runs dcopt solve --global and dcopt verify on problems whose global optimum is wanted, and SCIP beside it, one thread each,\n" +
			"one after the other. The table global.csv in the folder of --out grows with each run; what it has is not run again.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "sets", Value: "boxqp,concave,families,nine", Usage: "sets of problems, `S1,S2`: " + strings.Join(optima.Sets, ", ")},
			&cli.StringFlag{Name: "shared", EnvVars: []string{"DCOPT_SHARED"}, Value: "../shared", Usage: "`DIR` with data/boxqp, data/dccp and reference/dc-language.md"},
			&cli.StringFlag{Name: "only", Usage: "only problems whose names match `REGEXP`"},
			&cli.StringFlag{Name: "dcopt", Usage: "the program, `FILE`; by default the one beside dcbench, none for none"},
			&cli.StringFlag{Name: "starts", Usage: "run dcopt with `N` starting points; by default those of the program and the file"},
			&cli.StringFlag{Name: "peers", Usage: "others: " + scipName},
			&cli.StringFlag{Name: "python", Usage: "Python that has PySCIPOpt, `FILE`; by default that of 'make scip-peer'"},
			&cli.DurationFlag{Name: "time-limit", Value: time.Minute, Usage: "`DURATION` for a run, processor time"},
		}, tableFlags(globalTableName, "`DIR` for global.csv and global.html, .md and .tex")...),
		Action: runGlobal,
	}
}

func runGlobal(c *cli.Context) error {
	if err := noArguments(c, "problems"); err != nil {
		return err
	}
	limit, err := timeLimit(c)
	if err != nil {
		return err
	}
	cam := &optima.Campaign{Limit: limit}
	if cam.Instances, err = globalInstances(c); err != nil {
		return err
	}
	return inTemp(func(tmp string) error {
		cam.Dir = tmp
		if cam.Solvers, err = globalSolvers(c, tmp); err != nil {
			return err
		}
		return fill(c, filling[optima.Row]{
			name: globalTableName, open: optima.Open,
			run: func(table *optima.Table, tell teller) error {
				cam.Tell = tell
				return cam.Run(c.Context, table)
			},
			report: func(w io.Writer, dir string, rows []optima.Row) (page.Section, error) {
				var text strings.Builder
				var names []string
				for _, r := range optima.Latest(rows) {
					if !slices.Contains(names, r.Solver) {
						names = append(names, r.Solver)
					}
				}
				slices.Sort(names)
				fmt.Fprintf(&text, "# Global optima\n\n%s, one thread a solver. Processor time of the process; %v each.\n\n", machine(), limit)
				if err := optima.Write(&text, cam.Instances, rows, names, limit.Seconds()); err != nil {
					return page.Section{}, err
				}
				return writeTexts(w, dir, globalReportName, "Global optima", text.String())
			},
		})
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
		all = append(all, slices.DeleteFunc(some, func(in optima.Instance) bool { return !only.MatchString(in.Name) })...)
	}
	if len(all) == 0 {
		return nil, errors.New("global: which problems? Give --sets and --only")
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
		s := optima.Solver{Name: program, Version: id, Program: path}
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
		return nil, errors.New("global: which solvers? Give --dcopt or --peers")
	}
	return all, nil
}

func scipSolver(c *cli.Context, tmp string) (s optima.Solver, err error) {
	python, err := peerPython(c.String("python"), "peers-scip", "scip-peer")
	if err != nil {
		return s, err
	}
	version, err := exec.CommandContext(c.Context, python, "-c", "import pyscipopt as p; print(p.Model().version(), p.__version__)").Output()
	if err != nil {
		return s, fmt.Errorf("--python: %s has no PySCIPOpt: %w", python, err)
	}
	scripts := filepath.Join(tmp, "scip")
	if err := os.CopyFS(scripts, peers.Global); err != nil {
		return s, err
	}
	return optima.Solver{Name: scipName, Version: strings.TrimSpace(string(version)), Argv: []string{python, filepath.Join(scripts, "python", "scip_global.py")}}, nil
}
