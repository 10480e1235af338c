package main

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/fleet"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/models"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/solve"
)

// run is the program: args without its name. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runSession(session.Start(ctx, args, stdin, stdout, stderr, runSession))
}

// runSession runs the program in a session.
func runSession(s *session.Session) int {
	app := newApp(s)
	args, err := flags.Arrange(app, s.Args)
	if err == nil {
		err = app.RunContext(s.Ctx, append([]string{app.Name}, args...))
	}
	if lost := s.Stdout.Close(); lost != nil { // the output has not arrived
		err = exit.Usagef("cannot write to standard output: %w", lost)
	}
	if err == nil {
		return exit.OK
	}
	var f *exit.Failure
	switch {
	case errors.Is(err, context.Canceled):
		f = exit.As(exit.Interrupted, errors.New("interrupted; there is no result yet"))
	case errors.Is(err, context.DeadlineExceeded):
		f = exit.As(exit.NotSolved, errors.New("the time limit passed before the first iteration"))
	case !errors.As(err, &f):
		f = exit.As(exit.Usage, err)
	}
	if f.Err != nil {
		s.Log.Fail(f.Err, f.Code)
	}
	return f.Code
}

func newApp(s *session.Session) *cli.App {
	app := &cli.App{
		Name:                      "dcopt",
		HelpName:                  "dcopt",
		Usage:                     "difference-of-convex optimisation",
		UsageText:                 "dcopt COMMAND [FLAGS] [FILE...]",
		Writer:                    s.Stdout,
		ErrWriter:                 s.Log.Writer(),
		Metadata:                  map[string]any{"session": s},
		DisableSliceFlagSeparator: true, // --set k=1,2 is one value
		ExitErrHandler:            func(*cli.Context, error) {},
		Commands:                  commands(flags.Command(s.Args)),
		Action: func(c *cli.Context) error {
			c.App.Writer = c.App.ErrWriter
			if err := cli.ShowAppHelp(c); err != nil {
				return err
			}
			return exit.With(exit.Usage)
		},
	}
	if len(app.Commands) > 1 { // help of the program may be asked for
		app.Version = version()
	}
	for _, c := range app.Commands {
		c.Flags = flags.Named(c.Flags)
		c.HideHelpCommand = true // or a file named help would be one
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return flags.Reworded(err) }
		if c.UsageText == "" {
			c.UsageText = "dcopt " + c.Name + " [FLAGS] " + c.ArgsUsage
		}
	}
	return app
}

// maker makes a command of a name.
type maker struct {
	name string
	make func() *cli.Command
}

// commands are all commands of the program, or the only one that runs: the flags and
// texts of all take as long to make as a small problem takes to be solved. Runs of the commands
// that tell of the others, and of no command, have all.
func commands(name string) []*cli.Command {
	makers := []maker{
		{"new", newCommand}, {"solve", solve.Command}, {"check", checkCommand}, {"verify", verifyCommand},
		{"expand", expandCommand}, {"fmt", fmtCommand},
		{"fit", models.FitCommand}, {"predict", models.PredictCommand}, {"show", models.ShowCommand},
		{"cv", models.CVCommand},
		{"plan", fleet.PlanCommand}, {"shard", fleet.ShardCommand}, {"serve", serveCommand}, {"lsp", lspCommand},
		{"backends", backendsCommand}, {"version", versionCommand}, {"completion", completionCommand},
		{"man", manCommand},
	}
	if k := slices.IndexFunc(makers, func(m maker) bool { return m.name == name }); k >= 0 && name != "completion" &&
		name != "man" {
		makers = makers[k : k+1]
	}
	all := make([]*cli.Command, len(makers))
	for k, m := range makers {
		all[k] = m.make()
	}
	return all
}
