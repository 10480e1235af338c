package scale

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/heuristic"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/dcset"
	"github.com/dcopt/dcopt/bench/internal/page"
)

// TestFamilies: an instance of each family is a problem of the language that the program
// solves, the same for the same seed and another for another one.
func TestFamilies(t *testing.T) {
	for name, variables := range map[string]int{"pack_6": 12, "ramp_40": 21, "l12_16": 16, "fit_20": 30, "bls_5": 5, "kmeans_30": 10} {
		var texts []string
		for _, seed := range []uint64{5, 5, 6} {
			in, err := Parse(name, seed)
			if err != nil || in.Name() != name {
				t.Fatalf("%s: %v, %v", name, in, err)
			}
			dir := t.TempDir()
			p, err := in.Program()
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Write(dir); err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, f := range files {
				data, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				text += string(data)
			}
			texts = append(texts, text)
			if seed == 6 {
				solveIn(t, name, dir, variables)
			}
		}
		if texts[0] != texts[1] || texts[0] == texts[2] {
			t.Errorf("%s does not follow its seed", name)
		}
	}
	for _, bad := range []string{"pack", "pack_x", "pack_1", "none_10", ""} {
		if _, err := Parse(bad, 5); err == nil || !strings.Contains(err.Error(), "kmeans_N") {
			t.Errorf("Parse(%q): %v", bad, err)
		}
	}
	for _, name := range strings.Split(Default(), ",") {
		if _, err := Parse(name, 5); err != nil {
			t.Error(err)
		}
	}
}

func solveIn(t *testing.T, name, dir string, variables int) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(dir, dcset.SourceFile))
	if err != nil {
		t.Fatal(err)
	}
	f, err := lang.Parse(dcset.SourceFile, src)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	p, err := lang.Compile(context.Background(), f, lang.Options{Dir: dir})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	set := ccp.DefaultSettings()
	set.Heuristics.Search = heuristic.Search{}
	res, err := ccp.Solve(context.Background(), p.Problem, nil, set)
	if err != nil || res.Status != ccp.Converged || p.Problem.NumVars() != variables {
		t.Errorf("%s, %d variables: %v, %v", name, p.Problem.NumVars(), res, err)
	}
}

// TestRun: runs go to the table once, failures and the time limit are told apart, and
// the report has objectives and exponents.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "solver.sh")
	text := "#!/bin/sh\ncase $1 in *_40/*) exec sleep 60;; *_20/*) echo broken >&2; exit 1;; esac\n" +
		`echo '{"status": "converged", "objective": 2.5, "max_violation": 0, "iterations": 3}'` + "\n"
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	c := Campaign{Limit: 5 * time.Second, Dir: dir, Solvers: []Solver{{Name: "a", Version: "1", Argv: []string{"sh", script}}, {Name: "b", Argv: []string{"sh", script}, Families: []string{"fit"}}}}
	runs := 0
	tell := func(_, _ int, instance, _ string) {
		if instance != "" {
			runs++
		}
	}
	for _, name := range []string{"pack_5", "pack_10", "pack_20"} {
		in, err := Parse(name, 7)
		if err != nil {
			t.Fatal(err)
		}
		c.Instances = append(c.Instances, in)
	}
	table, err := csvtable.Open[Row](filepath.Join(dir, "scale.csv"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for range 2 {
		if err := c.Run(context.Background(), table, tell); err != nil {
			t.Fatal(err)
		}
	}
	c.Limit, c.Instances = 300*time.Millisecond, []Instance{{"pack", 40, 7}}
	if err := c.Run(context.Background(), table, tell); err != nil {
		t.Fatal(err)
	}
	if runs != 4 || len(table.Rows) != 4 || table.Rows[0].Objective != 2.5 || table.Rows[0].Memory <= 0 || table.Rows[2].Status != failed || table.Rows[2].Message != "broken" || table.Rows[3].Status != killed {
		t.Errorf("%d runs: %+v", runs, table.Rows)
	}
	rows := []Row{
		{Instance: "pack_80", Seed: 5, Solver: "a", Status: "converged", Objective: 1.5, Iterations: 9, CPU: 1, Memory: 20},
		{Instance: "pack_320", Seed: 5, Solver: "a", Status: "stalled", Objective: 2.5, Iterations: 9, CPU: 8, Memory: 80},
		{Instance: "pack_320", Seed: 5, Solver: "b", Status: killed, CPU: 300, Memory: 90},
	}
	var r page.Report
	Write(&r, rows, []string{"a", "b"})
	out := r.Markdown()
	for _, want := range []string{
		"| pack_80, seed 5 | 1.5 | 9 | 1 | 20 | | | | |\n| pack_320, seed 5 | 2.5 (stalled) | 9 | 8 | 80 | time limit | | 300 | 90 |\n",
		"| family | a: time | memory | b: time | memory |\n|---|---|---|---|---|\n| pack | 1.50 | 1.00 | | |\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
