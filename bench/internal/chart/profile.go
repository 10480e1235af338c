package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/dcopt/dcopt/bench/internal/stats"
)

// Profile draws a performance profile to each path, in the format of its ending:
// the share of problems that a solver solves in at most so many times the least
// time. ratios[s][p] is +Inf where solver s fails on p.
func Profile(title, xLabel string, names []string, ratios [][]float64, paths ...string) error {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text = xLabel
	p.Y.Label.Text = "share of problems"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, Ticks{}
	p.Y.Min, p.Y.Max = 0, 1
	p.Legend.XOffs = -vg.Points(8)
	p.Legend.YOffs = vg.Points(8)
	p.Add(plotter.NewGrid())
	end := 10.0
	for _, rs := range ratios {
		for _, r := range rs {
			if !math.IsInf(r, 1) {
				end = max(end, r)
			}
		}
	}
	end *= 1.2
	for s, name := range names {
		line, err := plotter.NewLine(staircase(stats.Profile(ratios[s]), end))
		if err != nil {
			return err
		}
		line.StepStyle = plotter.PostStep
		line.Color, line.Dashes = plotutil.Color(s), plotutil.Dashes(s/7)
		line.Width = vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(name, line)
	}
	p.X.Min, p.X.Max = 1, math.Pow(end, 1.3) // the rest is for the legend
	return save(p, 8*vg.Inch, 4.5*vg.Inch, paths)
}

func save(p *plot.Plot, width, height vg.Length, paths []string) error {
	for _, path := range paths {
		if err := p.Save(width, height, path); err != nil {
			return err
		}
	}
	return nil
}

// staircase prolongs the last step to the end.
func staircase(steps []stats.Step, end float64) plotter.XYs {
	var xy plotter.XYs
	for _, s := range steps {
		xy = append(xy, plotter.XY{X: s.Ratio, Y: s.Share})
	}
	return append(xy, plotter.XY{X: end, Y: steps[len(steps)-1].Share})
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
