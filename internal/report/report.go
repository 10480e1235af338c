package report

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/record"
	"github.com/dcopt/dcopt/qpbackend"
)

// Report is the output of a solve, as a table or as JSON.
type Report struct {
	Sweep Object // the swept parameters and their values, nil outside a sweep
	record.Record
	Wall       float64 // from the reading to the end; seconds sums over starts
	Inline     []byte  // the file of the proof, where the result has it itself
	Variables  []Block
	lets       []Block
	Columns    Object // the variables of a QP file, which have no shape
	Duals      Object
	Ray        Object // with the status unbounded
	BoundDuals Object // of a QP file
	History    []record.Iteration
	Color      bool // of the status, in text
}

// StatusText is the status: green where it is solved, yellow where there is a point to use
// and red where there is none.
func (r *Report) StatusText() string {
	if !r.Color {
		return r.Status
	}
	solved := r.Status == ccp.Converged.String() || r.Status == qpbackend.Solved.String()
	return Painted(r.Status, solved, r.Feasible != nil && *r.Feasible)
}

// Painted is the text of a status in its colour.
func Painted(status string, solved, useful bool) string {
	switch {
	case solved:
		return "\x1b[32m" + status + "\x1b[0m"
	case useful:
		return "\x1b[33m" + status + "\x1b[0m"
	}
	return "\x1b[31m" + status + "\x1b[0m"
}

// Say sets the message where the backend or procedure left none.
func (r *Report) Say(message string) {
	if r.Message == "" {
		r.Message = message
	}
}

// Block is a variable with its values.
type Block struct {
	Name   string
	Shape  []int
	Origin []int // first index of each dimension; nil: 1
	V      []float64
	Axes   []lang.Axis // the sets that dimensions run over; nil: none does
	Im     []float64   // of complex numbers, of which v are the real parts; nil: they are real
}

// Point is the object of a point alone: its last member are the variables.
func (r *Report) Point() Object {
	return Object{
		{"objective", r.Objective}, {"objective_error", r.ObjectiveError},
		{"max_violation", r.MaxViolation}, {"feasible", r.Feasible}, {"variables", objectOf(r.Variables)},
	}
}

// objectOf are blocks by their names.
func objectOf(blocks []Block) Object {
	o := Object{}
	for k := range blocks {
		o = append(o, Member{blocks[k].Name, blocks[k].JSON()})
	}
	return o
}

// Place is where a diagnostic points; nil: nowhere.
func Place(p lang.Place) Object {
	if p.Line == 0 {
		return nil
	}
	return Object{{"line", p.Line}, {"column", p.Col}, {"end_column", p.EndCol}}
}

// Diagnostic is a message about a problem file, with more members behind its severity.
func Diagnostic(d lang.Diagnostic, more ...Member) Object {
	o := append(Object{{"severity", d.Severity.String()}}, more...)
	add := func(name, text string) {
		if text != "" {
			o = append(o, Member{name, text})
		}
	}
	add("file", d.File)
	o = append(o, Place(d.Place)...)
	add("set", d.Set)
	o = append(o, Member{"message", d.Message})
	add("help", d.Help)
	var notes []Object
	for _, n := range d.Notes {
		notes = append(notes, append(Place(n.Place), Member{"message", n.Text}))
	}
	if notes != nil {
		o = append(o, Member{"notes", notes})
	}
	return o
}

