package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/dc/lang"
)

// Block is a variable with its values.
type Block struct {
	Name   string
	Shape  []int
	Origin []int // first index of each dimension; nil: 1
	V      []float64
	Axes   []lang.Axis // the sets that dimensions run over; nil: none does
	Im     []float64   // of complex numbers, of which v are the real parts; nil: they are real
}

// objectOf are blocks by their names.
func objectOf(blocks []Block) Object {
	o := Object{}
	for k := range blocks {
		o = append(o, Member{blocks[k].Name, blocks[k].JSON()})
	}
	return o
}

// IndicesOf are the members of the sets that dimensions of blocks run over: by name a list
// of dimensions, null for one that counts; a member with several parts is a list.
func IndicesOf(blocks []Block) (o Object) {
	for _, b := range blocks {
		if b.Axes == nil {
			continue
		}
		dims := make([]any, len(b.Axes))
		for d, axis := range b.Axes {
			if axis == nil {
				continue
			}
			members := make([]any, len(axis))
			for k, m := range axis {
				if members[k] = any(m); len(m) == 1 {
					members[k] = m[0]
				}
			}
			dims[d] = members
		}
		o = append(o, Member{b.Name, dims})
	}
	return o
}

// index is the index k, from 0, of dimension d; format is the format of its parts.
func (b *Block) index(d, k int, format string) []string {
	if d < len(b.Axes) && b.Axes[d] != nil {
		var parts []string
		for _, p := range b.Axes[d][k] {
			parts = append(parts, fmt.Sprintf(format, p))
		}
		return parts
	}
	if b.Origin != nil {
		return []string{strconv.Itoa(b.Origin[d] + k)}
	}
	return []string{strconv.Itoa(1 + k)}
}

// Text writes a scalar as "x = 1", a vector as one row, more dimensions as a
// row for each choice of the indices but the last. A long vector has several lines.
func (b Block) Text(w io.Writer, full bool) {
	if len(b.Shape) == 0 {
		fmt.Fprintf(w, "%s = %s\n", b.Name, b.number(0, full))
		return
	}
	last, most := len(b.Shape)-1, MostRows
	if last == 0 {
		most = mostEntries
	}
	if b.Axes != nil && b.Axes[last] != nil { // an entry a line, with its names
		last++
		b.Shape = append(b.Shape[:last:last], 1)
	}
	width := b.Shape[last]
	rows := 1
	for _, d := range b.Shape[:last] {
		rows *= d
	}
	index := make([]int, last)
	for i := range rows {
		if full || rows <= most || i < most-2 || i == rows-1 {
			label := b.label(index) + " ="
			fmt.Fprintf(w, "%s%s\n", label, b.row(i*width, (i+1)*width, full, len(label)))
		} else if i == most-2 {
			fmt.Fprintln(w, "...")
		}
		for d := last - 1; d >= 0; d-- {
			if index[d]++; index[d] < b.Shape[d] {
				break
			}
			index[d] = 0
		}
	}
}

// label is x[1..5] for a vector, x[3,:] for a row, f["rome","oslo"] for an entry.
func (b Block) label(index []int) string {
	if len(index) == 0 {
		first, _ := strconv.Atoi(b.index(0, 0, "%v")[0])
		return fmt.Sprintf("%s[%d..%d]", b.Name, first, first+b.Shape[0]-1)
	}
	var parts []string
	for d, i := range index {
		parts = append(parts, b.index(d, i, "%#v")...)
	}
	if len(index) < len(b.Shape) && len(b.Axes) < len(b.Shape) && b.Axes != nil {
		return b.Name + "[" + strings.Join(parts, ",") + "]"
	}
	return b.Name + "[" + strings.Join(append(parts, ":"), ",") + "]"
}

// row is the entries from lo up to hi. Of a vector that has more than one line the entries stand
// below each other, in columns, with an indent.
func (b *Block) row(lo, hi int, full bool, indent int) string {
	var words []string
	most := mostColumns
	if len(b.Shape) == 1 {
		most = mostEntries
	}
	widest := 0
	for k := range hi - lo {
		if full || hi-lo <= most || k < most-2 || k == hi-lo-1 {
			words = append(words, b.number(lo+k, full))
		} else if k == most-2 {
			words = append(words, "...")
			continue
		} else {
			continue
		}
		widest = max(widest, len(words[len(words)-1]))
	}
	var s strings.Builder
	columns := min(mostColumns, max(1, (lineWidth-indent)/(widest+1)))
	for k, word := range words {
		if full || len(b.Shape) > 1 || len(words) <= columns {
			s.WriteString(" " + word)
			continue
		}
		if k > 0 && k%columns == 0 {
			s.WriteString("\n" + strings.Repeat(" ", indent))
		}
		if k%columns < columns-1 && k < len(words)-1 {
			word = fmt.Sprintf("%-*s", widest, word)
		}
		s.WriteString(" " + word)
	}
	return s.String()
}
