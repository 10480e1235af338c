package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/input"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/qpbackend/formats"
)

// Messages go to standard error: as text, or as JSON, an object on a line each.
// docs/cli.md has the members of the object.
type Messages struct {
	w    io.Writer
	JSON bool
	line *Progress // nil: none
}

// Write writes to standard error, beside the progress line.
func (m *Messages) Write(b []byte) (int, error) {
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

// Note tells what is neither a result nor wrong.
func (m *Messages) Note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if m.JSON {
		m.object(report.Object{{Name: "severity", Value: "note"}, {Name: "message", Value: text}})
		return
	}
	fmt.Fprintf(m, "dcopt: %s\n", input.Visible(text))
}

// Fail tells why a command ends with an exit code.
func (m *Messages) Fail(err error, code int) {
	if m.JSON {
		m.object(errorObject(err, code))
		return
	}
	if !exit.HasPlace(err) {
		err = fmt.Errorf("dcopt: %w", err)
	}
	fmt.Fprintln(m, input.Visible(err.Error()))
}

// Diagnose tells what is wrong with a problem file, with the exit code that
// follows from it; of warnings none does.
func (m *Messages) Diagnose(ds lang.Diagnostics, code int, text func(file string) []byte) error {
	if !m.JSON {
		return ds.Render(m, text, colours(m.w))
	}
	for _, d := range ds {
		var more []report.Member
		if d.Severity == lang.Error {
			more = append(more, report.Member{Name: "exit", Value: code})
		}
		m.object(report.Diagnostic(d, more...))
	}
	return nil
}

// errorObject is an error with the place that it knows.
func errorObject(err error, code int) report.Object {
	o := report.Object{{Name: "severity", Value: "error"}, {Name: "exit", Value: code}}
	var table *dataset.Error
	var card *formats.Error
	switch {
	case errors.As(err, &table):
		o = append(o, report.Member{Name: "file", Value: table.File})
		if table.Line > 0 {
			o = append(o, report.Object{{Name: "line", Value: table.Line}, {Name: "column", Value: table.Col}}...)
		}
		return append(o, report.Member{Name: "message", Value: table.Msg})
	case errors.As(err, &card):
		return append(o, report.Object{{Name: "file", Value: card.File}, {Name: "line", Value: card.Line},
			{Name: "message", Value: card.Err.Error()}}...)
	}
	return append(o, report.Member{Name: "message", Value: err.Error()})
}

func (m *Messages) object(o report.Object) {
	b, err := report.Line(o)
	if err != nil { // strings and integers always go
		b = fmt.Appendf(nil, `{"severity":"error","message":%q}`+"\n", err)
	}
	m.Write(b)
}

// Writer takes lines of text: as JSON, each becomes a note.
func (m *Messages) Writer() io.Writer {
	if !m.JSON {
		return m
	}
	return &noteWriter{m: m}
}

// noteWriter makes notes of lines. It may be used by several goroutines.
type noteWriter struct {
	m    *Messages
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
		w.m.object(report.Object{{Name: "severity", Value: "note"}, {Name: "message", Value: string(w.rest[:k])}})
		w.rest = w.rest[k+1:]
	}
}
