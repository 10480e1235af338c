package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/qpbackend/formats"
)

func expandCommand() *cli.Command {
	return &cli.Command{
		Name:      "expand",
		Usage:     "print a problem with its data in it and its names replaced by what they stand for",
		ArgsUsage: "FILE",
		Description: "Prints a .dc file that needs no other file and is the same problem: data files, params, sets and lets are evaluated,\n" +
			"numbers printed to the last bit. Members of a family that differ in numbers alone stay a family. - is standard input.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "set", Usage: "give a param or an option another value, `K=V`; may be repeated"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write to `FILE`, whole or not at all, instead of standard output"},
		},
		Action: expand,
	}
}

func expand(c *cli.Context) error {
	path, err := oneFile(c)
	if err != nil {
		return err
	}
	if formats.Is(path) {
		return usagef("expand is for .dc problems, not for %s", path)
	}
	out, err := outFlag(c)
	if err != nil {
		return err
	}
	defer out.discard()
	src, err := openSource(c.Context, c, path)
	if err != nil {
		return err
	}
	prog, err := src.program(c.Context, nil)
	if err != nil {
		return err
	}
	text, err := within(c.Context, func() ([]byte, error) { return lang.Print(prog.Problem, prog.Options) })
	switch {
	case isContextError(err):
		return err
	case err != nil:
		return badFile(fmt.Errorf("%s: %w", src.path, err))
	}
	out.Write(text) // commit has the error
	return out.commit()
}
