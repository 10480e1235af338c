package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/bench/internal/worker"
	"github.com/dcopt/dcopt/qpbackend/backends"
)

// workerCommand is the command by which dcbench starts itself to run one of its backends.
func workerCommand() *cli.Command {
	return &cli.Command{
		Name: "worker", Hidden: true, Usage: "run a backend for dcbench", ArgsUsage: "BACKEND",
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return errors.New("worker: want the name of a backend")
			}
			b, err := backends.ByName(c.Args().First())
			if err != nil {
				return err
			}
			version, err := buildID()
			if err != nil {
				return err
			}
			return worker.Serve(c.App.Reader, c.App.Writer, b, version)
		},
	}
}

// buildID tells this program from one built of other sources.
func buildID() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return fileID(path)
}

// fileID tells a program from one built of other sources.
func fileID(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("build %x", h.Sum(nil)[:5]), nil
}
