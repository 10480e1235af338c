package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/dc/lang"
)

func fmtCommand() *cli.Command {
	return &cli.Command{
		Name:      "fmt",
		Usage:     "lay out problem files in the one way of the language",
		ArgsUsage: "FILE...",
		Description: "Prints the .dc files with canonical blanks and aligned declarations; comments and line breaks stay, of several\n" +
			"empty lines one. - is standard input. A file with syntax errors is refused.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "write", Aliases: []string{"w"}, Usage: "rewrite the files that differ, each whole or not at all, and print nothing"},
			&cli.BoolFlag{Name: "check", Aliases: []string{"l"}, Usage: "print the names of the files that differ, and end with code 3 if there are any"},
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
		return usagef("fmt: which files? Usage: %s", c.Command.UsageText)
	case c.Bool("write") && c.Bool("check"):
		return usagef("--write and --check exclude each other")
	}
	code, differ := exitOK, false
	for _, path := range paths {
		if path == "" {
			return usagef("fmt: the name of the file is empty")
		}
		differs, err := formatFile(c, path)
		var f *failure
		switch {
		case isContextError(err):
			return err
		case errors.As(err, &f):
			if f.err != nil {
				sessionOf(c).log.fail(f.err, f.code)
			}
			code = max(code, f.code)
		case err != nil:
			return err
		}
		differ = differ || differs
	}
	if code == exitOK && differ && c.Bool("check") {
		code = exitNotSolved
	}
	return ended(code)
}

// formatFile treats one file as the flags say, and reports whether it was in
// another layout.
func formatFile(c *cli.Context, path string) (differs bool, err error) {
	name := path
	if path == "-" {
		name = "standard input"
		if c.Bool("write") {
			return false, usagef("--write: standard input is no file")
		}
	}
	s := sessionOf(c)
	text, err := s.readProblem(c.Context, path)
	if err != nil {
		return false, err
	}
	out, err := within(c.Context, func() ([]byte, error) { return lang.Format(name, text) })
	if isContextError(err) {
		return false, err
	}
	if err != nil {
		return false, (&source{path: name, text: text, s: s}).diagnose(err)
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
		err = s.rewrite(path, out)
	}
	return differs, err
}

// rewrite replaces a file that was read; behind a link, the file and not the
// link.
func (s *session) rewrite(path string, data []byte) error {
	o := &output{files: &s.files, name: path, inPlace: true}
	if err := o.locate(s.ctx, path); err != nil {
		return usagef("cannot write %s: %w", path, reason(err))
	}
	defer o.discard()
	if !o.toFile() {
		return usagef("cannot write %s: it is no regular file", path)
	}
	o.Write(data) // commit has the error
	return o.commit()
}
