package picture

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dcopt/dcopt/internal/scene"
)

// The colours of axes and texts.
var (
	white = color.RGBA{255, 255, 255, 255}
	ink   = color.RGBA{0x33, 0x33, 0x33, 255}
	pale  = color.RGBA{0xe2, 0xe2, 0xe2, 255}
)

// rgba is a colour #rrggbb with an opacity between 0 and 1.
func rgba(hex string, opacity float64) color.NRGBA {
	c := color.NRGBA{A: uint8(math.Round(255 * opacity))}
	digit := func(k int) uint8 {
		switch b := hex[k]; {
		case b >= 'a':
			return b - 'a' + 10
		default:
			return b - '0'
		}
	}
	if len(hex) == 7 {
		c.R, c.G, c.B = digit(1)<<4|digit(2), digit(3)<<4|digit(4), digit(5)<<4|digit(6)
	}
	return c
}

func textStyle(size vg.Length) text.Style {
	return text.Style{Color: ink, Font: sans(size), Handler: plot.DefaultTextHandler}
}

// axisStyle sets an axis as all are.
func axisStyle(a *plot.Axis, r scene.Range, label string, at []scene.Tick) {
	a.Min, a.Max = r.Lo, r.Hi
	a.Padding = 0
	a.Label.Text = printable(label)
	a.Label.TextStyle.Font, a.Label.TextStyle.Color = sans(10), ink
	a.Tick.Label.Font, a.Tick.Label.Color = sans(9), ink
	a.Tick.Length = 4
	a.LineStyle.Color, a.Tick.LineStyle.Color = ink, ink
	marks := make(plot.ConstantTicks, len(at))
	for k, t := range at {
		marks[k] = plot.Tick{Value: t.At, Label: t.Label}
	}
	a.Tick.Marker = marks
}

// panel draws a pair of axes with all that is on them.
func panel(c draw.Canvas, s *scene.Panel, moves *[]move) error {
	p := plot.New()
	p.Title.Text = printable(s.Title)
	p.Title.TextStyle.Font, p.Title.TextStyle.Color = sans(11), ink
	p.Title.Padding = 4
	yTicks := s.YTicks
	if yTicks == nil {
		yTicks = ticks(s.Y)
	}
	y := s.Y
	if s.Down { // gonum/plot has no images on an axis that runs downwards: -y runs upwards
		y = scene.Range{Lo: -s.Y.Hi, Hi: -s.Y.Lo}
		for k := range yTicks {
			yTicks[k].At = -yTicks[k].At
		}
	}
	xTicks := s.XTicks
	if xTicks == nil {
		xTicks = ticks(s.X)
	}
	axisStyle(&p.X, s.X, s.XLabel, xTicks)
	axisStyle(&p.Y, y, s.YLabel, yTicks)
	d := painter{plot: p, down: s.Down, x: s.X, y: s.Y, moves: moves}
	if !hasCells(s) {
		grid := plotter.NewGrid()
		grid.Vertical.Color, grid.Horizontal.Color = pale, pale
		p.Add(grid)
	}
	legend := plot.NewLegend()
	legend.TextStyle.Font, legend.TextStyle.Color = sans(9), ink
	legend.Top, legend.Left = true, true
	legend.Padding = 3
	legend.ThumbnailWidth = 14
	named := false
	var scale *scene.Mark
	for k := range s.Marks {
		m := &s.Marks[k]
		thumb, err := d.mark(m)
		if err != nil {
			return err
		}
		if m.Label != "" && thumb != nil {
			legend.Add(printable(m.Label), thumb)
			named = true
		}
		if m.Stops != nil && m.Scale.Lo < m.Scale.Hi {
			scale = m
		}
	}
	// The ranges are those of the scene, whatever the marks would make of them.
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = s.X.Lo, s.X.Hi, y.Lo, y.Hi
	area := c
	if named {
		area.Max.X -= legend.Rectangle(c).Size().X + 8
	}
	if scale != nil {
		area.Max.X -= barWidth
	}
	if s.Equal {
		equalUnits(p, area, s, yTicks)
	}
	p.Draw(area)
	inside := p.DataCanvas(area)
	if named {
		at := c
		at.Min.X, at.Max.Y = area.Max.X+4, inside.Max.Y
		if scale != nil {
			at.Min.X += barWidth
		}
		legend.Draw(at)
	}
	if scale != nil {
		colorBar(c, inside, area.Max.X, scale)
	}
	return nil
}

