package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/lder"
)

// plotFlag is the output of --plot; nil: none is asked for.
func plotFlag(c *cli.Context) (*output, error) {
	if !c.IsSet("plot") {
		return nil, nil
	}
	path := c.String("plot")
	if err := plotPath(path); err != nil {
		return nil, err
	}
	return sessionOf(c).create(path)
}

// writePlot draws a model of one feature as a curve, of two as a map of heights
// and cells, and of more as predictions against observations. x and y may be
// nil for one or two features.
func writePlot(out *output, r *lder.Regressor, x [][]float64, y []float64) error {
	if out == nil {
		return nil
	}
	var svg []byte
	var err error
	switch len(r.Features) {
	case 1:
		svg, err = drawCurve(r, x, y)
	case 2:
		svg, err = drawSurface(r, x, y)
	default:
		svg, err = drawFit(r, x, y)
	}
	if err != nil {
		return badFile(err)
	}
	out.Write(svg) // commit has the error
	return out.commit()
}

// The frame of the pictures of models, in pixels.
const (
	chartHeight = 520
	chartTop    = 44
	chartSide   = chartHeight - chartTop - plotBottom
	chartWide   = plotWidth - plotLeft - plotRight
)

// chart is a drawing with one frame.
type chart struct {
	drawing
	y axis
}

func newChart(title string, x, y axis) *chart {
	d := &chart{drawing: drawing{x: x}, y: y}
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, chartHeight, plotWidth, chartHeight)
	d.printf(`<rect width="%d" height="%d" fill="white"/>`+"\n", plotWidth, chartHeight)
	d.text(plotWidth/2, 24, "middle", `font-size="14"`, title)
	return d
}

func (d *chart) px(v float64) float64 { return plotLeft + chartWide*d.x.fraction(v) }
func (d *chart) py(v float64) float64 { return chartTop + chartSide*(1-d.y.fraction(v)) }

