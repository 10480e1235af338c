//go:build !race

package ccp_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/heuristic"
	"github.com/dcopt/dcopt/internal/need"
)

// heuristics are the Acceleration and the Search of Settings.Heuristics, each field with
// its file and the line of another file by which it is used.
var heuristics = map[string]struct{ file, user, line string }{
	"LineSearch":  {"internal/accel/linesearch.go", "ccp.go", "used = &accel.LineSearch{}"},
	"Newton":      {"newton.go", "ccp.go", "around = r.newton("},
	"Coordinates": {"internal/search/coordinates.go", "improve.go", "&search.Coordinates{"},
	"Decisions":   {"internal/search/decisions.go", "improve.go", "&search.Decisions{"},
	"Descents":    {"internal/search/descents.go", "improve.go", "&search.Descents{"},
	"Hops":        {"internal/search/basinhopping.go", "improve.go", "&search.BasinHopping{"},
	"Vary":        {"internal/search/vary.go", "begin.go", "from.share = search.Vary("},
}

// TestHeuristicsCanBeDeleted: without the file of a heuristic and the line that uses it
// the package builds, and the program of examples/quickstart solves its problem.
func TestHeuristicsCanBeDeleted(t *testing.T) {
	need.That(t, !testing.Short(), need.Long, "builds the package")
	fields := 0
	for _, group := range []any{heuristic.Acceleration{}, heuristic.Search{}} {
		for of, i := reflect.TypeOf(group), 0; i < of.NumField(); i++ {
			if fields++; heuristics[of.Field(i).Name].file == "" {
				t.Errorf("%s.%s has no file that can be deleted", of.Name(), of.Field(i).Name)
			}
		}
	}
	if fields != len(heuristics) {
		t.Errorf("%d heuristics for %d fields", len(heuristics), fields)
	}
	for _, name := range slices.Sorted(maps.Keys(heuristics)) {
		h := heuristics[name]
		replace := map[string]string{absolute(t, h.file): "", absolute(t, h.user): lineless(t, h.user, h.line)}
		text, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			t.Fatal(err)
		}
		overlay := filepath.Join(t.TempDir(), "overlay.json")
		if err := os.WriteFile(overlay, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "run", "-overlay", overlay, "../examples/quickstart").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "from 0: converged, x = -2.0000, objective -7.0000\n") {
			t.Errorf("without %s: %v\n%s", name, err, out)
		}
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// lineless is a copy of the file without the line that begins so.
func lineless(t *testing.T, path, begin string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, found := strings.SplitAfter(string(text), "\n"), 0
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), begin) {
			lines[i] = ""
			found++
		}
	}
	if found != 1 {
		t.Fatalf("%d lines of %s begin with %q, want one", found, path, begin)
	}
	edited := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(edited, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return edited
}
