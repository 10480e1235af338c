package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/backends"
)

// TestReferenceProblems solves three examples of DCCP as its users write them
// down, on every backend of the build. Bounds on the objective: the best of many
// starts of DCCP on the packing is 6.81, its median 7.16; control ends at its
// relaxation's 45.147471; DCCP's sparse vector has 83.077.
func TestReferenceProblems(t *testing.T) {
	root := os.Getenv("DCOPT_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	data, err := filepath.Abs(filepath.Join(root, "data", "dccp"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(data); err != nil {
		t.Skipf("SKIPPED: no data of the reference problems: %v; set DCOPT_SHARED", err)
	}
	for name, want := range map[string]struct{ least, most float64 }{
		"circle_packing":  {6.8, 7.2},
		"control":         {45.097, 45.197},
		"sparse_recovery": {83.0, 83.2},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", "dc", "lang", "testdata", "nine", name+".dc"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name+".dc")
		text = bytes.ReplaceAll(text, []byte(`"E/`), []byte(`"`+filepath.ToSlash(data)+"/"))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, b := range backends.All() {
			t.Run(name+" on "+b.Name(), func(t *testing.T) {
				var stdout, stderr bytes.Buffer
				args := []string{"solve", path, "--json", "--backend", b.Name()}
				if code := run(context.Background(), args, strings.NewReader(""), &stdout, &stderr); code != exitOK {
					t.Fatalf("code %d: %s%s", code, stdout.String(), stderr.String())
				}
				var r exampleResult
				if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
					t.Fatal(err)
				}
				if r.Status != "converged" || !(r.MaxViolation <= 1e-4) || !(r.Objective >= want.least && r.Objective <= want.most) {
					t.Errorf("%s, objective %g, violation %g; want converged, %g to %g", r.Status, r.Objective, r.MaxViolation, want.least, want.most)
				}
			})
		}
	}
}
