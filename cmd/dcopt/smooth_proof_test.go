//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
)

// TestSmoothProblems: the default answer to problems with smooth functions that are neither convex
// nor concave is their optimum with a proof, which verify accepts. The optima are those of the
// literature, or of a dense grid and smaller ones around its best point.
func TestSmoothProblems(t *testing.T) {
	paths, err := filepath.Glob("testdata/smooth/*.dc")
	if err != nil || len(paths) < 12 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var optimum float64
		var result struct {
			Objective float64
			Proved    bool
			Nodes     int
		}
		if _, err := fmt.Sscanf(string(src[bytes.IndexByte(src, '\n')+1:]), "# optimum %g", &optimum); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var stdout, stderr bytes.Buffer
		solve := []string{"solve", path, "--json", "--quiet"}
		if filepath.Base(path) == "shubert.dc" { // of 2,345 nodes half the work of a second pays for some 2,000
			solve = append(solve, "--global")
		}
		code := run(context.Background(), solve, nil, &stdout, &stderr)
		if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
			t.Fatalf("%s: exit code %d, %v: %s", path, code, err, &stderr)
		}
		if code != exit.OK || !result.Proved || math.Abs(result.Objective-optimum) > 1e-6*max(1, math.Abs(optimum)) {
			t.Errorf("%s: exit code %d, objective %.10g, proved: %v; the optimum is %.10g",
				path, code, result.Objective, result.Proved, optimum)
		}
		dir := t.TempDir()
		file, proof := filepath.Join(dir, "result.json"), filepath.Join(dir, "proof")
		args := []string{"verify", path, file}
		if !bytes.Contains(stdout.Bytes(), []byte(`"proof"`)) { // it is too large for a result
			stdout.Reset()
			solve := []string{"solve", path, "--json", "--quiet", "--global", "--proof", proof}
			if code := run(context.Background(), solve, nil, &stdout, &stderr); code != exit.OK {
				t.Fatalf("%s: exit code %d: %s", path, code, &stderr)
			}
			args = append(args, "--proof", proof)
		}
		if err := os.WriteFile(file, stdout.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		var verdict bytes.Buffer
		if code := run(context.Background(), args, nil, &verdict, &stderr); code != exit.OK {
			t.Errorf("%s: verify ends with %d:\n%s", path, code, &verdict)
		}
		t.Logf("%s: %d nodes", path, result.Nodes)
	}
}
