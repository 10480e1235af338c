package house

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/need"
)

// outputs are outputs of "go test -v" and the tallies that tests.awk makes of them.
var outputs = map[string][2]string{
	"a test that is skipped": {`=== RUN   TestA
    a_test.go:7: SKIPPED: needs AVX-512
--- SKIP: TestA (0.00s)
=== RUN   TestB
--- PASS: TestB (0.00s)
PASS
ok  	example/a	0.01s
`, `skip example/a TestA: needs AVX-512
count 1 0 1
`},
	"parts of tests that pass": {`=== RUN   TestA
    a_test.go:7: SKIPPED: needs AVX-512
    a_test.go:9: SKIPPED: needs fish: to complete
--- PASS: TestA (0.00s)
=== RUN   TestB
--- PASS: TestB (0.00s)
PASS
ok  	example/a	0.01s
`, `skip example/a TestA: needs AVX-512
skip example/a TestA: needs fish: to complete
count 2 0 2
`},
	"tests beside each other": {`=== RUN   TestA
=== PAUSE TestA
=== RUN   TestB
=== PAUSE TestB
=== CONT  TestA
=== RUN   TestA/one
=== CONT  TestB
    a_test.go:9: SKIPPED: needs Go
=== NAME  TestA/one
    a_test.go:7: SKIPPED: needs Python: to import
--- SKIP: TestB (0.00s)
--- PASS: TestA (0.01s)
    --- SKIP: TestA/one (0.00s)
PASS
ok  	example/a	0.01s
`, `skip example/a TestB: needs Go
skip example/a TestA/one: needs Python: to import
count 1 0 2
`},
	"other words": {`=== RUN   TestA
    a_test.go:7: no AVX-512
--- SKIP: TestA (0.00s)
=== RUN   TestB
    b_test.go:7: SKIPPED: 3 needs AVX-512
--- PASS: TestB (0.00s)
=== RUN   TestC
--- SKIP: TestC (0.00s)
PASS
ok  	example/a	0.01s
=== RUN   TestA
    a_test.go:7: SKIPPED: needs Go
--- SKIP: TestA (0.00s)
PASS
ok  	example/b	0.01s
=== RUN   TestA
--- SKIP: TestA (0.00s)
PASS
ok  	example/c	0.01s
`, `skip example/a TestA: no reason given
skip example/a TestC: no reason given
skip example/b TestA: needs Go
skip example/c TestA: no reason given
count 1 0 4
`},
	"a failure": {`=== RUN   TestA
    a_test.go:7: SKIPPED: needs AVX2
    a_test.go:9: 1, want 2
--- FAIL: TestA (0.00s)
FAIL
FAIL	example/a	0.01s
FAIL
`, `skip example/a TestA: needs AVX2
fail example/a TestA: a_test.go:9: 1, want 2
count 0 1 1
`},
}

func TestTally(t *testing.T) {
	need.Program(t, need.Bash) // awk is where it is
	for name, c := range outputs {
		tally := filepath.Join(t.TempDir(), "tally")
		cmd := exec.Command("awk", "-v", "tally="+tally, "-f", ".ci/tests.awk")
		cmd.Stdin = strings.NewReader(c[0])
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v, %s", name, err, out)
		}
		if got, err := os.ReadFile(tally); err != nil || string(got) != c[1] {
			t.Errorf("%s: the tally is\n%s%v, want\n%s", name, got, err, c[1])
		}
	}
}

// TestSummary: with CI=true a thing that a machine need not have may be missing, and nothing else.
func TestSummary(t *testing.T) {
	bash := need.Program(t, need.Bash)
	const two = "3 passed, 0 failed, 2 skipped"
	for _, c := range []struct {
		ci, tally, last string
		good            bool
	}{
		{"true", "count 3 0 0\n", "3 passed, 0 failed, 0 skipped", true},
		{"true", "count 0 0 0\n", "0 passed, 0 failed, 0 skipped", false},
		{"false", "fail a TestA: no\ncount 3 1 0\ncount 1 0 0\n", "4 passed, 1 failed, 0 skipped", false},
		{"true", "skip a TestA: needs AVX-512\nskip a TestB: needs Python: 3.11\ncount 3 0 2\n", two, true},
		{"true", "skip a TestA: needs AVX-512\nskip a TestB: needs Go\ncount 3 0 2\n", two, false},
		{"", "skip a TestA: needs AVX-512\nskip a TestB: needs Go\ncount 3 0 2\n", two, true},
		{"true", "skip a TestA: needs AVX-512\nskip a TestB: no AVX-512\ncount 3 0 2\n", two, false},
		{"true", "skip a TestA: needs AVX-512\nskip a TestB: needs AVX-5120\ncount 3 0 2\n", two, false},
		{"true", "skip a TestA: needs AVX-512\nskip a TestB: no reason given\ncount 3 0 2\n", two, false},
	} {
		tally := filepath.Join(t.TempDir(), "tally")
		if err := os.WriteFile(tally, []byte(c.tally), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(bash, ".ci/summary.sh", tally)
		cmd.Env = append(os.Environ(), "CI="+c.ci)
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if good := err == nil; good != c.good || lines[len(lines)-1] != c.last {
			t.Errorf("CI=%s, tally\n%ssuccess %v, want %v, of\n%s", c.ci, c.tally, good, c.good, out)
		}
		for _, l := range strings.Split(c.tally, "\n") {
			if rest, ok := strings.CutPrefix(l, "skip "); ok && !slices.Contains(lines, "skipped: "+rest) {
				t.Errorf("%q is not listed in\n%s", rest, out)
			}
		}
	}
}

// TestThingsOfSummary: summary.sh names things of package need or of need.py.
func TestThingsOfSummary(t *testing.T) {
	known := read(t, "internal/need/need.go") + read(t, "python/tests/need.py")
	may := regexp.MustCompile(`(?m)^may='([^']*)'`).FindStringSubmatch(read(t, ".ci/summary.sh"))
	if may == nil {
		t.Fatal("summary.sh has no list")
	}
	for thing := range strings.SplitSeq(may[1], "|") {
		if !strings.Contains(known, `"`+thing+`"`) {
			t.Errorf("summary.sh lets %s be missing, which no package needs", thing)
		}
	}
}

// pythonSkips are the ways of pytest and unittest to skip.
var pythonSkips = regexp.MustCompile(`pytest\.skip|importorskip|mark\.skip|(?i:skipif|skipunless|skiptest)|\bxfail`)

// TestPythonSkips: tests in Python are skipped by need.py alone.
func TestPythonSkips(t *testing.T) {
	names, err := filepath.Glob("python/tests/*.py")
	if err != nil || len(names) < 10 {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range names {
		if skips := pythonSkips.FindString(read(t, name)); (skips != "") != (filepath.Base(name) == "need.py") {
			t.Errorf("%s skips by %q; tests are skipped by need.py", name, skips)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
