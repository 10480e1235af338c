package picture

import (
	"math"

	"github.com/dcopt/dcopt/ccp"
)

// The panels of a run, in pixels.
const (
	panelHeight = 200
	panelGap    = 36
	mostMarked  = 60 // iterations up to which each is a dot
)

// History is a picture of a run: the objective and the largest violation by
// iteration. Violations have a logarithmic axis; those of 0 lie on its bottom.
// Values that are not finite leave a gap.
func History(title string, history []ccp.Iteration) []byte {
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
	x := axisOf(at, 8, true)
	d := begin(title, top+2*panelHeight+panelGap+bottom)
	d.panel(frame{d, x, axisOf(objective, 5, false), top, panelHeight}, "", "objective", "#1f5fa8", at, objective)
	d.panel(frame{d, x, y, top + panelHeight + panelGap, panelHeight}, "iteration", "largest violation", "#b03a2e", at, violation)
	return d.end()
}

// panel draws a curve in a frame.
func (d *drawing) panel(f frame, xName, yName, color string, at, values []float64) {
	f.axes(xName, yName, true)
	f.curve(at, values, `stroke="`+color+`" stroke-width="1.5"`)
	if len(values) <= mostMarked {
		f.dots(at, values, 2.5, mostMarked, `fill="`+color+`"`)
	}
	if len(values) == 0 {
		d.text(left+wide/2, f.top+f.high/2, "middle", "", "no iterations")
	}
}
