package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/result"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// asProgram is set where a test starts itself as the program, to kill it.
const asProgram = "DCBENCH_TEST_PROGRAM"

// TestMain: the program starts itself as a worker, and here it is the test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "worker" || os.Getenv(asProgram) != "") {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// dcbench runs the program and wants the exit code.
func dcbench(t *testing.T, ctx context.Context, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(ctx, args, strings.NewReader(""), &out, &errs); got != code {
		t.Errorf("dcbench %s: exit code %d, want %d; %s", strings.Join(args, " "), got, code, errs.String())
	}
	return out.String(), errs.String()
}

func TestMeasureAndReport(t *testing.T) {
	out := t.TempDir()
	args := []string{"qp", "--classes", "lasso,eqqp", "--sizes", "4,8", "--lder", "--lder-size", "30,2", "--repeat", "1",
		"--solvers", "ipm", "--tol", "default,1e-4", "--out", out}
	stdout, stderr := dcbench(t, context.Background(), exitOK, args...)
	if want := filepath.Join(out, "report.html") + "\n"; stdout != want {
		t.Errorf("stdout %q, want %q", stdout, want)
	}
	if !strings.Contains(stderr, "lasso-8\n") {
		t.Errorf("no progress for a pipe: %q", stderr)
	}
	rows, err := csvtable.Read[result.Row](filepath.Join(out, "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * (2*2 + 1); len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	for _, r := range rows {
		if !r.Solved(1e-3, "wall") || r.Solver != "dcopt-ipm" || !strings.HasPrefix(r.Version, "build ") {
			t.Errorf("%+v", r)
		}
	}
	report, err := os.ReadFile(filepath.Join(out, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Classes", "## Lder", "| lasso-8 |", "| dcopt-ipm 1e-4 |", "profile-classes.svg"} {
		if !strings.Contains(string(report), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, name := range []string{"profile-classes.svg", "profile-classes.png"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}

	// Again: nothing is measured, and the report is the same.
	_, stderr = dcbench(t, context.Background(), exitOK, append(args, "-q")...)
	if again, err := csvtable.Read[result.Row](filepath.Join(out, "results.csv")); err != nil || len(again) != len(rows) || stderr != "" {
		t.Errorf("again: %d rows, %v, said %q", len(again), err, stderr)
	}
	if err := os.Remove(filepath.Join(out, "report.md")); err != nil {
		t.Fatal(err)
	}
	dcbench(t, context.Background(), exitOK, "report", out)
	if again, err := os.ReadFile(filepath.Join(out, "report.md")); err != nil || !bytes.Equal(again, report) {
		t.Errorf("the command report makes another report: %v", err)
	}

	// From the start: only what is asked for now.
	dcbench(t, context.Background(), exitOK, "qp", "--classes", "eqqp", "--sizes", "4", "--solvers", "ipm", "--resume=false", "--out", out, "-q")
	if rows, err := csvtable.Read[result.Row](filepath.Join(out, "results.csv")); err != nil || len(rows) != 1 {
		t.Errorf("anew: %d rows, %v", len(rows), err)
	}
}

func TestSequence(t *testing.T) {
	out := t.TempDir()
	dcbench(t, context.Background(), exitOK, "qp", "--sequence", "--repeat", "1", "--solvers", "ipm", "--tol", "1e-4", "--out", out, "-q")
	report, err := os.ReadFile(filepath.Join(out, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Sequence", "| dcopt-ipm 1e-4 |", "| dcopt-ipm 1e-4 update |", "| dcopt-ipm 1e-4 warm |", "| obstacles | 700 | 698 |"} {
		if !strings.Contains(string(report), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

func TestStructured(t *testing.T) {
	out := t.TempDir()
	dcbench(t, context.Background(), exitOK, "qp", "--structured", "linear,few", "--draw", "2", "--only", "^(transport-8-1|totals-6-1)$",
		"--repeat", "1", "--solvers", "ipm", "--out", out, "-q")
	rows, err := csvtable.Read[result.Row](filepath.Join(out, "results.csv"))
	if err != nil || len(rows) != 2 || rows[0].Group != "structured-linear-2" || rows[1].Group != "structured-few-2" {
		t.Fatalf("%+v, %v", rows, err)
	}
	for _, r := range rows {
		if !r.Solved(1e-6, "wall") {
			t.Errorf("%+v", r)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, stderr := dcbench(t, ctx, exitInterrupted, "qp", "--classes", "lasso", "--sizes", "4", "--solvers", "ipm", "--out", t.TempDir())
	if !strings.Contains(stderr, "goes on from here") {
		t.Errorf("stderr %q", stderr)
	}
}

func TestWrongUsage(t *testing.T) {
	out := t.TempDir()
	for _, c := range []struct {
		args string
		want string
	}{
		{"", "which command"},
		{"nonsense", "nonsense"},
		{"qp", "--classes"},
		{"qp x", "unexpected argument"},
		{"qp --classes nonsense", "eqqp"},
		{"qp --classes lasso --sizes 0", "small, medium, large"},
		{"qp --classes lasso --solvers nonsense", "ipm"},
		{"qp --classes lasso --solvers ipm,ipm", "twice"},
		{"qp --classes lasso --solvers none", "no solvers"},
		{"qp --classes lasso --peers nonsense --python " + os.Args[0], "piqp"},
		{"qp --classes lasso --peers piqp --python /nowhere/python", "make peers"},
		{"qp --classes lasso --tol 2", "between 0 and 1"},
		{"qp --classes lasso --tol nan", "between 0 and 1"},
		{"qp --classes lasso --tol ,", "empty"},
		{"qp --classes lasso --time-limit 0s", "--time-limit"},
		{"qp --classes lasso --repeat 0", "--repeat"},
		{"qp --classes lasso --only [", "--only"},
		{"qp --classes lasso --clock sun", "cpu or wall"},
		{"qp --classes lasso --level nan", "--level"},
		{"qp --structured nonsense", "squares,linear,few"},
		{"qp --structured few --draw 0", "draw 0: want 1 to 1000"},
		{"qp --cones nonsense", "soc-large"},
		{"qp --cones exp --cone-seeds 0", "--cone-seeds"},
		{"qp --lder --lder-size 3", "SAMPLES,FEATURES"},
		{"qp --lder --lder-size 3,x", "x"},
		{"qp --dir /nowhere", "/nowhere"},
		{"qp --nonsense", "nonsense"},
		{"report", "folder"},
		{"report " + out, "results.csv"},
		{"worker", "backend"},
		{"worker nonsense", "nonsense"},
	} {
		args := strings.Fields(c.args)
		if len(args) > 0 && args[0] == "qp" {
			args = append([]string{"qp", "--out", out}, args[1:]...)
		}
		if _, stderr := dcbench(t, context.Background(), exitFailed, args...); !strings.Contains(stderr, c.want) {
			t.Errorf("dcbench %s says %q, want %q in it", c.args, stderr, c.want)
		}
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("wrong usage leaves %v, %v", left, err)
	}
}

// TestAgainst: a solver that the table does not have is refused.
func TestAgainst(t *testing.T) {
	out := t.TempDir()
	dcbench(t, context.Background(), exitOK, "qp", "--classes", "eqqp", "--sizes", "4", "--solvers", "ipm", "--out", out, "-q")
	_, stderr := dcbench(t, context.Background(), exitFailed, "report", "--against", "piqp", out)
	if !strings.Contains(stderr, "dcopt-ipm") {
		t.Errorf("%q does not say what there is", stderr)
	}
}

func TestBar(t *testing.T) {
	var b bytes.Buffer
	tell, end := bar(&b)
	for k := range 4 {
		tell(k, 3, "problem", "solver")
	}
	end()
	if !strings.Contains(b.String(), "problem solver") {
		t.Errorf("the bar says %q", b.String())
	}
	_, end = bar(&b)
	end() // without a measurement
}
