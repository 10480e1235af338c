package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/dcopt/dcopt/internal/table"
)

// Stream reads features from a table of any size, block by block. Tables are
// read as by Read, except for columns without a name, which are not looked at.
type Stream struct {
	in      *table.Reader
	name    string
	columns []string
	// The places of the numbers, and of the words, in a row: where in it each
	// stands and which feature it gives.
	numbers, words []target
	wide, wordy    int   // numbers and words of a row
	number         []int // the columns of the numbers
	width          int   // features
	selected       bool
}

// target is a feature that a cell gives.
type target struct {
	from     int // among the numbers or the words of a row
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

	flat []float64
}

// OpenStream reads the header. name is for messages.
func OpenStream(r io.Reader, name string, opt Options) (*Stream, error) {
	in, heads, err := open(r, name, opt)
	if err != nil {
		return nil, err
	}
	s := &Stream{in: in, name: name}
	for _, h := range heads {
		s.columns = append(s.columns, h.Value)
	}
	return s, nil
}

// Columns are the names of the columns, empty for those without one.
func (s *Stream) Columns() []string { return append([]string(nil), s.columns...) }

// Select says which features each row shall have, as Table.Encode does.
func (s *Stream) Select(features []string, categories []Category) error {
	t := &Table{Name: s.name, index: map[string]int{}, mixed: table.HeadOf(s.in.First) == table.Mixed}
	for j, name := range s.columns {
		t.Columns = append(t.Columns, Column{Name: name})
		if name != "" {
			t.index[name] = j
		}
	}
	made := map[string]target{}
	for c := range categories {
		for k, name := range categories[c].Features() {
			made[name] = target{category: &categories[c], k: k}
		}
	}
	plan := make([][]target, len(s.columns))
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
		plan[j] = append(plan[j], to)
	}
	s.arrange(plan)
	s.width, s.selected = len(features), true
	return nil
}

// arrange asks for the columns that the plan needs and finds where they stand.
func (s *Stream) arrange(plan [][]target) {
	s.numbers, s.words, s.number, s.wide, s.wordy = nil, nil, nil, 0, 0
	modes := make([]table.Mode, len(plan))
	for j, targets := range plan {
		for _, to := range targets {
			if to.category == nil {
				modes[j] |= table.Numbers
				to.from = s.wide
				s.numbers = append(s.numbers, to)
			} else {
				modes[j] |= table.Texts
				to.from = s.wordy
				s.words = append(s.words, to)
			}
		}
		if modes[j]&table.Numbers != 0 {
			s.wide++
			s.number = append(s.number, j)
		}
		if modes[j]&table.Texts != 0 {
			s.wordy++
		}
	}
	s.in.Want(modes)
}

// Each calls work for every block, on several goroutines, and then done for
// every block, one at a time and in order. The first error ends it. Call Select
// before.
func (s *Stream) Each(workers int, work, done func(*Block) error) error {
	if !s.selected {
		return errors.New("dataset: Stream.Each before Stream.Select")
	}
	rows := 0
	err := s.in.Each(workers, func(raw *table.Block) error {
		b, ok := raw.Data.(*Block)
		if !ok {
			b = &Block{}
			raw.Data = b
		}
		if err := s.fill(b, raw); err != nil {
			return err
		}
		return asIs(work(b))
	}, func(raw *table.Block) error {
		rows += raw.Rows
		return asIs(done(raw.Data.(*Block)))
	})
	own, ok := err.(foreign)
	switch {
	case ok:
		return own.error
	case err != nil:
		return located(err, s.name)
	case rows == 0:
		return located(noRows(), s.name)
	}
	return nil
}

// foreign is an error of work or done, which has no place in the table.
type foreign struct{ error }

func asIs(err error) error {
	if err == nil {
		return nil
	}
	return foreign{err}
}

// fill makes features of the cells of a block.
func (s *Stream) fill(b *Block, raw *table.Block) error {
	b.Lines, b.Unknown, b.Out, b.X = raw.Lines, 0, b.Out[:0], b.X[:0]
	if n := raw.Rows * s.width; cap(b.flat) < n {
		b.flat = make([]float64, n)
	}
	for i := range raw.Rows {
		x := b.flat[i*s.width : (i+1)*s.width : (i+1)*s.width]
		b.X = append(b.X, x)
		values := raw.Values[i*s.wide : (i+1)*s.wide]
		for _, to := range s.numbers {
			x[to.feature] = values[to.from]
		}
		texts := raw.Texts[i*s.wordy : (i+1)*s.wordy]
		for _, to := range s.words {
			word := string(texts[to.from])
			v := to.category.Value(word, to.k)
			x[to.feature] = v
			if to.k == 0 && math.IsNaN(v) && !table.IsMissing(word) {
				b.Unknown++
			}
		}
	}
	return s.refuse(raw)
}

// refuse is the error for the first cell that should be a number and is text or
// infinite.
func (s *Stream) refuse(raw *table.Block) error {
	var bad *table.Cell
	for _, j := range s.number {
		for _, kind := range []table.Kind{table.Text, table.Infinite} {
			if c := raw.Odd[j].First[kind]; c != nil &&
				(bad == nil || c.Line < bad.Line || c.Line == bad.Line && c.Col < bad.Col) {
				bad = c
			}
		}
	}
	if bad == nil {
		return nil
	}
	msg := fmt.Sprintf("column %q holds %s, which is no number", s.columns[bad.Column], quote(bad.Text))
	switch {
	case bad.Kind == table.Infinite:
		msg = fmt.Sprintf("column %q holds %s, which is not finite; correct it or empty it", s.columns[bad.Column],
			quote(bad.Text))
	case decimalComma(bad.Text):
		msg += "; write decimals with a point"
	}
	return &table.Error{Line: bad.Line, Col: bad.Col, Msg: msg}
}
