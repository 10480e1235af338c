package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"unicode"
)

// MostLine bounds a line.
// Source: a limit of memory; a line of the largest vectors of data, 2^20 numbers, takes less.
const MostLine = 1 << 25

// A text has at most mostText bytes, and mostRatio more for each byte that is stored.
// Source: limits of memory and time; texts of numbers are compressed by factors of 2 to 10.
const mostText, mostRatio = 1 << 27, 16

// MostFile bounds a file where it is stored.
// Source: a limit of memory, 4 GB.
const MostFile = 1 << 32

// Raw is a file as it is stored.
func Raw(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MostFile+1))
	if err == nil && len(data) > MostFile {
		err = &LimitError{Most: MostFile}
	}
	return data, err
}

// Reader is the text of a file, decompressed.
type Reader struct {
	in       counter
	r        *bufio.Reader
	zip, any bool
	n        int64  // bytes of the text that were read
	line     []byte // a long one
	lines    int    // that were read
}

// LimitError says that a file, or a line of it, is too long.
type LimitError struct {
	Line int // from 1; 0: all of the file
	Most int64
}

func (e *LimitError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d has more than %d bytes", e.Line, e.Most)
	}
	return fmt.Sprintf("more than %d bytes", e.Most)
}

// New begins to read a file. It is compressed if it begins as gzip does.
func New(r io.Reader) (*Reader, error) { return open(r, false) }

// Stream is New of a text of any length, for who keeps nothing of it.
func Stream(r io.Reader) (*Reader, error) { return open(r, true) }

func open(r io.Reader, anyLength bool) (*Reader, error) {
	t := &Reader{in: counter{r: r}, any: anyLength}
	t.r = bufio.NewReader(&t.in)
	if head, _ := t.r.Peek(2); string(head) != "\x1f\x8b" {
		return t, nil
	}
	z, err := gzip.NewReader(t.r)
	if err != nil {
		return nil, damaged(err)
	}
	t.zip, t.r = true, bufio.NewReader(z)
	return t, nil
}

func damaged(err error) error { return fmt.Errorf("damaged gzip file: %w", err) }

// counter counts the bytes of the file itself.
type counter struct {
	r io.Reader
	n atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Stored is how many bytes of the file itself were read so far. It may be called at any time.
func (t *Reader) Stored() int64 { return t.in.n.Load() }

// took counts bytes of the text, and completes the error of the reader behind.
func (t *Reader) took(n int, err error) error {
	t.n += int64(n)
	switch most := mostText + mostRatio*t.Stored(); {
	case t.n > most && !t.any:
		return &LimitError{Most: most}
	case t.zip && err != nil && err != io.EOF && err != bufio.ErrBufferFull:
		return damaged(err)
	}
	return err
}

func (t *Reader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	return n, t.took(n, err)
}

// Line is the next line with its end, if it has one; io.EOF behind the last. It is valid until the
// next call.
func (t *Reader) Line() ([]byte, error) {
	t.lines++
	text, err := t.slice()
	if err == bufio.ErrBufferFull {
		for t.line = t.line[:0]; err == bufio.ErrBufferFull; text, err = t.slice() {
			if t.line = append(t.line, text...); len(t.line) > MostLine {
				return nil, &LimitError{t.lines, MostLine}
			}
		}
		t.line = append(t.line, text...)
		text = t.line
	}
	if err == io.EOF && len(text) > 0 {
		err = nil
	}
	return text, err
}

// slice is the next line, or the part of it that fits.
func (t *Reader) slice() ([]byte, error) {
	text, err := t.r.ReadSlice('\n')
	return text, t.took(len(text), err)
}

// Lines is how many lines were asked for.
func (t *Reader) Lines() int { return t.lines }

// All is the rest of the text.
func (t *Reader) All() ([]byte, error) { return io.ReadAll(t) }

// Text is the text of a file.
func Text(r io.Reader) ([]byte, error) {
	t, err := New(r)
	if err != nil {
		return nil, err
	}
	return t.All()
}

// JSON is Text of a file in JSON that can be decoded in bounded memory.
func JSON(r io.Reader) ([]byte, error) {
	text, err := Text(r)
	if err == nil {
		err = Lists(text)
	}
	return text, err
}

// MostLists bounds the lists and objects of a text in JSON.
// Source: a limit of memory; a few bytes of text become a struct of some hundred.
const MostLists = 1 << 20

// Lists refuses a text in JSON with more lists and objects than may be.
func Lists(text []byte) error {
	if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > MostLists {
		return fmt.Errorf("more than %d lists and objects", MostLists)
	}
	return nil
}

// Visible has escapes for the characters that would steer a terminal; lines may break and tabs
// stand.
func Visible(s string) string {
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
