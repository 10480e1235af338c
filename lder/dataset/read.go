package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Options govern the reading of a table.
type Options struct {
	// Comma separates the fields. 0 stands for a tab in files named .tsv or
	// .tab whose header has one, otherwise for the most frequent of tab, comma
	// and semicolon in the header.
	Comma rune
	// DecimalComma reads 3,5 as 3.5; fields are then never taken to be separated
	// by commas where the header has tabs or semicolons.
	DecimalComma bool
	// KeepText keeps the cells of every column as they stand, for categories.
	KeepText bool
}

// ReadFile reads the table in a file; see Read.
func ReadFile(path string, opt Options) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path, opt)
}

// Read reads a table: a header row of column names, then rows of as many
// fields. Fields may be quoted as in RFC 4180. Blank lines are skipped, gzip
// compression and a byte order mark are recognised. An empty field, NA, N/A,
// NaN and null in any case, ? and - are missing values. A file that cannot be a table
// is refused with an *Error that holds the place; name stands in it. Text and
// infinite values are no error yet, for the column may not be wanted: the
// methods that use a column refuse them.
func Read(r io.Reader, name string, opt Options) (*Table, error) {
	s, err := OpenStream(r, name, opt)
	if err != nil {
		return nil, err
	}
	w := newWhole(s)
	if err := w.rows(); err != nil {
		return nil, err
	}
	t := w.finish()
	if err := t.dropUnnamed(s.heads); err != nil {
		return nil, err
	}
	t.index = make(map[string]int, len(t.Columns))
	for j := range t.Columns {
		t.index[t.Columns[j].Name] = j
	}
	return t, nil
}

// comma is the delimiter of a table that begins with raw.
func (opt Options) comma(raw []byte, name string) (rune, error) {
	comma := opt.Comma
	if comma == 0 {
		comma = detectComma(raw, name, opt.DecimalComma)
	} else if comma == '"' || comma == '\r' || comma == '\n' || comma == utf8.RuneError || !utf8.ValidRune(comma) {
		return 0, fmt.Errorf("dataset: Options.Comma = %q cannot separate fields", comma)
	}
	return comma, nil
}

func newCSV(r io.Reader, comma rune) *csv.Reader {
	c := csv.NewReader(r)
	c.Comma, c.FieldsPerRecord, c.ReuseRecord = comma, -1, true
	c.TrimLeadingSpace = trims(comma)
	return c
}

// trims reports whether a space after the delimiter is not part of the field; a
// tab that delimits counts as a space, too.
func trims(comma rune) bool { return comma == ',' || comma == ';' }

const byteOrderMark = "\ufeff"

// foreign refuses what begins as other kinds of files do.
func foreign(raw []byte, name string) error {
	switch {
	case bytes.HasPrefix(raw, []byte("PK\x03\x04")):
		return &Error{File: name, Msg: "this is a zip archive, as spreadsheets are; export the sheet as CSV"}
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}) || bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		return &Error{File: name, Msg: "this is UTF-16 text; save it as UTF-8"}
	}
	return nil
}

// detectComma looks for the delimiter in the header line.
func detectComma(raw []byte, name string, decimalComma bool) rune {
	var tabs, commas, semicolons int
	quoted := false
scan:
	for _, b := range bytes.TrimLeft(raw, "\r\n") {
		switch {
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '\n':
			break scan
		case b == '\t':
			tabs++
		case b == ',':
			commas++
		case b == ';':
			semicolons++
		}
	}
	if decimalComma && tabs+semicolons > 0 {
		commas = 0
	}
	base := strings.TrimSuffix(strings.ToLower(name), ".gz")
	isTSV := strings.HasSuffix(base, ".tsv") || strings.HasSuffix(base, ".tab")
	switch {
	case tabs > 0 && (isTSV || tabs >= max(commas, semicolons)):
		return '\t'
	case semicolons > commas:
		return ';'
	}
	return ','
}

// parser reads the names of the columns of t, and gives errors their places.
type parser struct {
	csv *csv.Reader
	t   *Table
	at  []Cell // where each name stands in the header
}

// header reads the column names.
func (p *parser) header() error {
	rec, err := p.csv.Read()
	if err == io.EOF {
		return &Error{File: p.t.Name, Msg: "the file is empty; want a header row with the names of the columns"}
	}
	if err != nil {
		return p.fail(err)
	}
	numbers := 0
	seen := make(map[string]int, len(rec))
	for j, field := range rec {
		line, col := p.csv.FieldPos(j)
		name := strings.TrimSpace(strings.ReplaceAll(field, byteOrderMark, ""))
		cell := Cell{line, col, name}
		switch {
		case !utf8.ValidString(name):
			return p.t.at(&cell, fmt.Sprintf("the name of column %d is not UTF-8; save the file as UTF-8", j+1))
		case strings.ContainsRune(name, '\r'):
			return p.t.at(&cell, "a carriage return in the header; lines must end in LF or CRLF")
		case strings.ContainsRune(name, 0):
			return p.t.at(&cell, "a zero byte in the header; this is no text file")
		}
		if k, dup := seen[name]; dup && name != "" {
			return p.t.at(&cell, fmt.Sprintf("columns %d and %d are both named %s; rename one", k+1, j+1, quote(name)))
		}
		seen[name] = j
		if _, k := parseCell(name); k == number {
			numbers++
		}
		p.t.Columns = append(p.t.Columns, Column{Name: name})
		p.at = append(p.at, cell)
	}
	if numbers == len(rec) {
		return p.t.at(&p.at[0], "the first row is all numbers; want a header row with the names of the columns above it")
	}
	return nil
}

// dropUnnamed removes columns without name and value, which a delimiter at the
// ends of the lines makes. at is where the names stand in the header.
func (t *Table) dropUnnamed(at []Cell) error {
	kept := t.Columns[:0]
	for j, c := range t.Columns {
		switch {
		case c.Name != "":
			kept = append(kept, c)
		case c.Missing == len(c.Values):
			t.Notes = append(t.Notes, fmt.Sprintf("column %d has neither name nor values and is left out", j+1))
		default:
			return t.at(&at[j], fmt.Sprintf("column %d has no name; name it, or remove it if it only numbers the rows", j+1))
		}
	}
	if len(kept) == 0 {
		return &Error{File: t.Name, Line: at[0].Line, Col: at[0].Col, Msg: "no column has a name"}
	}
	t.Columns = kept
	return nil
}

// fail gives an error of encoding/csv its place.
func (p *parser) fail(err error) error {
	var pe *csv.ParseError
	if !errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", p.t.Name, err)
	}
	at := Cell{Line: pe.Line, Col: pe.Column}
	msg := pe.Err.Error()
	switch {
	case errors.Is(pe.Err, csv.ErrBareQuote):
		msg = `a quote inside an unquoted field; enclose the field in quotes and write "" for the quote`
	case errors.Is(pe.Err, csv.ErrQuote) && pe.StartLine != pe.Line:
		// The row that swallowed the lines after it is the place to look at.
		at = Cell{Line: pe.StartLine, Col: 1}
		msg = fmt.Sprintf("a quoted field begins in this row and does not end properly up to line %d", pe.Line)
	case errors.Is(pe.Err, csv.ErrQuote):
		msg = "a quoted field that does not end in a quote before the delimiter"
	}
	return p.t.at(&at, msg)
}
