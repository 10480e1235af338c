package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/problem"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/qpbackend/formats"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "say how a problem is split, without solving it",
		ArgsUsage: "FILE",
		Description: "Prints the curvature of the objective and of every constraint family, what is linearised, the " +
			"cones and the size\n" +
			"of the convex problem, and the backends that can solve it. FILE as for solve.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "set", Usage: "give a param another value, `K=V`; may be repeated"},
			&cli.BoolFlag{
				Name: "parts", Usage: "also the curvature, the range and the split of all expressions in the file",
			},
			flags.JSON(),
		},
		Action: func(c *cli.Context) error {
			path, err := flags.OneFile(c)
			if err != nil {
				return err
			}
			var o *outline
			if formats.Is(path) {
				for _, name := range []string{"set", "parts"} {
					if c.IsSet(name) {
						return exit.Usagef("flag --%s is for .dc problems, not for %s", name, path)
					}
				}
				o, err = outlineQP(c, path)
			} else {
				o, err = outlineDC(c, path)
			}
			if err != nil {
				return err
			}
			if !c.Bool("json") {
				o.text(c.App.Writer)
				return nil
			}
			return report.Print(c.App.Writer, o.json())
		},
	}
}

// outline is the output of check.
type outline struct {
	file      string
	sense     string // minimise or maximise
	objective split
	families  []family
	variables int
	blocks    []string // of the variables, such as x[3,2]
	sum       ccp.Summary
	backends  []string
	cost      ipm.Estimate // of semidefinite cones; zero where none is known
	parts     []lang.Explained
}

// split is the curvature of a part and the list of its linearised functions.
type split struct {
	text       string // of the file, "" where there is none
	curvature  string // constant, affine, convex, concave, DC
	linearised []string
}

// family is the constraints of one name.
type family struct {
	name  string
	count int // members
	rows  int // of the affine ones
	split
}

func outlineDC(c *cli.Context, path string) (*outline, error) {
	src, err := problem.Open(c.Context, c, path)
	if err != nil {
		return nil, err
	}
	prog, err := src.Compile(c.Context, nil)
	if err != nil {
		return nil, err
	}
	p := prog.Problem
	o := &outline{file: src.Path, sense: "minimise", variables: p.NumVars(), objective: splitOf(&prog.Objective)}
	switch {
	case prog.Find:
		o.sense = "find a feasible point"
		o.objective = split{curvature: "constant"}
	case p.Program().Maximize:
		o.sense = "maximise"
	}
	for k := range prog.Families {
		f := &prog.Families[k]
		rows := 0
		for _, con := range p.Program().Constraints[f.First : f.First+f.Count] {
			if !con.DC {
				rows += con.A.Len()
			}
		}
		o.families = append(o.families, family{f.Name, f.Members, rows, splitOf(&f.Part)})
	}
	for _, v := range p.Program().Vars {
		block := shapeText(v.Name, v.Shape)
		switch {
		case v.Complex != "" && v.Imag:
			continue
		case v.Complex != "" && v.Symmetric:
			block = shapeText(v.Complex, v.Shape) + " hermitian"
		case v.Complex != "":
			block = shapeText(v.Complex, v.Shape) + " complex"
		case v.Symmetric:
			block += " symmetric"
		}
		o.blocks = append(o.blocks, block)
	}
	o.sum, err = session.Within(c.Context, func() (ccp.Summary, error) { return ccp.Inspect(c.Context, p) })
	switch {
	case exit.IsContext(err):
		return nil, err
	case err != nil:
		return nil, exit.BadFile(fmt.Errorf("%s: %w", src.Path, err))
	}
	o.backends = problem.Backends(&o.sum)
	if c.Bool("parts") {
		o.parts, err = src.Parts(c.Context)
	}
	return o, err
}

func splitOf(p *lang.Part) split {
	return split{p.Text, p.Curvature.String(), p.Linearised}
}

func shapeText(name string, shape []int) string {
	if len(shape) == 0 {
		return name
	}
	return name + strings.ReplaceAll(fmt.Sprint(shape), " ", ",")
}

