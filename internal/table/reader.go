package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dcopt/dcopt/internal/input"
)

// Options say how a table is written.
type Options struct {
	// Comma separates the cells. 0 stands for a tab in files named .tsv or .tab
	// whose first row has one, otherwise for the most frequent of tab, comma and
	// semicolon in the first row.
	Comma rune
	// DecimalComma reads 3,5 as 3.5; cells are then never taken to be separated by
	// commas where the first row has tabs or semicolons.
	DecimalComma bool
	// Name is the file's, for its ending.
	Name string
}

// Reader cuts a table into blocks of rows. Rows are lines, but for line ends in
// quoted cells (RFC 4180); blank lines are skipped.
type Reader struct {
	// First is the first row, which is also the first of the blocks unless Skip
	// is called; nil: there is none.
	First []Cell

	opt    Options
	comma  []byte
	r      *input.Reader
	buf    []byte
	rest   []byte // of buf: read and not yet used
	line   int    // of the first byte of rest
	eof    bool
	modes  []Mode // of the columns
	skip   []byte // rest behind the first row
	header bool   // Skip was called
}

// blockBytes is the size of a block.
const blockBytes = 1 << 17

// mostColumns bounds the cells of a row.
// Source: a limit of memory.
const mostColumns = 1 << 20

const byteOrderMark = "\ufeff"

// Open reads the first row.
func Open(r io.Reader, opt Options) (*Reader, error) {
	in, err := input.Stream(r)
	if err != nil {
		return nil, err
	}
	t := &Reader{r: in, opt: opt, line: 1}
	if err := t.fill(); err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(t.rest, []byte("PK\x03\x04")):
		return nil, &Error{Msg: "this is a zip archive, as spreadsheets are; export the sheet as CSV"}
	case bytes.HasPrefix(t.rest, []byte{0xff, 0xfe}), bytes.HasPrefix(t.rest, []byte{0xfe, 0xff}):
		return nil, &Error{Msg: "this is UTF-16 text; save it as UTF-8"}
	}
	t.rest = bytes.TrimPrefix(t.rest, []byte(byteOrderMark))
	if err := t.first(); err != nil {
		return nil, err
	}
	t.modes = make([]Mode, len(t.First))
	for j := range t.modes {
		t.modes[j] = Numbers
	}
	return t, nil
}

// first reads the first row, over blank lines.
func (t *Reader) first() error {
	for {
		t.comma = nil
		end, err := t.rowsEnd(true)
		if err != nil {
			return err
		}
		if err := t.separator(end); err != nil {
			return err
		}
		p := parser{t: t, text: t.rest[:end], line: t.line}
		if t.First, err = p.first(); err != nil {
			return err
		}
		if t.First != nil || end == 0 {
			t.skip = t.rest[p.at:]
			return nil
		}
		t.line, t.rest = p.line, t.rest[end:]
	}
}

// Stored is how many bytes of the file itself were read.
func (t *Reader) Stored() int64 { return t.r.Stored() }

// Skip makes a header of the first row: it is in no block.
func (t *Reader) Skip() {
	t.line += bytes.Count(t.rest[:len(t.rest)-len(t.skip)], []byte{'\n'})
	t.rest, t.header = t.skip, true
}

// Want says what blocks shall have of each column, in the place of Numbers.
func (t *Reader) Want(modes []Mode) { t.modes = modes }

// separator finds the comma.
func (t *Reader) separator(end int) error {
	comma := t.opt.Comma
	if comma == 0 {
		comma = detectComma(t.rest[:end], t.opt)
	} else if comma == '"' || comma == '\r' || comma == '\n' || comma == utf8.RuneError || !utf8.ValidRune(comma) {
		return fmt.Errorf("%q cannot separate cells", comma)
	}
	t.comma = []byte(string(comma))
	return nil
}

