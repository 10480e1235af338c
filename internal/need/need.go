package need

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// Thing is a need of a test.
type Thing uint8

// Things are instructions of the processor, programs, and properties of systems, builds
// and runs.
const (
	AVX2 Thing = iota
	AVX512
	Bash
	Chromium
	Compiler
	Fish
	Go
	Groff
	PowerShell
	Python
	Slurm
	Zsh
	Data
	Links
	Linux
	Long
	SCIP
	Unix
	numThings
)

var things = [numThings]struct {
	name     string
	programs []string // any of them will do
}{
	AVX2:       {name: "AVX2"}, // and FMA
	AVX512:     {name: "AVX-512"},
	Bash:       {"bash", []string{"bash"}},
	Chromium:   {"Chromium", []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"}},
	Compiler:   {"a C compiler", []string{"cc", "gcc", "clang"}},
	Fish:       {"fish", []string{"fish"}},
	Go:         {"Go", []string{"go"}},
	Groff:      {"groff", []string{"groff"}},
	PowerShell: {"PowerShell", []string{"pwsh"}},
	Python:     {"Python", []string{"python3", "python"}},
	Slurm:      {name: "Slurm"},
	Zsh:        {"zsh", []string{"zsh"}},
	Data:       {name: "DCOPT_SHARED"},
	Links:      {name: "links of files"},
	Linux:      {name: "Linux"},
	Long:       {name: "a run without -short and the race detector"},
	SCIP:       {name: "the flag -scip"},
	Unix:       {name: "Unix"},
}

// That skips the test unless it has the thing. The reason, why, may be empty.
func That(t testing.TB, has bool, of Thing, why ...any) {
	t.Helper()
	if !has {
		t.Skip(text(of, why))
	}
}

// Have returns has, for a part of a test: if it is false, the part counts as skipped, and
// the test goes on.
func Have(t testing.TB, has bool, of Thing, why ...any) bool {
	t.Helper()
	if !has {
		t.Log(text(of, why))
	}
	return has
}

// Program is the path of a program. Without it the test is skipped.
func Program(t testing.TB, of Thing) string {
	t.Helper()
	path := look(of)
	That(t, path != "", of)
	return path
}

// Look is Program for a part of a test: "" without it.
func Look(t testing.TB, of Thing) string {
	t.Helper()
	path := look(of)
	Have(t, path != "", of)
	return path
}

func look(of Thing) string {
	for _, name := range things[of].programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// text is one line.
func text(of Thing, why []any) string {
	s := "SKIPPED: needs " + things[of].name
	if rest := strings.Join(strings.Fields(fmt.Sprintln(why...)), " "); rest != "" {
		s += ": " + rest
	}
	return s
}
