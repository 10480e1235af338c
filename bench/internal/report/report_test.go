package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/internal/report"
	"github.com/dcopt/dcopt/bench/internal/result"
)

func row(instance, solver string, ms, residual float64) result.Row {
	return result.Row{
		Group: "files", Instance: instance, N: 3, M: 4, NNZ: 5, Solver: solver, Tol: "default", Mode: "fresh", Limit: 10, Repeat: 1,
		Version: solver + " 1", Status: "solved", Iterations: 10, Wall: 2 * ms / 1000, CPU: ms / 1000, Setup: ms / 4000,
		Primal: residual, Objective: 1,
	}
}

// sample: "mine" is slower on B, faster on A, fails on C, alone solves D, and
// both fail on E.
func sample() []result.Row {
	killed := row("D", "theirs", math.NaN(), 0).Nowhere()
	killed.Status, killed.Message = "killed", "a | b"
	late := row("E", "theirs", 11000, 1e-10)
	return []result.Row{
		row("B", "mine", 30, 1e-7), row("B", "theirs", 10, 1e-10),
		row("A", "mine", 5, 1e-10), row("A", "theirs", 10, 1e-10),
		row("C", "mine", 7, 1e-4), row("C", "theirs", 8, 1e-10),
		row("D", "mine", 100, 1e-10), killed,
		row("E", "mine", 1, 1), late,
		row("F", "mine", 1, 1e-10), // not yet measured with theirs
	}
}

func options() report.Options {
	return report.Options{Clock: "cpu", Level: 1e-6, Against: "theirs", Own: []string{"mine"}}
}

func TestCompare(t *testing.T) {
	g := report.Groups(sample())[0]
	var got []string
	for _, r := range g.Compare("mine", "theirs", options()) {
		got = append(got, fmt.Sprintf("%s %.1f", r.Instance, r.Ratio))
	}
	if s, want := strings.Join(got, ", "), "C +Inf, B 3.0, A 0.5, D 0.0, E NaN"; s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

func TestWrite(t *testing.T) {
	var r page.Report
	report.Write(&r, report.Groups(sample()), options(), func(g string) string { return g + ".svg" })
	text := r.Markdown()
	for _, want := range []string{
		"Problems: 5 (1 more, not yet measured with all solvers, are left out here)",
		// mine at 1e-6: exp(mean of log(t + 10 ms)) − 10 ms of 5, 30, 100 ms and
		// twice 10 s.
		"| mine | 5 | 4 | 3 | 2 | 92.3 | 357 | 1096 | 2.00 |",
		"| theirs | 4 | 3 | 3 | 3 | 225 | 225 | 225 | 2.00 |",
		"| C | 3 | 4 | 5 | (7.00) | 8.00 |",
		"| D | 3 | 4 | 5 | 100 | (killed) |",
		"| F | 3 | 4 | 5 | 1.00 | |",
		"it is faster on 2 of 5. The geometric mean of the ratio where both solve is 1.22.",
		"| B | 3 | 4 | 5 | 30.0 | 10 | 10.0 | 10 | 3.00 | 3.00 | 3.00 |",
		"| D | theirs | killed | - | - | a / b |",
		"| E | theirs | solved | 1.0e-10 | 11.00 | |",
		"![Performance profile of files](files.svg)",
		"- mine: mine 1\n- theirs: theirs 1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestObjectives: their largest difference where both solve is told, and that of
// infeasible problems is none.
func TestObjectives(t *testing.T) {
	rows := sample()
	rows[0].Objective = 1 + 3e-5 // B, mine
	rows[4].Objective = 2        // C, which mine does not solve
	for _, s := range []string{"mine", "theirs"} {
		r := row("G", s, 1, 1e-12)
		r.Objective, r.Status = math.Inf(1), "primal_infeasible"
		rows = append(rows, r)
	}
	var r page.Report
	report.Write(&r, report.Groups(rows), options(), func(string) string { return "" })
	text := r.Markdown()
	for _, want := range []string{
		"the objectives differ by at most 3.0e-05, relative to max(1, |objective|), on B.",
		"| mine | 6 | 5 | 4 | 3 |", // a proof counts as solved
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}

// TestProfiles reads the pictures back.
func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	svg, pngFile := filepath.Join(dir, "p.svg"), filepath.Join(dir, "p.png")
	onlyFailures := []result.Row{row("A", "mine", 1, 1), row("A", "theirs", 1, 1)}
	for name, rows := range map[string][]result.Row{"sample": sample(), "failures": onlyFailures} {
		g := report.Groups(rows)[0]
		if g.HasProfile() != (name == "sample") {
			t.Errorf("%s: a profile of one problem, or none of several", name)
		}
		if err := g.Plot(options(), svg, pngFile); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f, err := os.Open(pngFile)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil || img.Bounds().Dx() < 300 {
			t.Errorf("%s: no picture: %v", name, err)
		}
		data, err := os.ReadFile(svg)
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(bytes.NewReader(data)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if !bytes.Contains(data, []byte("mine")) || !bytes.Contains(data, []byte("theirs")) {
			t.Errorf("%s: the solvers are not named", name)
		}
	}
}

// TestModes: a mode that a solver lacks has no place in the report.
func TestModes(t *testing.T) {
	warm, none := row("A", "mine", 1, 0), row("A", "theirs", 1, 0)
	warm.Mode, none.Mode, none.Status = "warm", "warm", "unsupported"
	g := report.Groups([]result.Row{row("A", "mine", 1, 0), row("A", "theirs", 1, 0), warm, none})
	if got := strings.Join(g[0].Contenders, ", "); got != "mine, theirs, mine warm" {
		t.Errorf("contenders %s", got)
	}
}
