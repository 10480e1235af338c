package problemfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/internal/input"
	"github.com/dcopt/dcopt/internal/table"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// A problem has at most Most variables, rows and coefficients together, and one more for every four
// bytes of its file: some that are not written out, or that are compressed, must not take memory
// without end.
// Source: a limit of memory; the triangle of a matrix of order 2,047 has as many entries.
const Most = 1 << 21

// Size counts variables, rows and coefficients.
type Size struct{ n, most int }

// NewSize is the size of a file with so many bytes.
func NewSize(stored int) Size { return Size{0, Most + stored/4} }

// Left is how many more may be.
func (s *Size) Left() int { return s.most - s.n }

// Add counts n more.
func (s *Size) Add(n int) error {
	if n > s.Left() {
		return fmt.Errorf("more than %d variables, rows and coefficients", s.most)
	}
	s.n += n
	return nil
}

// Lines are the lines of a text that say something, as fields between white space.
type Lines struct {
	in      *input.Reader
	comment string // a line that begins with one of these characters says nothing
	blank   func(rune) bool
	no      int
	fields  []string
	size    Size
}

// ReadLines reads a text, which may be compressed by gzip. Lines that begin with a character of
// comment are left out, and the characters of blank stand for white space.
func ReadLines(r io.Reader, comment, blank string) (*Lines, error) {
	data, err := input.Raw(r)
	if err != nil {
		return nil, err
	}
	in, err := input.New(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return &Lines{in: in, size: NewSize(len(data)), comment: comment, blank: func(c rune) bool {
		return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || strings.ContainsRune(blank, c)
	}}, nil
}

// Next are the fields of the next line, valid until the next call; false at the end of the
// text. A line with a zero byte is an error: a compressed file has them.
func (l *Lines) Next() (fields []string, more bool, err error) {
	for {
		text, err := l.in.Line()
		if err == io.EOF {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		l.no++
		line := strings.TrimSuffix(string(text), "\n")
		if line == "" || strings.IndexByte(l.comment, line[0]) >= 0 {
			continue
		}
		if strings.IndexByte(line, 0) >= 0 {
			return nil, false, At(l.no, "holds a zero byte; is the file compressed?")
		}
		l.fields = l.fields[:0]
		for from := -1; line != ""; {
			from = strings.IndexFunc(line, func(c rune) bool { return !l.blank(c) })
			if from < 0 {
				break
			}
			line = line[from:]
			to := strings.IndexFunc(line, l.blank)
			if to < 0 {
				to = len(line)
			}
			l.fields = append(l.fields, line[:to])
			line = line[to:]
		}
		if len(l.fields) > 0 {
			return l.fields, true, nil
		}
	}
}

// Take counts variables, rows or coefficients that the last line states.
func (l *Lines) Take(n int) error {
	if err := l.size.Add(n); err != nil {
		return l.Wrong("%w", err)
	}
	return nil
}

// Line is the number of the last line, from 1.
func (l *Lines) Line() int { return l.no }

// Wrong is a complaint about the last line.
func (l *Lines) Wrong(format string, args ...any) error { return At(max(l.no, 1), format, args...) }

// Whole reads a whole number from least to most out of the last line.
func (l *Lines) Whole(field, of string, least, most int) (int, error) {
	v, err := strconv.Atoi(strings.TrimPrefix(field, "+"))
	if err != nil || v < least || v > most {
		return 0, l.Wrong("%s is %q, want a whole number from %d to %d", of, field, least, most)
	}
	return v, nil
}

// Number reads a finite number out of the last line.
func (l *Lines) Number(field, of string) (float64, error) {
	v, ok := table.Float(field)
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, l.Wrong("%s is %q, want a number", of, field)
	}
	return v, nil
}

// Entries of a matrix with the lines that they come from.
type Entries struct {
	sparse.Triplets
	line []int
}

// Put adds an entry of a line.
func (e *Entries) Put(i, j int, v float64, line int) {
	e.Add(i, j, v)
	e.line = append(e.line, line)
}

// Build compresses the entries and returns the second line that states a place twice, or
// 0.
func (e *Entries) Build(rows, cols int) (m *sparse.CSC, twice int) {
	m, pos := e.CSC(rows, cols)
	used := make([]bool, m.NNZ())
	for k, p := range pos {
		if used[p] && k < len(e.line) {
			return m, e.line[k]
		}
		used[p] = true
	}
	return m, 0
}

// Names collects names in one string, as there may be millions of them.
type Names struct {
	text strings.Builder
	end  []int
}

// Add adds a name.
func (n *Names) Add(format string, args ...any) {
	fmt.Fprintf(&n.text, format, args...)
	n.end = append(n.end, n.text.Len())
}

// Triangle adds prefix[i,j] for the upper triangle of a matrix column by column, with the
// numbers of its first row and column.
func (n *Names) Triangle(prefix string, order, first int) {
	for j := range order {
		for i := range j + 1 {
			var b [32]byte
			text := strconv.AppendInt(append(b[:0], '['), int64(i+first), 10)
			text = strconv.AppendInt(append(text, ','), int64(j+first), 10)
			n.text.WriteString(prefix)
			n.text.Write(append(text, ']'))
			n.end = append(n.end, n.text.Len())
		}
	}
}

// List are the names in the order of Add.
func (n *Names) List() []string {
	text, from := n.text.String(), 0
	out := make([]string, len(n.end))
	for k, to := range n.end {
		out[k], from = text[from:to], to
	}
	return out
}

// ErrEmpty is the complaint about a text that says nothing.
var ErrEmpty = errors.New("the file is empty")
