package picture

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dcopt/dcopt/internal/scene"
)

// painter adds the marks of a panel to a plot.
type painter struct {
	plot  *plot.Plot
	down  bool // the second axis shows -y
	x, y  scene.Range
	moves *[]move // of the whole picture
}

// move is a disc that moves from point to point of the canvas.
type move struct {
	at     []vg.Point
	radius vg.Length
	color  string
}

// up is a second coordinate as the plot has it.
func (d *painter) up(v float64) float64 {
	if d.down {
		return -v
	}
	return v
}

// xys are coordinates as the plot has them.
func (d *painter) xys(x, y []float64) plotter.XYs {
	out := make(plotter.XYs, len(x))
	for k := range x {
		out[k] = plotter.XY{X: x[k], Y: d.up(y[k])}
	}
	return out
}

// mark adds a mark; thumb is its sign in a legend, nil: it has none.
func (d *painter) mark(m *scene.Mark) (thumb plot.Thumbnailer, err error) {
	switch m.Kind {
	case scene.Points:
		return d.points(m)
	case scene.Circles:
		c := &circles{m, d}
		d.plot.Add(c)
		return c, nil
	case scene.Lines:
		return d.lines(m)
	case scene.Motion:
		thumb, err := d.lines(m)
		d.plot.Add(&moving{m, d})
		return thumb, err
	case scene.Bars:
		return d.bars(m)
	case scene.Cells:
		d.cells(m)
	}
	return nil, nil
}

// The radius of points, and that of the points of a crowd.
const (
	pointRadius = 2.6 * vg.Length(1)
	crowdRadius = 1.4 * vg.Length(1)
	crowd       = 400 // points. Source: the layout
)

func (d *painter) points(m *scene.Mark) (plot.Thumbnailer, error) {
	s, err := plotter.NewScatter(d.xys(m.X, m.Y))
	if err != nil {
		return nil, err
	}
	s.GlyphStyle = draw.GlyphStyle{Color: rgba(m.Color, 0.9), Radius: pointRadius, Shape: draw.CircleGlyph{}}
	if len(m.X) > crowd {
		s.GlyphStyle.Radius = crowdRadius
	}
	if m.Stops != nil {
		style := s.GlyphStyle
		s.GlyphStyleFunc = func(k int) draw.GlyphStyle {
			style.Color = rgba(m.ColorOf(m.V[k]), 1)
			return style
		}
	}
	d.plot.Add(s)
	return s, nil
}

// lineWidth is that of a line of full strength.
const lineWidth = 1.5 * vg.Length(1)

func (d *painter) lines(m *scene.Mark) (thumb plot.Thumbnailer, err error) {
	for k := range m.Lines {
		l := &m.Lines[k]
		line, err := plotter.NewLine(d.xys(l.X, l.Y))
		if err != nil {
			return nil, err
		}
		line.LineStyle = draw.LineStyle{Color: rgba(m.Color, 0.35+0.65*l.Strength), Width: lineWidth * vg.Length(0.3+0.7*l.Strength)}
		if l.Dashed {
			line.LineStyle.Dashes = []vg.Length{4, 3}
		}
		d.plot.Add(line)
		if thumb == nil {
			thumb = line
		}
	}
	return thumb, nil
}

func (d *painter) bars(m *scene.Mark) (plot.Thumbnailer, error) {
	var rings []plotter.XYer
	for k, x := range m.X {
		lo, hi := x-m.Width/2, x+m.Width/2
		a, b := d.up(m.Base[k]), d.up(m.Y[k])
		rings = append(rings, plotter.XYs{{X: lo, Y: min(a, b)}, {X: hi, Y: min(a, b)}, {X: hi, Y: max(a, b)}, {X: lo, Y: max(a, b)}})
	}
	p, err := plotter.NewPolygon(rings...)
	if err != nil {
		return nil, err
	}
	p.Color = rgba(m.Color, 0.85)
	p.LineStyle.Width = 0
	d.plot.Add(p)
	return p, nil
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
	h := plotter.NewHeatMap(&grid{m, d}, colors{m, 256})
	h.Min, h.Max = m.Scale.Lo, m.Scale.Hi
	if h.Min == h.Max { // one colour for all
		h.Max = math.Nextafter(h.Max, math.Inf(1))
	}
	h.NaN = rgba(m.ColorOf(math.NaN()), 1)
	h.Rasterized = m.Rows*m.Cols > mostSquares
	d.plot.Add(h)
}

