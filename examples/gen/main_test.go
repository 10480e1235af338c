package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The files in the repository are those that the program writes.
func TestFilesAreCurrent(t *testing.T) {
	want := files()
	entries, err := os.ReadDir("../data")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(want) {
		t.Errorf("examples/data has %d files, gen writes %d", len(entries), len(want))
	}
	for name, data := range want {
		got, err := os.ReadFile(filepath.Join("../data", name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, data) {
			t.Errorf("%s differs from what gen writes; run: go run ./examples/gen examples/data", name)
		}
	}
}
