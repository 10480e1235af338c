package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
)

// Stream reads features from a table of any size, block by block. Tables are
// those of Read, but for columns without a name, which are not looked at.
type Stream struct {
	r       io.Reader
	name    string
	opt     Options
	comma   rune
	columns []string
	rest    []byte // read and not yet used
	line    int    // of the first byte of rest
	eof     bool
	plan    [][]target // what is made of each column
	width   int        // features
	quoted  *csv.Reader
	offset  int // lines before those that quoted has seen
	first   int // line of the first row; 0: none yet
}

// target is a feature that a column gives.
type target struct {
	feature  int
	category *Category // nil: a number
	k        int       // which of the features of category
}

// Block is some consecutive rows.
type Block struct {
	X     [][]float64 // NaN for missing values
	Lines []int       // of the file, where each row begins
	// Unknown counts cells of categories that hold none of their levels, and so
	// are missing.
	Unknown int
	// Out is for what the work on the block makes. It is empty at first.
	Out []byte

	raw     []byte
	line    int
	records [][]string // in the place of raw where there are quotes
	flat    []float64
	err     error
	done    chan struct{}
}

// blockBytes is the size of a block.
const blockBytes = 1 << 19

// OpenStream reads the header. name is for messages.
func OpenStream(r io.Reader, name string, opt Options) (*Stream, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	s := &Stream{r: br, name: name, opt: opt, line: 1}
	head, _ := br.Peek(4)
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("%s: damaged gzip file: %w", name, err)
		}
		s.r = z
	}
	if err := foreign(head, name); err != nil {
		return nil, err
	}
	if err := s.fill(); err != nil {
		return nil, err
	}
	s.rest = bytes.TrimPrefix(s.rest, []byte(byteOrderMark))
	end := headerEnd(s.rest)
	for end < 0 && !s.eof {
		if err := s.fill(); err != nil {
			return nil, err
		}
		end = headerEnd(s.rest)
	}
	if end < 0 {
		end = len(s.rest)
	}
	var err error
	if s.comma, err = opt.comma(s.rest, name); err != nil {
		return nil, err
	}
	p := &parser{csv: newCSV(bytes.NewReader(s.rest[:end]), s.comma), t: &Table{Name: name}}
	if err := p.header(); err != nil {
		return nil, err
	}
	s.columns = p.t.Names()
	s.line += bytes.Count(s.rest[:end], []byte{'\n'})
	s.rest = s.rest[end:]
	return s, nil
}

// headerEnd is behind the first line that is not empty; −1: it goes on.
func headerEnd(raw []byte) int {
	quoted, begun := false, false
	for k, b := range raw {
		switch {
		case b == '"':
			quoted, begun = !quoted, true
		case b == '\n' && begun && !quoted:
			return k + 1
		case b != '\n' && b != '\r':
			begun = true
		}
	}
	return -1
}

