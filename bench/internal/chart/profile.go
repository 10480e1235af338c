package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/dcopt/dcopt/bench/internal/stats"
)

// Profile draws a performance profile to each path, in the format of its ending:
// the share of problems that a solver solves in at most so many times the least
// time. ratios[s][p] is +Inf where solver s fails on p.
func Profile(title, xLabel string, names []string, ratios [][]float64, paths ...string) error {
	p := plot.New()
	Style(p)
	p.X.Label.Text, p.Y.Label.Text = xLabel, "problems solved (%)"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, Ticks{}
	p.Y.Tick.Marker = percents()
	end := 10.0
	for _, rs := range ratios {
		for _, r := range rs {
			if !math.IsInf(r, 1) {
				end = max(end, 1.2*r)
			}
		}
	}
	f := figure{title: title, plots: []*plot.Plot{p}, width: figureWidth, height: 4 * vg.Inch}
	for s, name := range names {
		line, err := plotter.NewLine(staircase(stats.Profile(ratios[s]), end))
		if err != nil {
			return err
		}
		line.StepStyle = plotter.PostStep
		line.LineStyle = ink(s, vg.Points(1.6))
		p.Add(line)
		f.legend = append(f.legend, entry{name, line})
	}
	p.X.Min, p.X.Max = 1, end
	p.Y.Min, p.Y.Max = 0, 102 // lines at 100 are seen whole
	return f.save(paths)
}

// percents are the ticks from 0 to 100.
func percents() plot.ConstantTicks {
	var all plot.ConstantTicks
	for v := 0.0; v <= 100; v += 10 {
		t := plot.Tick{Value: v}
		if math.Mod(v, 20) == 0 {
			t.Label = fmt.Sprintf("%g", v)
		}
		all = append(all, t)
	}
	return all
}

// staircase is in percent, the last step prolonged to the end.
func staircase(steps []stats.Step, end float64) plotter.XYs {
	var xy plotter.XYs
	for _, s := range steps {
		xy = append(xy, plotter.XY{X: s.Ratio, Y: 100 * s.Share})
	}
	return append(xy, plotter.XY{X: end, Y: 100 * steps[len(steps)-1].Share})
}

// Ticks label 1, 2, 5, 10, 20, ..., of a long range the powers of 10 alone.
type Ticks struct{}

// Ticks implements plot.Ticker for a positive range.
func (Ticks) Ticks(lo, hi float64) []plot.Tick {
	var all []plot.Tick
	for decade := math.Pow(10, math.Floor(math.Log10(lo))); decade <= hi; decade *= 10 {
		for d := 1.0; d < 10; d++ {
			v := d * decade
			if v < lo || v > hi {
				continue
			}
			t := plot.Tick{Value: v}
			if d == 1 || hi/lo < 300 && (d == 2 || d == 5) {
				t.Label = fmt.Sprintf("%g", v)
			}
			all = append(all, t)
		}
	}
	return all
}

// ClockName is the clock "cpu" or "wall" in words.
func ClockName(clock string) string {
	if clock == "cpu" {
		return "CPU"
	}
	return "wall-clock"
}