// JSON is the object that solve --json prints. Its members are a contract:
// docs/json.md.
func (r *Report) JSON() Object {
	rec, answer := r.Record, ""
	if rec.Proved != nil {
		answer = r.answer(true)
	}
	if math.IsInf(rec.Bound.Float(), 0) {
		rec.Bound, rec.Gap, rec.Nodes, rec.Safe = nil, nil, nil, nil
	}
	var o Object
	add := func(there bool, name string, value any) {
		if there {
			o = append(o, Member{name, value})
		}
	}
	add(r.Sweep != nil, "sweep", r.Sweep)
	o = append(o, members(reflect.ValueOf(rec))...)
	add(answer != "", "answer", answer)
	add(r.Inline != nil, "proof", r.Inline)
	add(true, "variables", append(slices.Clip(r.Columns), objectOf(r.Variables)...))
	indices := IndicesOf(append(slices.Clone(r.Variables), r.lets...))
	add(indices != nil, "indices", indices)
	add(len(r.lets) > 0, "lets", objectOf(r.lets))
	add(r.NoMultipliers == nil, "duals", r.Duals)
	add(r.BoundDuals != nil, "bound_duals", r.BoundDuals)
	add(r.Ray != nil, "ray", r.Ray)
	add(true, "history", append([]record.Iteration{}, r.History...))
	return o
}

// with is how many nodes a proof has.
func with(nodes int) string {
	switch nodes {
	case 0:
		return ""
	case 1:
		return " with 1 node"
	}
	return fmt.Sprintf(" with %d nodes", nodes)
}

// answer says how good the point is.
func (r *Report) answer(full bool) string {
	what := "best point so far"
	switch {
	case r.Status == ccp.Converged.String():
		what = "local minimum"
	case r.Status == ccp.Infeasible.String() && *r.Proved:
		return "infeasible, proved" + with(*r.Nodes)
	case r.Feasible != nil && !*r.Feasible:
		what = "no feasible point"
	}
	if *r.Proved {
		return "optimal, proved" + with(*r.Nodes)
	}
	best, objective := r.Bound.Float(), float64(r.Objective)
	bound := fmt.Sprintf("(bound %s, %d nodes)", Show(best, digits(10, full)), *r.Nodes)
	if !math.IsInf(best, 0) {
		better := math.Abs(best - objective)
		share := better / math.Abs(objective)
		switch {
		case r.Feasible != nil && !*r.Feasible:
			what += " " + bound
		case share < 10: // Source: beyond it a percentage says less than the difference
			percent := Show(100*share, 2)
			if share >= 0.995 { // or it would be 1e+02
				percent = fmt.Sprintf("%.0f", 100*share)
			}
			what += fmt.Sprintf("; at most %s %% better is possible %s", percent, bound)
		default:
			what += fmt.Sprintf("; at most %s better is possible %s", Show(better, 3), bound)
		}
	}
	switch {
	case r.NoBound == "":
	case math.IsInf(best, 0):
		what += "; no bound, as " + r.NoBound
	default:
		what += "; no better bound, as " + r.NoBound
	}
	return what
}

// Text writes the table for people: head only if brief, all entries of the
// variables if full.
func (r *Report) Text(w io.Writer, brief, full bool) {
	p := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-13s%s\n", name, fmt.Sprintf(format, args...))
	}
	p("status", "%s", r.StatusText())
	if r.Message != "" {
		p("", "%s", r.Message)
	}
	off := "" // where rounding reaches the digits that are shown
	objective := float64(r.Objective)
	if e := r.ObjectiveError.Float(); e > 1e-9*math.Abs(objective) && !math.IsInf(e, 0) && objective != 0 {
		off = " ± " + Show(e, 2)
	}
	p("objective", "%s%s", Show(objective, digits(10, full)), off)
	where := ""
	if r.Worst != "" {
		where = " at " + Label(r.Worst)
	}
	p("violation", "%s%s", Show(r.MaxViolation.Float(), digits(3, full)), where)
	if a := r.NoMultipliers; a != nil && a.Constraint != "" {
		p("multipliers", "none exist: the gradient of %s vanishes, or cancels with others'", Label(a.Constraint))
	} else if a != nil {
		p("multipliers", "none: the point is at a kink")
	}
	if primal, dual := r.PrimalResidual.Float(), r.DualResidual.Float(); !math.IsNaN(primal + dual + r.Gap.Float()) {
		p("residuals", "primal %s, dual %s, gap %s", Show(primal, digits(3, full)), Show(dual, digits(3, full)),
			Show(r.Gap.Float(), digits(3, full)))
	}
	if r.Proved != nil {
		p("answer", "%s", r.answer(full))
	}
	starts := ""
	if r.Starts > 1 {
		starts = fmt.Sprintf(" from %d starts, the best of them number %d", r.Starts, r.Start+1)
	}
	p("iterations", "%d%s", r.Iterations, starts)
	if math.IsNaN(r.Wall) { // joined from shards
		p("backend", "%s", r.Backend)
	} else {
		p("time", "%s s, backend %s", Show(r.Wall, 3), r.Backend)
	}
	if brief {
		return
	}
	if len(r.Variables)+len(r.Columns) > 0 {
		fmt.Fprintln(w)
	}
	for _, b := range r.Variables {
		b.Text(w, full)
	}
	names := 0
	for _, m := range r.Columns {
		names = max(names, len(Label(m.Name)))
	}
	for k, m := range r.Columns {
		if !full && len(r.Columns) > MostRows && k >= MostRows-2 && k < len(r.Columns)-1 {
			if k == MostRows-2 {
				fmt.Fprintln(w, "...")
			}
			continue
		}
		fmt.Fprintf(w, "%-*s  %s\n", names, Label(m.Name), Show(float64(m.Value.(Number)), digits(6, full)))
	}
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

