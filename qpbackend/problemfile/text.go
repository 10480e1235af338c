package problemfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
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

// Lines are the lines of a text that say something, as fields between white space. The first
// complaint ends them: Err has it, no line follows, and numbers that are read are the least
// allowed.
type Lines struct {
	in      *input.Reader
	comment string // a line that begins with one of these characters says nothing
	blank   func(rune) bool
	no      int // of the last line,
	last    int // and of the last that says something
	fields  []string
	size    Size
	err     error
}

// ReadLines reads a text, which may be compressed by gzip. Lines that begin with a character of
// comment are left out, and the characters of blank stand for white space.
func ReadLines(r io.Reader, comment, blank string) (*Lines, error) {
	data, err := input.Raw(r)
	if err != nil {
		return nil, err
	}
	return LinesOf(data, comment, blank)
}

// LinesOf is ReadLines for the bytes of a file.
func LinesOf(data []byte, comment, blank string) (*Lines, error) {
	in, err := input.New(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return &Lines{in: in, size: NewSize(len(data)), comment: comment, blank: func(c rune) bool {
		return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || strings.ContainsRune(blank, c)
	}}, nil
}

// Err is the first complaint, nil for none.
func (l *Lines) Err() error { return l.err }

// Fail is a complaint, unless there is one.
func (l *Lines) Fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// Wrong is a complaint about the last line.
func (l *Lines) Wrong(format string, args ...any) { l.Fail(At(max(l.no, 1), format, args...)) }

// Text is the next line that says something, without white space at its end; "" at the end of the
// text. A line with a zero byte is wrong: a compressed file has them.
func (l *Lines) Text() string {
	for l.err == nil {
		raw, err := l.in.Line()
		if err == io.EOF {
			break
		}
		if err != nil {
			l.Fail(err)
			break
		}
		l.no++
		line := strings.TrimRightFunc(strings.TrimSuffix(string(raw), "\n"), l.blank)
		if line == "" || strings.IndexByte(l.comment, line[0]) >= 0 {
			continue
		}
		if l.last = l.no; strings.IndexByte(line, 0) < 0 {
			return line
		}
		l.Wrong("holds a zero byte; is the file compressed?")
	}
	return ""
}

// Next are the fields of the next line, valid until the next call; none at the end of the text.
func (l *Lines) Next() []string {
	l.fields = l.fields[:0]
	for line := l.Text(); line != ""; {
		line = line[strings.IndexFunc(line, func(c rune) bool { return !l.blank(c) }):]
		to := strings.IndexFunc(line, l.blank)
		if to < 0 {
			to = len(line)
		}
		l.fields = append(l.fields, line[:to])
		line = line[to:]
	}
	return l.fields
}

// Each counts to n, as long as there is no complaint.
func (l *Lines) Each(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := 0; k < n && l.err == nil && yield(k); k++ {
		}
	}
}

// Rest reads the rest of a file: one that is cut is damaged.
func (l *Lines) Rest() error {
	_, err := io.Copy(io.Discard, l.in)
	return err
}

// Last is the number of the last line that says something, from 1; 0 before the first.
func (l *Lines) Last() int { return l.last }

// Take counts variables, rows or coefficients that the last line states.
func (l *Lines) Take(n int) {
	if err := l.size.Add(n); err != nil {
		l.Wrong("%w", err)
	}
}

// Line is the number of the last line, from 1.
func (l *Lines) Line() int { return l.no }

// Whole reads a whole number from least to most out of the last line.
func (l *Lines) Whole(field, of string, least, most int) int {
	v, err := strconv.Atoi(strings.TrimPrefix(field, "+"))
	if err != nil || v < least || v > most {
		l.Wrong("%s is %q, want a whole number from %d to %d", of, field, least, most)
		return least
	}
	return v
}

// Number reads a finite number out of the last line.
func (l *Lines) Number(field, of string) float64 {
	v, ok := table.Float(field)
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		l.Wrong("%s is %q, want a number", of, field)
		return 0
	}
	return v
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

// Build compresses the entries. Where a place is stated twice, the second line gets the complaint.
func (e *Entries) Build(rows, cols int, twice string) (*sparse.CSC, error) {
	m, pos := e.CSC(rows, cols)
	used := make([]bool, m.NNZ())
	for k, p := range pos {
		if used[p] {
			return nil, At(e.line[k], "%s", twice)
		}
		used[p] = true
	}
	return m, nil
}

// Upper is the upper triangle of the symmetric part of a square matrix. off is the largest
// difference of two entries (i, j) and (j, i), i < j.
func Upper(m *sparse.CSC) (upper *sparse.CSC, off float64, i, j int) {
	var sum, diff sparse.Triplets
	for c := range m.Cols {
		for k := m.ColPtr[c]; k < m.ColPtr[c+1]; k++ {
			r, v := m.RowIdx[k], m.Val[k]
			switch {
			case r == c:
				sum.Add(c, c, v)
				diff.Add(c, c, 0)
			case r < c:
				sum.Add(r, c, v/2)
				diff.Add(r, c, v)
			default:
				sum.Add(c, r, v/2)
				diff.Add(c, r, -v)
			}
		}
	}
	upper, _ = sum.CSC(m.Rows, m.Cols)
	d, _ := diff.CSC(m.Rows, m.Cols)
	for c := range d.Cols {
		for k := d.ColPtr[c]; k < d.ColPtr[c+1]; k++ {
			if v := math.Abs(d.Val[k]); v > off {
				off, i, j = v, d.RowIdx[k], c
			}
		}
	}
	return upper, off, i, j
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

// Numbered are n names, prefix with the numbers from 1.
func Numbered(prefix string, n int) []string {
	var names Names
	for j := range n {
		names.Add("%s%d", prefix, j+1)
	}
	return names.List()
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
