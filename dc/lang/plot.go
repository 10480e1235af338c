package lang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/suggest"
)

// plotKinds are the kinds of marks, in the order in which messages list them.
var plotKinds = []string{
	"points", "circles", "rects", "labels", "path", "links", "motion", "signal", "decibels", "bars",
	"matrix", "heatmap", "fit",
}

// placesForm says how places are written.
const (
	placesForm = "places are a matrix with two columns, or two vectors of equal length"
	pathsForm  = "places of a path are a matrix with two columns, or two vectors of equal length; several paths are " +
		"an array k x n x 2"
)

// otherKinds are words of other programs and the kinds to write instead.
var otherKinds = map[string]string{
	"scatter": "points", "point": "points", "dots": "points", "circle": "circles", "discs": "circles",
	"disks": "circles", "line": "path", "lines": "path", "paths": "path",
	"polyline": "path", "edges": "links", "segments": "links", "arcs": "links", "graph": "links", "stem": "bars",
	"bar": "bars", "histogram": "bars",
	"rect": "rects", "rectangles": "rects", "boxes": "rects", "gantt": "rects", "text": "labels", "texts": "labels",
	"db":    "decibels",
	"image": "matrix", "imshow": "matrix", "spy": "matrix", "curve": "fit", "series": "signal", "signals": "signal",
}

// plot keeps a picture; its arguments are checked as far as their shapes go.
func (c *compiler) plot(s *syntax.Statement) {
	p := Plot{Place: c.f.place(s.Span), Marks: make([]Mark, len(s.Marks))}
	for _, a := range s.Attrs {
		switch text := a.Args[0].Name; a.Name {
		case "title":
			p.Title = text
		case "xlabel":
			p.XLabel = text
		case "ylabel":
			p.YLabel = text
		}
	}
	c.ev.Each(len(s.Marks), func(k int) {
		m := &s.Marks[k]
		p.Marks[k] = c.mark(m)
		p.Marks[k].Label, p.Marks[k].Text = m.Label, c.f.src.Tree.Text(m.Span)
	})
	c.out.Plots = append(c.out.Plots, p)
}

// mark checks the arguments of a mark.
func (c *compiler) mark(m *syntax.Mark) Mark {
	a := &arguments{c: c, m: m}
	out := Mark{Kind: m.Kind}
	switch m.Kind {
	case "points":
		out.Places = a.places(1, false)
		if n := out.Places[0].count(); a.more() {
			out.Values = append(out.Values, a.entries(n, "a number for each point"))
		}
	case "circles":
		out.Places = a.places(1, false)
		out.Values = append(out.Values, a.radius(out.Places[0].count()))
	case "rects":
		out.Places = a.places(2, false)
		if n, k := out.Places[0].count(), out.Places[1].count(); n != k {
			c.ev.Fail(a.whole(), "", "rects have a corner and a size each, but here are %d corners and %d sizes", n, k)
		}
	case "labels":
		out.Places = a.places(1, false)
		a.texts(&out)
	case "path":
		out.Places = a.places(1, true)
	case "motion":
		out.Places = a.places(1, true)
		out.Values = append(out.Values, a.radius(out.Places[0].paths()))
	case "links":
		out.Places = a.places(2, false)
		n, k := out.Places[0].count(), out.Places[1].count()
		if a.more() {
			out.Values = append(out.Values, a.shaped([]int{n, k}, "the weights of links"))
		} else if n != k {
			c.ev.Fail(a.whole(), "give the n x m matrix of their weights, too",
				"links join %d places with %d others, one by one", n, k)
		}
	case "signal", "decibels", "bars":
		out.Values = a.series()
	case "matrix", "heatmap":
		out.Kind = "matrix"
		v := a.next("a matrix")
		if len(v.Shape) == 1 && a.more() {
			y := a.next("the ordinates of the rows, a vector")
			if len(y.Shape) != 1 {
				help := "write matrix(x, y, X) with the abscissae of the columns and the ordinates of the rows"
				a.wrong(help, "a vector", y)
			}
			out.Values = []Let{v, y, a.shaped([]int{y.Shape[0], v.Shape[0]}, "a value for each row and column")}
			break
		}
		if len(v.Shape) != 2 {
			a.wrong("", "a matrix", v)
		}
		out.Values = []Let{v}
	case "fit":
		x := a.next("the abscissae, a vector")
		if len(x.Shape) != 1 {
			help := "write fit(x, y, f) with three vectors: abscissae, observations, fitted values"
			a.wrong(help, "a vector", x)
		}
		out.Values = []Let{x, a.entries(x.Shape[0], "an observation for each abscissa"),
			a.entries(x.Shape[0], "a fitted value for each abscissa")}
	default:
		a.unknownKind()
	}
	if a.more() {
		c.ev.Fail(m.Args[a.at], "", "%s takes %s, not %d", m.Kind, eval.Count(a.at, "argument", "arguments"),
			len(m.Args))
	}
	return out
}

// arguments of a mark, taken one after the other.
type arguments struct {
	c  *compiler
	m  *syntax.Mark
	at int
}

func (a *arguments) more() bool { return a.at < len(a.m.Args) }

// whole is the place of the mark as a whole.
func (a *arguments) whole() *syntax.Node { return &syntax.Node{Span: a.m.Span} }

// wrong reports the shape of the argument that was taken last.
func (a *arguments) wrong(help, want string, v Let) {
	n := a.m.Args[a.at-1]
	a.c.ev.Fail(n, help, "%s wants %s here, but %s is %s", a.m.Kind, want, n, value.Shape(v.Shape))
}