// A variable is cut to so many rows of so many numbers, or a vector to so many entries, unless all
// of it is asked for. Source: the layout, half of a terminal of 24 lines and a line of 80 columns.
const (
	MostRows    = 12
	mostColumns = 10
	mostEntries = 40
	lineWidth   = 100
)

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

// digits is how many significant digits a table has of a number: so many, or, in
// full, as many as it takes to read the same number back (-1).
func digits(n int, full bool) int {
	if full {
		return -1
	}
	return n
}

// Show is x with so many significant digits; -0 is 0, and nothing else is.
func Show(x float64, digits int) string {
	switch {
	case math.IsNaN(x):
		return "none"
	case x == 0:
		return "0"
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}

// Names adds the indices of variables and, where lets are asked for, the values of lets at x.
func (r *Report) Names(prog *lang.Program, x []float64, lets bool) {
	if lets && len(x) == prog.Problem.NumVars() {
		for k := range prog.Lets {
			l := &prog.Lets[k]
			r.lets = append(r.lets, Block{l.Name, l.Shape, l.Origin, l.Values(x), l.Axes, l.Imag(x)})
		}
	}
	for k := range r.Variables {
		r.Variables[k].Axes = prog.Axes[r.Variables[k].Name]
	}
}

func SweepHead(w io.Writer, names []string, timed bool) {
	for _, name := range names {
		fmt.Fprintf(w, "%12s  ", name)
	}
	seconds := ""
	if timed {
		seconds = fmt.Sprintf(" %9s", "seconds")
	}
	fmt.Fprintf(w, "%-15s %16s %10s %10s%s\n", "status", "objective", "violation", "iterations", seconds)
}

// SweepText writes the line of a point of a sweep.
func (r *Report) SweepText(w io.Writer, full bool) {
	for _, m := range r.Sweep {
		value, isNumber := m.Value.(Number)
		text := fmt.Sprint(m.Value)
		if isNumber {
			text = Show(float64(value), digits(8, full))
		}
		fmt.Fprintf(w, "%12s  ", text)
	}
	seconds := ""
	if !math.IsNaN(r.Wall) {
		seconds = fmt.Sprintf(" %9.3f", r.Wall)
	}
	fmt.Fprintf(w, "%-15s %16s %10s %10d%s\n", r.Status, Show(float64(r.Objective), digits(10, full)),
		Show(r.MaxViolation.Float(), digits(3, full)), r.Iterations, seconds)
}

// Label is a name out of a file for a table: quoted where it holds more than visible
// characters.
func Label(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return name
	}
	return fmt.Sprintf("%q", name)
}

func Labels(names []string) []string {
	out := make([]string, len(names))
	for k, name := range names {
		out[k] = Label(name)
	}
	return out
}
