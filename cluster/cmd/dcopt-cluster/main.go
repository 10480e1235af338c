package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cluster"
	"github.com/dcopt/dcopt/plan"
)

// The exit codes, as in dcopt.
const (
	exitUsage       = 1
	exitFile        = 2
	exitMissing     = 3
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal kills
	os.Exit(program(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// failure ends the program with a code.
type failure struct {
	code int
	error
}

func (f *failure) Unwrap() error { return f.error }

func usagef(format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...)}
}

// program runs the program and returns its exit code.
func program(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	app := &cli.App{
		Name: "dcopt-cluster", HelpName: "dcopt-cluster", Usage: "compute the shards of a plan by a fleet of workers",
		UsageText: "dcopt-cluster COMMAND [FLAGS] [PLAN]", HideVersion: true, Writer: stdout, ErrWriter: stderr,
		Reader:         stdin,
		ExitErrHandler: func(*cli.Context, error) {},
		Commands:       []*cli.Command{runCommand(), serveCommand(), workCommand(), cancelCommand()},
		Action: func(c *cli.Context) error {
			c.App.Writer = stderr
			if c.Args().Present() {
				return usagef("unknown command %q; want run, serve, work or cancel", c.Args().First())
			}
			if err := cli.ShowAppHelp(c); err != nil {
				return err
			}
			return &failure{exitUsage, nil}
		},
	}
	for _, c := range app.Commands {
		c.HideHelpCommand = true
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return &failure{exitUsage, err} }
	}
	err := app.RunContext(ctx, append([]string{app.Name}, args...))
	if err == nil {
		return 0
	}
	f := &failure{exitUsage, err}
	if !errors.As(err, &f) && ctx.Err() != nil {
		f = &failure{exitInterrupted, errors.New("interrupted")}
	}
	if f.error != nil {
		fmt.Fprintf(stderr, "dcopt-cluster: %v\n", f.error)
	}
	return f.code
}

// clientFlags are the flags of processes that connect to a broker.
func clientFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "server",
			Usage: "the broker's address `URL`, nats://HOST:PORT, or tls://HOST:PORT of another machine"},
		&cli.StringFlag{Name: "credentials", Usage: "a `FILE` whose first line is USER:PASSWORD"},
		&cli.StringFlag{Name: "ca",
			Usage: "a `FILE` of certificates that sign the broker's, in the place of those of the system"},
		&cli.DurationFlag{Name: "deadline", Value: cluster.AckWait,
			Usage: "how long shards stay with a worker that gives no sign of life; the same for all of a fleet"},
		&cli.DurationFlag{Name: "wait", Value: 10 * time.Second,
			Usage: "how long a broker that does not answer is waited for at first"},
	}
}

// credentialsVariable has the credentials of a worker that run has started.
const credentialsVariable = "DCOPT_CLUSTER_CREDENTIALS"

func clientOf(c *cli.Context) (cluster.Client, error) {
	out := cluster.Client{URL: c.String("server"), CA: c.String("ca"), Wait: c.Duration("wait"),
		AckWait: c.Duration("deadline"), Credentials: os.Getenv(credentialsVariable)}
	if out.URL == "" {
		return out, usagef("%s: which broker? Give --server URL", c.Command.Name)
	}
	if path := c.String("credentials"); path != "" {
		lines, err := cluster.ReadCredentials(path)
		if err != nil {
			return out, usagef("%w", err)
		}
		out.Credentials = lines[0]
	}
	return out, nil
}

func serveCommand() *cli.Command {
	return &cli.Command{
		Name: "serve", Usage: "run the broker of a fleet",
		UsageText: "dcopt-cluster serve --store DIR [FLAGS]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "store", Usage: "keep the queue and results in the folder `DIR`"},
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:4222",
				Usage: "listen at `HOST:PORT`; off this machine with TLS and credentials only"},
			&cli.StringFlag{Name: "credentials",
				Usage: "a `FILE` of lines USER:PASSWORD, or USER:BCRYPT, of which clients need one"},
			&cli.StringFlag{Name: "tls-cert", Usage: "the certificate, a `FILE`"},
			&cli.StringFlag{Name: "tls-key", Usage: "the key of the certificate, a `FILE`"},
			&cli.Int64Flag{Name: "store-limit", Usage: "at most `BYTES` in the store; as the disk has if not given"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("serve takes no arguments")
			}
			b := cluster.Broker{Listen: c.String("listen"), Store: c.String("store"), Cert: c.String("tls-cert"),
				Key: c.String("tls-key"), MostStore: c.Int64("store-limit")}
			if b.Store == "" {
				return usagef("serve: where is the queue kept? Give --store DIR")
			}
			if path := c.String("credentials"); path != "" {
				var err error
				if b.Credentials, err = cluster.ReadCredentials(path); err != nil {
					return usagef("%w", err)
				}
			}
			s, err := cluster.Serve(b)
			if err != nil {
				return usagef("%w", err)
			}
			fmt.Fprintf(c.App.ErrWriter, "dcopt-cluster: the broker is at %s\n", s.URL())
			err = s.Watch(c.Context)
			s.Close()
			if err != nil {
				return usagef("%w", err)
			}
			return nil
		},
	}
}

func workCommand() *cli.Command {
	return &cli.Command{
		Name: "work", Usage: "compute shards for a broker until interrupted",
		UsageText: "dcopt-cluster work --server URL [FLAGS]",
		Flags: append(clientFlags(),
			&cli.IntFlag{Name: "jobs", Value: runtime.NumCPU(), Usage: "`N` tasks at a time"},
			&cli.StringFlag{Name: "data", Usage: "look in the folder `DIR` for data that are not in plans"},
			&cli.BoolFlag{Name: "with-parent", Hidden: true, Usage: "end with the standard input"},
		),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("work takes no arguments; run takes a plan")
			}
			client, err := clientOf(c)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithCancel(c.Context)
			defer cancel()
			if c.Bool("with-parent") {
				go func() {
					_, _ = io.Copy(io.Discard, c.App.Reader) // its end is all that counts
					cancel()
				}()
			}
			err = cluster.Work(ctx, cluster.Worker{
				Client: client, Jobs: c.Int("jobs"), Data: c.String("data"),
				Note: func(format string, args ...any) {
					fmt.Fprintf(c.App.ErrWriter, "dcopt-cluster: "+format+"\n", args...)
				},
			})
			if err != nil && ctx.Err() == nil {
				return usagef("%w", err)
			}
			return nil
		},
	}
}

func cancelCommand() *cli.Command {
	return &cli.Command{
		Name: "cancel", Usage: "end the run of a plan, whoever has started it", ArgsUsage: "PLAN",
		UsageText: "dcopt-cluster cancel --server URL PLAN",
		Flags:     clientFlags(),
		Action: func(c *cli.Context) error {
			p, err := planOf(c)
			if err != nil {
				return err
			}
			client, err := clientOf(c)
			if err != nil {
				return err
			}
			if err := cluster.Stop(c.Context, client, p.ID()); err != nil {
				return usagef("%w", err)
			}
			return nil
		},
	}
}

// planOf reads the plan that is the only argument.
func planOf(c *cli.Context) (*plan.Plan, error) {
	if c.Args().Len() != 1 {
		return nil, usagef("%s: of which plan? One file behind the flags, as in %s", c.Command.Name,
			c.Command.UsageText)
	}
	f, err := os.Open(c.Args().First())
	if err != nil {
		return nil, usagef("%w", err)
	}
	defer f.Close()
	p, err := plan.Read(f, c.Args().First())
	if err != nil {
		return nil, &failure{exitFile, err}
	}
	return p, nil
}
