package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/qpbackend/backends"
)

func backendsCommand() *cli.Command {
	return &cli.Command{
		Name:        "backends",
		Usage:       "list the solvers of convex problems",
		Description: "Those that this build lacks are listed with the way to get them.",
		Flags:       []cli.Flag{flags.JSON()},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return exit.Usagef("backends takes no arguments")
			}
			return listBackends(c)
		},
	}
}

// backendJSON is the output of backends --json for each.
type backendJSON struct {
	Name      string   `json:"name"`
	Available bool     `json:"available"`
	About     string   `json:"about"`
	Cones     []string `json:"cones"`
	Get       string   `json:"get,omitempty"`
}

func listBackends(c *cli.Context) error {
	for _, b := range backends.Known() {
		cones := []string{}
		for _, k := range b.Cones {
			cones = append(cones, k.String())
		}
		if c.Bool("json") {
			line := backendJSON{b.Name, b.Available, b.About, cones, b.Get}
			if err := report.Print(c.App.Writer, line); err != nil {
				return err
			}
			continue
		}
		can := "quadratic programs, no cones"
		switch {
		case !b.Available:
			can = "not in this build: " + b.Get
		case len(cones) > 0:
			can = "quadratic programs; cones: " + strings.Join(cones, ", ")
		}
		fmt.Fprintf(c.App.Writer, "%-6s %s\n       %s\n", b.Name, b.About, can)
	}
	return nil
}
