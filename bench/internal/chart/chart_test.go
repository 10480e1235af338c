package chart_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/chart"
	"gonum.org/v1/plot"
)

func TestPictures(t *testing.T) {
	dir := t.TempDir()
	svg, png := filepath.Join(dir, "a.svg"), filepath.Join(dir, "a.png")
	inf, nan := math.Inf(1), math.NaN()
	for name, draw := range map[string]func() error{
		"profile": func() error {
			return chart.Profile("title", "x", []string{"one", "two"}, [][]float64{{1, 4, inf}, {2, 1, inf}}, svg, png)
		},
		"all fail": func() error {
			return chart.Profile("title", "x", []string{"one", "two"}, [][]float64{{inf}, {inf}}, svg, png)
		},
		"no problems": func() error {
			return chart.Profile("title", "x", []string{"one", "two"}, [][]float64{{}, {}}, svg, png)
		},
		"times": func() error { return chart.Times("title", "time (s)", []string{"p", "q"}, series(0.1, 20), svg, png) },
		"pareto": func() error {
			return chart.Pareto("title", "R²", []chart.Mark{{"one", .9, 30, 2, true}, {"two", .8, 1e4, 300, false}, {"none", .1, 0, 0, false}}, svg, png)
		},
		"failures only": func() error { return chart.Times("title", "time (s)", []string{"p", "q"}, series(nan, nan), svg, png) },
	} {
		if err := draw(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data, err := os.ReadFile(svg)
		if err != nil || !strings.Contains(string(data), "one") || !strings.Contains(string(data), "two") {
			t.Errorf("%s: no legend, %v", name, err)
		}
		if strings.Contains(string(data), "NaN") || strings.Contains(string(data), "Inf") {
			t.Errorf("%s: places that are no numbers", name)
		}
		if info, err := os.Stat(png); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := chart.Pareto("title", "R²", nil, svg); err == nil {
		t.Error("a picture of no methods")
	}
	if err := chart.Times("title", "time (s)", []string{"p", "q"}, series(1, 2), filepath.Join(dir, "a.nonsense")); err == nil {
		t.Error("a format that there is not")
	}
}

func series(a, b float64) []chart.Series {
	return []chart.Series{
		{Name: "one", Seconds: []float64{a, b}, Hollow: []bool{false, true}},
		{Name: "two", Seconds: []float64{b, math.NaN()}, Hollow: []bool{false, true}},
	}
}

// TestTicks: labels are few, and within the range.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{1, 12, "1 2 5 10"}, {0.5, 3, "0.5 1 2"}, {0.001, 1000, "0.001 0.01 0.1 1 10 100 1000"},
	} {
		var labels []string
		for _, tick := range (chart.Ticks{}).Ticks(c.lo, c.hi) {
			if tick.Value < c.lo || tick.Value > c.hi*(1+1e-9) {
				t.Errorf("tick %g between %g and %g", tick.Value, c.lo, c.hi)
			}
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("labels %q, want %q", got, c.want)
		}
	}
}

// TestConvergence: zeros, unknown values and lines without any are drawn, each
// name once in the legend.
func TestConvergence(t *testing.T) {
	nan := math.NaN()
	dir := t.TempDir()
	for name, lines := range map[string][]chart.Line{
		"some": {
			{Name: "one", Gap: []float64{1, 0.1, 0}, Violation: []float64{3, nan, 1e-20}},
			{Name: "one", Gap: []float64{2}, Violation: []float64{0}},
			{Name: "two", Gap: []float64{nan, 3}, Violation: []float64{math.Inf(1), 1e6}},
		},
		"none": {{Name: "two", Gap: []float64{nan}, Violation: nil}},
	} {
		svg, png := filepath.Join(dir, name+".svg"), filepath.Join(dir, name+".png")
		if err := chart.Convergence("a title", lines, svg, png); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(svg)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "NaN") || strings.Contains(string(data), "Inf") {
			t.Errorf("%s: places that are no numbers", name)
		}
		want := map[string]int{">a title<": 1, ">relative gap<": 1, ">largest violation<": 1, ">iteration<": 2, ">one<": 1, ">two<": 1}
		if name == "none" {
			want[">one<"], want[">two<"] = 0, 0
		}
		for text, n := range want {
			if got := strings.Count(string(data), text); got != n {
				t.Errorf("%s: %q %d times, want %d", name, text, got, n)
			}
		}
		if info, err := os.Stat(png); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := chart.Convergence("title", nil, filepath.Join(dir, "a.nonsense")); err == nil {
		t.Error("a format that there is not")
	}
}

// TestManyLines: a picture of many runs stays small, and its legend has rows.
func TestManyLines(t *testing.T) {
	var lines []chart.Line
	for k := range 150 {
		l := chart.Line{Name: strings.Repeat("a long name ", 3) + string(rune('a'+k%8))}
		for i := range 60 {
			l.Gap = append(l.Gap, math.Pow(0.7, float64(i))*float64(1+k%13))
			l.Violation = append(l.Violation, math.Pow(0.2, float64(i)))
		}
		lines = append(lines, l)
	}
	dir := t.TempDir()
	few, many := filepath.Join(dir, "few.svg"), filepath.Join(dir, "many.svg")
	if err := errors.Join(chart.Convergence("few", lines[:1], few), chart.Convergence("many", lines, many)); err != nil {
		t.Fatal(err)
	}
	size := func(path string) (height float64, text string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(data), `height="`)
		number, _, _ := strings.Cut(rest, "pt")
		if height, err = strconv.ParseFloat(number, 64); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return height, string(data)
	}
	low, _ := size(few)
	high, text := size(many)
	if !(high > low+50) {
		t.Errorf("heights %g and %g: the legend of eight names has no rows", low, high)
	}
	if len(text) > 250_000 || strings.Contains(text, "font-family:Liberation") || !strings.Contains(text, "sans-serif") {
		t.Errorf("%d bytes, or a font without another for where it is not", len(text))
	}
}

// TestWholeNumbers: iterations and powers of ten are labelled a few, whole.
func TestWholeNumbers(t *testing.T) {
	for _, c := range []struct {
		ticker plot.Ticker
		lo, hi float64
		want   string
	}{
		{chart.Counts{}, 1, 6, "1 2 3 4 5 6"}, {chart.Counts{}, 1, 50, "10 20 30 40 50"}, {chart.Counts{}, 1, 170, "20 40 60 80 100 120 140 160"},
		{chart.Decades{}, 1e-9, 10, "≤ 1e-9|1e-7|1e-5|1e-3|0.1|10"}, {chart.Decades{}, 1e-2, 1e4, "0.01|1|100|1e4"},
	} {
		var labels []string
		for _, tick := range c.ticker.Ticks(c.lo, c.hi) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		sep := " "
		if strings.Contains(c.want, "|") {
			sep = "|"
		}
		if got := strings.Join(labels, sep); got != c.want {
			t.Errorf("from %g to %g: labels %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
}
