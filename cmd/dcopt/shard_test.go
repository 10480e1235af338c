package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
)

// runDcopt runs the program and returns its exit code and output.
func runDcopt(args ...string) (code int, stdout, stderr string) {
	var out, messages bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(""), &out, &messages)
	return code, out.String(), messages.String()
}

// planned writes a plan and fails unless that works.
func planned(t *testing.T, args ...string) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), "p.json")
	if code, _, stderr := runDcopt(append(append([]string{"plan"}, args...), "-q", "-o", at)...); code != 0 {
		t.Fatalf("plan %q: exit %d, %s", args, code, stderr)
	}
	return at
}

// withoutTimes are the lines of JSON without what differs from run to run.
func withoutTimes(t *testing.T, text string) (lines []map[string]any) {
	t.Helper()
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		var o map[string]any
		dec := json.NewDecoder(strings.NewReader(l))
		dec.UseNumber() // the digits count
		if err := dec.Decode(&o); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		delete(o, "seconds")
		delete(o, "fit_seconds")
		lines = append(lines, o)
	}
	return lines
}

// TestShardsAreOneMachine: shards of every kind, computed in two folders, by tasks, again
// and twice, are joined to what one machine prints, to the last digit.
func TestShardsAreOneMachine(t *testing.T) {
	all, err := os.ReadFile("../../examples/data/houses.csv")
	if err != nil {
		t.Fatal(err)
	}
	houses := filepath.Join(t.TempDir(), "houses.csv") // 60 of them
	if err := os.WriteFile(houses, bytes.Join(bytes.SplitAfterN(all, []byte("\n"), 62)[:61], nil), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ plan, one []string }{
		"sweep": {
			[]string{"../../examples/l1_l2.dc", "--grid", "lambda=0.01:1:5"},
			[]string{"solve", "../../examples/l1_l2.dc", "--sweep", "lambda=0.01:1:5", "--independent", "--json"},
		},
		"starts": {
			[]string{"../../examples/quickstart.dc", "--starts", "9", "--seed", "4"},
			[]string{"solve", "../../examples/quickstart.dc", "--starts", "9", "--seed", "4", "--independent", "--json"},
		},
		"study": {
			[]string{houses, "--target", "price", "--method", "refit,auto", "--folds", "3", "--seed", "2"},
			[]string{"cv", houses, "--target", "price", "--method", "refit,auto", "--folds", "3", "--seed", "2", "--json"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			at := planned(t, c.plan...)
			a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
			if code, _, stderr := runDcopt("shard", "run", at, "-i", "1", "--of", "2", "--out", a); code != 0 {
				t.Fatalf("exit %d, %s", code, stderr)
			}
			if code, _, stderr := runDcopt("shard", "merge", a, "--json"); code != exit.NotSolved || !strings.Contains(stderr, "have no result: 0,2,4") {
				t.Errorf("half of the results: exit %d, %s", code, stderr)
			}
			for range 2 {
				if code, _, stderr := runDcopt("shard", "run", at, "--out", b, "-q"); code != 0 {
					t.Fatalf("exit %d, %s", code, stderr)
				}
			}
			code, got, stderr := runDcopt("shard", "merge", at, a, b, "--json")
			wantCode, want, _ := runDcopt(c.one...)
			if code != wantCode || !reflect.DeepEqual(withoutTimes(t, got), withoutTimes(t, want)) {
				t.Errorf("exit %d, %s\n%s\nwant %d\n%s", code, stderr, got, wantCode, want)
			}
		})
	}
}

// TestIndependentSweep: a value of an independent sweep is the solve of that value alone.
func TestIndependentSweep(t *testing.T) {
	_, got, _ := runDcopt("solve", "../../examples/quickstart.dc", "--starts", "3", "--json")
	folder := t.TempDir()
	file := filepath.Join(folder, "p.dc")
	text := "param a = 0\nvar x in [-2, 3]\nminimize abs(x) - square(x - 1) + a\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	_, sweep, stderr := runDcopt("solve", file, "--sweep", "a=1,2", "--independent", "--json")
	lines := withoutTimes(t, sweep)
	if len(lines) != 2 {
		t.Fatalf("%s%s%s", got, sweep, stderr)
	}
	_, alone, _ := runDcopt("solve", file, "--set", "a=2", "--effort", "quick", "--json")
	delete(lines[1], "sweep")
	if want := withoutTimes(t, alone)[0]; !reflect.DeepEqual(lines[1], want) {
		t.Errorf("%v, want %v", lines[1], want)
	}
}

