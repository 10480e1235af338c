package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/table"
)

// solutionHead is the first line of a solution as CSV.
var solutionHead = []string{"variable", "index", "value"}

// csv writes the variables, an entry per line: its indices with blanks between.
func (r *report) csv(w io.Writer) {
	out := csv.NewWriter(w) // the writer keeps the error
	out.Write(solutionHead)
	for _, b := range r.variables {
		index := make([]int, len(b.shape))
		for k, v := range b.v {
			if b.im == nil {
				out.Write([]string{b.name, b.indices(index), strconv.FormatFloat(v, 'g', -1, 64)})
			} else {
				out.Write([]string{dc.RealPart(b.name), b.indices(index), strconv.FormatFloat(v, 'g', -1, 64)})
				out.Write([]string{dc.ImagPart(b.name), b.indices(index), strconv.FormatFloat(b.im[k], 'g', -1, 64)})
			}
			for d := len(index) - 1; d >= 0; d-- {
				if index[d]++; index[d] < b.shape[d] {
					break
				}
				index[d] = 0
			}
		}
	}
	for _, m := range r.columns {
		out.Write([]string{m.name, "", strconv.FormatFloat(float64(m.value.(number)), 'g', -1, 64)})
	}
	out.Flush()
}

// indices are the indices of an entry, given from 0.
func (b *block) indices(at []int) string {
	var parts []string
	for d, k := range at {
		parts = append(parts, b.index(d, k, "%v")...)
	}
	return strings.Join(parts, " ")
}

// readStart is the point of --start: the variables of a result of this program,
// in JSON or CSV. Of several results, those of a sweep, the last one counts.
func (s *session) readStart(ctx context.Context, path string) (map[string]lang.Start, error) {
	text, err := s.readProblem(ctx, path)
	if err != nil {
		return nil, err
	}
	read := startJSON
	if strings.HasSuffix(strings.ToLower(path), ".csv") {
		read = startCSV
	}
	out, err := read(text)
	if err != nil {
		return nil, usagef("--start %s: %w", path, err)
	}
	for name, v := range out {
		v.From = path
		out[name] = v
	}
	return out, nil
}

func startJSON(text []byte) (map[string]lang.Start, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	var result struct{ Variables map[string]any }
	for {
		var next struct{ Variables map[string]any }
		err := dec.Decode(&next)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("no result in JSON: %w", err)
		}
		result = next
	}
	if len(result.Variables) == 0 {
		return nil, errors.New(`it has no variables; want what "dcopt solve --json" prints`)
	}
	out := map[string]lang.Start{}
	for name, v := range result.Variables {
		if parts, ok := v.(map[string]any); ok {
			if err := complexStart(out, name, parts); err != nil {
				return nil, fmt.Errorf("the values of %s: %w", name, err)
			}
			continue
		}
		var at lang.Start
		if err := flatten(&at, v, 0); err != nil {
			return nil, fmt.Errorf("the values of %s: %w", name, err)
		}
		out[name] = at
	}
	return out, nil
}

// flatten adds the numbers of nested arrays, row by row, at a depth of nesting.
func flatten(to *lang.Start, v any, depth int) error {
	switch v := v.(type) {
	case float64:
		if depth != len(to.Shape) {
			return errors.New("the array is not rectangular")
		}
		to.Values = append(to.Values, v)
		return nil
	case []any:
		if depth == len(to.Shape) {
			if len(to.Values) > 0 {
				return errors.New("the array is not rectangular")
			}
			to.Shape = append(to.Shape, len(v))
		}
		if to.Shape[depth] != len(v) {
			return errors.New("the array is not rectangular")
		}
		for _, e := range v {
			if err := flatten(to, e, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("not all are numbers")
}

func startCSV(text []byte) (map[string]lang.Start, error) {
	in := csv.NewReader(bytes.NewReader(text))
	in.FieldsPerRecord = len(solutionHead)
	rows, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 || strings.Join(rows[0], ",") != strings.Join(solutionHead, ",") {
		return nil, fmt.Errorf("want a table with the columns %s", strings.Join(solutionHead, ", "))
	}
	out := map[string]lang.Start{}
	for k, row := range rows[1:] {
		v, ok := table.Float(row[2])
		if !ok {
			return nil, fmt.Errorf("line %d: %q is not a number", k+2, row[2])
		}
		at := out[row[0]]
		at.Values = append(at.Values, v)
		if dims := len(strings.Fields(row[1])); dims > 0 {
			at.Shape = []int{len(at.Values)} // the entries are in order
		}
		out[row[0]] = at
	}
	return out, nil
}

// startsSomething refuses a --start without any of the variables, and notes other
// entries.
func (s *source) startsSomething(p *dc.Problem) error {
	var others []string
	for name := range s.opt.Start {
		if !slices.ContainsFunc(p.Vars, func(v *dc.Variable) bool { return v.Name == name || v.Complex == name }) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	switch {
	case len(others) == 0:
	case len(others) == len(s.opt.Start):
		return usagef("--start: it has %s, and the problem no such variables", strings.Join(others, ", "))
	case !s.quiet:
		s.s.log.note("--start: the problem has no variables %s", strings.Join(others, ", "))
	}
	return nil
}
