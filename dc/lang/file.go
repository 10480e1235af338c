package lang

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/function"
	"github.com/dcopt/dcopt/dc/lang/internal/printer"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/setting"
)

// File is a parsed problem file. It is for one goroutine: Compile makes notes in
// it. It may be compiled again and again.
type File struct {
	// Name is the name of the file in diagnostics.
	Name string

	src    *eval.Source
	syntax Diagnostics
}

func newFile(name string, t *syntax.Tree) *File { return &File{Name: name, src: eval.NewSource(t)} }

// Parse reads a problem file; diagnostics use name as its name. On error, of type
// Diagnostics, the File holds the statements that could be read; Compile then
// finds the other mistakes, too, and reports all together.
func Parse(name string, src []byte) (*File, error) {
	t, wrong := syntax.Parse(string(src))
	f := newFile(name, t)
	if f.syntax = f.diagnostics(wrong); len(f.syntax) > 0 {
		return f, f.syntax
	}
	return f, nil
}

// Format returns a problem file in the one layout of the language: keywords
// padded, constraints indented and their bodies aligned, one blank or none
// between tokens. Comments and line breaks stay, of several empty lines one.
// The result says the same as src, and formatting it again changes nothing.
// A file with syntax errors is refused with Diagnostics, which use name as the
// name of the file.
func Format(name string, src []byte) ([]byte, error) {
	out, wrong := syntax.Format(string(src))
	if len(wrong) > 0 {
		return nil, newFile(name, syntax.NewTree(string(src))).diagnostics(wrong)
	}
	return out, nil
}

// Source is the text that was parsed, without a byte order mark.
func (f *File) Source() string { return f.src.Tree.Source }

// place is the place of a piece of the source.
func (f *File) place(s syntax.Span) (at Place) {
	at.Line, at.Col, at.EndCol = f.src.Tree.Place(s)
	return at
}

// diagnostics are mistakes in the syntax, sorted by place.
func (f *File) diagnostics(wrong []syntax.Mistake) Diagnostics {
	c := collector{f: f}
	for _, w := range wrong {
		c.mistake(w, false)
	}
	return c.sorted()
}

// collector gathers the diagnostics of one file.
type collector struct {
	f    *File
	list Diagnostics
}

func (c *collector) addf(at syntax.Span, help, format string, args ...any) {
	c.mistake(syntax.Mistake{Span: at, Message: fmt.Sprintf(format, args...), Help: help}, false)
}

// mistake adds a mistake; also says that it does not follow from another one on its line.
func (c *collector) mistake(m syntax.Mistake, also bool) {
	d := Diagnostic{File: c.f.Name, Place: c.f.place(m.Span), Message: m.Message, Help: m.Help, also: also}
	for _, n := range m.Notes {
		d.Notes = append(d.Notes, Note{c.f.place(n.Span), n.Text})
	}
	c.add(d)
}

// full reports whether further diagnostics would be dropped.
func (c *collector) full() bool { return len(c.list) >= syntax.MaxCollected }

func (c *collector) add(d Diagnostic) {
	if !c.full() {
		c.list = append(c.list, d)
	}
}

// err is the sorted list, nil if it is empty.
func (c *collector) err() error {
	if ds := c.sorted(); len(ds) > 0 {
		return ds
	}
	return nil
}

func (c *collector) sorted() Diagnostics {
	sort.SliceStable(c.list, func(i, j int) bool {
		a, b := &c.list[i], &c.list[j]
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
	var out Diagnostics
	for _, d := range c.list {
		if n := len(out); n > 0 && d.Line > 0 && out[n-1].Line == d.Line && (!d.also || out[n-1].Col == d.Col) {
			continue
		}
		if out = append(out, d); len(out) == syntax.MaxErrors {
			break
		}
	}
	return out
}

// Print returns a problem as a file of the language, in its one layout, that is
// compiled to the same problem: the same functions as they were written, with
// their numbers to the last bit, so the same splits and the same solution. Members of sums
// and of constraints that differ in numbers alone are printed as a family with
// its data. Parameters of dc.Model.Param become data. Refused are functions of a
// library's user and starts for some entries of a variable only.
func Print(p *dc.Problem, o ProblemOptions) ([]byte, error) {
	if p == nil {
		return nil, errors.New("lang: the problem is nil; did Model.Problem return an error?")
	}
	names := slices.Concat(slices.Collect(maps.Keys(function.Table)), slices.Collect(maps.Keys(eval.Fixed)))
	text, err := printer.Source(p, names)
	if err != nil {
		return nil, err
	}
	return Format("", []byte(text+optionText(&o)))
}

// optionText is the statement of the options that are set, empty where none is.
func optionText(o *ProblemOptions) string {
	var list []string
	for _, r := range setting.For(setting.File) {
		switch v := r.Get(o).(type) {
		case nil:
		case float64:
			list = append(list, r.Name()+" = "+printer.Number(v))
		case string:
			list = append(list, r.Name()+" = "+strconv.Quote(v))
		default:
			list = append(list, fmt.Sprint(r.Name(), " = ", v))
		}
	}
	if list == nil {
		return ""
	}
	return "option " + strings.Join(list, ", ") + "\n"
}
