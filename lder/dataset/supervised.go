package dataset

import (
	"fmt"
	"math"
	"slices"
)

// Policy says what becomes of a column that is no use as a feature.
type Policy uint8

// The policies.
const (
	Refuse Policy = iota // an error that names the place
	Drop                 // left out, with a note
	Encode               // of text: the words become numbers, as Selection.Coding says
)

// Selection says which columns become features.
type Selection struct {
	// Features are taken in this order; nil takes every column but the target.
	Features []string
	// Exclude names columns that are left out.
	Exclude []string
	// Text and Constant are the policies for columns with cells that are no
	// numbers, and for columns with fewer than two different values. A column
	// named in Features is refused rather than dropped for its text.
	Text, Constant Policy
	// Coding of columns with text where Text is Encode.
	Coding Coding
}

// DefaultSelection takes all columns, refuses text and drops constants.
func DefaultSelection() Selection {
	return Selection{Text: Refuse, Constant: Drop}
}

// Data is a table split for training: rows of features and the target of each.
type Data struct {
	Features []string
	Target   string
	X        [][]float64 // NaN for missing values
	// Columns are the same by features; Supervised leaves it nil, and Take X.
	Columns [][]float64
	Y       []float64
	// Categories are the columns whose words became features.
	Categories []Category
	// Rows holds the number of each row in the table, Lines its line in the file.
	Rows, Lines []int
	// Notes says what was left out, in words.
	Notes []string
}

// Supervised splits off the target. Rows without a value of it are left out,
// with a note that counts them. The target may be constant.
func (t *Table) Supervised(target string, sel Selection) (*Data, error) {
	d, columns, y, err := t.split(target, sel)
	if err != nil {
		return nil, err
	}
	d.X = gather(columns, d.Rows)
	for _, i := range d.Rows {
		d.Y = append(d.Y, y.Values[i])
		d.Lines = append(d.Lines, t.Lines[i])
	}
	return d, nil
}

// Take is Supervised by columns, for tables that fill much of the memory: the columns
// that it returns lie in the memory of t, which must not be used any more.
func (t *Table) Take(target string, sel Selection) (*Data, error) {
	d, columns, y, err := t.split(target, sel)
	if err != nil {
		return nil, err
	}
	for _, c := range columns {
		d.Columns = append(d.Columns, pack(c.Values, d.Rows))
	}
	d.Y, d.Lines = pack(y.Values, d.Rows), pack(t.Lines, d.Rows)
	return d, nil
}

// pack moves the entries of those rows, in ascending order, to the front of v.
func pack[T any](v []T, rows []int) []T {
	for k, i := range rows {
		v[k] = v[i]
	}
	return v[:len(rows):len(rows)]
}

// split finds the rows of d, its features and its target.
func (t *Table) split(target string, sel Selection) (d *Data, columns []*Column, y *Column, err error) {
	if y, err = t.numeric(target); err != nil {
		return nil, nil, nil, err
	}
	d = &Data{Target: target, Notes: slices.Clone(t.Notes), Rows: make([]int, 0, t.Rows())}
	firstGap := 0
	for i, v := range y.Values {
		if !math.IsNaN(v) {
			d.Rows = append(d.Rows, i)
		} else if firstGap == 0 {
			firstGap = t.Lines[i]
		}
	}
	if len(d.Rows) == 0 {
		return nil, nil, nil, &Error{File: t.Name, Msg: fmt.Sprintf("no row has a value of the target %q", target)}
	}
	if y.Missing > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s without a value of the target %q left out (first at line %d)",
			plural(y.Missing, "row"), target, firstGap))
	}
	if columns, err = t.features(d, d.Rows, sel); err != nil {
		return nil, nil, nil, err
	}
	if len(columns) == 0 {
		return nil, nil, nil, &Error{File: t.Name,
			Msg: "no column is left to be a feature; the columns are " + list(t.Names())}
	}
	for _, c := range columns {
		d.Features = append(d.Features, c.Name)
	}
	return d, columns, y, nil
}

