package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/internal/table"
)

// Coding turns the words of a column into numbers.
type Coding uint8

// The codings.
const (
	OneHot  Coding = iota // a feature of 0 and 1 for each level
	Ordinal               // the number of the level, from 0
	numCoding
)

var codingText = [numCoding]string{"onehot", "ordinal"}

// String is the name of the coding in model files, such as "onehot".
func (c Coding) String() string { return enum.String(c, "Coding", codingText[:]) }

// ParseCoding is the inverse of String.
func ParseCoding(name string) (Coding, error) {
	return enum.Parse[Coding](name, "dataset: no coding", codingText[:])
}

// Category is a column of words and their meaning.
type Category struct {
	Column string
	Coding Coding
	Levels []string // sorted
}

// mostLevels bounds the words of a column: more are names, not kinds.
// Source: a limit: each level is a feature.
const mostLevels = 100

// Features are the names of the features that c makes: the column's, or
// column=level for each level.
func (c *Category) Features() []string {
	if c.Coding == Ordinal {
		return []string{c.Column}
	}
	names := make([]string, len(c.Levels))
	for k, l := range c.Levels {
		names[k] = c.Column + "=" + l
	}
	return names
}

// Validate reports levels that are none, and not sorted or not different.
func (c *Category) Validate() error {
	switch {
	case c.Coding >= numCoding:
		return fmt.Errorf("dataset: column %q has the unknown coding %v", c.Column, c.Coding)
	case len(c.Levels) == 0:
		return fmt.Errorf("dataset: column %q has no levels", c.Column)
	}
	for k := 1; k < len(c.Levels); k++ {
		if !(c.Levels[k-1] < c.Levels[k]) {
			return fmt.Errorf("dataset: the levels %q and %q of column %q are not in order", c.Levels[k-1], c.Levels[k],
				c.Column)
		}
	}
	return nil
}

// values are the numbers of feature k of c for the cells: NaN where the cell is
// missing or holds no level.
func (c *Category) values(cells []string, k int) []float64 {
	out := make([]float64, len(cells))
	for i, s := range cells {
		out[i] = c.Value(s, k)
	}
	return out
}

// Value is feature k of c for one cell: NaN where it is missing or no level.
func (c *Category) Value(cell string, k int) float64 {
	cell = strings.TrimSpace(cell)
	at, ok := slices.BinarySearch(c.Levels, cell)
	switch {
	case !ok:
		return math.NaN()
	case c.Coding == Ordinal:
		return float64(at)
	case at == k:
		return 1
	}
	return 0
}

// categorise finds the levels of a column of words on the given rows.
func (t *Table) categorise(col *Column, rows []int, coding Coding) (*Category, error) {
	if col.Cells == nil {
		return nil, fmt.Errorf("dataset: the words of column %q were not kept; set Options.KeepText", col.Name)
	}
	c := &Category{Column: col.Name, Coding: coding}
	seen := map[string]bool{}
	for _, i := range rows {
		if s := col.Cells[i]; !table.IsMissing(s) && !seen[s] {
			seen[s] = true
			c.Levels = append(c.Levels, s)
		}
	}
	slices.Sort(c.Levels)
	if len(c.Levels) > mostLevels {
		return nil, t.at(col.FirstText, fmt.Sprintf("column %q holds %d different words, more than %d; leave it out",
			col.Name, len(c.Levels), mostLevels))
	}
	return c, nil
}

// Encode is Matrix for features that categories make, too: those are looked up
// in the columns of words, and a word that is no level counts as missing. unknown is
// the number of such cells.
func (t *Table) Encode(names []string, categories []Category) (x [][]float64, unknown int, err error) {
	made := map[string][2]int{} // category and feature of it
	for k := range categories {
		for j, name := range categories[k].Features() {
			made[name] = [2]int{k, j}
		}
	}
	columns := make([]*Column, len(names))
	for k, name := range names {
		at, ok := made[name]
		if !ok {
			if columns[k], err = t.numeric(name); err != nil {
				return nil, 0, err
			}
			continue
		}
		c := &categories[at[0]]
		col, err := t.Column(c.Column)
		if err != nil {
			return nil, 0, err
		}
		if col.Cells == nil {
			return nil, 0, fmt.Errorf("dataset: the words of column %q were not kept; set Options.KeepText", col.Name)
		}
		columns[k] = &Column{Name: name, Values: c.values(col.Cells, at[1])}
		if at[1] == 0 {
			for i, v := range columns[k].Values {
				if math.IsNaN(v) && !table.IsMissing(col.Cells[i]) {
					unknown++
				}
			}
		}
	}
	rows := make([]int, t.Rows())
	for i := range rows {
		rows[i] = i
	}
	return gather(columns, rows), unknown, nil
}
