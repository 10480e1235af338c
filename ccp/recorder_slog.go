package ccp

import "log/slog"

// Slog logs every iteration at level Info under the message ccp, with the fields of
// Iteration as attributes. It ends no run.
func Slog(l *slog.Logger) Recorder {
	return RecorderFunc(func(it Iteration) error {
		l.Info("ccp", "start", it.Start, "iteration", it.K, "hop", it.Hop, "objective", it.Objective,
			"violation", it.Violation, "step", it.Step, "tau", it.Tau, "solver_iterations", it.Solver)
		return nil
	})
}
