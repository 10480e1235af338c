package problem

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/internal/table"
)

// mostStart is how many bytes a compressed start may have more than its file.
// Source: a limit of memory: a number takes ten times its text.
const mostStart = 1 << 24

// readStart is the point of --start: the variables of a result of this program,
// in JSON or CSV. Of several results, as of a sweep, the last one counts.
func readStart(ctx context.Context, s *session.Session, path string) (map[string]lang.Start, error) {
	text, err := s.ReadAll(ctx, path, mostStart)
	if err != nil {
		return nil, err
	}
	read := startJSON
	if strings.HasSuffix(strings.ToLower(path), ".csv") {
		read = startCSV
	}
	out, err := read(text)
	if err != nil {
		return nil, exit.Usagef("--start %s: %w", path, err)
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
	in.FieldsPerRecord = len(report.SolutionHead)
	rows, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 || strings.Join(rows[0], ",") != strings.Join(report.SolutionHead, ",") {
		return nil, fmt.Errorf("want a table with the columns %s", strings.Join(report.SolutionHead, ", "))
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
func (s *Source) startsSomething(p *dc.Problem) error {
	var others []string
	for name := range s.Options.Start {
		named := func(v *program.Variable) bool { return v.Name == name || v.Complex == name }
		if !slices.ContainsFunc(p.Program().Vars, named) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	switch {
	case len(others) == 0:
	case len(others) == len(s.Options.Start):
		return exit.Usagef("--start: it has %s, and the problem no such variables", strings.Join(others, ", "))
	case !s.quiet:
		s.s.Log.Note("--start: the problem has no variables %s", strings.Join(others, ", "))
	}
	return nil
}

// complexStart adds the start of a complex variable, by its parts.
func complexStart(to map[string]lang.Start, name string, parts map[string]any) error {
	re, okRe := parts["re"]
	im, okIm := parts["im"]
	if !okRe || !okIm || len(parts) != 2 {
		return errors.New(`complex numbers are an object with the members "re" and "im"`)
	}
	var a, b lang.Start
	if err := errors.Join(flatten(&a, re, 0), flatten(&b, im, 0)); err != nil {
		return err
	}
	to[program.RealPart(name)], to[program.ImagPart(name)] = a, b
	return nil
}
