package pages

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
)

// Frame is a point of a run: the centres of the circles, and half the side of the square.
type Frame struct {
	Centres [][2]float64
	Half    float64
}

// Run is a recorded run of examples/circle_packing.dc.
type Run struct {
	Radii  []float64
	Frames []Frame
}

// recorded is the start whose run is shown, from 0: the last of the three that the file
// asks for begins with a small weight of the constraints, so with circles that overlap.
const recorded = 2

// Record solves examples/circle_packing.dc as the program does and keeps, of one start,
// the points of the first descent and of those after it every point that is better than
// all before. It is the same on every run.
func Record(ctx context.Context, root string) (*Run, error) {
	folder := filepath.Join(root, "examples")
	src, err := os.ReadFile(filepath.Join(folder, "circle_packing.dc"))
	if err != nil {
		return nil, err
	}
	f, err := lang.Parse("circle_packing.dc", src)
	if err != nil {
		return nil, err
	}
	prog, err := lang.Compile(ctx, f, lang.Options{FS: os.DirFS(folder)})
	if err != nil {
		return nil, err
	}
	if o := prog.Options; o.Seed == nil || o.MaxIter == nil || o.FeasTol == nil {
		return nil, fmt.Errorf("circle_packing.dc: want the options seed, max_iter and feas_tol")
	}
	run := &Run{}
	raw, err := os.ReadFile(filepath.Join(folder, "data", "radii.csv"))
	if err != nil {
		return nil, err
	}
	for _, cell := range strings.Fields(strings.ReplaceAll(string(raw), ",", " ")) {
		if r, err := strconv.ParseFloat(cell, 64); err == nil { // else the header
			run.Radii = append(run.Radii, r)
		}
	}
	set := ccp.DefaultSettings()
	set.Seed = *prog.Options.Seed
	set.MaxIter, set.FeasTol = *prog.Options.MaxIter, *prog.Options.FeasTol
	best := math.Inf(1)
	set.Recorder = ccp.RecorderFunc(func(it ccp.Iteration) error {
		if it.Start != recorded || it.Hop > 0 && !(it.Feasible && it.Objective < best) {
			return nil
		}
		if it.Feasible {
			best = it.Objective
		}
		run.Frames = append(run.Frames, frame(it.X, run.Radii))
		return nil
	})
	if _, err := ccp.Multistart(ctx, prog.Problem, recorded+1, set); err != nil {
		return nil, err
	}
	if len(run.Frames) < 2 || len(run.Frames[0].Centres) != len(run.Radii) {
		return nil, fmt.Errorf("circle_packing.dc: a run of %d points, %d radii", len(run.Frames), len(run.Radii))
	}
	return run, nil
}

// frame is a point x, whose entries are the centres one after the other.
func frame(x, radii []float64) Frame {
	var f Frame
	for i, r := range radii {
		c := [2]float64{x[2*i], x[2*i+1]}
		f.Centres = append(f.Centres, c)
		f.Half = max(f.Half, math.Abs(c[0])+r, math.Abs(c[1])+r)
	}
	return f
}

// SVG is the run as a picture that moves once, in 5 seconds, by CSS; where the user asks
// for less motion it shows the end.
func (r *Run) SVG() string {
	last := r.Frames[len(r.Frames)-1]
	size := 0.0 // of the picture: all circles of all points
	for _, f := range r.Frames {
		size = max(size, f.Half)
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		"<svg class=\"packing\" viewBox=\"%.2f %.2f %.2f %.2f\" role=\"img\" aria-label=\"%d circles packed into a "+
			"square\" xmlns=\"http://www.w3.org/2000/svg\">\n<style>\n", -size, -size, 2*size, 2*size, len(r.Radii))
	steps := len(r.Frames) - 1
	at := func(k int) string { return fmt.Sprintf("%.1f%%", 100*float64(k)/float64(steps)) }
	b.WriteString("@keyframes square{")
	for k, f := range r.Frames {
		fmt.Fprintf(&b, "%s{transform:scale(%.4f)}", at(k), f.Half/last.Half)
	}
	b.WriteString("}\n")
	for i := range r.Radii {
		fmt.Fprintf(&b, "@keyframes c%d{", i)
		for k, f := range r.Frames {
			fmt.Fprintf(&b, "%s{transform:translate(%.2fpx,%.2fpx)}", at(k), f.Centres[i][0], -f.Centres[i][1])
		}
		b.WriteString("}\n")
	}
	b.WriteString("</style>\n")
	fmt.Fprintf(&b,
		"<rect class=\"moves\" x=\"%.3f\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\" "+
			"style=\"animation-name:square\"/>\n", -last.Half, -last.Half, 2*last.Half, 2*last.Half)
	for i, radius := range r.Radii {
		fmt.Fprintf(&b, "<circle class=\"moves\" r=\"%.3f\" fill=\"hsl(%.0f 55%% 62%%)\" "+
			"style=\"animation-name:c%d;transform:translate(%.2fpx,%.2fpx)\"/>\n",
			radius, math.Mod(float64(i)*137.5, 360), i, last.Centres[i][0], -last.Centres[i][1])
	}
	b.WriteString("</svg>")
	return b.String()
}
