package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/suggest"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/shards"
)

// partsOf are the files of a table in parts: several arguments, or those that fit a pattern;
// nil where the arguments are one file.
func partsOf(c *cli.Context) (paths []string, err error) {
	args := c.Args().Slice()
	patterns := false
	for _, arg := range args {
		if _, err := os.Stat(arg); err == nil || !strings.ContainsAny(arg, "*?[") {
			paths = append(paths, arg)
			continue
		}
		patterns = true
		found, err := filepath.Glob(arg)
		if err != nil {
			return nil, usagef("%s: %w", arg, err)
		}
		if len(found) == 0 {
			return nil, usagef("%s: no file fits the pattern", arg)
		}
		paths = append(paths, found...) // in alphabetical order
	}
	if len(args) < 2 && !patterns {
		return nil, nil
	}
	for k, path := range paths {
		if path == "-" || path == "" {
			return nil, usagef("fit: %q is no part of a table: parts are read several times, so they are files", path)
		}
		if slices.Contains(paths[:k], path) {
			return nil, usagef("fit: %s is named twice", path)
		}
	}
	return paths, nil
}

// bagsFlag is the flag for bags of a fit over parts.
func bagsFlag() cli.Flag {
	return &cli.IntFlag{Name: "bags", Usage: "of a table in parts: the mean of `N` refits, of which each counts every row as often as it is drawn, with errors on rows that were not"}
}

// bagsOf reads --bags, for a fit by a method.
func bagsOf(c *cli.Context, method lder.Method) (int, error) {
	n := c.Int("bags")
	switch {
	case !c.IsSet("bags"):
		return 0, nil
	case method != lder.Refit:
		return 0, usagef("--bags are fits of the method refit, not of %v", method)
	case n < 2 || n > shards.MostFolds:
		return 0, usagef("--bags %d: want from 2 to %d", n, shards.MostFolds)
	}
	return n, nil
}

// openParts finds the features, columns of the first file.
func openParts(c *cli.Context, paths []string) (p *shards.Files, features []string, err error) {
	p = &shards.Files{Paths: paths, Options: dataset.Options{DecimalComma: c.Bool("decimal-comma")}}
	for _, path := range paths {
		if err := sessionOf(c).files.readsPath(path); err != nil {
			return nil, nil, err
		}
	}
	names, err := within(c.Context, func() ([]string, error) { return p.Columns(c.Context, 0) })
	if err != nil {
		return nil, nil, partsError(err)
	}
	target := c.String("target")
	for _, name := range append([]string{target}, c.StringSlice("exclude")...) {
		if !slices.Contains(names, name) {
			return nil, nil, usagef("%s: no column %q%s", paths[0], name, suggest.DidYouMean(name, names))
		}
	}
	for _, name := range names {
		if name != "" && name != target && !slices.Contains(c.StringSlice("exclude"), name) {
			features = append(features, name)
		}
	}
	if len(features) == 0 {
		return nil, nil, usagef("%s: no column is left to be a feature", paths[0])
	}
	return p, features, nil
}

// partsError is the failure of a fit over parts.
func partsError(err error) error {
	var pe *fs.PathError
	if isContextError(err) {
		return err
	}
	if errors.As(err, &pe) {
		return unreadable(err)
	}
	return dataError(err)
}

// fitParts trains on a table in parts.
func fitParts(c *cli.Context, paths []string) error {
	for _, name := range []string{"classify", "weights", "plot", "drop-text", "categorical"} {
		if c.IsSet(name) {
			return usagef("--%s needs the table as one file; join the parts", name)
		}
	}
	name := lder.Refit.String()
	if c.IsSet("method") {
		name = c.String("method")
	}
	set, err := trainingSettings(c, name)
	if err != nil {
		return err
	}
	if set.Method != lder.Refit && set.Method != lder.Cheap {
		return usagef("--method %v needs all rows in memory; a table in parts takes refit or cheap", set.Method)
	}
	bags, err := bagsOf(c, set.Method)
	if err != nil {
		return err
	}
	limit := time.Duration(0)
	if c.IsSet("time-limit") {
		if limit, err = parseLimit(c.String("time-limit")); err != nil {
			return err
		}
	}
	if c.String("out") == "" {
		return usagef("fit: where does the model go? Give -o MODEL.json")
	}
	out, err := outFlag(c)
	if err != nil {
		return err
	}
	defer out.discard()
	p, features, err := openParts(c, paths)
	if err != nil {
		return err
	}
	line := trainingProgress(c, &set)
	defer line.stop()
	set.Progress = func(done, _ int) {
		line.say("pass %d, part %d of %d", 1+(done-1)/len(paths), 1+(done-1)%len(paths), len(paths))
	}
	ctx, end := limited(c.Context, limit)
	defer end()
	begin := time.Now()
	r, err := within(c.Context, func() (*lder.Regressor, error) {
		r := lder.NewRegressor(set)
		r.Features, r.Target = features, c.String("target")
		_, err := shards.Fit(ctx, r, p, shards.Options{Bags: bags})
		return r, err
	})
	line.stop()
	if err != nil && !isContextError(err) {
		return partsError(err)
	}
	if r == nil || r.Model == nil && r.Ensemble == nil {
		return noModel(err, "a model")
	}
	if err := writeModel(r, out, nil, nil, nil); err != nil {
		return err
	}
	if err := fitSummary(c, r, shards.Scores{}, time.Since(begin)); err != nil {
		return err
	}
	switch r.Training.Status {
	case ccp.Converged:
		return nil
	case ccp.Cancelled:
		return ended(exitInterrupted)
	}
	return ended(exitNotSolved)
}