// features applies sel to the columns, seen on the given rows.
func (t *Table) features(d *Data, rows []int, sel Selection) ([]*Column, error) {
	for _, name := range sel.Exclude {
		if _, err := t.Column(name); err != nil {
			return nil, err
		}
		if name == d.Target {
			return nil, fmt.Errorf("dataset: the target %q cannot be left out", name)
		}
	}
	names := sel.Features
	if names == nil {
		names = slices.DeleteFunc(t.Names(), func(s string) bool { return s == d.Target })
	}
	var columns []*Column
	seen, excluded := make(map[string]bool, len(names)), make(map[string]bool, len(sel.Exclude))
	for _, name := range sel.Exclude {
		excluded[name] = true
	}
	for _, name := range names {
		if name == d.Target {
			return nil, fmt.Errorf("dataset: the target %q cannot be a feature", name)
		}
		if seen[name] {
			return nil, fmt.Errorf("dataset: the feature %q is named twice", name)
		}
		seen[name] = true
		c, err := t.Column(name)
		if err != nil {
			return nil, err
		}
		if excluded[name] {
			continue
		}
		if c.IsText() && sel.Text == Encode {
			more, err := t.encoded(d, c, rows, sel.Coding)
			if err != nil {
				return nil, err
			}
			columns = append(columns, more...)
			continue
		}
		if c.IsText() {
			if sel.Text == Refuse || sel.Features != nil {
				return nil, t.textError(c)
			}
			d.Notes = append(d.Notes, fmt.Sprintf("column %q is text (%s at line %d) and is left out",
				c.Name, quote(c.FirstText.Value), c.FirstText.Line))
			continue
		}
		if c.FirstInfinite != nil {
			return nil, t.infiniteError(c)
		}
		if what := constancy(c, rows); what != "" {
			if sel.Constant == Refuse {
				return nil, &Error{File: t.Name, Msg: fmt.Sprintf("column %q %s; leave it out", c.Name, what)}
			}
			d.Notes = append(d.Notes, fmt.Sprintf("column %q %s and is left out", c.Name, what))
			continue
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// encoded are the columns that the words of c make; of one word none.
func (t *Table) encoded(d *Data, c *Column, rows []int, coding Coding) ([]*Column, error) {
	cat, err := t.categorise(c, rows, coding)
	if err != nil {
		return nil, err
	}
	if len(cat.Levels) < 2 {
		d.Notes = append(d.Notes, fmt.Sprintf("column %q has fewer than two words and is left out", c.Name))
		return nil, nil
	}
	var columns []*Column
	for k, name := range cat.Features() {
		if _, err := t.Column(name); err == nil && name != c.Name {
			return nil, &Error{File: t.Name, Msg: fmt.Sprintf("column %q cannot be coded: there is a column %q already",
				c.Name, name)}
		}
		columns = append(columns, &Column{Name: name, Values: cat.values(c.Cells, k)})
	}
	d.Categories = append(d.Categories, *cat)
	return columns, nil
}

// constancy says in words that c does not vary over the rows, or "".
func constancy(c *Column, rows []int) string {
	first := math.NaN()
	for _, i := range rows {
		v := c.Values[i]
		switch {
		case math.IsNaN(v):
		case math.IsNaN(first):
			first = v
		case v != first:
			return ""
		}
	}
	if math.IsNaN(first) {
		return "has no values"
	}
	return fmt.Sprintf("is constant (%g)", first)
}

// Numbers returns the values of a column, NaN for missing ones, in the memory of
// t. Text and infinite values are errors.
func (t *Table) Numbers(name string) ([]float64, error) {
	c, err := t.numeric(name)
	if err != nil {
		return nil, err
	}
	return c.Values, nil
}

// Matrix returns the columns of those names as rows of numbers, NaN for
// missing values. Other columns are not looked at. A missing column, text and
// infinite values are errors.
func (t *Table) Matrix(names []string) ([][]float64, error) {
	columns := make([]*Column, len(names))
	for k, name := range names {
		var err error
		if columns[k], err = t.numeric(name); err != nil {
			return nil, err
		}
	}
	rows := make([]int, t.Rows())
	for i := range rows {
		rows[i] = i
	}
	return gather(columns, rows), nil
}

// gather copies rows out of columns.
func gather(columns []*Column, rows []int) [][]float64 {
	flat := make([]float64, len(rows)*len(columns))
	x := make([][]float64, len(rows))
	for k, i := range rows {
		x[k], flat = flat[:len(columns):len(columns)], flat[len(columns):]
		for j, c := range columns {
			x[k][j] = c.Values[i]
		}
	}
	return x
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
