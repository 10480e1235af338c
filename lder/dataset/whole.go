package dataset

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// whole collects all rows of a stream in a table.
type whole struct {
	s      *Stream
	t      *Table
	values []series[float64] // of each column
	cells  []series[string]  // nil: not kept
	lines  series[int]
	comma  []byte
}

func newWhole(s *Stream) *whole {
	n := len(s.columns)
	w := &whole{s: s, t: &Table{Name: s.name, Columns: make([]Column, n)}, values: make([]series[float64], n), comma: []byte(string(s.comma))}
	for j, name := range s.columns {
		w.t.Columns[j].Name = name
	}
	if s.opt.KeepText {
		w.cells = make([]series[string], n)
	}
	return w
}

// rows reads everything below the header.
func (w *whole) rows() error {
	var b Block
	for b.raw = b.raw[:0]; w.s.cut(&b); b.raw = b.raw[:0] {
		if b.err != nil {
			return b.err
		}
		if err := eachLine(b.raw, b.line, len(w.t.Columns), w.comma, w.row); err != nil {
			return err
		}
	}
	if err := w.quoted(); err != nil {
		return err
	}
	if w.lines.len() == 0 {
		return &Error{File: w.t.Name, Msg: "there are no rows below the header"}
	}
	return nil
}

// row reads one line.
func (w *whole) row(content []byte, line int) error {
	last := len(w.t.Columns) - 1
	at := 0
	for j := 0; j <= last; j++ {
		field := content[at:]
		k := bytes.Index(field, w.comma)
		if k >= 0 {
			field = field[:k]
		}
		if (k < 0) != (j == last) {
			return w.miscounted(content, line)
		}
		if kind := w.cell(j, field); kind == text || kind == infinite {
			w.odd(j, kind, field, line, w.position(content, at))
		}
		at += k + len(w.comma)
	}
	w.lines.add(line)
	return nil
}

// position is the column of the line, from 1, of the field that begins behind at
// bytes: as in encoding/csv, a field that is trimmed begins behind its blanks.
func (w *whole) position(text []byte, at int) int {
	if trims(w.s.comma) {
		rest := text[at:]
		at += len(rest) - len(bytes.TrimLeftFunc(rest, unicode.IsSpace))
	}
	return at + 1
}

// miscounted refuses a line with too few fields or too many.
func (w *whole) miscounted(text []byte, line int) error {
	fields := bytes.Count(text, w.comma) + 1
	at := 0
	for range min(fields-1, len(w.t.Columns)) {
		at += bytes.Index(text[at:], w.comma) + len(w.comma)
	}
	return w.wrongCount(fields, line, w.position(text, at))
}

func (w *whole) wrongCount(fields, line, col int) error {
	return w.t.at(&Cell{Line: line, Col: col}, fmt.Sprintf("the row has %d fields, the header has %d", fields, len(w.t.Columns)))
}

// quoted reads the rows from the first quote on.
func (w *whole) quoted() error {
	if w.s.quoted == nil {
		return nil
	}
	for {
		rec, line, err := w.s.record()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if n := len(w.t.Columns); len(rec) != n {
			line, col := w.s.quoted.FieldPos(min(len(rec)-1, n))
			return w.wrongCount(len(rec), line+w.s.offset, col)
		}
		w.lines.add(line)
		for j, s := range rec {
			field := []byte(s)
			if kind := w.cell(j, field); kind == text || kind == infinite {
				line, col := w.s.quoted.FieldPos(j)
				w.odd(j, kind, field, line+w.s.offset, col)
			}
		}
	}
}

// cell appends one value to column j.
func (w *whole) cell(j int, field []byte) cellKind {
	kind := number
	v, ok := quickFloat(field)
	if !ok {
		v, kind = parseDecimal(string(field), w.s.opt.DecimalComma)
	}
	w.values[j].add(v)
	if w.cells != nil {
		w.cells[j].add(string(bytes.TrimSpace(field)))
	}
	if kind == missing {
		w.t.Columns[j].Missing++
	}
	return kind
}

// odd takes note of a cell that is no number.
func (w *whole) odd(j int, kind cellKind, field []byte, line, col int) {
	c := &w.t.Columns[j]
	first := &c.FirstInfinite
	if kind == text {
		c.Text++
		first = &c.FirstText
	}
	if *first == nil {
		*first = &Cell{line, col, strings.TrimSpace(string(field))}
	}
}

// finish is the table.
func (w *whole) finish() *Table {
	t := w.t
	t.Lines = w.lines.join()
	for j := range t.Columns {
		t.Columns[j].Values = w.values[j].join()
		if w.cells != nil {
			t.Columns[j].Cells = w.cells[j].join()
		}
	}
	return t
}