// detectComma looks for the separator in the first row.
func detectComma(raw []byte, opt Options) rune {
	var count [256]int
	quoted := false
	for _, b := range raw {
		if b == '"' {
			quoted = !quoted
		} else if !quoted {
			count[b]++
		}
	}
	tabs, commas, semicolons := count['\t'], count[','], count[';']
	if opt.DecimalComma && tabs+semicolons > 0 {
		commas = 0
	}
	base := strings.TrimSuffix(strings.ToLower(opt.Name), ".gz")
	isTSV := strings.HasSuffix(base, ".tsv") || strings.HasSuffix(base, ".tab")
	switch {
	case tabs > 0 && (isTSV || tabs >= max(commas, semicolons)):
		return '\t'
	case semicolons > commas:
		return ';'
	}
	return ','
}

// trims reports whether blanks behind the separator are not part of the cell; a
// tab that separates counts as a blank, too.
func (t *Reader) trims() bool { return len(t.comma) == 1 && (t.comma[0] == ',' || t.comma[0] == ';') }

// fill appends a block's worth of bytes to rest, or as many again as it has where
// that is more: a long row is looked through anew after each fill.
func (t *Reader) fill() error {
	n := len(t.rest)
	more := max(blockBytes, n)
	if t.buf == nil { // many tables are small
		more = blockBytes / 16
	}
	if cap(t.buf) < n+more {
		buf := make([]byte, n+more+more/8) // the next rest is of another length
		copy(buf, t.rest)
		t.buf = buf
	} else {
		t.buf = t.buf[:cap(t.buf)]
		copy(t.buf, t.rest)
	}
	k := 0
	var err error
	for k < more && err == nil {
		var got int
		got, err = t.r.Read(t.buf[n+k : n+more])
		k += got
	}
	t.rest = t.buf[:n+k]
	if err == io.EOF {
		t.eof, err = true, nil
	}
	return err
}

// rowsEnd is behind the last row that rest has whole, or the first one that is
// not blank. It reads on until there is one; of an empty rest it is 0.
func (t *Reader) rowsEnd(first bool) (int, error) {
	for {
		if end := t.lastRow(t.rest, first); end > 0 || t.eof {
			return end, nil
		}
		if len(t.rest) > input.MostLine {
			return 0, &Error{Line: t.line, Col: 1,
				Msg: fmt.Sprintf("a row of more than %d bytes; does a quoted cell not end?", input.MostLine)}
		}
		if err := t.fill(); err != nil {
			return 0, err
		}
	}
}

// lastRow is behind the last row that src has whole, or the first one that is not
// blank; 0: there is none. A quote that stands where no cell begins is a mistake:
// it is passed over, for the parser to complain.
func (t *Reader) lastRow(src []byte, first bool) int {
	at, end := 0, 0 // at is outside of quotes
	if first {
		at = len(src) - len(bytes.TrimLeft(src, "\r\n"))
	}
	for {
		plain := src[at:]
		quote := bytes.IndexByte(plain, '"')
		if quote >= 0 {
			plain = plain[:quote]
		}
		if first {
			if k := bytes.IndexByte(plain, '\n'); k >= 0 {
				return at + k + 1
			}
		} else if k := bytes.LastIndexByte(plain, '\n'); k >= 0 {
			end = at + k + 1
		}
		next := -1
		if quote >= 0 {
			if at += quote; t.opens(src[:at]) {
				next = closing(src, at+1)
			} else {
				next = at + 1
			}
		}
		switch {
		case next >= 0:
			at = next
		case t.eof:
			return len(src)
		default:
			return end
		}
	}
}

// opens reports whether a quote behind src stands where a cell begins; of the
// first row, of which the comma is not known yet, all do that are no closing ones.
func (t *Reader) opens(src []byte) bool {
	if t.comma == nil {
		return true
	}
	if t.trims() {
		src = bytes.TrimRightFunc(src, isBlank)
	}
	return len(src) == 0 || src[len(src)-1] == '\n' || bytes.HasSuffix(src, t.comma)
}

// isBlank is unicode.IsSpace within a line.
func isBlank(r rune) bool { return r != '\n' && unicode.IsSpace(r) }

// closing is behind the quote that ends a quoted cell; −1: there is none.
func closing(src []byte, from int) int {
	for {
		k := bytes.IndexByte(src[from:], '"')
		if k < 0 {
			return -1
		}
		if from += k + 1; from == len(src) || src[from] != '"' {
			return from
		}
		from++
	}
}
