package pages

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// curve is a function of one number, drawn over an interval.
type curve struct {
	of     string // in the legend
	lo, hi float64
	make   func(x dc.Expr) dc.Expr // of a scalar
}

// pair is the vector (x, 1) of a scalar x.
func pair(x dc.Expr) dc.Expr { return dc.Stack(x, dc.Num(1)) }

// square is the symmetric matrix [x 1; 1 0].
func square(x dc.Expr) dc.Expr {
	return dc.Stack(x, dc.Num(1), dc.Num(1), dc.Num(0)).Reshape(2, 2)
}

// definite is the matrix [x 0; 0 1].
func definite(x dc.Expr) dc.Expr {
	return dc.Stack(x, dc.Num(0), dc.Num(0), dc.Num(1)).Reshape(2, 2)
}

// Curves are the graphs of atoms, by name: atoms of one number as they are, atoms of an
// array along a line. WithoutGraph has all others.
func Curves() map[string][]curve {
	real := func(name string, lo, hi float64, f func(dc.Expr) dc.Expr) []curve {
		return []curve{{name, lo, hi, f}}
	}
	all := map[string][]curve{
		"InvPos": real("1/x", 0.05, 4, func(x dc.Expr) dc.Expr { return dc.InvPos(x) }),
		"Sqrt":   real("sqrt x", 0, 4, func(x dc.Expr) dc.Expr { return dc.Sqrt(x) }),
		"Huber": {
			{"m = 1", -3, 3, func(x dc.Expr) dc.Expr { return dc.Huber(x, 1) }},
			{"m = 1/2", -3, 3, func(x dc.Expr) dc.Expr { return dc.Huber(x, 0.5) }},
		},
		"Power": {
			{"p = 1/2", 0, 2, func(x dc.Expr) dc.Expr { return dc.Power(x, 0.5) }},
			{"p = 3/2", 0, 2, func(x dc.Expr) dc.Expr { return dc.Power(x, 1.5) }},
			{"p = 3", -1.5, 1.5, func(x dc.Expr) dc.Expr { return dc.Power(x, 3) }},
			{"p = -1/2", 0.08, 2, func(x dc.Expr) dc.Expr { return dc.Power(x, -0.5) }},
		},
		"Norm1":      real("of (x, 1)", -3, 3, func(x dc.Expr) dc.Expr { return dc.Norm1(pair(x)) }),
		"Norm2":      real("of (x, 1)", -3, 3, func(x dc.Expr) dc.Expr { return dc.Norm2(pair(x)) }),
		"NormInf":    real("of (x, 1)", -3, 3, func(x dc.Expr) dc.Expr { return dc.NormInf(pair(x)) }),
		"NormP":      real("of (x, 1), p = 3", -3, 3, func(x dc.Expr) dc.Expr { return dc.NormP(pair(x), 3) }),
		"SumSquares": real("of (x, 1)", -2.5, 2.5, func(x dc.Expr) dc.Expr { return dc.SumSquares(pair(x)) }),
		"Max":        real("of x and 1", -1, 3, func(x dc.Expr) dc.Expr { return dc.Max(x, dc.Num(1)) }),
		"Min":        real("of x and 1", -1, 3, func(x dc.Expr) dc.Expr { return dc.Min(x, dc.Num(1)) }),
		"Sum":        real("of x and 1", -3, 3, func(x dc.Expr) dc.Expr { return dc.Sum(x, dc.Num(1)) }),
		"LogSumExp":  real("of (x, 1)", -4, 4, func(x dc.Expr) dc.Expr { return dc.LogSumExp(pair(x)) }),
		"SumLargest": real("the 2 largest of (x, 1, 0)", -2, 3, func(x dc.Expr) dc.Expr {
			return dc.SumLargest(dc.Stack(x, dc.Num(1), dc.Num(0)), 2)
		}),
		"DotSort": real("of (x, 1), weights 1 and 2", -2, 4, func(x dc.Expr) dc.Expr {
			return dc.DotSort(pair(x), []float64{1, 2})
		}),
		"GeoMean":     real("of (x, 1)", 0, 4, func(x dc.Expr) dc.Expr { return dc.GeoMean(pair(x)) }),
		"LambdaMax":   real("of [x 1; 1 0]", -4, 4, func(x dc.Expr) dc.Expr { return dc.LambdaMax(square(x)) }),
		"LambdaMin":   real("of [x 1; 1 0]", -4, 4, func(x dc.Expr) dc.Expr { return dc.LambdaMin(square(x)) }),
		"NuclearNorm": real("of [x 1; 1 0]", -4, 4, func(x dc.Expr) dc.Expr { return dc.NuclearNorm(square(x)) }),
		"LogDet":      real("of [x 0; 0 1]", 0.02, 4, func(x dc.Expr) dc.Expr { return dc.LogDet(definite(x)) }),
		"SpectralNorm": {
			{"of [x 1; 1 0]", -4, 4, func(x dc.Expr) dc.Expr { return dc.SpectralNorm(square(x)) }},
		},
		"LambdaSumLargest": {
			{"the largest of [x 1; 1 0]", -4, 4, func(x dc.Expr) dc.Expr { return dc.LambdaSumLargest(square(x), 1) }},
			{"both", -4, 4, func(x dc.Expr) dc.Expr { return dc.LambdaSumLargest(square(x), 2) }},
		},
		"WeightedGeoMean": {
			{"of (x, 1), weights 1 and 3", 0, 4, func(x dc.Expr) dc.Expr {
				return dc.WeightedGeoMean(pair(x), []float64{1, 3})
			}},
		},
	}
	for _, c := range atom.Curves() {
		if !c.HasParameter {
			of := func(x dc.Expr) dc.Expr { return dc.Apply(c.Name, nil, x) }
			all[cmp.Or(c.Doc.Go, c.Name)] = real(c.Name+"(x)", c.Doc.Shown[0], c.Doc.Shown[1], of)
		}
	}
	return all
}

