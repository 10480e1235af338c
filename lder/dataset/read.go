package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/dcopt/dcopt/internal/table"
)

// Options govern the reading of a table.
type Options struct {
	// Comma separates the fields. 0 stands for a tab in files named .tsv or
	// .tab whose header has one, otherwise for the most frequent of tab, comma
	// and semicolon in the header.
	Comma rune
	// DecimalComma reads 3,5 as 3.5; fields are then never taken to be separated
	// by commas where the header has tabs or semicolons.
	DecimalComma bool
	// KeepText keeps the cells of every column as they stand, for categories.
	KeepText bool
}

// ReadFile reads the table in a file; see Read.
func ReadFile(path string, opt Options) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path, opt)
}

// Read reads a table: a header row of column names, then rows of as many
// fields. Fields may be quoted as in RFC 4180. Blank lines are skipped, gzip
// compression and a byte order mark are recognised. An empty field, NA, N/A,
// NaN and null in any case, ? and - are missing values. A file that cannot be a table
// is refused with an *Error that holds the place; name stands in it. Text and
// infinite values are no error yet, for the column may not be wanted: the
// methods that use a column refuse them. A first row without a cell that could
// be a name is refused: a name does not begin as a number does.
func Read(r io.Reader, name string, opt Options) (*Table, error) {
	in, heads, err := open(r, name, opt)
	if err != nil {
		return nil, err
	}
	t, err := whole(in, name, heads, opt.KeepText)
	if err != nil {
		return nil, located(err, name)
	}
	if err := t.dropUnnamed(heads); err != nil {
		return nil, err
	}
	t.mixed = table.HeadOf(in.First) == table.Mixed
	t.index = make(map[string]int, len(t.Columns))
	for j := range t.Columns {
		t.index[t.Columns[j].Name] = j
	}
	return t, nil
}

// open reads the header: where each name stands, and which.
func open(r io.Reader, name string, opt Options) (*table.Reader, []Cell, error) {
	in, err := table.Open(r, table.Options{Comma: opt.Comma, DecimalComma: opt.DecimalComma, Name: name})
	if err != nil {
		return nil, nil, located(err, name)
	}
	heads, err := header(in.First)
	if err != nil {
		return nil, nil, located(err, name)
	}
	in.Skip()
	return in, heads, nil
}

// located puts the name of the file in front of an error.
func located(err error, name string) error {
	var e *table.Error
	if errors.As(err, &e) {
		return &Error{File: name, Line: e.Line, Col: e.Col, Msg: e.Msg}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// header checks the names of the columns.
func header(first []table.Cell) ([]Cell, error) {
	if len(first) == 0 {
		return nil, &table.Error{Msg: "the file is empty; want a header row with the names of the columns"}
	}
	empty, finite := true, true
	for _, c := range first {
		empty = empty && c.Text == ""
		finite = finite && c.Kind <= table.Missing
	}
	if table.HeadOf(first) == table.Data && !empty {
		msg := "the first row is all numbers; want a header row with the names of the columns above it"
		if !finite {
			msg = "the first row holds no name, all of it begins as numbers do; want a header row with the names of " +
				"the columns"
		}
		return nil, &table.Error{Line: first[0].Line, Col: first[0].Col, Msg: msg}
	}
	var heads []Cell
	seen := make(map[string]int, len(first))
	for j, c := range first {
		name := strings.TrimSpace(strings.ReplaceAll(c.Text, "\ufeff", ""))
		k, dup := seen[name]
		seen[name] = j
		wrong := ""
		switch {
		case !utf8.ValidString(name):
			wrong = fmt.Sprintf("the name of column %d is not UTF-8; save the file as UTF-8", j+1)
		case strings.ContainsRune(name, '\r'):
			wrong = "a carriage return in the header; lines must end in LF or CRLF"
		case strings.ContainsRune(name, 0):
			wrong = "a zero byte in the header; this is no text file"
		case dup && name != "":
			wrong = fmt.Sprintf("columns %d and %d are both named %s; rename one", k+1, j+1, quote(name))
		}
		if wrong != "" {
			return nil, &table.Error{Line: c.Line, Col: c.Col, Msg: wrong}
		}
		heads = append(heads, Cell{c.Line, c.Col, name})
	}
	return heads, nil
}

// dropUnnamed removes columns without name and value, which a delimiter at the
// ends of the lines makes. at is where the names stand in the header.
func (t *Table) dropUnnamed(at []Cell) error {
	kept := t.Columns[:0]
	for j, c := range t.Columns {
		switch {
		case c.Name != "":
			kept = append(kept, c)
		case c.Missing == len(c.Values):
			t.Notes = append(t.Notes, fmt.Sprintf("column %d has neither name nor values and is left out", j+1))
		default:
			return t.at(&at[j], fmt.Sprintf("column %d has no name; name it, or remove it if it only numbers the rows",
				j+1))
		}
	}
	if len(kept) == 0 {
		return &Error{File: t.Name, Line: at[0].Line, Col: at[0].Col, Msg: "no column has a name"}
	}
	t.Columns = kept
	return nil
}
