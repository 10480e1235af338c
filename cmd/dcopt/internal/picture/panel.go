package picture

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
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

// page is a canvas with the fonts of its texts.
type page struct {
	draw.Canvas
	fonts *font.Cache
}

// on is the same page with another canvas.
func (p page) on(c draw.Canvas) page { return page{c, p.fonts} }

// style of texts of a size.
func (p page) style(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: ink, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, XAlign: x,
		YAlign: y, Handler: text.Plain{Fonts: p.fonts}}
}

// The sizes of texts, and the measures of what stands beside axes.
const (
	titleSize  = 11 * vg.Length(1)
	labelSize  = 10 * vg.Length(1)
	tickSize   = 9 * vg.Length(1)
	tickLength = 4 * vg.Length(1)
	thumbWidth = 14 * vg.Length(1) // of a sign in a legend
	thin       = 0.5 * vg.Length(1)
	thinnest   = 0.25 * vg.Length(1)
)

// line is an axis: a range, its ticks and its title.
type line struct {
	scene.Range
	down  bool // it runs downwards
	ticks []scene.Tick
	title string
}

// place is where a value lies between the ends, which are 0 and 1.
func (l *line) place(v float64) float64 {
	t := (v - l.Lo) / (l.Hi - l.Lo)
	if l.down {
		return 1 - t
	}
	return t
}

// room is how much an axis takes beside the area that it belongs to, where the labels of its ticks
// take so much.
func (l *line) room(p page, labels vg.Length) (r vg.Length) {
	if len(l.ticks) > 0 {
		r = tickLength + labels
	}
	if l.title != "" {
		s := p.style(labelSize, 0, 0)
		r += s.Height(l.title) + s.FontExtents().Descent
	}
	return r
}

// left is the room of the axis left of an area, and below the room of the axis under it.
func (l *line) left(p page) vg.Length {
	s := p.style(tickSize, 0, 0)
	widest := vg.Length(0)
	for _, t := range l.ticks {
		widest = max(widest, s.Width(t.Label))
	}
	return l.room(p, widest+s.Width(" "))
}

func (l *line) below(p page) vg.Length {
	s := p.style(tickSize, 0, 0)
	return l.room(p, s.Height("0")+s.FontExtents().Descent)
}

// drawLeft draws the axis left of an area.
func (l *line) drawLeft(p page) {
	x := p.Min.X
	own := draw.LineStyle{Color: ink, Width: thin}
	p.StrokeLine2(own, x, p.Min.Y, x, p.Max.Y)
	s := p.style(tickSize, text.XRight, text.YCenter)
	for _, t := range l.ticks {
		if y := p.Y(l.place(t.At)); p.ContainsY(y) {
			p.StrokeLine2(own, x-tickLength, y, x, y)
			p.FillText(s, vg.Point{X: x - tickLength - s.Width(" "), Y: y + s.FontExtents().Descent}, t.Label)
		}
	}
	if l.title != "" {
		s := p.style(labelSize, text.XCenter, text.YBottom)
		s.Rotation = math.Pi / 2
		flat := p.style(labelSize, 0, 0)
		p.FillText(s, vg.Point{X: x - l.left(p) + flat.Height(l.title) - flat.FontExtents().Descent, Y: p.Center().Y},
			l.title)
	}
}

// drawBelow draws the axis under an area.
func (l *line) drawBelow(p page) {
	y := p.Min.Y
	own := draw.LineStyle{Color: ink, Width: thin}
	p.StrokeLine2(own, p.Min.X, y, p.Max.X, y)
	s := p.style(tickSize, text.XCenter, text.YTop)
	free := p.Min.X - p.Size().X // where the label before ends
	for _, t := range l.ticks {
		if x := p.X(l.place(t.At)); p.ContainsX(x) {
			p.StrokeLine2(own, x, y-tickLength, x, y)
			label := printable(t.Label)
			if half := s.Width(label) / 2; x-half >= free {
				p.FillText(s, vg.Point{X: x, Y: y - tickLength}, label)
				free = x + half + s.Width(" ")
			}
		}
	}
	if l.title != "" {
		s := p.style(labelSize, text.XCenter, text.YBottom)
		p.FillText(s, vg.Point{X: p.Center().X, Y: y - l.below(p) + s.FontExtents().Descent}, l.title)
	}
}

// inside is the area between the axes of a panel: beside and above them the last labels have half
// of their size.
func inside(p page, x, y *line) page {
	s := p.style(tickSize, 0, 0)
	last := vg.Length(0)
	if n := len(x.ticks); n > 0 {
		last = s.Width(x.ticks[n-1].Label) / 2
	}
	return p.on(draw.Crop(p.Canvas, y.left(p), -last, x.below(p), -s.Height("0")/2))
}

