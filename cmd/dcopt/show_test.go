//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/lder"
)

// table writes rows of n features and a target that is bent.
func tableFile(t *testing.T, n, rows int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(20, uint64(n)))
	var b strings.Builder
	for j := range n {
		fmt.Fprintf(&b, "x<%d>,", j)
	}
	b.WriteString("y&z\n")
	for range rows {
		s := 0.0
		for range n {
			v := rng.NormFloat64()
			s += math.Abs(v)
			fmt.Fprintf(&b, "%.4f,", v)
		}
		fmt.Fprintf(&b, "%.4f\n", s+.1*rng.NormFloat64())
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func call(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), args, nil, &stdout, &stderr); code != exit.OK {
		t.Fatalf("%v: code %d\n%s", args, code, stderr.String())
	}
	return stdout.String()
}

// TestModelPlots: pictures are well-formed, have what they should, and are
// drawn by fit and show alike where both have the table.
func TestModelPlots(t *testing.T) {
	for n, want := range map[int][]string{
		1: {"fill:none;stroke:#B03A2E", "stroke-dasharray", "x&lt;0&gt;", "y&amp;z", "fill-opacity:0.90196"},
		2: {"<image", "stroke:#000000;stroke-opacity", "x&lt;1&gt;", "fill-opacity:0.90196"},
		3: {"predicted against observed", "observed", "fill-opacity:0.90196"},
	} {
		data, dir := tableFile(t, n, 60), t.TempDir()
		model, a, b := filepath.Join(dir, "m.json"), filepath.Join(dir, "a.svg"), filepath.Join(dir, "b.svg")
		for _, method := range []string{"refit", "cheap"} {
			call(t, "fit", data, "-t", "y&z", "--method", method, "-o", model, "--plot", a, "-q")
			call(t, "show", model, "--plot", b, "--data", data)
			drawn, err := os.ReadFile(a)
			if err != nil {
				t.Fatal(err)
			}
			again, err := os.ReadFile(b)
			if err != nil || !bytes.Equal(drawn, again) {
				t.Errorf("%d features: fit and show draw differently: %v", n, err)
			}
			wellFormed(t, drawn)
			for _, w := range want {
				if method == "cheap" && (strings.HasPrefix(w, "stroke")) {
					continue // a stack has too many cells to be drawn
				}
				if !bytes.Contains(drawn, []byte(w)) {
					t.Errorf("%d features, %s: the picture has no %s", n, method, w)
				}
			}
			if n < 3 { // without a table, too
				call(t, "show", model, "--plot", b)
			}
		}
	}
}

func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(svg))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("the picture is not XML: %v", err)
		}
		if e, ok := tok.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Fatalf("%s has %s = %s", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

// TestShowPrograms: what show prints in each language is what export makes.
func TestShowPrograms(t *testing.T) {
	data, model := tableFile(t, 2, 50), filepath.Join(t.TempDir(), "m.json")
	call(t, "fit", data, "-t", "y&z", "-o", model, "-q")
	for format, want := range map[string]string{
		"text": `"y&z" = max(`, "go": "func Predict(x []float64) float64", "python": "def predict(x):", "c": "double predict(const double *x)", "latex": `\begin{align*}`,
	} {
		if got := call(t, "show", model, "--format", format); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", format, want, got)
		}
	}
}

// TestPredictStreams: a large table gives what Predict gives row by row, to a
// stream and to a file, and leaves no other file behind.
func TestPredictStreams(t *testing.T) {
	data := tableFile(t, 3, 50)
	dir := t.TempDir()
	model, out := filepath.Join(dir, "m.json"), filepath.Join(dir, "p.csv")
	call(t, "fit", data, "-t", "y&z", "-o", model, "-q")
	large := tableFile(t, 3, 60000)
	got := call(t, "predict", model, large)
	call(t, "predict", model, large, "-o", out)
	file, err := os.ReadFile(out)
	if err != nil || string(file) != got {
		t.Errorf("the file differs from the stream: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != 60001 || lines[0] != "prediction" {
		t.Fatalf("%d lines, the first %q", len(lines), lines[0])
	}
	f, err := os.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := lder.Read(f, model)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(large)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		var x [3]float64
		if _, err := fmt.Sscanf(line, "%g,%g,%g,", &x[0], &x[1], &x[2]); err != nil {
			t.Fatal(err)
		}
		p, err := r.Predict([][]float64{x[:]})
		if err != nil || fmt.Sprint(p[0]) != fmt.Sprint(lines[i+1]) && fmt.Sprintf("%g", p[0]) != lines[i+1] {
			t.Fatalf("row %d: %s, want %v, %v", i, lines[i+1], p, err)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"predict", model, "-"}, strings.NewReader("x<2>,x<0>,x<1>\n1,2,x\n"), &stdout, &stderr); code != exit.File || !strings.Contains(stderr.String(), "standard input:2:5: column \"x<1>\" holds \"x\"") {
		t.Errorf("code %d, %s", code, stderr.String())
	}
}
