package picture

import (
	"image"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dcopt/dcopt/internal/scene"
)

// painter draws the marks of a panel in the area between its axes.
type painter struct {
	page
	x, y  *line
	moves *[]move // of the whole picture
}

// move is a disc that moves from point to point of the canvas.
type move struct {
	at     []vg.Point
	radius vg.Length
	color  string
}

// at is where a point lies on the canvas.
func (d *painter) at(x, y float64) vg.Point {
	return vg.Point{X: d.X(d.x.place(x)), Y: d.Y(d.y.place(y))}
}

// length of a distance along the first axis.
func (d *painter) length(v float64) vg.Length {
	return vg.Length(v/(d.x.Hi-d.x.Lo)) * d.Size().X
}

// mark draws a mark.
func (d *painter) mark(m *scene.Mark) {
	switch m.Kind {
	case scene.Points:
		d.points(m)
	case scene.Circles:
		for k, r := range m.R {
			disc(d.Canvas, d.at(m.X[k], m.Y[k]), d.length(r), m.Color, 0.25)
		}
	case scene.Rects:
		for k := range m.X {
			lo, hi := d.at(m.X[k], m.Y[k]), d.at(m.X[k]+m.W[k], m.Y[k]+m.H[k])
			box := []vg.Point{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}, lo}
			d.FillPolygon(rgba(m.Color, 0.25), box)
			d.StrokeLines(draw.LineStyle{Color: rgba(m.Color, 1), Width: 1}, box)
		}
	case scene.Labels:
		s, above := d.style(tickSize, text.XCenter, text.YCenter), vg.Length(0)
		if m.Above {
			above = pointRadius + tickSize/2
		}
		for k, t := range m.Texts {
			at := d.at(m.X[k], m.Y[k])
			d.FillText(s, vg.Point{X: at.X, Y: at.Y + above + s.FontExtents().Descent}, printable(t))
		}
	case scene.Lines:
		d.lines(m)
	case scene.Motion:
		d.lines(m)
		d.motion(m)
	case scene.Bars:
		d.bars(m)
	case scene.Cells:
		d.cells(m)
	}
}

// hasSign reports whether a legend can show a mark.
func hasSign(m *scene.Mark) bool {
	switch m.Kind {
	case scene.Cells, scene.Labels:
		return false
	case scene.Lines, scene.Motion:
		return len(m.Lines) > 0
	}
	return true
}

// sign draws the sign of a mark in a legend.
func sign(c draw.Canvas, m *scene.Mark) {
	switch m.Kind {
	case scene.Points:
		c.DrawGlyphNoClip(pointStyle(m), c.Center())
	case scene.Circles:
		disc(c, c.Center(), min(c.Size().X, c.Size().Y)/2, m.Color, 0.25)
	case scene.Lines, scene.Motion:
		y := c.Center().Y
		c.StrokeLine2(lineStyle(m, &m.Lines[0]), c.Min.X, y, c.Max.X, y)
	case scene.Bars, scene.Rects:
		c.SetColor(rgba(m.Color, barOpacity))
		c.Fill(c.Rectangle.Path())
	}
}

// disc draws a circle, filled with an opacity, or not with 0.
func disc(c draw.Canvas, at vg.Point, radius vg.Length, colour string, opacity float64) {
	var path vg.Path
	path.Move(vg.Point{X: at.X + radius, Y: at.Y})
	path.Arc(at, radius, 0, 2*math.Pi)
	path.Close()
	if opacity > 0 {
		c.SetColor(rgba(colour, opacity))
		c.Fill(path)
	}
	c.SetLineStyle(draw.LineStyle{Color: rgba(colour, 1), Width: 1})
	c.Stroke(path)
}

// The radius of points, and of the points of a crowd.
const (
	pointRadius = 2.6 * vg.Length(1)
	crowdRadius = 1.4 * vg.Length(1)
	crowd       = 400 // points. Source: the layout
)

func pointStyle(m *scene.Mark) draw.GlyphStyle {
	s := draw.GlyphStyle{Color: rgba(m.Color, 0.9), Radius: pointRadius, Shape: draw.CircleGlyph{}}
	if len(m.X) > crowd {
		s.Radius = crowdRadius
	}
	return s
}

