package datafile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/dcopt/dcopt/internal/table"
)

// Table is a CSV file.
type Table struct {
	Rows, Cols int
	Num        []float64 // row by row, NaN where a cell is no number
	Header     []string  // the names of the columns; nil: none
	columns    []column
	mixed      *table.Cell // a name in a header that has numbers, too
	bytes      int64
}

// column is the part of a column that is no numbers.
type column struct {
	odd   [len(table.Odd{}.First)]*table.Cell // by kind: the first cell of it, nil: none
	place int                                 // in the file
	texts []string                            // the cells, once they were asked for
}

// first is the first cell that is no number, nil: there is none.
func (c *column) first() *table.Cell { return firstCell(c.odd[:]) }

// Words reports whether a column has words.
func (t *Table) Words(j int) bool { return t.columns[j].odd[table.Text] != nil }

// FirstWord is the first word of some columns, as the reason why they are no numbers.
func (t *Table) FirstWord(cols []int) error {
	var cells []*table.Cell
	for _, j := range cols {
		cells = append(cells, t.columns[j].odd[table.Text])
	}
	return badCell(firstCell(cells))
}

// WordColumn is the first column with words of a table that can be read by its columns alone; -1:
// no such table, or there is no table.
func (t *Table) WordColumn() int {
	if t == nil || t.Header == nil || t.mixed != nil {
		return -1
	}
	return slices.IndexFunc(t.columns, func(c column) bool { return c.odd[table.Text] != nil })
}

// Usable says what is wrong with a column as numbers or as words; of these, none
// may be missing.
func (t *Table) Usable(j int) error {
	if c := t.columns[j].odd[table.Missing]; t.Words(j) && c != nil && c.Text == "" {
		return fmt.Errorf("line %d column %d: an empty cell in a column of words", c.Line, c.Column+1)
	} else if t.Words(j) {
		return badCell(c)
	}
	return badCell(t.columns[j].first())
}

// readCSV reads a table as dataset.Read does, but the header may be missing.
func readCSV(in io.Reader, name string, limit int) (*Table, error) {
	r, err := table.Open(in, table.Options{Name: name})
	if err != nil {
		return nil, err
	}
	t := &Table{Cols: len(r.First), columns: make([]column, len(r.First))}
	for j := range t.columns {
		t.columns[j].place = j
	}
	if head := table.HeadOf(r.First); head != table.Data {
		for k := range r.First {
			c := &r.First[k]
			t.Header = append(t.Header, c.Text)
			if head == table.Mixed && t.mixed == nil && c.Kind != table.Number {
				t.mixed = c
			}
		}
		r.Skip()
	}
	var parts [][]float64
	total := 0
	empty := make([]int, t.Cols) // missing cells
	err = r.Each(runtime.GOMAXPROCS(0), nil, func(b *table.Block) error {
		for j := range b.Odd {
			empty[j] += b.Odd[j].Count[table.Missing]
			for kind, c := range b.Odd[j].First {
				if t.columns[j].odd[kind] == nil {
					t.columns[j].odd[kind] = c
				}
			}
		}
		t.Rows += b.Rows
		if total += len(b.Values); total > limit {
			return fmt.Errorf("more than %d numbers", limit)
		}
		parts, b.Values = append(parts, b.Values), nil
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.Rows == 0 && t.mixed == nil {
		return nil, ErrNoNumbers
	}
	t.Num = slices.Concat(parts...)
	if t.dropUnnamed(empty); t.Cols == 0 {
		return nil, ErrNoNumbers
	}
	return t, nil
}

// ErrNoNumbers says that a table has a header and nothing else.
var ErrNoNumbers = errors.New("it holds no numbers")

// firstCell is the one that comes first in the file; some may be nil.
func firstCell(cells []*table.Cell) (first *table.Cell) {
	for _, c := range cells {
		if c != nil && (first == nil || before(c, first) < 0) {
			first = c
		}
	}
	return first
}

func before(a, b *table.Cell) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) }

// dropUnnamed leaves out columns with neither name nor value, which separators at
// the ends of the lines make; without a header, the last ones alone.
func (t *Table) dropUnnamed(empty []int) {
	end := t.Cols // behind the last column with a value
	for t.Rows > 0 && end > 0 && empty[end-1] == t.Rows && t.columns[end-1].odd[table.Missing].Text == "" {
		end--
	}
	var kept []int
	for j := range t.Cols {
		if empty[j] < t.Rows || t.Header == nil && j < end || t.Header != nil && t.Header[j] != "" {
			kept = append(kept, j)
		}
	}
	if len(kept) == t.Cols {
		return
	}
	at := 0
	for i := range t.Rows {
		for _, j := range kept {
			t.Num[at] = t.Num[i*t.Cols+j]
			at++
		}
	}
	t.Num = t.Num[:at]
	for k, j := range kept {
		t.columns[k] = t.columns[j]
		if t.Header != nil {
			t.Header[k] = t.Header[j]
		}
	}
	t.Cols = len(kept)
	t.columns = t.columns[:t.Cols]
	if t.Header != nil {
		t.Header = t.Header[:t.Cols]
	}
}

// all is nil if all cells are numbers, else it says which is none.
func (t *Table) all() error {
	if t.mixed != nil {
		return fmt.Errorf("line %d column %d: %q is not a number", t.mixed.Line, t.mixed.Column+1, brief(t.mixed.Text))
	}
	cells := make([]*table.Cell, len(t.columns))
	for j := range cells {
		cells[j] = t.columns[j].first()
	}
	return badCell(firstCell(cells))
}

// mostWords bounds the different words of a column.
// Source: a limit of memory, 0.3 GB.
const mostWords = 1 << 21

// readColumn is the text of a column of a table whose first row is a header.
func readColumn(in io.Reader, name string, place int) ([]string, error) {
	r, err := table.Open(in, table.Options{Name: name})
	if err != nil {
		return nil, err
	}
	r.Skip()
	modes := make([]table.Mode, len(r.First))
	if place >= len(modes) {
		return nil, errors.New("it has changed while it was read")
	}
	modes[place] = table.Texts
	r.Want(modes)
	var out []string
	once := map[string]string{}
	err = r.Each(runtime.GOMAXPROCS(0), nil, func(b *table.Block) error {
		for _, text := range b.Texts {
			s, ok := once[string(text)]
			if !ok {
				if len(once) == mostWords {
					return fmt.Errorf("the column has more than %d different words", mostWords)
				}
				s = string(text)
				once[s] = s
			}
			out = append(out, s)
		}
		return nil
	})
	return out, err
}

// badCell says what is wrong with a cell; nil: nothing.
func badCell(c *table.Cell) error {
	if c == nil {
		return nil
	}
	place := fmt.Sprintf("line %d column %d: ", c.Line, c.Column+1)
	_, isNumber := table.Float(c.Text)
	switch {
	case c.Text == "":
		return errors.New(place + "an empty cell is not a number")
	case c.Kind == table.Missing:
		return fmt.Errorf("%s%q is a missing value", place, c.Text)
	case isNumber && c.Text[len(c.Text)-1] <= '9':
		return fmt.Errorf("%s%q is too large for a number", place, brief(c.Text))
	case isNumber:
		return fmt.Errorf("%s%q is not a finite number", place, brief(c.Text))
	}
	return fmt.Errorf("%s%q is not a number", place, brief(c.Text))
}

// maxText is how much of a cell a message shows.
// Source: a limit of the length of messages.
const maxText = 60

func brief(s string) string {
	if len(s) > maxText {
		return s[:maxText] + "..."
	}
	return s
}
