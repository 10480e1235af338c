package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/qpbackend/formats"
)

// messages go to standard error: as text, or as JSON, an object on a line each.
// docs/cli.md has the members of the object.
type messages struct {
	w    io.Writer
	json bool
	line *progress // nil: none
}

// Write writes to standard error, beside the progress line.
func (m *messages) Write(b []byte) (int, error) {
	if m.line != nil {
		return m.line.Write(b)
	}
	return m.w.Write(b)
}

// wantsJSON looks for --json before the arguments are parsed, so that mistakes
// in them are reported as JSON, too.
func wantsJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "-json", "--json=true", "-json=true":
			return true
		}
	}
	return false
}

// note tells what is neither a result nor wrong.
func (m *messages) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if m.json {
		m.object(object{{"severity", "note"}, {"message", text}})
		return
	}
	fmt.Fprintf(m, "dcopt: %s\n", visible(text))
}

// fail tells why a command ends with an exit code.
func (m *messages) fail(err error, code int) {
	if m.json {
		m.object(errorObject(err, code))
		return
	}
	var p placed
	if !errors.As(err, &p) {
		err = fmt.Errorf("dcopt: %w", err)
	}
	fmt.Fprintln(m, visible(err.Error()))
}

// diagnose tells what is wrong with a problem file, with the exit code that
// follows from it; of warnings none does.
func (m *messages) diagnose(ds lang.Diagnostics, code int, text func(file string) []byte) error {
	if !m.json {
		return ds.Render(m, text, colours(m.w))
	}
	for _, d := range ds {
		o := object{{"severity", d.Severity.String()}}
		if d.Severity == lang.Error {
			o = append(o, member{"exit", code})
		}
		if d.File != "" {
			o = append(o, member{"file", d.File})
		}
		o = append(o, placeObject(d.Place)...)
		if d.Set != "" {
			o = append(o, member{"set", d.Set})
		}
		o = append(o, member{"message", d.Message})
		if d.Help != "" {
			o = append(o, member{"help", d.Help})
		}
		var notes []object
		for _, n := range d.Notes {
			notes = append(notes, append(placeObject(n.Place), member{"message", n.Text}))
		}
		if notes != nil {
			o = append(o, member{"notes", notes})
		}
		m.object(o)
	}
	return nil
}

func placeObject(p lang.Place) object {
	if p.Line == 0 {
		return nil
	}
	return object{{"line", p.Line}, {"column", p.Col}, {"end_column", p.EndCol}}
}

// errorObject is an error with the place that it knows.
func errorObject(err error, code int) object {
	o := object{{"severity", "error"}, {"exit", code}}
	var table *dataset.Error
	var card *formats.Error
	switch {
	case errors.As(err, &table):
		o = append(o, member{"file", table.File})
		if table.Line > 0 {
			o = append(o, object{{"line", table.Line}, {"column", table.Col}}...)
		}
		return append(o, member{"message", table.Msg})
	case errors.As(err, &card):
		return append(o, object{{"file", card.File}, {"line", card.Line}, {"message", card.Err.Error()}}...)
	}
	return append(o, member{"message", err.Error()})
}

func (m *messages) object(o object) {
	b, err := line(o)
	if err != nil { // strings and integers always go
		b = fmt.Appendf(nil, `{"severity":"error","message":%q}`+"\n", err)
	}
	m.Write(b)
}

// writer takes lines of text: as JSON, each becomes a note.
func (m *messages) writer() io.Writer {
	if !m.json {
		return m
	}
	return &noteWriter{m: m}
}

// noteWriter makes notes of lines. It may be used by several goroutines.
type noteWriter struct {
	m    *messages
	mu   sync.Mutex
	rest []byte
}

func (w *noteWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		k := bytes.IndexByte(w.rest, '\n')
		if k < 0 {
			return len(p), nil
		}
		w.m.object(object{{"severity", "note"}, {"message", string(w.rest[:k])}})
		w.rest = w.rest[k+1:]
	}
}

// visible has escapes for the characters that would steer a terminal; lines may
// break and tabs stand.
func visible(s string) string {
	if strings.IndexFunc(s, steers) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if steers(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func steers(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }

// label is a name out of a file for a table: quoted where it holds more than visible
// characters.
func label(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return name
	}
	return fmt.Sprintf("%q", name)
}

func labels(names []string) []string {
	out := make([]string, len(names))
	for k, name := range names {
		out[k] = label(name)
	}
	return out
}
