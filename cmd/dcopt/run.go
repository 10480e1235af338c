package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"
)

// The exit codes.
const (
	exitOK          = 0
	exitUsage       = 1   // wrong usage, or a file that cannot be read or written
	exitFile        = 2   // a file was read and is wrong
	exitNotSolved   = 3   // no feasible converged point; the best one is printed. Of fmt --check: files differ
	exitInterrupted = 130 // by a signal; the best point is printed
)

// failure ends a command with a code; err is nil where all has been said.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string {
	if f.err == nil {
		return fmt.Sprintf("exit %d", f.code)
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

func usagef(format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...)}
}

// badFile says that a file which could be read is wrong.
func badFile(err error) error { return &failure{exitFile, err} }

// ended is the result of a command that has printed its messages.
func ended(code int) error {
	if code == exitOK {
		return nil
	}
	return &failure{code: code}
}

// run is the program: args without its name. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return startSession(ctx, args, stdin, stdout, stderr).run()
}

func startSession(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) *session {
	s := &session{
		begin: time.Now(), ctx: ctx, args: args, stdin: stdin,
		stdout: &stream{ctx: ctx, w: stdout},
		log:    &messages{w: stderr, json: wantsJSON(args)},
	}
	if f, ok := stdout.(*os.File); ok { // it may be a file that is read
		s.files.opened = append(s.files.opened, &output{files: &s.files, name: "the file behind standard output", file: f})
	}
	return s
}

func (s *session) run() int {
	app := newApp(s)
	args, err := arrange(app, s.args)
	if err == nil {
		err = app.RunContext(s.ctx, append([]string{app.Name}, args...))
	}
	if lost := s.stdout.close(); lost != nil { // the output has not arrived
		err = usagef("cannot write to standard output: %w", lost)
	}
	if err == nil {
		return exitOK
	}
	var f *failure
	switch {
	case errors.Is(err, context.Canceled):
		f = &failure{exitInterrupted, errors.New("interrupted; there is no result yet")}
	case errors.Is(err, context.DeadlineExceeded):
		f = &failure{exitNotSolved, errors.New("the time limit passed before the first iteration")}
	case !errors.As(err, &f):
		f = &failure{exitUsage, err}
	}
	if f.err != nil {
		s.log.fail(f.err, f.code)
	}
	return f.code
}

// placed is an error that carries its place in a file, so that the program's
// name in front would be in the way of editors.
type placed struct{ error }

func (p placed) Unwrap() error { return p.error }

func newApp(s *session) *cli.App {
	app := &cli.App{
		Name:                      "dcopt",
		HelpName:                  "dcopt",
		Usage:                     "difference-of-convex optimisation",
		UsageText:                 "dcopt COMMAND [FLAGS] [FILE...]",
		Version:                   version(),
		Writer:                    s.stdout,
		ErrWriter:                 s.log.writer(),
		Metadata:                  map[string]any{"session": s},
		DisableSliceFlagSeparator: true, // --set k=1,2 is one value
		ExitErrHandler:            func(*cli.Context, error) {},
		Commands: []*cli.Command{
			newCommand(), solveCommand(), checkCommand(), verifyCommand(), expandCommand(), fmtCommand(), fitCommand(), predictCommand(), showCommand(), cvCommand(),
			planCommand(), shardCommand(), serveCommand(), lspCommand(), backendsCommand(), versionCommand(), completionCommand(), manCommand(),
		},
		Action: func(c *cli.Context) error {
			c.App.Writer = c.App.ErrWriter
			if err := cli.ShowAppHelp(c); err != nil {
				return err
			}
			return ended(exitUsage)
		},
	}
	for _, c := range app.Commands {
		c.HideHelpCommand = true // or a file named help would be one
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return flagError(err) }
		if c.UsageText == "" {
			c.UsageText = "dcopt " + c.Name + " [FLAGS] " + c.ArgsUsage
		}
	}
	return app
}

// oneFile returns the only argument of a command.
func oneFile(c *cli.Context) (string, error) {
	switch args := c.Args().Slice(); {
	case len(args) == 0:
		return "", usagef("%s: which file? Usage: %s", c.Command.Name, c.Command.UsageText)
	case len(args) > 1:
		return "", usagef("%s: one file at a time, not %d (%s, %s, ...)", c.Command.Name, len(args), args[0], args[1])
	case args[0] == "":
		return "", usagef("%s: the name of the file is empty", c.Command.Name)
	default:
		return args[0], nil
	}
}
