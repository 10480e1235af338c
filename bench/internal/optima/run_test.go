package optima

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/page"
)

// TestCampaign: another solver's answer, one that is no answer, and a program that does not
// end are rows; a second run has nothing to do.
func TestCampaign(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) Solver {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return Solver{Name: name, Argv: []string{path}}
	}
	all, err := Load("concave", "")
	if err != nil {
		t.Fatal(err)
	}
	c := &Campaign{
		Instances: all[:1], Limit: time.Minute, Dir: dir,
		Solvers: []Solver{
			script("right", `test "$1" = 60 && grep -q '"op":"mul"\|"op":"power"' "$2" && echo '{"status":"optimal","objective":-17,"bound":-17.000001,"nodes":3}'`),
			script("wrong", "echo broken >&2; exit 1"),
		},
	}
	path := filepath.Join(dir, "global.csv")
	for range 2 {
		table, err := csvtable.Open[Row](path, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Run(context.Background(), table, nil); err != nil {
			t.Fatal(err)
		}
		rows := table.Rows
		table.Close()
		if len(rows) != 2 || !rows[0].Proved() || rows[0].Nodes != 3 || rows[1].Status != "failed" || rows[1].Message != "broken" || rows[1].Proved() {
			t.Fatalf("%+v", rows)
		}
		var r page.Report
		Write(&r, c.Instances, rows, []string{"right", "wrong"}, 60)
		text := r.Markdown()
		for _, want := range []string{"| ex2_1_1 | -17 | -17 | 5.9e-08 | 3 |", "right: 1 of 1 proved",
			"s; 1 of 1 at the published optimum.", "wrong: 0 of 1 proved, shifted geometric mean 60 s"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}
