//go:build !race

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/shared"
)

// TestStationary: problems at whose answers first-order conditions are hard to meet.
func TestStationary(t *testing.T) {
	for file, right := range map[string]func(*caseRun) string{
		"cases/default/process.dc":   optimum(1161.3366, 1e-6),
		"cases/default/18_neural.dc": between(0, 1e-6),
		"minlp/alkylation.dc":        optimum(1768.806964, 1e-6),
	} {
		t.Run(file, func(t *testing.T) {
			if wrong := right(runCase(t, shared.Path(t, "data", filepath.FromSlash(file)))); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

// verdict is the verdict of verify on the result, and its output.
func (c *caseRun) verdict() (code int, text string) {
	file := filepath.Join(c.t.TempDir(), "result.json")
	if err := os.WriteFile(file, c.text, 0o600); err != nil {
		c.t.Fatal(err)
	}
	var out bytes.Buffer
	code = run(context.Background(), []string{"verify", c.path, file}, nil, &out, &out)
	return code, out.String()
}

// TestNoMultipliers: where the gradients of constraints degenerate the result has no multipliers
// and names one of them, and nothing of it is false. Neither has one that ranges alone show to be
// infeasible.
func TestNoMultipliers(t *testing.T) {
	c := runCase(t, shared.Path(t, "data", "cases", "default", "reactor.dc"), "--effort", "quick")
	if c.Status != "converged" || c.None == nil || len(c.None.Constraint) != 1 ||
		!strings.Contains("abcd", c.None.Constraint) || c.Duals != nil {
		t.Errorf("%s, without multipliers for %v, has %v", c.Status, c.None, c.Duals)
	}
	if code, text := c.verdict(); code != exit.Incomplete {
		t.Errorf("verify ends with %d:\n%s", code, text)
	}
	path := filepath.Join(t.TempDir(), "ranges.dc")
	if err := os.WriteFile(path, []byte("var x in [1e5, 2e5], y in [1e5, 2e5]\nminimize x\nsubject to\n  a: x == y\n  c: x^2 - y^2 <= -.001\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c := runCase(t, path); c.Status != "infeasible" || len(c.Duals) > 0 || len(c.Bounds) > 0 {
		t.Errorf("%s with multipliers %v and %v", c.Status, c.Duals, c.Bounds)
	}
}

// TestNoGap: between two points that a constraint allows, as x(1 - x) <= 0 does, results are right
// and have multipliers or say that there are none.
func TestNoGap(t *testing.T) {
	for text, right := range map[string]func(*caseRun) string{
		"var x in [-1, 2] start .3\nminimize (x - .4)^2\nsubject to\n  c: x*(1 - x) <= 0\n":                                     optimum(.16, 1e-6),
		"var x in [0, 1] start .3, y in [0, 1]\nminimize (x - .4)^2 + (y - x)^2\nsubject to\n  c: x*(1 - x) <= 0\n":             optimum(.16, 1e-6),
		"var x[3] in [0, 1] start .3\nminimize sumsq(x - [.4, .7, .1])\nsubject to\n  c: sum(i in 1..3) x[i]*(1 - x[i]) <= 0\n": optimum(.26, 1e-6),
	} {
		path := filepath.Join(t.TempDir(), "gap.dc")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := runCase(t, path)
		if wrong := right(c); wrong != "" || (c.Duals == nil) != (c.None != nil) {
			t.Errorf("%s%s, multipliers %v, none for %v", text, wrong, c.Duals, c.None)
		}
		if code, found := c.verdict(); code != exit.OK && (c.None == nil || code != exit.Incomplete) {
			t.Errorf("%s: verify ends with %d:\n%s", text, code, found)
		}
	}
}

// TestToleranceDecides: where a violation within the tolerance changes the objective by as much as
// this is, the result names the row, and is feasible if it has converged.
func TestToleranceDecides(t *testing.T) {
	c := runCase(t, shared.Path(t, "data", "cases", "default", "illposed.dc"))
	if c.Loose == nil || c.Loose.Row != "b" && c.Loose.Row != "c" || !(c.Loose.Objective > 1e-3) ||
		!strings.Contains(c.Message, "the tolerance of feasible points decides the objective") {
		t.Errorf("%+v, %q", c.Loose, c.Message)
	}
	if c.Status == "converged" && !c.Feasible {
		t.Error("converged at a point that is not feasible")
	}
	if c := runCase(t, filepath.Join("..", "..", "examples", "control.dc")); c.Loose != nil {
		t.Errorf("of a problem with room: %+v", c.Loose)
	}
}

// TestDualsOfDefinitions: bounds of variables that equations define have their multipliers in
// bound_duals.
func TestDualsOfDefinitions(t *testing.T) {
	c := runCase(t, shared.Path(t, "data", "cases", "default", "process.dc"))
	for name := range c.Duals {
		if len(name) > 1 {
			t.Errorf("duals have %s, a variable", name)
		}
	}
	for _, name := range []string{"x1", "x3", "x10"} {
		if c.Bounds[name] == nil {
			t.Errorf("no multiplier of the bounds of %s", name)
		}
	}
	if code, text := c.verdict(); code != exit.OK {
		t.Errorf("verify ends with %d:\n%s", code, text)
	}
}
