package picture

import (
	"math"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/scene"
)

// mostMarked is how many iterations are marked by a point each. Source: the layout.
const mostMarked = 60

// hopColor is the colour of hops.
const hopColor = "#b0b8bf"

// Run is the course of a run: the objective by iteration with the best feasible one so far and the
// answer and, unless all iterations are feasible, the largest violation. Violations have a
// logarithmic axis; violations of 0 lie on its bottom. Values that are not finite leave a gap. A
// run without iterations has no panels.
func Run(history []ccp.Iteration, maximize bool) []scene.Panel {
	if len(history) == 0 {
		return nil
	}
	objective, violation := make([]float64, len(history)), make([]float64, len(history))
	feasible := true
	for k, it := range history {
		objective[k], violation[k] = it.Objective, it.Violation
		feasible = feasible && it.Feasible
	}
	above := course(history, objective)
	above.YLabel = "objective"
	best(&above, history, maximize)
	panels := []scene.Panel{above}
	if !feasible {
		y := decades(violation)
		for k, v := range violation {
			if v-v == 0 {
				violation[k] = max(math.Log10(v), y.lo) // log 0 is -Inf
			}
		}
		below := course(history, violation)
		below.YLabel = "largest violation"
		below.Y = scene.Range{Lo: y.lo, Hi: y.hi}
		for k, v := range y.ticks {
			below.YTicks = append(below.YTicks, scene.Tick{At: v, Label: y.labels[k]})
		}
		panels = append(panels, below)
	}
	panels[len(panels)-1].XLabel = "iteration"
	for k := range panels { // also where a value has a gap
		p := &panels[k]
		p.X = scene.Range{Lo: float64(history[0].K) - 0.5, Hi: float64(history[len(history)-1].K) + 0.5}
		step := max(1, niceStep((p.X.Hi-p.X.Lo)/mostTicks))
		for v := math.Ceil(p.X.Lo/step) * step; v <= p.X.Hi; v += step {
			p.XTicks = append(p.XTicks, scene.Tick{At: v, Label: tickText(v, 0)})
		}
	}
	return panels
}

// course is a panel with a line for the descent and one for each hop, in grey, and points if they
// are few.
func course(history []ccp.Iteration, y []float64) scene.Panel {
	lines, points := [2]scene.Mark{}, [2]scene.Mark{}
	for k, color := range []string{hopColor, scene.Palette[0]} {
		lines[k], points[k] = scene.Mark{Kind: scene.Lines, Color: color}, scene.Mark{Kind: scene.Points, Color: color}
	}
	var now scene.Line
	for k, it := range history {
		of := 0
		if it.Hop == 0 {
			of = 1
		}
		drawable := scene.Drawable(y[k])
		if drawable {
			now.X, now.Y = append(now.X, float64(it.K)), append(now.Y, y[k])
			points[of].X, points[of].Y = append(points[of].X, float64(it.K)), append(points[of].Y, y[k])
		}
		if k == len(history)-1 || history[k+1].Hop != it.Hop || !drawable {
			if now.Strength = 1; len(now.X) > 1 {
				lines[of].Lines = append(lines[of].Lines, now)
			}
			now = scene.Line{}
		}
	}
	p := scene.Panel{}
	for k := range lines {
		if len(lines[k].Lines) > 0 {
			p.Marks = append(p.Marks, lines[k])
		}
		if len(points[k].X) > 0 && len(y) <= mostMarked {
			p.Marks = append(p.Marks, points[k])
		}
	}
	if len(p.Marks) == 0 {
		p.X, p.Y = scene.Range{Lo: 0, Hi: 1}, scene.Range{Lo: 0, Hi: 1}
		return p
	}
	p.SetRanges()
	return p
}

// best adds the least objective of feasible points so far, as steps, and the answer.
func best(p *scene.Panel, history []ccp.Iteration, maximize bool) {
	l := scene.Line{Strength: 1, Dashed: true}
	color := scene.Palette[1]
	answer := scene.Mark{Kind: scene.Points, Label: "answer", Color: color, X: []float64{0}, Y: []float64{0}}
	for _, it := range history {
		n, v := len(l.Y), it.Objective
		if n > 0 && (l.Y[n-1] < v) != maximize {
			v = l.Y[n-1]
		}
		switch k := float64(it.K); {
		case !scene.Drawable(it.Objective) || !it.Feasible && n == 0:
			continue
		case n > 0 && (!it.Feasible || v == l.Y[n-1]):
			l.X, l.Y = append(l.X, k), append(l.Y, l.Y[n-1])
		case n > 0:
			l.X, l.Y = append(l.X, k, k), append(l.Y, l.Y[n-1], v)
			answer.X[0], answer.Y[0] = k, v
		default:
			l.X, l.Y = append(l.X, k), append(l.Y, v)
			answer.X[0], answer.Y[0] = k, v
		}
	}
	if len(l.X) > 1 {
		m := scene.Mark{Kind: scene.Lines, Label: "best so far", Color: color, Lines: []scene.Line{l}}
		p.Marks = append(p.Marks, m)
	}
	if len(l.X) > 0 {
		p.Marks = append(p.Marks, answer)
	}
}
