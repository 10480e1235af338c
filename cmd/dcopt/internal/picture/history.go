package picture

import (
	"math"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/scene"
)

// mostMarked is how many iterations are marked by a point each. Source: the layout.
const mostMarked = 60

// Run is the course of a run: the objective and the largest violation by iteration.
// Violations have a logarithmic axis; those of 0 lie on its bottom. Values that are not
// finite leave a gap. A run without iterations has no panels.
func Run(history []ccp.Iteration) []scene.Panel {
	if len(history) == 0 {
		return nil
	}
	var at, objective, violation []float64
	for _, it := range history {
		at = append(at, float64(it.K))
		objective = append(objective, it.Objective)
		violation = append(violation, it.Violation)
	}
	y := decades(violation)
	for k, v := range violation {
		if v-v == 0 {
			violation[k] = max(math.Log10(v), y.lo) // log 0 is -Inf
		}
	}
	below := curve(at, violation, scene.Palette[1])
	below.XLabel, below.YLabel = "iteration", "largest violation"
	below.Y = scene.Range{Lo: y.lo, Hi: y.hi}
	for k, v := range y.ticks {
		below.YTicks = append(below.YTicks, scene.Tick{At: v, Label: y.labels[k]})
	}
	above := curve(at, objective, scene.Palette[0])
	above.YLabel = "objective"
	for _, p := range []*scene.Panel{&above, &below} { // also where a value has a gap
		p.X = scene.Range{Lo: at[0] - 0.5, Hi: at[len(at)-1] + 0.5}
		step := max(1, niceStep((p.X.Hi-p.X.Lo)/mostTicks))
		for v := math.Ceil(p.X.Lo/step) * step; v <= p.X.Hi; v += step {
			p.XTicks = append(p.XTicks, scene.Tick{At: v, Label: tickText(v, 0)})
		}
	}
	return []scene.Panel{above, below}
}

// curve is a panel with a line, and points if they are few.
func curve(x, y []float64, color string) scene.Panel {
	line, points := scene.Mark{Kind: scene.Lines, Color: color}, scene.Mark{Kind: scene.Points, Color: color}
	lo := 0
	for k := 0; k <= len(x); k++ {
		if k < len(x) && scene.Drawable(y[k]) {
			points.X, points.Y = append(points.X, x[k]), append(points.Y, y[k])
			continue
		}
		if k-lo > 1 {
			line.Lines = append(line.Lines, scene.Line{X: x[lo:k], Y: y[lo:k], Strength: 1})
		}
		lo = k + 1
	}
	p := scene.Panel{}
	if len(line.Lines) > 0 {
		p.Marks = append(p.Marks, line)
	}
	if len(points.X) > 0 && len(x) <= mostMarked {
		p.Marks = append(p.Marks, points)
	}
	if len(p.Marks) == 0 {
		p.X, p.Y = scene.Range{Lo: 0, Hi: 1}, scene.Range{Lo: 0, Hi: 1}
		return p
	}
	p.SetRanges()
	return p
}