func (d *painter) points(m *scene.Mark) {
	s := pointStyle(m)
	for k := range m.X {
		if m.Stops != nil {
			s.Color = rgba(m.ColorOf(m.V[k]), 1)
		}
		d.DrawGlyph(s, d.at(m.X[k], m.Y[k]))
	}
}

// lineWidth is the width of a line of full strength.
const lineWidth = 1.5 * vg.Length(1)

func lineStyle(m *scene.Mark, l *scene.Line) draw.LineStyle {
	s := draw.LineStyle{Color: rgba(m.Color, 0.35+0.65*l.Strength), Width: lineWidth * vg.Length(0.3+0.7*l.Strength)}
	if l.Dashed {
		s.Dashes = []vg.Length{4, 3}
	}
	return s
}

func (d *painter) lines(m *scene.Mark) {
	for k := range m.Lines {
		l := &m.Lines[k]
		d.StrokeLines(lineStyle(m, l), d.ClipLinesXY(d.way(l))...)
	}
}

// way are the points of a line on the canvas.
func (d *painter) way(l *scene.Line) []vg.Point {
	out := make([]vg.Point, len(l.X))
	for k := range out {
		out[k] = d.at(l.X[k], l.Y[k])
	}
	return out
}

// motion draws a disc at the end of its way, and notes the way for formats in which it moves.
func (d *painter) motion(m *scene.Mark) {
	way := move{color: m.Color, radius: d.length(m.R[0]), at: d.way(&m.Lines[0])}
	*d.moves = append(*d.moves, way)
	disc(d.Canvas, way.at[len(way.at)-1], way.radius, m.Color, 0)
}

// barOpacity lets the lines behind bars be seen. Source: the layout.
const barOpacity = 0.85

func (d *painter) bars(m *scene.Mark) {
	for k, x := range m.X {
		lo, hi := d.at(x-m.Width/2, m.Base[k]), d.at(x+m.Width/2, m.Y[k])
		d.FillPolygon(rgba(m.Color, barOpacity), d.ClipPolygonXY([]vg.Point{lo, {X: hi.X, Y: lo.Y}, hi,
			{X: lo.X, Y: hi.Y}}))
	}
}

// mostSquares is how many cells are drawn one by one; of more an image is made. Cells that
// fill less of an axis than leastShare beside other marks are not drawn.
// Source: limits of the size of a picture.
const (
	mostSquares = 300
	leastShare  = 1e-2
)

func (d *painter) cells(m *scene.Mark) {
	if !(m.X[1]-m.X[0] >= leastShare*(d.x.Hi-d.x.Lo) && m.Y[1]-m.Y[0] >= leastShare*(d.y.Hi-d.y.Lo)) {
		return
	}
	a, b := d.at(m.X[0], m.Y[0]), d.at(m.X[1], m.Y[1])
	if m.Rows*m.Cols <= mostSquares {
		width, height := (b.X-a.X)/vg.Length(m.Cols), (b.Y-a.Y)/vg.Length(m.Rows)
		for k, v := range m.V {
			x, y := a.X+vg.Length(k%m.Cols)*width, a.Y+vg.Length(k/m.Cols)*height
			d.FillPolygon(rgba(m.ColorOf(v), 1), []vg.Point{{X: x, Y: y}, {X: x + width, Y: y},
				{X: x + width, Y: y + height}, {X: x, Y: y + height}})
		}
		return
	}
	img := image.NewNRGBA(image.Rect(0, 0, m.Cols, m.Rows))
	for k, v := range m.V {
		row := k / m.Cols
		if !d.y.down { // rows of an image run downwards
			row = m.Rows - 1 - row
		}
		img.SetNRGBA(k%m.Cols, row, rgba(m.ColorOf(v), 1))
	}
	d.DrawImage(vg.Rectangle{Min: vg.Point{X: a.X, Y: min(a.Y, b.Y)}, Max: vg.Point{X: b.X, Y: max(a.Y, b.Y)}}, img)
}
