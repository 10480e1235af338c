package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series are the times of a solver, in the order of the problems; NaN where
// there is none. Hollow marks those that are no success.
type Series struct {
	Name    string
	Seconds []float64
	Hollow  []bool
}

// Times draws the seconds of each solver on each problem to each path, in the
// format of its ending: a success as a disc or box, anything else as a cross.
func Times(title string, problems []string, all []Series, paths ...string) error {
	p := plot.New()
	p.Title.Text = title
	p.Y.Label.Text = "seconds"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, Ticks{}
	p.NominalX(problems...)
	p.X.Tick.Label.Rotation = math.Pi / 5
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YTop
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	lo, hi := math.Inf(1), math.Inf(-1)
	for s, series := range all {
		var good, bad plotter.XYs
		for k, t := range series.Seconds {
			if !(t > 0) {
				continue
			}
			lo, hi = min(lo, t), max(hi, t)
			// Side by side, so that equal times do not hide each other.
			at := plotter.XY{X: float64(k) + 0.5*(float64(s)+0.5)/float64(len(all)) - 0.25, Y: t}
			if series.Hollow[k] {
				bad = append(bad, at)
			} else {
				good = append(good, at)
			}
		}
		style := func(shape draw.GlyphDrawer) draw.GlyphStyle {
			return draw.GlyphStyle{Color: plotutil.Color(s), Radius: vg.Points(3.5), Shape: shape}
		}
		for _, part := range []struct {
			at    plotter.XYs
			shape draw.GlyphDrawer
		}{{good, disc(s)}, {bad, draw.CrossGlyph{}}} {
			if len(part.at) == 0 {
				continue
			}
			dots, err := plotter.NewScatter(part.at)
			if err != nil {
				return err
			}
			dots.GlyphStyle = style(part.shape)
			p.Add(dots)
		}
		mark, err := plotter.NewScatter(plotter.XYs{{X: 0, Y: 1}})
		if err != nil {
			return err
		}
		mark.GlyphStyle = style(disc(s))
		p.Legend.Add(series.Name, mark) // in the legend alone
	}
	if math.IsInf(lo, 1) {
		lo, hi = 0.1, 1
	}
	p.Y.Min, p.Y.Max = lo/1.5, hi*1.5
	count := float64(len(problems))
	legend := max(2.6, 0.3*count) // its width, in those of a problem
	p.X.Min, p.X.Max = -0.5, count-0.5+legend
	return save(p, max(7*vg.Inch, vg.Length(count+legend)*0.62*vg.Inch), 4.8*vg.Inch, paths)
}

// disc is the mark of series s; colours repeat after seven.
func disc(s int) draw.GlyphDrawer {
	if s < 7 {
		return draw.CircleGlyph{}
	}
	return draw.BoxGlyph{}
}
