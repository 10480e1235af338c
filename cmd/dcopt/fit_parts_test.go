package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
)

// asProgram names the environment variable with which the test binary is the program, so that tests
// can run several processes.
const asProgram = "DCOPT_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process is one of the program, with the signals that main awaits.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// runFit runs the program and returns its exit code and output.
func runFit(args ...string) (code int, stdout, stderr string) {
	var out, messages bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(""), &out, &messages)
	return code, out.String(), messages.String()
}

// parts writes a table as a whole and in parts, one of them compressed.
func parts(t *testing.T) (dir, whole string) {
	t.Helper()
	dir = t.TempDir()
	const head = "a,b,note,y\n"
	var texts [3]string
	all := head
	for i := range 900 {
		a, b := math.Sin(float64(i))*4, math.Cos(float64(7*i))
		row := fmt.Sprintf("%.17g,%.17g,n%d,%.17g\n", a, b, i, math.Abs(a)-b+.05*math.Sin(float64(i*i)))
		if i%50 == 0 {
			row = fmt.Sprintf(",%.17g,,%.17g\n", b, 1+b)
		}
		if i == 77 {
			row = "1,1,none,\n"
		}
		texts[min(2, i/250)] += row
		all += row
	}
	whole = filepath.Join(dir, "whole.csv")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, head+texts[1])
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"whole.csv": all, "part-0.csv": head + texts[0], "part-1.csv.gz": packed.String(), "part-2.csv": head + texts[2]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir, whole
}

// TestFitParts: a table in parts has the model of the table as a whole, but for rounding; a
// pattern and the list of its files have the same, byte for byte.
func TestFitParts(t *testing.T) {
	dir, whole := parts(t)
	model := func(name string, data ...string) string {
		t.Helper()
		at := filepath.Join(dir, name)
		code, stdout, stderr := runFit(append(append([]string{"fit"}, data...), "--target", "y", "--method", "refit", "--exclude", "note", "--json", "-o", at)...)
		if code != 0 {
			t.Fatalf("%q: exit %d, %s", data, code, stderr)
		}
		var facts struct {
			Rows   int
			Status string
		}
		if err := json.Unmarshal([]byte(stdout), &facts); err != nil || facts.Rows != 899 || facts.Status != "converged" {
			t.Errorf("%q: %s, %v", data, stdout, err)
		}
		return at
	}
	one := model("one.json", whole)
	pattern := model("pattern.json", filepath.Join(dir, "part-*"))
	list := model("list.json", filepath.Join(dir, "part-0.csv"), filepath.Join(dir, "part-1.csv.gz"), filepath.Join(dir, "part-2.csv"))
	a, err := os.ReadFile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(list)
	if err != nil || !bytes.Equal(a, b) {
		t.Errorf("the models of a pattern and of its files differ: %v", err)
	}
	_, want, _ := runFit("predict", one, whole)
	_, got, _ := runFit("predict", pattern, whole)
	x, y := strings.Fields(want), strings.Fields(got)
	if len(x) != 901 || len(x) != len(y) {
		t.Fatalf("%d and %d predictions", len(x), len(y))
	}
	for k := 1; k < len(x); k++ {
		u, _ := flags.Finite(x[k])
		v, _ := flags.Finite(y[k])
		if math.Abs(u-v) > 1e-8 {
			t.Fatalf("row %d: %s of the parts, %s of the whole", k, y[k], x[k])
		}
	}
}

