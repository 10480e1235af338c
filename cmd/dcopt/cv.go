package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/report"
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
			&cli.StringFlag{Name: "method", Value: lder.DefaultSettings().Method.String(), Usage: "training methods, `NAME[,NAME...]`: " + methodNames()},
			&cli.StringFlag{Name: "folds", Value: "5", Usage: "number of folds, shuffled by the seed, or a `FILE` of folds"},
		}, trainingFlags()...),
		Action: crossValidate,
	}
}

// trial is a table with its folds.
type trial struct {
	path  string
	data  *trainingTable
	folds [][]int
}

// cvLine is the output of cv --json for a table and a method.
type cvLine struct {
	File       string          `json:"file"`
	Method     string          `json:"method"`
	FVUMean    report.Number   `json:"fvu_mean"`
	FVUStd     report.Number   `json:"fvu_std"`
	FVU        []report.Number `json:"fvu"`
	MSEMean    report.Number   `json:"mse_mean"`
	MSEStd     report.Number   `json:"mse_std"`
	FitSeconds report.Number   `json:"fit_seconds"`
	Pieces     *[2]int         `json:"pieces"` // null of methods that choose
}

func crossValidate(c *cli.Context) error {
	if !c.Args().Present() {
		return usagef("cv: which tables? Usage: %s", c.Command.UsageText)
	}
	var sets []lder.Settings
	for _, name := range strings.Split(methodFlag(c), ",") {
		set, err := trainingSettings(c, strings.TrimSpace(name))
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	var p *progress
	if !c.Bool("quiet") {
		p = sessionOf(c).log.progress("reading")
		defer p.stop()
	}
	trials, err := prepareTrials(c)
	if err != nil {
		return err
	}
	table := cvTable{w: c.App.Writer, json: c.Bool("json"), sets: sets, total: make([]cvTotal, len(sets))}
	for _, t := range trials {
		table.width = max(table.width, len(t.path))
	}
	p.wipe()
	table.head()
	for k, t := range trials {
		for j, set := range sets {
			p.say("table %d of %d, %s, %v", k+1, len(trials), t.path, set.Method)
			p.portion(float64(k*len(sets)+j), float64(len(trials)*len(sets)))
			begin := time.Now()
			res, err := within(c.Context, func() (lder.CVResult, error) {
				return lder.CrossValidate(c.Context, t.data.X, t.data.Y, t.folds, set)
			})
			if err != nil {
				if interrupted(c.Context) || isContextError(err) {
					return &failure{exitInterrupted, fmt.Errorf("interrupted at table %d of %d, %s", k+1, len(trials), t.path)}
				}
				return badFile(fmt.Errorf("%s: %w", t.path, err))
			}
			p.wipe()
			if err := table.row(t.path, j, &res, time.Since(begin).Seconds()); err != nil {
				return usagef("cannot write the result: %w", err)
			}
		}
	}
	table.foot(len(trials))
	return nil
}

// prepareTrials reads all tables before anything is trained.
func prepareTrials(c *cli.Context) ([]trial, error) {
	k, err := strconv.Atoi(c.String("folds"))
	var file dataset.FoldFile
	if err != nil {
		if file, err = readFolds(c, c.String("folds")); err != nil {
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
		d, err := trainingData(c, path, (*dataset.Table).Supervised)
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

func readFolds(c *cli.Context, path string) (dataset.FoldFile, error) {
	f, err := sessionOf(c).open(c.Context, path)
	if err != nil {
		return nil, usagef("--folds: want a number or a file of folds: %w", err)
	}
	defer f.Close()
	folds, err := dataset.ReadFolds(f, path)
	return folds, dataError(err)
}

// cvTable prints a line for each table and method, and their averages.
type cvTable struct {
	w     io.Writer
	json  bool
	width int // of the longest name
	sets  []lder.Settings
	total []cvTotal // by method
}

// cvTotal is a method's sum over tables.
type cvTotal struct{ fvu, seconds float64 }

func (t *cvTable) head() {
	if !t.json {
		fmt.Fprintf(t.w, "%-*s %-9s %10s %10s %12s %12s %9s\n", t.width, "file", "method", "fvu", "± std", "mse", "± std", "seconds")
	}
}

func (t *cvTable) row(path string, k int, res *lder.CVResult, seconds float64) error {
	mse, mseStd := res.MeanMSE()
	fvu, fvuStd := res.MeanFVU()
	t.total[k].fvu += fvu
	t.total[k].seconds += seconds
	set := &t.sets[k]
	if !t.json {
		_, err := fmt.Fprintf(t.w, "%-*s %-9v %10s %10s %12s %12s %9s\n", t.width, path, set.Method, report.Show(fvu, 4), report.Show(fvuStd, 4), report.Show(mse, 5), report.Show(mseStd, 5), clock(seconds))
		return err
	}
	l := cvLine{
		path, set.Method.String(), report.Number(fvu), report.Number(fvuStd), report.Numbers(res.FVU),
		report.Number(mse), report.Number(mseStd), report.Number(seconds), nil,
	}
	if !set.Method.Chooses() {
		l.Pieces = &set.Pieces
	}
	b, err := report.Line(l)
	if err != nil {
		return err
	}
	_, err = t.w.Write(b)
	return err
}

// clock are seconds, nothing where they are not known.
func clock(seconds float64) string {
	if math.IsNaN(seconds) {
		return ""
	}
	return fmt.Sprintf("%.2f", seconds)
}

func (t *cvTable) foot(tables int) {
	if t.json || tables < 2 {
		return
	}
	for k, sum := range t.total {
		fmt.Fprintf(t.w, "%-*s %-9v %10s %10s %12s %12s %9s\n", t.width, "average", t.sets[k].Method, report.Show(sum.fvu/float64(tables), 4), "", "", "in all", clock(sum.seconds))
	}
}
