package lang

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/internal/table"
)

// csvTable is a CSV file.
type csvTable struct {
	rows, cols int
	num        []float64 // row by row, NaN where a cell is no number
	header     []string  // nil: none
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

// words reports whether a column has words.
func (t *csvTable) words(j int) bool { return t.columns[j].odd[table.Text] != nil }

// firstWord is the first word of some columns, as what is wrong with them as numbers.
func (t *csvTable) firstWord(cols []int) error {
	var cells []*table.Cell
	for _, j := range cols {
		cells = append(cells, t.columns[j].odd[table.Text])
	}
	return badCell(firstCell(cells))
}

func (t *csvTable) anyWords() bool {
	for j := range t.columns {
		if t.words(j) {
			return true
		}
	}
	return false
}

// usable says what is wrong with a column as numbers or as words; of these, none
// may be missing.
func (t *csvTable) usable(j int) error {
	if c := t.columns[j].odd[table.Missing]; t.words(j) && c != nil && c.Text == "" {
		return fmt.Errorf("line %d column %d: an empty cell in a column of words", c.Line, c.Column+1)
	} else if t.words(j) {
		return badCell(c)
	}
	return badCell(t.columns[j].first())
}

// readCSV reads a table as dataset.Read does, but the header may be missing.
func readCSV(in io.Reader, name string, limit int) (*csvTable, error) {
	r, err := table.Open(in, table.Options{Name: name})
	if err != nil {
		return nil, err
	}
	t := &csvTable{cols: len(r.First), columns: make([]column, len(r.First))}
	for j := range t.columns {
		t.columns[j].place = j
	}
	if head := table.HeadOf(r.First); head != table.Data {
		for k := range r.First {
			c := &r.First[k]
			t.header = append(t.header, c.Text)
			if head == table.Mixed && t.mixed == nil && c.Kind != table.Number {
				t.mixed = c
			}
		}
		r.Skip()
	}
	var parts [][]float64
	total := 0
	empty := make([]int, t.cols) // missing cells
	err = r.Each(runtime.GOMAXPROCS(0), nil, func(b *table.Block) error {
		for j := range b.Odd {
			empty[j] += b.Odd[j].Count[table.Missing]
			for kind, c := range b.Odd[j].First {
				if t.columns[j].odd[kind] == nil {
					t.columns[j].odd[kind] = c
				}
			}
		}
		t.rows += b.Rows
		if total += len(b.Values); total > limit {
			return fmt.Errorf("more than %d numbers", limit)
		}
		parts, b.Values = append(parts, b.Values), nil
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.rows == 0 && t.mixed == nil {
		return nil, errNoNumbers
	}
	t.num = slices.Concat(parts...)
	if t.dropUnnamed(empty); t.cols == 0 {
		return nil, errNoNumbers
	}
	return t, nil
}

var errNoNumbers = errors.New("it holds no numbers")

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
func (t *csvTable) dropUnnamed(empty []int) {
	end := t.cols // behind the last column with a value
	for t.rows > 0 && end > 0 && empty[end-1] == t.rows && t.columns[end-1].odd[table.Missing].Text == "" {
		end--
	}
	var kept []int
	for j := range t.cols {
		if empty[j] < t.rows || t.header == nil && j < end || t.header != nil && t.header[j] != "" {
			kept = append(kept, j)
		}
	}
	if len(kept) == t.cols {
		return
	}
	at := 0
	for i := range t.rows {
		for _, j := range kept {
			t.num[at] = t.num[i*t.cols+j]
			at++
		}
	}
	t.num = t.num[:at]
	for k, j := range kept {
		t.columns[k] = t.columns[j]
		if t.header != nil {
			t.header[k] = t.header[j]
		}
	}
	t.cols = len(kept)
	t.columns = t.columns[:t.cols]
	if t.header != nil {
		t.header = t.header[:t.cols]
	}
}

// all is nil if all cells are numbers, else it says which is none.
func (t *csvTable) all() error {
	if t.mixed != nil {
		return fmt.Errorf("line %d column %d: %q is not a number", t.mixed.Line, t.mixed.Column+1, brief(t.mixed.Text))
	}
	cells := make([]*table.Cell, len(t.columns))
	for j := range cells {
		cells[j] = t.columns[j].first()
	}
	return badCell(firstCell(cells))
}

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

func brief(s string) string {
	if len(s) > syntax.MaxText {
		return s[:syntax.MaxText] + "..."
	}
	return s
}
