package problems

import "fmt"

// TB is the part of *testing.T that a check needs. A check that has failed returns.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// Recorder is a TB that only remembers.
type Recorder struct{ Failures []string }

func (*Recorder) Helper() {}

func (r *Recorder) Errorf(format string, args ...any) {
	r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
}
