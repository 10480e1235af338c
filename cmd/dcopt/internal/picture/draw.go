package picture

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/dcopt/dcopt/internal/scene"
)

// Formats are the endings of the names of pictures.
var Formats = []string{".svg", ".png"}

// Size is the size of a picture.
type Size struct {
	Width int // in pixels of a screen, 96 per inch
	DPI   int // of a .png
}

// DefaultSize is the size of a picture for a page.
func DefaultSize() Size { return Size{Width: 720, DPI: 144} }

// The measures of a picture of DefaultSize. A wider one has higher panels and the same texts.
const (
	pageWidth   = 540 * vg.Length(1)
	titleHeight = 24 * vg.Length(1)
	alone       = 380 * vg.Length(1) // the height of the only panel of a scene,
	beside      = 260 * vg.Length(1) // of one beside another
	flat        = 170 * vg.Length(1) // and of one of the run
	edge        = 6 * vg.Length(1)   // around each panel
)

// row is a row of panels of one height.
type row struct {
	panels []scene.Panel
	height vg.Length
}

// Draw draws the panels of a scene, two in a row, and below the panels of the run, one in a
// row, as .svg or .png. Same panels, same bytes.
func Draw(title string, solution, run []scene.Panel, format string, size Size) ([]byte, error) {
	width := vg.Length(size.Width) * vg.Inch / 96
	scale := width / pageWidth
	var rows []row
	if len(solution) == 1 {
		rows = append(rows, row{solution, alone * scale})
	} else {
		for k := 0; k < len(solution); k += 2 {
			rows = append(rows, row{solution[k:min(k+2, len(solution))], beside * scale})
		}
	}
	for k := range run {
		rows = append(rows, row{run[k : k+1], flat * scale})
	}
	height := vg.Length(0)
	if title != "" {
		height = titleHeight
	}
	for _, r := range rows {
		height += r.height
	}
	if len(rows) == 0 {
		title, height = title+": nothing to draw", 2*titleHeight
	}
	var b bytes.Buffer
	switch format {
	case ".svg":
		c := vgsvg.New(width, height)
		moves := paint(draw.New(c), title, rows)
		if _, err := c.WriteTo(&b); err != nil {
			return nil, err
		}
		return []byte(animated(strings.NewReplacer(portable...).Replace(b.String()), moves)), nil
	case ".png":
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(size.DPI))
		paint(draw.New(c), title, rows)
		if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
			return nil, err
		}
		return b.Bytes(), nil
	}
	return nil, fmt.Errorf("picture: no format %s", format)
}

// portable names fonts that other systems have, too, in place of the one whose measures
// were used, and keeps the cells of images sharp.
var portable = []string{
	"font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;",
	"<image ", `<image preserveAspectRatio="none" style="image-rendering:pixelated" `,
	"data:image/jpg;", "data:image/png;",
}

// paint draws the rows from the top to the bottom.
func paint(c draw.Canvas, title string, rows []row) (moves []move) {
	p := page{c, font.NewCache(liberation.Collection())}
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	top := c.Max.Y
	if title != "" {
		s := p.style(12, text.XCenter, text.YTop)
		if long := s.Width(printable(title)); long > c.Size().X-2*edge {
			s.Font.Size *= (c.Size().X - 2*edge) / long
		}
		c.FillText(s, vg.Point{X: c.Center().X, Y: top - edge}, printable(title))
		top -= titleHeight
	}
	for _, r := range rows {
		width := (c.Max.X - c.Min.X) / vg.Length(len(r.panels))
		for k := range r.panels {
			area := c
			area.Min = vg.Point{X: c.Min.X + vg.Length(k)*width, Y: top - r.height}
			area.Max = vg.Point{X: area.Min.X + width, Y: top}
			panel(p.on(draw.Crop(area, edge, -edge, edge, -edge)), &r.panels[k], &moves)
		}
		top -= r.height
	}
	return moves
}

// turn is how long a motion takes, in seconds, and rest the part of it at either end.
const (
	turn = 6
	rest = 8
)

// animated adds the discs that move to a drawing, as canvases have none: inside its last
// group, where y runs upwards.
func animated(svg string, moves []move) string {
	if len(moves) == 0 {
		return svg
	}
	at := strings.LastIndex(svg, "</g>")
	var b strings.Builder
	b.WriteString(svg[:at])
	for _, m := range moves {
		n := len(m.at)
		var x, y []string
		for k := -n / rest; k < n+n/rest; k++ {
			p := m.at[min(max(k, 0), n-1)]
			x, y = append(x, fmt.Sprintf("%.5g", p.X.Points())), append(y, fmt.Sprintf("%.5g", p.Y.Points()))
		}
		fmt.Fprintf(&b, `<circle cx="%s" cy="%s" r="%.5g" fill="%s" fill-opacity="0.6">`+"\n", x[0], y[0],
			m.radius.Points(), m.color)
		for _, a := range []struct {
			name   string
			values []string
		}{{"cx", x}, {"cy", y}} {
			fmt.Fprintf(&b, `<animate attributeName="%s" dur="%ds" repeatCount="indefinite" values="%s"/>`+"\n", a.name,
				turn, strings.Join(a.values, ";"))
		}
		b.WriteString("</circle>\n")
	}
	return b.String() + svg[at:]
}

// printable replaces invisible characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\ufffd'
	}, s)
}

// mostTicks is how many ticks an axis has, at most.
// Source: the width of their labels.
const mostTicks = 7

// ticks are the labelled places of a range, at multiples of 1, 2 or 5 times a power of 10.
func ticks(r scene.Range) (out []scene.Tick) {
	step := niceStep((r.Hi - r.Lo) / mostTicks)
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for k := math.Ceil(r.Lo / step); k*step <= r.Hi && len(out) < 2*mostTicks; k++ {
		out = append(out, scene.Tick{At: k * step, Label: tickText(k*step, digits)})
	}
	return out
}
