//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/picture"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/scene"
)

// seen is what a drawing holds.
type seen struct {
	count map[string]int // of elements
	texts []string
}

// look reads a drawing; it fails where that is not well-formed or a number is none.
func look(t *testing.T, svg []byte) (s seen) {
	t.Helper()
	s.count = map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return s
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			s.count[e.Name.Local]++
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s has %s = %s", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			if text := strings.TrimSpace(string(e)); text != "" {
				s.texts = append(s.texts, text)
			}
		}
	}
}

func TestHistoryPicture(t *testing.T) {
	run := func(n int, f func(k int) (objective, violation float64)) []ccp.Iteration {
		var out []ccp.Iteration
		for k := range n {
			o, v := f(k)
			out = append(out, ccp.Iteration{K: k + 1, Objective: o, Violation: v})
		}
		return out
	}
	for _, c := range []struct {
		name          string
		history       []ccp.Iteration
		lines, points int
		labels        string // some of the texts
	}{
		{"none", nil, 0, 0, "a <b> & \ufffd.dc: nothing to draw"},
		{"one", run(1, func(int) (float64, float64) { return 3, 0 }), 0, 2, "1|0|3.0"},
		{"usual", run(10, func(k int) (float64, float64) { return 100 / float64(k+1), math.Pow(10, float64(-k)) }), 2, 20, "1e0|1e-6|0|20|100|2|10"},
		{"zeros", run(5, func(k int) (float64, float64) { return float64(k), 0 }), 2, 10, "1e0|1e-6|0|4"},
		{"gaps", run(9, func(k int) (float64, float64) {
			if k == 4 {
				return math.NaN(), math.Inf(1)
			}
			return float64(-k), 0.1
		}), 4, 16, "-8|-4|1e-1"},
		{"many", run(1000, func(k int) (float64, float64) { return 1e9 + float64(k), 5 }), 2, 0, "200|1000|1e1"},
		{"huge", run(4, func(k int) (float64, float64) { return math.MaxFloat64 / 100 * (float64(k-2) / 2), 1e300 }), 2, 8, "1e300"},
		{"tiny", run(4, func(k int) (float64, float64) { return 1e-300 * float64(k), 1e-300 }), 2, 8, "1e-300"},
		{"same", run(4, func(int) (float64, float64) { return 1.0 / 3, 1e-9 }), 2, 8, "0.34"},
	} {
		panels := picture.Run(c.history, false)
		lines, points := 0, 0
		for _, p := range panels {
			for _, m := range p.Marks {
				lines += len(m.Lines)
				points += len(m.X)
			}
		}
		if lines != c.lines || points != c.points {
			t.Errorf("%s: %d lines, %d points; want %d, %d", c.name, lines, points, c.lines, c.points)
		}
		svg, err := picture.Draw("a <b> & \x1b.dc", nil, panels, ".svg", picture.DefaultSize())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		texts := look(t, svg).texts
		if !strings.HasPrefix(texts[0], "a <b> & \ufffd.dc") {
			t.Errorf("%s: the title is %q", c.name, texts[0])
		}
		all := "|" + strings.Join(texts, "|") + "|"
		for _, want := range strings.Split(c.labels, "|") {
			if !strings.Contains(all, "|"+want+"|") {
				t.Errorf("%s: no text %q among %s", c.name, want, all)
			}
		}
		if len(texts) > 50 {
			t.Errorf("%s: %d texts", c.name, len(texts))
		}
	}
}

// TestPlot: a solve writes the picture beside its result, in both formats, always the same.
func TestPlot(t *testing.T) {
	const problem = "var x[2] in [-3, 3] start 2\nminimize sum(abs(x)) - sumsq(x)\nsubject to\n  c: x[1]^2 >= 1\nplot points([x; 0 0]) \"here\", circles(x, 1)  title \"Where\""
	dir := t.TempDir()
	drawn := map[string][]byte{}
	for _, args := range []string{"a.SVG --panels all", "b.svg --panels all", "c.svg", "d.svg --panels run", "e.png --width 480 --dpi 192", "f.png --width 480 --dpi 192"} {
		name, flags, _ := strings.Cut(args, " ")
		path := filepath.Join(dir, name)
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), append([]string{"solve", "-", "--plot", path}, strings.Fields(flags)...), strings.NewReader(problem), &stdout, &stderr)
		if code != exit.OK || !strings.Contains(stdout.String(), "converged") {
			t.Fatalf("code %d: %s%s", code, stdout.String(), stderr.String())
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		drawn[name[:1]] = raw
	}
	if !bytes.Equal(drawn["a"], drawn["b"]) || !bytes.Equal(drawn["e"], drawn["f"]) || bytes.Equal(drawn["a"], drawn["c"]) {
		t.Error("pictures of the same differ, or of another are the same")
	}
	for name, want := range map[string][2]bool{"a": {true, true}, "c": {true, false}, "d": {false, true}} {
		texts := look(t, drawn[name]).texts
		for k, words := range [][]string{{"Where", "here"}, {"objective", "largest violation"}} {
			for _, w := range words {
				if slices.Contains(texts, w) != want[k] {
					t.Errorf("picture %s has the text %q: %v, want %v", name, w, !want[k], want[k])
				}
			}
		}
	}
	if p, err := png.Decode(bytes.NewReader(drawn["e"])); err != nil || p.Bounds().Dx() != 960 {
		t.Errorf("the .png is no picture of 960 dots: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 6 {
		t.Errorf("%d files, want the pictures alone; %v", len(files), err)
	}
}

