//go:build !race

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
)

// TestRegressionPMLB: sets that are in the cache are not asked for.
func TestRegressionPMLB(t *testing.T) {
	source := shared.Path(t, "data", "pmlb")
	cache, out := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	if err := os.CopyFS(filepath.Join(cache, "dcopt", "pmlb"), os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	_, stderr := dcbench(t, context.Background(), exitOK, "regression", "--data", "pmlb", "--models", "ridge,svr", "--out", out, "-q")
	if stderr != "" {
		t.Errorf("stderr %q", stderr)
	}
	text, err := os.ReadFile(filepath.Join(out, "regression.md"))
	if err != nil || !strings.Contains(string(text), "| average of 17 | 0.654 | 0.655 |") {
		t.Errorf("the averages of support vector regression, here and in the paper, are missing, %v:\n%s", err, text)
	}
}
