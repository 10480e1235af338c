//go:build peers

package main

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/study"
	"github.com/dcopt/dcopt/bench/internal/trial"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// TestRegressionPeer: scikit-learn's rows join those here in one table, on the
// same folds: its ridge regression and support vectors score as ours do.
func TestRegressionPeer(t *testing.T) {
	python, _, err := pythonFor("", "peers", "peers", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	data, out := writeSets(t), t.TempDir()
	dcbench(t, context.Background(), exitOK, "regression", "--data", data, "--models", "ridge,svr", "--out", out, "-q")
	path := filepath.Join(out, "regression.csv")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, "line,sk-ridge,0,5,1"...), 0o666); err != nil { // of a run that was killed
		t.Fatal(err)
	}
	for range 2 { // the second time all is there
		cmd := exec.Command(python, "../../peers/regression_sklearn.py", "--data", data, "--out", out)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	rows, err := csvtable.Read[study.Row](path)
	if err != nil || len(rows) != 2*5*(2+5) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	type place struct {
		set, model string
		fold       int
	}
	score := map[place]float64{}
	for _, r := range rows {
		if r.Status != trial.Trained {
			t.Errorf("%+v", r)
		}
		score[place{r.Set, r.Model, r.Fold}] = r.FVU
	}
	for p, v := range score {
		name, ok := strings.CutPrefix(p.model, "sk-")
		ours, both := score[place{p.set, name, p.fold}]
		if tol := 2e-3; ok && both && !(math.Abs(v-ours) <= tol) {
			t.Errorf("%v: %g, ours %g", p, v, ours)
		}
	}
	dcbench(t, context.Background(), exitOK, "report", out)
	if text, err := os.ReadFile(filepath.Join(out, "regression.md")); err != nil || !strings.Contains(string(text), "sk-forest") {
		t.Errorf("the report lacks scikit-learn's, %v", err)
	}
}
