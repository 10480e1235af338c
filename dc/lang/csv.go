package lang

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

func parseCSV(src string, limit int) (*table, error) {
	t := &table{bytes: int64(len(src))}
	comma, line := byte(0), 1
	for ; src != "" && t.rows == 0; line++ { // up to the first row of numbers
		row := t.nextLine(&src)
		if strings.TrimSpace(row) == "" {
			continue
		}
		if comma == 0 {
			comma = separator(row)
			if t.header = headerOf(row, comma); t.header != nil {
				t.cols = len(t.header)
				continue
			}
		}
		if err := t.addRow(row, comma, line); err != nil {
			return nil, err
		}
	}
	if t.rows == 0 {
		return nil, errors.New("it holds no numbers")
	}
	parts := chunks(src, line)
	if len(parts) == 1 { // straight to its place
		c := &parts[0]
		c.table = *t
		c.err = c.parse(comma, limit)
		*t = c.table
		if len(t.num) > limit {
			return nil, fmt.Errorf("more than %d numbers", limit)
		}
		return t, c.err
	}
	var wg sync.WaitGroup
	for k := range parts {
		c := &parts[k]
		c.table = table{cols: t.cols}
		wg.Go(func() { c.err = c.parse(comma, limit) })
	}
	wg.Wait()
	total := len(t.num)
	for k := range parts {
		total += len(parts[k].num)
		switch {
		case total > limit:
			return nil, fmt.Errorf("more than %d numbers", limit)
		case parts[k].err != nil:
			return nil, parts[k].err
		}
	}
	t.num = slices.Grow(t.num, total-len(t.num))
	for k := range parts {
		t.num, t.rows = append(t.num, parts[k].num...), t.rows+parts[k].rows
		parts[k].num = nil
	}
	return t, nil
}

// chunk is a piece of a CSV file and what it holds.
type chunk struct {
	table
	src  string
	line int // of its beginning
	err  error
}

// chunkSize is about how much one goroutine reads of a file.
const chunkSize = 4 << 20

// chunks cuts a text at ends of lines, the first of which has the given number.
func chunks(src string, line int) (out []chunk) {
	for len(src) > chunkSize {
		n := chunkSize + lineEnd(src[chunkSize:])
		n = min(n+1, len(src))
		out = append(out, chunk{src: src[:n], line: line})
		line += strings.Count(src[:n], "\n")
		src = src[n:]
	}
	return append(out, chunk{src: src, line: line})
}

// parse reads the rows of a chunk.
func (c *chunk) parse(comma byte, limit int) error {
	c.num = slices.Grow(c.num, min(limit, c.cols*(1+strings.Count(c.src, "\n"))))
	for ; c.src != ""; c.line++ {
		if c.quickRow(&c.src, comma) {
			if len(c.num) > limit {
				return nil
			}
			continue
		}
		row := c.nextLine(&c.src)
		if strings.TrimSpace(row) == "" {
			continue
		}
		if err := c.addRow(row, comma, c.line); err != nil {
			return err
		}
		if len(c.num) > limit {
			return nil // which is reported with all chunks together
		}
	}
	return nil
}

// quickRow cuts the first line off and adds its numbers, if they are as many as in
// the lines before and written as most are; else it does nothing.
func (t *table) quickRow(src *string, comma byte) bool {
	s, before := *src, len(t.num)
	for i, left := 0, t.cols; ; i++ {
		for i < len(s) && s[i] == ' ' {
			i++
		}
		v, n, ok := scanNumber(s[i:])
		if !ok {
			break
		}
		i += n
		for i < len(s) && s[i] == ' ' {
			i++
		}
		t.num = append(t.num, v)
		left--
		if i < len(s) && s[i] == comma && left > 0 {
			continue
		}
		if i+1 < len(s) && s[i] == '\r' && s[i+1] == '\n' {
			i++
		}
		if left == 0 && (i == len(s) || s[i] == '\n') {
			*src = s[min(i+1, len(s)):]
			t.rows++
			return true
		}
		break
	}
	t.num = t.num[:before]
	return false
}

// nextLine cuts the first line off.
func (*table) nextLine(src *string) string {
	n := lineEnd(*src)
	row := strings.TrimSuffix((*src)[:n], "\r")
	*src = (*src)[min(n+1, len(*src)):]
	return row
}

// separator is what parts the cells of the first line.
func separator(row string) byte {
	for _, c := range []byte{',', ';', '\t'} {
		if strings.IndexByte(row, c) >= 0 {
			return c
		}
	}
	return ','
}

// headerOf is the list of names in a line without numbers, else nil.
func headerOf(row string, comma byte) []string {
	cells := strings.Split(row, string(comma))
	named := false
	for k, c := range cells {
		c = strings.TrimSpace(c)
		if _, err := strconv.ParseFloat(c, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return nil
		}
		cells[k] = strings.Trim(c, `"`)
		named = named || c != ""
	}
	if !named {
		return nil
	}
	return cells
}

func (t *table) addRow(row string, comma byte, line int) error {
	col := 0
	for more := true; more; {
		cell := row
		k := strings.IndexByte(row, comma)
		if more = k >= 0; more {
			cell, row = row[:k], row[k+1:]
		}
		col++
		v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
		if err != nil || v-v != 0 {
			return badCell(strings.TrimSpace(cell), line, col, err)
		}
		t.num = append(t.num, v)
	}
	if t.cols == 0 {
		t.cols = col
	}
	if col != t.cols {
		return fmt.Errorf("line %d: it has %s, the lines before it %d", line, count(col, "column", "columns"), t.cols)
	}
	t.rows++
	return nil
}

func badCell(cell string, line, col int, err error) error {
	why := "is not a number"
	switch {
	case cell == "":
		return fmt.Errorf("line %d column %d: an empty cell is not a number", line, col)
	case errors.Is(err, strconv.ErrRange):
		why = "is too large for a number"
	case err == nil:
		why = "is not a finite number"
	case len(cell) > maxText:
		cell = cell[:maxText] + "..."
	}
	return fmt.Errorf("line %d column %d: %q %s", line, col, cell, why)
}