// fill appends a block's worth of bytes to rest.
func (s *Stream) fill() error {
	n := len(s.rest)
	buf := make([]byte, n+blockBytes)
	copy(buf, s.rest)
	k, err := io.ReadFull(s.r, buf[n:])
	s.rest = buf[:n+k]
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF && k < blockBytes && s.ended():
		s.eof = true
	case err != nil:
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// ended tells the end of the input from a gzip file that breaks off: ReadFull
// gives one error for both.
func (s *Stream) ended() bool {
	var one [1]byte
	n, err := s.r.Read(one[:])
	return n == 0 && err == io.EOF
}

// Select says which features each row shall have, as Table.Encode does.
func (s *Stream) Select(features []string, categories []Category) error {
	t := &Table{Name: s.name, index: map[string]int{}}
	for j, name := range s.columns {
		t.Columns = append(t.Columns, Column{Name: name})
		if name != "" {
			t.index[name] = j
		}
	}
	s.plan, s.width = make([][]target, len(s.columns)), len(features)
	made := map[string]target{}
	for c := range categories {
		for k, name := range categories[c].Features() {
			made[name] = target{category: &categories[c], k: k}
		}
	}
	for k, name := range features {
		to := made[name]
		to.feature = k
		column := name
		if to.category != nil {
			column = to.category.Column
		}
		if _, err := t.Column(column); err != nil {
			return err
		}
		j := t.index[column]
		s.plan[j] = append(s.plan[j], to)
	}
	return nil
}

// Each calls work for every block, on several goroutines, and then done for
// every block, one at a time and in order. The first error ends it. Call Select
// before.
func (s *Stream) Each(workers int, work, done func(*Block) error) error {
	if s.plan == nil {
		return errors.New("dataset: Stream.Each before Stream.Select")
	}
	workers = max(1, workers)
	jobs := make(chan *Block)
	order := make(chan *Block, 2*workers)
	quit := make(chan struct{})
	free := make(chan *Block, 4*workers)
	var idle sync.WaitGroup
	defer idle.Wait()
	defer close(quit)
	for range workers {
		idle.Add(1)
		go func() {
			defer idle.Done()
			for b := range jobs {
				if b.err == nil {
					b.err = s.parse(b)
				}
				if b.err == nil {
					b.err = work(b)
				}
				close(b.done)
			}
		}()
	}
	idle.Add(1)
	go func() {
		defer idle.Done()
		defer close(order)
		defer close(jobs)
		for {
			var b *Block
			select {
			case b = <-free:
			default:
				b = &Block{}
			}
			if !s.next(b) {
				return
			}
			// After an error nothing more is needed.
			select {
			case order <- b:
			case <-quit:
				return
			}
			select {
			case jobs <- b:
			case <-quit:
				close(b.done)
				return
			}
		}
	}()
	for b := range order {
		<-b.done
		if b.err != nil {
			return b.err
		}
		if err := done(b); err != nil {
			return err
		}
		select {
		case free <- b:
		default:
		}
	}
	if s.first == 0 {
		return &Error{File: s.name, Msg: "there are no rows below the header"}
	}
	return nil
}

// next cuts a block off, with its error in it. It reports false at the end.
func (s *Stream) next(b *Block) bool {
	b.X, b.Lines, b.Out, b.raw, b.records = b.X[:0], b.Lines[:0], b.Out[:0], b.raw[:0], nil
	b.Unknown, b.err, b.done = 0, nil, make(chan struct{})
	if s.quoted != nil {
		return s.nextQuoted(b)
	}
	for !s.eof && len(s.rest) < blockBytes {
		if b.err = s.fill(); b.err != nil {
			s.eof, s.rest = true, nil
			return true
		}
	}
	if len(s.rest) == 0 {
		return false
	}
	end := len(s.rest)
	if !s.eof {
		for end = bytes.LastIndexByte(s.rest, '\n') + 1; end == 0 && !s.eof; end = bytes.LastIndexByte(s.rest, '\n') + 1 {
			if b.err = s.fill(); b.err != nil {
				s.eof, s.rest = true, nil
				return true
			}
		}
		if end == 0 {
			end = len(s.rest)
		}
	}
	if bytes.IndexByte(s.rest[:end], '"') >= 0 {
		s.quoted = newCSV(io.MultiReader(bytes.NewReader(s.rest), s.r), s.comma)
		s.offset = s.line - 1
		return s.nextQuoted(b)
	}
	b.raw, b.line = append(b.raw, s.rest[:end]...), s.line
	s.line += bytes.Count(b.raw, []byte{'\n'})
	s.rest = s.rest[end:]
	if s.first == 0 && len(bytes.TrimSpace(b.raw)) > 0 {
		s.first = b.line
	}
	return true
}

// nextQuoted reads rows by encoding/csv.
func (s *Stream) nextQuoted(b *Block) bool {
	const rows = 4096
	p := &parser{csv: s.quoted, t: &Table{Name: s.name}}
	for len(b.records) < rows {
		rec, err := s.quoted.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			b.err = p.fail(err)
			var e *Error
			if errors.As(b.err, &e) && e.Line > 0 {
				e.Line += s.offset
			}
			break
		}
		if len(rec) == 1 && len(s.columns) > 1 && strings.TrimSpace(rec[0]) == "" {
			continue
		}
		line, _ := s.quoted.FieldPos(0)
		s.first = 1
		b.records = append(b.records, append([]string(nil), rec...))
		b.Lines = append(b.Lines, line+s.offset)
	}
	return len(b.records) > 0 || b.err != nil
}

// row makes room for one more row.
func (b *Block) row(width int) []float64 {
	k := len(b.X) * width
	if cap(b.flat) < k+width {
		grown := make([]float64, 2*(k+width))
		copy(grown, b.flat[:k])
		b.flat = grown
		for i := range b.X {
			b.X[i] = b.flat[i*width : (i+1)*width : (i+1)*width]
		}
	}
	b.flat = b.flat[:cap(b.flat)]
	x := b.flat[k : k+width : k+width]
	b.X = append(b.X, x)
	return x
}

