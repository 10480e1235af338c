package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScale: two builds side by side, each run once for an instance and seed, and the
// report.
func TestScale(t *testing.T) {
	dir := t.TempDir()
	build := func(name, objective string) string {
		path := filepath.Join(dir, name)
		text := "#!/bin/sh\necho '{\"status\": \"converged\", \"objective\": " + objective + ", \"max_violation\": 0, \"iterations\": 2}'\n"
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return name + "=" + path
	}
	out := filepath.Join(dir, "out")
	args := []string{"scale", "--instances", "pack_4,bls_3", "--seeds", "5,6", "--dcopt", build("before", "7.25") + "," + build("now", "6.5"), "--out", out, "--quiet"}
	for range 2 {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), &stdout, &stderr); code != exitOK {
			t.Fatalf("exit %d: %s", code, stderr.String())
		}
	}
	table, err := os.ReadFile(filepath.Join(out, scaleTableName))
	if err != nil || strings.Count(string(table), "\n") != 1+8 {
		t.Errorf("%v, the table is\n%s", err, table)
	}
	report, err := os.ReadFile(filepath.Join(out, scaleReportName+".md"))
	if err != nil || !strings.Contains(string(report), "| bls_3, seed 6 | 7.25 | 2 |") || !strings.Contains(string(report), "| 6.5 | 2 |") {
		t.Errorf("%v, the report is\n%s", err, report)
	}
	for flag, want := range map[string]string{"--instances=none_3": "--instances", "--seeds=x": "--seeds", "--dcopt=x": "NAME=FILE", "--peers=nobody": "--peers", "--time-limit=0s": "--time-limit"} {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), append(args[:len(args):len(args)], flag), strings.NewReader(""), &stdout, &stderr); code != exitFailed || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit %d, %s", flag, code, stderr.String())
		}
	}
}
