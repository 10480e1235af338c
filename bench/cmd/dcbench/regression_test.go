package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/bench/internal/study"
	"github.com/dcopt/dcopt/bench/internal/trial"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// writeSets makes a folder with two small sets.
func writeSets(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"bend", "line"} {
		var b strings.Builder
		b.WriteString("x\tz\ttarget\n")
		for k := range 40 {
			x, z := float64(k%8)-3, float64(k%5)
			y := 2*x - z
			if name == "bend" {
				y = max(y, -x)
			}
			fmt.Fprintf(&b, "%g\t%g\t%g\n", x, z, y)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".tsv"), []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRegression(t *testing.T) {
	out := t.TempDir()
	args := []string{"regression", "--data", writeSets(t), "--models", "ridge,svr,lder-refit", "--folds", "4", "--out", out}
	stdout, stderr := dcbench(t, context.Background(), exitOK, args...)
	if want := filepath.Join(out, "regression.html") + "\n"; stdout != want {
		t.Errorf("stdout %q, want %q", stdout, want)
	}
	if !strings.Contains(stderr, "bend\n") {
		t.Errorf("no progress for a pipe: %q", stderr)
	}
	rows, err := csvtable.Read[study.Row](filepath.Join(out, "regression.csv"))
	if err != nil || len(rows) != 2*3*4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, r := range rows {
		if r.Status != trial.Trained || r.Seed != 1 || r.Folds != 4 || r.Model == "lder-refit" && !(r.FVU <= 0.2) {
			t.Errorf("%+v", r)
		}
	}
	for name, want := range map[string]string{"regression.md": "| bend |", "regression.tex": "bend &", "regression.html": "<td class=\"text\">bend</td>", "regression-fvu-boxes.svg": "<svg", "regression-training-time-hasse.svg": "<svg"} {
		if data, err := os.ReadFile(filepath.Join(out, name)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s lacks %q, %v", name, want, err)
		}
	}
	// Again, with a model more: only that is trained.
	args[4] = "ridge,svr,lder-refit,lder-cheap"
	dcbench(t, context.Background(), exitOK, append(args, "-q", "--only", "line")...)
	if rows, err = csvtable.Read[study.Row](filepath.Join(out, "regression.csv")); err != nil || len(rows) != 28 {
		t.Errorf("again: %d rows, %v", len(rows), err)
	}
	if err := os.Remove(filepath.Join(out, "regression.html")); err != nil {
		t.Fatal(err)
	}
	dcbench(t, context.Background(), exitOK, "report", out)
	if _, err := os.Stat(filepath.Join(out, "regression.html")); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, stderr = dcbench(t, ctx, exitInterrupted, append(args, "--resume=false")...)
	if !strings.Contains(stderr, "goes on from here") {
		t.Errorf("interrupted: %q", stderr)
	}
}

// TestRegressionKilled: killed at 20 random moments, runs add up to one that was
// not.
func TestRegressionKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, out := writeSets(t), t.TempDir()
	const want = 2 * 4 * 20
	args := func() []string {
		return []string{"regression", "--data", data, "--models", "ridge,svr,lder-refit,lder-cheap", "--folds", "20", "--out", out, "-q"}
	}
	check := func() {
		t.Helper()
		rows, err := csvtable.Read[study.Row](filepath.Join(out, "regression.csv"))
		if err != nil || len(rows) != want || len(csvtable.Latest(rows)) != want {
			t.Errorf("%d rows, %d of them different, want %d; %v", len(rows), len(csvtable.Latest(rows)), want, err)
		}
		for _, r := range rows {
			if r.Status != trial.Trained {
				t.Errorf("%+v", r)
			}
		}
	}
	rng := rand.New(rand.NewPCG(6, 1))
	for killed, runs := 0, 0; killed < 20; runs++ {
		if runs == 400 {
			t.Fatalf("of %d runs only %d were killed", runs, killed)
		}
		cmd := exec.Command(self, args()...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(5+rng.IntN(80)) * time.Millisecond)
		cmd.Process.Kill() // an error where it has ended
		switch err := cmd.Wait(); {
		case !cmd.ProcessState.Exited():
			killed++
		case err != nil:
			t.Fatal(err)
		default: // it was faster: the next ones begin another table
			check()
			out = t.TempDir()
		}
	}
	dcbench(t, context.Background(), exitOK, args()...)
	check()
}

func TestWrongUsageRegression(t *testing.T) {
	out, data := t.TempDir(), writeSets(t)
	for _, c := range []struct{ args, want string }{
		{"x", "unexpected argument"},
		{"", "--data"},
		{"--data /nowhere", "/nowhere"},
		{"--data " + data + " --models nonsense", "svr"},
		{"--data " + data + " --models ,", "no set or no model"},
		{"--data " + data + " --only nonsense", "bend,line"},
		{"--data " + data + " --folds 1", "--folds"},
		{"--data " + data + " --folds 41", "--data"},
		{"--data " + data + " --seed 4294967296", "--seed"},
		{"--data " + data + " --time-limit 0s", "--time-limit"},
	} {
		args := append([]string{"regression", "--out", out}, strings.Fields(c.args)...)
		if _, stderr := dcbench(t, context.Background(), exitFailed, args...); !strings.Contains(stderr, c.want) {
			t.Errorf("dcbench regression %s says %q, want %q in it", c.args, stderr, c.want)
		}
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("wrong usage leaves %v, %v", left, err)
	}
}
