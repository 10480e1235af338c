package pages

import (
	"bytes"
	"image/color"
	"math"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// card writes the picture that other sites show for a link to this one: the end of the run beside
// the name, as PNG of 1200 × 630, the size that they ask for.
func (r *Run) card(name string) error {
	const width, height, margin = 1200, 630, 40
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(72))
	dc := draw.New(c)
	var all vg.Path
	all.Move(vg.Point{})
	all.Line(vg.Point{X: width})
	all.Line(vg.Point{X: width, Y: height})
	all.Line(vg.Point{Y: height})
	all.Close()
	dc.SetColor(color.White)
	dc.Fill(all)
	last := r.Frames[len(r.Frames)-1]
	unit := (height - 2*margin) / (2 * last.Half)
	centre := vg.Point{X: width - margin - vg.Length(unit*last.Half), Y: height / 2}
	for i, radius := range r.Radii {
		at := last.Centres[i]
		middle := centre.Add(vg.Point{X: vg.Length(unit * at[0]), Y: vg.Length(unit * at[1])})
		var disc vg.Path
		disc.Move(middle.Add(vg.Point{X: vg.Length(unit * radius)}))
		disc.Arc(middle, vg.Length(unit*radius), 0, 2*math.Pi)
		disc.Close()
		shade := uint8(90 + 25*(i%6))
		dc.SetColor(color.NRGBA{shade, shade, 230, 255})
		dc.Fill(disc)
	}
	for k, line := range []string{"dcopt", "The best answer to problems", "that are not convex,",
		"and how good it is"} {
		size := vg.Length(40)
		if k == 0 {
			size = 96
		}
		style := draw.TextStyle{Color: color.NRGBA{47, 58, 192, 255}, Handler: plot.DefaultTextHandler}
		style.Font = font.From(plot.DefaultFont, size)
		dc.FillText(style, vg.Point{X: margin, Y: height/2 + 90 - vg.Length(float64(k)*58+30*min(1, float64(k)))}, line)
	}
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o666)
}