func hasCells(s *scene.Panel) bool {
	for k := range s.Marks {
		if s.Marks[k].Kind == scene.Cells {
			return true
		}
	}
	return false
}

// equalUnits widens one of the ranges so that a unit has the same length on both axes. The
// room that the labels take changes with the ranges, by little: twice is enough.
func equalUnits(p *plot.Plot, area draw.Canvas, s *scene.Panel, yTicks []scene.Tick) {
	for range 2 {
		size := p.DataCanvas(area).Size()
		if size.X <= 0 || size.Y <= 0 {
			return
		}
		unit := max((s.X.Hi-s.X.Lo)/float64(size.X), (s.Y.Hi-s.Y.Lo)/float64(size.Y))
		x, y := stretched(s.X, unit*float64(size.X)), stretched(s.Y, unit*float64(size.Y))
		axisStyle(&p.X, x, s.XLabel, ticks(x))
		if s.YTicks == nil && !s.Down {
			yTicks = ticks(y)
		}
		if s.Down {
			y = scene.Range{Lo: -y.Hi, Hi: -y.Lo}
		}
		axisStyle(&p.Y, y, s.YLabel, yTicks)
	}
}

// stretched is a range of a length around the same middle.
func stretched(r scene.Range, length float64) scene.Range {
	mid, half := r.Lo/2+r.Hi/2, max(length/2, (r.Hi-r.Lo)/2)
	return scene.Range{Lo: mid - half, Hi: mid + half}
}

// barWidth is the room of a scale of colours.
const (
	barWidth = 44 * vg.Length(1)
	slimBar  = 6 * vg.Length(1) // less than that beside its labels is none
)

// colorBar draws the scale of a mark's colours beside a panel, as high as it is.
func colorBar(c, inside draw.Canvas, left vg.Length, m *scene.Mark) {
	p := plot.New()
	p.Add(&plotter.ColorBar{ColorMap: &shades{m, m.Scale.Lo, m.Scale.Hi}, Vertical: true, Colors: 64})
	p.HideX()
	axisStyle(&p.Y, *m.Scale, "", ticks(*m.Scale))
	p.X.Padding = 0
	c.Min = vg.Point{X: left + 6, Y: inside.Min.Y}
	c.Max = vg.Point{X: left + barWidth, Y: inside.Max.Y}
	if p.DataCanvas(c).Size().X < slimBar { // numbers of many digits
		p.Y.Tick.Marker = plot.ConstantTicks{}
	}
	p.Draw(c)
}

// shades are the colours of a mark as gonum/plot asks for them.
type shades struct {
	m      *scene.Mark
	lo, hi float64
}

func (s *shades) At(v float64) (color.Color, error) { return rgba(s.m.ColorOf(v), 1), nil }
func (s *shades) Max() float64                      { return s.hi }
func (s *shades) SetMax(v float64)                  { s.hi = v }
func (s *shades) Min() float64                      { return s.lo }
func (s *shades) SetMin(v float64)                  { s.lo = v }
func (s *shades) Alpha() float64                    { return 1 }
func (s *shades) SetAlpha(float64)                  {}
func (s *shades) Palette(n int) palette.Palette     { return colors{s.m, n} }

// colors is a list of n colours of a mark's scale.
type colors struct {
	m *scene.Mark
	n int
}

func (c colors) Colors() []color.Color {
	out := make([]color.Color, c.n)
	for k := range out {
		t := float64(k) / float64(max(1, c.n-1))
		out[k] = rgba(c.m.ColorOf(c.m.Scale.Lo*(1-t)+c.m.Scale.Hi*t), 1)
	}
	return out
}
