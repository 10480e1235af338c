//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/shared"
)

// casesDir is the folder of problems that were once answered wrongly, stalled or
// were refused.
func casesDir(t *testing.T) string { return shared.Path(t, "data", "cases") }

// caseOf is a file of the cases with what is right about it.
type caseOf struct {
	file  string // from the folder of cases
	args  []string
	right func(c *caseRun) string // what is wrong; "": nothing
}

// caseRun is what the program says about a case.
type caseRun struct {
	t         *testing.T
	path      string
	code      int
	stderr    string
	Status    string
	Objective *float64
	Violation *float64 `json:"max_violation"`
	Iteration int      `json:"iterations"`
	Bound     *float64
	Variables map[string]json.RawMessage
	Duals     map[string]json.RawMessage
	Message   string
	Feasible  bool
	Bounds    map[string]json.RawMessage   `json:"bound_duals"`
	None      *struct{ Constraint string } `json:"no_multipliers"`
	Loose     *struct {
		Row       string
		Objective float64
	} `json:"tolerance_decides"`
	text []byte
}

// runCase solves a file, with JSON.
func runCase(t *testing.T, path string, args ...string) *caseRun {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := &caseRun{t: t, path: path}
	c.code = run(context.Background(), append([]string{"solve", path, "--json", "--quiet", "--time-limit", "600"}, args...), strings.NewReader(""), &stdout, &stderr)
	c.stderr = stderr.String()
	if c.text = stdout.Bytes(); stdout.Len() > 0 {
		if err := json.Unmarshal(c.text, c); err != nil {
			t.Fatalf("%s: %v in %s", path, err, stdout.String())
		}
	}
	return c
}

// TestCases holds every file of the cases against what is right about it.
func TestCases(t *testing.T) {
	dir := casesDir(t)
	listed := map[string]bool{}
	for _, k := range cases() {
		listed[k.file] = true
		t.Run(strings.TrimSuffix(k.file, ".dc"), func(t *testing.T) {
			if wrong := k.right(runCase(t, filepath.Join(dir, filepath.FromSlash(k.file)), k.args...)); wrong != "" {
				t.Error(wrong)
			}
		})
	}
	for _, sub := range []string{"answers", "answers/boolls", "models", "refused"} {
		files, err := filepath.Glob(filepath.Join(dir, sub, "*.dc"))
		if err != nil || len(files) == 0 {
			t.Errorf("no files in %s: %v", sub, err)
		}
		for _, f := range files {
			if name := sub + "/" + filepath.Base(f); !listed[name] {
				t.Errorf("%s is not in the table", name)
			}
		}
	}
}

// about says what the run came to.
func (c *caseRun) about() string {
	if c.Status == "" {
		return fmt.Sprintf("code %d, %s", c.code, c.stderr)
	}
	return fmt.Sprintf("%s, objective %.10g, violation %.3g, %s", c.Status, c.objective(), c.violation(), c.Message)
}

func (c *caseRun) objective() float64 { return orNaN(c.Objective) }
func (c *caseRun) violation() float64 { return orNaN(c.Violation) }

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// number is a variable, numbers a vector, matrix one of two indices.
func (c *caseRun) number(name string) float64 { return read[float64](c, c.Variables, name) }
func (c *caseRun) numbers(name string) []float64 {
	return read[[]float64](c, c.Variables, name)
}
func (c *caseRun) matrix(name string) [][]float64 {
	return read[[][]float64](c, c.Variables, name)
}

func read[T any](c *caseRun, from map[string]json.RawMessage, name string) (v T) {
	if raw, ok := from[name]; ok {
		if err := json.Unmarshal(raw, &v); err != nil {
			c.t.Errorf("%s: %s: %v", c.path, name, err)
		}
	}
	return v
}

// solved: converged, with no constraint broken by more than 1e-6.
func solved(c *caseRun) string {
	if c.Status != "converged" || c.code != exit.OK || !(c.violation() <= 1e-6) {
		return c.about() + "; want converged and feasible"
	}
	return ""
}

// optimum: solved, with the objective want to the relative tolerance tol.
func optimum(want, tol float64) func(*caseRun) string {
	return func(c *caseRun) string {
		if wrong := solved(c); wrong != "" {
			return fmt.Sprintf("%s, %g", wrong, want)
		}
		if !(math.Abs(c.objective()-want) <= tol*math.Max(math.Abs(want), 1e-3)) {
			return fmt.Sprintf("%s; want %.10g", c.about(), want)
		}
		return ""
	}
}

// between: solved, with an objective in [lo, hi].
func between(lo, hi float64) func(*caseRun) string {
	return func(c *caseRun) string {
		if wrong := solved(c); wrong != "" {
			return wrong
		}
		if !(c.objective() >= lo && c.objective() <= hi) {
			return fmt.Sprintf("%s; want %.10g to %.10g", c.about(), lo, hi)
		}
		return ""
	}
}

// status: the run ends with it, and with its code.
func status(want string) func(*caseRun) string {
	return func(c *caseRun) string {
		if c.Status != want || c.code != exit.NotSolved {
			return c.about() + "; want " + want
		}
		return ""
	}
}

// all is the first that is wrong.
func all(checks ...func(*caseRun) string) func(*caseRun) string {
	return func(c *caseRun) string {
		for _, f := range checks {
			if wrong := f(c); wrong != "" {
				return wrong
			}
		}
		return ""
	}
}

// truly: solved, and the objective that is reported is that of f.
func truly(f func(c *caseRun) float64) func(*caseRun) string {
	return func(c *caseRun) string {
		want := f(c)
		if !(math.Abs(c.objective()-want) <= 1e-7*math.Max(1, math.Abs(want))) {
			return fmt.Sprintf("%s; the point has %.10g", c.about(), want)
		}
		return ""
	}
}

// holds: where the run says converged, the rows that f gives are at most 1e-6.
func holds(f func(c *caseRun) []float64) func(*caseRun) string {
	return func(c *caseRun) string {
		if c.Status != "converged" {
			return ""
		}
		for k, v := range f(c) {
			if !(v <= 1e-6) {
				return fmt.Sprintf("%s; row %d is broken by %g", c.about(), k+1, v)
			}
		}
		return ""
	}
}

// scaled: with the parameter s the same answer as with s = 1, times s.
func scaled(s float64) func(*caseRun) string {
	return func(c *caseRun) string {
		one := runCase(c.t, c.path, "--set", "s=1")
		if c.Status != one.Status || !(math.Abs(c.objective()/s-one.objective()) <= 1e-3*math.Abs(one.objective())) {
			return fmt.Sprintf("%s; with s = 1: %s", c.about(), one.about())
		}
		return ""
	}
}

// caseTable reads a table of numbers beside the case, without its header.
func (c *caseRun) table(name string) [][]float64 {
	f, err := os.Open(filepath.Join(filepath.Dir(c.path), name))
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		c.t.Fatal(err)
	}
	var out [][]float64
	for k, row := range rows {
		v := make([]float64, len(row))
		for j, field := range row {
			if v[j], err = strconv.ParseFloat(field, 64); err != nil {
				break
			}
		}
		if err == nil {
			out = append(out, v)
		} else if k > 0 {
			c.t.Fatal(err)
		}
	}
	return out
}
