package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/dcopt/dcopt/bench/internal/stats"
)

// floor is the time below which differences are those of the clock.
const floor = 1e-5

// Plot draws the performance profile of the group to each path, in the format
// of its ending.
func (g *Group) Plot(opt Options, paths ...string) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s: %d problems solved at %s", g.Name, len(g.complete()), short(opt.Level))
	p.X.Label.Text = "at most this many times the " + clockName(opt.Clock) + " time of the fastest"
	p.Y.Label.Text = "share of problems"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, ticks{}
	p.Y.Min, p.Y.Max = 0, 1
	p.Legend.XOffs = -vg.Points(8)
	p.Legend.YOffs = vg.Points(8)
	p.Add(plotter.NewGrid())

	ratios := stats.Ratios(g.Times(opt.Level, opt.Clock), floor)
	end := 10.0
	for _, rs := range ratios {
		for _, r := range rs {
			if !math.IsInf(r, 1) {
				end = max(end, r)
			}
		}
	}
	end *= 1.2
	for s, c := range g.Contenders {
		line, err := plotter.NewLine(staircase(stats.Profile(ratios[s]), end))
		if err != nil {
			return err
		}
		line.StepStyle = plotter.PostStep
		line.Color, line.Dashes = plotutil.Color(s), plotutil.Dashes(s/7)
		line.Width = vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(c, line)
	}
	p.X.Min, p.X.Max = 1, end
	for _, path := range paths {
		if err := p.Save(7*vg.Inch, 4.5*vg.Inch, path); err != nil {
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

// ticks label 1, 2, 5, 10, 20, ....
type ticks struct{}

// Ticks implements plot.Ticker for a positive range.
func (ticks) Ticks(lo, hi float64) []plot.Tick {
	var all []plot.Tick
	for decade := math.Pow(10, math.Floor(math.Log10(lo))); decade <= hi; decade *= 10 {
		for d := 1.0; d < 10; d++ {
			v := d * decade
			if v < lo || v > hi {
				continue
			}
			t := plot.Tick{Value: v}
			if d == 1 || d == 2 || d == 5 {
				t.Label = fmt.Sprintf("%g", v)
			}
			all = append(all, t)
		}
	}
	return all
}
