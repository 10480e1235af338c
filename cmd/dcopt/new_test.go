//go:build !race

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/template"
)

// tell runs the program.
func tell(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, log bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(""), &out, &log)
	return code, out.String(), log.String()
}

// TestTemplates: each is listed in a line, is laid out, and solves as it stands, under its
// own name and under another one.
func TestTemplates(t *testing.T) {
	_, list, _ := tell(t, "new")
	all := template.All()
	if strings.Count(list, "\n") != len(all) {
		t.Errorf("%d templates, the list is\n%s", len(all), list)
	}
	entries, err := os.ReadDir("internal/template/files")
	known := 0
	for k, tm := range all {
		if !strings.Contains(list, tm.About) || tm.About == "" || len(tm.About) > 80 || len(tm.Files("x")) == 0 {
			t.Errorf("%s: %q", tm.Name, tm.About)
		}
		known += len(tm.Files("x"))
		t.Chdir(t.TempDir())
		if err := os.Mkdir("sub", 0o777); err != nil {
			t.Fatal(err)
		}
		args := []string{"new", tm.Name}
		file := tm.Name + ".dc"
		if k%2 == 1 {
			file = filepath.Join("sub", "own name.dc")
			args = append(args, file)
		}
		code, out, log := tell(t, args...)
		if code != exit.OK || strings.Count(out, "\n") != len(tm.Files("x")) || !strings.HasPrefix(out, file+"\n") || !strings.Contains(log, "dcopt solve "+file) {
			t.Fatalf("%q: code %d\n%s%s", args, code, out, log)
		}
		if code, out, log := tell(t, "fmt", "--check", file); code != exit.OK {
			t.Errorf("the layout of %s: %s%s", tm.Name, out, log)
		}
		text, err := os.ReadFile(file)
		unplotted := map[string]bool{"start": true, "equations": true, "packing": true} // drawn by their variables
		if plotted := strings.Contains(string(text), "\nplot  "); err != nil || plotted == unplotted[tm.Name] {
			t.Errorf("%s says what its picture shows: %v (%v)", tm.Name, plotted, err)
		}
		if code, out, log := tell(t, "solve", file); code != exit.OK || log != "" {
			t.Errorf("%s: code %d\n%s%s", tm.Name, code, out, log)
		}
		if code, _, log := tell(t, args...); code != exit.Usage || !strings.Contains(log, "exists") {
			t.Errorf("%q again: code %d, %s", args, code, log)
		}
	}
	if err != nil || len(entries) != known {
		t.Errorf("%d files are embedded, the templates have %d (%v)", len(entries), known, err)
	}
}

// TestNewRefuses: nothing is written over, and nothing in part.
func TestNewRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("sparse_b.csv", []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", "start.dc"); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"new sparse":         "sparse_b.csv exists",
		"new start":          "start.dc exists",
		"new none":           "unknown template",
		"new pakcing":        "did you mean",
		"new start a b":      "one template and one name",
		"new start no/where": "cannot write",
		"new start .dc":      "is no name",
		"new start sub/":     "is no name",
		"new packing a\"b":   "is no name",
	} {
		if code, out, log := tell(t, strings.Fields(args)...); code != exit.Usage || out != "" || !strings.Contains(log, want) {
			t.Errorf("%s: code %d, %s%s, want %q", args, code, out, log, want)
		}
	}
	entries, err := os.ReadDir(".")
	if text, _ := os.ReadFile("sparse_b.csv"); err != nil || len(entries) != 2 || string(text) != "mine" {
		t.Errorf("there are %v (%v)", entries, err)
	}
	// The second file cannot be written: the first one goes.
	err = createAll("", []template.File{{Name: "one", Data: []byte("1")}, {Name: strings.Repeat("x", 300), Data: []byte("2")}})
	if _, missing := os.Lstat("one"); err == nil || missing == nil {
		t.Errorf("one of two files is there: %v", err)
	}
	if entries, _ := os.ReadDir("."); len(entries) != 2 {
		t.Errorf("left over: %v", entries)
	}
}
