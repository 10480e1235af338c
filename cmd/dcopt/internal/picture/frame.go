package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"unicode"
)

// The measures of a picture, in pixels.
const (
	width  = 720
	left   = 96
	right  = 24
	top    = 44
	bottom = 48
	wide   = width - left - right // of a frame
)

// drawing is an SVG that grows.
type drawing struct{ bytes.Buffer }

func begin(title string, height int) *drawing {
	d := &drawing{}
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height, width, height)
	d.printf(`<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	d.text(width/2, 24, "middle", `font-size="14"`, title)
	return d
}

func (d *drawing) end() []byte {
	d.printf("</svg>\n")
	return d.Bytes()
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *drawing) text(x, y float64, anchor, more, s string) {
	var b bytes.Buffer
	printable := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\ufffd'
	}, s)
	if xml.EscapeText(&b, []byte(printable)) != nil { // a buffer takes everything
		return
	}
	if more != "" {
		more = " " + more
	}
	d.printf(`<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>`+"\n", x, y, anchor, more, b.String())
}

func (d *drawing) line(x1, y1, x2, y2 float64, style string) {
	d.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`+"\n", x1, y1, x2, y2, style)
}

func (d *drawing) dot(x, y, radius float64, style string) {
	d.printf(`<circle cx="%.1f" cy="%.1f" r="%g" %s/>`+"\n", x, y, radius, style)
}

// frame is a rectangle of the drawing with axes.
type frame struct {
	*drawing
	x, y      axis
	top, high float64
}

func (f *frame) px(v float64) float64 { return left + wide*f.x.fraction(v) }
func (f *frame) py(v float64) float64 { return f.top + f.high*(1-f.y.fraction(v)) }

// axes draws the frame, its ticks, or with grid lines across it, and the names of the axes.
func (f *frame) axes(xName, yName string, grid bool) {
	style, x1, x2, y1, y2 := `stroke="#444444"`, left-4.0, float64(left), f.top+f.high, f.top+f.high+4
	if grid {
		style, x1, x2, y1, y2 = `stroke="#dddddd"`, left, left+wide, f.top, f.top+f.high
	}
	for k, v := range f.y.ticks {
		f.line(x1, f.py(v), x2, f.py(v), style)
		f.text(left-8, f.py(v)+4, "end", "", f.y.labels[k])
	}
	for k, v := range f.x.ticks {
		f.line(f.px(v), y1, f.px(v), y2, style)
		f.text(f.px(v), f.top+f.high+18, "middle", "", f.x.labels[k])
	}
	f.printf(`<rect x="%d" y="%.1f" width="%d" height="%.1f" fill="none" stroke="#444444"/>`+"\n", left, f.top, wide, f.high)
	f.text(left+wide/2, f.top+f.high+38, "middle", "", xName)
	f.text(20, f.top+f.high/2, "middle", fmt.Sprintf(`transform="rotate(-90 20 %.1f)"`, f.top+f.high/2), yName)
}

// curve draws lines between points; points that are not finite leave a gap.
func (f *frame) curve(x, y []float64, style string) {
	var line []string
	flush := func() {
		if len(line) > 1 {
			f.printf(`<polyline points="%s" fill="none" %s/>`+"\n", strings.Join(line, " "), style)
		}
		line = line[:0]
	}
	for k, v := range y {
		if v-v != 0 {
			flush()
			continue
		}
		line = append(line, fmt.Sprintf("%.1f,%.1f", f.px(x[k]), f.py(v)))
	}
	flush()
}

// dots draws the points that are finite, of many every so many.
func (f *frame) dots(x, y []float64, radius float64, most int, style string) {
	step := max(1, (len(x)+most-1)/most)
	for i := 0; i < len(x); i += step {
		if x[i]-x[i] == 0 && y[i]-y[i] == 0 {
			f.dot(f.px(x[i]), f.py(y[i]), radius, style)
		}
	}
}
