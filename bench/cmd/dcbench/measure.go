package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/page"
)

// measuring is a command that fills the table of that name in the folder of --out, by measure with
// a folder that is gone afterwards. outUsage says what the folder of --out has then.
func measuring(name, usage, about, table, outUsage string, measure func(c *cli.Context, tmp string) error,
	flags ...cli.Flag) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, UsageText: "dcbench " + name + " [FLAGS]", Description: about,
		Flags: append(flags,
			&cli.BoolFlag{Name: "resume", Value: true,
				Usage: "keep what " + table + " has; --resume=false starts anew"},
			&cli.StringFlag{Name: "out", Value: "dcbench-out", Usage: outUsage},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress"}),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return fmt.Errorf("%s: unexpected argument %q; flags say what is measured", name, c.Args().First())
			}
			tmp, err := os.MkdirTemp("", "dcbench-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(tmp)
			return measure(c, tmp)
		},
	}
}

// fill opens the table of that name by the flags of measuring, runs the measurements that it
// lacks, and reports those that it has, also when the run was interrupted.
func fill[R any](c *cli.Context, name string,
	run func(ctx context.Context, table *csvtable.Table[R], tell csvtable.Tell) error,
	report func(w io.Writer, dir string, rows []R) (page.Section, error)) error {
	out := c.String("out")
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	table, err := csvtable.Open[R](filepath.Join(out, name), !c.Bool("resume"))
	if err != nil {
		return err
	}
	defer table.Close()
	tell, done := progress(c.App.ErrWriter, c.Bool("quiet"))
	err = run(c.Context, table, tell)
	done()
	if len(table.Rows) == 0 {
		return err
	}
	_, bad := report(c.App.Writer, out, table.Rows)
	return errors.Join(err, bad)
}

// timeLimit reads the flag --time-limit.
func timeLimit(c *cli.Context) (time.Duration, error) {
	d := c.Duration("time-limit")
	if !(d > 0 && d <= 24*time.Hour) {
		return 0, fmt.Errorf("--time-limit %v: want more than nothing and at most a day", d)
	}
	return d, nil
}

// termsOf reads the flags --time-limit, in seconds, --repeat and --only.
func termsOf(c *cli.Context) (limit float64, repeat int, only *regexp.Regexp, err error) {
	each, err := timeLimit(c)
	if err != nil {
		return 0, 0, nil, err
	}
	limit, repeat = each.Seconds(), c.Int("repeat")
	if repeat < 1 || repeat > 1000 {
		return 0, 0, nil, fmt.Errorf("--repeat %d: want 1 to 1000", repeat)
	}
	if text := c.String("only"); text != "" {
		if only, err = regexp.Compile(text); err != nil {
			return 0, 0, nil, fmt.Errorf("--only: %w", err)
		}
	}
	return limit, repeat, only, nil
}

// list splits at commas and drops empty parts.
func list(s string) []string {
	var all []string
	for f := range strings.SplitSeq(s, ",") {
		if f = strings.TrimSpace(f); f != "" {
			all = append(all, f)
		}
	}
	return all
}

// progress returns a function that shows the progress on w, and one that ends it: a bar on a
// terminal, else a line for each problem.
func progress(w io.Writer, quiet bool) (tell csvtable.Tell, end func()) {
	if quiet {
		return nil, func() {}
	}
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" {
			return bar(f)
		}
	}
	last := ""
	return func(done, all int, instance, _ string) {
		if instance != last && instance != "" {
			fmt.Fprintf(w, "%d/%d %s\n", done, all, instance)
		}
		last = instance
	}, func() {}
}
