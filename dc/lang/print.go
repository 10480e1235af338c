package lang

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/printer"
)

// Print returns a problem as a file of the language, in its one layout, that is
// compiled to the same problem: the same functions as they were written, with
// their numbers to the last bit, so the same splits and the same solution. Members of sums
// and of constraints that differ in numbers alone are printed as a family with
// its data. Parameters of dc.Model.Param become data. Refused are functions of a
// library's user and starts for some entries of a variable only.
func Print(p *dc.Problem, o ProblemOptions) ([]byte, error) {
	if p == nil {
		return nil, errors.New("lang: the problem is nil; did Model.Problem return an error?")
	}
	names := slices.Concat(slices.Collect(maps.Keys(functions)), slices.Collect(maps.Keys(fixed)))
	text, err := printer.Source(p, names)
	if err != nil {
		return nil, err
	}
	return Format("", []byte(text+optionText(&o)))
}

// optionText is the statement of the options that are set, empty where none is.
func optionText(o *ProblemOptions) string {
	var b strings.Builder
	sep := "option "
	add := func(name, value string) {
		b.WriteString(sep + name + " = " + value)
		sep = ", "
	}
	for _, f := range []struct {
		name string
		v    *float64
	}{{"tau", o.Tau}, {"mu", o.Mu}, {"tau_max", o.TauMax}, {"tol", o.Tol}, {"feas_tol", o.FeasTol}, {"time_limit", o.TimeLimit}} {
		if f.v != nil {
			add(f.name, printer.Number(*f.v))
		}
	}
	for _, f := range []struct {
		name string
		v    *int
	}{{"max_iter", o.MaxIter}, {"restarts", o.Restarts}} {
		if f.v != nil {
			add(f.name, strconv.Itoa(*f.v))
		}
	}
	if o.Seed != nil {
		add("seed", strconv.FormatUint(*o.Seed, 10))
	}
	if o.Backend != nil {
		add("backend", `"`+*o.Backend+`"`)
	}
	if sep == ", " {
		b.WriteByte('\n')
	}
	return b.String()
}
