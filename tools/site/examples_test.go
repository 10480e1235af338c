//go:build !race

package site

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// applied is a text with a change: lines that begin with - go, those with + come, the others
// stand there, one behind the other, and in one place only.
func applied(text, change string) (string, error) {
	var old, now strings.Builder
	for _, line := range strings.SplitAfter(change, "\n") {
		if line == "" {
			continue
		}
		switch line[0] {
		case '+':
			now.WriteString(line[1:])
		case '-':
			old.WriteString(line[1:])
		default:
			old.WriteString(line[1:])
			now.WriteString(line[1:])
		}
	}
	if n := strings.Count(text, old.String()); old.Len() == 0 || n != 1 {
		return "", fmt.Errorf("%d places have the lines\n%s", n, old.String())
	}
	return strings.Replace(text, old.String(), now.String(), 1), nil
}

// overlaid writes the blocks of a document that have the paths of files as titles, and
// changes of such files, into a folder, and returns an overlay of them for the go command.
func overlaid(t *testing.T, document string) string {
	t.Helper()
	dir := t.TempDir()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	list, _ := blocks(document, read(t, document))
	for k, b := range list {
		if !strings.Contains(b.title, "/") {
			continue
		}
		file := filepath.Join(top, filepath.FromSlash(b.title))
		text := b.code
		if b.language == "diff" {
			from := file
			if replace[file] != "" {
				from = replace[file] // it has been changed before
			}
			old, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			if text, err = applied(string(old), b.code); err != nil {
				t.Fatalf("%v: %s: %v", b, b.title, err)
			}
		} else if _, err := os.Stat(file); err == nil {
			t.Fatalf("%v: %s exists", b, b.title)
		}
		replace[file] = filepath.Join(dir, fmt.Sprintf("%d-%s", k, filepath.Base(file)))
		if err := os.WriteFile(replace[file], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("gofmt", "-l", replace[file]).CombinedOutput(); b.language == "go" && (err != nil || len(out) > 0) {
			t.Errorf("%v: %s is not formatted: %v", b, b.title, err)
		}
	}
	if len(replace) < 2 {
		t.Fatalf("%s has %d files", document, len(replace))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// inOverlay runs the go command in the repository, with the files of an overlay.
func inOverlay(t *testing.T, overlay string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{args[0], "-overlay=" + overlay}, args[1:]...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestApplied applies changes that fit and some that do not.
func TestApplied(t *testing.T) {
	if got, err := applied("a\nb\nc\n", " a\n-b\n+d\n+e\n"); err != nil || got != "a\nd\ne\nc\n" {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{" x\n+y\n", " a\n", "+y\n", ""} {
		if got, err := applied("a\na\n", bad); err == nil {
			t.Errorf("%q becomes %q", bad, got)
		}
	}
}

// tested runs tests of packages in the overlay of a document, and asks for one that ran.
func tested(t *testing.T, overlay, pattern string, packages ...string) {
	t.Helper()
	out := inOverlay(t, overlay, append([]string{"test", "-count=1", "-vet=off", "-v", "-run", pattern}, packages...)...)
	if n := strings.Count(out, "\n--- PASS"); n+strings.Count(out[:min(8, len(out))], "--- PASS") < len(packages) {
		t.Errorf("%d tests passed in %v:\n%s", n, packages, out)
	}
}

// TestWorkedExamples follows the pages that add a part to the program, by its own tests.
func TestWorkedExamples(t *testing.T) {
	for _, c := range []struct{ page, tests, in string }{
		{"docs/design-backend.md", "^(TestLadder|TestBackendsAgree)$", "./qpbackend/backends"},
		{"docs/design-command.md", "^TestCount$", "./cmd/dcopt"},
	} {
		t.Run(c.page, func(t *testing.T) {
			t.Parallel()
			tested(t, overlaid(t, c.page), c.tests, c.in)
		})
	}
}
