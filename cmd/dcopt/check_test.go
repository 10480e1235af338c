//go:build !race

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCheckGolden compares what check says of the files of the language's
// description and of the examples with testdata/check; of a file that is refused
// it is the messages.
func TestCheckGolden(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	examples, err := filepath.Glob("../../examples/*.dc")
	if err != nil || len(examples) == 0 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	for _, path := range examples {
		name := strings.TrimSuffix(filepath.Base(path), ".dc")
		t.Run("examples/"+name, func(t *testing.T) {
			got := checkText(path, path, nil)
			compare(t, "testdata/check", "example_"+name+".txt", strings.ReplaceAll(got, "../../examples/", ""))
		})
	}
	nine, err := filepath.Glob("../../dc/lang/testdata/nine/*.dc")
	if err != nil || len(nine) != 9 {
		t.Fatalf("%d files of the description, %v", len(nine), err)
	}
	for _, path := range nine {
		name := strings.TrimSuffix(filepath.Base(path), ".dc")
		t.Run("nine/"+name, func(t *testing.T) {
			src, err := os.ReadFile(referenceFile(t, name))
			if err != nil {
				t.Fatal(err)
			}
			got := checkText("-", name+".dc", src)
			compare(t, "testdata/check", "nine_"+name+".txt", got)
		})
	}
}

// ableTo is the line that differs from build to build.
var ableTo = regexp.MustCompile(`(?m)^(backends +).*`)

// checkText is what check prints on either stream.
func checkText(path, name string, stdin []byte) string {
	var stdout, stderr bytes.Buffer
	run(context.Background(), []string{"check", path}, bytes.NewReader(stdin), &stdout, &stderr)
	return strings.ReplaceAll(ableTo.ReplaceAllString(withOSQP.Replace(stdout.String()+stderr.String()), "${1}[...]"), "standard input", name)
}
