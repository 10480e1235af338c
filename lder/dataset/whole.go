package dataset

import (
	"fmt"

	"github.com/dcopt/dcopt/internal/table"
)

// readers is how many goroutines read blocks of a table that is kept as a whole,
// beside the one that collects them: few, for each has blocks in memory.
// Source: a limit of memory; tables do not depend on it.
const readers = 2

func noRows() error { return &table.Error{Msg: "there are no rows below the header"} }

// mostHeld bounds a table that is kept: so many numbers, and one more for each byte of its file. A
// cell of text takes as much as two, and so does a line and its number.
// Source: a limit of memory, 134 MB.
const mostHeld = 1 << 24

// whole collects all rows of a table.
func whole(in *table.Reader, name string, heads []Cell, keepText bool) (*Table, error) {
	n := len(heads)
	t := &Table{Name: name, Columns: make([]Column, n)}
	mode, values, cells := table.Numbers, make([]series[float64], n), make([]series[string], n)
	if keepText {
		mode |= table.Texts
	}
	modes := make([]table.Mode, n)
	for j := range modes {
		modes[j], t.Columns[j].Name = mode, heads[j].Value
	}
	in.Want(modes)
	var lines series[int]
	var held int64
	err := in.Each(readers, nil, func(b *table.Block) error {
		held += int64(len(b.Values) + 2*len(b.Texts) + len(b.Lines))
		if most := mostHeld + in.Stored(); held > most {
			return fmt.Errorf("more than %d numbers are too many for a file of so few bytes; decompress it", most)
		}
		for j := range n {
			for k := j; k < len(b.Values); k += n {
				values[j].add(b.Values[k])
			}
			for k := j; k < len(b.Texts); k += n {
				cells[j].add(string(b.Texts[k]))
			}
			t.Columns[j].count(&b.Odd[j])
		}
		for _, l := range b.Lines {
			lines.add(l)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.Lines = lines.join(); len(t.Lines) == 0 {
		return nil, noRows()
	}
	for j := range t.Columns {
		t.Columns[j].Values = values[j].join()
		if keepText {
			t.Columns[j].Cells = cells[j].join()
		}
	}
	return t, nil
}

// count takes note of the cells of a block that are no numbers.
func (c *Column) count(odd *table.Odd) {
	c.Missing += odd.Count[table.Missing]
	c.Text += odd.Count[table.Text]
	for kind, first := range map[table.Kind]**Cell{table.Text: &c.FirstText, table.Infinite: &c.FirstInfinite} {
		if at := odd.First[kind]; at != nil && *first == nil {
			*first = &Cell{at.Line, at.Col, at.Text}
		}
	}
}
