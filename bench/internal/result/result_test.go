package result_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/result"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

func row(instance, solver string, cpu float64) result.Row {
	return result.Row{
		Group: "files", Instance: instance, N: 3, M: 4, NNZ: 5, Solver: solver, Tol: "default", Mode: "fresh", Limit: 10, Repeat: 3,
		Version: "1.0", Status: "solved", Iterations: 7, Wall: 0.5, CPU: cpu, Setup: 0.125, Primal: 1e-9, Dual: 2e-9, Gap: 3e-9, Objective: -1.25,
	}
}

// same compares what is written; NaN equals NaN.
func same(a, b result.Row) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	odd := row("odd", "piqp", math.NaN()).Nowhere()
	odd.Status, odd.Message, odd.Wall = "crashed", "a, \"b\"\nc", math.Inf(1)
	rows := []result.Row{row("a", "ipm", 0.25), odd}
	for _, r := range rows { // a new table for each: it goes on
		table, err := csvtable.Open[result.Row](path, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Add(r); err != nil {
			t.Fatal(err)
		}
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
	}
	rows[1].Message = `a, "b" c` // a row is a line
	got, err := csvtable.Read[result.Row](path)
	if err != nil || len(got) != 2 || !same(got[0], rows[0]) || !same(got[1], rows[1]) {
		t.Errorf("%+v, %v\nwant %+v", got, err, rows)
	}
}

// A run that was killed leaves a part of a line; all parts of the last line, of
// the only line and of the header are cut off.
func TestPartOfALineIsCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	table, err := csvtable.Open[result.Row](path, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if err := table.Add(row(name, "ipm", 1)); err != nil {
			t.Fatal(err)
		}
	}
	table.Close()
	full, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range full {
		if err := os.WriteFile(path, full[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := csvtable.Open[result.Row](path, false)
		if err != nil {
			t.Fatal(err)
		}
		if want := max(0, strings.Count(string(full[:n]), "\n")-1); len(table.Rows) != want {
			t.Fatalf("%d bytes: %d rows, want %d", n, len(table.Rows), want)
		}
		for _, name := range []string{"a", "b"}[len(table.Rows):] {
			if err := table.Add(row(name, "ipm", 1)); err != nil {
				t.Fatal(err)
			}
		}
		table.Close()
		if again, err := os.ReadFile(path); err != nil || string(again) != string(full) {
			t.Fatalf("%d bytes become\n%s\nwant\n%s", n, again, full)
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	for _, text := range []string{"a,b\n1,2\n", "hello\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := csvtable.Open[result.Row](path, false); err == nil || !strings.Contains(err.Error(), "--out") {
			t.Errorf("%q: %v", text, err)
		}
	}
	path = filepath.Join(t.TempDir(), "new.csv")
	table, err := csvtable.Open[result.Row](path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Add(row("a", "ipm", 1)); err != nil {
		t.Fatal(err)
	}
	table.Close()
	if table, err = csvtable.Open[result.Row](path, true); err != nil || len(table.Rows) != 0 {
		t.Fatalf("afresh: %v, %d rows", err, len(table.Rows))
	}
	if err := table.Add(row("b", "ipm", 1)); err != nil {
		t.Fatal(err)
	}
	table.Close()
	if rows, err := csvtable.Read[result.Row](path); err != nil || len(rows) != 1 || rows[0].Instance != "b" {
		t.Errorf("afresh: %+v, %v", rows, err)
	}
}

func TestLatest(t *testing.T) {
	update := row("a", "ipm", 3)
	update.Mode = "update"
	loose := row("a", "ipm", 4)
	loose.Tol = "1e-3"
	newer := row("a", "ipm", 5)
	newer.Version = "2.0"
	got := csvtable.Latest([]result.Row{row("a", "ipm", 1), row("b", "ipm", 2), update, loose, newer})
	var names []string
	for _, r := range got {
		names = append(names, fmt.Sprintf("%s %s %g", r.Instance, r.Contender(), r.CPU))
	}
	if s, want := strings.Join(names, "; "), "a ipm 5; b ipm 2; a ipm update 3; a ipm 1e-3 4"; s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

func TestSolved(t *testing.T) {
	r := row("a", "ipm", 1)
	r.Gap = 1.9e-6
	for _, c := range []struct {
		level float64
		want  bool
	}{{1e-3, true}, {1e-6, true}, {0.9e-6, false}, {1e-9, false}} {
		if got := r.Solved(c.level, "cpu"); got != c.want {
			t.Errorf("residual %g at %g: %v", r.Residual(), c.level, got)
		}
	}
	r.CPU = 11
	if r.Solved(1e-3, "cpu") || !r.Solved(1e-3, "wall") {
		t.Error("the limit is on the clock that is asked for")
	}
	if n := row("a", "ipm", 1).Nowhere(); n.Solved(1, "cpu") {
		t.Error("no point is a solution")
	}
	if n := row("a", "ipm", math.NaN()); n.Solved(1, "cpu") {
		t.Error("no time is within the limit")
	}
}
