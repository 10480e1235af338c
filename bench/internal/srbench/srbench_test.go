package srbench

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/bench/internal/trial"
	"github.com/dcopt/dcopt/lder"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/page"
)

// TestSplit compares with NumPy and scikit-learn, the second with the choice of 10,000 rows.
func TestSplit(t *testing.T) {
	train, test := Split(11, 860)
	if !slices.Equal(train, []int{9, 7, 10, 2, 5, 4, 3, 1}) || !slices.Equal(test, []int{0, 6, 8}) {
		t.Errorf("11 rows: %v, %v", train, test)
	}
	sum := func(v []int) (s int) {
		for _, i := range v {
			s += i
		}
		return s
	}
	train, test = Split(20001, 23654)
	if len(train) != 10000 || len(test) != 5001 || !slices.Equal(train[:5], []int{18974, 4699, 1799, 9535, 11290}) || sum(train) != 99591583 || sum(test) != 50950314 {
		t.Errorf("20001 rows: %d and %d, %v, sums %d and %d", len(train), len(test), train[:5], sum(train), sum(test))
	}
}

// TestLeague: ranks by hand, equal results share theirs, a method with a failed trial is last.
func TestLeague(t *testing.T) {
	published := []Published{
		{Set: "a", Algorithm: "x", R2: .9, Friedman: "True"}, {Set: "a", Algorithm: "y", R2: .5, Friedman: "True"},
		{Set: "b", Algorithm: "x", R2: .2, Friedman: "False"}, {Set: "b", Algorithm: "y", R2: .4, Friedman: "False"},
	}
	rows := []Row{
		{Set: "a", Method: "m", Seed: 1, Status: trial.Trained, R2: .5}, {Set: "a", Method: "m", Seed: 2, Status: trial.Trained, R2: .5},
		{Set: "b", Method: "m", Seed: 1, Status: trial.Trained, R2: .6}, {Set: "b", Method: "m", Seed: 2, Status: trial.Trained, R2: .8},
		{Set: "a", Method: "n", Seed: 1, Status: trial.Failed, R2: math.NaN()}, {Set: "a", Method: "n", Seed: 2, Status: trial.Failed, R2: math.NaN()},
		{Set: "b", Method: "n", Seed: 1, Status: trial.Trained, R2: 1},
	}
	scores := Medians(rows, []uint32{1, 2}, 2)
	all := func(Published) bool { return true }
	got := map[string]Line{}
	for _, l := range League(scores, published, "m", all) {
		got[l.Method] = l
	}
	// On a: x 1, m and y share 2 and 3; on b: m 1, y 2, x 3.
	for name, want := range map[string]float64{"m": (2.5 + 1) / 2, "x": (1 + 3) / 2., "y": (2.5 + 2) / 2, "n": 3} {
		if l := got[name]; l.Rank != want || l.Published != (name == "x" || name == "y") {
			t.Errorf("%s: %+v, want the rank %g", name, l, want)
		}
	}
	if got["m"].R2 != .6 || got["n"].Sets != 1 {
		t.Errorf("m %+v, n %+v", got["m"], got["n"])
	}
	var r page.Report
	Write(&r, rows, []uint32{1, 2}, 2, published)
	if text := r.Markdown(); !strings.Contains(text, "| m | measured | 1.75 ± 1.47 |") {
		t.Error(text)
	}
}

// TestLive: ranks and tests on the trials that all methods have.
func TestLive(t *testing.T) {
	var rows []Row
	add := func(set, method string, r2 ...float64) {
		for k, v := range r2 {
			rows = append(rows, Row{Set: set, Method: method, Seed: uint32(k), Status: trial.Trained, R2: v})
		}
	}
	for k, set := range []string{"a", "b", "c", "d", "e", "f"} {
		v := .1 * float64(k)
		add(set, "first", .9-v, -1) // the second trial is that of one method alone
		add(set, "second", .8-v)
		add(set, "third", .8-v)
	}
	add("g", "first", 1)
	lines, tests, trials := Live(rows, []uint32{0, 1}, func(set string) bool { return set != "f" })
	if len(lines) != 3 || lines[0].Method != "first" || lines[0].Rank != 1 || lines[0].Error != 0 || lines[1].Rank != 2.5 || lines[0].Sets != 5 || trials != [2]int{1, 1} {
		t.Fatalf("%+v, trials %v", lines, trials)
	}
	// Five tables all won: 2/2⁵ for each of two pairs, times the 3 pairs.
	for k, want := range []Test{{"first", "second", 5, 0, 0, 3. / 16}, {"first", "third", 5, 0, 0, 3. / 16}, {"second", "third", 0, 0, 5, 1}} {
		if tests[k] != want {
			t.Errorf("%+v, want %+v", tests[k], want)
		}
	}
}

// TestRun: a campaign fills a table, and nothing is trained twice.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("x\tz\ttarget\n")
	for i := range 80 {
		x, z := float64(i%9), float64(i*i%7)
		b.WriteString(strings.Join([]string{number(x), number(z), number(math.Abs(x-4) + z)}, "\t") + "\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "bend.tsv"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	sets, err := ReadSets(dir)
	if err != nil || len(sets) != 1 || len(sets[0].Y) != 80 {
		t.Fatalf("%v, %v", sets, err)
	}
	table, err := csvtable.Open[Row](filepath.Join(dir, "out.csv"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	trained := 0
	c := Campaign{Sets: sets, Methods: []lder.Method{lder.Auto}, Seeds: Seeds()[:2], Limit: time.Minute}
	tell := func(_, _ int, set, _ string) {
		if set != "" {
			trained++
		}
	}
	for range 2 {
		if err := c.Run(context.Background(), table, tell); err != nil {
			t.Fatal(err)
		}
	}
	if trained != 2 || len(table.Rows) != 2 {
		t.Fatalf("%d trainings, %d rows", trained, len(table.Rows))
	}
	for _, r := range table.Rows {
		if r.Status != trial.Trained || !(r.R2 > .9) || r.Size == 0 {
			t.Errorf("%+v", r)
		}
	}
	if _, err := ReadSets(t.TempDir()); err == nil {
		t.Error("an empty folder is read")
	}
}

func number(v float64) string { return strings.TrimSpace(string(rune('0' + int(v)%10))) }
