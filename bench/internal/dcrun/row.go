package dcrun

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// Row is one measurement.
type Row struct {
	Group, Problem, Part string // of dcset.Instance
	Solver               string
	// Limit in seconds and Repeat are the terms of the measurement.
	Limit      float64
	Repeat     int
	Version    string // of the solver
	Status     string // in the solver's words, or one of package peer
	Iterations int
	Wall, CPU  float64 // seconds; NaN if not known
	// Objective, Violation and Missed are dcset.Measured; NaN without a point.
	Objective, Violation, Missed float64
	Message                      string
}

// Unsupported is the status of a solver that cannot state the problem.
const Unsupported = "unsupported"

// Place is what a later row of the same place replaces.
func (r Row) Place() string {
	return r.Group + "\x00" + r.Problem + "\x00" + r.Part + "\x00" + r.Solver
}

// Terms are Place and all that must agree for the measurement to be the same.
func (r Row) Terms() string {
	return fmt.Sprintf("%s\x00%g\x00%d\x00%s", r.Place(), r.Limit, r.Repeat, r.Version)
}

// Seconds is the time by the clock "cpu" or "wall".
func (r Row) Seconds(clock string) float64 {
	if clock == "cpu" {
		return r.CPU
	}
	return r.Wall
}

// Feasible tells whether there is a point that breaks nothing by more than
// tol.
func (r Row) Feasible(tol float64) bool {
	return r.Violation <= tol && !math.IsInf(r.Objective, 0) && !math.IsNaN(r.Objective)
}

// header is the first line of the file.
var header = []string{
	"group", "problem", "part", "solver", "limit_s", "repeat", "version", "status", "iterations", "wall_s", "cpu_s",
	"objective", "violation", "missed", "message",
}

func (r Row) record() []string {
	f := func(v float64, digits int) string { return strconv.FormatFloat(v, 'g', digits, 64) }
	return []string{
		r.Group, r.Problem, r.Part, r.Solver, f(r.Limit, 6), strconv.Itoa(r.Repeat), r.Version, r.Status, strconv.Itoa(r.Iterations),
		f(r.Wall, 6), f(r.CPU, 6), f(r.Objective, 12), f(r.Violation, 6), f(r.Missed, 6), r.Message,
	}
}

// parse reads what record wrote.
func parse(rec []string) (Row, error) {
	r := Row{Group: rec[0], Problem: rec[1], Part: rec[2], Solver: rec[3], Version: rec[6], Status: rec[7], Message: rec[14]}
	var err error
	for _, c := range []struct {
		dst *int
		col int
	}{{&r.Repeat, 5}, {&r.Iterations, 8}} {
		if *c.dst, err = strconv.Atoi(rec[c.col]); err != nil {
			return r, fmt.Errorf("%s: %w", header[c.col], err)
		}
	}
	for _, c := range []struct {
		dst *float64
		col int
	}{{&r.Limit, 4}, {&r.Wall, 9}, {&r.CPU, 10}, {&r.Objective, 11}, {&r.Violation, 12}, {&r.Missed, 13}} {
		if *c.dst, err = strconv.ParseFloat(rec[c.col], 64); err != nil {
			return r, fmt.Errorf("%s: %w", header[c.col], err)
		}
	}
	return r, nil
}

// Latest returns the last row of each place, in the order in which the places
// first appear.
func Latest(rows []Row) []Row { return csvtable.Latest(rows, Row.Place) }
