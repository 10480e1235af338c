//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/shared"
)

var verifySet = flag.Bool("verify-set", false, "let dcopt verify check the answers of all problem files; minutes")

// unshown are results that hold but of which verify does not show some statement, by the
// end of the path: the word of the finding, and why.
var unshown = map[string]string{
	"answers/g2.dc":                      "not shown", // x² − y² ≤ −0.001 with x = y: by substitution, not by intervals
	"refused/log_unbounded_converged.dc": "no ray",    // −∞ at a point, the end of the domain of log
}

// TestVerifyAnswers: the answers to the problem files are accepted, and each of them with a
// number changed is refused. -verify-set does that for all files.
func TestVerifyAnswers(t *testing.T) {
	paths := []string{
		"../../examples/quickstart.dc", "../../examples/gallery/trust_region.dc", "../../dc/lang/testdata/testset/bagirov13.dc",
		"../../dc/lang/testdata/testset/bagirov17.dc",
		"testdata/equations/hs71.dc", "testdata/script/solve_functions/problem.dc", "testdata/script/solve_sets/problem.dc",
		"../../examples/gallery/packing_square.dc", "../../internal/judge/testdata/far_huber.dc", "../../internal/judge/testdata/leverage_huber.dc",
		"testdata/equations/trajectory.dc",
	}
	if *verifySet {
		paths = nil
		patterns := []string{
			"../../examples/*.dc", "../../examples/gallery/*.dc", "../../dc/lang/testdata/nine/*.dc", "../../dc/lang/testdata/testset/*.dc",
			"testdata/equations/*.dc", "testdata/script/solve_*/*.dc", "../../internal/judge/testdata/*.dc",
		}
		cases := shared.Path(t, "data", "cases")
		for _, p := range append(patterns, filepath.Join(cases, "*", "*.dc"), filepath.Join(cases, "answers", "boolls", "*.dc")) {
			more, err := filepath.Glob(p)
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, more...)
		}
	}
	dir := t.TempDir()
	accepted, solved := 0, 0
	for _, path := range paths {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), []string{"solve", path, "--json", "--quiet", "--time-limit", "20s"}, nil, &stdout, &stderr)
		result := map[string]any{}
		if json.Unmarshal(stdout.Bytes(), &result) != nil || result["status"] == nil {
			continue // refused, with data of its own or a sweep
		}
		solved++
		check := func(result []byte) (code int, text string) {
			file := filepath.Join(dir, "result.json")
			if err := os.WriteFile(file, result, 0o644); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			code = run(context.Background(), []string{"verify", path, file}, nil, &stdout, &stderr)
			return code, stdout.String() + stderr.String()
		}
		want := ""
		for end, word := range unshown {
			if strings.HasSuffix(path, end) {
				want = word
			}
		}
		verdict, text := check(stdout.Bytes())
		if (verdict == exit.OK) != (want == "") || !strings.Contains(text, want) {
			t.Errorf("%s, exit code %d, %v: verify ends with %d, want %q in\n%s", path, code, result["status"], verdict, want, text)
		}
		if verdict == exit.OK {
			accepted++
		}
		if v, ok := result["objective"].(float64); ok {
			result["objective"] = v + 1e-3*max(1, v, -v)
			changed, err := json.Marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			if verdict, text := check(changed); verdict != exit.NotSolved {
				t.Errorf("%s: with another objective verify ends with %d:\n%s", path, verdict, text)
			}
		}
	}
	t.Logf("%d of %d results are accepted", accepted, solved)
	if solved < len(paths)/2 {
		t.Errorf("only %d of %d files have results", solved, len(paths))
	}
}

// TestVerifySweepGivesWay: the params that a result says of itself are told, and those of --set go
// before them.
func TestVerifySweepGivesWay(t *testing.T) {
	dir := t.TempDir()
	path, file := filepath.Join(dir, "p.dc"), filepath.Join(dir, "result.json")
	if err := os.WriteFile(path, []byte("param p = 1\nvar x in [0, 9]\nminimize x\nsubject to\n  c: x >= p\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var result, stderr bytes.Buffer
	if code := run(context.Background(), []string{"solve", path, "--json", "--sweep", "p=2,3"}, nil, &result, &stderr); code != exit.OK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	if err := os.WriteFile(file, result.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for set, want := range map[string]int{"": exit.OK, "p=4": exit.NotSolved} {
		args := []string{"verify", path, file}
		if set != "" {
			args = append(args, "--set", set)
		}
		var out bytes.Buffer
		if code := run(context.Background(), args, nil, &out, &stderr); code != want || (set == "") != strings.Contains(out.String(), "with p = 3") {
			t.Errorf("--set %s: verify ends with %d:\n%s", set, code, out.String())
		}
	}
}

// TestVerifyEqualOptima: multipliers are those of the point of the result where searches meet
// others with the same objective, as the reflected and turned ones of a packing.
func TestVerifyEqualOptima(t *testing.T) {
	dir := t.TempDir()
	path, file := filepath.Join(dir, "p.dc"), filepath.Join(dir, "result.json")
	for _, seed := range []string{"10", "17", "19", "22"} {
		text := "var c[5,2] in [0, 1] start uniform(0, 1), r in [0, 0.5]\nmaximize r\nsubject to\n  apart[i in 1..5, j in i+1..5]: norm2(c[i,:] - c[j,:]) >= 2*r\n" +
			"  inside: r <= c <= 1 - r\noption starts = 10, seed = " + seed + "\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var result, verdict, stderr bytes.Buffer
		if code := run(context.Background(), []string{"solve", path, "--json", "--quiet"}, nil, &result, &stderr); code != exit.OK {
			t.Fatalf("seed %s: exit code %d: %s", seed, code, stderr.String())
		}
		if err := os.WriteFile(file, result.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		if code := run(context.Background(), []string{"verify", path, file}, nil, &verdict, &stderr); code != exit.OK {
			t.Errorf("seed %s: verify ends with %d:\n%s", seed, code, verdict.String())
		}
	}
}
