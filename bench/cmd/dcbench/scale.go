package main

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/bench/internal/choice"
	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/internal/scale"
)

// The files in the folder of --out.
const (
	scaleTableName  = "scale.csv"
	scaleReportName = "scale" // .md, .html, .tex
	scaleTitle      = "Growth with size"
)

// scalePeer is a mode of peers/scale_peers.py.
type scalePeer struct {
	name     string
	families []string
}

func scalePeers() choice.List[scalePeer] {
	return choice.List[scalePeer]{Kind: "peer", All: []scalePeer{
		{"dccp", []string{"pack", "bls"}},
		{"clarabel", []string{"pack"}},
		{"scikit-learn", []string{"kmeans"}},
	}, Name: func(p scalePeer) string { return p.name }}
}

func scaleCommand() *cli.Command {
	return measuring("scale", "measure how time and memory grow with the size of problems",
		"Draws problems of six families, and runs builds of dcopt on them one after the other, each from its start to "+
			"its end.\nThe table scale.csv in the folder of --out grows with each run; what it has is not run again.",
		scaleTableName, "`DIR` for scale.csv and scale.html, .md and .tex", runScale,
		&cli.StringFlag{Name: "instances", Value: scale.Default(), Usage: "problems `NAME_SIZE,...`"},
		&cli.StringFlag{Name: "seeds", Value: "5", Usage: "draw them from these seeds, `S1,S2`"},
		&cli.StringFlag{Name: "dcopt",
			Usage: "builds of the program, `NAME=FILE,NAME=FILE`; by default the one beside dcbench"},
		&cli.StringFlag{Name: "peers",
			Usage: "others, `P1,P2`, where they have the family: " + scalePeers().Names()},
		&cli.StringFlag{Name: "python",
			Usage: "Python that has the peers, `FILE`; by default that of 'make peers'"},
		&cli.DurationFlag{Name: "time-limit", Value: 5 * time.Minute,
			Usage: "`DURATION` for a run, by the wall clock"},
	)
}

func runScale(c *cli.Context, tmp string) error {
	limit, err := timeLimit(c)
	if err != nil {
		return err
	}
	cam := &scale.Campaign{Limit: limit, Dir: tmp}
	if cam.Instances, err = scaleInstances(c.String("instances"), c.String("seeds")); err != nil {
		return err
	}
	if cam.Solvers, err = scaleBuilds(c.String("dcopt")); err != nil {
		return err
	}
	peers, err := scalePeersOf(c, tmp)
	if err != nil {
		return err
	}
	cam.Solvers = append(cam.Solvers, peers...)
	var names []string
	for _, s := range cam.Solvers {
		names = append(names, s.Name)
	}
	return fill(c, scaleTableName, cam.Run, func(w io.Writer, dir string, rows []scale.Row) (page.Section, error) {
		r := newReport(scaleTitle, "%s. Processor time and largest resident size of the process.", machine())
		scale.Write(r, rows, names)
		return writeReports(w, dir, scaleReportName, scaleTitle, r)
	})
}

// scaleInstances are the instances of the names, each with each seed.
func scaleInstances(names, seeds string) (all []scale.Instance, err error) {
	for _, name := range list(names) {
		for _, word := range list(seeds) {
			seed, err := strconv.ParseUint(word, 10, 31)
			if err != nil {
				return nil, fmt.Errorf("--seeds: %q is no whole number from 0", word)
			}
			in, err := scale.Parse(name, seed)
			if err != nil {
				return nil, fmt.Errorf("--instances: %w", err)
			}
			all = append(all, in)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("scale: which problems? Give --instances and --seeds")
	}
	return all, nil
}

// scaleBuilds finds the builds of the program.
func scaleBuilds(flag string) (all []scale.Solver, err error) {
	words := list(flag)
	if len(words) == 0 {
		words = []string{program + "="}
	}
	for _, word := range words {
		name, file, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--dcopt: %q is no NAME=FILE", word)
		}
		if slices.ContainsFunc(all, func(s scale.Solver) bool { return s.Name == name }) {
			return nil, fmt.Errorf("--dcopt: two builds have the name %q", name)
		}
		path, err := dcoptProgram(file)
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
		all = append(all, scale.Solver{Name: name, Version: id, Argv: []string{path, "solve", "--json", "--quiet"}})
	}
	return all, nil
}

// scalePeersOf readies the peers.
func scalePeersOf(c *cli.Context, tmp string) (all []scale.Solver, err error) {
	chosen, err := scalePeers().Choose(list(c.String("peers")))
	if err != nil {
		return nil, fmt.Errorf("--peers: %w", err)
	}
	if len(chosen) == 0 {
		return nil, nil
	}
	python, scripts, err := pythonFor(c.String("python"), "peers", "peers", tmp)
	if err != nil {
		return nil, err
	}
	version, err := exec.CommandContext(c.Context, python, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("--python: %w", err)
	}
	script := filepath.Join(scripts, "scale_peers.py")
	limit := fmt.Sprint(c.Duration("time-limit").Seconds())
	for _, p := range chosen {
		all = append(all, scale.Solver{Name: p.name, Version: strings.TrimSpace(string(version)),
			Argv: []string{python, script, p.name, limit}, Folder: true, Families: p.families})
	}
	return all, nil
}
