package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dcopt/dcopt/bench/internal/page"
)

// Line is a run: how far its objective is from the best, and how much its point
// breaks, by iteration; NaN where not known. Runs of one name share a colour.
type Line struct {
	Name           string
	Gap, Violation []float64
}

const (
	// least is the value as which smaller ones are drawn: the scale is logarithmic.
	least = 1e-9
	// fewLines have marks at the iterations; more are drawn thin.
	fewLines = 12
)

// Convergence draws the gaps and, below them, the violations of all lines to
// each path, in the format of its ending.
func Convergence(title string, lines []Line, paths ...string) error {
	var names []string
	end := 2
	for _, l := range lines {
		names = page.AddOnce(names, l.Name)
		end = max(end, len(l.Gap), len(l.Violation))
	}
	f := figure{title: title, width: figureWidth, height: 5.2 * vg.Inch}
	marked := make([]*plotter.Line, len(names))
	for _, panel := range []struct {
		label  string
		values func(Line) []float64
	}{
		{"relative gap", func(l Line) []float64 { return l.Gap }},
		{"largest violation", func(l Line) []float64 { return l.Violation }},
	} {
		p := plot.New()
		Style(p)
		p.X.Label.Text, p.Y.Label.Text = "iteration", panel.label
		p.X.Tick.Marker, p.Y.Tick.Marker, p.Y.Scale = Counts{}, Decades{}, plot.LogScale{}
		lo, hi := math.Inf(1), least
		for _, l := range lines {
			k := slices.Index(names, l.Name)
			some, low, high, err := addLine(p, panel.values(l), k, len(lines) <= fewLines)
			if err != nil {
				return err
			}
			if some != nil {
				marked[k], lo, hi = some, min(lo, low), max(hi, high)
			}
		}
		if math.IsInf(lo, 1) {
			lo, hi = 0.1, 1
		}
		p.X.Min, p.X.Max = 1, float64(end)
		// Whole powers of 10, so that some are labelled.
		p.Y.Min, p.Y.Max = math.Pow(10, math.Floor(math.Log10(lo))), math.Pow(10, math.Floor(math.Log10(hi))+1)
		f.plots = append(f.plots, p)
	}
	for k, mark := range marked {
		if mark != nil {
			mark := *mark
			mark.LineStyle = ink(k, vg.Points(1.6))
			f.legend = append(f.legend, entry{names[k], &mark})
		}
	}
	return f.save(paths)
}

// addLine draws a run in the k-th colour and returns it with its least and
// largest value; nil if it has no values.
func addLine(p *plot.Plot, values []float64, k int, few bool) (line *plotter.Line, lo, hi float64, err error) {
	var xy plotter.XYs
	lo, hi = math.Inf(1), least
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		v = max(v, least)
		lo, hi = min(lo, v), max(hi, v)
		xy = append(xy, plotter.XY{X: float64(i + 1), Y: v})
	}
	if len(xy) == 0 {
		return nil, lo, hi, nil
	}
	if !few {
		line, err = plotter.NewLine(corners(xy))
		if err != nil {
			return nil, lo, hi, err
		}
		line.LineStyle = ink(k, vg.Points(0.8))
		c := palette[k%len(palette)]
		c.A = 140
		line.Color = color.Color(c)
		p.Add(line)
		return line, lo, hi, nil
	}
	line, dots, err := plotter.NewLinePoints(xy)
	if err != nil {
		return nil, lo, hi, err
	}
	line.LineStyle = ink(k, vg.Points(1.2))
	dots.GlyphStyle = draw.GlyphStyle{Color: line.Color, Radius: vg.Points(1.7), Shape: draw.CircleGlyph{}}
	p.Add(line, dots)
	return line, lo, hi, nil
}

// corners leaves out the points within flat stretches.
func corners(xy plotter.XYs) plotter.XYs {
	var all plotter.XYs
	for i, v := range xy {
		if 0 < i && i < len(xy)-1 && xy[i-1].Y == v.Y && v.Y == xy[i+1].Y {
			continue
		}
		all = append(all, v)
	}
	return all
}

// Counts label a few whole numbers.
type Counts struct{}

// Ticks implements plot.Ticker.
func (Counts) Ticks(lo, hi float64) []plot.Tick {
	step := 1.0
	for k := 0; (hi-lo)/step > 9; k++ {
		step *= []float64{2, 2.5, 2}[k%3] // 1, 2, 5, 10, 20, ...
	}
	var all []plot.Tick
	for v := math.Ceil(lo/step) * step; v <= hi; v += step {
		all = append(all, plot.Tick{Value: v, Label: fmt.Sprintf("%.0f", v)})
	}
	return all
}

// Decades label powers of 10, of a long range each second or third.
type Decades struct{}

// Ticks implements plot.Ticker for a positive range.
func (Decades) Ticks(lo, hi float64) []plot.Tick {
	first, last := int(math.Round(math.Log10(lo))), int(math.Round(math.Log10(hi)))
	every := (last-first)/6 + 1
	var all []plot.Tick
	for e := first; e <= last; e++ {
		t := plot.Tick{Value: math.Pow(10, float64(e))}
		if (e-first)%every == 0 {
			t.Label = power(e)
		}
		if t.Value <= least*1.001 {
			t.Label = "≤ " + t.Label
		}
		all = append(all, t)
	}
	return all
}

// power is 10 to the e as people write it.
func power(e int) string {
	v := fmt.Sprintf("%.0e", math.Pow(10, float64(e)))
	if -3 < e && e < 4 {
		v = fmt.Sprintf("%g", math.Pow(10, float64(e)))
	}
	return strings.NewReplacer("e-0", "e-", "e+0", "e", "e+", "e").Replace(v)
}
