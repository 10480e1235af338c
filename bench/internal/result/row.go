package result

import (
	"fmt"
	"math"
	"strconv"
)

// Row is one measurement.
type Row struct {
	Group, Instance string
	N, M, NNZ       int
	Solver          string
	Tol             string // what was asked of the solver: a number or "default"
	Mode            string // of wire.Request
	// Limit in seconds and Repeat are the terms of the measurement.
	Limit      float64
	Repeat     int
	Version    string // of the solver
	Status     string
	Iterations int
	Wall, CPU  float64 // seconds; NaN if not known
	Setup      float64 // the part of CPU before the first iteration
	// Primal, Dual and Gap are those of qpbackend.Certify; NaN without a point.
	// Of a problem that is infeasible Primal, of an unbounded one Dual, is the
	// worth of the proof, +Inf without one.
	Primal, Dual, Gap float64
	Objective         float64
	Message           string
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

// Place is what a later row of the same place replaces.
func (r Row) Place() string { return r.Group + "\x00" + r.Instance + "\x00" + r.Contender() }

// Terms are Place and all that must agree for the measurement to be the same.
func (r Row) Terms() string {
	return fmt.Sprintf("%s\x00%g\x00%d\x00%s", r.Place(), r.Limit, r.Repeat, r.Version)
}

// Residual is the largest of Primal, Dual and Gap.
func (r Row) Residual() float64 { return max(r.Primal, r.Dual, r.Gap) }

// header is the first line of the file.
var header = []string{
	"group", "instance", "n", "m", "nnz", "solver", "tol", "mode", "limit_s", "repeat", "version", "status",
	"iterations", "wall_s", "cpu_s", "setup_cpu_s", "primal", "dual", "gap", "objective", "message",
}

func float(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func (r Row) record() []string {
	i := strconv.Itoa
	return []string{
		r.Group, r.Instance, i(r.N), i(r.M), i(r.NNZ), r.Solver, r.Tol, r.Mode, strconv.FormatFloat(r.Limit, 'g', -1, 64), i(r.Repeat), r.Version, r.Status,
		i(r.Iterations), float(r.Wall), float(r.CPU), float(r.Setup), float(r.Primal), float(r.Dual), float(r.Gap),
		strconv.FormatFloat(r.Objective, 'g', 12, 64), r.Message,
	}
}

func parse(f []string) (Row, error) {
	r := Row{
		Group: f[0], Instance: f[1], Solver: f[5], Tol: f[6], Mode: f[7], Version: f[10], Status: f[11], Message: f[20],
	}
	for k, dst := range map[int]*int{2: &r.N, 3: &r.M, 4: &r.NNZ, 9: &r.Repeat, 12: &r.Iterations} {
		v, err := strconv.Atoi(f[k])
		if err != nil {
			return r, fmt.Errorf("%s: %w", header[k], err)
		}
		*dst = v
	}
	for k, dst := range map[int]*float64{
		8: &r.Limit, 13: &r.Wall, 14: &r.CPU, 15: &r.Setup, 16: &r.Primal, 17: &r.Dual, 18: &r.Gap, 19: &r.Objective,
	} {
		v, err := strconv.ParseFloat(f[k], 64)
		if err != nil {
			return r, fmt.Errorf("%s: %w", header[k], err)
		}
		*dst = v
	}
	return r, nil
}

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
