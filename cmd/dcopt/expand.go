package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/problem"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/qpbackend/formats"
)

func expandCommand() *cli.Command {
	return &cli.Command{
		Name:      "expand",
		Usage:     "print a problem with its data in it and its names replaced by what they stand for",
		ArgsUsage: "FILE",
		Description: "Prints a .dc file that needs no other file and is the same problem: data files, params, sets " +
			"and lets are evaluated,\n" +
			"numbers printed to the last bit. Members of a family that differ in numbers alone stay a family. - is " +
			"standard input.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "set", Usage: "give a param another value, `K=V`; may be repeated"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"},
				Usage: "write to `FILE`, whole or not at all, instead of standard output"},
		},
		Action: expand,
	}
}

func expand(c *cli.Context) error {
	path, err := flags.OneFile(c)
	if err != nil {
		return err
	}
	if formats.Is(path) {
		return exit.Usagef("expand is for .dc problems, not for %s", path)
	}
	out, err := flags.Out(c)
	if err != nil {
		return err
	}
	defer out.Discard()
	src, err := problem.Open(c.Context, c, path)
	if err != nil {
		return err
	}
	prog, err := src.Compile(c.Context, nil)
	if err != nil {
		return err
	}
	text, err := session.Within(c.Context, func() ([]byte, error) { return lang.Print(prog.Problem, prog.Options) })
	switch {
	case exit.IsContext(err):
		return err
	case err != nil:
		return exit.BadFile(fmt.Errorf("%s: %w", src.Path, err))
	}
	out.Write(text) // commit has the error
	return out.Commit()
}
