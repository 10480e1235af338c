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

// Interrupt makes the report that of a run that was interrupted: the start with the best point may
// have ended before; the run as a whole has not.
func (r *Report) Interrupt() {
	r.Status, r.Reason = ccp.Cancelled.String(), ccp.Interrupted.String()
	r.Say("interrupted before all was done; this is the best point so far")
}

// Point is the object of a point alone: its last member are the variables.
func (r *Report) Point() Object {
	return Object{
		{"objective", r.Objective}, {"objective_error", r.ObjectiveError},
		{"max_violation", r.MaxViolation}, {"feasible", r.Feasible}, {"variables", objectOf(r.Variables)},
	}
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

// A variable is cut to so many rows of so many numbers, or a vector to so many entries, unless all
// of it is asked for. Source: the layout, half of a terminal of 24 lines and a line of 80 columns.
const (
	MostRows    = 12
	mostColumns = 10
	mostEntries = 40
	lineWidth   = 100
)

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
