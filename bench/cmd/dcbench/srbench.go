package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/bench/internal/chart"
	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/internal/srbench"
	"github.com/dcopt/dcopt/lder"
)

// The files in the folder of --out.
const (
	srbenchTableName   = "srbench.csv"
	srbenchTextName    = "srbench.md"
	srbenchPictureName = "srbench-pareto.svg"
)

func srbenchCommand() *cli.Command {
	cmd := measuring("srbench", "rank regressors in SRBench's league of published results",
		"Each method is trained on the splits of SRBench's trials; the median R2 of its test rows is ranked among the "+
			"published ones.\n"+
			"The table srbench.csv in the folder of --out grows with each trial; what it has is not trained again.",
		srbenchTableName, "`DIR` for srbench.csv and srbench.md", runSRBench,
		&cli.StringFlag{Name: "data",
			Usage: "`DIRS` of the tables, .tsv or .csv.gz files of PMLB, with a column named target"},
		&cli.StringFlag{Name: "published", Usage: "`FILE` of the published medians"},
		&cli.StringFlag{Name: "methods", Value: "auto,ensemble",
			Usage: "methods `M1,M2` of dcopt fit that choose by themselves"},
		&cli.StringFlag{Name: "only", Usage: "only the tables whose name has one of the words `W1,W2`"},
		&cli.IntFlag{Name: "trials", Value: len(srbench.Seeds()), Usage: "the first `N` of the ten trials"},
		&cli.StringFlag{Name: "join",
			Usage: "train nothing: one league of the tables srbench.csv in the folders `DIRS`, the later ones " +
				"first where two have a trial"},
		&cli.IntFlag{Name: "jobs", Usage: "`N` trials at a time; 0: as many as there are processors"},
		&cli.DurationFlag{Name: "time-limit", Value: 10 * time.Minute, Usage: "`DURATION` of a training"},
	)
	cmd.UsageText += " --data DIR,DIR --published FILE"
	return cmd
}

func runSRBench(c *cli.Context, _ string) error {
	limit, err := timeLimit(c)
	if err != nil {
		return err
	}
	cam := &srbench.Campaign{Limit: limit, Workers: c.Int("jobs")}
	trials := c.Int("trials")
	if trials < 1 || trials > len(srbench.Seeds()) {
		return fmt.Errorf("--trials %d: want 1 to %d", trials, len(srbench.Seeds()))
	}
	cam.Seeds = srbench.Seeds()[:trials]
	for _, name := range list(c.String("methods")) {
		m, err := lder.ParseMethod(name)
		if err != nil {
			return fmt.Errorf("--methods: %w", err)
		}
		if !m.Chooses() {
			return fmt.Errorf("--methods: %v has pieces to be given; want methods that choose by themselves", m)
		}
		cam.Methods = append(cam.Methods, m)
	}
	join := list(c.String("join"))
	if c.String("data") == "" && len(join) == 0 || c.String("published") == "" {
		return errors.New("srbench: give the tables by --data and the published medians by --published")
	}
	published, err := srbench.ReadPublished(c.String("published"))
	if err != nil {
		return fmt.Errorf("--published: %w", err)
	}
	if len(join) > 0 {
		var rows []srbench.Row
		for _, dir := range join {
			some, err := csvtable.Read[srbench.Row](filepath.Join(dir, srbenchTableName))
			if err != nil {
				return fmt.Errorf("--join: %w", err)
			}
			rows = append(rows, some...)
		}
		if err := os.MkdirAll(c.String("out"), 0o755); err != nil {
			return err
		}
		// Every trial that is there counts.
		return writeLeague(c.App.Writer, c.String("out"), rows, cam, 1, published)
	}
	sets, err := srbench.ReadSets(list(c.String("data"))...)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	only := list(c.String("only"))
	for _, s := range sets {
		if len(only) == 0 || slices.ContainsFunc(only, func(w string) bool { return strings.Contains(s.Name, w) }) {
			cam.Sets = append(cam.Sets, s)
		}
	}
	if len(cam.Sets) == 0 || len(cam.Methods) == 0 {
		return errors.New("srbench: no table or no method is left")
	}
	if cam.Version, err = buildID(); err != nil {
		return err
	}
	return fill(c, srbenchTableName, cam.Run, func(w io.Writer, dir string, rows []srbench.Row) (page.Section, error) {
		// Of other people's methods each version counts, of ours the version of this program.
		var some []srbench.Row
		for _, r := range rows {
			if _, err := lder.ParseMethod(r.Method); err != nil || r.Version == cam.Version {
				some = append(some, r)
			}
		}
		return page.Section{}, writeLeague(w, dir, some, cam, len(cam.Seeds), published)
	})
}

// writeLeague writes the leagues, over tables with at least fewest of the trials of cam, to
// w and into dir, and the picture with the first of the methods.
func writeLeague(w io.Writer, dir string, rows []srbench.Row, cam *srbench.Campaign, fewest int,
	published []srbench.Published) error {
	var r page.Report
	srbench.Write(&r, rows, cam.Seeds, fewest, published)
	text := r.Markdown()
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, os.WriteFile(filepath.Join(dir, srbenchTextName), []byte(text), 0o666)); err != nil {
		return err
	}
	marks := srbench.Marks(srbench.Medians(rows, cam.Seeds, fewest), published, cam.Methods[0].String())
	if len(marks) == 0 {
		return nil
	}
	return chart.Pareto("Accuracy against size and time", "mean R² of the test rows", marks,
		filepath.Join(dir, srbenchPictureName))
}
