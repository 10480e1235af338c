package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/bench/internal/choice"
	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/internal/study"
	"github.com/dcopt/dcopt/bench/internal/studyreport"
)

// The files in the folder of --out.
const (
	studyTableName  = "regression.csv"
	studyReportName = "regression" // .md, .html, .tex
	studyTitle      = "Comparative study"
)

func regressionCommand() *cli.Command {
	cmd := measuring("regression", "compare regressors by cross-validation",
		"Each model is trained on all folds but one of each data set, and scored on that. The table regression.csv in "+
			"the folder\nof --out grows with each fold; what it has is not trained again.",
		studyTableName, "`DIR` for regression.csv, .html, .md and .tex, and the pictures as .svg", runRegression,
		&cli.StringFlag{Name: "data",
			Usage: "`DIR` of the sets, .tsv or .csv files, plain or .gz, with a column named target; pmlb: the " +
				"paper's, downloaded once"},
		&cli.StringFlag{Name: "models", Value: "all",
			Usage: "models `M1,M2`: all, or " + study.ModelNames() +
				"; networks also with other seeds than 0: mlp@3, mlp@0-9"},
		&cli.StringFlag{Name: "only", Usage: "only the sets `S1,S2`, by file name without its ending"},
		&cli.IntFlag{Name: "folds", Value: 5, Usage: "`K` folds, those of scikit-learn's shuffled KFold"},
		&cli.UintFlag{Name: "seed", Value: 1, Usage: "`S` of the shuffle"},
		&cli.DurationFlag{Name: "time-limit", Value: 5 * time.Minute,
			Usage: "`DURATION` to train a model on a fold"},
	)
	cmd.UsageText += " --data DIR"
	return cmd
}

func runRegression(c *cli.Context, _ string) error {
	cam, err := studyOf(c)
	if err != nil {
		return err
	}
	return fill(c, studyTableName, cam.Run, writeStudy)
}

func studyOf(c *cli.Context) (*study.Campaign, error) {
	limit, err := timeLimit(c)
	if err != nil {
		return nil, err
	}
	cam := &study.Campaign{Limit: limit}
	folds := c.Int("folds")
	if folds < 2 || folds > 1000 {
		return nil, fmt.Errorf("--folds %d: want 2 to 1000", folds)
	}
	seed := c.Uint("seed")
	cam.Seed = uint32(seed)
	if uint(cam.Seed) != seed {
		return nil, fmt.Errorf("--seed %d: want at most %d", seed, uint32(1<<32-1))
	}
	if cam.Models, err = study.Choose(list(c.String("models"))); err != nil {
		return nil, fmt.Errorf("--models: %w", err)
	}
	if c.String("data") == "" {
		return nil, errors.New("regression: which sets? Give --data")
	}
	dir := c.String("data")
	if dir == "pmlb" {
		if dir, err = fetchSets(c); err != nil {
			return nil, fmt.Errorf("--data pmlb: %w", err)
		}
	}
	all, err := study.ReadSets(dir, folds, cam.Seed)
	if err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	only := list(c.String("only"))
	if len(only) == 0 {
		only = []string{"all"}
	}
	sets := choice.List[study.Set]{Kind: "set", All: all, Name: func(s study.Set) string { return s.Name }}
	if cam.Sets, err = sets.Choose(only); err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	if len(cam.Sets) == 0 || len(cam.Models) == 0 {
		return nil, errors.New("regression: no set or no model is left")
	}
	cam.Version, err = buildID()
	return cam, err
}

// fetchSets returns the folder with the sets of the paper, which are downloaded
// if they are not there.
func fetchSets(c *cli.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "dcopt", "pmlb")
	return dir, study.Fetch(c.Context, study.PMLB, dir, func(set string) {
		if !c.Bool("quiet") {
			fmt.Fprintln(c.App.ErrWriter, "fetching", set)
		}
	})
}

// writeStudy puts the reports and the pictures into dir and names the page on w.
func writeStudy(w io.Writer, dir string, rows []study.Row) (page.Section, error) {
	var none page.Section
	s := studyreport.New(rows)
	pictures, err := s.Pictures()
	if err != nil {
		return none, err
	}
	for name, data := range pictures {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return none, err
		}
	}
	r := newReport(studyTitle, "%d sets and %d models; %s, as many models trained at a time.", len(s.Sets),
		len(s.Models), machine())
	if err := s.Write(r); err != nil {
		return none, err
	}
	return writeReports(w, dir, studyReportName, studyTitle, r)
}
