package dcrun

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// Row is one measurement.
type Row struct {
	Group   string `csv:"group"` // of dcset.Instance, as the next two
	Problem string `csv:"problem"`
	Part    string `csv:"part"`
	Solver  string `csv:"solver"`
	// Limit in seconds and Repeat are the terms of the measurement.
	Limit      float64 `csv:"limit_s,6"`
	Repeat     int     `csv:"repeat"`
	Version    string  `csv:"version"` // of the solver
	Status     string  `csv:"status"`  // in the solver's words, or one of package peer
	Iterations int     `csv:"iterations"`
	Wall       float64 `csv:"wall_s,6"` // seconds, as CPU; NaN if not known
	CPU        float64 `csv:"cpu_s,6"`
	// Objective, Violation and Missed are dcset.Measured; NaN without a point.
	Objective float64 `csv:"objective,12"`
	Violation float64 `csv:"violation,6"`
	Missed    float64 `csv:"missed,6"`
	Message   string  `csv:"message"`
}

// Unsupported is the status of a solver that cannot state the problem.
const Unsupported = "unsupported"

// Place identifies a row: a later one of the same place replaces it.
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

// Latest returns the last row of each place, in the order in which the places
// first appear.
func Latest(rows []Row) []Row { return csvtable.Latest(rows, Row.Place) }
