package picture

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/lder"
)

// Model draws a model of one feature as a curve, of two as a map of heights and cells,
// and of more as predictions against observations. x and y may be nil for one or two
// features.
func Model(r *lder.Regressor, x [][]float64, y []float64) ([]byte, error) {
	switch len(r.Features) {
	case 1:
		return drawCurve(r, x, y)
	case 2:
		return drawSurface(r, x)
	}
	return drawFit(r, x, y)
}

// chartHeight is that of a model's picture, in pixels.
const chartHeight = 520

// chart is a drawing with one frame.
func chart(title string, x, y axis) *frame {
	return &frame{begin(title, chartHeight), x, y, top, chartHeight - top - bottom}
}

func (f *frame) finish(xName, yName string) []byte {
	f.axes(xName, yName, false)
	return f.end()
}

// mostDots keeps pictures of large tables small: every so many rows are drawn.
const mostDots = 2000

func (f *frame) rows(x, y []float64, fill string) {
	f.dots(x, y, 2.2, mostDots, `fill="`+fill+`" fill-opacity="0.6"`)
}

func column(x [][]float64, j int) []float64 {
	var v []float64
	for _, row := range x {
		v = append(v, row[j])
	}
	return v
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
	d := chart(r.Target+" by "+r.Features[0], at, axisOf(append(append([]float64(nil), f...), y...), 6, false))
	cell := cells(r, points)
	for k, p := range points {
		if k > 0 && cell[k] != cell[k-1] {
			d.line(d.px(p[0]), d.top, d.px(p[0]), d.top+d.high, `stroke="#bbbbbb" stroke-dasharray="4 3"`)
		}
	}
	if y != nil {
		d.rows(column(x, 0), y, "#1f5fa8")
	}
	d.curve(column(points, 0), f, `stroke="#b03a2e" stroke-width="2"`)
	return d.finish(r.Features[0], r.Target), nil
}

// drawSurface is a map of a model of two features: colours for heights, lines
// between cells of different pieces.
func drawSurface(r *lder.Regressor, x [][]float64) ([]byte, error) {
	ax, ay := axisOf(span(r, x, 0), 8, false), axisOf(span(r, x, 1), 6, false)
	d := chart(r.Target, ax, ay)
	const cols, rows = 120, 86
	points := make([][]float64, 0, cols*rows)
	for k := range rows {
		for j := range cols {
			s, t := (float64(j)+.5)/cols, (float64(k)+.5)/rows
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
	w, h := float64(wide)/cols, d.high/rows
	for i, v := range f {
		d.printf(`<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s"/>`+"\n", d.px(points[i][0])-w/2, d.py(points[i][1])-h/2, w+.3, h+.3, heat(v, lo, hi))
	}
	cell := cells(r, points)
	for k := range rows {
		for j := range cols {
			i := k*cols + j
			x, y := d.px(points[i][0])-w/2, d.py(points[i][1])+h/2 // the lower left corner
			if j > 0 && cell[i] != cell[i-1] {
				d.line(x, y-h, x, y, `stroke="black"`)
			}
			if k > 0 && cell[i] != cell[i-cols] {
				d.line(x, y, x+w, y, `stroke="black"`)
			}
		}
	}
	d.rows(column(x, 0), column(x, 1), "black")
	d.text(width-right, top-8, "end", "", fmt.Sprintf("dark %.4g, bright %.4g", lo, hi))
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
	d := chart(r.Target+": predicted against observed", both, both)
	d.line(d.px(both.lo), d.py(both.lo), d.px(both.hi), d.py(both.hi), `stroke="#888888"`)
	d.rows(y, f, "#1f5fa8")
	return d.finish("observed", "predicted"), nil
}