// WithoutGraph are the atoms of two arguments, and of a function.
var WithoutGraph = map[string]bool{"BlackBox": true, "Inner": true, "KL": true, "MatFrac": true, "Mul": true,
	"Pow":  true,
	"Quad": true, "QuadOverLin": true, "Quotient": true}

// atomHeading is the line of docs/atoms.md that begins an atom.
var atomHeading = regexp.MustCompile(`(?m)^## (\w+)\n`)

// withGraphs is docs/atoms.md with a picture under the heading of each atom; the pictures
// go to the folder graphs of the site.
func withGraphs(docs, text string) (string, error) {
	if err := os.MkdirAll(filepath.Join(docs, "graphs"), 0o777); err != nil {
		return "", err
	}
	curves := Curves()
	var wrong error
	drawn := 0
	text = atomHeading.ReplaceAllStringFunc(text, func(line string) string {
		name := strings.TrimSpace(strings.TrimPrefix(line, "## "))
		list, ok := curves[name]
		if !ok {
			if !WithoutGraph[name] {
				wrong = fmt.Errorf("the atom %s has no graph", name)
			}
			return line
		}
		drawn++
		file := "graphs/" + strings.ToLower(name) + ".svg"
		svg, err := graph(list)
		if err == nil {
			err = os.WriteFile(filepath.Join(docs, filepath.FromSlash(file)), svg, 0o666)
		}
		if err != nil {
			wrong = fmt.Errorf("graph of %s: %w", name, err)
		}
		var of []string
		for _, c := range list {
			of = append(of, c.of)
		}
		return fmt.Sprintf("%s\n![Graph of %s: %s, for x from %g to %g](%s){ .graph width=\"340\" }\n", line, name,
			strings.Join(of, "; "), list[0].lo, list[0].hi, file)
	})
	if wrong == nil && drawn != len(curves) {
		wrong = fmt.Errorf("%d graphs, docs/atoms.md has %d of their atoms", len(curves), drawn)
	}
	return text, wrong
}

// inks are colours that the colour-blind tell apart, of Okabe and Ito.
var inks = [...]color.NRGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}}

// samples is the number of points of a curve, so many that a kink looks like one.
const samples = 240

// graph draws curves.
func graph(list []curve) ([]byte, error) {
	p := plot.New()
	sans := func(size vg.Length) font.Font {
		return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
	}
	p.X.Label.Text = "x"
	p.Legend.TextStyle.Font = sans(9)
	p.Legend.Top, p.Legend.Left = true, true
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = sans(10), sans(9)
	}
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: color.Gray{215}, Width: vg.Points(0.5)}
	grid.Vertical = grid.Horizontal
	p.Add(grid)
	for k, c := range list {
		xy, err := sampled(c)
		if err != nil {
			return nil, err
		}
		line, err := plotter.NewLine(xy)
		if err != nil {
			return nil, err
		}
		line.LineStyle = draw.LineStyle{Color: inks[k%len(inks)], Width: vg.Points(2)}
		p.Add(line)
		p.Legend.Add(c.of, line)
	}
	p.Y.Max += 0.18 * (p.Y.Max - p.Y.Min) // room for the legend
	canvas := vgsvg.New(3.4*vg.Inch, 2.4*vg.Inch)
	p.Draw(draw.New(canvas))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	return b.Bytes(), err
}

// sampled are the values of a curve, without the points at which it has none.
func sampled(c curve) (plotter.XYs, error) {
	m := dc.NewModel()
	x := m.Var("x", nil, dc.AtLeast(c.lo), dc.AtMost(c.hi))
	e := c.make(x)
	if err := e.Err(); err != nil {
		return nil, err
	}
	var out plotter.XYs
	for k := range samples + 1 {
		at := c.lo + (c.hi-c.lo)*float64(k)/samples
		if v := e.Value([]float64{at}); !math.IsInf(v, 0) && !math.IsNaN(v) {
			out = append(out, plotter.XY{X: at, Y: v})
		}
	}
	if len(out) < samples/2 {
		return nil, fmt.Errorf("%s has %d values", c.of, len(out))
	}
	return out, nil
}
