package result

import "math"

// Row is one measurement.
type Row struct {
	Group    string `csv:"group" key:"place"`
	Instance string `csv:"instance" key:"place"`
	N        int    `csv:"n"`
	M        int    `csv:"m"`
	NNZ      int    `csv:"nnz"`
	Solver   string `csv:"solver" key:"place"`
	Tol      string `csv:"tol" key:"place"`  // the tolerance asked of the solver: a number or "default"
	Mode     string `csv:"mode" key:"place"` // of wire.Request
	// Limit in seconds and Repeat are the terms of the measurement.
	Limit      float64 `csv:"limit_s,-1" key:"terms"`
	Repeat     int     `csv:"repeat" key:"terms"`
	Version    string  `csv:"version" key:"terms"` // of the solver
	Status     string  `csv:"status"`
	Iterations int     `csv:"iterations"`
	Wall       float64 `csv:"wall_s,6"` // seconds, as CPU; NaN if not known
	CPU        float64 `csv:"cpu_s,6"`
	Setup      float64 `csv:"setup_cpu_s,6"` // the part of CPU before the first iteration
	// Primal, Dual and Gap are the measures of qpbackend.Certify; NaN without a point.
	// Of a problem that is infeasible Primal, of an unbounded one Dual, is the
	// worth of the proof, +Inf without one.
	Primal    float64 `csv:"primal,6"`
	Dual      float64 `csv:"dual,6"`
	Gap       float64 `csv:"gap,6"`
	Objective float64 `csv:"objective,12"`
	Message   string  `csv:"message"`
}

// Contender names the way of solving: solver, tolerance, mode.
func (r Row) Contender() string {
	s := r.Solver
	if r.Tol != "default" {
		s += " " + r.Tol
	}
	if r.Mode != "fresh" {
		s += " " + r.Mode
	}
	return s
}

// Residual is the largest of Primal, Dual and Gap.
func (r Row) Residual() float64 { return max(r.Primal, r.Dual, r.Gap) }

// Seconds is the time by the clock named, "cpu" or "wall".
func (r Row) Seconds(clock string) float64 {
	if clock == "wall" {
		return r.Wall
	}
	return r.CPU
}

// Solved reports whether the point met the level of accuracy within the limit,
// by the clock named. As in the literature a residual of twice the level will
// do: a solver that stops at its tolerance in another norm is not a failure.
func (r Row) Solved(level float64, clock string) bool {
	return r.Residual() <= 2*level && r.Seconds(clock) <= r.Limit
}

// Claims reports whether the solver says that it is done: with a solution, or
// with a proof that there is none.
func (r Row) Claims() bool {
	return r.Status == "solved" || r.Status == "primal_infeasible" || r.Status == "dual_infeasible"
}

// Nowhere fills the measured fields of a row without a point.
func (r Row) Nowhere() Row {
	nan := math.NaN()
	r.Primal, r.Dual, r.Gap, r.Objective = nan, nan, nan, nan
	return r
}