// TestShardMessages: wrong usage, wrong files and a full disk end with a message that
// says what to do.
func TestShardMessages(t *testing.T) {
	at := planned(t, "../../examples/l1_l2.dc", "--grid", "lambda=0.1,0.2")
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	results := filepath.Join(folder, "r")
	cut := write("cut.json", `{"dcopt_plan": 1, "shards"`)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"plan"}, exit.Usage, "of which file"},
		{[]string{"plan", "../../examples/l1_l2.dc", "-o", filepath.Join(folder, "x.json")}, exit.Usage, "Give --grid, --points or --starts"},
		{[]string{"plan", "../../examples/l1_l2.dc", "--starts", "3"}, exit.Usage, "Give -o PLAN.json"},
		{[]string{"plan", "../../examples/l1_l2.dc", "--starts", "0", "-o", "x"}, exit.Usage, "want at least 1"},
		{[]string{"plan", "../../examples/l1_l2.dc", "--grid", "lambda=1:2", "-o", "x"}, exit.Usage, "--grid lambda=1:2: not three parts"},
		{[]string{"plan", "../../examples/l1_l2.dc", "--grid", "lamda=1,2", "-o", "x"}, exit.Usage, "lamda"},
		{[]string{"plan", "../../examples/l1_l2.dc", "--grid", "lambda=1", "--points", "p.csv", "-o", "x"}, exit.Usage, "exclude"},
		{[]string{"plan", "../../examples/data/houses.csv", "--target", "prize", "-o", "x"}, exit.Usage, `did you mean "price"`},
		{[]string{"plan", "../../examples/l1_l2.dc", "--starts", "2", "-o", "/dev/full"}, exit.Usage, "no space left"},
		{[]string{"plan", at, "--slurm", "/dev/full"}, exit.Usage, "no space left"},
		{[]string{"plan", at}, exit.Usage, "is a plan already"},
		{[]string{"plan", at, "--slurm", "x", "--tasks", "3"}, exit.Usage, "want from 1 to 2"},
		{[]string{"plan", at, "--kubernetes", "x"}, exit.Usage, "container image"},
		{[]string{"shard"}, exit.Usage, "run or merge"},
		{[]string{"shard", "rum", at}, exit.Usage, `did you mean "run"`},
		{[]string{"shard", "run", at}, exit.Usage, "Give --out DIR"},
		{[]string{"shard", "run", at, "--out", results, "--index", "2"}, exit.Usage, "there is no shard 2: those of this plan are 0 to 1"},
		{[]string{"shard", "run", at, "--out", results, "--index", "1-0"}, exit.Usage, "is no shard"},
		{[]string{"shard", "run", at, "--out", results, "--index", "2", "--of", "2"}, exit.Usage, "from 0 to 1"},
		{[]string{"shard", "run", cut, "--out", results}, exit.File, "no plan, or not all of it"},
		{[]string{"shard", "run", "../../examples/l1_l2.dc", "--out", results}, exit.File, "no plan"},
		{[]string{"shard", "run", at, "--out", "/dev/full"}, exit.Usage, "cannot make the folder"},
		{[]string{"shard", "merge", folder}, exit.Usage, "no results of shards"},
		{[]string{"shard", "merge", at}, exit.Usage, "where are the results"},
		{[]string{"shard", "merge", at, folder}, exit.NotSolved, "2 of 2 shards have no result: 0-1"},
		{[]string{"shard", "merge", at, folder, "--index", "1"}, exit.Usage, "for shard run"},
	} {
		code, _, stderr := runDcopt(c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, %s\nwant %d, %s", c.args, code, stderr, c.code, c.want)
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("a plan that was refused is written")
	}
}

