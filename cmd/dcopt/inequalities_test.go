//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
)

// TestSmoothInequalities: where the splits of smooth inequalities have large convex parts the
// procedure creeps, and Newton's method ends at the optimum.
func TestSmoothInequalities(t *testing.T) {
	var stdout, stderr bytes.Buffer
	args := []string{"solve", "testdata/inequalities/exchangers.dc", "--json", "--quiet"}
	code := run(context.Background(), args, nil, &stdout, &stderr)
	var result struct {
		Status    string
		Objective float64
	}
	if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
		t.Fatalf("exit code %d, %v: %s", code, err, &stderr)
	}
	const optimum = 3.918010226
	if code != exit.OK || result.Status != "converged" || math.Abs(result.Objective-optimum) > 1e-6*optimum {
		t.Errorf("exit code %d, %s with %.10g; the optimum is %.10g", code, result.Status, result.Objective, optimum)
	}
}
