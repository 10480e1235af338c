package picture

import (
	"math"

	"github.com/dcopt/dcopt/internal/scene"
	"github.com/dcopt/dcopt/lder"
)

// Model is a model of one feature as a curve, of two as a map of heights with the boundaries
// of its cells, and of more as predictions against observations. x and y may be nil for one
// or two features.
func Model(r *lder.Regressor, x [][]float64, y []float64) (scene.Panel, error) {
	switch len(r.Features) {
	case 1:
		return drawCurve(r, x, y)
	case 2:
		return drawSurface(r, x)
	}
	return drawFit(r, x, y)
}

// mostDots keeps pictures of large tables small: every so many rows are drawn. Source: the layout.
const mostDots = 2000

// dots are rows of a table as points, in black or a colour; nothing if there are none.
func dots(p *scene.Panel, x, y []float64, color string) {
	m := scene.Mark{Kind: scene.Points, Color: color}
	for i := 0; i < len(x); i += max(1, (len(x)+mostDots-1)/mostDots) {
		if scene.Drawable(x[i]) && scene.Drawable(y[i]) {
			m.X, m.Y = append(m.X, x[i]), append(m.Y, y[i])
		}
	}
	if len(m.X) > 0 {
		p.Marks = append(p.Marks, m)
	}
}

func column(x [][]float64, j int) []float64 {
	var v []float64
	for _, row := range x {
		v = append(v, row[j])
	}
	return v
}

// span is the range of feature j with some room: in the table, or around the mean of the
// training data.
func span(r *lder.Regressor, x [][]float64, j int) scene.Range {
	out := scene.Range{Lo: math.Inf(1), Hi: math.Inf(-1)}
	for _, row := range x {
		if scene.Drawable(row[j]) {
			out.Lo, out.Hi = min(out.Lo, row[j]), max(out.Hi, row[j])
		}
	}
	if out.Lo > out.Hi {
		out = scene.Range{Lo: r.Scaler.Mean[j] - 2.5*r.Scaler.Scale[j], Hi: r.Scaler.Mean[j] + 2.5*r.Scaler.Scale[j]}
	}
	if out.Hi-out.Lo <= 1e-12*max(math.Abs(out.Lo), math.Abs(out.Hi)) { // all the same but for rounding
		d := max(math.Abs(out.Lo)/10, 1e-3)
		return scene.Range{Lo: out.Lo - d, Hi: out.Hi + d}
	}
	d := 0.05 * (out.Hi - out.Lo)
	return scene.Range{Lo: out.Lo - d, Hi: out.Hi + d}
}

// at is the place of a fraction of the range.
func at(r scene.Range, t float64) float64 { return r.Lo*(1-t) + r.Hi*t }

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
func drawCurve(r *lder.Regressor, x [][]float64, y []float64) (scene.Panel, error) {
	p := scene.Panel{Title: r.Target + " by " + r.Features[0], XLabel: r.Features[0], YLabel: r.Target}
	along := span(r, x, 0)
	const steps = 600 // Source: the layout, a step for each pixel or so
	points := make([][]float64, steps+1)
	for k := range points {
		points[k] = []float64{at(along, float64(k)/steps)}
	}
	f, err := r.Predict(points)
	if err != nil {
		return p, err
	}
	if y != nil {
		dots(&p, column(x, 0), y, scene.Palette[0])
	}
	line := scene.Mark{Kind: scene.Lines, Color: scene.Palette[1]}
	line.Lines = []scene.Line{{X: column(points, 0), Y: f, Strength: 1}}
	p.Marks = append(p.Marks, line)
	p.SetRanges()
	p.X = along
	bounds := scene.Mark{Kind: scene.Lines, Color: "#9e9e9e"}
	cell := cells(r, points)
	for k, v := range points {
		if k > 0 && cell[k] != cell[k-1] {
			bounds.Lines = append(bounds.Lines, scene.Line{X: []float64{v[0], v[0]}, Y: []float64{p.Y.Lo, p.Y.Hi},
				Strength: 0.5, Dashed: true})
		}
	}
	if len(bounds.Lines) > 0 {
		p.Marks = append([]scene.Mark{bounds}, p.Marks...)
	}
	return p, nil
}

// drawSurface is a map of a model of two features: colours for heights, lines
// between cells of different pieces.
func drawSurface(r *lder.Regressor, x [][]float64) (scene.Panel, error) {
	p := scene.Panel{Title: r.Target, XLabel: r.Features[0], YLabel: r.Features[1], X: span(r, x, 0), Y: span(r, x, 1)}
	const cols, rows = 120, 86 // Source: the layout, cells of some 5 pixels
	points := make([][]float64, 0, cols*rows)
	for k := range rows {
		for j := range cols {
			points = append(points, []float64{at(p.X, (float64(j)+.5)/cols), at(p.Y, (float64(k)+.5)/rows)})
		}
	}
	f, err := r.Predict(points)
	if err != nil {
		return p, err
	}
	m := scene.Mark{Kind: scene.Cells, X: []float64{p.X.Lo, p.X.Hi}, Y: []float64{p.Y.Lo, p.Y.Hi}, Rows: rows,
		Cols: cols, V: f}
	m.SetColors()
	bounds := scene.Mark{Kind: scene.Lines, Color: "#000000"}
	edge := func(x0, y0, x1, y1 float64) {
		bounds.Lines = append(bounds.Lines, scene.Line{X: []float64{at(p.X, x0/cols), at(p.X, x1/cols)},
			Y: []float64{at(p.Y, y0/rows), at(p.Y, y1/rows)}, Strength: 0.5})
	}
	cell := cells(r, points)
	for k := range rows {
		for j := range cols {
			i, x, y := k*cols+j, float64(j), float64(k)
			if j > 0 && cell[i] != cell[i-1] {
				edge(x, y, x, y+1)
			}
			if k > 0 && cell[i] != cell[i-cols] {
				edge(x, y, x+1, y)
			}
		}
	}
	p.Marks = append(p.Marks, m)
	if len(bounds.Lines) > 0 {
		p.Marks = append(p.Marks, bounds)
	}
	dots(&p, column(x, 0), column(x, 1), "#000000")
	return p, nil
}

// drawFit is predictions against observations.
func drawFit(r *lder.Regressor, x [][]float64, y []float64) (scene.Panel, error) {
	p := scene.Panel{Title: r.Target + ": predicted against observed", XLabel: "observed", YLabel: "predicted",
		Equal: true}
	f, err := r.Predict(x)
	if err != nil {
		return p, err
	}
	dots(&p, y, f, scene.Palette[0])
	if len(p.Marks) == 0 {
		p.X, p.Y = scene.Range{Lo: 0, Hi: 1}, scene.Range{Lo: 0, Hi: 1}
		return p, nil
	}
	p.SetRanges()
	both := scene.Range{Lo: min(p.X.Lo, p.Y.Lo), Hi: max(p.X.Hi, p.Y.Hi)}
	p.X, p.Y = both, both
	ends := []float64{both.Lo, both.Hi}
	p.Marks = append([]scene.Mark{{Kind: scene.Lines, Color: "#9e9e9e",
		Lines: []scene.Line{{X: ends, Y: ends, Strength: 0.5}}}}, p.Marks...)
	return p, nil
}