// TestFitPlan: the rounds of a plan, by one process or by tasks that share a folder, also at the
// same time, have the model of fit on the parts, byte for byte.
func TestFitPlan(t *testing.T) {
	dir, _ := parts(t)
	pattern := filepath.Join(dir, "part-*")
	want := filepath.Join(dir, "want.json")
	if code, _, stderr := runFit("fit", pattern, "--target", "y", "--exclude", "note", "-o", want); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	at := planned(t, pattern, "--fit", "--target", "y", "--exclude", "note")
	one, many := filepath.Join(dir, "one"), filepath.Join(dir, "many")
	if code, _, stderr := runFit("shard", "run", at, "--out", one); code != 0 || !strings.Contains(stderr, "the fit is complete") {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	var tasks [4]*exec.Cmd // one of them has no shard of its own
	var messages [len(tasks)]bytes.Buffer
	for i := range tasks {
		tasks[i] = process(t, "shard", "run", at, "-i", strconv.Itoa(i), "--of", "4", "--out", many, "-q")
		tasks[i].Stderr = &messages[i]
		if err := tasks[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, task := range tasks {
		if err := task.Wait(); err != nil {
			t.Errorf("task %d: %v, %s", i, err, &messages[i])
		}
	}
	for _, results := range []string{one, many} {
		got := filepath.Join(dir, "got.json")
		code, stdout, stderr := runFit("shard", "merge", results, "-o", got, "--json")
		a, err := os.ReadFile(got)
		b, berr := os.ReadFile(want)
		if code != 0 || err != nil || berr != nil || !bytes.Equal(a, b) || !strings.Contains(stdout, `"rows":899`) || strings.Contains(stdout, "seconds") {
			t.Errorf("%s: exit %d, %s, %s, %v, %v", results, code, stdout, stderr, err, berr)
		}
	}
	if err := os.Remove(filepath.Join(many, "round-0002", "shard-000001.json")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"shard", "merge", many, "-o", filepath.Join(dir, "m.json")}, exit.NotSolved, "round 2: parts without sums: 1"},
		{[]string{"shard", "merge", many}, exit.Usage, "Give -o MODEL.json"},
		{[]string{"shard", "merge", one, many, "-o", "m.json"}, exit.Usage, "in one folder"},
		{[]string{"plan", pattern, "--fit", "--target", "y", "--method", "auto", "-o", "p"}, exit.Usage, "needs all rows at once"},
		{[]string{"plan", pattern, "--fit", "--target", "y", "--folds", "1", "-o", "p"}, exit.Usage, "want a number from 2"},
		{[]string{"plan", pattern, "--fit", "--target", "y", "--drop-text", "-o", "p"}, exit.Usage, "needs the table as one file"},
		{[]string{"plan", pattern, "--fit", "-o", "p"}, exit.Usage, "Give --target NAME"},
		{[]string{"shard", "run", planned(t, pattern, "--fit", "--target", "z"), "--out", filepath.Join(dir, "z")}, exit.File, `part-0.csv: no column "z"`},
	} {
		if code, _, stderr := runFit(c.args...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, %s\nwant %d, %s", c.args, code, stderr, c.code, c.want)
		}
	}
}

// TestFitBags: a plan with bags has the model of fit with as many, byte for byte, and an error out
// of bag.
func TestFitBags(t *testing.T) {
	dir, whole := parts(t)
	pattern := filepath.Join(dir, "part-*")
	want, got, out := filepath.Join(dir, "want.json"), filepath.Join(dir, "got.json"), filepath.Join(dir, "out")
	code, stdout, stderr := runFit("fit", pattern, "--target", "y", "--exclude", "note", "--bags", "3", "-o", want)
	if code != 0 || !strings.Contains(stdout, "refit, 3 models") || !strings.Contains(stdout, "out of bag") {
		t.Fatalf("exit %d, %s, %s", code, stdout, stderr)
	}
	at := planned(t, pattern, "--fit", "--target", "y", "--exclude", "note", "--bags", "3")
	if code, _, stderr := runFit("shard", "run", at, "--out", out, "-q"); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if code, _, stderr := runFit("shard", "merge", out, "-q", "-o", got); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	a, err := os.ReadFile(got)
	b, berr := os.ReadFile(want)
	if err != nil || berr != nil || !bytes.Equal(a, b) {
		t.Errorf("the models differ, %v, %v", err, berr)
	}
	if code, _, stderr := runFit("predict", got, whole); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"fit", whole, "--target", "y", "--bags", "3", "-o", got}, "of one file --method bagged"},
		{[]string{"fit", pattern, "--target", "y", "--bags", "1", "-o", got}, "--bags 1: want from 2 to 100"},
		{[]string{"fit", pattern, "--target", "y", "--bags", "3", "--method", "cheap", "-o", got}, "of the method refit, not of cheap"},
		{[]string{"plan", pattern, "--fit", "--target", "y", "--bags", "3", "--folds", "3", "-o", "p"}, "exclude each other"},
		{[]string{"plan", whole, "--target", "y", "--bags", "3", "-o", "p"}, "--bags goes with --fit"},
	} {
		if code, _, stderr := runFit(c.args...); code != exit.Usage || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, %s\nwant %s", c.args, code, stderr, c.want)
		}
	}
}

// TestFitPartsMessages: parts that are wrong are named with their place; flags that need all rows
// are refused.
func TestFitPartsMessages(t *testing.T) {
	dir, whole := parts(t)
	write := func(name, text string) string {
		at := filepath.Join(dir, name)
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return at
	}
	first := filepath.Join(dir, "part-0.csv")
	less, words := write("less.csv", "a,y\n1,2\n"), write("words.csv", "a,b,note,y\n1,2,x,3\n1,red,x,3\n")
	fit := func(args ...string) []string {
		return append([]string{"fit", "--target", "y", "--exclude", "note", "-o", filepath.Join(dir, "m.json")}, args...)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{fit(first, less), exit.File, `less.csv: no column "b"`},
		{fit(first, words), exit.File, "words.csv:3:3"},
		{fit(first, filepath.Join(dir, "none.csv")), exit.Usage, "no such file"},
		{fit(filepath.Join(dir, "none-*")), exit.Usage, "no file fits the pattern"},
		{fit(first, first), exit.Usage, "named twice"},
		{fit(first, "-"), exit.Usage, "no part of a table"},
		{fit(first, whole, "--method", "auto"), exit.Usage, "takes refit or cheap"},
		{fit(first, whole, "--classify"), exit.Usage, "--classify needs the table as one file"},
		{fit(first, whole, "--impute", "median"), exit.File, "want mean or a constant"},
		{[]string{"fit", first, whole, "--target", "z", "-o", "m"}, exit.Usage, `no column "z"`},
		{[]string{"fit", first, whole, "--target", "y"}, exit.Usage, "Give -o MODEL.json"},
		{[]string{"fit", first, whole, "--target", "y", "-o", first}, exit.Usage, "would be overwritten"},
	} {
		if code, _, stderr := runFit(c.args...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, %s\nwant %d, %s", c.args, code, stderr, c.code, c.want)
		}
	}
}
