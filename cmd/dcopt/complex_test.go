//go:build !race

package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// complexProblem has complex variables, lets, a family of equations and a Hermitian matrix.
const complexProblem = `var z[2] complex, H[2,2] hermitian psd, w complex
let d = z + 1i
minimize sumsq(z - [3 + 4i, -1i]) + abs(w)^2 + trace(H)
subject to
  s: z[1] == 1 + 1i
  f[k in 1..2]: H[k,k] + w == 1 + 0.5i*w
  m: H[1,2] == 0.25i
`

// TestComplexStart: results in JSON and CSV are starts for the next run, which is where the
// first one ended.
func TestComplexStart(t *testing.T) {
	dir := t.TempDir()
	file, result := filepath.Join(dir, "c.dc"), filepath.Join(dir, "c.json")
	if err := os.WriteFile(file, []byte(complexProblem), 0o666); err != nil {
		t.Fatal(err)
	}
	read := func(text string) (r struct {
		Status, Message string
		Objective       float64
		Variables, Lets map[string]struct{ Re, Im any }
	}) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), &r); err != nil || r.Status != "converged" {
			t.Fatalf("%v\n%s", err, text)
		}
		return r
	}
	if code, out, errs := tell(t, "solve", file, "-o", result); code != 0 {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	text, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	first := read(string(text))
	if z := first.Variables["z"].Im.([]any)[0].(float64); math.Abs(z-1) > 1e-6 {
		t.Errorf("im(z[1]) = %g, want 1", z)
	}
	if d := first.Lets["d"].Im.([]any)[0].(float64); math.Abs(d-2) > 1e-6 {
		t.Errorf("im(d[1]) = %g, want 2", d)
	}
	table := filepath.Join(dir, "c.csv")
	if code, out, errs := tell(t, "solve", file, "-o", table); code != 0 {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	for _, start := range []string{result, table} {
		code, out, errs := tell(t, "solve", file, "--start", start, "--json")
		if code != 0 {
			t.Fatalf("%s: %d %s %s", start, code, out, errs)
		}
		if again := read(out); math.Abs(again.Objective-first.Objective) > 1e-7 {
			t.Errorf("%s: %g, then %g", start, first.Objective, again.Objective)
		}
	}
	if err := os.WriteFile(result, []byte(`{"variables": {"z": {"re": [1, 2]}}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := tell(t, "solve", file, "--start", result); code == 0 || !strings.Contains(errs, `the members "re" and "im"`) {
		t.Errorf("%d %s", code, errs)
	}
	for _, args := range [][]string{{"check", file}, {"expand", file}, {"fmt", file}} {
		code, out, errs := tell(t, args...)
		if code != 0 || !strings.Contains(out, "hermitian") || !strings.Contains(out, "z[2] complex") {
			t.Errorf("%v: %d %s %s", args, code, out, errs)
		}
	}
}