func (a *arguments) unknownKind() {
	help := ""
	guess := otherKinds[a.m.Kind]
	if guess != "" {
		guess = fmt.Sprintf("; did you mean %q?", guess)
	} else if guess = suggest.DidYouMean(a.m.Kind, plotKinds); guess == "" {
		help = "a plot draws " + strings.Join(plotKinds, ", ")
	}
	a.c.ev.Fail(&syntax.Node{Span: a.m.At}, help, "a plot cannot draw %s%s", a.m.Kind, guess)
}

// next takes an argument, an array of numbers or functions.
func (a *arguments) next(want string) Let {
	if !a.more() {
		a.c.ev.Fail(a.whole(), "", "%s wants %s", a.m.Kind, want)
	}
	n := a.m.Args[a.at]
	a.at++
	return letOf(a.c.f.src.Tree.Text(n.Span), a.c.ev.Operand(n))
}

// shaped takes an argument of a shape.
func (a *arguments) shaped(shape []int, what string) Let {
	v := a.next(what)
	if !slices.Equal(value.Squeeze(v.Shape), value.Squeeze(shape)) {
		a.wrong("", what+", "+value.Shape(shape).String()+",", v)
	}
	return v
}

// entries takes a vector of n numbers.
func (a *arguments) entries(n int, what string) Let { return a.shaped([]int{n}, what) }

// texts takes the labels of places: the members of a set, a string for all, or numbers.
func (a *arguments) texts(out *Mark) {
	n := out.Places[0].count()
	if a.more() {
		at := a.m.Args[a.at]
		switch v := a.c.ev.Eval(at); v.Sort {
		case value.Members:
			if v.Len() != n {
				a.c.ev.Fail(at, "", "labels wants a label for each of %d places, but %s has %d members", n, at, v.Len())
			}
			s := v.More.Set
			for k := range s.List {
				out.Texts = append(out.Texts, s.List[k].Plain(s.Width))
			}
			a.at++
			return
		case value.Text:
			out.Texts = slices.Repeat([]string{v.More.Str}, n)
			a.at++
			return
		}
	}
	out.Values = append(out.Values, a.entries(n, "a label for each place: a set, a string, or numbers"))
}

// paths is the number of paths.
func (c *Coordinates) paths() int { return c.extent(2) }

// extent is the first dimension of places that have so many, else 1.
func (c *Coordinates) extent(dims int) int {
	shape := []int(nil)
	if c.XY != nil {
		shape = c.XY.Shape[:len(c.XY.Shape)-1]
	} else if c.X != nil {
		shape = c.X.Shape
	}
	if len(shape) == dims {
		return shape[0]
	}
	return 1
}

// radius takes the radius of n circles: one for all, or one for each.
func (a *arguments) radius(n int) Let {
	v := a.next("a radius behind the places")
	if len(v.Shape) != 0 && !slices.Equal(v.Shape, []int{n}) {
		a.wrong("", fmt.Sprintf("a radius, or %d of them,", n), v)
	}
	return v
}

// series takes a vector or a matrix with a series per row, with its abscissae before it if
// there are two arguments.
func (a *arguments) series() []Let {
	v := a.next("a vector")
	if !a.more() {
		if len(v.Shape) != 1 && len(v.Shape) != 2 {
			a.wrong("", "a vector, or a matrix with a row for each,", v)
		}
		return []Let{v}
	}
	if len(v.Shape) != 1 {
		help := "the first of two arguments are the abscissae"
		a.wrong(help, "a vector", v)
	}
	f := a.next("a vector")
	if d := len(f.Shape); d != 1 && d != 2 || f.Shape[d-1] != v.Shape[0] {
		a.wrong("", fmt.Sprintf("a value for each of %s", eval.Count(v.Shape[0], "abscissa", "abscissae")), f)
	}
	return []Let{v, f}
}

// places takes k times the coordinates of places, also of several paths.
func (a *arguments) places(k int, paths bool) (out []Coordinates) {
	for range k {
		if plane, ok := a.plane(); ok {
			out = append(out, plane)
			continue
		}
		v := a.next("places; " + placesForm)
		d := len(v.Shape)
		switch {
		case d == 2 && v.Shape[1] == 2 && !(paths && a.pair(v)), d == 3 && v.Shape[2] == 2 && paths:
			out = append(out, Coordinates{XY: &v})
		case d <= 1 && a.pair(v), d == 2 && paths && a.pair(v):
			y := a.next("")
			out = append(out, Coordinates{X: &v, Y: &y})
		case d == 1 && v.Shape[0] == 2:
			out = append(out, Coordinates{XY: &v})
		default:
			help := placesForm
			if paths {
				help = pathsForm
			}
			a.wrong(help, "places", v)
		}
	}
	return out
}

// plane takes a complex scalar or vector as places of the complex plane.
func (a *arguments) plane() (out Coordinates, ok bool) {
	if !a.more() || !a.c.ev.NoteOf(a.m.Args[a.at]).Complex {
		return out, false
	}
	n := a.m.Args[a.at]
	v := a.c.ev.Side(n)
	if v.Sort != value.ComplexPairs || len(v.Shape) > 1 {
		return out, false
	}
	a.at++
	text := a.c.f.src.Tree.Text(n.Span)
	x, y := letOf("re("+text+")", v.More.Pair.Re), letOf("im("+text+")", v.More.Pair.Im)
	return Coordinates{X: &x, Y: &y, Complex: true}, true
}

// pair reports whether the next argument has the shape of v.
func (a *arguments) pair(v Let) bool {
	if !a.more() {
		return false
	}
	n := a.m.Args[a.at]
	if s := a.c.ev.Eval(n).Sort; s == value.Text || s == value.Members {
		return false // labels
	}
	next := a.c.ev.Operand(n)
	return slices.Equal(next.Shape, v.Shape)
}

// count is the number of places.
func (c *Coordinates) count() int { return c.extent(1) }
