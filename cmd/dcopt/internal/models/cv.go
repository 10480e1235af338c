package models

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/record"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

func CVCommand() *cli.Command {
	return &cli.Command{
		Name:      "cv",
		Usage:     "measure an l-DER regressor by cross-validation",
		ArgsUsage: "DATA...",
		UsageText: "dcopt cv DATA... --target NAME [FLAGS]",
		Description: "Prints for each table the fraction of variance unexplained on the test rows, mean and " +
			"standard deviation\n" +
			"(divisor k-1) over the folds. A file of folds is a JSON object {\"set\": [[row, ...], ...], ...} with " +
			"rows from 0,\n" +
			"where a table's set is its file name without folder and endings.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "method", Value: lder.DefaultSettings().Method.String(),
				Usage: "training methods, `NAME[,NAME...]`: " + strings.Join(MethodNames(), ", ")},
			&cli.StringFlag{Name: "folds", Value: "5",
				Usage: "number of folds, shuffled by the seed, or a `FILE` of folds"},
		}, Flags()...),
		Action: crossValidate,
	}
}

// Trial is a table with its folds.
type Trial struct {
	Path  string
	Data  *trainingTable
	Folds [][]int
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
		return exit.Usagef("cv: which tables? Usage: %s", c.Command.UsageText)
	}
	var sets []lder.Settings
	for _, name := range strings.Split(Method(c), ",") {
		set, err := Settings(c, strings.TrimSpace(name))
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	var p *session.Progress
	if !c.Bool("quiet") {
		p = session.Of(c).Log.Progress("reading")
		defer p.Stop()
	}
	trials, err := Trials(c)
	if err != nil {
		return err
	}
	var names []string
	for _, t := range trials {
		names = append(names, t.Path)
	}
	table := NewTable(c.App.Writer, c.Bool("json"), sets, names)
	p.Wipe()
	table.Head()
	for k, t := range trials {
		for j, set := range sets {
			p.Say("table %d of %d, %s, %v", k+1, len(trials), t.Path, set.Method)
			p.Portion(float64(k*len(sets)+j), float64(len(trials)*len(sets)))
			begin := time.Now()
			res, err := session.Within(c.Context, func() (lder.CVResult, error) {
				return lder.CrossValidate(c.Context, t.Data.X, t.Data.Y, t.Folds, set)
			})
			if err != nil {
				if exit.ByUser(c.Context) || exit.IsContext(err) {
					return exit.As(exit.Interrupted,
						fmt.Errorf("interrupted at table %d of %d, %s", k+1, len(trials), t.Path))
				}
				return exit.BadFile(fmt.Errorf("%s: %w", t.Path, err))
			}
			p.Wipe()
			if err := table.Row(t.Path, j, &res, time.Since(begin).Seconds()); err != nil {
				return exit.Usagef("cannot write the result: %w", err)
			}
		}
	}
	table.Foot(len(trials))
	return nil
}

// Trials reads all tables before anything is trained.
func Trials(c *cli.Context) ([]Trial, error) {
	k, err := strconv.Atoi(c.String("folds"))
	var file dataset.FoldFile
	if err != nil {
		if file, err = readFolds(c, c.String("folds")); err != nil {
			return nil, err
		}
	} else if k < 2 {
		return nil, exit.Usagef("--folds %d: want at least 2", k)
	}
	if seed := c.Uint64("seed"); seed > math.MaxUint32 {
		return nil, exit.Usagef("--seed %d: want at most %d", seed, uint32(math.MaxUint32))
	}
	var trials []Trial
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
			return nil, exit.BadFile(fmt.Errorf("%s: %w", path, err))
		}
		trials = append(trials, Trial{path, d, folds})
	}
	return trials, nil
}

func readFolds(c *cli.Context, path string) (dataset.FoldFile, error) {
	f, err := session.Of(c).Open(c.Context, path)
	if err != nil {
		return nil, exit.Usagef("--folds: want a number or a file of folds: %w", err)
	}
	defer f.Close()
	folds, err := dataset.ReadFolds(f, path)
	return folds, exit.Data(err)
}

// Table prints a line for each table and method, and their averages.
type Table struct {
	w     io.Writer
	json  bool
	width int // of the longest name
	sets  []lder.Settings
	total []cvTotal // by method
}

// NewTable begins a table of the errors of tables with these names under sets of settings.
func NewTable(w io.Writer, json bool, sets []lder.Settings, names []string) *Table {
	t := &Table{w: w, json: json, sets: sets, total: make([]cvTotal, len(sets))}
	for _, name := range names {
		t.width = max(t.width, len(name))
	}
	return t
}

// cvTotal is a method's sum over tables.
type cvTotal struct{ fvu, seconds float64 }

// Head writes the names of the columns.
func (t *Table) Head() {
	if !t.json {
		fmt.Fprintf(t.w, "%-*s %-9s %10s %10s %12s %12s %9s\n", t.width, "file", "method", "fvu", "± std", "mse",
			"± std", "seconds")
	}
}

// Row writes the errors of a table under the settings of number k; seconds that are NaN are not
// known.
func (t *Table) Row(path string, k int, res *lder.CVResult, seconds float64) error {
	mse, mseStd := res.MeanMSE()
	fvu, fvuStd := res.MeanFVU()
	t.total[k].fvu += fvu
	t.total[k].seconds += seconds
	set := &t.sets[k]
	if !t.json {
		_, err := fmt.Fprintf(t.w, "%-*s %-9v %10s %10s %12s %12s %9s\n", t.width, path, set.Method,
			report.Show(fvu, 4), report.Show(fvuStd, 4), report.Show(mse, 5), report.Show(mseStd, 5), clock(seconds))
		return err
	}
	l := cvLine{
		path, set.Method.String(), report.Number(fvu), report.Number(fvuStd), record.Numbers(res.FVU),
		report.Number(mse), report.Number(mseStd), report.Number(seconds), nil,
	}
	if !set.Method.Chooses() {
		l.Pieces = &set.Pieces
	}
	return report.Print(t.w, l)
}

// clock are seconds, nothing where they are not known.
func clock(seconds float64) string {
	if math.IsNaN(seconds) {
		return ""
	}
	return fmt.Sprintf("%.2f", seconds)
}

// Foot writes the averages, of so many tables.
func (t *Table) Foot(tables int) {
	if t.json || tables < 2 {
		return
	}
	for k, sum := range t.total {
		fmt.Fprintf(t.w, "%-*s %-9v %10s %10s %12s %12s %9s\n", t.width, "average", t.sets[k].Method,
			report.Show(sum.fvu/float64(tables), 4), "", "", "in all", clock(sum.seconds))
	}
}
