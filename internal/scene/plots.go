package scene

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/dc/lang"
)

// Of is the scene of a program at x, of length Problem.NumVars: by its plot statements or,
// where it has none, by its variables. It has no panels where x is no point of the program.
func Of(prog *lang.Program, x []float64) *Scene {
	s := &Scene{}
	if len(x) != prog.Problem.NumVars() {
		return s
	}
	if len(prog.Plots) == 0 {
		s.recognise(prog, x)
		return s
	}
	for k := range prog.Plots {
		p := &prog.Plots[k]
		b := builder{Panel: Panel{Title: p.Title, XLabel: p.XLabel, YLabel: p.YLabel}, x: x}
		for i := range p.Marks {
			b.mark(&p.Marks[i])
		}
		if len(p.Marks) == 1 {
			b.names(&p.Marks[0])
		}
		s.add(&b)
	}
	return s
}

// add keeps a panel, unless there is nothing in it.
func (s *Scene) add(b *builder) {
	if len(b.Marks) > 0 {
		b.lift()
		b.SetRanges()
		s.Panels = append(s.Panels, b.Panel)
	}
}

// builder makes a panel of marks at x.
type builder struct {
	Panel
	x     []float64
	taken int // colours of the palette
}

// color is the next colour of the palette.
func (b *builder) color() string {
	c := Palette[b.taken%len(Palette)]
	b.taken++
	return c
}

// mark adds a mark of a plot statement.
func (b *builder) mark(m *lang.Mark) {
	switch m.Kind {
	case "points":
		x, y := b.places(&m.Places[0])
		var g []float64
		if len(m.Values) > 0 {
			g = m.Values[0].Values(b.x)
		}
		b.points(m.Label, x, y, g)
		if m.Places[0].Complex {
			b.unitCircle(x, y)
		}
	case "rects":
		b.rects(m)
	case "labels":
		b.labels(m)
	case "circles":
		x, y := b.places(&m.Places[0])
		b.circles(m.Label, x, y, m.Values[0].Values(b.x))
	case "path":
		b.paths(m.Label, &m.Places[0])
	case "motion":
		first := len(b.Marks)
		b.paths(m.Label, &m.Places[0])
		b.move(first, m.Values[0].Values(b.x))
	case "links":
		b.links(m)
	case "signal", "decibels", "bars":
		t, f := abscissae(m.Values, b.x)
		if m.Kind == "decibels" {
			f.v = decibels(f.v)
			if b.YLabel == "" {
				b.YLabel = "dB"
			}
		}
		b.series(m.Kind == "bars", m.Label, t, f)
		if len(m.Values) == 1 {
			b.XTicks = names(&m.Values[0])
		}
	case "matrix":
		v := &m.Values[len(m.Values)-1]
		if len(m.Values) == 3 {
			b.grid(m.Label, m.Values[0].Values(b.x), m.Values[1].Values(b.x), v.Values(b.x))
			break
		}
		b.cells(m.Label, v.Shape[0], v.Shape[1], v.Values(b.x))
		b.XTicks = names(v)
		if v.Axes != nil {
			b.YTicks = names(&lang.Let{Axes: v.Axes[:1]})
		}
	case "fit":
		b.fit(m.Label, m.Values[0].Values(b.x), m.Values[1].Values(b.x), m.Values[2].Values(b.x))
	}
}

// names are the labels of the axes of a picture with one mark, where the file gives none.
func (b *builder) names(m *lang.Mark) {
	x, y := "", ""
	switch {
	case m.Kind == "signal" || m.Kind == "decibels" || m.Kind == "bars":
		if y = m.Values[len(m.Values)-1].Name; len(m.Values) == 2 {
			x = m.Values[0].Name
		}
	case m.Kind == "fit":
		x, y = m.Values[0].Name, m.Values[1].Name
	case len(m.Places) == 1 && m.Places[0].X != nil:
		x, y = m.Places[0].X.Name, m.Places[0].Y.Name
	}
	if b.XLabel == "" {
		b.XLabel = x
	}
	if b.YLabel == "" {
		b.YLabel = y
	}
}

