package need

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
)

// record is a test that is asked to skip.
type record struct {
	testing.TB
	skipped, logged string
}

func (r *record) Helper()          {}
func (r *record) Skip(args ...any) { r.skipped += fmt.Sprintln(args...) }
func (r *record) Log(args ...any)  { r.logged += fmt.Sprintln(args...) }

// TestForm: all things are said in the form that .ci/tests.awk reads.
func TestForm(t *testing.T) {
	form := regexp.MustCompile(`^SKIPPED: needs [A-Za-z0-9_ -]+: why not: no\n$`)
	for of := range numThings {
		var r record
		That(&r, true, of, "why not:", "no")
		if !Have(&r, true, of, "why not:", "no") || r != (record{}) {
			t.Errorf("%d: %+v though nothing lacks", of, r)
		}
		That(&r, false, of, "why\nnot:", errors.New("no\n"))
		if Have(&r, false, of, "why not:", "no") || !form.MatchString(r.skipped) || r.logged != r.skipped {
			t.Errorf("%d: %+v", of, r)
		}
	}
	if got := text(AVX512, nil); got != "SKIPPED: needs AVX-512" {
		t.Errorf("%q", got)
	}
}

// TestProgram: of the names of a program the first that is there counts.
func TestProgram(t *testing.T) {
	That(t, runtime.GOOS != "windows", Unix, "for programs without an ending")
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	var r record
	const want = "SKIPPED: needs Python\n"
	if p, l := Program(&r, Python), Look(&r, Python); p != "" || l != "" || r.skipped != want || r.logged != want {
		t.Errorf("without Python: %q, %q, %+v", p, l, r)
	}
	for _, name := range []string{"python", "python3"} {
		want := filepath.Join(dir, name)
		if err := os.WriteFile(want, nil, 0o777); err != nil {
			t.Fatal(err)
		}
		var r record
		if p, l := Program(&r, Python), Look(&r, Python); p != want || l != want || r != (record{}) {
			t.Errorf("%s, %s, %+v, want %s", p, l, r, want)
		}
	}
}
