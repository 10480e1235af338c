package process_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/dcopt/dcopt/bench/internal/process"
)

// TestLimit: a program that does not end is interrupted by processor time, or killed by the clock.
func TestLimit(t *testing.T) {
	argv := []string{"/bin/sh", "-c", "trap 'echo ended; exit' INT; while :; do :; done"}
	out, err := process.Command{Argv: argv, CPU: 50 * time.Millisecond}.Run(context.Background())
	if err != nil || string(out.Stdout) != "ended\n" || out.CPU < 0.04 || out.Late {
		t.Errorf("error %v, %+v", err, out)
	}
	out, err = process.Command{Argv: argv, Wall: 50 * time.Millisecond}.Run(context.Background())
	if err != nil || !out.Late || out.Wall < 0.05 || out.Memory <= 0 {
		t.Errorf("error %v, %+v", err, out)
	}
}

// TestDecode: numbers that are left out or null are NaN.
func TestDecode(t *testing.T) {
	a, err := process.Decode([]byte(`{"status": "optimal", "objective": 2, "bound": null, "nodes": 3}`))
	if err != nil || a.Status != "optimal" || a.Objective != 2 || !math.IsNaN(a.Bound) || !math.IsNaN(a.Violation) || a.Nodes != 3 {
		t.Errorf("%+v, %v", a, err)
	}
	for _, bad := range []string{"", "{}", "nonsense"} {
		if _, err := process.Decode([]byte(bad)); err == nil {
			t.Errorf("%q is an answer", bad)
		}
	}
}
