package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/picture"
)

// shapes counts the elements of a drawing and collects its texts; it fails on
// what is not well-formed or lies outside the picture.
func shapes(t *testing.T, svg []byte) (count map[string]int, texts []string) {
	t.Helper()
	count = map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return count, texts
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			count[e.Name.Local]++
			for _, a := range e.Attr {
				switch a.Name.Local {
				case "x", "y", "x1", "y1", "x2", "y2", "cx", "cy":
					if v, err := strconv.ParseFloat(a.Value, 64); err != nil || !(v >= 0 && v <= 720) {
						t.Errorf("%s has %s = %s", e.Name.Local, a.Name.Local, a.Value)
					}
				case "points":
					if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
						t.Errorf("points %s", a.Value)
					}
				}
			}
		case xml.CharData:
			if s := strings.TrimSpace(string(e)); s != "" {
				texts = append(texts, s)
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
		{"none", nil, 0, 0, "objective|largest violation|iteration|no iterations"},
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
		{"huge", run(4, func(k int) (float64, float64) { return math.MaxFloat64 * (float64(k-2) / 2), 1e300 }), 2, 8, "1e300"},
		{"tiny", run(4, func(k int) (float64, float64) { return 1e-300 * float64(k), 1e-300 }), 2, 8, "1e-300"},
		{"same", run(4, func(int) (float64, float64) { return 1.0 / 3, 1e-9 }), 2, 8, "0.34"},
	} {
		count, texts := shapes(t, picture.History("a <b> & \x1b.dc", c.history))
		if count["polyline"] != c.lines || count["circle"] != c.points || texts[0] != "a <b> & \ufffd.dc" {
			t.Errorf("%s: %d lines, %d points, title %q; want %d, %d", c.name, count["polyline"], count["circle"], texts[0], c.lines, c.points)
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

// TestPlot: a solve writes the picture beside its result.
func TestPlot(t *testing.T) {
	dir := t.TempDir()
	svg := filepath.Join(dir, "run.SVG")
	var stdout, stderr bytes.Buffer
	args := []string{"solve", "-", "--plot", svg}
	problem := "var x in [-3, 3] start 2\nminimize abs(x) - x^2\nsubject to\n  c: x^2 >= 1\n"
	if code := run(context.Background(), args, strings.NewReader(problem), &stdout, &stderr); code != exitOK || !strings.Contains(stdout.String(), "converged") {
		t.Fatalf("code %d: %s%s", code, stdout.String(), stderr.String())
	}
	raw, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	if count, _ := shapes(t, raw); count["polyline"] != 2 || count["rect"] != 3 {
		t.Errorf("%v in\n%s", count, raw)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%d files, want the picture alone; %v", len(files), err)
	}
}
