//go:build !race

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEndless: objectives without a least value, those that grow slower than any line among them,
// have none; those that tend to a value have converged, with the remark that no point attains it;
// and those that turn back far off are neither.
func TestEndless(t *testing.T) {
	for _, c := range []struct{ text, status, message string }{
		{"var x >= 0\nmaximize sqrt(x)\n", "unbounded", ""},
		{"var x >= 0\nmaximize log(x)\n", "unbounded", ""},
		{"var x >= 0\nmaximize x^0.1\n", "unbounded", ""},
		{"var x >= 0\nvar y >= 0\nmaximize sqrt(x + y)\n", "unbounded", ""},
		{"var x[3] >= 0\nmaximize sum(i in 1..3) sqrt(x[i])\n", "unbounded", ""},
		{"var x[3] >= 0\nmaximize geomean(x)\n", "unbounded", ""},
		{"var x >= 0\nminimize -x^(1/3)\n", "unbounded", ""},
		{"var x, y >= 0\nmaximize sqrt(x) + log(y)\nsubject to\n  y <= 5\n", "unbounded", ""},
		{"var x >= 0, y in [0, 3]\nmaximize log(x) + sqrt(y) - y\n", "unbounded", ""},
		{"var x >= 0\nminimize exp(-x)\n", "converged", "falls towards 0 "},
		{"var x >= 1\nminimize 1/x + 3\n", "converged", "falls towards 3 "},
		{"var x >= 1\nminimize 1/x\n", "converged", "falls towards 0 "},
		{"var x >= 0\nmaximize -exp(-x)\n", "converged", "rises towards 0 "},
		{"var x, y\nminimize exp(-x) + y^2 - 2*y\n", "converged", "falls towards -1 "},
		{"var x >= 0\nmaximize sqrt(x) - 0.001*x\n", "converged", ""},
		{"var x >= 0\nmaximize log(x) - 1e-9*x\n", "converged", ""},
		{"var x in [0, 1e9]\nmaximize sqrt(x)\n", "converged", ""},
		{"var x, y >= 0\nmaximize log(x) - y\nsubject to\n  x <= y\n", "converged", ""},
		{"var x\nminimize max(0, 1 - x)\n", "converged", ""},
	} {
		path := filepath.Join(t.TempDir(), "p.dc")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := runCase(t, path)
		if r.Status != c.status || !strings.Contains(r.Message, c.message) || c.status == "converged" && c.message == "" && r.Message != "" {
			t.Errorf("%s%s; want %s, %q", c.text, r.about(), c.status, c.message)
		}
	}
}

// TestRaysAreVerified: directions of unbounded problems have no rest of a backend's error in
// variables of nonlinear equations, along which these would be left: dcopt verify accepts them.
func TestRaysAreVerified(t *testing.T) {
	for _, text := range []string{
		"var x, y, z\nminimize -x - y\nsubject to\n  c: y - z + atan(x) == 0\n",
		"var x, y, z\nminimize x^2 - y\nsubject to\n  c: y - z + atan(x) == 0\n",
		"var x, y, z\nminimize -y + 0.1*z\nsubject to\n  c: y - z + atan(x) == 0\n",
	} {
		path := filepath.Join(t.TempDir(), "p.dc")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		result := filepath.Join(filepath.Dir(path), "p.json")
		if _, _, stderr := dcopt(nil, "solve "+path+" --json --quiet --out "+result); stderr != "" {
			t.Fatal(stderr)
		}
		if code, out, _ := dcopt(nil, "verify "+path+" "+result); code != 0 || !strings.Contains(out, "along the ray the objective falls for ever") {
			t.Errorf("%sverify ends with code %d:\n%s", text, code, out)
		}
	}
}
