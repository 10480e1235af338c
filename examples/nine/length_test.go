package nine_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestLength: nine files of at most 50 lines.
func TestLength(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil || len(files) != 9+1 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(src, []byte("\n")); n > 50 {
			t.Errorf("%s has %d lines", name, n)
		}
	}
}