// places are coordinates, of several paths one after the other. Both axes have one unit
// where they are columns of a matrix.
func (b *builder) places(c *lang.Coordinates) (x, y []float64) {
	b.Equal = b.Equal || c.Complex
	if c.XY == nil {
		return c.X.Values(b.x), c.Y.Values(b.x)
	}
	b.Equal = true
	v := c.XY.Values(b.x)
	for k := 0; k+1 < len(v); k += 2 {
		x, y = append(x, v[k]), append(y, v[k+1])
	}
	return x, y
}

// mostGroups is how many groups of points have colours of their own; more are coloured by
// size.
const mostGroups = 8

// points adds points, coloured by g, which may be nil.
func (b *builder) points(label string, x, y, g []float64) {
	if g == nil {
		x, y, _ = finite(x, y, nil)
		b.put(len(x), Mark{Kind: Points, Label: label, Color: b.color(), X: x, Y: y})
		return
	}
	x, y, g = finite(x, y, g)
	groups := groupsOf(g)
	if groups == nil {
		m := Mark{Kind: Points, Label: label, X: x, Y: y, V: g}
		m.SetColors()
		b.put(len(x), m)
		return
	}
	for _, v := range groups {
		m := Mark{Kind: Points, Color: b.color()}
		if label != "" {
			m.Label = fmt.Sprintf("%s %g", label, v)
		}
		for k := range x {
			if math.Round(g[k]) == v {
				m.X, m.Y = append(m.X, x[k]), append(m.Y, y[k])
			}
		}
		b.put(len(m.X), m)
	}
}

// nearWhole is how far a number of a group may be from a whole one.
// Source: the feasibility tolerance of solutions, 1e-6, with room for those that stop early.
const nearWhole = 1e-3

// groupsOf are the distinct numbers of g, if these are few whole ones.
func groupsOf(g []float64) (groups []float64) {
	for _, v := range g {
		w := math.Round(v)
		if math.Abs(v-w) > nearWhole {
			return nil
		}
		if w += 0; !slices.Contains(groups, w) { // -0 is 0
			groups = append(groups, w)
		}
		if len(groups) > mostGroups {
			return nil
		}
	}
	slices.Sort(groups)
	return groups
}

// put adds a mark of n parts, unless there are none.
func (b *builder) put(n int, m Mark) {
	if n > 0 {
		b.Marks = append(b.Marks, m)
	}
}

// circles adds circles, with one radius or one for each; negative ones are left out.
func (b *builder) circles(label string, x, y, r []float64) {
	b.Equal = true
	all := make([]float64, len(x))
	for k := range all {
		if all[k] = r[min(k, len(r)-1)]; !(all[k] >= 0) {
			all[k] = math.NaN()
		}
	}
	x, y, all = finite(x, y, all)
	b.put(len(x), Mark{Kind: Circles, Label: label, Color: b.color(), X: x, Y: y, R: all})
}

// paths adds a line, or one for each of several paths.
func (b *builder) paths(label string, c *lang.Coordinates) {
	x, y := b.places(c)
	shape := []int{len(x)}
	switch {
	case c.XY != nil && len(c.XY.Shape) == 3:
		shape = c.XY.Shape[:2]
	case c.X != nil && len(c.X.Shape) == 2:
		shape = c.X.Shape
	}
	n := shape[len(shape)-1]
	for k := 0; n > 0 && k+n <= len(x); k += n {
		name := label
		if len(shape) == 2 && label != "" {
			name = fmt.Sprintf("%s %d", label, k/n+1)
		}
		b.lines(name, b.color(), x[k:k+n], y[k:k+n])
	}
}

// move makes motions of the paths from a mark on; paths with gaps, or without a radius, stay
// paths.
func (b *builder) move(first int, r []float64) {
	for k := range b.Marks[first:] {
		m := &b.Marks[first+k]
		if radius := r[min(k, len(r)-1)]; len(m.Lines) == 1 && radius >= 0 && Drawable(radius) {
			m.Kind, m.R = Motion, []float64{radius}
		}
	}
}

