//go:build !race

package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/dcrun"
	"github.com/dcopt/dcopt/internal/need"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// buildDcopt builds the program from the root.
func buildDcopt(t *testing.T) string {
	t.Helper()
	path, err := need.Dcopt("../../..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMeasureDC(t *testing.T) {
	program, out := buildDcopt(t), t.TempDir()
	args := []string{"dc", "--sizes", "12", "--repeat", "1", "--starts", "1,auto", "--dcopt", program, "--out", out}
	stdout, stderr := dcbench(t, context.Background(), exitOK, args...)
	if want := filepath.Join(out, "dc.html") + "\n"; stdout != want {
		t.Errorf("stdout %q, want %q", stdout, want)
	}
	if !strings.Contains(stderr, "circles-12\n") {
		t.Errorf("no progress for a pipe: %q", stderr)
	}
	rows, err := csvtable.Read[dcrun.Row](filepath.Join(out, "dc.csv"))
	if err != nil || len(rows) != 10 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	one := map[string]float64{}
	for _, r := range rows {
		if r.Solver == "dcopt-1starts" {
			one[r.Problem] = r.Objective
		} else if r.Objective > one[r.Problem]+1e-5 {
			t.Errorf("%s: the default ends at %g, the first start at %g", r.Problem, r.Objective, one[r.Problem])
		}
		if r.Status != "converged" || !r.Feasible(1e-5) || !(r.Wall > 0 && r.CPU > 0) {
			t.Errorf("%+v", r)
		}
	}
	// What the program says of its best iteration is what is measured: the last
	// ones may be hops that led nowhere.
	histories, err := dcrun.ReadHistories(filepath.Join(out, "dc-history.csv"))
	if err != nil || len(histories) != len(rows) {
		t.Fatalf("%d histories, %v", len(histories), err)
	}
	for k, h := range histories {
		best := math.Inf(1)
		for i, v := range h.Objectives {
			if h.Violations[i] <= 1e-5 {
				best = min(best, v)
			}
		}
		if r := rows[k]; h.Problem != r.Problem || h.Part != r.Part || h.Solver != r.Solver || !(math.Abs(best-rows[k].Objective) <= 1e-5) {
			t.Errorf("%+v ends elsewhere than %+v", h, rows[k])
		}
	}
	report, err := os.ReadFile(filepath.Join(out, "dc.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Families", "| boolean-12 |", "dcopt-1starts", "profile-dc-families.svg", "times-dc-families.svg", "convergence-families-dma-12.svg"} {
		if !strings.Contains(string(report), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	// Again: nothing is measured.
	if _, stderr = dcbench(t, context.Background(), exitOK, append(args, "-q")...); stderr != "" {
		t.Errorf("again: %q", stderr)
	}
	if again, err := csvtable.Read[dcrun.Row](filepath.Join(out, "dc.csv")); err != nil || len(again) != len(rows) {
		t.Errorf("again: %d rows, %v", len(again), err)
	}
	if err := os.Remove(filepath.Join(out, "dc.md")); err != nil {
		t.Fatal(err)
	}
	dcbench(t, context.Background(), exitOK, "report", out)
	if again, err := os.ReadFile(filepath.Join(out, "dc.md")); err != nil || !bytes.Equal(again, report) {
		t.Errorf("the command report makes another report: %v", err)
	}
}

func TestWrongUsageDC(t *testing.T) {
	out := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"x", "unexpected argument"},
		{"--families none", "which problems"},
		{"--families nonsense", "svm"},
		{"--families svm --sizes 1", "from 10"},
		{"--families none --reference all --shared /nowhere", "dc-language.md"},
		{"--dcopt /nowhere/dcopt", "/nowhere/dcopt"},
		{"--dcopt " + os.Args[0] + " --starts 0", "--starts"},
		{"--dcopt " + os.Args[0] + " --peers nonsense", "dccp"},
		{"--dcopt " + os.Args[0] + " --peers dccp --python /nowhere/python", "make peers"},
		{"--time-limit 0s", "--time-limit"},
		{"--repeat 0", "--repeat"},
		{"--only [", "--only"},
		{"--clock sun", "cpu or wall"},
		{"--feasible nan", "--feasible"},
	} {
		args := append([]string{"dc", "--out", out}, strings.Fields(c.args)...)
		if _, stderr := dcbench(t, context.Background(), exitFailed, args...); !strings.Contains(stderr, c.want) {
			t.Errorf("dcbench dc %s says %q, want %q in it", c.args, stderr, c.want)
		}
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("wrong usage leaves %v, %v", left, err)
	}
}