// TestRunOfHops: hops are grey lines of their own, the best feasible value so far goes in steps to
// the answer, and a run of feasible points has no panel of violations.
func TestRunOfHops(t *testing.T) {
	var history []ccp.Iteration
	for k, v := range []float64{5, 3, 4, 1, 2, 2} {
		history = append(history, ccp.Iteration{K: k + 1, Hop: k / 2, Objective: v, Feasible: k != 3})
	}
	p := picture.Run(history, false)
	if len(p) != 2 {
		t.Fatalf("%d panels, want 2: an iteration is not feasible", len(p))
	}
	marks := map[string][]scene.Mark{}
	for _, m := range p[0].Marks {
		marks[m.Label] = append(marks[m.Label], m)
	}
	best, answer := marks["best so far"][0].Lines[0], marks["answer"][0]
	if got := fmt.Sprint(best.Y, answer.X, answer.Y); got != "[5 5 3 3 3 3 2 2] [5] [2]" {
		t.Errorf("the best so far and the answer are %s", got)
	}
	if lines := marks[""]; len(lines[0].Lines) != 2 || lines[0].Color == lines[2].Color || len(lines[2].Lines) != 1 {
		t.Errorf("hops and descent are %+v", lines)
	}
	history[3].Feasible = true
	if p := picture.Run(history, true); len(p) != 1 || p[0].XLabel != "iteration" {
		t.Errorf("%d panels of a feasible run", len(p))
	}
}

// TestSizes: sizes beyond the limits, and without a picture, are refused.
func TestSizes(t *testing.T) {
	for _, flags := range []string{"--width 960", "--dpi 300", "--plot p.png --width 9", "--plot p.png --dpi 6000", "--plot p.png --width 4000 --dpi 600"} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"solve", "-"}, strings.Fields(flags)...)
		if code := run(context.Background(), args, strings.NewReader("var x in [1, 2]\nminimize x"), &stdout, &stderr); code != exit.Usage {
			t.Errorf("%s: code %d, %s", flags, code, stderr.String())
		}
	}
}

// TestTitle: the first sentence of the comment at the beginning is the title of several panels.
func TestTitle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.svg")
	for _, comment := range []string{"two numbers. More of them.", "two numbers.", "two numbers", "two numbers\n# More of them", "two numbers, or\n# more: three."} {
		var stdout, stderr bytes.Buffer
		src := "# " + comment + "\nvar x[2], y[2]\nminimize sumsq(x) + sumsq(y)\nplot bars(x)\nplot bars(y)"
		if code := run(context.Background(), []string{"solve", "-", "--plot", path}, strings.NewReader(src), &stdout, &stderr); code != exit.OK {
			t.Fatal(stderr.String())
		}
		if raw, err := os.ReadFile(path); err != nil || !slices.Contains(look(t, raw).texts, "Two numbers") {
			t.Errorf("%q: the title is not drawn: %v", comment, err)
		}
	}
}

// TestPlotOfNothing: a solution without a picture is no failure.
func TestPlotOfNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.svg")
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"solve", "-", "--plot", path, "--panels", "solution"}, strings.NewReader("var x in [1, 2]\nminimize x"), &stdout, &stderr)
	if code != exit.OK || !strings.Contains(stderr.String(), "nothing in the solution to draw") {
		t.Errorf("code %d: %s", code, stderr.String())
	}
	if raw, err := os.ReadFile(path); err != nil || !slices.Contains(look(t, raw).texts, "objective") {
		t.Errorf("the run is not drawn: %v", err)
	}
}

// TestSceneDrawings: every kind of mark is drawn, where numbers are extreme, too.
func TestSceneDrawings(t *testing.T) {
	const src = "var x[3], y[3]\nminimize sum(x) + sum(y)\nplot points(x, y, x) \"p\", circles(x, y, 1) \"c\", path(x, y), links(x, y, y, x, [1 0 0; 0 2 0; 0 0 0.5]) \"l\"\n" +
		"plot signal([x; y]) \"s\", bars([x; y]) \"b\"  title \"\x1b<&>\" xlabel \"t\" ylabel \"v\"\nplot matrix([x; y; x])\nplot fit(x, y, x)\nplot rects(x, y, [1, 2, 3], [1, 1, 1]), labels(x, y, {\"a\", \"b\", \"c\"})\nplot decibels(x)\nplot points(x, y, 1.5*x), matrix(zeros(40, 40)), motion(x, y, 2), matrix(x, y, [x; y; x])"
	f, err := lang.Parse("s.dc", []byte(strings.ReplaceAll(src, "\x1b", "\u2028")))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := lang.Compile(context.Background(), f, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range [][]float64{{1, 2, 3, 3, 1, 2}, {0, 0, 0, 0, 0, 0}, {1e300, -1e300, 1, 5, 1e-300, 0}, {1e-320, 0, 0, 7, 7, 7}, {math.Inf(1), math.NaN(), 1, 2, 3, 4}, {1e15, 1e15 + 2, 1e15, 1, 1, 1}} {
		s := scene.Of(prog, x)
		if len(s.Panels) < 3 {
			t.Errorf("%d panels at %v", len(s.Panels), x)
		}
		for _, format := range picture.Formats {
			a, err := picture.Draw("T", s.Panels, nil, format, picture.DefaultSize())
			if err != nil {
				t.Fatalf("at %v: %v", x, err)
			}
			if b, err := picture.Draw("T", s.Panels, nil, format, picture.DefaultSize()); err != nil || !bytes.Equal(a, b) {
				t.Errorf("the same scene has two pictures at %v: %v", x, err)
			}
			if format == ".svg" {
				if texts := look(t, a).texts; !slices.Contains(texts, "\ufffd<&>") || !slices.Contains(texts, "b 2") {
					t.Errorf("the texts at %v are %q", x, texts)
				}
			}
		}
	}
	if _, err := picture.Draw("T", nil, nil, ".gif", picture.DefaultSize()); err == nil {
		t.Error("a format that is none is taken")
	}
}