// lines adds a polyline, with gaps where it is not finite.
func (b *builder) lines(label, color string, x, y []float64) {
	m := Mark{Kind: Lines, Label: label, Color: color}
	x, y = thinned(x, y)
	for lo, k := 0, 0; k <= len(x); k++ {
		if k == len(x) || !Drawable(x[k]) || !Drawable(y[k]) {
			if k-lo > 1 {
				m.Lines = append(m.Lines, Line{X: slices.Clone(x[lo:k]), Y: slices.Clone(y[lo:k]), Strength: 1})
			}
			lo = k + 1
		}
	}
	b.put(len(m.Lines), m)
}

// Links whose weight is less than this part of the largest are left out, and of many the
// strongest are drawn.
// Source: limits of the size of a picture.
const (
	weakest   = 1e-3
	mostLinks = 2000
)

// links adds lines from places to places.
func (b *builder) links(m *lang.Mark) {
	x1, y1 := b.places(&m.Places[0])
	x2, y2 := b.places(&m.Places[1])
	out := Mark{Kind: Lines, Label: m.Label, Color: linkColor}
	join := func(i, j int, strength float64) {
		if Drawable(x1[i]) && Drawable(y1[i]) && Drawable(x2[j]) && Drawable(y2[j]) && strength > 0 {
			out.Lines = append(out.Lines, Line{X: []float64{x1[i], x2[j]}, Y: []float64{y1[i], y2[j]},
				Strength: strength})
		}
	}
	if len(m.Values) == 0 {
		for i := range min(len(x1), len(x2)) {
			join(i, i, 1)
		}
	} else {
		w := m.Values[0].Values(b.x)
		most := 0.0
		for _, v := range w {
			if Drawable(v) {
				most = max(most, math.Abs(v))
			}
		}
		for k, v := range w {
			if s := math.Abs(v) / most; s > weakest && s <= 1 {
				join(k/len(x2), k%len(x2), s)
			}
		}
	}
	sort.SliceStable(out.Lines, func(i, j int) bool { return out.Lines[i].Strength > out.Lines[j].Strength })
	out.Lines = out.Lines[:min(len(out.Lines), mostLinks)]
	b.put(len(out.Lines), out)
}

// abscissae of a series, and the series: values[1] over values[0], or values[0]
// over its indices.
func abscissae(values []lang.Let, x []float64) (t []float64, f rows) {
	v := &values[len(values)-1]
	n := v.Shape[len(v.Shape)-1]
	f = rows{n, v.Values(x)}
	if len(values) == 2 {
		return values[0].Values(x), f
	}
	return indices(v.Shape, v.Origin), f
}

// indices of the last dimension.
func indices(shape, origin []int) (t []float64) {
	first := 1
	if origin != nil {
		first = origin[len(origin)-1]
	}
	for k := range shape[len(shape)-1] {
		t = append(t, float64(first+k))
	}
	return t
}

// rows are numbers row by row.
type rows struct {
	n int // in a row
	v []float64
}

// floor is how far below the greatest value a picture in decibels goes. Source: the layout.
const floor = 60

// decibels makes 20 log10 of numbers, relative to the largest of them, at least -floor.
func decibels(v []float64) []float64 {
	most, out := 0.0, slices.Clone(v)
	for _, x := range v {
		if Drawable(x) {
			most = max(most, math.Abs(x))
		}
	}
	for k, x := range v {
		if x-x == 0 {
			out[k] = max(20*(math.Log10(math.Abs(x))-math.Log10(most)), -floor)
		}
	}
	return out
}

// names are the members of the set that indexes a vector, or the columns of a matrix, as ticks;
// nil: the indices count.
func names(v *lang.Let) (ticks []Tick) {
	if v.Axes == nil {
		return nil
	}
	for k, member := range v.Axes[len(v.Axes)-1] {
		var parts []string
		for _, p := range member {
			parts = append(parts, fmt.Sprint(p))
		}
		ticks = append(ticks, Tick{At: float64(k + 1), Label: strings.Join(parts, ", ")})
	}
	return ticks
}

