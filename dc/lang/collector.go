package lang

import (
	"fmt"
	"sort"

	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

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
