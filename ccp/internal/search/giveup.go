package search

import "math"

// slow is the number of decreases such as the last that are not enough to reach the best,
// behind the share of its size that is far. Source: table of docs/ccp.md.
const (
	slow   = 50
	behind = 1e-2
)

// FarBehind reports of trials whether a start is far behind best, the objective of better
// starts, and falls too slowly to reach it: then it is given up. span is the size of the objective.
func FarBehind(best, span float64) func(t Trial) bool {
	return func(t Trial) bool {
		gap := t.Objective - best
		return t.Feasible && gap > slow*math.Abs(t.Before-t.Objective) && gap > behind*max(span, math.Abs(best))
	}
}