// grid has the cells of a mark from the left and from the bottom.
type grid struct {
	m *scene.Mark
	d *painter
}

// Dims is the number of columns and rows.
func (g *grid) Dims() (c, r int) { return g.m.Cols, g.m.Rows }

// Z is the value of a cell.
func (g *grid) Z(c, r int) float64 {
	if g.d.down {
		r = g.m.Rows - 1 - r
	}
	return g.m.V[r*g.m.Cols+c]
}

// X is the middle of a column.
func (g *grid) X(c int) float64 {
	return g.m.X[0] + (g.m.X[1]-g.m.X[0])*(float64(c)+0.5)/float64(g.m.Cols)
}

// Y is the middle of a row.
func (g *grid) Y(r int) float64 {
	lo, hi := g.m.Y[0], g.m.Y[1]
	if g.d.down {
		lo, hi = -hi, -lo
	}
	return lo + (hi-lo)*(float64(r)+0.5)/float64(g.m.Rows)
}

// circles draws circles whose radii are in the units of the axes, as gonum/plot has none.
type circles struct {
	m *scene.Mark
	d *painter
}

// style is the line of a circle.
func (c *circles) style() draw.LineStyle { return draw.LineStyle{Color: rgba(c.m.Color, 1), Width: 1} }

// Plot draws the circles.
func (c *circles) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	for k, r := range c.m.R {
		at := vg.Point{X: x(c.m.X[k]), Y: y(c.d.up(c.m.Y[k]))}
		radius := x(c.m.X[k]+r) - at.X
		var path vg.Path
		path.Move(vg.Point{X: at.X + radius, Y: at.Y})
		path.Arc(at, radius, 0, 2*math.Pi)
		path.Close()
		canvas.SetColor(rgba(c.m.Color, 0.25))
		canvas.Fill(path)
		canvas.SetLineStyle(c.style())
		canvas.Stroke(path)
	}
}

// Thumbnail draws the sign of the circles in a legend.
func (c *circles) Thumbnail(canvas *draw.Canvas) {
	size := canvas.Size()
	at, radius := canvas.Center(), min(size.X, size.Y)/2
	var path vg.Path
	path.Move(vg.Point{X: at.X + radius, Y: at.Y})
	path.Arc(at, radius, 0, 2*math.Pi)
	path.Close()
	canvas.SetColor(rgba(c.m.Color, 0.25))
	canvas.Fill(path)
	canvas.SetLineStyle(c.style())
	canvas.Stroke(path)
}

// moving draws a disc at the end of its path, and one that moves where a format can.
type moving struct {
	m *scene.Mark
	d *painter
}

// Plot draws the disc, and notes its way on the canvas.
func (c *moving) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	l := &c.m.Lines[0]
	way := move{color: c.m.Color, radius: x(l.X[0]+c.m.R[0]) - x(l.X[0])}
	for k := range l.X {
		way.at = append(way.at, vg.Point{X: x(l.X[k]), Y: y(c.d.up(l.Y[k]))})
	}
	*c.d.moves = append(*c.d.moves, way)
	var path vg.Path
	end := way.at[len(way.at)-1]
	path.Move(vg.Point{X: end.X + way.radius, Y: end.Y})
	path.Arc(end, way.radius, 0, 2*math.Pi)
	path.Close()
	canvas.SetLineStyle(draw.LineStyle{Color: rgba(c.m.Color, 1), Width: 1})
	canvas.Stroke(path)
}
