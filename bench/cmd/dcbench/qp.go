package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/bench/internal/campaign"
	"github.com/dcopt/dcopt/bench/internal/instance"
	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/internal/result"
)

func qpCommand() *cli.Command {
	cmd := measuring("qp", "measure solvers of quadratic programs, with and without cones",
		"Choose problems by --dir, --classes, --structured, --cones, --sequence and --lder, any of them. The table "+
			"results.csv\nin the folder of --out grows with each measurement; what it has is not measured again.",
		tableName, "`DIR` for results.csv, report.html, .md and .tex, and the profiles", measureQP,
		&cli.StringFlag{Name: "dir",
			Usage: "solve the files in `DIR` that dcopt solve reads but .dc, plain or .gz"},
		&cli.StringFlag{Name: "classes", Usage: "random classes `C1,C2`: all, or " + instance.ClassNames()},
		&cli.StringFlag{Name: "sizes", Value: "small,medium",
			Usage: "of the classes, `S1,S2`: small, medium, large or numbers"},
		&cli.StringFlag{Name: "structured",
			Usage: "sets of programs that constants of ipm were chosen on, `S1,S2`: all, or " +
				instance.StructuredNames()},
		&cli.IntFlag{Name: "draw", Value: 1,
			Usage: "of --structured, `N`: 1, on which they were chosen, 2, on which they were tested, or " +
				"another one up to " + strconv.Itoa(instance.MostDraws)},
		&cli.StringFlag{Name: "cones",
			Usage: "classes with cones, `C1,C2`: all, or " + instance.ConeClassNames() +
				" (small random ones of every kind, not in all)"},
		&cli.IntFlag{Name: "cone-seeds", Value: 5,
			Usage: "problems of each class with cones, `N`; of five random ones, one is infeasible and one " +
				"unbounded"},
		&cli.BoolFlag{Name: "sequence",
			Usage: "the problems of a convex-concave procedure, solved with and without updates and warm starts"},
		&cli.BoolFlag{Name: "lder", Usage: "the problem of a step of l-CCP, 2000 samples and 50 features"},
		&cli.StringFlag{Name: "lder-size", Value: "2000,50", Usage: "`SAMPLES,FEATURES` of --lder"},
		&cli.StringFlag{Name: "only", Usage: "only problems whose names match `REGEXP`"},
		&cli.StringFlag{Name: "solvers", Value: "all",
			Usage: "backends of this module, `B1,B2`; none leaves them out"},
		&cli.StringFlag{Name: "peers", Usage: "solvers of others, `P1,P2`: " +
			strings.ReplaceAll(qpPeers().Names(), ",", ", ")},
		&cli.StringFlag{Name: "tol", Value: "default",
			Usage: "tolerances `T1,T2` to ask every solver for, the word default for its own"},
		&cli.BoolFlag{Name: "absolute",
			Usage: "measure residuals and gap relative to nothing, of problems without cones; by default " +
				"relative to norms, and to 1, or to smaller units of the problem, where these are smaller"},
		&cli.DurationFlag{Name: "time-limit", Value: 10 * time.Second, Usage: "`DURATION` for a problem"},
		&cli.IntFlag{Name: "repeat", Value: 5,
			Usage: "the least time of at most `N` runs counts; runs end after a second"},
		&cli.StringFlag{Name: "python",
			Usage: "Python that has the peers, `FILE`; by default that of 'make peers'"},
	)
	cmd.Flags = append(cmd.Flags, lookFlags()...)
	return cmd
}

func measureQP(c *cli.Context, tmp string) error {
	look, err := lookOf(c)
	if err != nil {
		return err
	}
	cam, err := campaignOf(c, look.Clock)
	if err != nil {
		return err
	}
	if cam.Contenders, err = hire(c, tmp); err != nil {
		return err
	}
	defer func() {
		for _, con := range cam.Contenders {
			con.Peer.Close()
		}
	}()
	cam.Dir = tmp
	return fill(c, tableName, cam.Run, func(w io.Writer, dir string, rows []result.Row) (page.Section, error) {
		return writeReport(w, dir, rows, look)
	})
}

// campaignOf reads the flags, but for the solvers.
func campaignOf(c *cli.Context, clock string) (*campaign.Campaign, error) {
	limit, repeat, only, err := termsOf(c)
	if err != nil {
		return nil, err
	}
	cam := &campaign.Campaign{Limit: limit, Slack: 1, Repeat: repeat, Only: only}
	if clock == "cpu" {
		cam.Slack = 2 // a busy machine needs longer for as much work
	}
	if dir := c.String("dir"); dir != "" {
		if cam.Instances, err = instance.Files(dir); err != nil {
			return nil, fmt.Errorf("--dir: %w", err)
		}
	}
	if classes := list(c.String("classes")); len(classes) > 0 {
		all, err := instance.Classes(classes, list(c.String("sizes")))
		if err != nil {
			return nil, fmt.Errorf("--classes: %w", err)
		}
		cam.Instances = append(cam.Instances, all...)
	}
	if sets := list(c.String("structured")); len(sets) > 0 {
		all, err := instance.Structured(sets, c.Int("draw"))
		if err != nil {
			return nil, fmt.Errorf("--structured: %w", err)
		}
		cam.Instances = append(cam.Instances, all...)
	}
	if names := list(c.String("cones")); len(names) > 0 {
		count := c.Int("cone-seeds")
		if count < 1 || count > 1000 {
			return nil, fmt.Errorf("--cone-seeds %d: want 1 to 1000", count)
		}
		all, err := instance.Cones(names, count)
		if err != nil {
			return nil, fmt.Errorf("--cones: %w", err)
		}
		cam.Instances = append(cam.Instances, all...)
	}
	if c.Bool("lder") {
		in, err := regressionOf(c.String("lder-size"))
		if err != nil {
			return nil, fmt.Errorf("--lder-size: %w", err)
		}
		cam.Instances = append(cam.Instances, in)
	}
	if c.Bool("sequence") {
		cam.Instances = append(cam.Instances, instance.Sequence())
	}
	if cam.Absolute = c.Bool("absolute"); cam.Absolute {
		for k := range cam.Instances {
			cam.Instances[k].Group += ", absolute residuals"
		}
	}
	if len(cam.Instances) == 0 {
		return nil, errors.New("qp: which problems? Give --dir, --classes, --structured, --cones, --sequence or --lder")
	}
	return cam, nil
}

func regressionOf(size string) (instance.Instance, error) {
	f := list(size)
	if len(f) != 2 {
		return instance.Instance{}, fmt.Errorf("%q: want SAMPLES,FEATURES", size)
	}
	m, err1 := strconv.Atoi(f[0])
	n, err2 := strconv.Atoi(f[1])
	if err := errors.Join(err1, err2); err != nil {
		return instance.Instance{}, err
	}
	return instance.Regression(m, n)
}

// tolerances of --tol; 0 stands for default.
func tolerances(s string) ([]float64, error) {
	var all []float64
	for _, word := range list(s) {
		if word == "default" {
			all = append(all, 0)
			continue
		}
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || !(v > 0 && v < 1) {
			return nil, fmt.Errorf("--tol %s: want default or a number between 0 and 1", word)
		}
		all = append(all, v)
	}
	if len(all) == 0 {
		return nil, errors.New("--tol is empty")
	}
	return all, nil
}
