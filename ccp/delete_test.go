package ccp_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestKindsCanBeDeleted: without the file of a kind of search and its entry in kinds
// the package builds.
func TestKindsCanBeDeleted(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: builds the package")
	}
	loop, err := filepath.Abs("ccp.go")
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(loop)
	if err != nil {
		t.Fatal(err)
	}
	for file, kind := range map[string]string{"coordinates.go": "Coordinates", "basinhopping.go": "BasinHopping"} {
		entry := regexp.MustCompile(`(?s)\t\t&search\.` + kind + `\{.*?\n\t\t\},\n`)
		without := entry.ReplaceAll(src, nil)
		if len(without) == len(src) {
			t.Fatalf("no entry of search.%s in kinds", kind)
		}
		dir := t.TempDir()
		edited := filepath.Join(dir, "ccp.go")
		if err := os.WriteFile(edited, without, 0o600); err != nil {
			t.Fatal(err)
		}
		gone, err := filepath.Abs(filepath.Join("internal", "search", file))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(map[string]any{"Replace": map[string]string{loop: edited, gone: ""}})
		if err != nil {
			t.Fatal(err)
		}
		overlay := filepath.Join(dir, "overlay.json")
		if err := os.WriteFile(overlay, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "build", "-overlay", overlay, ".").CombinedOutput(); err != nil {
			t.Errorf("without %s: %v\n%s", kind, err, out)
		}
	}
}
