package ccp

import (
	"errors"
	"fmt"
	"io"
)

// Iteration is one convex problem solved.
type Iteration struct {
	Start     int     // number of the starting point, from 0
	Hop       int     // number of the hop that it belongs to, 0: the descent from the start
	K         int     // number of the iteration, from 1
	Tau       float64 // τ, the weight of the slacks
	Objective float64 // the problem's, as in Result
	// ObjectiveError bounds the rounding error of Objective, as in Result.
	ObjectiveError float64
	Violation      float64   // the largest, as in Result
	Relative       float64   // the largest relative to its row's terms: program.Violations
	Feasible       bool      // the point keeps the constraints, as in Result
	Slack          float64   // the sum of the slacks
	Step           float64   // the largest change of a variable
	Solver         int       // iterations of the backend; 0: the convex problem was the one before
	X              []float64 // the point; borrowed, valid during the call

	open   float64 // the sum of the slacks, each in the unit of its row
	priced float64 // the same, each times its price
	size   float64 // program.Problem.ObjectiveSize
	moved  float64 // Step, each change relative to the size of the variable
}

// Recorder is told of every iteration. An error ends the run: ErrStop leaves
// the status Cancelled without an error, any other is returned by Solve.
// Multistart makes one call at a time.
type Recorder interface {
	Record(Iteration) error
}

// Bounds is the progress of a proof by package ccp/global.
type Bounds struct {
	Objective float64 // of the best point so far, as in Result; ±Inf if none is feasible
	Bound     float64 // no feasible point is better
	Gap       float64 // as in global.Result
	Nodes     int     // solved
	Open      int     // to be solved
	// X is the best point so far, nil if none is feasible; borrowed, valid during the call.
	X []float64
	// Safe: Bound holds against rounding errors too, see global.Result.
	Safe bool
}

// BoundRecorder is a Recorder that is also told of the progress of a proof, after each
// batch of nodes. Errors are as of Record.
type BoundRecorder interface {
	Recorder
	RecordBounds(Bounds) error
}

// ErrStop ends a run without being an error.
var ErrStop = errors.New("ccp: stopped by the recorder")

// RecorderFunc makes a Recorder of a function.
type RecorderFunc func(Iteration) error

// Record calls f.
func (f RecorderFunc) Record(it Iteration) error { return f(it) }

// Trace keeps all iterations, with copies of X.
type Trace struct {
	Iterations []Iteration
}

// Record appends it, with a copy of X. It returns nil.
func (t *Trace) Record(it Iteration) error {
	it.X = append([]float64(nil), it.X...)
	t.Iterations = append(t.Iterations, it)
	return nil
}

// Printer writes one line per iteration to w, under a header: start and hop from 1 and 0,
// objective as stated, violation, step and τ. An error of w ends the run.
func Printer(w io.Writer) Recorder {
	first := true
	return RecorderFunc(func(it Iteration) error {
		if first {
			first = false
			if _, err := fmt.Fprintf(w, "%5s %4s %3s %16s %11s %10s %10s %6s\n", "start", "iter", "hop", "objective",
				"violation", "step", "tau", "solver"); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(w, "%5d %4d %3d %16.8g %11.2e %10.2e %10.2e %6d\n", it.Start+1, it.K, it.Hop,
			it.Objective, it.Violation, it.Step, it.Tau, it.Solver)
		return err
	})
}
