package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/dcreport"
	"github.com/dcopt/dcopt/bench/internal/dcrun"
	"github.com/dcopt/dcopt/bench/internal/dcset"
	"github.com/dcopt/dcopt/bench/internal/page"
)

// The files in the folder of --out.
const (
	dcTableName   = "dc.csv"
	dcHistoryName = "dc-history.csv"
	dcReportName  = "dc" // .md, .html, .tex
	dcReportTitle = "DC problems"
)

// program is the name of what the peers are compared with.
const program = "dcopt"

// dcPeers are the ways of solving that the scripts have.
var dcPeers = peerList("dccp-tau1", "dccp", "dccp-tau1rows", "clarabel", "osqp", "dnlp", "dnlp-ipopt")

func dcCommand() *cli.Command {
	cmd := measuring("dc", "measure solvers of DC problems",
		"The program dcopt, from its start to its end, beside the solve calls of others, from the same starting "+
			"points. The table\n"+
			"dc.csv in the folder of --out grows with each measurement; what it has is not measured again.",
		dcTableName, "`DIR` for dc.csv and dc-history.csv, dc.html, .md and .tex, and the pictures", measureDC,
		&cli.StringFlag{Name: "families", Value: "all",
			Usage: "families of problems, `F1,F2`: all, none, or " + dcset.FamilyNames()},
		&cli.StringFlag{Name: "sizes", Value: "small,medium,large",
			Usage: "of the families, `S1,S2`: small, medium, large or numbers"},
		&cli.IntFlag{Name: "draws", Value: 1, Usage: "of each family and size, `N` problems drawn anew"},
		&cli.StringFlag{Name: "reference", Value: "none",
			Usage: "reference problems, `R1,R2`: all, none, or " + dcset.ReferenceNames()},
		&cli.StringFlag{Name: "shared", EnvVars: []string{"DCOPT_SHARED"}, Value: "../shared",
			Usage: "`DIR` of the reference problems, with reference/dc-language.md and data/dccp"},
		&cli.StringFlag{Name: "only", Usage: "only problems whose names match `REGEXP`"},
		&cli.StringFlag{Name: "dcopt", Usage: "the program, `FILE`; by default the one beside dcbench"},
		&cli.StringFlag{Name: "starts", Value: "auto",
			Usage: "run dcopt with these numbers of starting points, `N1,N2`; auto leaves it to the program and " +
				"the file"},
		&cli.StringFlag{Name: "peers", Usage: "others, `P1,P2`: all, or " + dcPeers.Names()},
		&cli.DurationFlag{Name: "time-limit", Value: 5 * time.Minute,
			Usage: "`DURATION` for a run, by the wall clock"},
		&cli.IntFlag{Name: "repeat", Value: 5,
			Usage: "the least time of at most `N` runs counts; runs end after a second"},
		&cli.StringFlag{Name: "python",
			Usage: "Python that has the peers, `FILE`; by default that of 'make peers'"},
	)
	cmd.Flags = append(cmd.Flags, clockFlag(), feasibleFlag())
	return cmd
}

func feasibleFlag() cli.Flag {
	return &cli.Float64Flag{Name: "feasible", Value: 1e-4,
		Usage: "of DC problems: the violation `E` up to which a point counts as feasible"}
}

func dcLookOf(c *cli.Context) (dcreport.Options, error) {
	opt := dcreport.Options{Clock: c.String("clock"), Feasible: c.Float64("feasible"), Against: program}
	return opt, checkLook(opt.Clock, "feasible", opt.Feasible)
}

func measureDC(c *cli.Context, tmp string) error {
	look, err := dcLookOf(c)
	if err != nil {
		return err
	}
	cam, err := dcCampaignOf(c)
	if err != nil {
		return err
	}
	cam.Dir = tmp
	if cam.Solvers, err = dcSolvers(c, tmp); err != nil {
		return err
	}
	defer func() {
		for _, s := range cam.Solvers {
			s.Close()
		}
	}()
	path := filepath.Join(c.String("out"), dcHistoryName)
	run := func(ctx context.Context, table *csvtable.Table[dcrun.Row], tell csvtable.Tell) error {
		if cam.Histories, err = csvtable.Open[dcrun.History](path, !c.Bool("resume")); err != nil {
			return err
		}
		defer cam.Histories.Close()
		return cam.Run(ctx, table, tell)
	}
	return fill(c, dcTableName, run, func(w io.Writer, dir string, rows []dcrun.Row) (page.Section, error) {
		return writeDC(w, dir, rows, look)
	})
}

