package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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

// fileParts are the files of a table in parts.
type fileParts struct {
	c       *cli.Context
	paths   []string
	columns []string // features, then the target
	opt     dataset.Options
}

func (p *fileParts) Count() int { return len(p.paths) }

// Each reads part k.
func (p *fileParts) Each(ctx context.Context, k int, do func(x [][]float64, y []float64) error) error {
	in, err := sessionOf(p.c).open(ctx, p.paths[k])
	if err != nil {
		return err
	}
	defer in.Close()
	s, err := dataset.OpenStream(in, p.paths[k], p.opt)
	if err != nil {
		return err
	}
	if err := s.Select(p.columns, nil); err != nil {
		return err
	}
	var y []float64
	last := len(p.columns) - 1
	return s.Each(runtime.GOMAXPROCS(0), func(*dataset.Block) error { return nil }, func(b *dataset.Block) error {
		y = y[:0]
		for i, row := range b.X {
			y = append(y, row[last])
			b.X[i] = row[:last]
		}
		return do(b.X, y)
	})
}

// openParts finds the columns, those of the first file.
func openParts(c *cli.Context, paths []string) (*fileParts, error) {
	p := &fileParts{c: c, paths: paths, opt: dataset.Options{DecimalComma: c.Bool("decimal-comma")}}
	in, err := sessionOf(c).open(c.Context, paths[0])
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s, err := within(c.Context, func() (*dataset.Stream, error) { return dataset.OpenStream(in, paths[0], p.opt) })
	if err != nil {
		return nil, dataError(err)
	}
	names := s.Columns()
	target := c.String("target")
	for _, name := range append([]string{target}, c.StringSlice("exclude")...) {
		if !slices.Contains(names, name) {
			return nil, usagef("%s: no column %q%s", paths[0], name, suggest.DidYouMean(name, names))
		}
	}
	for _, name := range names {
		if name != "" && name != target && !slices.Contains(c.StringSlice("exclude"), name) {
			p.columns = append(p.columns, name)
		}
	}
	if len(p.columns) == 0 {
		return nil, usagef("%s: no column is left to be a feature", paths[0])
	}
	p.columns = append(p.columns, target)
	return p, nil
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
	if set.Method != lder.Refit {
		return usagef("--method %v needs all rows in memory; a table in parts takes refit", set.Method)
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
	p, err := openParts(c, paths)
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
		r.Features, r.Target = p.columns[:len(p.columns)-1], p.columns[len(p.columns)-1]
		return r, shards.Fit(ctx, r, p)
	})
	line.stop()
	if err != nil && !isContextError(err) {
		var f *failure
		if errors.As(err, &f) {
			return err
		}
		return dataError(fmt.Errorf("%w", err))
	}
	if r == nil || r.Model == nil {
		return noModel(err, "a model")
	}
	if err := writeModel(r, out, nil, nil, nil); err != nil {
		return err
	}
	if err := fitSummary(c, r, time.Since(begin)); err != nil {
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
