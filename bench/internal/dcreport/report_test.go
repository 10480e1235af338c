package dcreport_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/dcreport"
	"github.com/dcopt/dcopt/bench/internal/dcrun"
	"github.com/dcopt/dcopt/bench/internal/page"
)

func row(problem, part, solver, status string, seconds, objective, violation float64) dcrun.Row {
	r := dcrun.Row{
		Group: "families", Problem: problem, Part: part, Solver: solver, Limit: 60, Version: "1", Status: status,
		Wall: 2 * seconds, CPU: seconds, Objective: objective, Violation: violation, Missed: math.NaN(),
	}
	if math.IsNaN(objective) {
		r.Wall, r.CPU, r.Message = math.NaN(), math.NaN(), "no | point"
	}
	return r
}

func rows() []dcrun.Row {
	nan := math.NaN()
	all := []dcrun.Row{
		row("a", "", "dcopt", "converged", 9, 7, 0), // measured again below
		row("a", "", "dcopt", "converged", 0.5, 4, 0),
		row("a", "", "other", "converged", 2, 4.2, 0),
		row("b", "0", "dcopt", "converged", 1, 2, 0),
		row("b", "1", "dcopt", "converged", 1, 2.8, 0),
		row("b", "0", "other", "converged", 16, 2, 0),
		row("b", "1", "other", "converged", 16, 2.7, 0),
		row("c", "", "dcopt", "converged", 1, -1, 0),
		row("c", "", "other", "infeasible", 3, -9, 0.5),
		row("d", "", "dcopt", "converged", 1, 1, 0),
		row("d", "", "other", "killed", nan, nan, nan),
		row("e", "", "dcopt", "converged", 1, 1, 0),
		row("f", "", "dcopt", "converged", 1, 1, 0),
		row("f", "", "other", "converged", 2, 1.5, 0), // too far above
		row("e", "", "other", dcrun.Unsupported, nan, nan, nan),
	}
	for k := range all {
		if all[k].Problem == "b" {
			all[k].Missed = 0.005 * float64(k%2)
			if all[k].Part == "1" {
				all[k].Missed = 1
			}
		}
	}
	return all
}

func TestWrite(t *testing.T) {
	opt := dcreport.Options{Clock: "cpu", Feasible: 1e-4, Against: "dcopt"}
	groups := dcreport.Groups(rows(), opt)
	var p page.Report
	dcreport.Write(&p, groups, opt, func(string) dcreport.Pictures {
		return dcreport.Pictures{Profile: "p.svg", Times: "t.svg", Convergence: []string{"x.svg"}}
	})
	text := p.Markdown()
	for _, want := range []string{
		"| a | 0.500 | 2.00 |\n",
		"| b, 2 parts | 2.00 | 32.0 |\n",
		"| c | 1.00 | (3.00) |\n", "| f | 1.00 | (2.00) |\n",
		"| d | 1.00 | (killed) |\n",
		"| e | 1.00 | |\n",
		"| a | 4.00 |\n", "| b | 16.0 |\n", "| c | (3.00) |\n", "| f | (2.00) |\n", "| d | |\n",
		"| geometric mean | 8.00 of 2 |\n",
		"| a | 4 | 0 | 5.0e-02 |\n",
		"| b, 2 parts | | 3.7e-02; 1 recovered | 0; 1 recovered |\n",
		"| c | -1 | 0 | - / 0 of 1, 5.0e-01 |\n",
		"| a | 0 of 1 |\n", "| b | 1 of 2 (3.7e-02) |\n",
		"| d | | other | killed | no / point |\n",
		"](p.svg)", "](t.svg)", "### Convergence, families\n", "![x](x.svg)", "- other: 1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
	opt.Clock = "wall"
	if r := groups[0].Ratio("other", "b", opt); r.Value != 16 || r.Parts != 2 || !r.Fair {
		t.Errorf("ratio %+v", r)
	}
}

func TestPlot(t *testing.T) {
	opt := dcreport.Options{Clock: "wall", Feasible: 1e-4, Against: "dcopt"}
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "profile.svg"), filepath.Join(dir, "times.svg")}
	if err := dcreport.Groups(rows(), opt)[0].Plot(opt, paths[:1], paths[1:]); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), "other") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestPlotConvergence: the distance is to the best of all solvers, of the part.
func TestPlotConvergence(t *testing.T) {
	opt := dcreport.Options{Clock: "wall", Feasible: 1e-4, Against: "dcopt"}
	g := dcreport.Groups(rows(), opt)[0]
	history := func(problem, part string, objectives ...float64) dcrun.History {
		h := dcrun.History{Group: "families", Problem: problem, Part: part, Solver: "dcopt"}
		for _, v := range objectives {
			h.Objectives, h.Violations = append(h.Objectives, v), append(h.Violations, 0.5)
		}
		return h
	}
	all := []dcrun.History{history("b", "1", 5.4, 2.7), history("b", "0", 1, 2), history("a", "", 4), history("a", "", 1), history("z", "", 1)}
	all[3].Solver = "gone"
	other := history("a", "", 1)
	other.Group = "reference"
	all = append(all, other)
	got := g.Convergence(all)
	if len(got) != 2 || got[0].Problem != "a" || got[1].Problem != "b" || len(got[0].Lines) != 1 || len(got[1].Lines) != 2 {
		t.Fatalf("%+v", got)
	}
	if gap := got[1].Lines[0].Gap; math.Abs(gap[0]-1) > 1e-15 || gap[1] != 0 {
		t.Errorf("gaps %v, want 1 and 0", gap)
	}
	if l := got[1].Lines[1]; l.Name != "dcopt" || l.Gap[0] != 0.5 || l.Violation[0] != 0.5 {
		t.Errorf("%+v, want the distance from below too", l)
	}
	path := filepath.Join(t.TempDir(), "c.svg")
	if err := got[1].Plot(path); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "dcopt") {
		t.Errorf("%s: %v", path, err)
	}
}
