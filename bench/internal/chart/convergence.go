package chart

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Line is a run: how far its objective is from the best, and how much its point
// breaks, by iteration; NaN where not known. Runs of one name share a colour.
type Line struct {
	Name           string
	Gap, Violation []float64
}

// least is what values below it are drawn as: the scale is logarithmic.
const least = 1e-9

// Convergence draws the gaps and, beside them, the violations of all lines to
// each path, in the format of its ending.
func Convergence(title string, lines []Line, paths ...string) error {
	var names []string
	at := map[string]int{}
	for _, l := range lines {
		if _, ok := at[l.Name]; !ok {
			at[l.Name] = len(names)
			names = append(names, l.Name)
		}
	}
	panel := func(title string, values func(Line) []float64, legend bool) (*plot.Plot, error) {
		p := plot.New()
		p.Title.Text, p.X.Label.Text = title, "iteration"
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
		// Where runs that converge leave room.
		p.Legend.Left = true
		p.Legend.XOffs, p.Legend.YOffs = vg.Points(6), vg.Points(6)
		p.Add(plotter.NewGrid())
		lo, hi, end := math.Inf(1), least, 2.0
		named := map[string]bool{}
		for _, l := range lines {
			var xy plotter.XYs
			for k, v := range values(l) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					continue
				}
				v = max(v, least)
				lo, hi, end = min(lo, v), max(hi, v), max(end, float64(k+1))
				xy = append(xy, plotter.XY{X: float64(k + 1), Y: v})
			}
			if len(xy) == 0 {
				continue
			}
			line, dots, err := plotter.NewLinePoints(xy)
			if err != nil {
				return nil, err
			}
			c := plotutil.Color(at[l.Name])
			line.Color, line.Width, line.Dashes = c, vg.Points(1.2), plotutil.Dashes(at[l.Name]/7)
			dots.GlyphStyle = draw.GlyphStyle{Color: color.Color(c), Radius: vg.Points(1.6), Shape: draw.CircleGlyph{}}
			p.Add(line, dots)
			if legend && !named[l.Name] {
				named[l.Name] = true
				p.Legend.Add(l.Name, line)
			}
		}
		if math.IsInf(lo, 1) {
			lo, hi = 0.1, 1
		}
		p.X.Min, p.X.Max = 1, end
		// Whole powers of 10, so that some are labelled.
		p.Y.Min, p.Y.Max = math.Pow(10, math.Floor(math.Log10(lo))), math.Pow(10, math.Floor(math.Log10(hi))+1)
		return p, nil
	}
	gap, err := panel(title+": distance to the best objective", func(l Line) []float64 { return l.Gap }, true)
	if err != nil {
		return err
	}
	violation, err := panel(title+": largest violation", func(l Line) []float64 { return l.Violation }, false)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := saveRow([]*plot.Plot{gap, violation}, 10*vg.Inch, 3.6*vg.Inch, path); err != nil {
			return err
		}
	}
	return nil
}

// saveRow draws the plots side by side.
func saveRow(plots []*plot.Plot, width, height vg.Length, path string) error {
	canvas, err := draw.NewFormattedCanvas(width, height, strings.TrimPrefix(filepath.Ext(path), "."))
	if err != nil {
		return err
	}
	tiles := draw.Tiles{Rows: 1, Cols: len(plots), PadX: vg.Points(20), PadLeft: vg.Points(8), PadRight: vg.Points(8), PadTop: vg.Points(4)}
	for k, p := range plots {
		p.Draw(tiles.At(draw.New(canvas), k, 0))
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := canvas.WriteTo(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// decades label powers of 10, of a long range each second or third.
type decades struct{}

// Ticks implements plot.Ticker for a positive range.
func (decades) Ticks(lo, hi float64) []plot.Tick {
	first, last := int(math.Ceil(math.Log10(lo))), int(math.Floor(math.Log10(hi)))
	every := (last-first)/6 + 1
	var all []plot.Tick
	for e := first; e <= last; e++ {
		t := plot.Tick{Value: math.Pow(10, float64(e))}
		if (last-e)%every == 0 {
			t.Label = fmt.Sprintf("%.3g", t.Value)
		}
		all = append(all, t)
	}
	return all
}
