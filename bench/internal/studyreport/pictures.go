package studyreport

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dcopt/dcopt/bench/internal/chart"
)

// Boxes draws the means of the sets as a box for each model, on a logarithmic
// axis, as SVG. Means of 0 or below are left out.
func (r *Report) Boxes(m *Measure) ([]byte, error) {
	if len(r.Models) == 0 {
		return nil, errors.New("studyreport: no models to draw")
	}
	p := plot.New()
	p.Y.Label.Text = title(m)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, chart.Ticks{}
	chart.Style(p)
	width := vg.Points(22)
	lo, hi := math.Inf(1), math.Inf(-1)
	for k := range r.Models {
		values := slices.DeleteFunc(m.column(k), func(v float64) bool { return !(v > 0) })
		if len(values) == 0 {
			continue
		}
		lo, hi = min(lo, slices.Min(values)), max(hi, slices.Max(values))
		box, err := plotter.NewBoxPlot(width, float64(k), plotter.Values(values))
		if err != nil {
			return nil, err
		}
		box.FillColor = plotutil.SoftColors[k%len(plotutil.SoftColors)]
		p.Add(box)
	}
	if math.IsInf(lo, 1) {
		lo, hi = 0.1, 1
	}
	p.NominalX(r.Models...)
	p.X.Tick.Label.Rotation = math.Pi / 5
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YTop
	p.X.Min, p.X.Max = -0.6, float64(len(r.Models))-0.4
	p.Y.Min, p.Y.Max = lo/1.3, hi*1.3
	return chart.SVG(p, max(5*vg.Inch, vg.Length(len(r.Models))*0.7*vg.Inch), 4*vg.Inch)
}

// Pictures are all pictures of the page as SVG files, by name.
func (r *Report) Pictures() (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, m := range r.Measures {
		boxes, err := r.Boxes(m)
		if err != nil {
			return nil, err
		}
		p, err := r.Tests(m)
		if err != nil {
			return nil, err
		}
		all[m.file("boxes")], all[m.file("hasse")] = boxes, r.HasseSVG(r.Hasse(p))
	}
	return all, nil
}
