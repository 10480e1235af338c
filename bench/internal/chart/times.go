package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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
func Times(title, yLabel string, problems []string, all []Series, paths ...string) error {
	p := plot.New()
	Style(p)
	p.Y.Label.Text = yLabel
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, Ticks{}
	p.NominalX(problems...)
	p.X.Tick.Label.Rotation = math.Pi / 5
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YTop
	count := len(problems)
	f := figure{title: title, plots: []*plot.Plot{p}, width: max(figureWidth, vg.Length(count)*0.5*vg.Inch),
		height: 4.4 * vg.Inch}
	lo, hi := math.Inf(1), math.Inf(-1)
	for s, series := range all {
		style := func(shape draw.GlyphDrawer) draw.GlyphStyle {
			return draw.GlyphStyle{Color: ink(s, 0).Color, Radius: vg.Points(3.5), Shape: shape}
		}
		good, bad := series.split(s, len(all))
		for _, part := range []struct {
			at    plotter.XYs
			shape draw.GlyphDrawer
		}{{good, disc(s)}, {bad, cross{}}} {
			if len(part.at) == 0 {
				continue
			}
			for _, xy := range part.at {
				lo, hi = min(lo, xy.Y), max(hi, xy.Y)
			}
			dots, err := plotter.NewScatter(part.at)
			if err != nil {
				return err
			}
			dots.GlyphStyle = style(part.shape)
			p.Add(dots)
		}
		f.legend = append(f.legend, entry{series.Name, &plotter.Scatter{GlyphStyle: style(disc(s))}})
	}
	f.legend = append(f.legend, entry{"no success",
		&plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: ink(len(palette)-1, 0).Color, Radius: vg.Points(3.5),
			Shape: cross{}}}})
	if math.IsInf(lo, 1) {
		lo, hi = 0.1, 1
	}
	p.X.Min, p.X.Max = -0.5, float64(count)-0.5
	p.Y.Min, p.Y.Max = lo/1.5, hi*1.5
	return f.save(paths)
}

// split sorts the times of the s-th of so many series by success. They stand side
// by side, so that equal times do not hide each other.
func (series *Series) split(s, of int) (good, bad plotter.XYs) {
	for k, t := range series.Seconds {
		if !(t > 0) {
			continue
		}
		at := plotter.XY{X: float64(k) + 0.7*((float64(s)+0.5)/float64(of)-0.5), Y: t}
		if series.Hollow[k] {
			bad = append(bad, at)
		} else {
			good = append(good, at)
		}
	}
	return good, bad
}

// disc is the mark of series s; colours repeat.
func disc(s int) draw.GlyphDrawer {
	if s < len(palette) {
		return draw.CircleGlyph{}
	}
	return draw.BoxGlyph{}
}

// cross is draw.CrossGlyph in thicker lines.
type cross struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (cross) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: vg.Points(1.4)})
	r := style.Radius
	for _, slope := range []vg.Length{1, -1} {
		var p vg.Path
		p.Move(vg.Point{X: at.X - r, Y: at.Y - slope*r})
		p.Line(vg.Point{X: at.X + r, Y: at.Y + slope*r})
		c.Stroke(p)
	}
}
