package lsp

import (
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// encoding is the unit in which positions count.
type encoding uint8

const (
	inUTF16 encoding = iota
	inUTF8
	inUTF32
)

// units is the length of a piece of text; bytes that are no UTF-8 count as one character each.
func (e encoding) units(s string) (n int) {
	switch e {
	case inUTF8:
		return len(s)
	case inUTF32:
		return utf8.RuneCountInString(s)
	}
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// document is a state of a file in an editor. It never changes.
type document struct {
	uri     string
	version int
	text    string
	lines   []int // where each line begins; \n, \r\n and \r end one
	bom     int   // bytes of the byte order mark
	enc     encoding
}

const byteOrderMark = "\ufeff"

func newDocument(uri string, version int, text string, enc encoding) *document {
	text = strings.ToValidUTF8(text, "\ufffd")
	d := &document{uri: uri, version: version, text: text, lines: []int{0}, enc: enc}
	for k := 0; k < len(text); k++ {
		switch {
		case text[k] == '\n':
			d.lines = append(d.lines, k+1)
		case text[k] == '\r' && (k+1 == len(text) || text[k+1] != '\n'):
			d.lines = append(d.lines, k+1)
		}
	}
	if strings.HasPrefix(text, byteOrderMark) {
		d.bom = len(byteOrderMark)
	}
	return d
}

// lineEnd is where a line ends, without its line feed.
func (d *document) lineEnd(line int) int {
	if line+1 >= len(d.lines) {
		return len(d.text)
	}
	begin := d.lines[line]
	return begin + len(strings.TrimRight(d.text[begin:d.lines[line+1]], "\r\n"))
}

// position of an offset in bytes.
func (d *document) position(offset int) position {
	offset = max(0, min(offset, len(d.text)))
	line := sort.SearchInts(d.lines, offset+1) - 1
	return position{line, d.enc.units(d.text[d.lines[line]:offset])}
}

// offset of a position, in bytes; a position outside of its line or of the document is
// drawn to the end of it.
func (d *document) offset(p position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(d.lines):
		return len(d.text)
	}
	at, end := d.lines[p.Line], d.lineEnd(p.Line)
	for left := p.Character; at < end; {
		_, n := utf8.DecodeRuneInString(d.text[at:])
		if left -= d.enc.units(d.text[at : at+n]); left < 0 {
			break
		}
		at += n
	}
	return at
}

// source is the text as the language sees it, without a byte order mark.
func (d *document) source() string { return d.text[d.bom:] }

// span is the range of bytes of the source.
func (d *document) span(s syntax.Span) textRange {
	return textRange{d.position(s.Pos + d.bom), d.position(s.End + d.bom)}
}

// place is the range of a place of a message, whose columns count characters of lines
// that \n ends.
func (d *document) place(p lang.Place) textRange {
	src, begin := d.source(), 0
	for k, line := range strings.SplitAfter(src, "\n") {
		if k < p.Line-1 {
			begin += len(line)
		}
	}
	line := []rune(src[begin:])
	if k := slices.Index(line, '\n'); k >= 0 {
		line = line[:k]
	}
	at := func(col int) int { return begin + len(string(line[:min(max(col-1, 0), len(line))])) }
	from, to := at(p.Col), at(p.EndCol)
	for from == to && from > 0 { // at the end of a line: the character before it is marked
		_, n := utf8.DecodeLastRuneInString(src[:from])
		if from -= n; src[from] != '\n' && src[from] != '\r' {
			break
		}
		to = from
	}
	return d.span(syntax.Span{Pos: from, End: to})
}

// path is the file of the document; empty where it is none, such as an unsaved one.
func (d *document) path() string {
	u, err := url.Parse(d.uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	p := u.Path
	if runtime.GOOS == "windows" {
		p = strings.TrimPrefix(p, "/")
	}
	return filepath.FromSlash(p)
}

// dir is the folder that paths of data are relative to.
func (d *document) dir() string {
	if p := d.path(); p != "" {
		return filepath.Dir(p)
	}
	return ""
}

// name is how messages call the document.
func (d *document) name() string {
	if p := d.path(); p != "" {
		return filepath.Base(p)
	}
	return "problem.dc"
}
