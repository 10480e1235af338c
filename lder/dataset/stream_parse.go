package dataset

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

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
	return eachLine(b.raw, b.line, len(s.columns), []byte(string(s.comma)), func(text []byte, line int) error {
		return s.fields(b, text, line)
	})
}

// eachLine calls do for the lines without quotes, of which the first has that
// number, but for empty ones and, in a table of several columns, those of blanks.
func eachLine(raw []byte, line, columns int, comma []byte, do func(text []byte, line int) error) error {
	for ; len(raw) > 0; line++ {
		text := raw
		if k := bytes.IndexByte(raw, '\n'); k >= 0 {
			text, raw = raw[:k], raw[k+1:]
		} else {
			raw = nil
		}
		text = bytes.TrimSuffix(text, []byte{'\r'})
		if len(text) == 0 || columns > 1 && len(bytes.TrimSpace(text)) == 0 && !bytes.Contains(text, comma) {
			continue
		}
		if err := do(text, line); err != nil {
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