// parse turns the text of a block into rows.
func (s *Stream) parse(b *Block) error {
	for i, rec := range b.records {
		x := b.row(s.width)
		if len(rec) != len(s.columns) {
			return &Error{File: s.name, Line: b.Lines[i], Col: 1, Msg: fmt.Sprintf("the row has %d fields, the header has %d", len(rec), len(s.columns))}
		}
		for j, field := range rec {
			if err := s.cell(b, x, j, []byte(field), b.Lines[i], 0); err != nil {
				return err
			}
		}
	}
	line := b.line
	for raw := b.raw; len(raw) > 0; line++ {
		text := raw
		if k := bytes.IndexByte(raw, '\n'); k >= 0 {
			text, raw = raw[:k], raw[k+1:]
		} else {
			raw = nil
		}
		text = bytes.TrimSuffix(text, []byte{'\r'})
		if len(text) == 0 || len(s.columns) > 1 && len(bytes.TrimSpace(text)) == 0 && bytes.IndexByte(text, byte(s.comma)) < 0 {
			continue
		}
		if err := s.fields(b, text, line); err != nil {
			return err
		}
	}
	return nil
}

// fields splits one line without quotes.
func (s *Stream) fields(b *Block, text []byte, line int) error {
	x := b.row(s.width)
	b.Lines = append(b.Lines, line)
	comma := string(s.comma)
	at, j := 0, 0
	for {
		rest := text[at:]
		var k int
		if len(comma) == 1 {
			k = bytes.IndexByte(rest, comma[0])
		} else {
			k = bytes.Index(rest, []byte(comma))
		}
		field := rest
		if k >= 0 {
			field = rest[:k]
		}
		if j < len(s.plan) && s.plan[j] != nil {
			if err := s.cell(b, x, j, field, line, at+1); err != nil {
				return err
			}
		}
		j++
		if k < 0 {
			break
		}
		at += k + len(comma)
	}
	if j != len(s.columns) {
		return &Error{File: s.name, Line: line, Col: min(at+1, len(text)+1), Msg: fmt.Sprintf("the row has %d fields, the header has %d", j, len(s.columns))}
	}
	return nil
}

// cell writes what column j gives. col = 0: the place in the line is not known.
func (s *Stream) cell(b *Block, x []float64, j int, field []byte, line, col int) error {
	for _, to := range s.plan[j] {
		if to.category != nil {
			v := to.category.Value(string(field), to.k)
			x[to.feature] = v
			if to.k == 0 && math.IsNaN(v) && !isMissing(strings.TrimSpace(string(field))) {
				b.Unknown++
			}
			continue
		}
		v, ok := quickFloat(field)
		if !ok {
			var kind cellKind
			v, kind = parseDecimal(string(field), s.opt.DecimalComma)
			if kind == text || kind == infinite {
				return s.cellError(j, field, kind, line, col)
			}
		}
		x[to.feature] = v
	}
	return nil
}

func (s *Stream) cellError(j int, field []byte, kind cellKind, line, col int) error {
	what := strings.TrimSpace(string(field))
	msg := fmt.Sprintf("column %q holds %s, which is no number", s.columns[j], quote(what))
	switch {
	case kind == infinite:
		msg = fmt.Sprintf("column %q holds %s, which is not finite; correct it or empty it", s.columns[j], quote(what))
	case decimalComma(what):
		msg += "; write decimals with a point"
	}
	return &Error{File: s.name, Line: line, Col: max(col, 1), Msg: msg}
}

// powersOfTen are exact.
var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// quickFloat reads plain decimals of which both the digits and the power of ten
// are exact, so that one division rounds correctly (Clinger 1990). ok is false
// for everything else, numbers or not.
func quickFloat(b []byte) (v float64, ok bool) {
	neg := false
	if len(b) > 0 && b[0] == '-' {
		neg, b = true, b[1:]
	}
	if len(b) == 0 || len(b) > 17 {
		return 0, false
	}
	var digits uint64
	point := -1
	for k, c := range b {
		switch {
		case c >= '0' && c <= '9':
			digits = 10*digits + uint64(c-'0')
		case c == '.' && point < 0 && len(b) > 1:
			point = k
		default:
			return 0, false
		}
	}
	if digits > 1<<53 {
		return 0, false
	}
	v = float64(digits)
	if point >= 0 {
		v /= powersOfTen[len(b)-1-point]
	}
	if neg {
		v = -v
	}
	return v, true
}
