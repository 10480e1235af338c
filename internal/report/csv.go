package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/internal/program"
)

// SolutionHead is the first line of a solution as CSV.
var SolutionHead = []string{"variable", "index", "value"}

// CSV writes the variables, an entry per line: its indices with blanks between.
func (r *Report) CSV(w io.Writer) {
	out := csv.NewWriter(w) // the writer keeps the error
	out.Write(SolutionHead)
	for _, b := range r.Variables {
		index := make([]int, len(b.Shape))
		for k, v := range b.V {
			if b.Im == nil {
				out.Write([]string{b.Name, b.indices(index), strconv.FormatFloat(v, 'g', -1, 64)})
			} else {
				out.Write([]string{program.RealPart(b.Name), b.indices(index), strconv.FormatFloat(v, 'g', -1, 64)})
				im := strconv.FormatFloat(b.Im[k], 'g', -1, 64)
				out.Write([]string{program.ImagPart(b.Name), b.indices(index), im})
			}
			for d := len(index) - 1; d >= 0; d-- {
				if index[d]++; index[d] < b.Shape[d] {
					break
				}
				index[d] = 0
			}
		}
	}
	for _, m := range r.Columns {
		out.Write([]string{m.Name, "", strconv.FormatFloat(float64(m.Value.(Number)), 'g', -1, 64)})
	}
	out.Flush()
}

// indices are the indices of an entry, given from 0.
func (b *Block) indices(at []int) string {
	var parts []string
	for d, k := range at {
		parts = append(parts, b.index(d, k, "%v")...)
	}
	return strings.Join(parts, " ")
}
