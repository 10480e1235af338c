package dcrun

import "math"

// Row is one measurement.
type Row struct {
	Group   string `csv:"group" key:"place"` // of dcset.Instance, as the next two
	Problem string `csv:"problem" key:"place"`
	Part    string `csv:"part" key:"place"`
	Solver  string `csv:"solver" key:"place"`
	// Limit in seconds and Repeat are the terms of the measurement.
	Limit      float64 `csv:"limit_s,6" key:"terms"`
	Repeat     int     `csv:"repeat" key:"terms"`
	Version    string  `csv:"version" key:"terms"` // of the solver
	Status     string  `csv:"status"`              // in the solver's words, or one of package peer
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
