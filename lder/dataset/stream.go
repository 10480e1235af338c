package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
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
	zipped  bool
	columns []string
	heads   []Cell // where the names of the columns stand
	buf     []byte
	rest    []byte // of buf: read and not yet used
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
	head, _ := br.Peek(2)
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("%s: damaged gzip file: %w", name, err)
		}
		s.r, s.zipped = z, true
	}
	if err := s.fill(); err != nil {
		return nil, err
	}
	if err := foreign(s.rest, name); err != nil {
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
	s.columns, s.heads = p.t.Names(), p.at
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
	if cap(s.buf) < n+blockBytes {
		buf := make([]byte, 2*n+blockBytes)
		copy(buf, s.rest)
		s.buf = buf
	} else {
		copy(s.buf, s.rest)
	}
	k, err := io.ReadFull(s.r, s.buf[n:n+blockBytes])
	s.rest = s.buf[:n+k]
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF && k < blockBytes && s.ended():
		s.eof = true
	case err != nil && s.zipped:
		return fmt.Errorf("%s: damaged gzip file: %w", s.name, err)
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
	if s.cut(b) {
		return true
	}
	return s.quoted != nil && s.nextQuoted(b)
}

// cut is next up to the first quote. From there on it reports false, and quoted
// reads the rest.
func (s *Stream) cut(b *Block) bool {
	if s.quoted != nil {
		return false
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
		return false
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
	for len(b.records) < rows {
		rec, line, err := s.record()
		if err == io.EOF {
			break
		}
		if err != nil {
			b.err = err
			break
		}
		s.first = 1
		b.records = append(b.records, append([]string(nil), rec...))
		b.Lines = append(b.Lines, line)
	}
	return len(b.records) > 0 || b.err != nil
}

// record reads a row by encoding/csv: its fields, which the next call
// overwrites, and the line it begins on. At the end, the error is io.EOF.
func (s *Stream) record() (rec []string, line int, err error) {
	for {
		rec, err = s.quoted.Read()
		if err == io.EOF {
			return nil, 0, err
		}
		if err != nil {
			err = (&parser{csv: s.quoted, t: &Table{Name: s.name}}).fail(err)
			var e *Error
			if errors.As(err, &e) && e.Line > 0 {
				e.Line += s.offset
			}
			return nil, 0, err
		}
		if len(rec) > 1 || len(s.columns) == 1 || strings.TrimSpace(rec[0]) != "" {
			line, _ = s.quoted.FieldPos(0)
			return rec, line + s.offset, nil
		}
	}
}