// finish draws the frame and the text around it.
func (d *chart) finish(xName, yName string) []byte {
	for k, v := range d.y.ticks {
		d.printf(`<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#444444"/>`+"\n", plotLeft-4, d.py(v), plotLeft, d.py(v))
		d.text(plotLeft-8, d.py(v)+4, "end", "", d.y.labels[k])
	}
	for k, v := range d.x.ticks {
		d.printf(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#444444"/>`+"\n", d.px(v), chartTop+chartSide, d.px(v), chartTop+chartSide+4)
		d.text(d.px(v), chartTop+chartSide+18, "middle", "", d.x.labels[k])
	}
	d.printf(`<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#444444"/>`+"\n", plotLeft, chartTop, chartWide, chartSide)
	d.text(plotLeft+chartWide/2, chartHeight-10, "middle", "", xName)
	d.text(20, chartTop+chartSide/2, "middle", fmt.Sprintf(`transform="rotate(-90 20 %d)"`, chartTop+chartSide/2), yName)
	d.printf("</svg>\n")
	return d.Bytes()
}

// mostDots keeps pictures of large tables small: every so many rows are drawn.
const mostDots = 2000

func (d *chart) dots(x, y []float64, fill string) {
	step := max(1, (len(x)+mostDots-1)/mostDots)
	for i := 0; i < len(x); i += step {
		if x[i]-x[i] == 0 && y[i]-y[i] == 0 {
			d.printf(`<circle cx="%.1f" cy="%.1f" r="2.2" fill="%s" fill-opacity="0.6"/>`+"\n", d.px(x[i]), d.py(y[i]), fill)
		}
	}
}

// span is the range of feature j: in the table, or around the mean of the
// training data.
func span(r *lder.Regressor, x [][]float64, j int) []float64 {
	var v []float64
	for _, row := range x {
		if row[j]-row[j] == 0 {
			v = append(v, row[j])
		}
	}
	if len(v) == 0 {
		v = []float64{r.Scaler.Mean[j] - 2.5*r.Scaler.Scale[j], r.Scaler.Mean[j] + 2.5*r.Scaler.Scale[j]}
	}
	return v
}

// cells numbers the pieces that are largest at each point of x; of an ensemble,
// which has too many to be seen, all are one.
func cells(r *lder.Regressor, x [][]float64) []int {
	out := make([]int, len(x))
	m, err := r.Unstandardised()
	if err != nil {
		return out
	}
	for i, row := range x {
		u, v := m.Active(row)
		out[i] = u*len(m.M) + v
	}
	return out
}

// drawCurve is a model of one feature, with a line where another piece begins.
func drawCurve(r *lder.Regressor, x [][]float64, y []float64) ([]byte, error) {
	at := axisOf(span(r, x, 0), 8, false)
	const steps = 600
	points := make([][]float64, steps+1)
	for k := range points {
		t := float64(k) / steps
		points[k] = []float64{at.lo*(1-t) + at.hi*t}
	}
	f, err := r.Predict(points)
	if err != nil {
		return nil, err
	}
	d := newChart(r.Target+" by "+r.Features[0], at, axisOf(append(append([]float64(nil), f...), y...), 6, false))
	cell := cells(r, points)
	var line []string
	for k, p := range points {
		line = append(line, fmt.Sprintf("%.1f,%.1f", d.px(p[0]), d.py(f[k])))
		if k > 0 && cell[k] != cell[k-1] {
			d.printf(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#bbbbbb" stroke-dasharray="4 3"/>`+"\n", d.px(p[0]), chartTop, d.px(p[0]), chartTop+chartSide)
		}
	}
	if y != nil {
		var seen []float64
		for _, row := range x {
			seen = append(seen, row[0])
		}
		d.dots(seen, y, "#1f5fa8")
	}
	d.printf(`<polyline points="%s" fill="none" stroke="#b03a2e" stroke-width="2"/>`+"\n", strings.Join(line, " "))
	return d.finish(r.Features[0], r.Target), nil
}

// drawSurface is a map of a model of two features: colours for heights, lines
// between cells of different pieces.
func drawSurface(r *lder.Regressor, x [][]float64, y []float64) ([]byte, error) {
	ax, ay := axisOf(span(r, x, 0), 8, false), axisOf(span(r, x, 1), 6, false)
	d := newChart(r.Target, ax, ay)
	const wide, high = 120, 86
	points := make([][]float64, 0, wide*high)
	for k := range high {
		for j := range wide {
			s, t := (float64(j)+.5)/wide, (float64(k)+.5)/high
			points = append(points, []float64{ax.lo*(1-s) + ax.hi*s, ay.lo*(1-t) + ay.hi*t})
		}
	}
	f, err := r.Predict(points)
	if err != nil {
		return nil, err
	}
	lo, hi := f[0], f[0]
	for _, v := range f {
		lo, hi = min(lo, v), max(hi, v)
	}
	w, h := float64(chartWide)/wide, float64(chartSide)/high
	for i, v := range f {
		d.printf(`<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s"/>`+"\n", d.px(points[i][0])-w/2, d.py(points[i][1])-h/2, w+.3, h+.3, heat(v, lo, hi))
	}
	cell := cells(r, points)
	for k := range high {
		for j := range wide {
			i := k*wide + j
			left, bottom := d.px(points[i][0])-w/2, d.py(points[i][1])+h/2
			if j > 0 && cell[i] != cell[i-1] {
				d.printf(`<line x1="%.2f" y1="%.2f" x2="%.2f" y2="%.2f" stroke="black"/>`+"\n", left, bottom-h, left, bottom)
			}
			if k > 0 && cell[i] != cell[i-wide] {
				d.printf(`<line x1="%.2f" y1="%.2f" x2="%.2f" y2="%.2f" stroke="black"/>`+"\n", left, bottom, left+w, bottom)
			}
		}
	}
	var u, v []float64
	for _, row := range x {
		u, v = append(u, row[0]), append(v, row[1])
	}
	d.dots(u, v, "black")
	d.text(plotWidth-plotRight, chartTop-8, "end", "", fmt.Sprintf("dark %s, bright %s", show(lo, 4), show(hi, 4)))
	return d.finish(r.Features[0], r.Features[1]), nil
}

// heat is a colour from dark blue over green to bright yellow.
func heat(v, lo, hi float64) string {
	t := .5
	if hi > lo {
		t = (v - lo) / (hi - lo)
	}
	stops := [...][3]float64{{40, 30, 90}, {30, 110, 140}, {80, 190, 110}, {250, 230, 60}}
	at := min(int(t*3), 2)
	s := t*3 - float64(at)
	var c [3]int
	for k := range c {
		c[k] = int(math.Round(stops[at][k]*(1-s) + stops[at+1][k]*s))
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}

// drawFit is predictions against observations.
func drawFit(r *lder.Regressor, x [][]float64, y []float64) ([]byte, error) {
	f, err := r.Predict(x)
	if err != nil {
		return nil, err
	}
	both := axisOf(append(append([]float64(nil), f...), y...), 6, false)
	d := newChart(r.Target+": predicted against observed", both, both)
	d.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#888888"/>`+"\n", d.px(both.lo), d.py(both.lo), d.px(both.hi), d.py(both.hi))
	d.dots(y, f, "#1f5fa8")
	return d.finish("observed", "predicted"), nil
}
