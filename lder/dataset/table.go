package dataset

import (
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/internal/suggest"
	"github.com/dcopt/dcopt/internal/table"
)

// Table is a header and the columns below it.
type Table struct {
	// Name is the file's name, for messages.
	Name    string
	Columns []Column
	// Lines holds, for each row, the line of the file it begins on, from 1.
	Lines []int
	// Notes says what the reader left out, in words.
	Notes []string

	index map[string]int
	mixed bool // the header has numbers, too
}

// Column is one column of a Table.
type Column struct {
	Name string
	// Values has one entry a row; NaN stands for a missing value, for text and
	// for an infinite value.
	Values []float64
	// Cells are the fields as they stand, blanks around them aside; nil unless
	// Options.KeepText.
	Cells []string
	// Missing counts the cells without a value, Text those that are no number.
	Missing, Text int
	// FirstText and FirstInfinite are the first cells of their kind, or nil.
	FirstText, FirstInfinite *Cell
}

// IsText reports whether some cell of the column is neither a number nor
// missing.
func (c *Column) IsText() bool { return c.FirstText != nil }

// Cell is a place in the file and its text.
type Cell struct {
	Line, Col int // from 1; Col counts bytes
	Value     string
}

// Error is a complaint about a place in a file.
type Error struct {
	File      string
	Line, Col int // from 1; 0 where the complaint is about all of it
	Msg       string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
}

// Rows is the number of rows below the header.
func (t *Table) Rows() int { return len(t.Lines) }

// Names lists the columns in order.
func (t *Table) Names() []string {
	names := make([]string, len(t.Columns))
	for j := range t.Columns {
		names[j] = t.Columns[j].Name
	}
	return names
}

// Column returns the column of that name. The error for an unknown one
// proposes the nearest name and lists the columns.
func (t *Table) Column(name string) (*Column, error) {
	if j, ok := t.index[name]; ok {
		return &t.Columns[j], nil
	}
	names := t.Names()
	msg := fmt.Sprintf("no column %q%s; the columns are %s", name, suggest.DidYouMean(name, names), list(names))
	if t.mixed {
		msg += "; is the first row a header? It has numbers"
	}
	return nil, &Error{File: t.Name, Msg: msg}
}

// numeric returns the column of that name, or an error when a cell of it is
// text or infinite.
func (t *Table) numeric(name string) (*Column, error) {
	c, err := t.Column(name)
	if err != nil {
		return nil, err
	}
	if c.IsText() {
		return nil, t.textError(c)
	}
	if c.FirstInfinite != nil {
		return nil, t.infiniteError(c)
	}
	return c, nil
}

func (t *Table) textError(c *Column) error {
	filled := len(c.Values) - c.Missing
	msg := fmt.Sprintf("column %q holds %s, which is no number", c.Name, quote(c.FirstText.Value))
	switch {
	case decimalComma(c.FirstText.Value):
		msg += "; write decimals with a point"
	case c.Text < filled:
		msg += fmt.Sprintf(" (%d of %d cells are none); correct it, empty it or leave the column out", c.Text, filled)
	default:
		msg += "; leave the column out or code it as numbers"
	}
	return t.at(c.FirstText, msg)
}

func (t *Table) infiniteError(c *Column) error {
	return t.at(c.FirstInfinite, fmt.Sprintf("column %q holds %s, which is not finite; correct it or empty it",
		c.Name, quote(c.FirstInfinite.Value)))
}

func (t *Table) at(c *Cell, msg string) error {
	return &Error{File: t.Name, Line: c.Line, Col: c.Col, Msg: msg}
}

// decimalComma reports whether s becomes a number when its one comma is read
// as a point.
func decimalComma(s string) bool {
	if strings.Count(s, ",") != 1 || strings.Contains(s, ".") {
		return false
	}
	_, kind := table.Classify(s, true)
	return kind == table.Number
}

// quote is %q, cut to a length fit for a message.
func quote(s string) string {
	const most = 40 // Source: a limit of the length of messages.
	if r := []rune(s); len(r) > most {
		return fmt.Sprintf("%q...", string(r[:most]))
	}
	return fmt.Sprintf("%q", s)
}

// list enumerates names, the first twenty at most.
func list(names []string) string {
	const most = 20 // Source: a limit of the length of messages.
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	return strings.Join(names, ", ") + more
}