// TestShardFails: a shard whose problem is wrong does not keep others from their results.
func TestShardFails(t *testing.T) {
	folder := t.TempDir()
	file, points := filepath.Join(folder, "p.dc"), filepath.Join(folder, "n.csv")
	for path, text := range map[string]string{file: "param n = 2\nvar x[n]\nminimize sumsq(x - 1)\n", points: "n\n2\n-1\n3\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	at := planned(t, file, "--points", points)
	results := filepath.Join(folder, "r")
	code, _, stderr := runDcopt("shard", "run", at, "--out", results)
	if code != exit.File || !strings.Contains(stderr, "shard 1:") || !strings.Contains(stderr, "1 of 3 shards have no result: 1") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	code, stdout, stderr := runDcopt("shard", "merge", results)
	if code != exit.NotSolved || strings.Count(stdout, "converged") != 2 || !strings.Contains(stderr, "no result: 1") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}

// TestShardInterrupted: a signal ends a run within half a second, and another run computes
// what is missing.
func TestShardInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.dc")
	if err := os.WriteFile(file, []byte("param n = 1\nvar x[6] start normal(0, 1)\nminimize sumsq(x) - n*norm2(x) + sum(i in 1..5)(abs(x[i] - x[i+1]))\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	at := planned(t, file, "--grid", "n=1:2:2000")
	results := filepath.Join(t.TempDir(), "r")
	ctx, cancel := context.WithCancel(context.Background())
	var stdout, stderr bytes.Buffer
	go func() { // as soon as there is a result
		defer cancel()
		for t.Context().Err() == nil {
			if list, _ := filepath.Glob(filepath.Join(results, "shard-*")); len(list) > 0 {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	code := run(ctx, []string{"shard", "run", at, "--out", results, "-q"}, strings.NewReader(""), &stdout, &stderr)
	if code != exit.Interrupted || !strings.Contains(stderr.String(), "run it again") {
		t.Errorf("exit %d, %s", code, stderr.String())
	}
	if code, _, stderr := runDcopt("shard", "run", at, "--out", results, "--index", "0-5", "-q"); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// forge changes a result and its checksum.
func forge(t *testing.T, at string, change func(solved map[string]any)) {
	t.Helper()
	text, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	var r map[string]any
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	delete(r, "sum")
	change(r["solved"].(map[string]any))
	if text, err = json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	text = text[:len(text)-1]
	if err := os.WriteFile(at, fmt.Appendf(nil, "%s,\"sum\":\"%x\"}\n", text, sha256.Sum256(text)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestForgedShards: a result that is not what it states is named and does not count; what it says
// cannot steer a terminal.
func TestForgedShards(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s map[string]any)
		want   string
	}{
		"objective": {func(s map[string]any) { s["objective"] = -1e3 }, "the result states -1000"},
		"error": {func(s map[string]any) { s["objective"], s["objective_error"] = -1e3, 1e9 },
			"the result states -1000"},
		"point": {func(s map[string]any) { s["objective"], s["x"] = -1e3, []float64{50, 50} },
			"the point breaks a constraint by"},
		"feasible": {func(s map[string]any) { s["x"], s["violation"] = []float64{50, 50}, 1e9 },
			"the point is not feasible"},
		"values":      {func(s map[string]any) { s["x"] = []float64{1, 2, 3} }, "3 values; the problem wants 2"},
		"no values":   {func(s map[string]any) { s["x"] = nil }, "0 values; the problem wants 2"},
		"multipliers": {func(s map[string]any) { s["duals"] = [][]float64{{1}} }, "1 multipliers of constraints"},
		"a list": {func(s map[string]any) { s["duals"] = [][]float64{{1, 2, 3, 4, 5}, {}} },
			"5 multipliers of constraint 1"},
		"bounds": {func(s map[string]any) { s["bound_duals"] = []float64{1} }, "1 multipliers of bounds"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, at := filepath.Join(dir, "p.dc"), filepath.Join(dir, "results")
			src := "var x in [-2, 3], y in [0, 5]\nminimize abs(x) - square(x - 1) + y\nsubject to\n  c: x + y <= 4\n  d: y >= 0.5*x\n"
			if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
				t.Fatal(err)
			}
			if code, _, stderr := runDcopt("shard", "run", planned(t, file, "--starts", "4"), "--out", at,
				"-q"); code != 0 {
				t.Fatal(code, stderr)
			}
			_, right, _ := runDcopt("shard", "merge", at, "--json")
			wrong := filepath.Join(at, "shard-000003.json")
			forge(t, wrong, func(s map[string]any) {
				c.change(s)
				s["least"] = 0
			})
			code, got, stderr := runDcopt("shard", "merge", at, "--json")
			if code == exit.OK && strings.Contains(got, "-1000") {
				t.Errorf("it wins: %s", got)
			}
			if strings.Contains(got, `"objective":`) &&
				withoutTimes(t, got)[0]["objective"] != withoutTimes(t, right)[0]["objective"] {
				t.Errorf("%s\nwant %s", got, right)
			}
			for _, one := range []string{"objective", "point"} { // these would win
				if name == one && (code != exit.NotSolved || !strings.Contains(stderr, "shard-000003.json") ||
					!strings.Contains(stderr, c.want)) {
					t.Errorf("exit %d, %s, want %q", code, stderr, c.want)
				}
			}
			for k := range 3 { // alone it is looked at, whatever it is worth
				if err := os.Remove(filepath.Join(at, fmt.Sprintf("shard-%06d.json", k))); err != nil {
					t.Fatal(err)
				}
			}
			if code, got, stderr = runDcopt("shard", "merge", at, "--json"); code != exit.NotSolved ||
				!strings.Contains(stderr, c.want) || got != "" {
				t.Errorf("exit %d, %s%s, want %q", code, got, stderr, c.want)
			}
		})
	}
	dir := t.TempDir()
	at := filepath.Join(dir, "results")
	if code, _, stderr := runDcopt("shard", "run", planned(t, "../../examples/quickstart.dc", "--starts", "1"),
		"--out", at, "-q"); code != 0 {
		t.Fatal(code, stderr)
	}
	forge(t, filepath.Join(at, "shard-000000.json"), func(s map[string]any) { s["message"] = "a\x1b]0;b\x07" })
	if code, got, stderr := runDcopt("shard", "merge", at); code != exit.OK ||
		strings.ContainsAny(got+stderr, "\x1b\x07") || !strings.Contains(got, `a\u001b]0;b\u0007`) {
		t.Errorf("exit %d, %q, %s", code, got, stderr)
	}
}
