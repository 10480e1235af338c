package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/bench/internal/campaign"
	"github.com/dcopt/dcopt/bench/internal/choice"
	"github.com/dcopt/dcopt/bench/internal/peer"
	"github.com/dcopt/dcopt/bench/peers"
	"github.com/dcopt/dcopt/qpbackend/backends"
)

// ownPrefix marks this module's solvers in tables: some have the name of a peer.
const ownPrefix = "dcopt-"

// oneThread keeps the processes to one thread each.
var oneThread = []string{
	"GOMAXPROCS=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "RAYON_NUM_THREADS=1",
	"PYTHONDONTWRITEBYTECODE=1",
}

// hire readies the solvers of the flags, each in one process, whatever the number of tolerances;
// none is started yet.
func hire(c *cli.Context, tmp string) (all []campaign.Contender, err error) {
	tols, err := tolerances(c.String("tol"))
	if err != nil {
		return nil, err
	}
	own, err := ownNames(c.String("solvers"))
	if err != nil {
		return nil, err
	}
	others := list(c.String("peers"))
	if len(own)+len(others) == 0 {
		return nil, errors.New("qp: no solvers; --solvers and --peers name them")
	}
	add := func(label string, argv ...string) error {
		if slices.ContainsFunc(all, func(con campaign.Contender) bool { return con.Solver == label }) {
			return fmt.Errorf("solver %s is named twice", label)
		}
		dir := filepath.Join(tmp, label)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		p := peer.New(dir, oneThread, argv...)
		for _, tol := range tols {
			all = append(all, campaign.Contender{Solver: label, Tol: tol, Peer: p})
		}
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for _, name := range own {
		if err := add(ownPrefix+name, self, "worker", name); err != nil {
			return nil, err
		}
	}
	if len(others) == 0 {
		return all, nil
	}
	if others, err = qpPeers().Choose(others); err != nil {
		return nil, fmt.Errorf("--peers: %w", err)
	}
	python, scripts, err := pythonFor(c.String("python"), "peers", "peers", tmp)
	if err != nil {
		return nil, err
	}
	for _, name := range others {
		if err := add(name, python, filepath.Join(scripts, "worker.py"), name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func ownNames(flag string) ([]string, error) {
	var names []string
	for _, name := range list(flag) {
		switch name {
		case "none":
		case "all":
			for _, b := range backends.All() {
				names = append(names, b.Name())
			}
		default:
			if _, err := backends.ByName(name); err != nil {
				return nil, fmt.Errorf("--solvers: %w", err)
			}
			names = append(names, name)
		}
	}
	return names, nil
}

// peerList are peers by their names.
func peerList(names ...string) choice.List[string] {
	return choice.List[string]{Kind: "peer", All: names, Name: func(name string) string { return name }}
}

// qpPeers are the solvers that there is a script for.
func qpPeers() choice.List[string] {
	files, _ := fs.Glob(peers.Files, "solve_*.py") // the pattern is right
	for k, f := range files {
		files[k] = strings.TrimSuffix(strings.TrimPrefix(f, "solve_"), ".py")
	}
	return peerList(files...)
}

// pythonFor finds the interpreter of a virtual environment that a target of make installs, or that
// of the flag, and unpacks the scripts of peers.
func pythonFor(flag, name, target, tmp string) (python, scripts string, err error) {
	python = flag
	if python == "" {
		cache := os.Getenv("XDG_CACHE_HOME")
		if cache == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", "", fmt.Errorf("--peers: %w; give --python", err)
			}
			cache = filepath.Join(home, ".cache")
		}
		python = filepath.Join(cache, "dcopt", name, "bin", "python")
	}
	if _, err := os.Stat(python); err != nil {
		return "", "", fmt.Errorf("--peers: no Python at %s; 'make %s' in bench installs it, or give --python", python,
			target)
	}
	scripts = filepath.Join(tmp, "scripts")
	return python, scripts, os.CopyFS(scripts, peers.Files)
}
