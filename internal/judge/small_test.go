package judge

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/judge/exact"
)

// smallKnown are the problems of testdata that are still answered wrongly, with
// the cause. One that is right fails the test until it is taken out.
var smallKnown = map[string]string{}

// TestSmall solves the problems of testdata: the smallest with each kind of
// wrong answer that a run has found. A line says what is right:
//
//	# right: optimum V       converged, with the objective V to 1e-6
//	# right: solved          converged
//	# right: infeasible      or unbounded: the status
//
// A converged point keeps all bounds exactly, and rows to feas_tol.
func TestSmall(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.dc"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".dc")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			wrong := judgeSmallFile(t, string(text))
			switch why := smallKnown[name]; {
			case wrong != "" && why == "":
				t.Error(wrong)
			case wrong == "" && why != "":
				t.Errorf("is right now: take it out of the known failures (%s)", why)
			case wrong != "":
				t.Logf("known, %s: %s", why, wrong)
			}
		})
	}
	for name := range smallKnown {
		if _, err := os.Stat(filepath.Join("testdata", name+".dc")); err != nil {
			t.Error(err)
		}
	}
}

// judgeSmallFile says what is wrong with the answer to a file; "": nothing.
func judgeSmallFile(t *testing.T, text string) string {
	t.Helper()
	_, right, ok := strings.Cut(text, "# right: ")
	right, _, _ = strings.Cut(right, "\n")
	word, number, _ := strings.Cut(right, " ")
	want, err := strconv.ParseFloat(number, 64)
	if !ok || word == "optimum" && err != nil {
		t.Fatalf("no line that says what is right: %q", right)
	}
	o := solve(text)
	ans := &o.answer
	switch {
	case !o.ran:
		return string(o.kind) + ": " + o.text
	case word == "infeasible" || word == "unbounded":
		if ans.Status != word {
			return "is " + ans.Status + ", want " + word
		}
		return ""
	case ans.Status != ccp.Converged.String():
		return "is " + ans.Status + " at " + exact.Vector(ans.X) + ", want converged"
	case !(ans.Violation <= ans.FeasTol):
		return "converged with the violation " + strconv.FormatFloat(ans.Violation, 'g', 3, 64)
	case word == "optimum" && !(math.Abs(ans.Objective-want) <= 1e-6*math.Abs(want)):
		return "has the objective " + strconv.FormatFloat(ans.Objective, 'g', 17, 64) + ", want " + number
	}
	for _, v := range compiled(t, text).Problem.Program().Vars {
		for k := range v.Len() {
			if lo, hi := v.Bounds(k); ans.X[v.Offset+k] < lo || ans.X[v.Offset+k] > hi {
				return "x = " + exact.Vector(ans.X) + " is outside its bounds"
			}
		}
	}
	return ""
}