// dcCampaignOf reads the flags, but for the solvers.
func dcCampaignOf(c *cli.Context) (*dcrun.Campaign, error) {
	limit, repeat, only, err := termsOf(c)
	if err != nil {
		return nil, err
	}
	draws := c.Int("draws")
	if draws < 1 {
		return nil, fmt.Errorf("--draws %d: want at least 1", draws)
	}
	cam := &dcrun.Campaign{Limit: limit, Repeat: repeat, Only: only}
	if names := someOf(c.String("families")); len(names) > 0 {
		if cam.Instances, err = dcset.Families(names, list(c.String("sizes")), draws); err != nil {
			return nil, fmt.Errorf("--families: %w", err)
		}
	}
	if names := someOf(c.String("reference")); len(names) > 0 {
		all, err := dcset.References(c.String("shared"), names)
		if err != nil {
			return nil, fmt.Errorf("--reference: %w", err)
		}
		cam.Instances = append(cam.Instances, all...)
	}
	if len(cam.Instances) == 0 {
		return nil, errors.New("dc: which problems? Give --families or --reference")
	}
	return cam, nil
}

// someOf is a list, "none" the empty one.
func someOf(flag string) []string {
	return slices.DeleteFunc(list(flag), func(s string) bool { return s == "none" })
}

// dcSolvers readies dcopt and the peers; no process is started yet.
func dcSolvers(c *cli.Context, tmp string) ([]dcrun.Solver, error) {
	path, err := dcoptProgram(c.String("dcopt"))
	if err != nil {
		return nil, err
	}
	id, err := fileID(path)
	if err != nil {
		return nil, err
	}
	var all []dcrun.Solver
	for _, word := range list(c.String("starts")) {
		p := &dcrun.Program{Label: program, Path: path, Env: oneThread, ID: id}
		if word != "auto" {
			if n, err := strconv.Atoi(word); err != nil || n < 1 {
				return nil, fmt.Errorf("--starts %s: want auto or numbers from 1", word)
			}
			p.Label = fmt.Sprintf("%s-%sstarts", program, word)
			p.Flags = []string{"--starts", word}
		}
		all = append(all, p)
	}
	names := list(c.String("peers"))
	if len(names) == 0 {
		return all, nil
	}
	if names, err = dcPeers.Choose(names); err != nil {
		return nil, fmt.Errorf("--peers: %w", err)
	}
	python, scripts, err := pythonFor(c.String("python"), "peers", "peers", tmp)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		dir := filepath.Join(tmp, "dc-"+name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		all = append(all, dcrun.NewPeer(name, dir, oneThread, python, filepath.Join(scripts, "dc", "worker.py"), name))
	}
	return all, nil
}

// dcoptProgram finds the program.
func dcoptProgram(flag string) (string, error) {
	if flag != "" {
		return exec.LookPath(flag)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(self), program)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("no program %s; 'make build' in the root makes it, or give --dcopt", path)
	}
	return path, nil
}

// writeDC puts the report and the pictures into dir and names the page on w.
func writeDC(w io.Writer, dir string, rows []dcrun.Row, opt dcreport.Options) (page.Section, error) {
	var none page.Section
	groups := dcreport.Groups(rows, opt)
	histories, err := dcrun.ReadHistories(filepath.Join(dir, dcHistoryName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return none, err
	}
	pictures := map[string]dcreport.Pictures{}
	for _, g := range groups {
		names := dcreport.Pictures{Profile: "profile-dc-" + g.Name + ".svg", Times: "times-dc-" + g.Name + ".svg"}
		if err := g.Plot(opt, twoFormats(dir, names.Profile), twoFormats(dir, names.Times)); err != nil {
			return none, fmt.Errorf("pictures of %s: %w", g.Name, err)
		}
		for _, c := range g.Convergence(histories) {
			name := "convergence-" + g.Name + "-" + c.Problem + ".svg"
			if err := c.Plot(filepath.Join(dir, name)); err != nil {
				return none, fmt.Errorf("convergence on %s: %w", c.Problem, err)
			}
			names.Convergence = append(names.Convergence, name)
		}
		pictures[g.Name] = names
	}
	r := newReport(dcReportTitle, "%s, one thread a solver; the least time of the runs.", machine())
	dcreport.Write(r, groups, opt, func(group string) dcreport.Pictures { return pictures[group] })
	return writeReports(w, dir, dcReportName, dcReportTitle, r)
}

// twoFormats are the paths of a picture as SVG and PNG.
func twoFormats(dir, svg string) []string {
	path := filepath.Join(dir, svg)
	return []string{path, strings.TrimSuffix(path, ".svg") + ".png"}
}
