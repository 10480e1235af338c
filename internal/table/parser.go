package table

import (
	"bytes"
	"fmt"
	"strings"
)

// parser takes cells off a text of whole rows.
type parser struct {
	t       *Reader
	text    []byte
	at      int    // of the next byte
	start   int    // of the line that it is on
	line    int    // the number of that line
	row     int    // where the row at hand begins
	scratch []byte // texts of quoted cells without their quotes
}

// nextRow goes to the next row of a table of so many columns, over lines that are
// empty or, where there is more than one column, hold blanks alone.
func (p *parser) nextRow(columns int) bool {
	for p.at < len(p.text) {
		if c := p.text[p.at]; c <= ' ' || c >= 0x80 {
			line, _, _ := bytes.Cut(p.text[p.at:], []byte{'\n'})
			blank := len(bytes.TrimSpace(line)) == 0 && columns != 1 && !bytes.Contains(line, p.t.comma)
			if blank || p.atLineEnd(p.at) {
				p.at += len(line)
				p.next()
				continue
			}
		}
		p.row = p.at
		return true
	}
	return false
}

// atLineEnd reports whether a cell that ends at place k is the last of its line.
func (p *parser) atLineEnd(k int) bool {
	return k == len(p.text) || p.text[k] == '\n' || p.text[k] == '\r' && (k+1 == len(p.text) || p.text[k+1] == '\n')
}

func (p *parser) atComma(k int) bool {
	comma := p.t.comma
	return k < len(p.text) && p.text[k] == comma[0] && (len(comma) == 1 || bytes.HasPrefix(p.text[k:], comma))
}

// next goes behind the end of a cell and reports whether another cell follows in
// the row.
func (p *parser) next() (more bool) {
	switch {
	case p.at == len(p.text):
		return false
	case p.text[p.at] == '\n':
		p.at++
	case p.atComma(p.at):
		p.at += len(p.t.comma)
		return true
	default: // \r and \n
		p.at = min(p.at+2, len(p.text))
	}
	p.line, p.start = p.line+1, p.at
	return false
}

// cell reads a cell of any kind and says where it is.
func (p *parser) cell() (text []byte, at Cell, err error) {
	k := p.at
	if p.t.trims() {
		rest := p.text[k:]
		k += len(rest) - len(bytes.TrimLeftFunc(rest, isBlank))
	}
	at = Cell{Line: p.line, Col: k - p.start + 1}
	if k < len(p.text) && p.text[k] == '"' {
		text, err = p.quoted(k + 1)
		return text, at, err
	}
	begin := min(k, len(p.text))
	for ; !p.atComma(k) && !p.atLineEnd(k); k++ {
		if p.text[k] == '"' {
			return nil, at, &Error{p.line, k - p.start + 1,
				`a quote inside an unquoted field; enclose the field in quotes and write "" for the quote`}
		}
	}
	p.at = k
	return p.text[begin:k], at, nil
}

// quoted reads a cell from behind its first quote.
func (p *parser) quoted(from int) ([]byte, error) {
	line, col := p.line, from-p.start
	end := closing(p.text, from)
	if end < 0 {
		return nil,
			&Error{line, col,
				fmt.Sprintf("a quoted field begins in this row and does not end properly up to line %d",
					p.line+bytes.Count(bytes.TrimSuffix(p.text[from:], []byte{'\n'}), []byte{'\n'}))}
	}
	text := p.text[from : end-1]
	if k := bytes.LastIndexByte(text, '\n'); k >= 0 {
		p.line += bytes.Count(text, []byte{'\n'})
		p.start = from + k + 1
	}
	p.at = end
	if !p.atComma(end) && !p.atLineEnd(end) {
		return nil, &Error{p.line, end - p.start, "a quoted field that does not end in a quote before the delimiter"}
	}
	if bytes.IndexByte(text, '"') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return text, nil
	}
	first := len(p.scratch)
	p.scratch = append(p.scratch, strings.NewReplacer(`""`, `"`, "\r\n", "\n").Replace(string(text))...)
	return p.scratch[first:], nil
}

// miscounted is the error for the row at hand, which has too few or too many cells.
func (p *parser) miscounted(line int) error {
	p.at, p.start, p.line = p.row, p.row, line
	cells := 0
	var at Cell // the last one, or the first that is too many
	for more := true; more; more = p.next() {
		_, place, err := p.cell()
		if err != nil {
			return err
		}
		if cells++; cells <= len(p.t.modes)+1 {
			at = place
		}
	}
	first := "the first row"
	if p.t.header {
		first = "the header"
	}
	return &Error{at.Line, at.Col, fmt.Sprintf("the row has %d fields, %s has %d", cells, first, len(p.t.modes))}
}

// first reads the first row.
func (p *parser) first() (row []Cell, err error) {
	if !p.nextRow(0) {
		return nil, nil
	}
	for more := true; more; more = p.next() {
		text, at, err := p.cell()
		if err != nil {
			return nil, err
		}
		if len(row) == mostColumns {
			return nil, &Error{at.Line, at.Col,
				fmt.Sprintf("the first row has more than %d fields; a vector may be a column", mostColumns)}
		}
		at.Column, at.Text = len(row), strings.TrimSpace(string(text))
		_, at.Kind = Classify(at.Text, p.t.opt.DecimalComma)
		row = append(row, at)
	}
	return row, nil
}
