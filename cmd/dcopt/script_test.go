//go:build !race

package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestScripts runs testdata/script/*: each line of args is a command line, run
// one after the other in a copy of the folder. stdout, stderr and exit hold
// what is expected of all of them, a missing one nothing (exit: 0).
func TestScripts(t *testing.T) {
	folders, err := filepath.Glob("testdata/script/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) { runScript(t, folder) })
	}
}

func runScript(t *testing.T, folder string) {
	golden, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(golden)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	t.Setenv("NO_COLOR", "1")
	lines, err := os.ReadFile("args")
	if err != nil {
		t.Fatal(err)
	}
	stdin, _ := os.ReadFile("stdin") // most have none
	var stdout, stderr, exit bytes.Buffer
	for _, args := range strings.Split(strings.TrimRight(string(lines), "\n"), "\n") {
		var out bytes.Buffer
		code := run(context.Background(), strings.Fields(args), bytes.NewReader(stdin), &out, &stderr)
		stdout.WriteString(normalise(args, out.String()))
		fmt.Fprintln(&exit, code)
	}
	compare(t, golden, "stdout", stdout.String())
	compare(t, golden, "stderr", normalise("", stderr.String()))
	compare(t, golden, "exit", exit.String())
}

func compare(t *testing.T, folder, name, got string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if *update {
		if got == "" || name == "exit" && got == "0\n" {
			os.Remove(path)
		} else if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil && name == "exit" {
		want = []byte("0\n")
	}
	if got != string(want) {
		t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
	}
}

var (
	timeText   = regexp.MustCompile(`\b[0-9.]+(e[-+][0-9]+)? s\b`)
	timeJSON   = regexp.MustCompile(`"(read|compile|solve|backend|seconds|fit_seconds)":[0-9][-+.e0-9]*`)
	timeColumn = regexp.MustCompile(`(?m)( +[0-9]+)? +[0-9]+\.[0-9]{2,3}$`)
	float      = regexp.MustCompile(`-?[0-9]+(\.[0-9]+(e[-+]?[0-9]+)?|e[-+]?[0-9]+)`)
	noise      = regexp.MustCompile(`~0 at .*|("max_violation":|violation +)0[,}\n]`)
	worst      = regexp.MustCompile(`~0,"worst":"[^"]*",`)
	withOSQP   = strings.NewReplacer("admm, osqp", "admm", `"admm","osqp"`, `"admm"`) // the build tag
	counts     = regexp.MustCompile(`(iterations +|"iterations":)[0-9]+`)
	rounding   = regexp.MustCompile(`"objective_error":[-+.e0-9]+`)
	history    = regexp.MustCompile(`"history":\[\{.*?\}\]`)
)

// normalise takes out what differs from machine to machine and from solver to
// solver: times, iterations, digits behind the fourth, and what is zero but
// for rounding.
func normalise(args, s string) string {
	s = withOSQP.Replace(s)
	s = timeText.ReplaceAllString(s, "T s")
	s = timeJSON.ReplaceAllString(s, `"$1":T`)
	s = rounding.ReplaceAllString(s, `"objective_error":E`)
	if strings.Contains(args, "--sweep") || strings.HasPrefix(args, "cv ") {
		s = timeColumn.ReplaceAllString(s, " T")
	}
	s = counts.ReplaceAllString(s, "${1}N")
	s = history.ReplaceAllString(s, `"history":[...]`)
	s = float.ReplaceAllStringFunc(s, func(x string) string {
		v, err := strconv.ParseFloat(x, 64)
		if err != nil {
			return x
		}
		if math.Abs(v) < 1e-7 {
			return "~0"
		}
		return strconv.FormatFloat(v, 'g', 4, 64)
	})
	s = noise.ReplaceAllStringFunc(s, func(x string) string {
		if strings.HasPrefix(x, "~0") {
			return "~0"
		}
		return x[:len(x)-2] + "~0" + x[len(x)-1:]
	})
	return worst.ReplaceAllString(s, "~0,")
}
