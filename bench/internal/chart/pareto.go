package chart

import (
	"cmp"
	"errors"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Mark is a method in a Pareto picture.
type Mark struct {
	Name          string
	Score         float64 // more is better
	Size, Seconds float64
	Ours          bool // filled, in a colour; others are hollow
}

// Pareto draws scores against sizes and against seconds to each path, in the format of
// its ending. A step line joins the marks that no other beats in both.
func Pareto(title, yLabel string, marks []Mark, paths ...string) error {
	f := figure{title: title, width: 1.5 * figureWidth, height: 8.4 * vg.Inch}
	for _, axis := range []struct {
		label string
		of    func(Mark) float64
	}{{"size of the model", func(m Mark) float64 { return m.Size }},
		{"seconds of training", func(m Mark) float64 { return m.Seconds }}} {
		p := plot.New()
		Style(p)
		p.X.Label.Text, p.Y.Label.Text = axis.label, yLabel
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, Decades{}
		if err := addMarks(p, marks, axis.of); err != nil {
			return err
		}
		f.plots = append(f.plots, p)
	}
	f.legend = []entry{
		{"measured here", &plotter.Scatter{GlyphStyle: markStyle(true)}},
		{"published", &plotter.Scatter{GlyphStyle: markStyle(false)}},
	}
	return f.save(paths)
}

func markStyle(ours bool) draw.GlyphStyle {
	if ours {
		return draw.GlyphStyle{Color: palette[1], Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
	}
	return draw.GlyphStyle{Color: palette[0], Radius: vg.Points(3.5), Shape: draw.RingGlyph{}}
}

// addMarks adds the marks with a cost above 0, their names, and the line.
func addMarks(p *plot.Plot, marks []Mark, cost func(Mark) float64) error {
	var ends plotter.XYs
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, m := range marks {
		x := cost(m)
		if !(x > 0) {
			continue
		}
		lo, hi = min(lo, x), max(hi, x)
		at := plotter.XY{X: x, Y: m.Score}
		dot, err := plotter.NewScatter(plotter.XYs{at})
		if err != nil {
			return err
		}
		dot.GlyphStyle = markStyle(m.Ours)
		label, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at}, Labels: []string{m.Name}})
		if err != nil {
			return err
		}
		label.TextStyle[0].Font = sans(tickSize - 2)
		label.Offset = vg.Point{X: 5, Y: 2}
		p.Add(dot, label)
		if !beaten(m, marks, cost) {
			ends = append(ends, at)
		}
	}
	if len(ends) == 0 {
		return errors.New("chart: a Pareto picture of nothing")
	}
	slices.SortFunc(ends, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	line, err := plotter.NewLine(ends)
	if err != nil {
		return err
	}
	line.StepStyle = plotter.PostStep
	line.LineStyle = draw.LineStyle{Color: color.Gray{120}, Width: vg.Points(1)}
	p.Add(line)
	p.X.Min, p.X.Max = lo/1.5, 4*hi // room for the names
	return nil
}

// beaten reports whether another mark has no less score for no more cost, and is better
// in one of them.
func beaten(m Mark, marks []Mark, cost func(Mark) float64) bool {
	for _, o := range marks {
		x := cost(o)
		if x > 0 && o.Score >= m.Score && x <= cost(m) && (o.Score > m.Score || x < cost(m)) {
			return true
		}
	}
	return false
}
