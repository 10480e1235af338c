package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1   // wrong usage, or something could not be read, written or started
	exitInterrupted = 130 // by a signal; the measurements so far are in the table
)

// run is the program: args without its name. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	app := newApp(stdin, stdout, stderr)
	err := app.RunContext(ctx, append([]string{app.Name}, args...))
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		fmt.Fprintln(stderr, "dcbench: interrupted; the same command goes on from here")
		return exitInterrupted
	default:
		fmt.Fprintln(stderr, "dcbench:", err)
		return exitFailed
	}
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:           "dcbench",
		HelpName:       "dcbench",
		Usage:          "comparisons of dcopt's solvers with others",
		UsageText:      "dcbench COMMAND [FLAGS]",
		HideVersion:    true,
		Reader:         stdin,
		Writer:         stdout,
		ErrWriter:      stderr,
		ExitErrHandler: func(*cli.Context, error) {},
		Commands: []*cli.Command{qpCommand(), dcCommand(), regressionCommand(), srbenchCommand(),
			scaleCommand(), globalCommand(), smallCommand(), reportCommand(), workerCommand()},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("no command %q; dcbench help lists them", c.Args().First())
			}
			return errors.Join(cli.ShowAppHelp(c), errors.New("which command?"))
		},
	}
	for _, c := range app.Commands {
		c.HideHelpCommand = true
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return err }
	}
	return app
}
