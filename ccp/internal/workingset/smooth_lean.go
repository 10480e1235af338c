//go:build lean

package workingset

import (
	"context"
	"math"
)

// smoothing is nowhere in the engine of the playground.
type smoothing struct{}

// smooth moves s.x to an estimate of the least point, and returns the distance from it within which rows are to join: the engine of the
// playground has small problems, for which smoothed terms do not pay.
func (s *solver) smooth(ctx context.Context) float64 {
	if s.estimate(ctx) != nil { // the context has ended
		return 0
	}
	return math.Inf(1)
}
