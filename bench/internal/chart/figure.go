package chart

import (
	"bytes"
	"image/color"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette has colours that the colour-blind tell apart, of Okabe and Ito.
var palette = [...]color.NRGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255},
	{86, 180, 233, 255}, {90, 90, 90, 255},
}

// ink is the line of the k-th of those drawn; colours that come again are dashed.
func ink(k int, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: palette[k%len(palette)], Width: width, Dashes: plotutil.Dashes(k / len(palette))}
}

// figureWidth lets two pictures stand beside each other on a page.
const figureWidth = 6.1 * vg.Inch

// Sizes of text, in points.
const titleSize, labelSize, tickSize = 12, 11, 10

func sans(size vg.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// Style gives a plot the fonts and the grid of all pictures.
func Style(p *plot.Plot) {
	p.Title.TextStyle.Font = sans(titleSize)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = sans(labelSize), sans(tickSize)
	}
	grid := plotter.NewGrid()
	line := draw.LineStyle{Color: color.Gray{215}, Width: vg.Points(0.5)}
	grid.Horizontal, grid.Vertical = line, line
	p.Add(grid)
}

// entry of a legend.
type entry struct {
	name string
	mark plot.Thumbnailer
}

// figure is a picture: a title, a legend in rows below it, and plots below each
// other.
type figure struct {
	title         string
	legend        []entry
	plots         []*plot.Plot
	width, height vg.Length // without the legend
}

// Gaps, and the width of a mark in the legend.
const edge, gap, markWidth = 6, 5, 22

func words(size vg.Length, up text.YAlignment) text.Style {
	return text.Style{Color: color.Black, Font: sans(size), YAlign: up, Handler: plot.DefaultTextHandler}
}

// rows breaks the legend into lines of the figure's width.
func (f *figure) rows() [][]entry {
	var all [][]entry
	var left vg.Length
	for _, e := range f.legend {
		need := f.span(e)
		if len(all) == 0 || left < need {
			all, left = append(all, nil), f.width-2*edge
		}
		all[len(all)-1] = append(all[len(all)-1], e)
		left -= need
	}
	return all
}

// span is the width of a mark with its name, which a font in place of Liberation
// may make wider.
func (f *figure) span(e entry) vg.Length {
	return markWidth + 1.12*words(labelSize, 0).Width(e.name) + 4*gap
}

// save draws the figure to each path, in the format of its ending.
func (f *figure) save(paths []string) error {
	for _, path := range paths {
		data, err := f.bytes(strings.TrimPrefix(filepath.Ext(path), "."))
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (f *figure) bytes(format string) ([]byte, error) {
	const line = labelSize * 1.45
	rows := f.rows()
	canvas, err := draw.NewFormattedCanvas(f.width, f.height+vg.Length(len(rows))*line, format)
	if err != nil {
		return nil, err
	}
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	y := c.Max.Y - edge
	c.FillText(words(titleSize, text.YTop), vg.Point{X: c.Min.X + edge, Y: y}, f.title)
	y -= titleSize * 1.5
	for _, row := range rows {
		x := c.Min.X + edge
		for _, e := range row {
			mark := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: y - line},
				Max: vg.Point{X: x + markWidth, Y: y}}}
			e.mark.Thumbnail(&mark)
			c.FillText(words(labelSize, text.YCenter), vg.Point{X: x + markWidth + gap, Y: y - line/2}, e.name)
			x += f.span(e)
		}
		y -= line
	}
	c = draw.Crop(c, edge, -2*edge, edge, y-gap-c.Max.Y)
	tiles := draw.Tiles{Rows: len(f.plots), Cols: 1, PadY: 2 * gap}
	columns := make([][]*plot.Plot, len(f.plots))
	for k, p := range f.plots {
		columns[k] = []*plot.Plot{p}
	}
	for k, row := range plot.Align(columns, tiles, c) {
		f.plots[k].Draw(row[0])
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	return withFonts(b.Bytes()), nil
}

// withFonts names those to take where there is no Liberation, as wide.
func withFonts(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
}

// SVG is the plot by itself as a file.
func SVG(p *plot.Plot, width, height vg.Length) ([]byte, error) {
	w, err := p.WriterTo(width, height, "svg")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		return nil, err
	}
	return withFonts(b.Bytes()), nil
}
