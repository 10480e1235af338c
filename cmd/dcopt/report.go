package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/scene"
	"github.com/dcopt/dcopt/qpbackend"
)

// report is the output of a solve, as a table or as JSON.
type report struct {
	sweep      object // the swept parameters and their values, nil outside a sweep
	status     string
	code       int // the exit code that goes with the status
	objective  float64
	rounding   *float64 // a bound of the objective's rounding error, nil for a QP file
	violation  float64
	feasible   *bool  // nil for a QP file
	worst      string // the constraint where the violation is
	iterations int
	starts     int
	start      int // number of the start that gave the point, from 0
	backend    string
	seconds    seconds
	wall       float64              // from the reading to the end; seconds sums over starts
	residuals  *qpbackend.Residuals // of a QP file
	proof      *global.Result       // of --global
	variables  []block
	lets       []block
	columns    object // the variables of a QP file, which have no shape
	duals      object
	ray        object // with the status unbounded
	boundDuals object // of a QP file
	history    []ccp.Iteration
	panels     []scene.Panel // of the solution, for a picture
	message    string
	color      bool // of the status, in text
}

// statusText is the status: green where it is solved, yellow where there is a point to use
// and red where there is none.
func (r *report) statusText() string {
	if !r.color {
		return r.status
	}
	return painted(r.status, r.code == exitOK, r.feasible != nil && *r.feasible)
}

// painted is the text of a status in its colour.
func painted(status string, solved, useful bool) string {
	switch {
	case solved:
		return "\x1b[32m" + status + "\x1b[0m"
	case useful:
		return "\x1b[33m" + status + "\x1b[0m"
	}
	return "\x1b[31m" + status + "\x1b[0m"
}

// say sets the message where the backend or procedure left none.
func (r *report) say(message string) {
	if r.message == "" {
		r.message = message
	}
}

// seconds are wall-clock times; backend is the backend's share of solve.
type seconds struct {
	read, compile, solve, backend float64
}

// block is a variable with its values.
type block struct {
	name   string
	shape  []int
	origin []int // first index of each dimension; nil: 1
	v      []float64
	axes   []lang.Axis // the sets that dimensions run over; nil: none does
	im     []float64   // of complex numbers, of which v are the real parts; nil: they are real
}

// json is the object that solve --json prints. Its members are a contract:
// docs/cli.md.
func (r *report) json() object {
	var o object
	if r.sweep != nil {
		o = append(o, member{"sweep", r.sweep})
	}
	o = append(o, object{
		{"status", r.status}, {"objective", number(r.objective)},
	}...)
	if r.rounding != nil {
		o = append(o, member{"objective_error", number(*r.rounding)})
	}
	o = append(o, member{"max_violation", number(r.violation)})
	if r.feasible != nil {
		o = append(o, member{"feasible", *r.feasible})
	}
	o = append(o, object{
		{"iterations", r.iterations}, {"starts", r.starts}, {"backend", r.backend},
		{"seconds", object{{"read", number(r.seconds.read)}, {"compile", number(r.seconds.compile)}, {"solve", number(r.seconds.solve)}, {"backend", number(r.seconds.backend)}}},
	}...)
	if r.residuals != nil {
		o = append(o, object{
			{"primal_residual", number(r.residuals.Primal)}, {"dual_residual", number(r.residuals.Dual)}, {"gap", number(r.residuals.Gap)},
		}...)
	}
	if r.proof != nil {
		o = append(o, object{{"bound", number(r.proof.Bound)}, {"gap", number(r.proof.Gap)}, {"nodes", r.proof.Nodes}, {"proved", r.proof.Proved}, {"safe", r.proof.Safe}}...)
	}
	variables := append(object{}, r.columns...)
	for _, b := range r.variables {
		variables = append(variables, member{b.name, b.json()})
	}
	history := make([]object, len(r.history))
	for k, it := range r.history {
		history[k] = object{{"iteration", it.K}, {"hop", it.Hop}, {"objective", number(it.Objective)}, {"max_violation", number(it.Violation)}, {"step", number(it.Step)}, {"tau", number(it.Tau)}}
	}
	o = append(o, member{"variables", variables})
	if indices := indicesOf(append(slices.Clone(r.variables), r.lets...)); indices != nil {
		o = append(o, member{"indices", indices})
	}
	if len(r.lets) > 0 {
		var lets object
		for _, b := range r.lets {
			lets = append(lets, member{b.name, b.json()})
		}
		o = append(o, member{"lets", lets})
	}
	o = append(o, member{"duals", r.duals})
	if r.boundDuals != nil {
		o = append(o, member{"bound_duals", r.boundDuals})
	}
	if r.ray != nil {
		o = append(o, member{"ray", r.ray})
	}
	return append(o, object{{"history", history}, {"message", r.message}}...)
}