func outlineQP(c *cli.Context, path string) (*outline, error) {
	f, err := problem.ReadQP(c.Context, session.Of(c), path)
	if err != nil {
		return nil, err
	}
	p := f.Problem
	n, m := p.Dims()
	o := &outline{file: path, sense: "minimise", variables: n, objective: split{curvature: "affine"}}
	if f.Maximize {
		o.sense = "maximise"
	}
	o.sum = ccp.SummaryOf(p)
	if o.sum.NonzerosP > 0 {
		o.objective.curvature = "quadratic"
	}
	rows := m
	for _, c := range o.sum.ConeSizes {
		rows -= c.Rows
	}
	if rows > 0 {
		o.families = append(o.families, family{name: "rows", count: rows, rows: rows,
			split: split{curvature: "affine"}})
	}
	bounds := 0
	for j := range n {
		if lo, hi := p.Bounds(j); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
			bounds++
		}
	}
	if bounds > 0 {
		o.families = append(o.families, family{name: "bounds", count: bounds, rows: bounds,
			split: split{curvature: "affine"}})
	}
	o.backends = problem.Backends(&o.sum)
	o.cost = ipm.Semidefinite(p)
	return o, nil
}

func (o *outline) text(w io.Writer) {
	p := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-15s%s\n", name, fmt.Sprintf(format, args...))
	}
	p("file", "%s", o.file)
	blocks := ""
	if len(o.blocks) > 0 {
		blocks = ": " + report.Brief(o.blocks)
	}
	p("variables", "%d%s", o.variables, blocks)
	p("objective", "%s", strings.TrimSpace(o.sense+" "+o.objective.text))
	if o.objective.curvature != "constant" {
		o.objective.explain(w, "in place")
	}
	if len(o.families) == 0 {
		p("constraints", "none")
	}
	for k := range o.families {
		f := &o.families[k]
		head := ""
		if k == 0 {
			head = "constraints"
		}
		p(head, "%s", f.head())
		f.explain(w, "with a slack")
	}
	s := &o.sum
	p("convex problem", "%d columns, %d rows, %d nonzeros in A and %d in P, %d slacks", s.Columns, s.Rows, s.NonzerosA,
		s.NonzerosP, s.Slacks)
	p("cones", "%s", report.ListOr(coneTexts(s), "none"))
	if o.cost.Bytes > 0 {
		p("estimate", "%s and %.2g s per iteration for the semidefinite cones in backend ipm", bytesText(o.cost.Bytes),
			o.cost.Seconds)
	}
	p("backends", "%s", report.ListOr(o.backends, "none in this build"))
	for _, s := range o.parts {
		p("parts", "%s", s.Name)
		for k := range s.Parts {
			e := &s.Parts[k]
			fmt.Fprintf(w, "%15s%s%s: %s%s\n", "", strings.Repeat("  ", 1+e.Depth), e.Text, e.Curvature, rangeText(e))
		}
	}
}

// rangeText is the range of an expression and the indices that it is for.
func rangeText(e *lang.Explanation) string {
	s := ""
	if math.IsInf(e.Lo, -1) && math.IsInf(e.Hi, 1) {
		s = ", of any sign"
	} else if !math.IsNaN(e.Lo) {
		s = fmt.Sprintf(", %.6g to %.6g", e.Lo, e.Hi)
	}
	if e.Indices != "" {
		s += " (" + e.Indices + ")"
	}
	return s
}

// bytesText is an amount of memory in two digits.
func bytesText(v float64) string {
	switch {
	case v < 1e6:
		return fmt.Sprintf("%.2g kB", v/1e3)
	case v < 1e9:
		return fmt.Sprintf("%.3g MB", v/1e6)
	}
	return fmt.Sprintf("%.3g GB", v/1e9)
}

// coneTexts are the kinds of cones with their numbers and rows.
func coneTexts(s *ccp.Summary) []string {
	var out []string
	for k, name := range s.Cones {
		if n := s.ConeSizes[k].Count; n > 1 {
			name += fmt.Sprintf(" ×%d", n)
		}
		out = append(out, fmt.Sprintf("%s (%d rows)", name, s.ConeSizes[k].Rows))
	}
	return out
}

