package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/campaign"
	"github.com/dcopt/dcopt/bench/internal/fake"
	"github.com/dcopt/dcopt/bench/internal/instance"
	"github.com/dcopt/dcopt/bench/internal/peer"
	"github.com/dcopt/dcopt/bench/internal/result"
	"github.com/dcopt/dcopt/qpbackend"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

func TestMain(m *testing.M) {
	fake.Main()
	os.Exit(m.Run())
}

// newCampaign measures the fakes named on small problems.
func newCampaign(t *testing.T, sizes []string, fakes ...string) *campaign.Campaign {
	t.Helper()
	c := &campaign.Campaign{Limit: 30, Slack: 1, Repeat: 2, Dir: t.TempDir()}
	var err error
	if c.Instances, err = instance.Classes([]string{"lasso", "control"}, sizes); err != nil {
		t.Fatal(err)
	}
	for _, name := range fakes {
		argv, err := fake.Argv(name)
		if err != nil {
			t.Fatal(err)
		}
		p := peer.New(t.TempDir(), nil, argv...)
		t.Cleanup(p.Close)
		for _, tol := range []float64{0, 1e-4} {
			c.Contenders = append(c.Contenders, campaign.Contender{Solver: name, Tol: tol, Peer: p})
		}
	}
	return c
}

