package dataset

import (
	"bytes"
	"compress/gzip"
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
	raw, err := plainText(r, name)
	if err != nil {
		return nil, err
	}
	comma, err := opt.comma(raw, name)
	if err != nil {
		return nil, err
	}
	c := newCSV(bytes.NewReader(raw), comma)
	p := &parser{csv: c, t: &Table{Name: name}, opt: opt}
	if err := p.header(); err != nil {
		return nil, err
	}
	if err := p.rows(); err != nil {
		return nil, err
	}
	if err := p.dropUnnamed(); err != nil {
		return nil, err
	}
	t := p.t
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
	// A space after the delimiter is not part of the field; but a tab that
	// delimits counts as a space, too.
	c.TrimLeadingSpace = comma == ',' || comma == ';'
	return c
}

const byteOrderMark = "\ufeff"

// plainText reads everything, uncompressed and without byte order mark, and
// refuses what is no text in UTF-8 at first sight.
func plainText(r io.Reader, name string) ([]byte, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("%s: damaged gzip file: %w", name, err)
		}
		if raw, err = io.ReadAll(z); err != nil {
			return nil, fmt.Errorf("%s: damaged gzip file: %w", name, err)
		}
	}
	if err := foreign(raw, name); err != nil {
		return nil, err
	}
	return bytes.TrimPrefix(raw, []byte(byteOrderMark)), nil
}

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

// parser fills t from the records of csv.
type parser struct {
	csv *csv.Reader
	t   *Table
	opt Options
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

// rows reads everything below the header.
func (p *parser) rows() error {
	t := p.t
	for {
		rec, err := p.csv.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return p.fail(err)
		}
		if len(rec) == 1 && len(t.Columns) > 1 && strings.TrimSpace(rec[0]) == "" {
			continue // a line of blanks
		}
		if len(rec) != len(t.Columns) {
			line, col := p.csv.FieldPos(min(len(rec)-1, len(t.Columns)))
			return t.at(&Cell{Line: line, Col: col}, fmt.Sprintf("the row has %d fields, the header has %d", len(rec), len(t.Columns)))
		}
		line, _ := p.csv.FieldPos(0)
		t.Lines = append(t.Lines, line)
		for j, field := range rec {
			p.cell(j, field)
		}
	}
	if len(t.Lines) == 0 {
		return &Error{File: t.Name, Msg: "there are no rows below the header"}
	}
	return nil
}

// cell appends one value to column j.
func (p *parser) cell(j int, field string) {
	c := &p.t.Columns[j]
	v, k := parseDecimal(field, p.opt.DecimalComma)
	c.Values = append(c.Values, v)
	if p.opt.KeepText {
		c.Cells = append(c.Cells, strings.Clone(strings.TrimSpace(field)))
	}
	here := func() *Cell {
		line, col := p.csv.FieldPos(j)
		return &Cell{line, col, strings.Clone(strings.TrimSpace(field))}
	}
	switch k {
	case missing:
		c.Missing++
	case text:
		c.Text++
		if c.FirstText == nil {
			c.FirstText = here()
		}
	case infinite:
		if c.FirstInfinite == nil {
			c.FirstInfinite = here()
		}
	}
}

// dropUnnamed removes columns without name and value, which a delimiter at the
// ends of the lines makes.
func (p *parser) dropUnnamed() error {
	kept := p.t.Columns[:0]
	for j, c := range p.t.Columns {
		switch {
		case c.Name != "":
			kept = append(kept, c)
		case c.Missing == len(c.Values):
			p.t.Notes = append(p.t.Notes, fmt.Sprintf("column %d has neither name nor values and is left out", j+1))
		default:
			return p.t.at(&p.at[j], fmt.Sprintf("column %d has no name; name it, or remove it if it only numbers the rows", j+1))
		}
	}
	if len(kept) == 0 {
		return &Error{File: p.t.Name, Line: p.at[0].Line, Col: p.at[0].Col, Msg: "no column has a name"}
	}
	p.t.Columns = kept
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