// head is the name, the number of members and the text.
func (f *family) head() string {
	s := f.name
	if f.count != 1 {
		s += fmt.Sprintf(" ×%d", f.count)
	}
	if f.rows > f.count {
		s += fmt.Sprintf(" (%d rows)", f.rows)
	}
	// The text may begin with the name and its indices.
	if _, text, ok := strings.Cut(f.text, ":"); ok && strings.HasPrefix(f.text, f.name) {
		return s + ": " + strings.TrimSpace(text)
	}
	if f.text != "" {
		s += ": " + f.text
	}
	return s
}

// explain writes the curvature and the linearised functions.
func (s *split) explain(w io.Writer, how string) {
	fmt.Fprintf(w, "%15s  %s\n", "", s.curvature)
	for k, h := range s.linearised {
		if k == mostLinearised {
			fmt.Fprintf(w, "%15s  and %d more\n", "", len(s.linearised)-k)
			break
		}
		fmt.Fprintf(w, "%15s  linearised %s: %s\n", "", how, h)
	}
}

const mostLinearised = 6

func (o *outline) json() report.Object {
	families := []report.Object{}
	for _, f := range o.families {
		families = append(families,
			report.Object{{Name: "name", Value: f.name}, {Name: "count", Value: f.count}, {Name: "rows", Value: f.rows},
				{Name: "curvature", Value: f.curvature}, {Name: "text", Value: f.text},
				{Name: "linearised", Value: list(f.linearised)}})
	}
	s := &o.sum
	sizes := []report.Object{}
	for _, c := range s.ConeSizes {
		sizes = append(sizes, report.Object{{Name: "count", Value: c.Count}, {Name: "rows", Value: c.Rows}})
	}
	out := report.Object{
		{Name: "file", Value: o.file}, {Name: "variables", Value: o.variables},
		{Name: "objective",
			Value: report.Object{{Name: "sense", Value: o.sense}, {Name: "curvature", Value: o.objective.curvature},
				{Name: "text", Value: o.objective.text}, {Name: "linearised", Value: list(o.objective.linearised)}}},
		{Name: "constraints", Value: families},
		{Name: "convex_problem", Value: report.Object{
			{Name: "columns", Value: s.Columns}, {Name: "rows", Value: s.Rows},
			{Name: "nonzeros_p", Value: s.NonzerosP}, {Name: "nonzeros_a", Value: s.NonzerosA},
			{Name: "slacks", Value: s.Slacks}, {Name: "linearised", Value: s.Linearised},
		}},
		{Name: "cones", Value: list(s.Cones)}, {Name: "cone_sizes", Value: sizes},
		{Name: "estimate",
			Value: report.Object{{Name: "bytes", Value: report.Number(math.Round(o.cost.Bytes))},
				{Name: "seconds_per_iteration", Value: report.Number(o.cost.Seconds)}}},
		{Name: "backends", Value: list(o.backends)},
	}
	if o.parts != nil {
		out = append(out, report.Member{Name: "parts", Value: partsJSON(o.parts)})
	}
	return out
}

// partsJSON are the expressions of statements, each before those in it.
func partsJSON(all []lang.Explained) []report.Object {
	out := []report.Object{}
	for _, s := range all {
		parts := []report.Object{}
		for k := range s.Parts {
			e := &s.Parts[k]
			parts = append(parts, report.Object{
				{Name: "text", Value: e.Text}, {Name: "depth", Value: e.Depth}, {Name: "at", Value: e.Indices},
				{Name: "curvature", Value: e.Curvature.String()}, {Name: "lower", Value: report.Number(e.Lo)},
				{Name: "upper", Value: report.Number(e.Hi)},
				{Name: "convex", Value: list(e.Convex)}, {Name: "concave", Value: list(e.Concave)},
			})
		}
		out = append(out, report.Object{{Name: "name", Value: s.Name}, {Name: "expressions", Value: parts}})
	}
	return out
}

// list is an array in JSON also where there is nothing in it.
func list(names []string) []string { return append([]string{}, names...) }