// text writes the table for people: head only if brief, all entries of the
// variables if full.
func (r *report) text(w io.Writer, brief, full bool) {
	p := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-13s%s\n", name, fmt.Sprintf(format, args...))
	}
	p("status", "%s", r.statusText())
	if r.message != "" {
		p("", "%s", r.message)
	}
	off := "" // where rounding reaches the digits that are shown
	if r.rounding != nil && *r.rounding > 1e-9*math.Abs(r.objective) && !math.IsInf(*r.rounding, 0) && r.objective != 0 {
		off = " ± " + show(*r.rounding, 2)
	}
	p("objective", "%s%s", show(r.objective, digits(10, full)), off)
	where := ""
	if r.worst != "" {
		where = " at " + label(r.worst)
	}
	p("violation", "%s%s", show(r.violation, digits(3, full)), where)
	if r.residuals != nil && !math.IsNaN(r.residuals.Max()) {
		p("residuals", "primal %s, dual %s, gap %s", show(r.residuals.Primal, digits(3, full)), show(r.residuals.Dual, digits(3, full)), show(r.residuals.Gap, digits(3, full)))
	}
	if r.proof != nil && r.proof.Proved {
		p("bound", "%s, proved with %d nodes", show(r.proof.Bound, digits(10, full)), r.proof.Nodes)
	} else if r.proof != nil {
		p("bound", "%s, a gap of %s after %d nodes", show(r.proof.Bound, digits(10, full)), show(r.proof.Gap, digits(3, full)), r.proof.Nodes)
	}
	starts := ""
	if r.starts > 1 {
		starts = fmt.Sprintf(" from %d starts, the best of them number %d", r.starts, r.start+1)
	}
	p("iterations", "%d%s", r.iterations, starts)
	share := "of it"
	if r.starts > 1 {
		share = "over all starts"
	}
	if math.IsNaN(r.wall) { // joined from shards
		p("backend", "%s", r.backend)
	} else {
		p("time", "%s s, %s s %s in backend %s", show(r.wall, 3), show(r.seconds.backend, 3), share, r.backend)
	}
	if brief {
		return
	}
	if len(r.variables)+len(r.columns) > 0 {
		fmt.Fprintln(w)
	}
	for _, b := range r.variables {
		b.text(w, full)
	}
	names := 0
	for _, m := range r.columns {
		names = max(names, len(label(m.name)))
	}
	for k, m := range r.columns {
		if !full && len(r.columns) > mostRows && k >= mostRows-2 && k < len(r.columns)-1 {
			if k == mostRows-2 {
				fmt.Fprintln(w, "...")
			}
			continue
		}
		fmt.Fprintf(w, "%-*s  %s\n", names, label(m.name), show(float64(m.value.(number)), digits(6, full)))
	}
}

// indicesOf are the members of the sets that dimensions of blocks run over: by name a list
// of dimensions, null for one that counts; a member with several parts is a list.
func indicesOf(blocks []block) (o object) {
	for _, b := range blocks {
		if b.axes == nil {
			continue
		}
		dims := make([]any, len(b.axes))
		for d, axis := range b.axes {
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
		o = append(o, member{b.name, dims})
	}
	return o
}

// index is the index k, from 0, of dimension d; format is that of its parts.
func (b *block) index(d, k int, format string) []string {
	if d < len(b.axes) && b.axes[d] != nil {
		var parts []string
		for _, p := range b.axes[d][k] {
			parts = append(parts, fmt.Sprintf(format, p))
		}
		return parts
	}
	if b.origin != nil {
		return []string{strconv.Itoa(b.origin[d] + k)}
	}
	return []string{strconv.Itoa(1 + k)}
}

// A variable is cut to so many rows of so many numbers unless all of it is
// asked for.
const (
	mostRows    = 12
	mostColumns = 10
)

// text writes a scalar as "x = 1", a vector as one row, more dimensions as a
// row for each choice of the indices but the last.
func (b block) text(w io.Writer, full bool) {
	if len(b.shape) == 0 {
		fmt.Fprintf(w, "%s = %s\n", b.name, b.number(0, full))
		return
	}
	last := len(b.shape) - 1
	if b.axes != nil && b.axes[last] != nil { // an entry a line, with its names
		last++
		b.shape = append(b.shape[:last:last], 1)
	}
	width := b.shape[last]
	rows := 1
	for _, d := range b.shape[:last] {
		rows *= d
	}
	index := make([]int, last)
	for i := range rows {
		if full || rows <= mostRows || i < mostRows-2 || i == rows-1 {
			fmt.Fprintf(w, "%s =%s\n", b.label(index), b.row(i*width, (i+1)*width, full))
		} else if i == mostRows-2 {
			fmt.Fprintln(w, "...")
		}
		for d := last - 1; d >= 0; d-- {
			if index[d]++; index[d] < b.shape[d] {
				break
			}
			index[d] = 0
		}
	}
}

// label is x[1..5] for a vector, x[3,:] for a row, f["rome","oslo"] for an entry.
func (b block) label(index []int) string {
	if len(index) == 0 {
		first, _ := strconv.Atoi(b.index(0, 0, "%v")[0])
		return fmt.Sprintf("%s[%d..%d]", b.name, first, first+b.shape[0]-1)
	}
	var parts []string
	for d, i := range index {
		parts = append(parts, b.index(d, i, "%#v")...)
	}
	if len(index) < len(b.shape) && len(b.axes) < len(b.shape) && b.axes != nil {
		return b.name + "[" + strings.Join(parts, ",") + "]"
	}
	return b.name + "[" + strings.Join(append(parts, ":"), ",") + "]"
}

// row is the entries from lo up to hi.
func (b *block) row(lo, hi int, full bool) string {
	var s strings.Builder
	for k := range hi - lo {
		if !full && hi-lo > mostColumns && k >= mostColumns-2 && k < hi-lo-1 {
			if k == mostColumns-2 {
				s.WriteString(" ...")
			}
			continue
		}
		s.WriteString(" " + b.number(lo+k, full))
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

// show is x with so many significant digits; -0 is 0, and nothing else is.
func show(x float64, digits int) string {
	switch {
	case math.IsNaN(x):
		return "none"
	case x == 0:
		return "0"
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}
