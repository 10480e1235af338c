package table

import (
	"bytes"
	"strings"
)

// Mode is the form of a column in blocks.
type Mode uint8

// The modes; Numbers|Texts is both.
const (
	Numbers Mode = 1 << iota // in Block.Values
	Texts                    // in Block.Texts
	Skipped Mode = 0
)

// Block is some consecutive rows.
type Block struct {
	Rows int
	// Values are the columns of mode Numbers, row by row: NaN for what is no
	// finite number.
	Values []float64
	// Texts are the cells of columns of mode Texts, row by row, without quotes and
	// blanks around. They are lost with the block.
	Texts [][]byte
	// Lines has the line of the file on which each row begins.
	Lines []int
	// Odd says of each column with numbers which other cells it has.
	Odd []Odd
	// Data is the caller's, and stays with the block when it is used again.
	Data any

	raw  []byte
	line int // of the first byte of raw
	err  error
	done chan struct{}
	p    parser
}

// Odd counts the cells of a column that are no finite numbers, by kind, and has
// the first of each.
type Odd struct {
	Count [numKind]int
	First [numKind]*Cell
}

// parse turns the text of a block into rows.
func (b *Block) parse(t *Reader) error {
	b.p = parser{t: t, text: b.raw, line: b.line, scratch: b.p.scratch[:0]}
	b.Odd = append(b.Odd[:0], make([]Odd, len(t.modes))...)
	if b.Values == nil {
		width := 0
		for _, m := range t.modes {
			width += int(m & Numbers)
		}
		rows := 1 + bytes.Count(b.raw, []byte{'\n'})
		b.Values = make([]float64, 0, min(width*rows, 1+len(b.raw))) // blank lines are no rows
	}
	for b.p.nextRow(len(t.modes)) {
		b.Lines = append(b.Lines, b.p.line)
		if err := b.row(t.modes); err != nil {
			return err
		}
		b.Rows++
	}
	return nil
}

// row reads the row at hand.
func (b *Block) row(modes []Mode) error {
	p := &b.p
	line := p.line
	for j := 0; ; j++ {
		if j = b.plain(j, modes); j == len(modes) {
			return nil
		}
		if err := b.cell(j, modes[j]); err != nil {
			return err
		}
		if more := p.next(); more != (j < len(modes)-1) {
			return p.miscounted(line)
		} else if !more {
			return nil
		}
	}
}

// plain reads cells from column j on as long as they are numbers and written as
// most are. It returns the column of the first that is not, or the number of
// columns at the end of the row.
func (b *Block) plain(j int, modes []Mode) int {
	p := &b.p
	s, comma, last := p.text, p.t.comma[0], len(modes)-1
	if len(p.t.comma) > 1 {
		return j
	}
	i := p.at
	for ; modes[j] == Numbers; j++ {
		for i < len(s) && s[i] == ' ' {
			i++
		}
		v, n, ok := scan(s[i:])
		if !ok {
			break
		}
		i += n
		for i < len(s) && s[i] == ' ' {
			i++
		}
		if j < last {
			if i == len(s) || s[i] != comma {
				break
			}
			i++
			b.Values = append(b.Values, v)
			p.at = i
			continue
		}
		if !p.atLineEnd(i) {
			break
		}
		b.Values = append(b.Values, v)
		p.at = i
		p.next()
		return len(modes)
	}
	return j
}

// cell reads a cell of column j that is not a plain number, or may be none.
func (b *Block) cell(j int, mode Mode) error {
	p := &b.p
	text, at, err := p.cell()
	if err != nil {
		return err
	}
	if mode&Texts != 0 {
		b.Texts = append(b.Texts, bytes.TrimSpace(text))
	}
	if mode&Numbers == 0 {
		return nil
	}
	v, kind := Classify(string(text), p.t.opt.DecimalComma)
	b.Values = append(b.Values, v)
	if kind != Number {
		o := &b.Odd[j]
		o.Count[kind]++
		if o.First[kind] == nil {
			at.Column, at.Text, at.Kind = j, strings.TrimSpace(string(text)), kind
			o.First[kind] = &at
		}
	}
	return nil
}