// panel draws a pair of axes with all that is on them.
func panel(p page, s *scene.Panel, moves *[]move) {
	x := line{s.X, false, s.XTicks, printable(s.XLabel)}
	y := line{s.Y, s.Down, s.YTicks, printable(s.YLabel)}
	if x.ticks == nil {
		x.ticks = ticks(s.X)
	}
	if y.ticks == nil {
		y.ticks = ticks(s.Y)
	}
	var named []*scene.Mark
	var scale *scene.Mark
	for k := range s.Marks {
		m := &s.Marks[k]
		if m.Label != "" && hasSign(m) {
			named = append(named, m)
		}
		if m.Stops != nil && m.Scale.Lo < m.Scale.Hi {
			scale = m
		}
	}
	area := p
	if named != nil {
		area.Max.X -= legendWidth(p, named) + 8
	}
	if scale != nil {
		area.Max.X -= barWidth
	}
	if s.Equal {
		area = squared(area, s, &x, &y)
	}
	right := area.Max.X
	if s.Title != "" {
		title := p.style(titleSize, text.XCenter, text.YTop)
		if long := title.Width(printable(s.Title)); long > area.Size().X {
			title.Font.Size *= area.Size().X / long
		}
		p.FillText(title, vg.Point{X: area.Center().X, Y: area.Max.Y}, printable(s.Title))
		area.Max.Y -= title.Height(printable(s.Title)) + 4
	}
	if s.Equal {
		equalUnits(area, s, &x, &y)
	}
	in := inside(area, &x, &y)
	if !hasCells(s) {
		grid(in, &x, &y)
	}
	x.drawBelow(in)
	y.drawLeft(in)
	d := painter{in, &x, &y, moves}
	for k := range s.Marks {
		d.mark(&s.Marks[k])
	}
	if named != nil {
		at := p
		at.Min.X, at.Max.Y = right+4, in.Max.Y
		if scale != nil {
			at.Min.X += barWidth
		}
		legend(at, named)
	}
	if scale != nil {
		colorBar(in, right, scale)
	}
}

// grid draws the lines of the ticks through an area.
func grid(p page, x, y *line) {
	own := draw.LineStyle{Color: pale, Width: thinnest}
	for _, t := range x.ticks {
		if at := p.X(x.place(t.At)); p.ContainsX(at) {
			p.StrokeLine2(own, at, p.Min.Y, at, p.Max.Y)
		}
	}
	for _, t := range y.ticks {
		if at := p.Y(y.place(t.At)); p.ContainsY(at) {
			p.StrokeLine2(own, p.Min.X, at, p.Max.X, at)
		}
	}
}

// legendWidth is the width of the signs and names of marks.
func legendWidth(p page, named []*scene.Mark) vg.Length {
	s := p.style(tickSize, 0, 0)
	widest := vg.Length(0)
	for _, m := range named {
		widest = max(widest, s.Width(printable(m.Label)))
	}
	return thumbWidth + s.Width(" ") + widest
}

// legend draws the signs and names of marks from the top to the bottom.
func legend(p page, named []*scene.Mark) {
	s := p.style(tickSize, text.XLeft, text.YCenter)
	height := s.Height("0") + 3
	for k, m := range named {
		top := p.Max.Y - vg.Length(k)*height
		at := p.Canvas
		at.Min.Y, at.Max.Y, at.Max.X = top-height+1.5, top-1.5, p.Min.X+thumbWidth
		sign(at, m)
		p.FillText(s, vg.Point{X: at.Max.X + s.Width(" "), Y: at.Center().Y + s.FontExtents().Descent},
			printable(m.Label))
	}
}

func hasCells(s *scene.Panel) bool {
	for k := range s.Marks {
		if s.Marks[k].Kind == scene.Cells {
			return true
		}
	}
	return false
}

// squared is an area without the width that equal units of both axes would leave empty.
func squared(p page, s *scene.Panel, x, y *line) page {
	size := inside(p, x, y).Size()
	empty := size.X - size.Y*vg.Length((s.X.Hi-s.X.Lo)/(s.Y.Hi-s.Y.Lo))
	if empty > 0 && empty < 0.9*size.X {
		p.Min.X, p.Max.X = p.Min.X+empty/2, p.Max.X-empty/2
	}
	return p
}

// equalUnits widens one of the ranges so that a unit has the same length on both axes. The
// room that the labels take changes with the ranges, by little: twice is enough.
func equalUnits(p page, s *scene.Panel, x, y *line) {
	for range 2 {
		size := inside(p, x, y).Size()
		if size.X <= 0 || size.Y <= 0 {
			return
		}
		unit := max((s.X.Hi-s.X.Lo)/float64(size.X), (s.Y.Hi-s.Y.Lo)/float64(size.Y))
		x.Range, y.Range = stretched(s.X, unit*float64(size.X)), stretched(s.Y, unit*float64(size.Y))
		x.ticks = ticks(x.Range)
		if s.YTicks == nil {
			y.ticks = ticks(y.Range)
		}
	}
}

// stretched is a range of a length around the same middle.
func stretched(r scene.Range, length float64) scene.Range {
	mid, half := r.Lo/2+r.Hi/2, max(length/2, (r.Hi-r.Lo)/2)
	return scene.Range{Lo: mid - half, Hi: mid + half}
}

// barWidth is the room of a scale of colours.
const (
	barWidth = 50 * vg.Length(1)
	slimBar  = 6 * vg.Length(1) // less than that beside its labels is none
)

// colorBar draws the scale of a mark's colours beside a panel, as high as the area of its marks.
func colorBar(in page, left vg.Length, m *scene.Mark) {
	const steps = 64 // Source: the layout, steps of some 4 pixels
	axis := line{Range: *m.Scale, ticks: ticks(*m.Scale)}
	bar := in
	bar.Min.X, bar.Max.X = left+6+axis.left(in), left+barWidth
	if bar.Max.X-bar.Min.X < slimBar { // numbers of many digits
		axis.ticks = nil
		bar.Min.X = bar.Max.X - 2*slimBar
	}
	img := image.NewNRGBA(image.Rect(0, 0, 1, steps))
	for k := range steps {
		img.SetNRGBA(0, steps-1-k, rgba(m.ColorOf(at(axis.Range, (float64(k)+.5)/steps)), 1))
	}
	bar.DrawImage(bar.Rectangle, img)
	axis.drawLeft(bar)
}