// unitCircle adds the circle around 0 with the radius 1 behind complex numbers of about that size.
func (b *builder) unitCircle(x, y []float64) {
	most := 0.0
	for k := range x {
		if Drawable(x[k]) && Drawable(y[k]) {
			most = max(most, math.Hypot(x[k], y[k]))
		}
	}
	const parts = 120 // Source: the layout, 3 degrees each
	if most < 0.5 || most > 2 {
		return
	}
	l := Line{Strength: 0.5, Dashed: true}
	for k := range parts + 1 {
		s, c := math.Sincos(2 * math.Pi * float64(k) / parts)
		l.X, l.Y = append(l.X, c), append(l.Y, s)
	}
	b.Marks = slices.Insert(b.Marks, 0, Mark{Kind: Lines, Color: linkColor, Lines: []Line{l}})
}

// rects adds rectangles; rectangles of a negative size are left out.
func (b *builder) rects(m *lang.Mark) {
	x, y := b.places(&m.Places[0])
	w, h := b.places(&m.Places[1])
	out := Mark{Kind: Rects, Label: m.Label, Color: b.color()}
	for k := range x {
		if Drawable(x[k]) && Drawable(y[k]) && Drawable(w[k]) && Drawable(h[k]) && w[k] >= 0 && h[k] >= 0 {
			out.X, out.Y = append(out.X, x[k]), append(out.Y, y[k])
			out.W, out.H = append(out.W, w[k]), append(out.H, h[k])
		}
	}
	b.put(len(out.X), out)
}

// labels adds texts at places, or numbers.
func (b *builder) labels(m *lang.Mark) {
	x, y := b.places(&m.Places[0])
	texts := m.Texts
	if texts == nil {
		for _, v := range m.Values[0].Values(b.x) {
			texts = append(texts, strconv.FormatFloat(v, 'g', 3, 64))
		}
	}
	out := Mark{Kind: Labels, Label: m.Label, Color: inkColor}
	for k := range x {
		if Drawable(x[k]) && Drawable(y[k]) {
			out.X, out.Y, out.Texts = append(out.X, x[k]), append(out.Y, y[k]), append(out.Texts, texts[k])
		}
	}
	b.put(len(out.X), out)
}

// lift puts labels above their places if there are points.
func (b *builder) lift() {
	for k := range b.Marks {
		m := &b.Marks[k]
		m.Above = m.Kind == Labels && slices.ContainsFunc(b.Marks, func(p Mark) bool {
			return p.Kind == Points && slices.Equal(p.X, m.X) && slices.Equal(p.Y, m.Y)
		})
	}
}

// series adds a line or bars for each row of f.
func (b *builder) series(bars bool, label string, t []float64, f rows) {
	if f.n == 0 {
		return
	}
	count := len(f.v) / f.n
	up, down := make([]float64, f.n), make([]float64, f.n)
	for i := range count {
		name := label
		if count > 1 && label != "" {
			name = fmt.Sprintf("%s %d", label, i+1)
		}
		row := f.v[i*f.n : (i+1)*f.n]
		if !bars {
			b.lines(name, b.color(), t, row)
			continue
		}
		m := Mark{Kind: Bars, Label: name, Color: b.color(), Width: 0.8 * least(t)}
		for k, v := range row {
			if !Drawable(v) || !Drawable(t[k]) {
				continue
			}
			stack := &up[k]
			if v < 0 {
				stack = &down[k]
			}
			m.X, m.Base, m.Y = append(m.X, t[k]), append(m.Base, *stack), append(m.Y, *stack+v)
			*stack += v
		}
		b.put(len(m.X), m)
	}
}

// least is the least distance of different abscissae, 1 if there is none.
func least(t []float64) float64 {
	s := slices.Clone(t)
	slices.Sort(s)
	d := math.Inf(1)
	for k := 1; k < len(s); k++ {
		if s[k] > s[k-1] {
			d = min(d, s[k]-s[k-1])
		}
	}
	if math.IsInf(d, 1) {
		return 1
	}
	return d
}

// fit adds observations as points and fitted values as a line.
func (b *builder) fit(label string, x, y, f []float64) {
	b.points("", x, y, nil)
	order := make([]int, len(x))
	for k := range order {
		order[k] = k
	}
	sort.SliceStable(order, func(i, j int) bool { return x[order[i]] < x[order[j]] })
	var at, v []float64
	for _, k := range order {
		at, v = append(at, x[k]), append(v, f[k])
	}
	b.lines(label, b.color(), at, v)
}
