package table

import (
	"fmt"
	"math"
	"strings"
)

// Kind is the kind of a cell's contents.
type Kind uint8

// The kinds.
const (
	Number   Kind = iota // a finite one
	Missing              // nothing, or a word for it: see IsMissing
	Infinite             // a word for it, or a number too large
	Text                 // anything else
	numKind
)

// Cell is a place in a table and its text.
type Cell struct {
	Line, Col int // of the file, from 1; Col counts bytes
	Column    int // of the table, from 0
	Text      string
	Kind      Kind
}

// Error is a complaint about a place in a table.
type Error struct {
	Line, Col int // of the file, from 1; Line 0: all of it
	Msg       string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
}

// Classify reads a cell, blanks around it aside; the value is NaN for all kinds but
// Number. With decimalComma, 3,5 is 3.5.
func Classify(s string, decimalComma bool) (float64, Kind) {
	s = strings.TrimSpace(s)
	if decimalComma && strings.Count(s, ",") == 1 && !strings.Contains(s, ".") {
		s = strings.Replace(s, ",", ".", 1)
	}
	if IsMissing(s) {
		return math.NaN(), Missing
	}
	v, ok := Float(s)
	switch {
	case !ok:
		return math.NaN(), Text
	case v-v != 0:
		return math.NaN(), Infinite
	}
	return v, Number
}

// IsMissing reports whether a cell without blanks around it says that there is no
// value: it is empty, NA, N/A, NaN or null in any case, ? or -.
func IsMissing(s string) bool {
	switch len(s) {
	case 0:
		return true
	case 1:
		return s == "?" || s == "-"
	case 2:
		return strings.EqualFold(s, "NA")
	case 3:
		return strings.EqualFold(s, "NaN") || strings.EqualFold(s, "N/A")
	case 4:
		return strings.EqualFold(s, "null")
	}
	return false
}

// Head is the kind of the first row of a table. A cell is a name unless it is a
// number, begins as one does (a digit, perhaps behind a sign or a point or both),
// is infinite, or says that a value is missing. A row without a name is data, one
// with names and no number is a header. One with both is a header to whoever
// asks for columns by name, and data with a mistake to whoever wants all of the
// table as numbers.
type Head uint8

// The kinds of first rows.
const (
	Data Head = iota
	Header
	Mixed
)

// HeadOf tells what a first row is.
func HeadOf(row []Cell) Head {
	names, numbers := false, false
	for k := range row {
		c := &row[k]
		names = names || c.isName()
		numbers = numbers || c.Kind == Number
	}
	switch {
	case !names:
		return Data
	case numbers:
		return Mixed
	}
	return Header
}

func (c *Cell) isName() bool {
	if c.Kind != Text {
		return false
	}
	s := strings.TrimSpace(c.Text)
	if s[0] == '+' || s[0] == '-' {
		s = s[1:]
	}
	s = strings.TrimPrefix(s, ".")
	return s == "" || s[0]-'0' > 9
}
