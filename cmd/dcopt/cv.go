package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

func cvCommand() *cli.Command {
	return &cli.Command{
		Name:      "cv",
		Usage:     "measure an l-DER regressor by cross-validation",
		ArgsUsage: "DATA...",
		UsageText: "dcopt cv DATA... --target NAME [FLAGS]",
		Description: "Prints for each table the fraction of variance unexplained on the test rows, mean and standard deviation\n" +
			"(divisor k-1) over the folds. A file of folds is a JSON object {\"set\": [[row, ...], ...], ...} with rows from 0,\n" +
			"where a table's set is its file name without folder and endings.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "folds", Value: "5", Usage: "number of folds, shuffled by the seed, or a `FILE` of folds"},
		}, trainingFlags()...),
		Action: crossValidate,
	}
}

// trial is a table with its folds.
type trial struct {
	path  string
	data  *dataset.Data
	folds [][]int
}

// cvLine is what cv --json prints for a table.
type cvLine struct {
	File       string   `json:"file"`
	Method     string   `json:"method"`
	FVUMean    number   `json:"fvu_mean"`
	FVUStd     number   `json:"fvu_std"`
	FVU        []number `json:"fvu"`
	MSEMean    number   `json:"mse_mean"`
	MSEStd     number   `json:"mse_std"`
	FitSeconds number   `json:"fit_seconds"`
	Pieces     [2]int   `json:"pieces"`
}

func crossValidate(c *cli.Context) error {
	if !c.Args().Present() {
		return usagef("cv: which tables? Usage: %s", c.Command.UsageText)
	}
	set, err := trainingSettings(c)
	if err != nil {
		return err
	}
	trials, err := prepareTrials(c)
	if err != nil {
		return err
	}
	table := cvTable{w: c.App.Writer, json: c.Bool("json")}
	for _, t := range trials {
		table.width = max(table.width, len(t.path))
	}
	table.head()
	for k, t := range trials {
		var p *progress
		if !c.Bool("quiet") {
			p = startProgress(c.App.ErrWriter, fmt.Sprintf("table %d of %d, %s", k+1, len(trials), t.path))
		}
		begin := time.Now()
		res, err := lder.CrossValidate(c.Context, t.data.X, t.data.Y, t.folds, set)
		p.stop()
		if err != nil {
			if interrupted(c.Context) || isContextError(err) {
				return &failure{exitInterrupted, fmt.Errorf("interrupted at table %d of %d, %s", k+1, len(trials), t.path)}
			}
			return badFile(fmt.Errorf("%s: %w", t.path, err))
		}
		if err := table.row(t.path, set, &res, time.Since(begin)); err != nil {
			return usagef("cannot write the result: %w", err)
		}
	}
	table.foot()
	return nil
}

// prepareTrials reads all tables before anything is trained.
func prepareTrials(c *cli.Context) ([]trial, error) {
	k, err := strconv.Atoi(c.String("folds"))
	var file dataset.FoldFile
	if err != nil {
		if file, err = readFolds(c.String("folds")); err != nil {
			return nil, err
		}
	} else if k < 2 {
		return nil, usagef("--folds %d: want at least 2", k)
	}
	if seed := c.Uint64("seed"); seed > math.MaxUint32 {
		return nil, usagef("--seed %d: want at most %d", seed, uint32(math.MaxUint32))
	}
	var trials []trial
	for _, path := range c.Args().Slice() {
		d, err := trainingData(c, path)
		if err != nil {
			return nil, err
		}
		var folds [][]int
		if file != nil {
			folds, err = file.Of(dataset.SetName(path), len(d.Y))
		} else {
			folds, err = dataset.ShuffledKFold(len(d.Y), k, uint32(c.Uint64("seed")))
		}
		if err != nil {
			return nil, badFile(fmt.Errorf("%s: %w", path, err))
		}
		trials = append(trials, trial{path, d, folds})
	}
	return trials, nil
}

func readFolds(path string) (dataset.FoldFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usagef("--folds: want a number or a file of folds: %w", err)
	}
	defer f.Close()
	folds, err := dataset.ReadFolds(f, path)
	return folds, dataError(err)
}

// cvTable prints a line for each table, and their average.
type cvTable struct {
	w     io.Writer
	json  bool
	width int // of the longest name
	n     int
	sum   float64 // of the mean FVUs
}

func (t *cvTable) head() {
	if !t.json {
		fmt.Fprintf(t.w, "%-*s %10s %10s %12s %12s %9s\n", t.width, "file", "fvu", "± std", "mse", "± std", "seconds")
	}
}

func (t *cvTable) row(path string, set lder.Settings, res *lder.CVResult, d time.Duration) error {
	mse, mseStd := sampleMeanStd(res.MSE)
	fvu, fvuStd := res.MeanFVU()
	t.n++
	t.sum += fvu
	if !t.json {
		_, err := fmt.Fprintf(t.w, "%-*s %10.4f %10.4f %12.5g %12.5g %9.2f\n", t.width, path, fvu, fvuStd, mse, mseStd, d.Seconds())
		return err
	}
	b, err := line(cvLine{
		path, set.Method.String(), number(fvu), number(fvuStd), numbers(res.FVU),
		number(mse), number(mseStd), number(d.Seconds()), set.Pieces,
	})
	if err != nil {
		return err
	}
	_, err = t.w.Write(b)
	return err
}

func (t *cvTable) foot() {
	if !t.json && t.n > 1 {
		fmt.Fprintf(t.w, "%-*s %10.4f\n", t.width, "average", t.sum/float64(t.n))
	}
}

// sampleMeanStd has divisor k−1, as the FVU's.
func sampleMeanStd(v []float64) (mean, std float64) {
	k := float64(len(v))
	mean, std = dataset.MeanStd(v)
	return mean, std * math.Sqrt(k/(k-1))
}
