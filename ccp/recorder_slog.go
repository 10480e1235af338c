package ccp

// Slog logs every iteration at level Info under the message ccp, with the fields of
// Iteration as attributes, to a *slog.Logger or whatever logs like one. It ends no run.
func Slog(l interface{ Info(msg string, args ...any) }) Recorder {
	return RecorderFunc(func(it Iteration) error {
		l.Info("ccp", "start", it.Start, "iteration", it.K, "hop", it.Hop, "objective", it.Objective,
			"violation", it.Violation, "step", it.Step, "tau", it.Tau, "solver_iterations", it.Solver)
		return nil
	})
}