func open(t *testing.T, path string) *csvtable.Table[result.Row] {
	t.Helper()
	table, err := csvtable.Open[result.Row](path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// timeless is what of the rows does not depend on the clock.
func timeless(rows []result.Row) string {
	var s strings.Builder
	for _, r := range rows {
		r.Wall, r.CPU, r.Setup = 0, 0, 0
		fmt.Fprintf(&s, "%+v\n", r)
	}
	return s.String()
}

// TestResume interrupts a run after each number of measurements in turn, with a
// part of a line behind them, and wants the rows of a run in one go.
func TestResume(t *testing.T) {
	solvers := []string{"honest", "liar", "crash"}
	whole := open(t, filepath.Join(t.TempDir(), "whole.csv"))
	if err := newCampaign(t, []string{"4"}, solvers...).Run(context.Background(), whole, nil); err != nil {
		t.Fatal(err)
	}
	want, total := timeless(whole.Rows), 2*2*len(solvers)
	if len(whole.Rows) != total {
		t.Fatalf("%d rows, want %d", len(whole.Rows), total)
	}
	for stop := 1; stop < total; stop += 3 {
		path := filepath.Join(t.TempDir(), "parts.csv")
		ctx, cancel := context.WithCancel(context.Background())
		c := newCampaign(t, []string{"4"}, solvers...)
		tell := func(done, all int, _, _ string) {
			if all != total {
				t.Errorf("%d measurements announced, want %d", all, total)
			}
			if done == stop {
				cancel()
			}
		}
		table := open(t, path)
		if err := c.Run(ctx, table, tell); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted: %v", err)
		}
		cancel()
		if len(table.Rows) != stop {
			t.Errorf("%d rows when interrupted, want %d", len(table.Rows), stop)
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("classes,lasso-4,3"); err != nil {
			t.Fatal(err)
		}
		f.Close()

		table = open(t, path)
		if err := newCampaign(t, []string{"4"}, solvers...).Run(context.Background(), table, nil); err != nil {
			t.Fatal(err)
		}
		if got := timeless(table.Rows); got != want {
			t.Errorf("resumed after %d:\n%s\nwant\n%s", stop, got, want)
		}
	}
}

// TestResumeKeepsTerms: what was measured on other terms is measured again.
func TestResumeKeepsTerms(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	for _, step := range []struct {
		what   string
		change func(*campaign.Campaign)
		want   int // rows in all
	}{
		{"first", func(*campaign.Campaign) {}, 4},
		{"again", func(*campaign.Campaign) {}, 4},
		{"limit", func(c *campaign.Campaign) { c.Limit = 20.0123456789 }, 8},
		{"the same limit", func(c *campaign.Campaign) { c.Limit = 20.0123456789 }, 8},
		{"repeat", func(c *campaign.Campaign) { c.Repeat = 1 }, 12},
		{"only", func(c *campaign.Campaign) { c.Only = regexp.MustCompile("^lasso"); c.Limit = 7 }, 14},
	} {
		c := newCampaign(t, []string{"4"}, "honest")
		step.change(c)
		table := open(t, path) // with the digits of the file
		if err := c.Run(context.Background(), table, nil); err != nil {
			t.Fatal(err)
		}
		if len(table.Rows) != step.want {
			t.Errorf("%s: %d rows, want %d", step.what, len(table.Rows), step.want)
		}
	}
	c := newCampaign(t, []string{"4"}, "honest")
	c.Only = regexp.MustCompile("nothing like this")
	table := open(t, path)
	if err := c.Run(context.Background(), table, nil); err == nil || !strings.Contains(err.Error(), "--only") {
		t.Errorf("no problem is left: %v", err)
	}
}

// TestNoSolverMarksItsOwnHomework: who says "solved" at a wrong point has not
// solved.
func TestNoSolverMarksItsOwnHomework(t *testing.T) {
	table := open(t, filepath.Join(t.TempDir(), "t.csv"))
	if err := newCampaign(t, []string{"4"}, "honest", "liar", "nan", "crash").Run(context.Background(), table, nil); err != nil {
		t.Fatal(err)
	}
	solved := map[string]int{}
	for _, r := range table.Rows {
		if r.Solved(1e-3, "wall") {
			solved[r.Solver]++
		}
		if r.Solver != "crash" && r.Status != "solved" {
			t.Errorf("%s says %s", r.Solver, r.Status)
		}
		if r.N == 0 || r.M == 0 || r.NNZ == 0 || r.Version == "" {
			t.Errorf("row %+v lacks sizes or version", r)
		}
	}
	if len(solved) != 1 || solved["honest"] != 4 {
		t.Errorf("solved: %v, want 4 by honest alone", solved)
	}
}

// TestToleranceIsAskedFor: a looser tolerance takes fewer iterations.
func TestToleranceIsAskedFor(t *testing.T) {
	table := open(t, filepath.Join(t.TempDir(), "t.csv"))
	if err := newCampaign(t, []string{"6"}, "honest").Run(context.Background(), table, nil); err != nil {
		t.Fatal(err)
	}
	for k := 0; k < len(table.Rows); k += 2 {
		tight, loose := table.Rows[k], table.Rows[k+1]
		if tight.Tol != "default" || loose.Tol != "1e-4" || loose.Iterations >= tight.Iterations {
			t.Errorf("%s: %s %d iterations, %s %d", tight.Instance, tight.Tol, tight.Iterations, loose.Tol, loose.Iterations)
		}
	}
}

func TestSequence(t *testing.T) {
	table := open(t, filepath.Join(t.TempDir(), "t.csv"))
	c := newCampaign(t, []string{"4"}, "honest", "crash")
	lasso := c.Instances[0]
	const steps = 4
	c.Instances = []instance.Instance{{Group: "sequence", Name: "scaled", Make: func() ([]*qpbackend.Problem, error) {
		all, err := lasso.Make()
		if err != nil {
			return nil, err
		}
		for k := 1; k < steps; k++ {
			p := all[0].Clone()
			for j := range p.Q {
				p.Q[j] *= 1 + 0.1*float64(k)
			}
			all = append(all, p)
		}
		return all, nil
	}}}
	c.Contenders = []campaign.Contender{c.Contenders[0], c.Contenders[2]}
	if err := c.Run(context.Background(), table, nil); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, r := range table.Rows {
		said = append(said, r.Contender()+" "+r.Status)
		if r.Solver == "honest" && (!r.Solved(1e-6, "wall") || r.Iterations < steps-1) {
			t.Errorf("%+v", r)
		}
		if r.Solver == "crash" && r.Solved(1, "wall") {
			t.Errorf("%+v", r)
		}
	}
	want := "honest solved; honest update solved; honest warm solved; crash crashed; crash update crashed; crash warm crashed"
	if got := strings.Join(said, "; "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	before := len(table.Rows)
	if err := c.Run(context.Background(), table, nil); err != nil || len(table.Rows) != before {
		t.Errorf("again: %v, %d rows", err, len(table.Rows))
	}
}

func TestMissingSolver(t *testing.T) {
	table := open(t, filepath.Join(t.TempDir(), "t.csv"))
	err := newCampaign(t, []string{"4"}, "honest", "absent").Run(context.Background(), table, nil)
	if err == nil || !strings.Contains(err.Error(), "solver absent") || len(table.Rows) != 0 {
		t.Errorf("error %v, %d rows: want one before anything is measured", err, len(table.Rows))
	}
}

// TestPublished: a solution with another value than the published one says so.
func TestPublished(t *testing.T) {
	c := newCampaign(t, []string{"4"}, "honest")
	c.Instances = []instance.Instance{c.Instances[0], c.Instances[0]}
	c.Instances[0].Name, c.Instances[0].Optimum, c.Instances[0].Error = "off", 1e6, 1
	c.Instances[1].Name, c.Instances[1].Error = "near", 1e9
	table := open(t, filepath.Join(t.TempDir(), "t.csv"))
	if err := c.Run(context.Background(), table, nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rows {
		want := r.Instance == "off" && r.Status == "solved"
		if strings.Contains(r.Message, "not the published 1e+06") != want {
			t.Errorf("%s: %s, message %q", r.Instance, r.Status, r.Message)
		}
	}
	if len(table.Rows) < 2 {
		t.Errorf("%d rows", len(table.Rows))
	}
}

// TestInfeasible: a proof is measured where there is one to be had, a claim
// without proof is worth nothing, and neither is a solution of what has none.
func TestInfeasible(t *testing.T) {
	c := newCampaign(t, []string{"4"}, "honest", "prophet", "liar")
	all, err := instance.Cones([]string{"tiny"}, 3)
	if err != nil {
		t.Fatal(err)
	}
	c.Instances = append(all, c.Instances[0])
	table := open(t, filepath.Join(t.TempDir(), "t.csv"))
	if err := c.Run(context.Background(), table, nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rows {
		want := "solved"
		switch {
		case strings.HasSuffix(r.Instance, "-infeasible"):
			want = "primal_infeasible"
		case strings.HasSuffix(r.Instance, "-unbounded"):
			want = "dual_infeasible"
		}
		if good := r.Solver == "honest"; r.Solved(1e-3, "wall") != good || good && r.Status != want {
			t.Errorf("%s %s: %s, residuals %g %g %g", r.Instance, r.Contender(), r.Status, r.Primal, r.Dual, r.Gap)
		}
		if !r.Claims() {
			t.Errorf("%s %s: %s is no claim", r.Instance, r.Contender(), r.Status)
		}
	}
	if want := 4 * 3 * 2; len(table.Rows) != want {
		t.Errorf("%d rows, want %d", len(table.Rows), want)
	}
}
