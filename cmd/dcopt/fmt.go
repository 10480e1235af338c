package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/problem"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/dc/lang"
)

func fmtCommand() *cli.Command {
	return &cli.Command{
		Name:      "fmt",
		Usage:     "lay out problem files in the one way of the language",
		ArgsUsage: "FILE...",
		Description: "Prints the .dc files with canonical blanks and aligned declarations; comments and line breaks " +
			"stay, of several\n" +
			"empty lines one. - is standard input. A file with syntax errors is refused.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "write", Aliases: []string{"w"},
				Usage: "rewrite the files that differ, each whole or not at all, and print nothing"},
			&cli.BoolFlag{Name: "check", Aliases: []string{"l"},
				Usage: "print the names of the files that differ, and end with code 3 if there are any"},
		},
		Action: formatFiles,
	}
}

// formatFiles goes on after a file that it cannot format. Of exit codes the
// largest counts, but errors before differences.
func formatFiles(c *cli.Context) error {
	paths := c.Args().Slice()
	switch {
	case len(paths) == 0:
		return exit.Usagef("fmt: which files? Usage: %s", c.Command.UsageText)
	case c.Bool("write") && c.Bool("check"):
		return exit.Usagef("--write and --check exclude each other")
	}
	code, differ := exit.OK, false
	for _, path := range paths {
		if path == "" {
			return exit.Usagef("fmt: the name of the file is empty")
		}
		differs, err := formatFile(c, path)
		var f *exit.Failure
		switch {
		case exit.IsContext(err):
			return err
		case errors.As(err, &f):
			if f.Err != nil {
				session.Of(c).Log.Fail(f.Err, f.Code)
			}
			code = max(code, f.Code)
		case err != nil:
			return err
		}
		differ = differ || differs
	}
	if code == exit.OK && differ && c.Bool("check") {
		code = exit.NotSolved
	}
	return exit.With(code)
}

// formatFile treats one file as the flags say, and reports whether it was in
// another layout.
func formatFile(c *cli.Context, path string) (differs bool, err error) {
	name := path
	if path == "-" {
		name = "standard input"
		if c.Bool("write") {
			return false, exit.Usagef("--write: standard input is no file")
		}
	}
	s := session.Of(c)
	text, err := problem.Read(c.Context, s, path)
	if err != nil {
		return false, err
	}
	out, err := session.Within(c.Context, func() ([]byte, error) { return lang.Format(name, text) })
	if exit.IsContext(err) {
		return false, err
	}
	if err != nil {
		return false, problem.Diagnose(s, name, text, err)
	}
	differs = !bytes.Equal(text, out)
	switch {
	case c.Bool("check"):
		if differs {
			_, err = fmt.Fprintln(c.App.Writer, name)
		}
	case !c.Bool("write"):
		_, err = c.App.Writer.Write(out)
	case differs:
		err = s.Rewrite(path, out)
	}
	return differs, err
}
