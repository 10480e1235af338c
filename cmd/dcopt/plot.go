package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/dcopt/dcopt/ccp"
)

// plotPath checks the name of the plot's file.
func plotPath(path string) error {
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case path == "":
		return usagef("--plot: the name of the file is empty")
	case ext == ".svg":
		return nil
	case ext == "":
		return usagef("--plot %s: want a name that ends in .svg", path)
	default:
		return usagef("--plot %s: plots are .svg files, not %s; browsers and most programs that take pictures open them", path, ext)
	}
}

// The measures of a plot, in pixels.
const (
	plotWidth   = 720
	plotLeft    = 96
	plotRight   = 24
	panelHeight = 200
	panelTop    = 44
	panelGap    = 36
	plotBottom  = 48
	mostMarked  = 60 // iterations up to which each is a dot
)

// drawHistory is a picture of a run: the objective and the largest violation by
// iteration. Violations have a logarithmic axis; those of 0 lie on its bottom.
// Values that are not finite leave a gap.
func drawHistory(title string, history []ccp.Iteration) []byte {
	var at, objective, violation []float64
	for _, it := range history {
		at = append(at, float64(it.K))
		objective = append(objective, it.Objective)
		violation = append(violation, it.Violation)
	}
	d := drawing{x: axisOf(at, 8, true)}
	const height = panelTop + 2*panelHeight + panelGap + plotBottom
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, height, plotWidth, height)
	d.printf(`<rect width="%d" height="%d" fill="white"/>`+"\n", plotWidth, height)
	d.text(plotWidth/2, 24, "middle", `font-size="14"`, title)
	d.panel(panelTop, "objective", "#1f5fa8", axisOf(objective, 5, false), at, objective, false)
	d.panel(panelTop+panelHeight+panelGap, "largest violation", "#b03a2e", decades(violation), at, violation, true)
	d.text(plotLeft+(plotWidth-plotLeft-plotRight)/2, height-12, "middle", "", "iteration")
	d.printf("</svg>\n")
	return d.Bytes()
}

// axis is a range with the places of its ticks; of a logarithmic one these are
// exponents of 10.
type axis struct {
	lo, hi float64
	ticks  []float64
	labels []string
}

// fraction is where v lies between the ends.
func (a *axis) fraction(v float64) float64 { return (v/2 - a.lo/2) / (a.hi/2 - a.lo/2) }

// axisOf holds all finite values, with ticks at multiples of 1, 2 or 5 times a
// power of 10; of whole numbers at least 1.
func axisOf(values []float64, ticks int, whole bool) axis {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v-v == 0 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		lo, hi = 0, 1
	}
	if hi-lo <= 1e-12*max(math.Abs(lo), math.Abs(hi)) { // all the same but for rounding
		room := max(math.Abs(lo)/10, 1e-3)
		if whole {
			room = 0.5
		}
		lo, hi = lo-room, hi+room
	}
	step := niceStep((hi/2 - lo/2) / (float64(ticks) / 2))
	if whole {
		step = max(1, step)
	} else { // some room, so that no line runs along the frame
		room := 0.05*hi - 0.05*lo
		lo, hi = max(lo-room, -math.MaxFloat64), min(hi+room, math.MaxFloat64)
	}
	a := axis{lo: lo, hi: hi}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for k := math.Ceil(lo / step); k*step <= hi && len(a.ticks) < 4*ticks; k++ {
		a.ticks = append(a.ticks, k*step)
		a.labels = append(a.labels, tickText(k*step, digits))
	}
	return a
}

// niceStep is the least of 1, 2, 5 times a power of 10 that is at least s.
func niceStep(s float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(s)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= s*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// tickText has the digits that tell neighbouring ticks apart.
func tickText(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	if math.Abs(v) >= 1e6 || digits > 5 {
		return strconv.FormatFloat(v, 'g', max(1, digits+1+int(math.Floor(math.Log10(math.Abs(v))))), 64)
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// decades is the axis of the logarithms of the values.
func decades(values []float64) axis {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 1) {
			lo, hi = min(lo, math.Log10(v)), max(hi, math.Log10(v))
		}
	}
	if lo > hi { // nothing was ever violated
		lo, hi = -8, 0
	}
	a := axis{lo: math.Floor(lo), hi: math.Ceil(hi)}
	if a.lo == a.hi {
		a.hi++
	}
	a.lo-- // the place of zeros
	step := math.Ceil((a.hi - a.lo) / 8)
	for e := a.hi; e > a.lo; e -= step {
		a.ticks = append(a.ticks, e)
		a.labels = append(a.labels, fmt.Sprintf("1e%g", e))
	}
	a.ticks, a.labels = append(a.ticks, a.lo), append(a.labels, "0")
	return a
}

// drawing is an SVG that grows. x is the axis that the panels share.
type drawing struct {
	bytes.Buffer
	x axis
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

// panel draws a curve in a frame.
func (d *drawing) panel(top float64, name, color string, y axis, at, values []float64, logarithmic bool) {
	const wide = plotWidth - plotLeft - plotRight
	px := func(v float64) float64 { return plotLeft + wide*d.x.fraction(v) }
	py := func(v float64) float64 { return top + panelHeight*(1-y.fraction(v)) }
	for k, v := range y.ticks {
		d.printf(`<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#dddddd"/>`+"\n", plotLeft, py(v), plotLeft+wide, py(v))
		d.text(plotLeft-8, py(v)+4, "end", "", y.labels[k])
	}
	for k, v := range d.x.ticks {
		d.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#dddddd"/>`+"\n", px(v), top, px(v), top+panelHeight)
		d.text(px(v), top+panelHeight+16, "middle", "", d.x.labels[k])
	}
	d.printf(`<rect x="%d" y="%.1f" width="%d" height="%d" fill="none" stroke="#444444"/>`+"\n", plotLeft, top, wide, panelHeight)
	d.text(20, top+panelHeight/2, "middle", fmt.Sprintf(`transform="rotate(-90 20 %.1f)"`, top+panelHeight/2), name)
	var line []string
	flush := func() {
		if len(line) > 1 {
			d.printf(`<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", strings.Join(line, " "), color)
		}
		line = line[:0]
	}
	for k, v := range values {
		if logarithmic && v-v == 0 {
			v = max(math.Log10(v), y.lo) // log 0 is -Inf
		}
		if v-v != 0 {
			flush()
			continue
		}
		line = append(line, fmt.Sprintf("%.1f,%.1f", px(at[k]), py(v)))
		if len(values) <= mostMarked {
			d.printf(`<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>`+"\n", px(at[k]), py(v), color)
		}
	}
	flush()
	if len(values) == 0 {
		d.text(plotLeft+wide/2, top+panelHeight/2, "middle", "", "no iterations")
	}
}
