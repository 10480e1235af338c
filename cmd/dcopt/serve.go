package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/serve"
	"github.com/dcopt/dcopt/internal/wire"
)

// idleHeap is memory that is never touched, so that the garbage of small problems is
// collected each 32 MB and not each 4 MB: a loop that loads a problem of 20 variables
// anew for each value of a parameter takes a quarter less processor time.
const idleHeap = 32 << 20

func serveCommand() *cli.Command {
	cfg := serve.DefaultConfig()
	return &cli.Command{
		Name:  "serve",
		Usage: "answer requests of another program over standard input and output",
		Description: "The requests and replies are frames with numbers as they are in memory; docs/protocol.md " +
			"describes them. The worker ends\n" +
			"when its standard input does.",
		Flags: []cli.Flag{
			&cli.Uint64Flag{Name: "max-body", Usage: "at most `BYTES` in a frame, and in all frames that wait",
				Value: cfg.MaxBody},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return exit.Usagef("serve takes no arguments")
			}
			cfg.MaxBody, cfg.Version = c.Uint64("max-body"), version()
			if cfg.MaxBody == 0 {
				return exit.Usagef("--max-body must be at least 1")
			}
			s := session.Of(c)
			if s.Stdin == os.Stdin { // Ctrl-C is for the whole group; the client cancels by a request
				signal.Ignore(os.Interrupt)
			}
			ballast := make([]byte, idleHeap)
			defer runtime.KeepAlive(ballast)
			err := serve.Run(s.Ctx, s.Stdin, s.Stdout.Raw(), cfg)
			var frame *wire.Error
			switch {
			case errors.Is(err, context.Canceled):
				return err
			case errors.As(err, &frame):
				return exit.Usagef("%w", err)
			case err != nil:
				return exit.Usagef("cannot go on: %w", err)
			}
			return nil
		},
	}
}
