package flags

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/table"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/backends"
)

// OneFile returns the only argument of a command.
func OneFile(c *cli.Context) (string, error) {
	switch args := c.Args().Slice(); {
	case len(args) == 0:
		return "", exit.Usagef("%s: which file? Usage: %s", c.Command.Name, c.Command.UsageText)
	case len(args) > 1:
		return "", exit.Usagef("%s: one file at a time, not %d (%s, %s, ...)", c.Command.Name, len(args), args[0],
			args[1])
	case args[0] == "":
		return "", exit.Usagef("%s: the name of the file is empty", c.Command.Name)
	default:
		return args[0], nil
	}
}

// Out is the output of --out, or standard output.
func Out(c *cli.Context) (*session.Output, error) {
	if c.IsSet("out") && c.String("out") == "" {
		return nil, exit.Usagef("--out: the name of the file is empty")
	}
	return session.Of(c).Create(c.String("out"))
}

func JSON() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print JSON, see docs/cli.md"}
}

func Backend() cli.Flag {
	var names []string
	for _, b := range backends.All() {
		names = append(names, b.Name())
	}
	return &cli.StringFlag{Name: "backend", Value: "auto",
		Usage: "solver of the convex problems, `NAME`: auto, " + strings.Join(names, ", ")}
}

// BackendOf is the backend of the flag, nil for auto.
func BackendOf(c *cli.Context) (qpbackend.Backend, error) {
	name := c.String("backend")
	if name == "auto" {
		return nil, nil
	}
	b, err := backends.ByName(name)
	if err != nil {
		return nil, exit.As(exit.Usage, fmt.Errorf("--backend: %w", err))
	}
	return b, nil
}

// Limit reads a duration, or a number of seconds.
func Limit(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if v, ok := table.Float(s); ok {
		d, err = Duration(v), nil
	}
	if err != nil || d <= 0 {
		return 0, exit.Usagef("--time-limit %s: want a duration > 0 such as 30, 90s or 1.5m", s)
	}
	return d, nil
}

// Duration is a number of seconds, cut where a Duration holds no more; NaN is 0.
func Duration(seconds float64) time.Duration {
	switch {
	case seconds > 1e9:
		return 1e9 * time.Second
	case math.IsNaN(seconds):
		return 0
	}
	return max(time.Duration(seconds*float64(time.Second)), min(time.Duration(math.Ceil(seconds)), 1))
}
